//! Match: which policies answer a request, by the types of their properties.

use pdp_onap::Application;
use pdp_onap::translate::translate_with;
use pdp_onap::types::Types;
use serde_json::{Value, json};

use crate::service::{History, decide};
use crate::support::yaml;

const TYPES: &str = "
policy_types:
  onap.policies.match.Offer:
    derived_from: onap.policies.Match
    version: 1.0.0
    properties:
      name: {type: string, metadata: {matchable: true}}
      size: {type: integer, metadata: {matchable: true}}
      share: {type: float, metadata: {matchable: true}}
      open: {type: boolean, metadata: {matchable: 'True'}}
      from: {type: timestamp, metadata: {matchable: true}}
      zones: {type: list, metadata: {matchable: true}, entry_schema: {type: integer}}
      labels: {type: map, metadata: {matchable: true}, entry_schema: {type: string}}
      parts: {type: list, metadata: {matchable: true}, entry_schema: {type: acme.Part}}
      note: {type: string}
  onap.policies.match.Other:
    derived_from: onap.policies.match.Offer
    version: 1.0.0
data_types:
  acme.Part:
    properties:
      code: {type: string, metadata: {matchable: true}}
      hidden: {type: string}
";

/// The names of the policies that answer; each policy by its type and properties.
fn answer(policies: &[(&str, &str)], resource: &Value) -> Vec<String> {
    let mut types = Types::standard().clone();
    assert!(types.add(&yaml(TYPES)).is_empty());
    let translated: Vec<(Application, _)> = policies
        .iter()
        .enumerate()
        .map(|(at, (name, properties))| {
            let text = format!("policies: [p{at}: {{type: onap.policies.match.{name}, type_version: 1.0.0, properties: {properties}}}]");
            let translated = translate_with(&yaml(&text).policies[0], &types)
                .unwrap_or_else(|problems| panic!("{text}: {problems:?}"));
            (translated.application, translated.policy)
        })
        .collect();
    let body = json!({"action": "match", "resource": resource}).to_string();
    let answer = decide(&translated, body.as_bytes(), &History::default());
    let answer: Value = serde_json::from_slice(&answer).expect("answers are JSON");
    let found = answer["policies"].as_object().expect("there are policies");
    assert_eq!(answer["status"] == "error", found.is_empty());
    found.keys().cloned().collect()
}

#[test]
fn values_are_compared_by_the_type_of_their_property() {
    for (properties, resource, found) in [
        ("{name: a}", json!({"name": "a"}), true),
        ("{name: 5}", json!({"name": 5}), true),
        ("{name: a}", json!({"name": "A"}), false),
        ("{name: a}", json!({"name": []}), false),
        ("{name: a}", json!({}), false),
        ("{name: a}", json!({"name": ["b", "a"]}), true),
        ("{size: 7}", json!({"size": 7}), true),
        ("{size: 7}", json!({"size": "007"}), true),
        ("{size: 7}", json!({"size": 7.5}), false),
        ("{share: 0.5}", json!({"share": "5e-1"}), true),
        ("{share: 1}", json!({"share": 1}), true),
        ("{share: 0.5}", json!({"share": [0.25, true]}), false),
        ("{open: true}", json!({"open": true}), true),
        ("{open: true}", json!({"open": "TRUE"}), true),
        ("{open: false}", json!({"open": true}), false),
        ("{from: '2025-06-01T08:00:00Z'}", json!({"from": "2025-06-01T10:00:00+02:00"}), true),
        ("{from: '2025-06-01T08:00:00Z'}", json!({"from": "2025-06-01"}), false),
        ("{from: '2025-06-01'}", json!({"from": "2025-06-01T00:00:00"}), true),
        ("{zones: [1, 2]}", json!({"zones": [2, 3]}), true),
        ("{zones: [1, 2]}", json!({"zones": 3}), false),
        // An empty list or map asks for nothing.
        ("{zones: [], labels: {}}", json!({}), true),
        ("{labels: {tier: gold, area: x}}", json!({"labels": {"tier": "gold"}}), true),
        ("{labels: {tier: gold}}", json!({"labels:tier": "gold"}), true),
        ("{labels: {tier: gold}}", json!({"labels": {"area": "gold"}}), false),
        // Within structures by the names of their fields.
        ("{parts: [{code: c1, hidden: h}, {code: c2}]}", json!({"code": ["c1", "c2"]}), true),
        ("{parts: [{code: c1}, {code: c2}]}", json!({"code": "c2"}), false),
        ("{parts: [{hidden: h}], note: n}", json!({"hidden": "x", "note": "y"}), true),
        // All that are there must match.
        ("{name: a, size: 7}", json!({"name": "a", "size": 7}), true),
        ("{name: a, size: 7}", json!({"name": "a", "size": 8}), false),
    ] {
        let answered = answer(&[("Offer", properties)], &resource);
        assert_eq!(answered.len() == 1, found, "{properties} {resource}");
    }
}

#[test]
fn of_each_type_the_most_specific_answer() {
    let policies = [
        ("Offer", "{}"),
        ("Offer", "{name: a}"),
        ("Offer", "{name: a, size: 7}"),
        ("Offer", "{zones: [1, 2]}"),
        ("Other", "{}"),
    ];
    let ask = |resource: Value| answer(&policies, &resource);
    assert_eq!(ask(json!({})), ["p0", "p4"]);
    assert_eq!(ask(json!({"name": "a"})), ["p1", "p4"]);
    // Two values weigh two, as two properties do.
    assert_eq!(ask(json!({"name": "a", "size": 7, "zones": 1})), ["p2", "p3", "p4"]);
    let other = "onap.policies.match.Other";
    assert_eq!(ask(json!({"name": "a", "policy-type": [other]})), ["p4"]);
    assert_eq!(ask(json!({"policy-type": "onap.policies.match.None"})), [""; 0]);
}
