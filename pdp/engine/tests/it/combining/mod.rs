//! What rules, policies and policy sets come to: the tables of XACML 3.0 sections 7.11 to 7.14 and
//! appendix C, seen from outside. The extended Indeterminate is seen by what it does to a sibling.

mod by_the_standard;

use by_the_standard::by_the_standard;

use crate::xacml::{decide, one, request_of};

const DENY_OVERRIDES: &str = "ra:deny-overrides";

/// The request: `here` is there, all else is missing.
fn request() -> String {
    request_of(&one("c:subject", "here", "xs:string", "yes"))
}

/// A target that matches, does not match, or cannot be told.
fn target(kind: &str) -> String {
    let (value, id) = match kind {
        "match" => ("yes", "here"),
        "no match" => ("no", "here"),
        "error" => ("yes", "missing"),
        _ => return "<Target/>".to_owned(),
    };
    format!(
        "<Target><AnyOf><AllOf><Match MatchId=\"f1:string-equal\">\
         <AttributeValue DataType=\"xs:string\">{value}</AttributeValue><AttributeDesignator \
         Category=\"c:subject\" AttributeId=\"{id}\" DataType=\"xs:string\" MustBePresent=\"true\"/>\
         </Match></AllOf></AnyOf></Target>"
    )
}

/// A condition that is true, false, or errs.
fn condition(kind: &str) -> String {
    let expression = match kind {
        "true" | "false" => {
            format!("<AttributeValue DataType=\"xs:boolean\">{kind}</AttributeValue>")
        }
        "error" => "<Apply FunctionId=\"f1:boolean-one-and-only\"><AttributeDesignator \
                    Category=\"c:subject\" AttributeId=\"missing\" DataType=\"xs:boolean\" \
                    MustBePresent=\"false\"/></Apply>"
            .to_owned(),
        _ => return String::new(),
    };
    format!("<Condition>{expression}</Condition>")
}

fn rule(id: &str, effect: &str, of_target: &str, of_condition: &str) -> String {
    let told = format!(
        "<ObligationExpressions><ObligationExpression ObligationId=\"{id}\" FulfillOn=\"{effect}\"/>\
         </ObligationExpressions>"
    );
    let (target, condition) = (target(of_target), condition(of_condition));
    format!("<Rule RuleId=\"{id}\" Effect=\"{effect}\">{target}{condition}{told}</Rule>")
}

fn policy(id: &str, algorithm: &str, of_target: &str, rules: &str) -> String {
    let target = target(of_target);
    format!(
        "<Policy PolicyId=\"{id}\" Version=\"1.0\" RuleCombiningAlgId=\"{algorithm}\">\
         {target}{rules}</Policy>"
    )
}

fn set(id: &str, algorithm: &str, of_target: &str, policies: &str) -> String {
    let target = target(of_target);
    format!(
        "<PolicySet PolicySetId=\"{id}\" Version=\"1.0\" PolicyCombiningAlgId=\"{algorithm}\">\
         {target}{policies}</PolicySet>"
    )
}

/// A rule with this value.
fn rule_of(id: &str, value: &str) -> String {
    match value {
        "P" => rule(id, "Permit", "", ""),
        "D" => rule(id, "Deny", "", ""),
        "IP" => rule(id, "Permit", "", "error"),
        "ID" => rule(id, "Deny", "", "error"),
        _ => rule(id, "Permit", "no match", ""),
    }
}

/// A policy with this value; T is one whose target errs, whose value is IP, TD the same of ID.
fn policy_of(id: &str, value: &str) -> String {
    match value {
        "NA" => policy(id, DENY_OVERRIDES, "no match", &rule_of(id, "P")),
        "T" => policy(id, DENY_OVERRIDES, "error", &rule_of(id, "P")),
        "TD" => policy(id, DENY_OVERRIDES, "error", &rule_of(id, "D")),
        "IDP" => {
            let rules = format!("{}{}", rule_of("d", "ID"), rule_of("p", "IP"));
            policy(id, DENY_OVERRIDES, "", &rules)
        }
        _ => policy(id, DENY_OVERRIDES, "", &rule_of(id, value)),
    }
}

