//! What each supported type becomes.

use pdp_onap::Application;
use pdp_onap::translate;

use crate::support::{guard, print, translated, yaml};

#[test]
fn monitoring_hands_out_its_content_by_name_or_type() {
    let text = "policies: [m: {type: onap.policies.monitoring.x, type_version: 1.0.0, version: 1.0.0, properties: {a: 1}}]";
    let template = yaml(text);
    let result = translate::translate(&template.policies[0]).expect("it is complete");
    assert_eq!(result.application, Application::Monitoring);
    assert!(!result.repeatable);
    assert_eq!(
        print(&result.policy),
        r#"policy m 1.0.0 first-applicable
on string-equal(m, resource-id)
on string-equal(onap.policies.monitoring.x, policy-type)
on string-equal(onap.policies.monitoring.x, policy-type) & string-equal(1.0.0, policy-type-version)
Permit m:rule
  body policyid = m
  body policycontent = {"type":"onap.policies.monitoring.x","type_version":"1.0.0","properties":{"a":1},"name":"m","version":"1.0.0","metadata":{"policy-id":"m","policy-version":"1.0.0"}}
  body policytype = onap.policies.monitoring.x
"#
    );
}

#[test]
fn naming_is_as_monitoring() {
    let text = "policies: [n: {type: onap.policies.Naming, type_version: 1.0.0}]";
    let result = translate::translate(&yaml(text).policies[0]).expect("it is complete");
    assert_eq!(result.application, Application::Naming);
    assert!(
        print(&result.policy)
            .starts_with("policy n 0.0.0 first-applicable\non string-equal(n, resource-id)\n")
    );
}

#[test]
fn frequency_limiter_permits_below_the_limit_and_denies_otherwise() {
    let text = guard(
        "FrequencyLimiter",
        "{actor: SO, operation: Scale, target: vnf-1, id: loop-1, limit: 3, timeWindow: 10, timeUnits: Minute}",
    );
    assert_eq!(
        translated(&text),
        "policy guard.test 1.2.3 first-applicable
on string-equal(SO, actor-id) & string-equal(Scale, operation-id) & string-equal(vnf-1, target-id) & string-equal(loop-1, clname-id)
Permit guard.test:frequency
  if any-of(integer-greater-than, 3, operation-count@count-recent-operations:tw:10:minute)
Deny guard.test:otherwise
"
    );
}

#[test]
fn any_value_adds_no_match() {
    let text = guard(
        "FrequencyLimiter",
        "{actor: .*, operation: '.*', id: '*', limit: 0, timeWindow: '1', timeUnits: YEAR}",
    );
    assert_eq!(
        translated(&text),
        "policy guard.test 1.2.3 first-applicable
on string-equal(*, clname-id)
Permit guard.test:frequency
  if any-of(integer-greater-than, 0, operation-count@count-recent-operations:tw:1:year)
Deny guard.test:otherwise
"
    );
    let text = guard("FrequencyLimiter", "{actor: .*, limit: 1, timeWindow: 1, timeUnits: day}");
    assert!(translated(&text).starts_with("policy guard.test 1.2.3 first-applicable\nPermit"));
}

#[test]
fn min_max_compares_with_each_bound() {
    let text = guard("MinMax", "{actor: SO, operation: Scale, target: vnf-1, min: 1, max: 5}");
    assert_eq!(
        translated(&text),
        "policy guard.test 1.2.3 deny-unless-permit
on string-equal(SO, actor-id) & string-equal(Scale, operation-id) & string-equal(vnf-1, target-id)
Permit guard.test:minrule
  on string-equal(vnf-1, target-id) & integer-greater-than(1, vf-count)
Permit guard.test:maxrule
  on string-equal(vnf-1, target-id) & integer-greater-than(5, vf-count)
"
    );
    let text = guard("MinMax", "{target: .*, max: 5.0}");
    assert_eq!(
        translated(&text),
        "policy guard.test 1.2.3 deny-unless-permit
Permit guard.test:maxrule
  on integer-greater-than(5, vf-count)
"
    );
}

#[test]
fn blacklist_denies_each_entry() {
    let text = guard("Blacklist", "{actor: SO, target: ignored, blacklist: [vnf-1, 2, [a, b]]}");
    assert_eq!(
        translated(&text),
        "policy guard.test 1.2.3 permit-unless-deny
on string-equal(SO, actor-id)
Deny guard.test:blacklist
  on string-equal(vnf-1, target-id)
  on string-equal(2, target-id)
  on string-equal(a, target-id) & string-equal(b, target-id)
"
    );
    let text = guard("Blacklist", "{actor: SO, blacklist: []}");
    assert_eq!(
        translated(&text),
        "policy guard.test 1.2.3 permit-unless-deny\non string-equal(SO, actor-id)\n"
    );
}

