//! Limiters that count their own Permits.
//!
//! A look-up happens before its decision exists and so cannot record it. Instead a limiter says with
//! its Permit which limit that rests on; whoever answers records the Permit if the limit still holds,
//! and decides again if not. The obligation is for the service alone: no answer shows it.

use std::borrow::Cow;

use pdp_engine::model::{
    Assignment, Child, Effect, Expression, Notice, NoticeKind, Policy, ReturnedNotice,
};
use pdp_engine::value::{Data, Integer};

use super::build;
use crate::history::Window;
use crate::ids;

/// The policy with a Permit rule that says which limit it rests on, where it is a frequency limiter; any
/// other policy as it is.
pub fn counting(policy: &Policy) -> Cow<'_, Policy> {
    let permits = policy.children.iter().enumerate().find_map(|(at, child)| match child {
        Child::Rule(rule) if rule.effect == Effect::Permit => {
            Some((at, limit(rule.condition.as_ref()?)?))
        }
        _ => None,
    });
    let Some((place, (window, limit))) = permits else { return Cow::Borrowed(policy) };
    let mut policy = policy.clone();
    let at = policy.position;
    let assignment = |id: &'static str, number: i64| Assignment {
        attribute_id: id.into(),
        category: None,
        issuer: None,
        expression: Expression::Literal(build::literal(
            ids::data_type::INTEGER,
            number.to_string(),
            at,
        )),
        position: at,
    };
    let notice = Notice {
        kind: NoticeKind::Obligation,
        id: ids::RECORD_PERMIT.into(),
        effect: Effect::Permit,
        assignments: vec![
            assignment(ids::RECORD_PERMIT_WINDOW, window.seconds()),
            assignment(ids::RECORD_PERMIT_LIMIT, limit),
        ],
        position: at,
    };
    if let Child::Rule(rule) = &mut policy.children[place] {
        rule.notices.push(notice);
    }
    Cow::Owned(policy)
}

/// The window and the limit of `limit > count`, wherever that stands in a condition.
fn limit(condition: &Expression) -> Option<(Window, i64)> {
    let Expression::Apply(apply) = condition else { return None };
    if let [Expression::Function { .. }, Expression::Literal(limit), Expression::Designator(count)] =
        apply.arguments.as_slice()
        && count.attribute_id == ids::GUARD_OPERATION_COUNT
    {
        let issuer = count.issuer.as_deref()?.strip_prefix(ids::COUNT_ISSUER)?;
        let (number, unit) = issuer.split_once(':')?;
        let window = Window::new(number.parse().ok()?, unit).ok()?;
        return Some((window, limit.text.parse().ok()?));
    }
    apply.arguments.iter().find_map(self::limit)
}

/// The limit that a returned obligation says a Permit rests on; none: it says something else.
pub fn limit_of(notice: &ReturnedNotice<'_>) -> Option<(Window, u64)> {
    if notice.id != ids::RECORD_PERMIT {
        return None;
    }
    let number = |id: &str| {
        let assigned = notice.assignments.iter().find(|assigned| assigned.attribute_id == id)?;
        match assigned.value.data() {
            Data::Integer(Integer::Small(number)) => Some(number),
            _ => None,
        }
    };
    let limit = u64::try_from(number(ids::RECORD_PERMIT_LIMIT)?).ok()?;
    Some((Window::of_seconds(number(ids::RECORD_PERMIT_WINDOW)?)?, limit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tosca::{self, Limits, Syntax};
    use crate::translate;

    fn translated(kind: &str, properties: &str) -> Policy {
        let text = format!(
            r#"{{"name": "p", "version": "1.0.0",
                "type": "onap.policies.controlloop.guard.common.{kind}", "type_version": "1.0.0",
                "properties": {{"actor": "SO", "operation": "Scale", {properties}}}}}"#
        );
        let template =
            tosca::read(text.as_bytes(), Syntax::Json, &Limits::default()).expect("it is a policy");
        translate::translate(&template.policies[0]).expect("it is complete").policy
    }

    fn permits(policy: &Policy) -> Vec<&Notice> {
        let rules = policy.children.iter().filter_map(|child| match child {
            Child::Rule(rule) => Some(rule),
            _ => None,
        });
        rules.flat_map(|rule| &rule.notices).collect()
    }

    #[test]
    fn a_limiter_says_what_its_permit_rests_on() {
        let range = r#", "timeRange": {"start_time": "00:00:00Z", "end_time": "23:59:59Z"}"#;
        for range in ["", range] {
            let properties =
                format!(r#""limit": 5, "timeWindow": 10, "timeUnits": "minute"{range}"#);
            let policy = translated("FrequencyLimiter", &properties);
            assert!(permits(&policy).is_empty(), "nobody asked for it");
            let counting = counting(&policy);
            let [notice] = permits(&counting)[..] else { panic!("expected one: {counting:?}") };
            assert_eq!((&*notice.id, notice.effect), (ids::RECORD_PERMIT, Effect::Permit));
            let numbers: Vec<String> = notice
                .assignments
                .iter()
                .map(|assignment| match &assignment.expression {
                    Expression::Literal(literal) => literal.text.to_string(),
                    other => panic!("not a literal: {other:?}"),
                })
                .collect();
            assert_eq!(numbers, ["600", "5"]);
        }
    }

    #[test]
    fn other_policies_stay_as_they_are() {
        let policy = translated("MinMax", r#""target": "vnf-1", "max": 3"#);
        assert!(matches!(counting(&policy), Cow::Borrowed(_)));
    }
}
