//! Filter: allows or blocks by fields of the inventory.

use pdp_engine::error::Position;
use pdp_engine::model::{Effect, Policy, Rule};

use super::properties::Properties;
use super::time_range::TimeRange;
use super::{build, guard};
use crate::ids;
use crate::problem::{Problem, did_you_mean};
use crate::tosca::{Node, NodeKind, ToscaPolicy};

/// The fields that filters may read.
pub(crate) const FIELDS: [&str; 6] = [
    "generic-vnf.vnf-name",
    "generic-vnf.vnf-id",
    "generic-vnf.vnf-type",
    "generic-vnf.nf-naming-code",
    "vserver.vserver-id",
    "cloud-region.cloud-region-id",
];

const STRING_REGEXP_MATCH: &str = "urn:oasis:names:tc:xacml:1.0:function:string-regexp-match";

/// The functions that filters may name, and their identifiers. The filter is their first argument.
const FUNCTIONS: [(&str, &str); 10] = [
    ("string-equal", "urn:oasis:names:tc:xacml:1.0:function:string-equal"),
    ("string-equal-ignore-case", "urn:oasis:names:tc:xacml:3.0:function:string-equal-ignore-case"),
    ("string-regexp-match", STRING_REGEXP_MATCH),
    ("string-contains", "urn:oasis:names:tc:xacml:3.0:function:string-contains"),
    ("string-starts-with", "urn:oasis:names:tc:xacml:3.0:function:string-starts-with"),
    ("string-ends-with", "urn:oasis:names:tc:xacml:3.0:function:string-ends-with"),
    ("string-greater-than", "urn:oasis:names:tc:xacml:1.0:function:string-greater-than"),
    (
        "string-greater-than-or-equal",
        "urn:oasis:names:tc:xacml:1.0:function:string-greater-than-or-equal",
    ),
    ("string-less-than", "urn:oasis:names:tc:xacml:1.0:function:string-less-than"),
    (
        "string-less-than-or-equal",
        "urn:oasis:names:tc:xacml:1.0:function:string-less-than-or-equal",
    ),
];

/// Permit-overrides or deny-overrides over one rule per filter.
pub(crate) fn translate(policy: &ToscaPolicy, problems: &mut Vec<Problem>) -> Option<Policy> {
    let at = policy.position;
    let translated = build::policy(policy, "", problems);
    let mut properties = Properties::of_guard(policy, "Filter", problems)?;
    properties.known(&[&guard::COMMON[..], &["target", "algorithm", "filters"]].concat());
    let matches = guard::matches(&mut properties, true);
    let range = TimeRange::read(&mut properties);
    let combining = combining(&mut properties);
    let filters = properties.required_list("filters", "a list of filters");
    let mut rules = Vec::new();
    for (index, filter) in filters.unwrap_or_default().iter().enumerate() {
        rules.extend(rule(&mut properties, index, filter));
    }

    let mut translated = translated?;
    translated.combining = combining?.into();
    translated.target = build::target_all(matches, at);
    for mut rule in rules {
        rule.condition = TimeRange::and(range.as_ref(), None);
        translated.children.push(build::child(rule));
    }
    if let Some(range) = range {
        range.define(&mut translated);
    }
    Some(translated)
}

fn combining(properties: &mut Properties<'_, '_>) -> Option<&'static str> {
    let expected = "whitelist-overrides or blacklist-overrides";
    let (text, at) = properties.required_text("algorithm", expected)?;
    match text.as_str() {
        "whitelist-overrides" => Some(ids::combining::RULE_PERMIT_OVERRIDES),
        "blacklist-overrides" => Some(ids::combining::RULE_DENY_OVERRIDES),
        _ => {
            let message = format!("`{text}` is no algorithm of filters: expected {expected}");
            let says = "Unexpected value for algorithm, should be whitelist-overrides or blacklist-overrides";
            properties.refuse("property-value", properties.path("algorithm"), at, message).onap =
                Some(says.to_owned());
            None
        }
    }
}

fn rule<'p>(properties: &mut Properties<'p, '_>, index: usize, node: &'p Node) -> Option<Rule> {
    let id = format!("{}:rule{}", properties.policy().name, index + 1);
    let path = properties.path(&format!("filters[{index}]"));
    let mut filter = properties.inner("Filter", path, node)?;
    filter.known(&["field", "filter", "function", "blacklist"]);
    let field = filter.required_text("field", "the name of a field");
    let text = filter.required_text("filter", "the text to compare with");
    let function = filter.required_text("function", "the name of a string function");
    let deny = blocks(&mut filter);
    let field = field.and_then(|(name, at)| {
        let known = FIELDS.iter().copied();
        pick(&mut filter, "field", &name, at, known).map(|index| (FIELDS[index], at))
    });
    let function = function.and_then(|(name, at)| {
        let known = FUNCTIONS.iter().map(|(name, _)| *name);
        pick(&mut filter, "function", &name, at, known).map(|index| FUNCTIONS[index].1)
    });
    let (((field, _), (text, at)), (function, deny)) = field.zip(text).zip(function.zip(deny))?;
    let attribute = format!("{}{field}", ids::GUARD_FIELD_PREFIX);
    // ONAP matches the whole text, XACML any part of it.
    let text = if function == STRING_REGEXP_MATCH { format!("^(?:{text})$") } else { text };
    let effect = if deny { Effect::Deny } else { Effect::Permit };
    let mut rule = build::rule(id, effect, None, node.position);
    rule.target = Some(build::target_all(
        vec![build::match_text(function, &text, attribute, at)],
        node.position,
    ));
    Some(rule)
}

/// `blacklist`: whether the filter blocks.
fn blocks(filter: &mut Properties<'_, '_>) -> Option<bool> {
    let node = filter.required("blacklist", "true or false")?;
    match &node.kind {
        NodeKind::Boolean(value) => Some(*value),
        NodeKind::Text(text) if text.eq_ignore_ascii_case("true") => Some(true),
        NodeKind::Text(text) if text.eq_ignore_ascii_case("false") => Some(false),
        _ => {
            filter.wrong_type(&filter.path("blacklist"), node, "true or false");
            None
        }
    }
}

/// Which of the known names it is, in upper or lower case.
fn pick(
    filter: &mut Properties<'_, '_>,
    item: &str,
    name: &str,
    at: Position,
    known: impl Iterator<Item = &'static str> + Clone,
) -> Option<usize> {
    let found = known.clone().position(|known| known.eq_ignore_ascii_case(name));
    if found.is_none() {
        let hint = did_you_mean(name, known.clone());
        let all: Vec<&str> = known.collect();
        let message =
            format!("`{name}` is no {item} of filters{hint}; expected one of {}", all.join(", "));
        filter.refuse("property-value", filter.path(item), at, message).onap =
            Some(format!("Unexpected value for {item} in filter"));
    }
    found
}
