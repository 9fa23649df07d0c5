//! What a decision answers (XACML 3.0 sections 5.47 to 5.56). Writers of every format read it.

use std::fmt;

use super::{NoticeKind, OwnedCategory, PolicyKind, Version};
use crate::value::{DataType, OwnedValue, Value};

/// A decision, as the outside sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the variants are the decisions, by their own names
pub enum Decision {
    Permit,
    Deny,
    NotApplicable,
    Indeterminate,
}

impl Decision {
    /// The decision with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Permit, Self::Deny, Self::NotApplicable, Self::Indeterminate]
            .into_iter()
            .find(|decision| decision.name() == name)
    }

    /// Its name in every format.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Permit => "Permit",
            Self::Deny => "Deny",
            Self::NotApplicable => "NotApplicable",
            Self::Indeterminate => "Indeterminate",
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The status codes of XACML 3.0, appendix B.8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the variants are the codes, by their own names
pub enum StatusCode {
    Ok,
    MissingAttribute,
    SyntaxError,
    ProcessingError,
}

impl StatusCode {
    /// Its identifier.
    pub const fn uri(self) -> &'static str {
        match self {
            Self::Ok => "urn:oasis:names:tc:xacml:1.0:status:ok",
            Self::MissingAttribute => "urn:oasis:names:tc:xacml:1.0:status:missing-attribute",
            Self::SyntaxError => "urn:oasis:names:tc:xacml:1.0:status:syntax-error",
            Self::ProcessingError => "urn:oasis:names:tc:xacml:1.0:status:processing-error",
        }
    }
}

/// An attribute that must be present and is not (MissingAttributeDetail).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingAttribute<'a> {
    /// The category's identifier.
    pub category: &'a str,
    /// The attribute's identifier.
    pub id: &'a str,
    /// The identifier of the data type.
    pub data_type: &'a str,
    /// The issuer that was asked for.
    pub issuer: Option<&'a str>,
}

/// Why a result is what it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status<'a> {
    /// The code.
    pub code: StatusCode,
    /// Free text.
    pub message: Option<&'a str>,
    /// What was missing, with [`StatusCode::MissingAttribute`].
    pub missing: Option<MissingAttribute<'a>>,
}

impl Status<'_> {
    /// All went well.
    pub const OK: Self = Self { code: StatusCode::Ok, message: None, missing: None };
}

/// One assignment of an obligation or advice.
#[derive(Clone, Copy, Debug)]
pub struct AssignedValue<'a> {
    /// The attribute's identifier.
    pub attribute_id: &'a str,
    /// The category's identifier.
    pub category: Option<&'a str>,
    /// The issuer.
    pub issuer: Option<&'a str>,
    /// The value; its type travels with it.
    pub value: Value<'a>,
}

/// An obligation or advice to return.
#[derive(Clone, Copy, Debug)]
pub struct ReturnedNotice<'a> {
    /// Which of the two.
    pub kind: NoticeKind,
    /// Its identifier.
    pub id: &'a str,
    /// Its assignments, in order.
    pub assignments: &'a [AssignedValue<'a>],
}

/// An attribute of the request to return.
#[derive(Clone, Copy, Debug)]
pub struct ReturnedAttribute<'a> {
    /// The category's identifier.
    pub category: &'a str,
    /// The attribute's identifier.
    pub id: &'a str,
    /// Who vouched for it.
    pub issuer: Option<&'a str>,
    /// Its values, each with its type, in request order.
    pub values: &'a [(DataType, Value<'a>)],
}

/// A policy that was found applicable.
#[derive(Clone, Copy, Debug)]
pub struct PolicyIdentifier<'a> {
    /// Policy or policy set.
    pub kind: PolicyKind,
    /// Its identifier.
    pub id: &'a str,
    /// Its version.
    pub version: &'a Version,
}

/// The result of one individual decision.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// The decision.
    pub decision: Decision,
    /// Why.
    pub status: Status<'a>,
    /// Obligations and advice, inner before outer, in evaluation order.
    pub notices: &'a [ReturnedNotice<'a>],
    /// Attributes marked for return, by category in request order.
    pub attributes: &'a [ReturnedAttribute<'a>],
    /// Applicable policies, where the request asked for them.
    pub policies: &'a [PolicyIdentifier<'a>],
}

/// A response that owns its text, as a reader gives it to those who compare responses.
#[derive(Clone, Debug, Default)]
pub struct OwnedResponse {
    /// The results, in document order.
    pub results: Vec<OwnedResult>,
}

/// One result of an [`OwnedResponse`].
#[derive(Clone, Debug)]
pub struct OwnedResult {
    /// The decision.
    pub decision: Decision,
    /// Why; ok where the document leaves it out.
    pub status: OwnedStatus,
    /// The obligations, in document order.
    pub obligations: Vec<OwnedNotice>,
    /// The advice, in document order.
    pub advice: Vec<OwnedNotice>,
    /// The returned attributes, by category in document order.
    pub categories: Vec<OwnedCategory>,
    /// The policies that were found applicable; none where the document has no list.
    pub policies: Option<Vec<OwnedPolicyIdentifier>>,
}

/// The status of an [`OwnedResult`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedStatus {
    /// The code and the codes nested in it, outermost first; never empty.
    pub codes: Vec<String>,
    /// Free text.
    pub message: Option<String>,
    /// What was missing.
    pub missing: Vec<OwnedMissingAttribute>,
}

impl Default for OwnedStatus {
    fn default() -> Self {
        Self { codes: vec![StatusCode::Ok.uri().to_owned()], message: None, missing: Vec::new() }
    }
}

/// An attribute that an [`OwnedStatus`] names as missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedMissingAttribute {
    /// The category's identifier.
    pub category: String,
    /// The attribute's identifier.
    pub id: String,
    /// The identifier of the data type.
    pub data_type: String,
    /// The issuer that was asked for.
    pub issuer: Option<String>,
}

/// An obligation or advice of an [`OwnedResult`].
#[derive(Clone, Debug)]
pub struct OwnedNotice {
    /// Its identifier.
    pub id: String,
    /// Its assignments, in order.
    pub assignments: Vec<OwnedAssignment>,
}

/// One assignment of an [`OwnedNotice`].
#[derive(Clone, Debug)]
pub struct OwnedAssignment {
    /// The attribute's identifier.
    pub attribute_id: String,
    /// The category's identifier.
    pub category: Option<String>,
    /// The issuer.
    pub issuer: Option<String>,
    /// The value.
    pub value: OwnedValue,
}

/// A policy that an [`OwnedResult`] names as applicable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedPolicyIdentifier {
    /// Policy or policy set.
    pub kind: PolicyKind,
    /// Its identifier.
    pub id: String,
    /// Its version, where it is told.
    pub version: Option<Version>,
}
