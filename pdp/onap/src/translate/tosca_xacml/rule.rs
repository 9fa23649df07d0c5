//! Rules: target, condition, decision and advice.

use pdp_engine::combine::Algorithm;
use pdp_engine::compile::{Build, CompileLimits};
use pdp_engine::error::Severity;
use pdp_engine::finder::RequestOnly;
use pdp_engine::model::{
    Assignment, Child, Effect, Expression, Notice, NoticeKind, Policy, PolicyKind, Rule, Target,
};
use pdp_engine::program::Root;
use pdp_engine::value::DataType;

use super::scope::Scope;
use super::{call, formula, operator, target};
use crate::ids;
use crate::tosca::Node;
use crate::translate::build;

/// Reads one rule.
pub(super) fn read(scope: &mut Scope<'_, '_>, path: &str, node: &Node, id: String) -> Option<Rule> {
    scope.map(path, node)?;
    let decision = scope.required_text(path, node, "decision", "Permit or Deny");
    let effect = decision.map(|text| scope.effect(&format!("{path}.decision"), node, &text));
    let of_rule = match node.present("target") {
        Some(node) => Some(target::read(scope, &format!("{path}.target"), node)?),
        None => None,
    };
    let condition = match node.present("condition") {
        Some(node) => {
            let path = format!("{path}.condition");
            let condition = condition(scope, &path, node)?;
            Some(checked(scope, &path, condition))
        }
        None => None,
    };
    let mut rule = build::rule(id, effect?, condition, node.position);
    rule.target = of_rule;
    rule.description =
        node.present("description").and_then(Node::scalar_text).map(std::borrow::Cow::into_owned);
    if let Some(advice) = node.present("advice") {
        let text =
            scope.required_text(&format!("{path}.advice"), advice, "value", "the text to tell")?;
        rule.notices.push(notice(&rule, text));
    }
    Some(rule)
}

fn notice(rule: &Rule, text: String) -> Notice {
    let at = rule.position;
    Notice {
        kind: NoticeKind::Advice,
        id: format!("{}:advice", rule.id).into(),
        effect: rule.effect,
        assignments: vec![Assignment {
            attribute_id: ids::ADVICE_TEXT.into(),
            category: Some(ids::category::SUBJECT.into()),
            issuer: None,
            expression: Expression::Literal(build::literal(ids::data_type::STRING, text, at)),
            position: at,
        }],
        position: at,
    }
}

/// `apply` or `expr`.
fn condition(scope: &mut Scope<'_, '_>, path: &str, node: &Node) -> Option<Expression> {
    scope.map(path, node)?;
    if let Some(apply) = node.present("apply") {
        return call::read(scope, &format!("{path}.apply"), apply);
    }
    let expr = scope.required(path, node, "expr", "a formula, or `apply` with a function call")?;
    formula::read(scope, &format!("{path}.expr"), expr)
}

/// A condition that has no value of its type is Indeterminate, as in ONAP, and not a reason to refuse
/// the other rules. Its author is told.
fn checked(scope: &mut Scope<'_, '_>, path: &str, condition: Expression) -> Expression {
    let at = condition.position();
    let rule = build::rule("rule".to_owned(), Effect::Permit, Some(condition.clone()), at);
    let alone = Policy {
        kind: PolicyKind::Policy,
        id: "condition".to_owned(),
        version: "1".parse().expect("it is a version"),
        description: None,
        issuer: None,
        xpath_version: None,
        target: Target::default(),
        combining: ids::combining::FIRST_APPLICABLE.into(),
        children: vec![Child::Rule(rule)],
        variables: Vec::new(),
        notices: Vec::new(),
        position: at,
        combining_position: at,
    };
    let mut build_alone =
        Build::new(Root::all(Algorithm::FirstApplicable), &RequestOnly, CompileLimits::default());
    let Err(found) = build_alone.add(&alone, "") else { return condition };
    for diagnostic in found.into_iter().filter(|one| one.severity == Severity::Error) {
        let message = format!("the rule is always Indeterminate: {}", diagnostic.message);
        scope.warn(path, diagnostic.position, message);
    }
    // The one value of an empty bag.
    let empty = build::apply(operator::of_type(DataType::Boolean, "bag"), Vec::new(), at);
    build::apply(operator::of_type(DataType::Boolean, "one-and-only"), vec![empty], at)
}
