//! What a policy or a request says, whatever it was written in.
//!
//! The shape is that of ACAL: a policy holds rules and policies. XACML 3.0 reads into it without
//! loss; TOSCA policies are translated to it. The model knows no wire format and derives no
//! serialisation.

use std::borrow::Cow;

mod expression;
mod policy;
mod request;
mod response;
mod same;
mod version;

pub use expression::{Apply, Designator, Expression, Literal, Selector};
pub use policy::{
    AllOf, AnyOf, Assignment, Child, Effect, Match, MatchBag, Notice, NoticeKind, Policy,
    PolicyKind, PolicyReference, Rule, Target, VariableDefinition,
};
pub use request::{
    AttributeHead, ExpectedAttribute, OwnedAttribute, OwnedCategory, OwnedRequest, OwnedValue,
    Recorder, RequestOptions, RequestSink,
};
pub use response::{
    Answer, AssignedValue, Decision, MissingAttribute, OwnedAssignment, OwnedMissingAttribute,
    OwnedNotice, OwnedPolicyIdentifier, OwnedResponse, OwnedResult, OwnedStatus, PolicyIdentifier,
    ReturnedAttribute, ReturnedNotice, Status, StatusCode,
};
pub use version::{Version, VersionPattern};

/// An identifier of a function, a data type, a category and the like. Translations name those of the
/// language, which costs nothing; documents bring their own.
pub type Identifier = Cow<'static, str>;
