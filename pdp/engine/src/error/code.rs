//! The codes of [`ReadError`](super::ReadError). They never change; each is listed with its meaning.

/// Not well-formed XML.
pub const XML_SYNTAX: &str = "xml-syntax";
/// A document type declaration, which is never read.
pub const XML_DTD: &str = "xml-dtd";
/// An encoding that is not read, or bytes that are not of it.
pub const XML_ENCODING: &str = "xml-encoding";
/// A namespace that is not the format's, or a prefix without one.
pub const XML_NAMESPACE: &str = "xml-namespace";
/// An element that is unknown, misplaced or missing.
pub const XML_ELEMENT: &str = "xml-element";
/// An attribute that is unknown or missing.
pub const XML_ATTRIBUTE: &str = "xml-attribute";
/// Text where only elements may stand.
pub const XML_TEXT: &str = "xml-text";
/// Not JSON.
pub const JSON_SYNTAX: &str = "json-syntax";
/// A member that is unknown, missing or there twice.
pub const JSON_MEMBER: &str = "json-member";
/// A JSON value of the wrong kind.
pub const JSON_TYPE: &str = "json-type";
/// A text that is not what its place asks for: a value, a version, a boolean.
pub const VALUE: &str = "value";
/// Beyond a limit of the reader.
pub const LIMIT: &str = "limit";

/// Every code with its meaning.
pub const ALL: &[(&str, &str)] = &[
    (XML_SYNTAX, "The document is not well-formed XML."),
    (XML_DTD, "The document has a document type declaration, which is never read."),
    (XML_ENCODING, "The encoding is not read, or the bytes are not of it."),
    (XML_NAMESPACE, "The namespace is not that of the format, or a prefix has none."),
    (XML_ELEMENT, "An element is unknown, misplaced or missing."),
    (XML_ATTRIBUTE, "An attribute is unknown or missing."),
    (XML_TEXT, "There is text where only elements may stand."),
    (JSON_SYNTAX, "The document is not JSON."),
    (JSON_MEMBER, "A member is unknown, missing or there twice."),
    (JSON_TYPE, "A JSON value is of the wrong kind."),
    (VALUE, "A text is not what its place asks for: a value, a version, a boolean."),
    (LIMIT, "The document goes beyond a limit of the reader."),
];
