//! A limit that trips ends the decision; it never becomes one.

use pdp_engine::combine::Algorithm;
use pdp_engine::compile::{Build, CompileLimits};
use pdp_engine::context::Limits;
use pdp_engine::error::Position;
use pdp_engine::finder::RequestOnly;
use pdp_engine::model::{
    Child, Effect, Expression, Policy, PolicyKind, PolicyReference, VariableDefinition,
};
use pdp_engine::program::Root;

use crate::support::{
    Attribute, RESOURCE, apply, compile, decide, designator, literal, policy, rule, target,
};

const AT: Position = Position::new(1, 1);

#[test]
fn running_out_of_steps_is_indeterminate_even_under_permit_unless_deny() {
    let rules = (0..100).map(|at| Child::Rule(rule(&format!("r{at}"), Effect::Permit, None, None)));
    let policy =
        policy(PolicyKind::Policy, "p", "permit-unless-deny", target(vec![]), rules.collect());
    let (program, _) = compile(Algorithm::PermitUnlessDeny, &[policy], &RequestOnly);
    assert_eq!(decide(&program, &[], &Limits::default()).decision, "Permit");
    for steps in [0, 1] {
        let limits = Limits { steps, ..Limits::default() };
        let decided = decide(&program, &[], &limits);
        assert_eq!((decided.decision, &*decided.code), ("Indeterminate", "ProcessingError"));
        let message = decided.message.unwrap();
        assert!(message.contains(&format!("limit of {steps} ")), "{message}");
        assert!(decided.notices.is_empty());
    }
}

#[test]
fn policies_nested_too_deep_are_refused_with_limit_and_value() {
    let mut inner = policy(PolicyKind::PolicySet, "p0", "deny-overrides", target(vec![]), vec![]);
    for depth in 1..10 {
        inner = policy(
            PolicyKind::PolicySet,
            &format!("p{depth}"),
            "deny-overrides",
            target(vec![]),
            vec![Child::Policy(Box::new(inner))],
        );
    }
    let limits = CompileLimits { policy_depth: 5, ..CompileLimits::default() };
    let mut build = Build::new(Root::all(Algorithm::DenyOverrides), &RequestOnly, limits);
    let refused = build.add(&inner, "test").unwrap_err();
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0].code, "limit-depth");
    assert!(refused[0].message.contains("6 deep; the limit is 5"), "{}", refused[0].message);
}

/// The codes and messages with which policies are refused under these limits.
fn refused(policies: &[Policy], limits: CompileLimits) -> Vec<(String, &'static str, String)> {
    let mut build = Build::new(Root::all(Algorithm::DenyOverrides), &RequestOnly, limits);
    let mut found = Vec::new();
    for policy in policies {
        found.extend(build.add(policy, "test").err().into_iter().flatten());
    }
    found.extend(build.finish().1);
    found.into_iter().map(|one| (one.policy, one.code, one.message)).collect()
}

#[test]
fn references_are_counted_along_the_longest_way_wherever_linking_begins() {
    let reference = |id: String| {
        Child::Reference(PolicyReference {
            kind: PolicyKind::PolicySet,
            id,
            version: None,
            earliest: None,
            latest: None,
            late: false,
            position: AT,
        })
    };
    let set = |at: usize| {
        let below = (at > 0).then(|| reference(format!("s{}", at - 1)));
        let children = below.into_iter().collect();
        policy(PolicyKind::PolicySet, &format!("s{at}"), "deny-overrides", target(vec![]), children)
    };
    let limits = CompileLimits { reference_depth: 3, ..CompileLimits::default() };
    let upwards: Vec<Policy> = (0..6).map(set).collect();
    let downwards: Vec<Policy> = (0..6).rev().map(set).collect();
    for policies in [upwards, downwards] {
        let mut found = refused(&policies, limits);
        found.sort();
        let ids: Vec<&str> = found.iter().map(|(id, _, _)| id.as_str()).collect();
        assert_eq!(ids, ["s4", "s5"], "{found:?}");
        let (_, code, message) = &found[0];
        assert_eq!(*code, "reference-depth");
        assert!(message.contains("4 deep; the limit is 3"), "{message}");
    }
}

/// A policy whose variables each refer to the one before; rules use them in this order.
fn variables(count: usize, order: impl Iterator<Item = usize>) -> Policy {
    let variable = |at: usize| Expression::Variable { id: format!("v{at}"), position: AT };
    let definition = |at: usize| VariableDefinition {
        id: format!("v{at}"),
        expression: match at.checked_sub(1) {
            None => apply("string-equal", vec![text("a"), text("a")]),
            Some(below) => apply("not", vec![variable(below)]),
        },
        position: AT,
    };
    let rules = order
        .map(|at| Child::Rule(rule(&format!("r{at}"), Effect::Permit, None, Some(variable(at)))));
    let policy = policy(PolicyKind::Policy, "p", "deny-overrides", target(vec![]), rules.collect());
    Policy { variables: (0..count).map(definition).collect(), ..policy }
}

