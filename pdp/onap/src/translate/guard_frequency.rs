//! FrequencyLimiter: permits while an operation was run less than `limit` times in the window.

use pdp_engine::model::{Effect, Policy};

use super::properties::Properties;
use super::time_range::TimeRange;
use super::{build, guard};
use crate::history::{Window, WindowError};
use crate::ids;
use crate::problem::{Problem, did_you_mean};
use crate::tosca::ToscaPolicy;

/// First-applicable [Permit if in range and any count < limit; Deny]. ONAP uses deny-unless-permit and
/// takes a look-up that fails for -1; here it is Indeterminate up to the root, while an empty answer,
/// for a request that lacks a part of the key, is Deny in both.
pub(crate) fn translate(policy: &ToscaPolicy, problems: &mut Vec<Problem>) -> Option<Policy> {
    let at = policy.position;
    let translated = build::policy(policy, ids::combining::FIRST_APPLICABLE, problems);
    let mut properties = Properties::of_guard(policy, "Frequency", problems)?;
    let own = ["target", "limit", "timeWindow", "timeUnits"];
    properties.known(&[&guard::COMMON[..], &own[..]].concat());
    let matches = guard::matches(&mut properties, true);
    let range = TimeRange::read(&mut properties);
    let limit = properties.required_integer("limit");
    let issuer = window(&mut properties);
    let (limit, limit_at) = limit?;
    let mut translated = translated?;

    let mut count = build::designator(
        ids::category::RESOURCE,
        ids::GUARD_OPERATION_COUNT,
        ids::data_type::INTEGER,
        limit_at,
    );
    count.issuer = Some(issuer?);
    let limit = build::literal(ids::data_type::INTEGER, limit.to_string(), limit_at);
    let below = build::any_of(ids::function::INTEGER_GREATER_THAN, limit, count);
    let permit = build::rule(
        format!("{}:frequency", policy.name),
        Effect::Permit,
        TimeRange::and(range.as_ref(), Some(below)),
        at,
    );
    let deny = build::rule(format!("{}:otherwise", policy.name), Effect::Deny, None, at);

    translated.target = build::target_all(matches, at);
    translated.children = vec![build::child(permit), build::child(deny)];
    if let Some(range) = range {
        range.define(&mut translated);
    }
    Some(translated)
}

/// The issuer that names the window.
fn window(properties: &mut Properties<'_, '_>) -> Option<String> {
    let number = properties.required_integer("timeWindow");
    let unit =
        properties.required_text("timeUnits", "second, minute, hour, day, week, month or year");
    let ((number, number_at), (unit, unit_at)) = number.zip(unit)?;
    match Window::new(number, &unit) {
        Ok(_) => Some(format!("{}{number}:{}", ids::COUNT_ISSUER, unit.to_ascii_lowercase())),
        Err(error @ WindowError::Number(_)) => {
            properties.refuse(
                "property-value",
                properties.path("timeWindow"),
                number_at,
                error.to_string(),
            );
            None
        }
        Err(error @ WindowError::Unit(_)) => {
            let hint = did_you_mean(&unit, Window::units());
            let message = format!("{error}{hint}");
            properties.refuse("property-value", properties.path("timeUnits"), unit_at, message);
            None
        }
    }
}
