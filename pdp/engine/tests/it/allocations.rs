//! In the steady state a decision allocates nothing.

use pdp_engine::combine::Algorithm;
use pdp_engine::context::{Context, Limits, Scratch};
use pdp_engine::eval::{self, Outcome};
use pdp_engine::finder::RequestOnly;
use pdp_engine::model::{
    AttributeHead, Child, Decision, Effect, Expression, PolicyKind, RequestOptions, RequestSink,
};
use pdp_engine::value::Value;

use crate::support::{
    Attribute, NOW, RESOURCE, apply, compile, designator, equals, literal, obligation, policy,
    read, rule, target,
};

#[test]
fn a_decision_that_has_been_taken_before_allocates_nothing() {
    let mut permit = rule(
        "r",
        Effect::Permit,
        Some(target(vec![vec![vec![equals("a1", "x")]]])),
        Some(apply(
            "string-is-in",
            vec![
                Expression::Literal(literal("y")),
                Expression::Designator(designator(RESOURCE, "a2", true)),
            ],
        )),
    );
    permit.notices.push(obligation("o", Effect::Permit, Expression::Literal(literal("done"))));
    let policies: Vec<_> = (0..50)
        .map(|at| {
            let applies = target(vec![vec![vec![equals("a0", &format!("v{at}"))]]]);
            let rules = vec![Child::Rule(permit.clone())];
            policy(PolicyKind::Policy, &format!("p{at}"), "deny-overrides", applies, rules)
        })
        .collect();
    let (program, refused) = compile(Algorithm::DenyOverrides, &policies, &RequestOnly);
    assert!(refused.is_empty(), "{refused:?}");
    let request =
        [("a0", "v7"), ("a1", "x"), ("a2", "y")].map(|(id, value)| Attribute::resource(id, value));
    let limits = Limits::default();
    let mut scratch = Scratch::new();
    let mut take = || {
        let mut context = Context::new(&program, &mut scratch, NOW, &limits);
        context.options(RequestOptions { return_policy_ids: true, combined_decision: false });
        context.category(RESOURCE, None);
        for attribute in &request {
            let (id, include_in_result) = (attribute.id.as_str(), true);
            context.attribute(AttributeHead { id, issuer: None, include_in_result });
            context.value(attribute.data_type, Value::string(&attribute.text));
        }
        match eval::decide(&mut context, &RequestOnly) {
            Outcome::Done(answer) => {
                assert_eq!(answer.decision, Decision::Permit);
                assert_eq!((answer.notices.len(), answer.attributes.len()), (1, 3));
            }
            Outcome::Pending => panic!("nothing is pending"),
        }
    };
    for _ in 0..3 {
        take();
    }
    let counted = allocation_counter::measure(|| {
        for _ in 0..100 {
            take();
        }
    });
    assert_eq!(counted.count_total, 0, "allocations in 100 decisions");
}

#[test]
fn a_request_with_scattered_values_is_decided_right() {
    let condition = apply(
        "string-equal",
        vec![
            Expression::Literal(literal("2")),
            apply(
                "string-one-and-only",
                vec![Expression::Designator(designator(RESOURCE, "a1", false))],
            ),
        ],
    );
    let rules = vec![Child::Rule(rule("r", Effect::Permit, None, Some(condition)))];
    let one = policy(PolicyKind::Policy, "p", "deny-overrides", target(vec![]), rules);
    let (program, _) = compile(Algorithm::DenyOverrides, &[one], &RequestOnly);
    let decide = |texts: &[(&str, &str)]| {
        let request: Vec<Attribute> =
            texts.iter().map(|(id, text)| Attribute::resource(id, text)).collect();
        let mut scratch = Scratch::new();
        let limits = Limits::default();
        let mut context = Context::new(&program, &mut scratch, NOW, &limits);
        read(&request, &mut context);
        match eval::decide(&mut context, &RequestOnly) {
            Outcome::Done(answer) => answer.decision,
            Outcome::Pending => panic!("nothing is pending"),
        }
    };
    assert_eq!(decide(&[("a1", "2")]), Decision::Permit);
    assert_eq!(decide(&[("a1", "2"), ("a0", "x"), ("a1", "2")]), Decision::Indeterminate);
}
