//! Native policies: XACML documents in Base64, and the ToscaXacml dialect. Each policy is decided, not
//! only translated.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use pdp_engine::combine::Algorithm;
use pdp_engine::context::{Context, Instant, Limits, Scratch};
use pdp_engine::eval::{self, Outcome};
use pdp_engine::finder::RequestOnly;
use pdp_engine::format::xacml3_json;
use pdp_onap::{Application, translate};
use serde_json::{Value, json};

use crate::service::program;
use crate::support::{problems, yaml};

/// A document with one ToscaXacml policy set of one policy; `properties` indented by 10.
fn set(properties: &str) -> String {
    format!(
        "policies:
- set:
    type: onap.policies.native.ToscaXacml
    type_version: 1.0.0
    version: 1.0.0
    properties:
      policies:
      - metadata: {{policy-id: p, policy-version: 2.0.0}}
        properties:
          {properties}
"
    )
}

/// A policy set whose one rule permits under a condition.
fn under(condition: &str) -> String {
    set(&format!("rules: [{{condition: {condition}, decision: Permit}}]"))
}

/// The decision on resource attributes given as `{name: [data type, value...]}`.
fn decide(text: &str, resource: &Value) -> String {
    let template = yaml(text);
    assert_eq!(template.problems, []);
    let translated = translate::translate(&template.policies[0])
        .unwrap_or_else(|problems| panic!("{text}: {problems:?}"));
    let policies = vec![(Application::Native, translated.policy)];
    let program = program(&policies, Application::Native, Algorithm::CombinedPermitOverrides);
    let attributes: Vec<Value> = resource
        .as_object()
        .expect("attributes by name")
        .iter()
        .map(|(name, values)| {
            let (data_type, values) =
                values.as_array().and_then(|all| all.split_first()).expect("type and values");
            json!({"AttributeId": name, "DataType": data_type, "Value": values})
        })
        .collect();
    let action =
        json!({"AttributeId": "urn:oasis:names:tc:xacml:1.0:action:action-id", "Value": "go"});
    let request = json!({"Request": {"Resource": {"Attribute": attributes}, "Action": {"Attribute": [action]}}});
    let body = request.to_string();
    let mut scratch = Scratch::new();
    let limits = Limits::default();
    let mut context = Context::new(&program, &mut scratch, Instant::default(), &limits);
    xacml3_json::request::read(body.as_bytes(), &Default::default(), &mut context)
        .expect("it is a request");
    let Outcome::Done(answer) = eval::decide(&mut context, &RequestOnly) else {
        panic!("nothing is asked for");
    };
    format!("{:?}", answer.decision)
}

#[test]
fn a_document_in_base64_is_loaded_as_it_is() {
    let xacml = r#"<Policy xmlns="urn:oasis:names:tc:xacml:3.0:core:schema:wd-17" PolicyId="urn:doc" Version="3.1"
        RuleCombiningAlgId="urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:deny-overrides">
        <Target/><Rule RuleId="r" Effect="Permit"/></Policy>"#;
    let text = |policy: &str| {
        format!(
            "policies: [n: {{type: onap.policies.native.Xacml, type_version: 1.0.0, properties: {{policy: '{policy}'}}}}]"
        )
    };
    let template = yaml(&text(&STANDARD.encode(xacml)));
    let translated = translate::translate(&template.policies[0]).expect("it is a policy");
    assert_eq!(translated.policy.id, "urn:doc");
    assert_eq!(translated.policy.version.to_string(), "3.1");
    assert!(translated.embedded);
    assert_eq!(decide(&text(&STANDARD.encode(xacml)), &json!({})), "Permit");

    let broken = STANDARD.encode(xacml.replace("<Target/>", "<Targets/>"));
    let wrapped = format!("{}\\n{}", &broken[..8], &broken[8..]);
    for (policy, expected) in [
        ("%%%", "POLICY-500: error on Base64 decoding the native policy"),
        ("a-_b", "POLICY-500: error on Base64 decoding the native policy"),
        (&*wrapped, "POLICY-500: error on Base64 decoding the native policy"),
        (" ", "is blank"),
        ("bm8gWE1M", "POLICY-500: Failed to read policy"),
        (&*broken, "the decoded document, 3:9:"),
    ] {
        let found = problems(&text(policy));
        assert!(found.len() == 1 && found[0].contains(expected), "{policy}: {found:?}");
    }
    let missing = "policies: [n: {type: onap.policies.native.Xacml, type_version: 1.0.0}]";
    assert!(problems(missing)[0].contains("Cannot decode NativeDefinition from null properties"));
}

