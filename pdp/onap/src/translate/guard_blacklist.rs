//! Blacklist: denies where the target is one of a list.

use pdp_engine::model::{Effect, Match, Policy};

use super::properties::Properties;
use super::time_range::TimeRange;
use super::{build, guard};
use crate::ids;
use crate::problem::Problem;
use crate::tosca::{Node, ToscaPolicy};

/// Permit-unless-deny over one rule whose target names every entry.
pub(crate) fn translate(policy: &ToscaPolicy, problems: &mut Vec<Problem>) -> Option<Policy> {
    let at = policy.position;
    let translated = build::policy(policy, ids::combining::PERMIT_UNLESS_DENY, problems);
    let mut properties = Properties::of_guard(policy, "Blacklist", problems)?;
    properties.known(&[&guard::COMMON[..], &["blacklist"]].concat());
    let matches = guard::matches(&mut properties, false);
    let range = TimeRange::read(&mut properties);
    let entries = properties.required_list("blacklist", "a list of targets")?;
    let alternatives: Vec<Vec<Match>> = entries
        .iter()
        .enumerate()
        .filter_map(|(index, entry)| alternative(&mut properties, index, entry))
        .collect();

    let mut translated = translated?;
    translated.target = build::target_all(matches, at);
    // An empty list denies nothing; a target without alternatives would match everything.
    if !alternatives.is_empty() {
        let condition = TimeRange::and(range.as_ref(), None);
        let mut rule =
            build::rule(format!("{}:blacklist", policy.name), Effect::Deny, condition, at);
        rule.target = Some(build::target_any(alternatives, at));
        translated.children.push(build::child(rule));
    }
    if let Some(range) = range {
        range.define(&mut translated);
    }
    Some(translated)
}

/// An entry is a target; a list inside would have to match all at once.
fn alternative(
    properties: &mut Properties<'_, '_>,
    index: usize,
    entry: &Node,
) -> Option<Vec<Match>> {
    let items = entry.items().unwrap_or(std::slice::from_ref(entry));
    let mut matches = Vec::with_capacity(items.len());
    for item in items {
        let Some(text) = item.scalar_text() else {
            properties.wrong_type(&properties.path(&format!("blacklist[{index}]")), item, "text");
            return None;
        };
        matches.push(build::match_equal(&text, ids::GUARD_TARGET, item.position));
    }
    if matches.is_empty() {
        let path = properties.path(&format!("blacklist[{index}]"));
        properties.refuse(
            "property-value",
            path,
            entry.position,
            "is an empty list: expected a target",
        );
        return None;
    }
    Some(matches)
}
