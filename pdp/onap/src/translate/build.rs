//! Short ways to write parts of the engine's model.

use std::sync::Arc;

use pdp_engine::error::Position;
use pdp_engine::model::{
    AllOf, AnyOf, Apply, Child, Designator, Effect, Expression, Identifier, Literal, Match,
    MatchBag, Policy, PolicyKind, Rule, Target, VariableDefinition, Version,
};

use crate::ids::{category, data_type, function};
use crate::problem::Problem;
use crate::tosca::ToscaPolicy;

/// A policy with the name and version of a TOSCA policy, still without content.
pub(super) fn policy(
    policy: &ToscaPolicy,
    combining: impl Into<Identifier>,
    problems: &mut Vec<Problem>,
) -> Option<Policy> {
    let version = policy.version.parse::<Version>();
    let version = version.map_err(|message| {
        problems.push(Problem::error(
            "tosca-version",
            &policy.name,
            "version",
            policy.position,
            message,
        ));
    });
    Some(Policy {
        kind: PolicyKind::Policy,
        id: policy.name.clone(),
        version: version.ok()?,
        description: policy.description.clone(),
        issuer: None,
        xpath_version: None,
        target: Target { any_of: Vec::new(), position: policy.position },
        combining: combining.into(),
        children: Vec::new(),
        variables: Vec::new(),
        notices: Vec::new(),
        position: policy.position,
        combining_position: policy.position,
    })
}

pub(super) fn rule(
    id: String,
    effect: Effect,
    condition: Option<Expression>,
    at: Position,
) -> Rule {
    Rule {
        id,
        effect,
        description: None,
        target: None,
        condition,
        notices: Vec::new(),
        position: at,
    }
}

pub(super) fn child(rule: Rule) -> Child {
    Child::Rule(rule)
}

pub(super) fn literal(
    data_type: impl Into<Identifier>,
    text: impl Into<Arc<str>>,
    at: Position,
) -> Literal {
    Literal {
        data_type: data_type.into(),
        text: text.into(),
        xpath_category: None,
        namespaces: Vec::new(),
        position: at,
    }
}

/// An attribute that may be absent.
pub(super) fn designator(
    category: impl Into<Identifier>,
    id: impl Into<Identifier>,
    data_type: impl Into<Identifier>,
    at: Position,
) -> Designator {
    Designator {
        category: category.into(),
        attribute_id: id.into(),
        data_type: data_type.into(),
        issuer: None,
        must_be_present: false,
        position: at,
    }
}

/// `function(text, resource attribute)` for each value.
pub(super) fn match_text(
    function: impl Into<Identifier>,
    text: &str,
    attribute: impl Into<Identifier>,
    at: Position,
) -> Match {
    Match {
        function: function.into(),
        literal: literal(data_type::STRING, text, at),
        bag: MatchBag::Designator(designator(category::RESOURCE, attribute, data_type::STRING, at)),
        position: at,
    }
}

/// The attribute equals a text.
pub(super) fn match_equal(text: &str, attribute: impl Into<Identifier>, at: Position) -> Match {
    match_text(function::STRING_EQUAL, text, attribute, at)
}

/// A target in which all matches must hold; without matches it matches everything.
pub(super) fn target_all(matches: Vec<Match>, at: Position) -> Target {
    if matches.is_empty() {
        Target { any_of: Vec::new(), position: at }
    } else {
        target_any(vec![matches], at)
    }
}

/// A target in which all matches of at least one alternative must hold.
pub(super) fn target_any(alternatives: Vec<Vec<Match>>, at: Position) -> Target {
    let all_of = alternatives.into_iter().map(|matches| AllOf { matches, position: at }).collect();
    Target { any_of: vec![AnyOf { all_of, position: at }], position: at }
}

pub(super) fn apply(
    function: impl Into<Identifier>,
    arguments: Vec<Expression>,
    at: Position,
) -> Expression {
    Expression::Apply(Apply { function: function.into(), arguments, position: at })
}

/// `function(value, x)` holds for at least one x of the bag; an empty bag gives false.
pub(super) fn any_of(
    function: impl Into<Identifier>,
    value: Literal,
    bag: Designator,
) -> Expression {
    let at = value.position;
    let named = Expression::Function { id: function.into(), position: at };
    let arguments = vec![named, Expression::Literal(value), Expression::Designator(bag)];
    apply(function::ANY_OF, arguments, at)
}

pub(super) fn variable(id: &str, expression: Expression, at: Position) -> VariableDefinition {
    VariableDefinition { id: id.to_owned(), expression, position: at }
}
