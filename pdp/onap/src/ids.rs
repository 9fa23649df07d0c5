//! The identifiers that ONAP uses beside those of XACML.

/// Who asks: the ONAP name.
pub const SUBJECT_ID: &str = "urn:oasis:names:tc:xacml:1.0:subject:subject-id";
/// Who asks: the component.
pub const ONAP_COMPONENT: &str = "urn:org:onap:onap-component";
/// Who asks: the instance.
pub const ONAP_INSTANCE: &str = "urn:org:onap:onap-instance";
/// The action.
pub const ACTION_ID: &str = "urn:oasis:names:tc:xacml:1.0:action:action-id";
/// A policy's name, asked for by the combined applications.
pub const RESOURCE_ID: &str = "urn:oasis:names:tc:xacml:1.0:resource:resource-id";
/// A policy's type.
pub const POLICY_TYPE: &str = "urn:org:onap:policy-type";
/// The version that goes with a policy's type.
pub const POLICY_TYPE_VERSION: &str = "urn:org:onap:policy-type-version";

/// What stands before the name of a property that policies are matched by.
pub const MATCHABLE_PREFIX: &str = "urn:org:onap:matchable:";

/// The name of a subscriber.
pub const SUBSCRIBER_NAME: &str = "urn:org:onap:optimization:subscriber:name";
/// The advice that tells what is known of a subscriber.
pub const SUBSCRIBER_ADVICE: &str = "urn:org:onap:optimization:advice:subscriber";
/// A role of the subscriber, in that advice.
pub const SUBSCRIBER_ROLE: &str = "urn:org:onap:optimization:advice:subscriber:role";
/// A status of the subscriber, in that advice.
pub const SUBSCRIBER_STATUS: &str = "urn:org:onap:optimization:advice:subscriber:status";

/// Who asks for permission.
pub const TUTORIAL_USER: &str = "urn:org:onap:tutorial-user";
/// What the permission is about.
pub const TUTORIAL_ENTITY: &str = "urn:org:onap:tutorial-entity";
/// The permission that is asked for.
pub const TUTORIAL_PERMISSION: &str = "urn:org:onap:tutorial-permission";
/// What tells several questions of one request apart.
pub const TUTORIAL_MULTI_ID: &str = "urn:org:onap:tutorial-multi-id";

/// The actor that wants to run an operation.
pub const GUARD_ACTOR: &str = "urn:org:onap:guard:actor:actor-id";
/// The operation that it wants to run.
pub const GUARD_OPERATION: &str = "urn:org:onap:guard:operation:operation-id";
/// The control loop on whose behalf it does.
pub const GUARD_CONTROL_LOOP: &str = "urn:org:onap:guard:clname:clname-id";
/// What it wants to run the operation on.
pub const GUARD_TARGET: &str = "urn:org:onap:guard:target:target-id";
/// How many VF modules there are.
pub const GUARD_VF_COUNT: &str = "urn:org:onap:guard:target:vf-count";
/// What stands before the name of a field that filters read.
pub const GUARD_FIELD_PREFIX: &str = "urn:org:onap:guard:target:";
/// The request's own id.
pub const GUARD_REQUEST_ID: &str = "urn:org:onap:guard:request:request-id";
/// How often the operation was run recently.
pub const GUARD_OPERATION_COUNT: &str = "urn:org:onap:guard:operation:operation-count";
/// How the last operation of a control loop ended.
pub const GUARD_OPERATION_OUTCOME: &str = "urn:org:onap:guard:operation:operation-outcome";
/// The time zone of the request.
pub const GUARD_TIME_ZONE: &str = "urn:org:onap:guard:timezone";
/// The data type of the time zone.
pub const ZONE_OFFSET_TYPE: &str = "urn:com:att:research:datatype:zone-offset";

/// What every issuer of an operations-history attribute begins with.
pub const ISSUER_PREFIX: &str = "urn:org:onap:xacml:guard:";
/// The issuer of counts: followed by number, colon and unit.
pub const COUNT_ISSUER: &str = "urn:org:onap:xacml:guard:count-recent-operations:tw:";
/// The issuer of outcomes: followed by the control loop's name.
pub const OUTCOME_ISSUER: &str = "urn:org:onap:xacml:guard:get-operation-outcome:clname:";

/// The obligation that carries a policy to the caller.
pub const REST_BODY: &str = "urn:org:onap:rest:body";
/// The policy's name in that obligation. The double colon is ONAP's.
pub const OBLIGATION_POLICY_ID: &str = "urn:org:onap::obligation:policyid";
/// The policy's content in that obligation.
pub const OBLIGATION_CONTENT: &str = "urn:org:onap::obligation:policycontent";
/// How specific the policy is, in that obligation.
pub const OBLIGATION_WEIGHT: &str = "urn:org:onap::obligation:weight";
/// The policy's type in that obligation.
pub const OBLIGATION_TYPE: &str = "urn:org:onap::obligation:policytype";

/// What the advice of a rule in the ToscaXacml dialect tells.
pub const ADVICE_TEXT: &str = "urn:oasis:names:tc:xacml:2.0:example:attribute:text";

/// The obligation by which a limiter says what its Permit rests on; no answer shows it.
pub const RECORD_PERMIT: &str = "urn:pdp:guard:record-permit";
/// The length of the window in that obligation, in seconds.
pub const RECORD_PERMIT_WINDOW: &str = "urn:pdp:guard:record-permit:window";
/// The limit in that obligation.
pub const RECORD_PERMIT_LIMIT: &str = "urn:pdp:guard:record-permit:limit";

