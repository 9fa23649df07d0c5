//! Monitoring and naming: a policy is found by its name or by its type, and hands out its content.

use pdp_engine::error::Position;
use pdp_engine::model::{Assignment, Effect, Expression, Notice, NoticeKind, Policy};

use super::build;
use crate::ids;
use crate::problem::Problem;
use crate::tosca::ToscaPolicy;

/// Name and type are alternatives, so a request with both gets the union. The third alternative, type
/// and version, is ONAP's: a PEP that puts type versions into a XACML request of its own can use it.
pub(crate) fn translate(policy: &ToscaPolicy, problems: &mut Vec<Problem>) -> Option<Policy> {
    let at = policy.position;
    let mut translated = build::policy(policy, ids::combining::FIRST_APPLICABLE, problems)?;
    let of_type = || build::match_equal(&policy.type_name, ids::POLICY_TYPE, policy.type_position);
    translated.target = build::target_any(
        vec![
            vec![build::match_equal(&policy.name, ids::RESOURCE_ID, at)],
            vec![of_type()],
            vec![of_type(), build::match_equal(&policy.version, ids::POLICY_TYPE_VERSION, at)],
        ],
        at,
    );
    let mut rule = build::rule(format!("{}:rule", policy.name), Effect::Permit, None, at);
    rule.notices.push(rest_body(policy, None));
    translated.children.push(build::child(rule));
    Some(translated)
}

/// The obligation that carries the policy to the caller, with its weight where it has one.
pub(super) fn rest_body(policy: &ToscaPolicy, weight: Option<usize>) -> Notice {
    let at = policy.position;
    let text = |id: &'static str, text: String| assignment(id, ids::data_type::STRING, text, at);
    let mut assignments = vec![
        text(ids::OBLIGATION_POLICY_ID, policy.name.clone()),
        text(ids::OBLIGATION_CONTENT, policy.content()),
    ];
    if let Some(weight) = weight {
        let integer = ids::data_type::INTEGER;
        assignments.push(assignment(ids::OBLIGATION_WEIGHT, integer, weight.to_string(), at));
    }
    assignments.push(text(ids::OBLIGATION_TYPE, policy.type_name.clone()));
    Notice {
        kind: NoticeKind::Obligation,
        id: ids::REST_BODY.into(),
        effect: Effect::Permit,
        assignments,
        position: at,
    }
}

fn assignment(id: &'static str, data_type: &'static str, text: String, at: Position) -> Assignment {
    Assignment {
        attribute_id: id.into(),
        category: Some(ids::category::RESOURCE.into()),
        issuer: None,
        expression: Expression::Literal(build::literal(data_type, text, at)),
        position: at,
    }
}