fn text(text: &str) -> Expression {
    Expression::Literal(literal(text))
}

#[test]
fn variables_are_counted_along_the_longest_way_whatever_uses_them_first() {
    let limits = CompileLimits { variable_depth: 5, ..CompileLimits::default() };
    for order in [vec![0, 1, 2, 3, 4], vec![4, 3, 2, 1, 0]] {
        assert_eq!(refused(&[variables(5, order.into_iter())], limits), []);
    }
    for order in [vec![0, 1, 2, 3, 4, 5], vec![5, 4, 3, 2, 1, 0]] {
        let found = refused(&[variables(6, order.into_iter())], limits);
        assert_eq!(found[0].1, "limit-depth", "{found:?}");
        assert!(found[0].2.contains("limit of 5"), "{found:?}");
    }
    // Without use of their own limit they count as the expressions that they stand for.
    let limits = CompileLimits { variable_depth: 1000, ..CompileLimits::default() };
    let found = refused(&[variables(500, 0..500)], limits);
    assert!(found[0].2.contains("limit of 128"), "{found:?}");
}

#[test]
fn a_policy_set_holds_each_policy_once() {
    let rules = |id: &str| policy(PolicyKind::Policy, id, "deny-overrides", target(vec![]), vec![]);
    let nested = |policy: Policy| Child::Policy(Box::new(policy));
    let set = |id: &str, children| {
        policy(PolicyKind::PolicySet, id, "deny-overrides", target(vec![]), children)
    };
    let other = Policy { version: "1.1".parse().unwrap(), ..rules("x") };
    let fine = set("x", vec![nested(rules("x")), nested(other)]);
    assert_eq!(refused(&[fine], CompileLimits::default()), [], "kinds and versions differ");
    let twice = set("s", vec![nested(rules("x")), nested(set("t", vec![nested(rules("x"))]))]);
    let found = refused(&[twice], CompileLimits::default());
    assert_eq!((found.len(), found[0].1), (1, "duplicate-policy"), "{found:?}");
    let itself = set("s", vec![nested(set("s", vec![]))]);
    assert_eq!(refused(&[itself], CompileLimits::default())[0].1, "duplicate-policy");
}

#[test]
fn a_pattern_of_the_request_is_paid_for() {
    let one = |id: &str| {
        let bag = Expression::Designator(designator(RESOURCE, id, true));
        apply("string-one-and-only", vec![bag])
    };
    let condition = apply("string-regexp-match", vec![one("pattern"), one("text")]);
    let rule = rule("r", Effect::Permit, None, Some(condition));
    let rules = vec![Child::Rule(rule)];
    let policy = policy(PolicyKind::Policy, "p", "deny-overrides", target(vec![]), rules);
    let (program, found) = compile(Algorithm::DenyOverrides, &[policy], &RequestOnly);
    assert!(found.is_empty(), "{found:?}");
    let decided = |pattern: &str, text: &str| {
        let request = [Attribute::resource("pattern", pattern), Attribute::resource("text", text)];
        let limits = Limits { steps: 50_000, ..Limits::default() };
        decide(&program, &request, &limits)
    };
    assert_eq!(decided("a.c", "xabcx").decision, "Permit");
    assert_eq!(decided("a.c", "abd").decision, "NotApplicable");
    let bad = decided("a(", "a");
    assert!(bad.message.unwrap().contains("not a regular expression"));
    let large = decided(&"a{90}".repeat(100), "a");
    assert!(large.message.as_deref().unwrap().contains("limit of 50000"), "{large:?}");
}

#[test]
fn references_do_not_lead_past_the_depth_of_policies() {
    let mut sets =
        vec![policy(PolicyKind::PolicySet, "0", "deny-overrides", target(vec![]), vec![])];
    for at in 1..60 {
        let mut inner = Child::Reference(PolicyReference {
            kind: PolicyKind::PolicySet,
            id: format!("{}", at - 1),
            version: None,
            earliest: None,
            latest: None,
            late: false,
            position: AT,
        });
        for level in (0..60).rev() {
            let id = if level == 0 { at.to_string() } else { format!("{at}-{level}") };
            let set =
                policy(PolicyKind::PolicySet, &id, "deny-overrides", target(vec![]), vec![inner]);
            inner = Child::Policy(Box::new(set));
        }
        let Child::Policy(set) = inner else { unreachable!() };
        sets.push(*set);
    }
    let (program, found) = compile(Algorithm::DenyOverrides, &sets, &RequestOnly);
    assert!(found.is_empty(), "{found:?}");
    let decided = decide(&program, &[], &Limits::default());
    assert_eq!(decided.decision, "Indeterminate");
    assert!(decided.message.as_deref().unwrap().contains("limit of 256"), "{decided:?}");
}