/// The value of a policy: beside a Permit that yields to a Deny, and beside a Deny that yields to a
/// Permit.
fn value(policy: &str) -> &'static str {
    let beside = |algorithm: &str, other: &str| {
        let other = policy_of("other", other);
        let set = set("probe", algorithm, "", &format!("{policy}{other}"));
        decide(&[set], &request()).decision
    };
    match (beside("pa:deny-overrides", "P"), beside("pa:permit-overrides", "D")) {
        ("Permit", "Deny") => "NA",
        ("Permit", "Permit") => "P",
        ("Deny", "Deny") => "D",
        ("Permit", "Indeterminate") => "IP",
        ("Indeterminate", "Deny") => "ID",
        ("Indeterminate", "Indeterminate") => "IDP",
        other => panic!("{other:?} for {policy}"),
    }
}

#[test]
fn a_rule_is_what_its_target_and_condition_make_it() {
    for (of_target, of_condition, permit, deny) in [
        ("", "", "P", "D"),
        ("match", "true", "P", "D"),
        ("match", "false", "NA", "NA"),
        ("match", "error", "IP", "ID"),
        ("", "error", "IP", "ID"),
        ("no match", "error", "NA", "NA"),
        ("error", "true", "IP", "ID"),
        ("error", "false", "IP", "ID"),
        ("error", "", "IP", "ID"),
    ] {
        for (effect, expected) in [("Permit", permit), ("Deny", deny)] {
            let rules = rule("r", effect, of_target, of_condition);
            let found = value(&policy("p", DENY_OVERRIDES, "", &rules));
            assert_eq!(found, expected, "{effect}, target {of_target}, condition {of_condition}");
        }
    }
}

#[test]
fn a_policy_is_what_its_target_makes_of_its_children() {
    for (combined, matches, errs) in [
        ("P", "P", "IP"),
        ("D", "D", "ID"),
        ("NA", "NA", "NA"),
        ("IP", "IP", "IP"),
        ("ID", "ID", "ID"),
        ("IDP", "IDP", "IDP"),
    ] {
        for (of_target, expected) in [("match", matches), ("no match", "NA"), ("error", errs)] {
            let inner = policy_of("inner", combined);
            let found = value(&set("s", "pa1:first-applicable", of_target, &inner));
            assert_eq!(found, expected, "target {of_target} over {combined}");
        }
    }
}

