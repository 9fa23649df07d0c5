//! Guard policies that are refused: every message with its place.

use crate::support::{guard, problems};

/// The messages about properties, without the policy's name; properties begin at 7:19.
#[track_caller]
fn check(kind: &str, properties: &str, expected: &[&str]) {
    let found: Vec<String> = problems(&guard(kind, properties))
        .into_iter()
        .map(|line| line.replace("policy `guard.test`: ", ""))
        .collect();
    assert_eq!(found, expected, "{kind} {properties}");
}

#[test]
fn properties_must_be_there() {
    for kind in ["FrequencyLimiter", "MinMax", "Blacklist", "Filter", "FirstBlocksSecond"] {
        let name = match kind {
            "FrequencyLimiter" => "Frequency",
            "FirstBlocksSecond" => "Coordination",
            other => other,
        };
        let expected = format!(
            "3:5: error: properties: is missing: a policy of this type needs properties (no properties specified on guard policy: guard.test; Cannot decode {name}Definition from null properties) [property-missing]"
        );
        check(kind, "", &[&expected]);
    }
}

#[test]
fn an_unknown_property_is_a_warning() {
    check(
        "FrequencyLimiter",
        "{limit: 1, timeWindow: 1, timeUnits: hour, Operation: x, weight: 5}",
        &[
            "7:62: warning: properties.Operation: the type has no property of this name; it is ignored, did you mean `operation`? [property-unknown]",
            "7:76: warning: properties.weight: the type has no property of this name; it is ignored [property-unknown]",
        ],
    );
}

#[test]
fn frequency_limiters() {
    check(
        "FrequencyLimiter",
        "{}",
        &[
            "7:19: error: properties.limit: is missing: expected an integer (item \"limit\" value \"null\" INVALID, is null) [property-missing]",
            "7:19: error: properties.timeWindow: is missing: expected an integer (item \"timeWindow\" value \"null\" INVALID, is null) [property-missing]",
            "7:19: error: properties.timeUnits: is missing: expected second, minute, hour, day, week, month or year (item \"timeUnits\" value \"null\" INVALID, is null) [property-missing]",
        ],
    );
    check(
        "FrequencyLimiter",
        "{limit: many, timeWindow: 1.5, timeUnits: [hour]}",
        &[
            "7:27: error: properties.limit: expected an integer, found the text `many` (Cannot decode FrequencyDefinition from properties) [property-type]",
            "7:45: error: properties.timeWindow: expected an integer, found the number `1.5` (Cannot decode FrequencyDefinition from properties) [property-type]",
            "7:61: error: properties.timeUnits: expected text, found a list (Cannot decode FrequencyDefinition from properties) [property-type]",
        ],
    );
    check(
        "FrequencyLimiter",
        "{limit: null, timeWindow: 0, timeUnits: hours, actor: {a: b}}",
        &[
            "7:73: error: properties.actor: expected text, found a map (Cannot decode FrequencyDefinition from properties) [property-type]",
            "7:27: error: properties.limit: is missing: expected an integer (item \"limit\" value \"null\" INVALID, is null) [property-missing]",
            "7:59: error: properties.timeUnits: `hours` is no unit of time: expected second, minute, hour, day, week, month or year, did you mean `hour`? [property-value]",
        ],
    );
    check(
        "FrequencyLimiter",
        "{limit: 1, timeWindow: 0, timeUnits: hour}",
        &[
            "7:42: error: properties.timeWindow: a window of 0 is not possible: expected a number from 1 on, and at most 1,000 years [property-value]",
        ],
    );
    check(
        "FrequencyLimiter",
        "{limit: 1, timeWindow: 1, timeUnits: ' '}",
        &[
            "7:56: error: properties.timeUnits: is blank: expected second, minute, hour, day, week, month or year (item \"timeUnits\" value \" \" INVALID, is blank) [property-value]",
        ],
    );
}

#[test]
fn min_max() {
    check(
        "MinMax",
        "{actor: SO}",
        &[
            "7:19: error: properties.target: is missing: expected the target that the policy is about (item \"target\" value \"null\" INVALID, is null) [property-missing]",
            "7:19: error: properties: has neither `min` nor `max`: expected at least one of them (Missing min or max field in minmax policy) [property-missing]",
        ],
    );
    check(
        "MinMax",
        "{target: x, min: low}",
        &[
            "7:36: error: properties.min: expected an integer, found the text `low` (Cannot decode MinMaxDefinition from properties) [property-type]",
        ],
    );
}

#[test]
fn blacklists() {
    check(
        "Blacklist",
        "{blacklist: vnf-1}",
        &[
            "7:31: error: properties.blacklist: expected a list of targets, found the text `vnf-1` (Cannot decode BlacklistDefinition from properties) [property-type]",
        ],
    );
    check(
        "Blacklist",
        "{blacklist: [a, {b: c}, []]}",
        &[
            "7:35: error: properties.blacklist[1]: expected text, found a map (Cannot decode BlacklistDefinition from properties) [property-type]",
            "7:43: error: properties.blacklist[2]: is an empty list: expected a target [property-value]",
        ],
    );
}

