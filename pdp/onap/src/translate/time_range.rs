//! `timeRange`: the part of the day, or the span of time, in which a guard policy's rules hold.

use pdp_engine::error::Position;
use pdp_engine::model::{Expression, Policy};
use pdp_engine::value::DateTime;

use super::build;
use super::properties::Properties;
use crate::ids::{category, data_type, environment, function};
use crate::iso;

/// The variable that says whether now is in range.
const IN_RANGE: &str = "timeInRange";

/// What is in a policy's time range, as a variable of the policy.
pub(super) struct TimeRange {
    expression: Expression,
    position: Position,
}

impl TimeRange {
    /// Reads `timeRange`. Absent: none; wrong: none and a problem.
    pub(super) fn read(properties: &mut Properties<'_, '_>) -> Option<Self> {
        let node = properties.node("timeRange")?;
        let path = properties.path("timeRange");
        let mut range = properties.inner("TimeRange", path, node)?;
        range.known(&["start_time", "end_time"]);
        let expected = "a time with offset such as 08:00:00Z, or a date and time with offset";
        let start = range.required_text("start_time", expected);
        let end = range.required_text("end_time", expected);
        let start = start.and_then(|(text, at)| bound(&mut range, "start_time", &text, at))?;
        let end = end.and_then(|(text, at)| bound(&mut range, "end_time", &text, at))?;
        let position = range.position();
        let expression = match (start, end) {
            (Bound::Time(start, from), Bound::Time(end, to)) => {
                recurring(start, from, end, to, position)
            }
            (Bound::DateTime(start, from), Bound::DateTime(end, to)) => {
                if iso::instant(&end) < iso::instant(&start) {
                    let message = "lies before start_time, so the policy could never hold";
                    range.refuse("property-value", range.path("end_time"), to, message);
                    return None;
                }
                once(start, from, end, to, position)
            }
            _ => {
                let message =
                    "start_time and end_time must both be times, or both be dates with times";
                let at = range.position();
                range.refuse("property-value", properties_path(&range), at, message).onap =
                    Some("start_time and end_time class types do not match".to_owned());
                return None;
            }
        };
        Some(Self { expression, position })
    }

    /// A rule's condition with the range before it. In range alone where the rule has none.
    pub(super) fn and(range: Option<&Self>, condition: Option<Expression>) -> Option<Expression> {
        let Some(range) = range else { return condition };
        let at = range.position;
        let in_range = Expression::Variable { id: IN_RANGE.to_owned(), position: at };
        Some(match condition {
            Some(condition) => build::apply(function::AND, vec![in_range, condition], at),
            None => in_range,
        })
    }

    /// Defines the variable in the policy.
    pub(super) fn define(self, policy: &mut Policy) {
        policy.variables.push(build::variable(IN_RANGE, self.expression, self.position));
    }
}

enum Bound {
    Time(DateTime, Position),
    DateTime(DateTime, Position),
}

fn bound(range: &mut Properties<'_, '_>, name: &str, text: &str, at: Position) -> Option<Bound> {
    if let Some(time) = iso::offset_time(text) {
        return Some(Bound::Time(time, at));
    }
    if let Some(time) = iso::offset_date_time(text) {
        return Some(Bound::DateTime(time, at));
    }
    let message = format!(
        "`{text}` is no time: expected a time with offset such as 08:00:00Z or 08:00:00+05:00, or a date and time such as 2025-06-01T08:00:00Z"
    );
    range.refuse("property-value", range.path(name), at, message).onap =
        Some(format!("timestamp {text} could not be parsed "));
    None
}

fn properties_path(range: &Properties<'_, '_>) -> String {
    let path = range.path("");
    path.trim_end_matches('.').to_owned()
}

/// Every day from start to end, over midnight where end is before start.
fn recurring(
    start: DateTime,
    from: Position,
    end: DateTime,
    to: Position,
    at: Position,
) -> Expression {
    let literal = |time, at| {
        Expression::Literal(build::literal(data_type::TIME, iso::AsTime(time).to_string(), at))
    };
    let now = now(environment::CURRENT_TIME, data_type::TIME, function::TIME_ONE_AND_ONLY, at);
    build::apply(
        function::TIME_IN_RECURRING_RANGE,
        vec![now, literal(start, from), literal(end, to)],
        at,
    )
}

/// Once, from start to end, both included.
fn once(start: DateTime, from: Position, end: DateTime, to: Position, at: Position) -> Expression {
    let bounded = |function: &'static str, time, at| {
        let text = iso::AsDateTime(time).to_string();
        let now = now(
            environment::CURRENT_DATE_TIME,
            data_type::DATE_TIME,
            function::DATE_TIME_ONE_AND_ONLY,
            at,
        );
        let literal = Expression::Literal(build::literal(data_type::DATE_TIME, text, at));
        build::apply(function, vec![now, literal], at)
    };
    let after = bounded(function::DATE_TIME_NOT_BEFORE, start, from);
    let before = bounded(function::DATE_TIME_NOT_AFTER, end, to);
    build::apply(function::AND, vec![after, before], at)
}

fn now(
    attribute: &'static str,
    data_type: &'static str,
    one_and_only: &'static str,
    at: Position,
) -> Expression {
    let designator = build::designator(category::ENVIRONMENT, attribute, data_type, at);
    build::apply(one_and_only, vec![Expression::Designator(designator)], at)
}
