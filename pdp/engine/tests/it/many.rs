//! Policies that come together are compiled in lots, by several threads; nothing else tells them from those
//! that come one by one.

use std::sync::Arc;
use std::{iter, thread};

use pdp_engine::combine::Algorithm;
use pdp_engine::compile::{Build, CompileLimits, Lot, LotBuilder, Outcome};
use pdp_engine::context::Limits;
use pdp_engine::error::Position;
use pdp_engine::model::{Child, Effect, Expression, Policy, PolicyKind, Selector};
use pdp_engine::program::{Program, Root, listing::listing};
use pdp_engine::value::DataType;

use crate::support::{
    Attribute, RESOURCE, SUPPLIED, Suppliers, decide, designator, equals, literal, obligation,
    policy, rule, target,
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
            if at % 7 == 0 {
                let supplied = designator(SUPPLIED, &format!("s{}", at % 35), false);
                decides.notices.push(obligation("s", effect, Expression::Designator(supplied)));
            }
            if at % 11 == 0 {
                let selected = Selector {
                    category: RESOURCE.into(),
                    context_selector_id: Some(format!("c{}", at % 33)),
                    path: "a/b".into(),
                    data_type: DataType::String.uri().into(),
                    must_be_present: false,
                    namespaces: Vec::new(),
                    position: Position::default(),
                };
                decides.notices.push(obligation("x", effect, Expression::Selector(selected)));
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

/// Policies compiled apart, so many in a lot.
fn lots(policies: &[Policy], share: usize) -> Vec<Arc<Lot>> {
    let compile = |policies: &[Policy]| {
        let none = Suppliers::default();
        let mut lot = LotBuilder::new(&none, CompileLimits::default());
        policies.iter().for_each(|one| {
            lot.add(one, "test");
        });
        Arc::new(lot.finish())
    };
    thread::scope(|scope| {
        let running = policies.chunks(share).map(|part| scope.spawn(move || compile(part)));
        let running: Vec<_> = running.collect();
        running.into_iter().map(|lot| lot.join().unwrap()).collect()
    })
}

fn together(base: Option<&Program>, policies: &[Policy], share: usize) -> (Program, Vec<Outcome>) {
    let lots = lots(policies, share);
    build(base, |build| {
        let mut outcomes = Vec::new();
        for lot in &lots {
            if build.take_all(lot) {
                outcomes.extend(iter::repeat_n(Ok(()), lot.len()));
            } else {
                outcomes.extend((0..lot.len()).map(|at| build.take(lot, at)));
            }
        }
        outcomes
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
        for share in [3, 700] {
            let ((many, of_many), (each, of_each)) =
                (together(base, now, share), one_by_one(base, now));
            assert_eq!(of_many, of_each);
            assert_eq!(of_many.iter().filter(|outcome| outcome.is_err()).count(), 300);
            assert_eq!(many.len(), each.len());
            assert_eq!(listing(&many), listing(&each));
            for at in (0..4_000).step_by(97) {
                let request = [
                    Attribute::resource(&format!("a{}", at % 40), &format!("v{at}")),
                    Attribute::resource("a1", "v1"),
                ];
                let [one, other] =
                    [&many, &each].map(|it| decide(it, &request, &Limits::default()));
                assert_eq!(one, other, "request {at}");
            }
        }
    }
}

#[test]
fn a_policy_that_comes_twice_is_taken_once() {
    let mut all = policies(3_000);
    // In its own lot, and in another.
    all.insert(8, all[7].clone());
    all.push(all[7].clone());
    let (base, _) = one_by_one(None, &all[..1]);
    for base in [None, Some(&base)] {
        let (many, of_many) = together(base, &all, 3);
        assert_eq!(of_many, one_by_one(base, &all).1);
        assert_eq!(of_many[3_001].as_ref().unwrap_err()[0].code, "duplicate-policy");
        assert_eq!(of_many[0].is_err(), base.is_some());
        assert_eq!(many.len(), 2_700);
    }
}

#[test]
fn policies_are_taken_from_lots_in_any_order() {
    let all = policies(1_000);
    let (some, rest) = all.split_at(500);
    let [of_some, of_rest] = [some, rest].map(|part| lots(part, 500).remove(0));
    // Now one from this lot, now one from that, and some never.
    let wanted: Vec<usize> = (0..500).rev().filter(|at| at % 3 != 0).collect();
    let (mixed, taken) = build(None, |build| {
        let from = |at| [(&of_rest, at), (&of_some, at)];
        wanted.iter().flat_map(|at| from(*at)).map(|(lot, at)| build.take(lot, at)).collect()
    });
    let in_turn: Vec<Policy> =
        wanted.iter().flat_map(|at| [rest[*at].clone(), some[*at].clone()]).collect();
    let (each, of_each) = one_by_one(None, &in_turn);
    assert_eq!(taken, of_each);
    assert_eq!(listing(&mixed), listing(&each));
}
