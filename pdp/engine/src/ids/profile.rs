//! Profiles that a request or a service can name.

/// Several decisions by reference (multiple decision profile, section 2.2).
pub const MULTIPLE_REFERENCE: &str = "urn:oasis:names:tc:xacml:3.0:profile:multiple:reference";
/// Several decisions by repeated categories.
pub const MULTIPLE_REPEATED_CATEGORIES: &str =
    "urn:oasis:names:tc:xacml:3.0:profile:multiple:repeated-attribute-categories";
/// Several decisions by XPath.
pub const MULTIPLE_XPATH: &str = "urn:oasis:names:tc:xacml:3.0:profile:multiple:xpath-expression";
/// Several decisions by scope.
pub const MULTIPLE_SCOPE: &str = "urn:oasis:names:tc:xacml:3.0:profile:multiple:scope";
/// One result for several decisions.
pub const MULTIPLE_COMBINED: &str =
    "urn:oasis:names:tc:xacml:3.0:profile:multiple:combined-decision";
/// The link relation from the entry point to the decision point (REST profile).
pub const REST_PDP_RELATION: &str = "http://docs.oasis-open.org/ns/xacml/relation/pdp";
