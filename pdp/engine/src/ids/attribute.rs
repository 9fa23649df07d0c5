//! Attributes that the standard and its profiles name (XACML 3.0 appendix B.4 to B.7).

use crate::value::DataType;

/// Names the subject.
pub const SUBJECT_ID: &str = "urn:oasis:names:tc:xacml:1.0:subject:subject-id";
/// The domain that manages the subject's name.
pub const SUBJECT_ID_QUALIFIER: &str = "urn:oasis:names:tc:xacml:1.0:subject:subject-id-qualifier";
/// A key that confirms who the subject is.
pub const KEY_INFO: &str = "urn:oasis:names:tc:xacml:1.0:subject:key-info";
/// When the subject was authenticated.
pub const AUTHENTICATION_TIME: &str = "urn:oasis:names:tc:xacml:1.0:subject:authentication-time";
/// How the subject was authenticated.
pub const AUTHENTICATION_METHOD: &str =
    "urn:oasis:names:tc:xacml:1.0:subject:authentication-method";
/// The address from which the subject was authenticated.
pub const AUTHN_IP_ADDRESS: &str = "urn:oasis:names:tc:xacml:1.0:subject:authn-locality:ip-address";
/// The host from which the subject was authenticated.
pub const AUTHN_DNS_NAME: &str = "urn:oasis:names:tc:xacml:1.0:subject:authn-locality:dns-name";
/// When the subject asked.
pub const REQUEST_TIME: &str = "urn:oasis:names:tc:xacml:1.0:subject:request-time";
/// When the subject's session began.
pub const SESSION_START_TIME: &str = "urn:oasis:names:tc:xacml:1.0:subject:session-start-time";
/// A role of the subject (RBAC profile).
pub const ROLE: &str = "urn:oasis:names:tc:xacml:2.0:subject:role";
/// Names the resource.
pub const RESOURCE_ID: &str = "urn:oasis:names:tc:xacml:1.0:resource:resource-id";
/// Where the resource is.
pub const RESOURCE_LOCATION: &str = "urn:oasis:names:tc:xacml:1.0:resource:resource-location";
/// The last part of the resource's file name.
pub const SIMPLE_FILE_NAME: &str = "urn:oasis:names:tc:xacml:1.0:resource:simple-file-name";
/// The namespace of the Content's top element.
pub const TARGET_NAMESPACE: &str = "urn:oasis:names:tc:xacml:2.0:resource:target-namespace";
/// Names the action.
pub const ACTION_ID: &str = "urn:oasis:names:tc:xacml:1.0:action:action-id";
/// The value of [`ACTION_ID`] for an action that is implicit in the resource.
pub const IMPLIED_ACTION: &str = "urn:oasis:names:tc:xacml:1.0:action:implied-action";
/// The namespace of the action's name.
pub const ACTION_NAMESPACE: &str = "urn:oasis:names:tc:xacml:1.0:action:action-namespace";
/// The time of the decision; category environment.
pub const CURRENT_TIME: &str = "urn:oasis:names:tc:xacml:1.0:environment:current-time";
/// The date of the decision; category environment.
pub const CURRENT_DATE: &str = "urn:oasis:names:tc:xacml:1.0:environment:current-date";
/// Date and time of the decision; category environment.
pub const CURRENT_DATE_TIME: &str = "urn:oasis:names:tc:xacml:1.0:environment:current-dateTime";

/// How much of the resource tree is asked about: [`SCOPE_IMMEDIATE`] and so on (multiple decision
/// profile, section 2.4).
pub const SCOPE: &str = "urn:oasis:names:tc:xacml:2.0:resource:scope";
/// A value of [`SCOPE`]: the resource alone.
pub const SCOPE_IMMEDIATE: &str = "Immediate";
/// A value of [`SCOPE`]: the resource and its children.
pub const SCOPE_CHILDREN: &str = "Children";
/// A value of [`SCOPE`]: the resource and everything below.
pub const SCOPE_DESCENDANTS: &str = "Descendants";
/// Asks for one decision per node of Content (multiple decision profile, section 2.3).
pub const MULTIPLE_CONTENT_SELECTOR: &str =
    "urn:oasis:names:tc:xacml:3.0:profile:multiple:content-selector";
/// A misspelt [`MULTIPLE_CONTENT_SELECTOR`] that is in use.
pub const MULTIPLE_CONTENT_SELECTOR_SHORT: &str =
    "urn:oasis:names:tc:xacml:3.0:multiple:content-selector";
/// Selects a node of Content (hierarchical resource profile).
pub const CONTENT_SELECTOR: &str = "urn:oasis:names:tc:xacml:3.0:content-selector";
/// Identifiers of the resource's parents (hierarchical resource profile).
pub const RESOURCE_PARENT: &str = "urn:oasis:names:tc:xacml:2.0:resource:resource-parent";
/// Identifiers of all its ancestors.
pub const RESOURCE_ANCESTOR: &str = "urn:oasis:names:tc:xacml:2.0:resource:resource-ancestor";
/// Identifiers of all its ancestors and its own.
pub const RESOURCE_ANCESTOR_OR_SELF: &str =
    "urn:oasis:names:tc:xacml:2.0:resource:resource-ancestor-or-self";
/// The document that holds the resource.
pub const DOCUMENT_ID: &str = "urn:oasis:names:tc:xacml:2.0:resource:document-id";

/// The attributes that the clock supplies, with their types (section 10.2.5).
pub const CLOCK: [(&str, DataType); 3] = [
    (CURRENT_TIME, DataType::Time),
    (CURRENT_DATE, DataType::Date),
    (CURRENT_DATE_TIME, DataType::DateTime),
];

/// The attributes of appendix B with the types that go with them, most usual first.
pub const STANDARD: [(&str, &[DataType]); 19] = [
    (SUBJECT_ID, &[DataType::String]),
    (SUBJECT_ID_QUALIFIER, &[DataType::String]),
    (KEY_INFO, &[DataType::String, DataType::Base64Binary]),
    (AUTHENTICATION_TIME, &[DataType::DateTime]),
    (AUTHENTICATION_METHOD, &[DataType::String]),
    (AUTHN_IP_ADDRESS, &[DataType::IpAddress]),
    (AUTHN_DNS_NAME, &[DataType::DnsName]),
    (REQUEST_TIME, &[DataType::DateTime]),
    (SESSION_START_TIME, &[DataType::DateTime]),
    (ROLE, &[DataType::AnyUri, DataType::String]),
    (RESOURCE_ID, &[DataType::AnyUri]),
    (RESOURCE_LOCATION, &[DataType::AnyUri]),
    (SIMPLE_FILE_NAME, &[DataType::String]),
    (TARGET_NAMESPACE, &[DataType::AnyUri]),
    (ACTION_ID, &[DataType::String]),
    (ACTION_NAMESPACE, &[DataType::AnyUri]),
    (CURRENT_TIME, &[DataType::Time]),
    (CURRENT_DATE, &[DataType::Date]),
    (CURRENT_DATE_TIME, &[DataType::DateTime]),
];
