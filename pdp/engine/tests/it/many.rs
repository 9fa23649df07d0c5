//! Policies that come together are compiled by several threads; nothing else tells them from those that
//! come one by one.

use std::thread;

use pdp_engine::combine::Algorithm;
use pdp_engine::compile::{Build, CompileLimits, Given, Outcome};
use pdp_engine::context::Limits;
use pdp_engine::model::{Child, Effect, Expression, Policy, PolicyKind};
use pdp_engine::program::{Program, Root, listing::listing};

use crate::support::{
    Attribute, Suppliers, decide, designator, equals, literal, obligation, policy, rule, target,
};

/// Policies of several shapes, over attributes of their own and shared ones; every tenth is wrong.
fn policies(count: usize) -> Vec<Policy> {
    (0..count)
        .map(|at| {
            let (own, value) = (format!("a{}", at % 40), format!("v{at}"));
            let applies = target(vec![vec![vec![equals(&own, &value)]]]);
            let effect = if at % 2 == 0 { Effect::Permit } else { Effect::Deny };
            let mut decides = rule("r", effect, None, None);
            if at % 3 == 0 {
                decides.notices.push(obligation("o", effect, Expression::Literal(literal(&value))));
            }
            if at % 5 == 0 {
                let all =
                    Expression::Designator(designator("urn:c", &format!("b{}", at % 25), false));
                decides.notices.push(obligation("all", effect, all));
            }
            if at % 10 == 9 {
                decides.condition = Some(Expression::Literal(literal("no boolean")));
            }
            let combining = ["deny-overrides", "first-applicable"][at % 4 / 2];
            policy(
                PolicyKind::Policy,
                &format!("p{at}"),
                combining,
                applies,
                vec![Child::Rule(decides)],
            )
        })
        .collect()
}

fn together(base: Option<&Program>, policies: &[Policy]) -> (Program, Vec<Outcome>) {
    let given: Vec<Given<'_>> = policies.iter().map(|one| (one, "test")).collect();
    build(base, |build| {
        build.add_all(&given, 700, |lots| {
            thread::scope(|scope| {
                let running = lots.into_iter().map(|lot| scope.spawn(move || lot.compile()));
                // Whoever is ready first is no matter.
                let running: Vec<_> = running.collect();
                running.into_iter().rev().map(|lot| lot.join().unwrap()).collect()
            })
        })
    })
}

fn one_by_one(base: Option<&Program>, policies: &[Policy]) -> (Program, Vec<Outcome>) {
    build(base, |build| policies.iter().map(|one| build.add(one, "test")).collect())
}

fn build(
    base: Option<&Program>,
    add: impl FnOnce(&mut Build<'_>) -> Vec<Outcome>,
) -> (Program, Vec<Outcome>) {
    let (none, limits) = (Suppliers::default(), CompileLimits::default());
    let mut build = match base {
        Some(program) => Build::from(program, &none, limits),
        None => Build::new(Root::all(Algorithm::FirstApplicable), &none, limits),
    };
    let outcomes = add(&mut build);
    (build.finish().0, outcomes)
}

#[test]
fn many_policies_answer_as_if_they_came_one_by_one() {
    let all = policies(4_000);
    let (before, now) = all.split_at(1_000);
    let (base, _) = one_by_one(None, before);
    for base in [None, Some(&base)] {
        let ((many, of_many), (each, of_each)) = (together(base, now), one_by_one(base, now));
        assert_eq!(of_many, of_each);
        assert_eq!(of_many.iter().filter(|outcome| outcome.is_err()).count(), 300);
        assert_eq!(many.len(), each.len());
        assert_eq!(listing(&many), listing(&each));
        for at in (0..4_000).step_by(97) {
            let request = [
                Attribute::resource(&format!("a{}", at % 40), &format!("v{at}")),
                Attribute::resource("a1", "v1"),
            ];
            let [one, other] = [&many, &each].map(|it| decide(it, &request, &Limits::default()));
            assert_eq!(one, other, "request {at}");
        }
    }
}

#[test]
fn a_policy_that_comes_twice_is_taken_once() {
    let mut all = policies(3_000);
    all.push(all[7].clone());
    let (base, _) = one_by_one(None, &all[..1]);
    for base in [None, Some(&base)] {
        let (many, of_many) = together(base, &all);
        assert_eq!(of_many, one_by_one(base, &all).1);
        assert_eq!(of_many[3_000].as_ref().unwrap_err()[0].code, "duplicate-policy");
        assert_eq!(of_many[0].is_err(), base.is_some());
        assert_eq!(many.len(), 2_700);
    }
}
