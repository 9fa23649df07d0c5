//! Categories of attributes (XACML 3.0 appendix B.2) and their names in the JSON profile. Any other
//! URI is a legal category too.

/// Who asks.
pub const ACCESS_SUBJECT: &str = "urn:oasis:names:tc:xacml:1.0:subject-category:access-subject";
/// Who receives the answer.
pub const RECIPIENT_SUBJECT: &str =
    "urn:oasis:names:tc:xacml:1.0:subject-category:recipient-subject";
/// Through whom the request went.
pub const INTERMEDIARY_SUBJECT: &str =
    "urn:oasis:names:tc:xacml:1.0:subject-category:intermediary-subject";
/// The code that asks.
pub const CODEBASE: &str = "urn:oasis:names:tc:xacml:1.0:subject-category:codebase";
/// The machine that asks.
pub const REQUESTING_MACHINE: &str =
    "urn:oasis:names:tc:xacml:1.0:subject-category:requesting-machine";
/// What is asked for.
pub const RESOURCE: &str = "urn:oasis:names:tc:xacml:3.0:attribute-category:resource";
/// What is to be done with it.
pub const ACTION: &str = "urn:oasis:names:tc:xacml:3.0:attribute-category:action";
/// All that is about neither.
pub const ENVIRONMENT: &str = "urn:oasis:names:tc:xacml:3.0:attribute-category:environment";
/// How the categories of the delegation profile begin.
pub const DELEGATED_PREFIX: &str = "urn:oasis:names:tc:xacml:3.0:attribute-category:delegated:";

/// Shorthand of the JSON profile (section 4.2.2.1) and identifier.
pub const SHORTHANDS: [(&str, &str); 8] = [
    ("AccessSubject", ACCESS_SUBJECT),
    ("RecipientSubject", RECIPIENT_SUBJECT),
    ("IntermediarySubject", INTERMEDIARY_SUBJECT),
    ("Codebase", CODEBASE),
    ("RequestingMachine", REQUESTING_MACHINE),
    ("Resource", RESOURCE),
    ("Action", ACTION),
    ("Environment", ENVIRONMENT),
];

/// The category that a shorthand of the JSON profile stands for.
pub fn from_shorthand(shorthand: &str) -> Option<&'static str> {
    SHORTHANDS.iter().find(|(short, _)| *short == shorthand).map(|(_, id)| *id)
}

/// The shorthand of a category, where the JSON profile has one.
pub fn shorthand(category: &str) -> Option<&'static str> {
    SHORTHANDS.iter().find(|(_, id)| *id == category).map(|(short, _)| *short)
}