/// Categories of XACML.
pub mod category {
    /// Who asks.
    pub const SUBJECT: &str = "urn:oasis:names:tc:xacml:1.0:subject-category:access-subject";
    /// What is asked for.
    pub const RESOURCE: &str = "urn:oasis:names:tc:xacml:3.0:attribute-category:resource";
    /// What is to be done.
    pub const ACTION: &str = "urn:oasis:names:tc:xacml:3.0:attribute-category:action";
    /// The circumstances.
    pub const ENVIRONMENT: &str = "urn:oasis:names:tc:xacml:3.0:attribute-category:environment";
}

/// Attributes of the environment category.
pub mod environment {
    /// The time of day.
    pub const CURRENT_TIME: &str = "urn:oasis:names:tc:xacml:1.0:environment:current-time";
    /// The day.
    pub const CURRENT_DATE: &str = "urn:oasis:names:tc:xacml:1.0:environment:current-date";
    /// The instant.
    pub const CURRENT_DATE_TIME: &str = "urn:oasis:names:tc:xacml:1.0:environment:current-dateTime";
}

/// Data types of XACML.
pub mod data_type {
    /// Text.
    pub const STRING: &str = "http://www.w3.org/2001/XMLSchema#string";
    /// Integers.
    pub const INTEGER: &str = "http://www.w3.org/2001/XMLSchema#integer";
    /// Numbers with fractions.
    pub const DOUBLE: &str = "http://www.w3.org/2001/XMLSchema#double";
    /// True and false.
    pub const BOOLEAN: &str = "http://www.w3.org/2001/XMLSchema#boolean";
    /// Times of day.
    pub const TIME: &str = "http://www.w3.org/2001/XMLSchema#time";
    /// Instants.
    pub const DATE_TIME: &str = "http://www.w3.org/2001/XMLSchema#dateTime";
}

/// Functions of XACML that translated policies call.
pub mod function {
    /// Text is equal.
    pub const STRING_EQUAL: &str = "urn:oasis:names:tc:xacml:1.0:function:string-equal";
    /// Integers are equal.
    pub const INTEGER_EQUAL: &str = "urn:oasis:names:tc:xacml:1.0:function:integer-equal";
    /// Doubles are equal.
    pub const DOUBLE_EQUAL: &str = "urn:oasis:names:tc:xacml:1.0:function:double-equal";
    /// Booleans are equal.
    pub const BOOLEAN_EQUAL: &str = "urn:oasis:names:tc:xacml:1.0:function:boolean-equal";
    /// Instants are equal.
    pub const DATE_TIME_EQUAL: &str = "urn:oasis:names:tc:xacml:1.0:function:dateTime-equal";
    /// How many texts a bag holds.
    pub const STRING_BAG_SIZE: &str = "urn:oasis:names:tc:xacml:1.0:function:string-bag-size";
    /// A text is in a bag.
    pub const STRING_IS_IN: &str = "urn:oasis:names:tc:xacml:1.0:function:string-is-in";
    /// One of the arguments is true.
    pub const OR: &str = "urn:oasis:names:tc:xacml:1.0:function:or";
    /// Text is equal but for upper and lower case.
    pub const STRING_EQUAL_IGNORE_CASE: &str =
        "urn:oasis:names:tc:xacml:3.0:function:string-equal-ignore-case";
    /// The first integer is greater.
    pub const INTEGER_GREATER_THAN: &str =
        "urn:oasis:names:tc:xacml:1.0:function:integer-greater-than";
    /// The function holds for a value and at least one of a bag.
    pub const ANY_OF: &str = "urn:oasis:names:tc:xacml:3.0:function:any-of";
    /// All arguments are true.
    pub const AND: &str = "urn:oasis:names:tc:xacml:1.0:function:and";
    /// A time of day lies in a range that may pass midnight.
    pub const TIME_IN_RECURRING_RANGE: &str =
        "urn:oasis:names:tc:xacml:3.0:function:time-in-recurring-range";
    /// The one time of a bag.
    pub const TIME_ONE_AND_ONLY: &str = "urn:oasis:names:tc:xacml:1.0:function:time-one-and-only";
    /// The one instant of a bag.
    pub const DATE_TIME_ONE_AND_ONLY: &str =
        "urn:oasis:names:tc:xacml:1.0:function:dateTime-one-and-only";
    /// The first instant is not before the second.
    pub const DATE_TIME_NOT_BEFORE: &str =
        "urn:oasis:names:tc:xacml:1.0:function:dateTime-greater-than-or-equal";
    /// The first instant is not after the second.
    pub const DATE_TIME_NOT_AFTER: &str =
        "urn:oasis:names:tc:xacml:1.0:function:dateTime-less-than-or-equal";
}

/// Combining algorithms that translated policies name.
pub mod combining {
    /// The first rule that applies decides.
    pub const FIRST_APPLICABLE: &str =
        "urn:oasis:names:tc:xacml:1.0:rule-combining-algorithm:first-applicable";
    /// A rule that permits decides, otherwise it is Deny.
    pub const DENY_UNLESS_PERMIT: &str =
        "urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:deny-unless-permit";
    /// A rule that denies decides, otherwise it is Permit.
    pub const PERMIT_UNLESS_DENY: &str =
        "urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:permit-unless-deny";
    /// The first policy that applies decides.
    pub const POLICY_FIRST_APPLICABLE: &str =
        "urn:oasis:names:tc:xacml:1.0:policy-combining-algorithm:first-applicable";
    /// The one policy that applies decides.
    pub const ONLY_ONE_APPLICABLE: &str =
        "urn:oasis:names:tc:xacml:1.0:policy-combining-algorithm:only-one-applicable";
    /// A rule that permits beats those that deny.
    pub const RULE_PERMIT_OVERRIDES: &str =
        "urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:permit-overrides";
    /// A rule that denies beats those that permit.
    pub const RULE_DENY_OVERRIDES: &str =
        "urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:deny-overrides";
}
