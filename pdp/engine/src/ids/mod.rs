//! The identifiers that the language fixes, as tables. They are compared code point by code point.
//!
//! Data types are in [`DataType`](crate::value::DataType), status codes in
//! [`StatusCode`](crate::model::StatusCode), functions in their own table.

pub mod algorithm;
pub mod attribute;
pub mod category;
pub mod profile;

/// The XML namespace of policies, requests and responses.
pub const XML_NAMESPACE: &str = "urn:oasis:names:tc:xacml:3.0:core:schema:wd-17";

/// XPath 1.0, as XPathVersion names it.
pub const XPATH_1_0: &str = "http://www.w3.org/TR/1999/REC-xpath-19991116";

/// XPath 2.0, as XPathVersion names it.
pub const XPATH_2_0: &str = "http://www.w3.org/TR/2007/REC-xpath20-20070123";

/// The prefixes of function identifiers, by the version that brought them.
pub mod function_prefix {
    /// XACML 1.0.
    pub const V1: &str = "urn:oasis:names:tc:xacml:1.0:function:";
    /// XACML 2.0.
    pub const V2: &str = "urn:oasis:names:tc:xacml:2.0:function:";
    /// XACML 3.0.
    pub const V3: &str = "urn:oasis:names:tc:xacml:3.0:function:";
}
