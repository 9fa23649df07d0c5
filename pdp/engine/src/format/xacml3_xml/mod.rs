//! XACML 3.0 in XML (the core specification's schema, version wd-17).

mod expression;
mod notice;
pub mod policy;
pub mod request;
mod request_writer;
pub mod response;
mod response_reader;
mod target;
mod write;

use crate::format::xml::element::Vocabulary;

/// The namespace of policies, requests and responses.
pub const NAMESPACE: &str = "urn:oasis:names:tc:xacml:3.0:core:schema:wd-17";

static VOCABULARY: Vocabulary = Vocabulary {
    format: "XACML 3.0",
    namespace: NAMESPACE,
    elements: ELEMENTS,
    mistaken: &[
        ("urn:oasis:names:tc:xacml:2.0:policy:schema:os", "XACML 2.0 policies, which are not read"),
        (
            "urn:oasis:names:tc:xacml:2.0:context:schema:os",
            "XACML 2.0 requests, which are not read",
        ),
        ("urn:oasis:names:tc:xacml:4.0:core:schema", "XACML 4.0, which this reader does not take"),
        ("urn:oasis:names:tc:xacml:1.0:policy", "XACML 1.0 policies, which are not read"),
        ("urn:oasis:names:tc:xacml:1.0:context", "XACML 1.0 requests, which are not read"),
    ],
    mistaken_attributes: &[
        ("SubjectCategory", "it is of XACML 2.0: 3.0 names the category in `Category`"),
        ("xsi:type", "types are named by the elements themselves"),
    ],
};

/// Every element of the schema.
const ELEMENTS: &[&str] = &[
    "Advice",
    "AdviceExpression",
    "AdviceExpressions",
    "AllOf",
    "AnyOf",
    "Apply",
    "AssociatedAdvice",
    "Attribute",
    "AttributeAssignment",
    "AttributeAssignmentExpression",
    "AttributeDesignator",
    "AttributeSelector",
    "AttributeValue",
    "Attributes",
    "AttributesReference",
    "CombinerParameter",
    "CombinerParameters",
    "Condition",
    "Content",
    "Decision",
    "Description",
    "Function",
    "Match",
    "MissingAttributeDetail",
    "MultiRequests",
    "Obligation",
    "ObligationExpression",
    "ObligationExpressions",
    "Obligations",
    "Policy",
    "PolicyCombinerParameters",
    "PolicyDefaults",
    "PolicyIdReference",
    "PolicyIdentifierList",
    "PolicyIssuer",
    "PolicySet",
    "PolicySetCombinerParameters",
    "PolicySetDefaults",
    "PolicySetIdReference",
    "Request",
    "RequestDefaults",
    "RequestReference",
    "Response",
    "Result",
    "Rule",
    "RuleCombinerParameters",
    "Status",
    "StatusCode",
    "StatusDetail",
    "StatusMessage",
    "Target",
    "VariableDefinition",
    "VariableReference",
    "XPathVersion",
];
