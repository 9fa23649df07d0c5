//! MinMax: permits while the number of VF modules is below `min` or below `max`.

use pdp_engine::error::Position;
use pdp_engine::model::{Effect, Match, MatchBag, Policy, Rule};

use super::properties::Properties;
use super::time_range::TimeRange;
use super::{build, guard};
use crate::ids;
use crate::problem::Problem;
use crate::tosca::ToscaPolicy;

/// Deny-unless-permit over one rule per bound. Either rule suffices, so `min` binds nothing where
/// `max` is larger; ONAP's tests hold it to that.
pub(crate) fn translate(policy: &ToscaPolicy, problems: &mut Vec<Problem>) -> Option<Policy> {
    let at = policy.position;
    let translated = build::policy(policy, ids::combining::DENY_UNLESS_PERMIT, problems);
    let mut properties = Properties::of_guard(policy, "MinMax", problems)?;
    properties.known(&[&guard::COMMON[..], &["target", "min", "max"]].concat());
    properties.required("target", "the target that the policy is about");
    let matches = guard::matches(&mut properties, true);
    let on_target = guard::match_on(&mut properties, "target", ids::GUARD_TARGET);
    let range = TimeRange::read(&mut properties);
    let bounds = [("minrule", properties.integer("min")), ("maxrule", properties.integer("max"))];
    if properties.node("min").or(properties.node("max")).is_none() {
        let message = "has neither `min` nor `max`: expected at least one of them";
        let at = properties.position();
        properties.refuse("property-missing", "properties".to_owned(), at, message).onap =
            Some("Missing min or max field in minmax policy".to_owned());
    }
    let mut translated = translated?;
    translated.target = build::target_all(matches, at);
    for (name, bound) in bounds {
        let Some((bound, bound_at)) = bound else { continue };
        let mut rule = below(format!("{}:{name}", policy.name), bound, on_target.clone(), bound_at);
        rule.condition = TimeRange::and(range.as_ref(), None);
        translated.children.push(build::child(rule));
    }
    if let Some(range) = range {
        range.define(&mut translated);
    }
    Some(translated)
}

fn below(id: String, bound: i64, on_target: Option<Match>, at: Position) -> Rule {
    let count = build::designator(
        ids::category::RESOURCE,
        ids::GUARD_VF_COUNT,
        ids::data_type::INTEGER,
        at,
    );
    let below = Match {
        function: ids::function::INTEGER_GREATER_THAN.into(),
        literal: build::literal(ids::data_type::INTEGER, bound.to_string(), at),
        bag: MatchBag::Designator(count),
        position: at,
    };
    let mut rule = build::rule(id, Effect::Permit, None, at);
    rule.target = Some(build::target_all(on_target.into_iter().chain([below]).collect(), at));
    rule
}