#[test]
fn filters() {
    check(
        "Filter",
        "{algorithm: first, filters: {a: b}}",
        &[
            "7:31: error: properties.algorithm: `first` is no algorithm of filters: expected whitelist-overrides or blacklist-overrides (Unexpected value for algorithm, should be whitelist-overrides or blacklist-overrides) [property-value]",
            "7:47: error: properties.filters: expected a list of filters, found a map (Cannot decode FilterDefinition from properties) [property-type]",
        ],
    );
    check(
        "Filter",
        "
        algorithm: blacklist-overrides
        filters:
        - vnf-1
        - {field: generic-vnf.vnf-nam, filter: x, function: string-equals, blacklist: 5}",
        &[
            "10:11: error: properties.filters[0]: expected a map, found the text `vnf-1` (Cannot decode FilterDefinition from properties) [property-type]",
            "11:87: error: properties.filters[1].blacklist: expected true or false, found the integer `5` (Cannot decode FilterDefinition from properties) [property-type]",
            "11:19: error: properties.filters[1].field: `generic-vnf.vnf-nam` is no field of filters, did you mean `generic-vnf.vnf-name`?; expected one of generic-vnf.vnf-name, generic-vnf.vnf-id, generic-vnf.vnf-type, generic-vnf.nf-naming-code, vserver.vserver-id, cloud-region.cloud-region-id (Unexpected value for field in filter) [property-value]",
            "11:61: error: properties.filters[1].function: `string-equals` is no function of filters, did you mean `string-equal`?; expected one of string-equal, string-equal-ignore-case, string-regexp-match, string-contains, string-starts-with, string-ends-with, string-greater-than, string-greater-than-or-equal, string-less-than, string-less-than-or-equal (Unexpected value for function in filter) [property-value]",
        ],
    );
}

#[test]
fn coordinations() {
    check(
        "FirstBlocksSecond",
        "{controlLoop: [one]}",
        &[
            "7:33: error: properties.controlLoop: expected two control loops, the first blocks the second, found 1 [property-value]",
        ],
    );
    check(
        "FirstBlocksSecond",
        "{controlLoop: [one, [two]]}",
        &[
            "7:39: error: properties.controlLoop[1]: expected the name of a control loop, found a list (Cannot decode CoordinationDefinition from properties) [property-type]",
        ],
    );
}

#[test]
fn time_ranges() {
    let with = |range: &str| format!("{{blacklist: [x], timeRange: {range}}}");
    check(
        "Blacklist",
        &with("daily"),
        &[
            "7:47: error: properties.timeRange: expected a map, found the text `daily` (Cannot decode BlacklistDefinition from properties) [property-type]",
        ],
    );
    check(
        "Blacklist",
        &with("{startTime: 08:00:00Z, end_time: 25:00:00Z}"),
        &[
            "7:48: warning: properties.timeRange.startTime: the type has no property of this name; it is ignored, did you mean `start_time`? [property-unknown]",
            "7:47: error: properties.timeRange.start_time: is missing: expected a time with offset such as 08:00:00Z, or a date and time with offset (item \"start_time\" value \"null\" INVALID, is null) [property-missing]",
        ],
    );
    check(
        "Blacklist",
        &with("{start_time: 8:00, end_time: 10:00:00Z}"),
        &[
            "7:60: error: properties.timeRange.start_time: `8:00` is no time: expected a time with offset such as 08:00:00Z or 08:00:00+05:00, or a date and time such as 2025-06-01T08:00:00Z (timestamp 8:00 could not be parsed ) [property-value]",
        ],
    );
    check(
        "Blacklist",
        &with("{start_time: 08:00:00Z, end_time: 2025-06-01T08:00:00Z}"),
        &[
            "7:47: error: properties.timeRange: start_time and end_time must both be times, or both be dates with times (start_time and end_time class types do not match) [property-value]",
        ],
    );
    check(
        "Blacklist",
        &with("{start_time: 2025-06-01T08:00:00Z, end_time: 2025-06-01T08:59:59+01:00}"),
        &[
            "7:92: error: properties.timeRange.end_time: lies before start_time, so the policy could never hold [property-value]",
        ],
    );
}

#[test]
fn unknown_types_say_what_is_near() {
    let policy = |name: &str, version: &str| {
        problems(&format!("policies:\n- a: {{type: {name}, type_version: {version}}}\n"))
    };
    assert_eq!(
        policy("onap.policies.controlloop.guard.common.MinMx", "1.0.0"),
        [
            "2:13: error: policy `a`: type: `onap.policies.controlloop.guard.common.MinMx` is not a supported policy type, did you mean `onap.policies.controlloop.guard.common.MinMax`? (Unknown guard policy type onap.policies.controlloop.guard.common.MinMx) [policy-type]"
        ]
    );
    assert_eq!(
        policy("onap.policies.Naming", "2.0.0"),
        [
            "2:49: error: policy `a`: type_version: `onap.policies.Naming` is supported in version 1.0.0, not 2.0.0 (Application not found for policy type onap.policies.Naming 2.0.0) [policy-type]"
        ]
    );
    let other = policy("some.Type", "1.0.0");
    assert!(other[0].contains("`some.Type` is not a supported policy type; supported are onap.policies.monitoring.*, onap.policies.Naming, "), "{other:?}");
}