/// Every list of up to two values, and some of three.
fn lists(values: &[&'static str]) -> Vec<Vec<&'static str>> {
    let mut lists = vec![vec![]];
    for a in values {
        lists.push(vec![*a]);
        for b in values {
            lists.push(vec![*a, *b]);
            lists.push(vec![*a, *b, *a]);
        }
    }
    lists
}

fn check(
    algorithm: &str,
    combined: impl Fn(&str, &[&'static str]) -> String,
    values: &[&'static str],
) {
    let (version, name) = algorithm.split_once(' ').unwrap();
    let kind = if algorithm.ends_with(" policies") { "policy" } else { "rule" };
    let name = name.strip_suffix(" policies").unwrap_or(name);
    let id = format!("urn:oasis:names:tc:xacml:{version}:{kind}-combining-algorithm:{name}");
    for children in lists(values) {
        let (expected, obligations) = by_the_standard(algorithm, &children);
        let text = combined(&id, &children);
        assert_eq!(value(&text), expected, "{algorithm} over {children:?}");
        let decided = decide(&[text], &request());
        let told: Vec<String> = obligations.iter().map(|at| format!("c{at}()")).collect();
        assert_eq!(decided.notices, told, "obligations of {algorithm} over {children:?}");
    }
}

#[test]
fn every_algorithm_of_rules_follows_its_table() {
    for algorithm in [
        "3.0 deny-overrides",
        "3.0 permit-overrides",
        "3.0 ordered-deny-overrides",
        "3.0 ordered-permit-overrides",
        "3.0 deny-unless-permit",
        "3.0 permit-unless-deny",
        "1.0 first-applicable",
        "1.0 deny-overrides",
        "1.0 permit-overrides",
        "1.1 ordered-deny-overrides",
        "1.1 ordered-permit-overrides",
    ] {
        let combined = |id: &str, children: &[&str]| {
            let rules: Vec<String> = children
                .iter()
                .enumerate()
                .map(|(at, value)| rule_of(&format!("c{at}"), value))
                .collect();
            policy("p", id, "", &rules.concat())
        };
        check(algorithm, combined, &["P", "D", "NA", "IP", "ID"]);
    }
}

#[test]
fn every_algorithm_of_policies_follows_its_table() {
    for algorithm in [
        "3.0 deny-overrides policies",
        "3.0 permit-overrides policies",
        "3.0 ordered-deny-overrides policies",
        "3.0 ordered-permit-overrides policies",
        "3.0 deny-unless-permit policies",
        "3.0 permit-unless-deny policies",
        "1.0 first-applicable policies",
        "1.0 only-one-applicable policies",
        "1.0 deny-overrides policies",
        "1.0 permit-overrides policies",
        "1.1 ordered-deny-overrides policies",
        "1.1 ordered-permit-overrides policies",
    ] {
        let combined = |id: &str, children: &[&str]| {
            let policies: Vec<String> = children
                .iter()
                .enumerate()
                .map(|(at, value)| policy_of(&format!("c{at}"), value))
                .collect();
            set("p", id, "", &policies.concat())
        };
        check(algorithm, combined, &["P", "D", "NA", "IP", "ID", "IDP", "T"]);
    }
}

/// Targets err for an attribute that is missing, conditions for a bag that is empty.
#[test]
fn the_status_is_that_of_the_error_that_decides() {
    for (algorithm, children, code) in [
        ("pa:deny-overrides", &["T", "P"][..], "Ok"),
        ("pa:deny-overrides", &["T", "ID"], "MissingAttribute"),
        ("pa:deny-overrides", &["ID", "T"], "ProcessingError"),
        ("pa:deny-overrides", &["T", "IDP"], "ProcessingError"),
        ("pa:permit-overrides", &["TD", "IP"], "MissingAttribute"),
        ("pa:permit-overrides", &["TD", "D"], "Ok"),
        ("pa:deny-unless-permit", &["T", "IDP"], "Ok"),
        ("pa1:first-applicable", &["NA", "T", "ID"], "MissingAttribute"),
        ("pa1:only-one-applicable", &["P", "T"], "MissingAttribute"),
        ("pa1:only-one-applicable", &["NA", "IP"], "ProcessingError"),
        ("pa1:only-one-applicable", &["P", "D"], "ProcessingError"),
        ("pa1:deny-overrides", &["T", "P"], "Ok"),
        ("pa1:permit-overrides", &["T", "IDP"], "MissingAttribute"),
        ("pa1:permit-overrides", &["T", "D"], "Ok"),
        ("pa:on-permit-apply-second", &["T", "P"], "MissingAttribute"),
        ("pa:on-permit-apply-second", &["P", "T"], "MissingAttribute"),
        ("pa:on-permit-apply-second", &["TD", "P", "ID"], "ProcessingError"),
        ("pa:on-permit-apply-second", &["TD", "P"], "Ok"),
        ("pa:on-permit-apply-second", &["P"], "ProcessingError"),
    ] {
        let policies: Vec<String> = children
            .iter()
            .zip(0..)
            .map(|(value, at)| policy_of(&format!("c{at}"), value))
            .collect();
        let decided = decide(&[set("s", algorithm, "", &policies.concat())], &request());
        assert_eq!(decided.code, code, "{algorithm} over {children:?}: {decided:?}");
    }
}