#[test]
fn conditions_are_calls_and_formulas() {
    let numbers = json!({"a": ["double", "6"], "b": ["double", "4"], "n": ["integer", "7"], "s": ["string", "x"],
        "many": ["string", "x", "y"], "host": ["dnsName", "h.example"], "day": ["date", "2024-02-29"]});
    for (condition, expected) in [
        // Calls: attributes by name, values in quotes, numbers as they are.
        ("{apply: {operator: string-equal, keys: [s, \"'x'\"]}}", "Permit"),
        ("{apply: {operator: string-equal, keys: [s], compareWith: {value: y}}}", "NotApplicable"),
        ("{apply: {operator: double-less-than, keys: [b], compareWith: {key: a}}}", "Permit"),
        (
            "{apply: {operator: integer-equal, keys: [n], compareWith: {apply: {operator: integer-add, keys: [3, 4]}}}}",
            "Permit",
        ),
        // Types are those of the function, place by place.
        (
            "{apply: {operator: string-equal, keys: [{apply: {operator: string-substring, keys: [\"'axb'\", 1, 2]}}, s]}}",
            "Permit",
        ),
        ("{apply: {operator: n-of, keys: [1, {expr: a > 5}, {expr: a > 9}]}}", "Permit"),
        (
            "{apply: {operator: date-equal, keys: [day, {apply: {operator: date-add-yearMonthDuration, keys: [\"'2023-02-28'\", \"'P1Y'\"]}}]}}",
            "NotApplicable",
        ),
        (
            "{apply: {operator: string-equal, keys: [\"'PT1S'\", {apply: {operator: string-from-daytimeDuration, keys: [\"'PT1S'\"]}}]}}",
            "Permit",
        ),
        // Bags: lists, and attributes where a bag is taken.
        ("{apply: {operator: string-is-in, keys: [\"'y'\", many]}}", "Permit"),
        (
            "{apply: {operator: integer-equal, keys: [2, {apply: {operator: string-bag-size, keys: [many]}}]}}",
            "Permit",
        ),
        (
            "{apply: {operator: string-subset, keys: [many, {list: [\"'y'\", \"'x'\", \"'z'\"]}]}}",
            "Permit",
        ),
        (
            "{apply: {operator: dnsName-is-in, keys: [host, {list: [\"'h.example'\", \"'g.example'\"]}]}}",
            "Permit",
        ),
        (
            "{apply: {operator: dnsName-set-equals, keys: [host, {apply: {operator: dnsName-union, keys: [host, {list: [\"'h.example'\"]}]}}]}}",
            "Permit",
        ),
        (
            "{apply: {operator: ipAddress-at-least-one-member-of, keys: [{list: [\"'10.0.0.1'\"]}, {list: [\"'10.0.0.2'\"]}]}}",
            "NotApplicable",
        ),
        // Functions of functions.
        ("{apply: {operator: any-of, keys: [{function: string-equal}, \"'y'\", many]}}", "Permit"),
        (
            "{apply: {operator: all-of, keys: [{function: integer-greater-than}, 10, {list: [6, n]}]}}",
            "Permit",
        ),
        (
            "{apply: {operator: any-of-any, keys: [{function: string-equal}, many, {list: [\"'y'\"]}]}}",
            "Permit",
        ),
        (
            "{apply: {operator: string-is-in, keys: [\"'X!'\", {apply: {operator: map, keys: [{function: string-concatenate}, {list: [\"'X'\"]}, \"'!'\"]}}]}}",
            "Permit",
        ),
        // Whether the request has an attribute.
        ("{apply: {operator: present, keys: [s]}}", "Permit"),
        (
            "{apply: {operator: not, keys: [{apply: {operator: present, keys: [nothing]}}]}}",
            "Permit",
        ),
        // Formulas: doubles, from left to right, strong before weak.
        ("{expr: a - b - 1 == 1}", "Permit"),
        ("{expr: 2 + a * b / 3 == 10}", "Permit"),
        ("{expr: (2 + a) * b >= 32.0}", "Permit"),
        ("{expr: double(n) / 2 == 3.5}", "Permit"),
        ("{expr: integer(a / b) == 1}", "Permit"),
        ("{expr: integer(a) <(b + 2.5)}", "Permit"),
        ("{expr: a < 6}", "NotApplicable"),
        // An attribute that is not there, and one of two values, have no one value.
        ("{expr: missing < 6}", "Indeterminate"),
        ("{apply: {operator: string-equal, keys: [many, \"'x'\"]}}", "Indeterminate"),
        ("{expr: a / 0 > 1}", "Indeterminate"),
    ] {
        assert_eq!(decide(&under(condition), &numbers), expected, "{condition}");
    }
}

#[test]
fn a_condition_without_a_boolean_is_always_indeterminate_and_its_author_told() {
    for condition in [
        "{expr: a + b}",
        "{expr: a < b < c}",
        "{apply: {operator: integer-equal, keys: [\"'x'\", 1]}}",
    ] {
        let text = under(condition);
        assert_eq!(decide(&text, &json!({"a": ["double", "1"]})), "Indeterminate", "{condition}");
        let found = problems(&text);
        assert!(
            found.iter().all(|it| it.contains("warning: policy `set`: properties.policies[0].properties.rules[0].condition: the rule is always Indeterminate")),
            "{found:?}"
        );
    }
}

