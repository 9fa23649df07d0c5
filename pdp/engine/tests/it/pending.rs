//! Attributes that come late change nothing but the number of rounds.

use pdp_engine::combine::Algorithm;
use pdp_engine::context::Limits;
use pdp_engine::model::{Child, Effect, Expression, PolicyKind};
use proptest::prelude::*;

use crate::support::{
    SUPPLIED, Suppliers, apply, attributes, cases, compile, decide_in_rounds, designator,
    linked_policies, literal, obligation, policy, root, rule, suppliers, target,
};

proptest! {
    #![proptest_config(cases(100))]

    #[test]
    fn late_attributes_give_the_answer_of_a_run_that_had_them(
        root in root(),
        policies in linked_policies(8),
        request in attributes(),
        suppliers in suppliers(),
        late in prop::collection::vec(any::<bool>(), 4),
        per_round in 1..4usize,
        indexed in any::<bool>(),
    ) {
        let (program, _) = compile(root, &policies, &suppliers);
        let limits = Limits { indexed, ..Limits::default() };
        let (at_once, _) =
            decide_in_rounds(&program, &request, &suppliers, &limits, usize::MAX);
        let late = (0..4).filter(|at| late[*at]).map(|at| format!("a{at}")).collect();
        let slow = Suppliers { late, ..suppliers };
        let (in_rounds, _) = decide_in_rounds(&program, &request, &slow, &limits, per_round);
        prop_assert_eq!(in_rounds, at_once);
    }
}

fn supplied(id: &str) -> Expression {
    apply(
        "string-is-in",
        vec![
            Expression::Literal(literal(id)),
            Expression::Designator(designator(SUPPLIED, id, false)),
        ],
    )
}

#[test]
fn a_pending_rule_that_denies_keeps_its_obligation() {
    let mut late = rule("late", Effect::Deny, None, Some(supplied("x")));
    late.notices.push(obligation("o1", Effect::Deny, Expression::Literal(literal("1"))));
    let mut sure = rule("sure", Effect::Deny, None, None);
    sure.notices.push(obligation("o2", Effect::Deny, Expression::Literal(literal("2"))));
    let rules = vec![Child::Rule(late), Child::Rule(sure)];
    let policy = policy(PolicyKind::Policy, "p", "deny-overrides", target(vec![]), rules);
    let suppliers =
        Suppliers { present: vec!["x".into()], late: vec!["x".into()], ..Suppliers::default() };
    let (program, _) = compile(Algorithm::DenyOverrides, &[policy], &suppliers);
    let (decided, rounds) =
        decide_in_rounds(&program, &[], &suppliers, &Limits::default(), usize::MAX);
    assert_eq!((decided.decision, rounds), ("Deny", 2));
    assert_eq!(decided.notices, ["o1(1)"]);
}

#[test]
fn thirty_pending_attributes_are_one_round() {
    let ids: Vec<String> = (0..30).map(|at| format!("x{at}")).collect();
    let rules = ids.iter().map(|id| Child::Rule(rule(id, Effect::Deny, None, Some(supplied(id)))));
    let policy = policy(PolicyKind::Policy, "p", "deny-overrides", target(vec![]), rules.collect());
    let suppliers = Suppliers { late: ids, ..Suppliers::default() };
    let (program, _) = compile(Algorithm::DenyOverrides, &[policy], &suppliers);
    let (decided, rounds) =
        decide_in_rounds(&program, &[], &suppliers, &Limits::default(), usize::MAX);
    assert_eq!((decided.decision, rounds), ("NotApplicable", 2));
}

#[test]
fn nothing_is_asked_for_behind_a_pending_first_applicable_child() {
    let ids = ["x0", "x1"];
    let rules = ids.iter().map(|id| Child::Rule(rule(id, Effect::Deny, None, Some(supplied(id)))));
    let policy =
        policy(PolicyKind::Policy, "p", "first-applicable", target(vec![]), rules.collect());
    let suppliers = Suppliers {
        present: vec!["x0".into()],
        late: ids.map(str::to_owned).to_vec(),
        ..Suppliers::default()
    };
    let (program, _) = compile(Algorithm::DenyOverrides, &[policy], &suppliers);
    let (decided, rounds) =
        decide_in_rounds(&program, &[], &suppliers, &Limits::default(), usize::MAX);
    assert_eq!((decided.decision, rounds), ("Deny", 2), "x1 was never needed");
}
