//! What guard policies decide, from the request's body to the answer's.

use pdp_engine::model::Policy;
use pdp_onap::history::Progress;
use pdp_onap::{Application, translate};

use crate::service::{History, decide};
use crate::support::{guard, yaml};

const PERMIT: &str = r#"{"status":"Permit"}"#;
const DENY: &str = r#"{"status":"Deny"}"#;
const DOWN: &str = "the operations history is not available: connection refused";

fn policies(texts: &[String]) -> Vec<(Application, Policy)> {
    let mut found = Vec::new();
    for (at, text) in texts.iter().enumerate() {
        // One name per policy of a test.
        let template = yaml(&text.replace("guard.test", &format!("guard.test.{at}")));
        let translated = translate::translate(&template.policies[0]).expect("it is complete");
        found.push((translated.application, translated.policy));
    }
    found
}

/// What the policies answer to a request with these guard fields and, before them, others.
fn ask(policies: &[(Application, Policy)], history: History, fields: &str, others: &str) -> String {
    let body = format!(r#"{{{others}"action": "guard", "resource": {{"guard": {{{fields}}}}}}}"#);
    String::from_utf8(decide(policies, body.as_bytes(), &history)).expect("answers are UTF-8")
}

const ALL: &str = r#""actor": "SO", "operation": "Scale", "target": "vnf-1", "clname": "loop""#;

fn limiter(limit: u64, more: &str) -> String {
    let properties =
        format!("{{actor: SO, limit: {limit}, timeWindow: 10, timeUnits: minute{more}}}");
    guard("FrequencyLimiter", &properties)
}

#[test]
fn a_limiter_counts() {
    let policies = policies(&[limiter(2, "")]);
    for (count, expected) in [(0, PERMIT), (1, PERMIT), (2, DENY), (3, DENY)] {
        assert_eq!(
            ask(&policies, History { count, ..History::default() }, ALL, ""),
            expected,
            "{count}"
        );
    }
    let never = self::policies(&[limiter(0, "")]);
    assert_eq!(ask(&never, History::default(), ALL, ""), DENY);
}

#[test]
fn a_limiter_denies_who_does_not_say_what_to_count() {
    let policies = policies(&[limiter(2, "")]);
    for fields in [r#""actor": "SO", "operation": "Scale""#, r#""actor": "SO", "target": "vnf-1""#]
    {
        assert_eq!(ask(&policies, History::default(), fields, ""), DENY, "{fields}");
        let down = History { down: true, ..History::default() };
        assert_eq!(ask(&policies, down, fields, ""), DENY, "{fields}");
    }
    assert_eq!(ask(&policies, History::default(), r#""actor": "APPC""#, ""), PERMIT);
}

#[test]
fn a_history_that_is_down_is_no_decision() {
    let policies = policies(&[limiter(2, "")]);
    let down = History { down: true, ..History::default() };
    let answer = ask(&policies, down, ALL, "");
    assert!(answer.starts_with(r#"{"status":"Permit","message":""#), "{answer}");
    assert!(answer.contains(DOWN), "{answer}");
    let coordination =
        self::policies(&[guard("FirstBlocksSecond", "{controlLoop: [first, loop]}")]);
    let answer = ask(&coordination, down, ALL, "");
    assert!(answer.contains(DOWN), "{answer}");
}

#[test]
fn a_deny_is_one_whatever_else_is_down() {
    let blacklist = guard("Blacklist", "{blacklist: [vnf-1]}");
    let down = History { down: true, ..History::default() };
    for texts in [[limiter(2, ""), blacklist.clone()], [blacklist, limiter(2, "")]] {
        assert_eq!(ask(&policies(&texts), down, ALL, ""), DENY);
    }
}

#[test]
fn min_max_compares() {
    for (bounds, permits) in
        [("min: 1, max: 2", [true, true, false]), ("min: 1", [true, false, false])]
    {
        let policies = policies(&[guard("MinMax", &format!("{{target: vnf-1, {bounds}}}"))]);
        for (count, permits) in permits.into_iter().enumerate() {
            let fields = format!(r#"{ALL}, "vfCount": {count}"#);
            let expected = if permits { PERMIT } else { DENY };
            assert_eq!(
                ask(&policies, History::default(), &fields, ""),
                expected,
                "{bounds} {count}"
            );
        }
        assert_eq!(ask(&policies, History::default(), ALL, ""), DENY, "no count");
    }
}

#[test]
fn time_ranges_wrap_over_midnight_and_include_their_ends() {
    let range = ", timeRange: {start_time: '22:00:00Z', end_time: '05:00:00Z'}";
    let limiter = policies(&[limiter(2, range)]);
    let blacklist = policies(&[guard("Blacklist", &format!("{{blacklist: [vnf-1]{range}}}"))]);
    for (time, inside) in [
        ("22:00:00Z", true),
        ("05:00:00Z", true),
        ("00:00:00Z", true),
        ("23:30:00+02:00", false),
        ("05:00:01Z", false),
        ("21:59:59Z", false),
        ("12:00:00Z", false),
    ] {
        let others = format!(r#""currentTime": "{time}", "#);
        let (counted, listed) = if inside { (PERMIT, DENY) } else { (DENY, PERMIT) };
        assert_eq!(ask(&limiter, History::default(), ALL, &others), counted, "limiter {time}");
        assert_eq!(ask(&blacklist, History::default(), ALL, &others), listed, "blacklist {time}");
    }
    // Without a time in the request the clock counts, which stands at midnight.
    assert_eq!(ask(&limiter, History::default(), ALL, ""), PERMIT);
}

#[test]
fn a_range_of_dates_is_over_one_day() {
    let range = "timeRange: {start_time: '2025-06-01T08:00:00Z', end_time: '2025-06-01T10:00:00Z'}";
    let policies = policies(&[guard("Blacklist", &format!("{{blacklist: [vnf-1], {range}}}"))]);
    for (time, expected) in [
        ("2025-06-01T08:00:00Z", DENY),
        ("2025-06-01T12:00:00+02:00", DENY),
        ("2025-06-01T10:00:01Z", PERMIT),
        ("2025-06-02T09:00:00Z", PERMIT),
    ] {
        let others = format!(r#""currentDateTime": "{time}", "#);
        assert_eq!(ask(&policies, History::default(), ALL, &others), expected, "{time}");
    }
}

#[test]
fn filters_allow_and_block() {
    let filters = "filters: [
          {field: cloud-region.cloud-region-id, filter: R1, function: string-equal, blacklist: true},
          {field: generic-vnf.vnf-id, filter: v, function: string-starts-with, blacklist: false}]";
    let white =
        policies(&[guard("Filter", &format!("{{algorithm: whitelist-overrides, {filters}}}"))]);
    let black =
        policies(&[guard("Filter", &format!("{{algorithm: blacklist-overrides, {filters}}}"))]);
    for (region, vnf, of_white, of_black) in [
        ("R1", "vnf-1", PERMIT, DENY),
        ("R1", "x", DENY, DENY),
        ("R2", "vnf-1", PERMIT, PERMIT),
        ("R2", "x", PERMIT, PERMIT),
    ] {
        let fields =
            format!(r#""cloud-region.cloud-region-id": "{region}", "generic-vnf.vnf-id": "{vnf}""#);
        assert_eq!(ask(&white, History::default(), &fields, ""), of_white, "{region} {vnf}");
        assert_eq!(ask(&black, History::default(), &fields, ""), of_black, "{region} {vnf}");
    }
}

#[test]
fn the_first_loop_blocks_the_second_while_it_runs() {
    let policies = policies(&[guard("FirstBlocksSecond", "{controlLoop: [first, loop]}")]);
    for (last, expected) in
        [(None, PERMIT), (Some(Progress::Complete), PERMIT), (Some(Progress::InProgress), DENY)]
    {
        assert_eq!(ask(&policies, History { last, ..History::default() }, ALL, ""), expected);
    }
    let running = History { last: Some(Progress::InProgress), ..History::default() };
    assert_eq!(ask(&policies, running, r#""clname": "first""#, ""), PERMIT);
}

#[test]
fn a_policy_without_matches_is_about_everything() {
    let policies =
        policies(&[guard("Blacklist", "{actor: .*, operation: .*, blacklist: [vnf-1]}")]);
    assert_eq!(ask(&policies, History::default(), ALL, ""), DENY);
    assert_eq!(ask(&policies, History::default(), r#""target": "vnf-1""#, ""), DENY);
    assert_eq!(ask(&policies, History::default(), r#""target": "vnf-2""#, ""), PERMIT);
}
