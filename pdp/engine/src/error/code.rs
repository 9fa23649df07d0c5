//! The codes of problems. A code never changes its meaning and is never used again; each is listed
//! with what it means, an example, and what to do.

/// One code.
#[derive(Clone, Copy, Debug)]
pub struct CodeRow {
    /// The code.
    pub code: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// A case of it, as Markdown.
    pub example: &'static str,
    /// What to do.
    pub remedy: &'static str,
}

/// A row, for the lists of codes.
pub const fn row(
    code: &'static str,
    meaning: &'static str,
    example: &'static str,
    remedy: &'static str,
) -> CodeRow {
    CodeRow { code, meaning, example, remedy }
}

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

/// The codes of [`ReadError`](super::ReadError).
pub const ALL: &[CodeRow] = &[
    row(
        XML_SYNTAX,
        "The document is not well-formed XML.",
        "`<Rule></Policy>`",
        "Correct the XML at the place named; most editors show what does not match.",
    ),
    row(
        XML_DTD,
        "The document has a document type declaration, which is never read: it can make a small file huge, or read other files.",
        "`<!DOCTYPE Policy [...]>`",
        "Remove the declaration, and write out the entities that it defines.",
    ),
    row(
        XML_ENCODING,
        "The encoding is not read, or the bytes are not of it.",
        "`encoding=\"ISO-8859-1\"`",
        "Save the file as UTF-8 or UTF-16.",
    ),
    row(
        XML_NAMESPACE,
        "The namespace is not that of the format, or a prefix has none.",
        "`<Policy xmlns=\"urn:oasis:names:tc:xacml:2.0:policy:schema:os\">`",
        "Use the namespace of XACML 3.0, `urn:oasis:names:tc:xacml:3.0:core:schema:wd-17`, and declare each prefix.",
    ),
    row(
        XML_ELEMENT,
        "An element is unknown, misplaced or missing.",
        "`<Condtion>`, a Policy without Target",
        "Follow the message: it names the element that was meant, or the one that is needed.",
    ),
    row(
        XML_ATTRIBUTE,
        "An attribute is unknown or missing.",
        "an AttributeDesignator without MustBePresent",
        "Add the attribute named, or correct its name.",
    ),
    row(
        XML_TEXT,
        "There is text where only elements may stand.",
        "`<Target>anyone</Target>`",
        "Remove the text, or put it into a Description.",
    ),
    row(
        JSON_SYNTAX,
        "The document is not JSON.",
        "`{\"Request\": }`",
        "Correct the JSON at the place named.",
    ),
    row(
        JSON_MEMBER,
        "A member is unknown, missing or there twice.",
        "a category without CategoryId",
        "Follow the message: it names the member.",
    ),
    row(
        JSON_TYPE,
        "A JSON value is of the wrong kind.",
        "`\"IncludeInResult\": \"yes\"`",
        "Write the kind of value that the message names.",
    ),
    row(
        VALUE,
        "A text is not what its place asks for: a value, a version, a boolean, an effect.",
        "`Version=\"1.x\"`, `Effect=\"Allow\"`",
        "Write what the message says is expected.",
    ),
    row(
        LIMIT,
        "The document goes beyond a limit of the reader, which the message names with its value.",
        "elements nested 1000 deep",
        "Divide the document, or raise the limit where there is a setting for it.",
    ),
];
