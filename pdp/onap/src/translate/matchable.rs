//! Match and optimization: a policy is found by the values of its matchable properties, and the most
//! specific ones answer.

use pdp_engine::model::{AllOf, AnyOf, Effect, Expression, Match, MatchBag, Policy};

use super::{build, combined};
use crate::ids::{self, category, data_type, function};
use crate::problem::Problem;
use crate::tosca::{Entry, Node, ToscaPolicy};
use crate::types::Types;
use crate::types::matchable::{Matchables, Shape, Simple};

/// Applies where the request has, for every matchable property with a value, at least one of its
/// values, and where it names no policy type or this one. The number of matches is the policy's weight.
pub(crate) fn translate(
    policy: &ToscaPolicy,
    types: &Types,
    problems: &mut Vec<Problem>,
) -> Option<Policy> {
    let at = policy.position;
    if types.find(&policy.type_name, &policy.type_version).is_none() {
        let message = format!(
            "nothing is known of `{}` version {}, so nobody can say what of the policy is matched: give a file that defines it under `policy_types`",
            policy.type_name, policy.type_version
        );
        let says = format!("Cannot retrieve Policy Type definition for policy {}", policy.name);
        problems.push(
            Problem::error("type-definition", &policy.name, "type", policy.type_position, message)
                .onap_says(says),
        );
        return None;
    }
    let matchables = types.matchable(&policy.type_name, &policy.type_version);
    let mut translated = build::policy(policy, ids::combining::FIRST_APPLICABLE, problems)?;
    let mut walk = Walk { policy, matchables: &matchables, any_of: Vec::new(), problems };
    if let Some(properties) = &policy.properties {
        walk.node("properties", properties);
    }
    translated.target.any_of = walk.any_of;
    let weight = weight(&translated);
    translated.notices.push(combined::rest_body(policy, Some(weight)));
    let mut rule =
        build::rule(format!("{}:rule", policy.name), Effect::Permit, Some(wanted(policy)), at);
    rule.position = at;
    translated.children.push(build::child(rule));
    Some(translated)
}

/// How specific a policy is: the number of matches of its target.
pub(super) fn weight(policy: &Policy) -> usize {
    let all_of = policy.target.any_of.iter().flat_map(|any_of| &any_of.all_of);
    all_of.map(|all_of| all_of.matches.len()).sum()
}

/// The request names no policy type, or this one.
fn wanted(policy: &ToscaPolicy) -> Expression {
    let at = policy.type_position;
    let named = || {
        let id = ids::POLICY_TYPE;
        Expression::Designator(build::designator(category::RESOURCE, id, data_type::STRING, at))
    };
    let text = |data_type, text: &str| Expression::Literal(build::literal(data_type, text, at));
    let size = build::apply(function::STRING_BAG_SIZE, vec![named()], at);
    let zero = text(data_type::INTEGER, "0");
    let none = build::apply(function::INTEGER_EQUAL, vec![size, zero], at);
    let own = text(data_type::STRING, &policy.type_name);
    let this = build::apply(function::STRING_IS_IN, vec![own, named()], at);
    build::apply(function::OR, vec![none, this], at)
}

struct Walk<'w> {
    policy: &'w ToscaPolicy,
    matchables: &'w Matchables<'w>,
    any_of: Vec<AnyOf>,
    problems: &'w mut Vec<Problem>,
}

impl Walk<'_> {
    /// Everything below: maps, and maps within lists.
    fn node(&mut self, path: &str, node: &Node) {
        for Entry { key, value, .. } in node.entries().unwrap_or_default() {
            let path = format!("{path}.{key}");
            match self.matchables.get(key) {
                Some(shape) => self.property(&path, key, value, shape),
                None => self.node(&path, value),
            }
        }
        for (at, item) in node.items().unwrap_or_default().iter().enumerate() {
            self.node(&format!("{path}[{at}]"), item);
        }
    }

    fn property(&mut self, path: &str, name: &str, node: &Node, shape: Shape) {
        let id = format!("{}{name}", ids::MATCHABLE_PREFIX);
        // Validation says it where a list or map is neither.
        let matches: Vec<Match> = shape
            .values(node)
            .into_iter()
            .filter_map(|value| {
                let path = format!("{path}{}", value.path);
                let id = value.key.map_or_else(|| id.clone(), |key| format!("{id}:{key}"));
                self.one(&path, &id, value.node, shape.simple())
            })
            .collect();
        if !matches.is_empty() {
            let position = node.position;
            let all_of =
                matches.into_iter().map(|it| AllOf { matches: vec![it], position }).collect();
            self.any_of.push(AnyOf { all_of, position });
        }
    }

    fn one(&mut self, path: &str, id: &str, node: &Node, simple: Simple) -> Option<Match> {
        let at = node.position;
        let Some(text) = simple.text(node) else {
            // Validation has mostly said it already.
            if !self.problems.iter().any(|problem| problem.path == path) {
                let message = format!("expected {}, found {}", simple.expected(), node.found());
                let name = &self.policy.name;
                self.problems.push(Problem::error("property-type", name, path, at, message));
            }
            return None;
        };
        let (function, data_type) = match simple {
            Simple::String => (function::STRING_EQUAL, data_type::STRING),
            Simple::Integer => (function::INTEGER_EQUAL, data_type::INTEGER),
            Simple::Float => (function::DOUBLE_EQUAL, data_type::DOUBLE),
            Simple::Boolean => (function::BOOLEAN_EQUAL, data_type::BOOLEAN),
            Simple::Timestamp => (function::DATE_TIME_EQUAL, data_type::DATE_TIME),
        };
        Some(Match {
            function: function.into(),
            literal: build::literal(data_type, text, at),
            bag: MatchBag::Designator(build::designator(
                category::RESOURCE,
                id.to_owned(),
                data_type,
                at,
            )),
            position: at,
        })
    }
}