#[test]
fn filters_become_rules_in_order() {
    let text = guard(
        "Filter",
        "
        operation: Scale
        algorithm: whitelist-overrides
        filters:
        - {field: Generic-VNF.vnf-name, filter: fw, function: String-Starts-With, blacklist: true}
        - {field: cloud-region.cloud-region-id, filter: R1, function: string-equal, blacklist: 'false'}",
    );
    assert_eq!(
        translated(&text),
        "policy guard.test 1.2.3 permit-overrides
on string-equal(Scale, operation-id)
Deny guard.test:rule1
  on string-starts-with(fw, generic-vnf.vnf-name)
Permit guard.test:rule2
  on string-equal(R1, cloud-region.cloud-region-id)
"
    );
    // A pattern stands for the whole text, as in ONAP.
    let text = guard(
        "Filter",
        "{algorithm: blacklist-overrides, filters: [{field: vserver.vserver-id, filter: a|b, function: string-regexp-match, blacklist: true}]}",
    );
    assert!(translated(&text).contains("string-regexp-match(^(?:a|b)$, vserver.vserver-id)"));
    let text = guard("Filter", "{algorithm: blacklist-overrides, filters: []}");
    assert_eq!(translated(&text), "policy guard.test 1.2.3 deny-overrides\n");
}

#[test]
fn coordination_names_both_loops() {
    let text = guard("FirstBlocksSecond", "{controlLoop: [one, two]}");
    assert_eq!(
        translated(&text),
        "policy guard.test:one:blocks:two 1.2.3 first-applicable
on string-equal(two, clname-id)
Deny guard.test:one:blocks:two:rule:1
  if any-of(string-equal-ignore-case, In_Progress, operation-outcome@get-operation-outcome:clname:one)
Permit guard.test:one:blocks:two:otherwise
"
    );
    let template = yaml(&text);
    assert!(translate::translate(&template.policies[0]).expect("it is complete").repeatable);
}

#[test]
fn a_time_range_goes_with_every_rule() {
    let range = "timeRange: {start_time: '08:00+05:00', end_time: 23:59:59.5Z}";
    let in_range = "timeInRange = time-in-recurring-range(time-one-and-only(current-time), 08:00:00+05:00, 23:59:59.5Z)\n";
    for (kind, rest, rules) in [
        (
            "FrequencyLimiter",
            "limit: 1, timeWindow: 1, timeUnits: hour",
            "Permit guard.test:frequency\n  if and($timeInRange, any-of(integer-greater-than, 1, operation-count@count-recent-operations:tw:1:hour))\nDeny guard.test:otherwise\n",
        ),
        (
            "MinMax",
            "target: .*, min: 1, max: 2",
            "Permit guard.test:minrule\n  on integer-greater-than(1, vf-count)\n  if $timeInRange\nPermit guard.test:maxrule\n  on integer-greater-than(2, vf-count)\n  if $timeInRange\n",
        ),
        (
            "Blacklist",
            "blacklist: [x]",
            "Deny guard.test:blacklist\n  on string-equal(x, target-id)\n  if $timeInRange\n",
        ),
        (
            "Filter",
            "algorithm: blacklist-overrides, filters: [{field: vserver.vserver-id, filter: x, function: string-equal, blacklist: yes}]",
            "Deny guard.test:rule1\n  on string-equal(x, vserver.vserver-id)\n  if $timeInRange\n",
        ),
    ] {
        let text = translated(&guard(kind, &format!("{{{range}, {rest}}}")));
        let (_, body) = text.split_once('\n').expect("there is a first line");
        assert_eq!(body, format!("{in_range}{rules}"), "{kind}");
    }
}

#[test]
fn a_range_of_dates_and_times_holds_once() {
    let range =
        "timeRange: {start_time: '2025-06-01T08:00Z', end_time: '2025-06-01T10:00:00+01:00'}";
    let text = translated(&guard("Blacklist", &format!("{{{range}, blacklist: [x]}}")));
    let variable =
        text.lines().find(|line| line.starts_with("timeInRange")).expect("it is defined");
    assert_eq!(
        variable,
        "timeInRange = and(dateTime-greater-than-or-equal(dateTime-one-and-only(current-dateTime), 2025-06-01T08:00:00Z), dateTime-less-than-or-equal(dateTime-one-and-only(current-dateTime), 2025-06-01T10:00:00+01:00))"
    );
}
