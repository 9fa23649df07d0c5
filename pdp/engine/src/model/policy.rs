//! Policies and what they are made of (XACML 3.0 sections 5.1 to 5.24, 5.39 to 5.40).

use super::{Designator, Expression, Identifier, Literal, Selector, Version, VersionPattern};
use crate::error::Position;

/// Policies and policy sets have identifiers of their own: one may be named as the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PolicyKind {
    /// Holds rules.
    Policy,
    /// Holds policies.
    PolicySet,
}

/// What a rule grants or refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Effect {
    Permit,
    Deny,
}

/// A policy or policy set.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Which of the two it is.
    pub kind: PolicyKind,
    /// Its identifier.
    pub id: String,
    /// Its version.
    pub version: Version,
    /// Prose for people.
    pub description: Option<String>,
    /// Present where the policy is not trusted by itself; a PDP without delegation refuses it.
    pub issuer: Option<Position>,
    /// The XPath version of its defaults.
    pub xpath_version: Option<String>,
    /// What it applies to.
    pub target: Target,
    /// The identifier of its combining algorithm.
    pub combining: Identifier,
    /// Its children, in order.
    pub children: Vec<Child>,
    /// Its variables.
    pub variables: Vec<VariableDefinition>,
    /// Its obligations and advice.
    pub notices: Vec<Notice>,
    /// Where.
    pub position: Position,
    /// Where its combining algorithm is named.
    pub combining_position: Position,
}

/// A child of a policy.
#[derive(Clone, Debug, PartialEq)]
pub enum Child {
    /// A rule.
    Rule(Rule),
    /// A nested policy.
    Policy(Box<Policy>),
    /// A policy that stands elsewhere.
    Reference(PolicyReference),
}

/// Names a policy that stands elsewhere (sections 5.10 to 5.13).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyReference {
    /// Whether it names a policy or a policy set.
    pub kind: PolicyKind,
    /// The identifier.
    pub id: String,
    /// Which versions fit.
    pub version: Option<VersionPattern>,
    /// The earliest that fits.
    pub earliest: Option<VersionPattern>,
    /// The latest that fits.
    pub latest: Option<VersionPattern>,
    /// It may lead nowhere: its policy is loaded all the same, and Indeterminate where it is followed. One
    /// that may not has its policy refused.
    pub late: bool,
    /// Where.
    pub position: Position,
}

/// A rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Its identifier, unique in its policy.
    pub id: String,
    /// What it grants or refuses.
    pub effect: Effect,
    /// Prose for people.
    pub description: Option<String>,
    /// What it applies to; absent: what its policy applies to.
    pub target: Option<Target>,
    /// Absent: true.
    pub condition: Option<Expression>,
    /// Its obligations and advice.
    pub notices: Vec<Notice>,
    /// Where.
    pub position: Position,
}

/// All of its parts must match; an empty target matches everything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Target {
    /// The parts.
    pub any_of: Vec<AnyOf>,
    /// Where.
    pub position: Position,
}

/// One of its parts must match.
#[derive(Clone, Debug, PartialEq)]
pub struct AnyOf {
    /// The parts.
    pub all_of: Vec<AllOf>,
    /// Where.
    pub position: Position,
}

/// All of its matches must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct AllOf {
    /// The matches.
    pub matches: Vec<Match>,
    /// Where.
    pub position: Position,
}

/// Applies a function to a constant and each value of a bag.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// The function's identifier.
    pub function: Identifier,
    /// Its first argument.
    pub literal: Literal,
    /// The bag of its second argument.
    pub bag: MatchBag,
    /// Where.
    pub position: Position,
}

/// Where a match takes its values from.
#[derive(Clone, Debug, PartialEq)]
pub enum MatchBag {
    /// An attribute.
    Designator(Designator),
    /// Nodes of Content.
    Selector(Selector),
}

/// A named expression of a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct VariableDefinition {
    /// Its identifier, unique in its policy.
    pub id: String,
    /// What it stands for.
    pub expression: Expression,
    /// Where.
    pub position: Position,
}

/// Obligation or advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoticeKind {
    /// The PEP must carry it out.
    Obligation,
    /// The PEP may ignore it.
    Advice,
}

/// An obligation or advice expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// Which of the two.
    pub kind: NoticeKind,
    /// Its identifier.
    pub id: Identifier,
    /// The effect that it goes with.
    pub effect: Effect,
    /// Its assignments, in order.
    pub assignments: Vec<Assignment>,
    /// Where.
    pub position: Position,
}

/// One assignment of an obligation or advice expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// The attribute's identifier.
    pub attribute_id: Identifier,
    /// The category's identifier.
    pub category: Option<Identifier>,
    /// The issuer.
    pub issuer: Option<String>,
    /// The value, or a bag that yields one assignment per value.
    pub expression: Expression,
    /// Where.
    pub position: Position,
}
