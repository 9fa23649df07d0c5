//! FirstBlocksSecond: while one control loop runs an operation, another may not.

use pdp_engine::model::{Effect, Policy};

use super::build;
use super::properties::Properties;
use crate::ids;
use crate::problem::Problem;
use crate::tosca::ToscaPolicy;

/// First-applicable [Deny if any last outcome of the first loop is In_Progress; Permit] for requests
/// of the second loop. The loops stand in the policy's identifier: one TOSCA policy may be deployed
/// in several forms.
pub(crate) fn translate(policy: &ToscaPolicy, problems: &mut Vec<Problem>) -> Option<Policy> {
    let at = policy.position;
    let translated = build::policy(policy, ids::combining::FIRST_APPLICABLE, problems);
    let mut properties = Properties::of_guard(policy, "Coordination", problems)?;
    properties.known(&["controlLoop"]);
    let loops = properties.required_list("controlLoop", "a list of two control loops")?;
    let names: Vec<_> = loops
        .iter()
        .enumerate()
        .filter_map(|(index, node)| {
            let name = node.scalar_text().filter(|name| !name.trim().is_empty());
            if name.is_none() {
                let path = properties.path(&format!("controlLoop[{index}]"));
                properties.wrong_type(&path, node, "the name of a control loop");
            }
            name.map(|name| (name, node.position))
        })
        .collect();
    if loops.len() != 2 {
        let at = properties.node("controlLoop").map_or(at, |node| node.position);
        let message = format!(
            "expected two control loops, the first blocks the second, found {}",
            loops.len()
        );
        properties.refuse("property-value", properties.path("controlLoop"), at, message);
    }
    let [(first, first_at), (second, second_at)] = &names[..] else { return None };

    let mut translated = translated?;
    translated.id = format!("{}:{first}:blocks:{second}", policy.name);
    let mut outcome = build::designator(
        ids::category::RESOURCE,
        ids::GUARD_OPERATION_OUTCOME,
        ids::data_type::STRING,
        *first_at,
    );
    outcome.issuer = Some(format!("{}{first}", ids::OUTCOME_ISSUER));
    let running = crate::history::Progress::InProgress.name();
    let running = build::literal(ids::data_type::STRING, running, *first_at);
    let blocked = build::any_of(ids::function::STRING_EQUAL_IGNORE_CASE, running, outcome);
    let deny = build::rule(format!("{}:rule:1", translated.id), Effect::Deny, Some(blocked), at);
    let permit = build::rule(format!("{}:otherwise", translated.id), Effect::Permit, None, at);
    let on_second = build::match_equal(second, ids::GUARD_CONTROL_LOOP, *second_at);
    translated.target = build::target_all(vec![on_second], at);
    translated.children = vec![build::child(deny), build::child(permit)];
    Some(translated)
}
