//! Deploying and undeploying step by step answers as a fresh build does.

use pdp_engine::combine::Algorithm;
use pdp_engine::compile::{Build, CompileLimits};
use pdp_engine::context::Limits;
use pdp_engine::finder::RequestOnly;
use pdp_engine::model::{Child, Effect, Policy, PolicyKind, PolicyReference};
use pdp_engine::program::{Program, Root};
use proptest::prelude::*;

use crate::support::{
    Attribute, Suppliers, attributes, cases, compile, decide, decide_in_rounds, equals, policies,
    policy, root, rule, suppliers, target,
};

fn step(program: &Program, change: impl FnOnce(&mut Build<'_>), suppliers: &Suppliers) -> Program {
    let mut build = Build::from(program, suppliers, CompileLimits::default());
    change(&mut build);
    build.finish().0
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn any_sequence_of_deployments_answers_as_a_fresh_build(
        root in root(),
        policies in policies(12),
        steps in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 0..40),
        requests in prop::collection::vec(attributes(), 1..3),
        suppliers in suppliers(),
    ) {
        prop_assume!(!policies.is_empty());
        let (mut program, _) = compile(root, &[], &suppliers);
        let mut deployed: Vec<Policy> = Vec::new();
        for (at, deploy) in steps {
            let policy = &policies[at.index(policies.len())];
            let there = deployed.iter().position(|known| known.id == policy.id);
            match (deploy, there) {
                (true, None) => {
                    program = step(&program, |b| b.add(policy, "test").unwrap(), &suppliers);
                    deployed.push(policy.clone());
                }
                (false, Some(place)) => {
                    program = step(
                        &program,
                        |b| assert!(b.remove(policy.kind, &policy.id, &policy.version)),
                        &suppliers,
                    );
                    deployed.remove(place);
                }
                _ => {}
            }
        }
        let (fresh, _) = compile(root, &deployed, &suppliers);
        prop_assert_eq!(program.len(), fresh.len());
        prop_assert_eq!(
            pdp_engine::program::listing::listing(&program),
            pdp_engine::program::listing::listing(&fresh)
        );
        for request in requests {
            let limits = Limits::default();
            let [stepwise, fresh] = [&program, &fresh].map(|program| {
                decide_in_rounds(program, &request, &suppliers, &limits, usize::MAX).0
            });
            prop_assert_eq!(stepwise, fresh);
        }
    }
}

fn one_rule(id: &str, value: &str, effect: Effect) -> Policy {
    let rules = vec![Child::Rule(rule("r", effect, None, None))];
    let applies = target(vec![vec![vec![equals("a0", value)]]]);
    policy(PolicyKind::Policy, id, "deny-overrides", applies, rules)
}

#[test]
fn segments_stay_few_and_each_deployment_keeps_its_place() {
    let none = Suppliers::default();
    let (mut program, _) = compile(Algorithm::FirstApplicable, &[], &none);
    for at in 0..1_500 {
        let effect = if at % 2 == 0 { Effect::Permit } else { Effect::Deny };
        let policy = one_rule(&format!("p{at}"), &format!("v{}", at % 700), effect);
        program = step(&program, |build| build.add(&policy, "test").unwrap(), &none);
    }
    assert_eq!(program.len(), 1_500);
    assert!(program.segments() <= 8, "{} segments", program.segments());
    // v1 is asked for by p1 (Deny), p701 (Deny), p1401: the first deployed decides.
    let decided = decide(&program, &[Attribute::resource("a0", "v1")], &Limits::default());
    assert_eq!((decided.decision, &*decided.policies), ("Deny", &["p1 1.0".to_owned()][..]));
}