#[test]
fn policies_have_targets_algorithms_defaults_and_advice() {
    let x = json!({"k": ["string", "x"]});
    let rules = "{decision: Permit, target: {anyOne: [{allOf: [{key: k, operator: string-equal, value: x}]}]}}";
    let no_rule = "{decision: Permit, target: {anyOne: [{allOf: [{key: k, operator: string-equal, value: y}]}]}}";
    for (properties, expected) in [
        (format!("rules: [{rules}]"), "Permit"),
        (format!("rules: [{no_rule}]"), "NotApplicable"),
        (format!("{{rules: [{no_rule}], default: deny}}"), "Deny"),
        (format!("{{rules: [{no_rule}], default: Allow}}"), "Permit"),
        // ONAP's names: the overrides never yield NotApplicable.
        (format!("{{rules: [{no_rule}], combiningAlgo: deny-overrides}}"), "Deny"),
        (format!("{{rules: [{no_rule}], combiningAlgo: permit-overrides}}"), "Permit"),
        (format!("{{rules: [{rules}, {no_rule}], combiningAlgo: only-one-applicable}}"), "Permit"),
        (format!("{{rules: [{rules}, {rules}], combiningAlgo: only-one-applicable}}"), "Indeterminate"),
        // All matches must hold, in whatever list they stand.
        ("{rules: [{decision: DENY}], target: {anyOne: [{allOf: [{key: k, operator: string-equal, value: x}]}, {allOf: [{key: action-id, operator: string-equal, value: go}]}]}}".into(), "Deny"),
        ("{rules: [{decision: DENY}], target: {anyOne: [{allOf: [{key: k, operator: string-equal, value: x}]}, {allOf: [{key: action-id, operator: string-equal, value: stop}]}]}}".into(), "NotApplicable"),
        ("{rules: [{decision: Permit, advice: {value: mind}}], target: {anyOne: []}}".into(), "Permit"),
    ] {
        assert_eq!(decide(&set(&properties), &x), expected, "{properties}");
    }
    let of_action = |action: &str| {
        set("rules: [{decision: Permit}]").replace(
            "    version: 1.0.0",
            &format!("    version: 1.0.0\n    metadata: {{action: {action}}}"),
        )
    };
    assert_eq!(decide(&of_action("go"), &x), "Permit");
    assert_eq!(decide(&of_action("stop"), &x), "NotApplicable");
}

#[test]
fn what_is_no_policy_set_is_refused_at_its_place() {
    for (text, place, message) in [
        (set("rulez: []"), "properties.policies[0].properties.rules", "did you mean `rulez`?"),
        (set("rules: [{condition: {expr: a > 1}}]"), "rules[0].decision", "is missing"),
        (
            under("{}"),
            "condition.expr",
            "is missing: expected a formula, or `apply` with a function call",
        ),
        (
            under("{expr: a >}"),
            "condition.expr",
            "`a >`: expected a number, an attribute or `(`, found the end",
        ),
        (under("{expr: 'a ! b'}"), "condition.expr", "there is no operator `!` in formulas"),
        (under("{expr: (a > 1}"), "condition.expr", "expected `)`, found the end"),
        (under("{expr: double a}"), "condition.expr", "expected `(` after `double`, found `a`"),
        (under("{expr: 1.2.3 > a}"), "condition.expr", "`1.2.3` is not a number"),
        (
            under("{expr: -a > 1}"),
            "condition.expr",
            "expected a number, an attribute or `(`, found `-`",
        ),
        (
            under("{apply: {operator: string-equals, keys: [a]}}"),
            "apply.operator",
            "there is no operator `string-equals`, did you mean `string-equal`?",
        ),
        (under("{apply: {keys: [a]}}"), "apply.operator", "is missing"),
        (under("{apply: {operator: not}}"), "apply.keys", "is missing"),
        (
            under("{apply: {operator: not, keys: a}}"),
            "apply.keys",
            "expected a list of arguments, found the text `a`",
        ),
        (
            under("{apply: {operator: not, keys: [{applies: {}}]}}"),
            "keys[0]",
            "expected a text, a number, or a map with one of list, function, apply, expr",
        ),
        (
            under("{apply: {operator: any-of, keys: [{function: f}]}}"),
            "keys[0].function",
            "there is no operator `f`",
        ),
        (
            under("{apply: {operator: not, keys: [], compareWith: 5}}"),
            "compareWith",
            "expected a map, found the integer `5`",
        ),
        (
            set("{rules: [], combiningAlgo: deny-unless-permit}"),
            "combiningAlgo",
            "expected one of first-applicable, deny-overrides, permit-overrides, only-one-applicable",
        ),
        (set("{rules: [], target: {anyOf: []}}"), "target.anyOne", "did you mean `anyOf`?"),
        (
            set(
                "{rules: [], target: {anyOne: [{allOf: [{key: action, operator: string-equal, value: x}]}]}}",
            ),
            "allOf[0].key",
            "expected action-id",
        ),
        (
            set("rules: []").replace(
                "policies:\n      -",
                "policySetIdRefs: [{id: other}]\n      policies:\n      -",
            ),
            "policySetIdRefs[0].version",
            "is missing",
        ),
    ] {
        let found = problems(&text);
        assert!(
            found.iter().any(|it| it.contains(place)
                && it.contains(message)
                && it.contains("POLICY-500: Invalid PolicySet structure")),
            "{text}: {found:#?}"
        );
    }
}
