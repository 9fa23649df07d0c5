//! A limit that trips ends the decision; it never becomes one.

use pdp_engine::combine::Algorithm;
use pdp_engine::compile::{Build, CompileLimits};
use pdp_engine::context::Limits;
use pdp_engine::finder::RequestOnly;
use pdp_engine::model::{Child, Effect, PolicyKind};
use pdp_engine::program::Root;

use crate::support::{compile, decide, policy, rule, target};

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