#[test]
fn a_new_version_changes_every_referrer_without_touching_it() {
    let reference = |version: &str| PolicyReference {
        kind: PolicyKind::Policy,
        id: "x".into(),
        version: Some(version.parse().unwrap()),
        earliest: None,
        latest: None,
        late: false,
        position: pdp_engine::error::Position::new(1, 1),
    };
    let referrer = policy(
        PolicyKind::PolicySet,
        "s",
        "deny-overrides",
        target(vec![]),
        vec![Child::Reference(reference("1.+"))],
    );
    let old = one_rule("x", "v0", Effect::Permit);
    let new = Policy { version: "1.1".parse().unwrap(), ..one_rule("x", "v0", Effect::Deny) };
    let none = Suppliers::default();
    let request = [Attribute::resource("a0", "v0")];
    let (before, refused) = compile(Algorithm::OnlyOneApplicable, &[referrer.clone(), old], &none);
    assert!(refused.is_empty(), "{refused:?}");
    assert_eq!(decide(&before, &request, &Limits::default()).decision, "Permit");
    let after = step(&before, |build| build.add(&new, "test").unwrap(), &none);
    // The old version is no root of its own accord: it is deployed, and nothing names it now.
    let named = Root {
        combining: Algorithm::OnlyOneApplicable,
        named: Some((PolicyKind::PolicySet, "s".into())),
    };
    let mut build = Build::new(named, &RequestOnly, CompileLimits::default());
    for policy in [&referrer, &one_rule("x", "v0", Effect::Permit), &new] {
        build.add(policy, "test").unwrap();
    }
    let (named, _) = build.finish();
    assert_eq!(decide(&named, &request, &Limits::default()).decision, "Deny");
    assert_eq!(after.len(), 3);
    assert_eq!(decide(&before, &request, &Limits::default()).decision, "Permit", "old snapshot");
}

#[test]
fn references_that_lead_nowhere_or_in_a_circle_are_refused_and_named() {
    let reference = |id: &str| {
        Child::Reference(PolicyReference {
            kind: PolicyKind::PolicySet,
            id: id.into(),
            version: None,
            earliest: None,
            latest: None,
            late: false,
            position: pdp_engine::error::Position::new(7, 9),
        })
    };
    let set = |id: &str, children| {
        policy(PolicyKind::PolicySet, id, "deny-overrides", target(vec![]), children)
    };
    let policies = [
        set("a", vec![reference("b")]),
        set("b", vec![reference("a")]),
        set("dangling", vec![reference("nobody")]),
        set("on-top", vec![reference("dangling")]),
        set("fine", vec![]),
    ];
    let (program, refused) = compile(Algorithm::DenyOverrides, &policies, &RequestOnly);
    let codes: Vec<(&str, &str)> = refused.iter().map(|d| (d.policy.as_str(), d.code)).collect();
    assert!(codes.contains(&("dangling", "reference-unknown")), "{codes:?}");
    assert!(codes.contains(&("on-top", "reference-unknown")), "{codes:?}");
    assert!(codes.iter().any(|(id, code)| *code == "reference-cycle" && ["a", "b"].contains(id)));
    let left: Vec<&str> = program.policies().map(|(_, id, _)| id).collect();
    assert_eq!(left, ["fine"]);
    assert!(refused.iter().all(|d| d.position == pdp_engine::error::Position::new(7, 9)));
}

#[test]
fn a_late_reference_may_lead_nowhere_for_a_while() {
    let late = Child::Reference(PolicyReference {
        kind: PolicyKind::Policy,
        id: "x".into(),
        version: None,
        earliest: None,
        latest: None,
        late: true,
        position: pdp_engine::error::Position::new(1, 1),
    });
    let referrer =
        policy(PolicyKind::PolicySet, "s", "first-applicable", target(vec![]), vec![late]);
    let none = Suppliers::default();
    let request = [Attribute::resource("a0", "v0")];
    let (before, refused) = compile(Algorithm::DenyOverrides, &[referrer], &none);
    assert!(refused.is_empty(), "{refused:?}");
    let limits = Limits::default();
    let answer = decide(&before, &request, &limits);
    assert_eq!(answer.decision, "Indeterminate");
    let there = step(
        &before,
        |build| build.add(&one_rule("x", "v0", Effect::Permit), "test").unwrap(),
        &none,
    );
    assert_eq!(decide(&there, &request, &limits).decision, "Permit");
    let out = |build: &mut Build<'_>| {
        assert!(build.remove(PolicyKind::Policy, "x", &"1.0".parse().unwrap()));
    };
    let gone = step(&there, out, &none);
    assert_eq!(decide(&gone, &request, &limits).decision, "Indeterminate");
}
