//! Arithmetic of dates and times (XACML 3.0 appendix A.3.7). The zone is kept; where a month is too
//! short, its last day is taken.

use super::arguments::{Outcome, data, fault, give, value};
use super::{Call, Code, Family, Type};
use crate::value::{Data, DataType, DayTimeDuration, Operand, Value};

const CLAUSE: &str = "A.3.7";

macro_rules! rows {
    ($prefix:ident, $successor:ident) => {
        [
            rows!(@ $prefix, $successor, "dateTime-add-dayTimeDuration", DateTime, DayTimeDuration,
                "A point in time so much later.", add_seconds,
                "dateTime:2004-02-28T12:00:00-05:00", "dayTimeDuration:P1DT12H30M0.5S",
                "dateTime:2004-03-01T00:30:00.5-05:00",
                "dayTimeDuration:P400000000000D"),
            rows!(@ $prefix, $successor, "dateTime-add-yearMonthDuration", DateTime, YearMonthDuration,
                "A point in time so many months later.", add_months,
                "dateTime:2003-12-31T09:30:15", "yearMonthDuration:P2M",
                "dateTime:2004-02-29T09:30:15",
                "yearMonthDuration:P1100000000Y"),
            rows!(@ $prefix, $successor, "dateTime-subtract-dayTimeDuration", DateTime, DayTimeDuration,
                "A point in time so much earlier.", subtract_seconds,
                "dateTime:2002-09-24T09:30:15", "dayTimeDuration:-P1DT2H",
                "dateTime:2002-09-25T11:30:15",
                "dayTimeDuration:P400000000000D"),
            rows!(@ $prefix, $successor, "dateTime-subtract-yearMonthDuration", DateTime, YearMonthDuration,
                "A point in time so many months earlier.", subtract_months,
                "dateTime:2004-03-31T00:00:00Z", "yearMonthDuration:P1Y1M",
                "dateTime:2003-02-28T00:00:00Z",
                "yearMonthDuration:P1100000000Y"),
            rows!(@ $prefix, $successor, "date-add-yearMonthDuration", Date, YearMonthDuration,
                "A date so many months later.", add_months,
                "date:2004-01-31Z", "yearMonthDuration:P1M", "date:2004-02-29Z",
                "yearMonthDuration:P1100000000Y"),
            rows!(@ $prefix, $successor, "date-subtract-yearMonthDuration", Date, YearMonthDuration,
                "A date so many months earlier.", subtract_months,
                "date:2004-02-29+01:00", "yearMonthDuration:P1Y", "date:2003-02-28+01:00",
                "yearMonthDuration:P1100000000Y"),
        ]
    };
    (@ $prefix:ident, $successor:ident, $name:literal, $type:ident, $duration:ident, $summary:literal,
        $body:ident, $start:literal, $step:literal, $end:literal, $too_far:literal) => {
        row!(
            $prefix!($name); successor!($successor, $name);
            [Type::one(DataType::$type), Type::one(DataType::$duration)] -> Type::one(DataType::$type);
            CLAUSE; $summary; Code::Plain($body);
            [$start, $step] => $end,
            [$start, $too_far] => "error",
            [$step, $start] => "error",
        )
    };
}

pub(super) const FAMILY: Family = Family {
    title: "Dates and durations",
    clause: CLAUSE,
    rows: &[&rows!(f3, none), &rows!(f1, f3)],
};

fn add_seconds<'a>(call: &Call<'a>, arguments: &[Operand<'a>]) -> Outcome<'a> {
    shift_seconds(call, arguments, Some)
}

fn subtract_seconds<'a>(call: &Call<'a>, arguments: &[Operand<'a>]) -> Outcome<'a> {
    shift_seconds(call, arguments, DayTimeDuration::checked_neg)
}

fn shift_seconds<'a>(
    call: &Call<'a>,
    arguments: &[Operand<'a>],
    sign: fn(DayTimeDuration) -> Option<DayTimeDuration>,
) -> Outcome<'a> {
    let duration = data(arguments, 1, |data| match data {
        Data::DayTimeDuration(duration) => Some(duration),
        _ => None,
    })?;
    let start = data(arguments, 0, |data| match data {
        Data::DateTime(start) => Some(start),
        _ => None,
    })?;
    match sign(duration).and_then(|duration| start.add_duration(duration)) {
        Some(end) => give(Value::new(Data::DateTime(end))),
        None => too_far(call, arguments),
    }
}

fn add_months<'a>(call: &Call<'a>, arguments: &[Operand<'a>]) -> Outcome<'a> {
    shift_months(call, arguments, Some)
}

fn subtract_months<'a>(call: &Call<'a>, arguments: &[Operand<'a>]) -> Outcome<'a> {
    shift_months(call, arguments, i64::checked_neg)
}

fn shift_months<'a>(
    call: &Call<'a>,
    arguments: &[Operand<'a>],
    sign: fn(i64) -> Option<i64>,
) -> Outcome<'a> {
    let months = data(arguments, 1, |data| match data {
        Data::YearMonthDuration(duration) => Some(duration.months),
        _ => None,
    })?;
    let end = sign(months).and_then(|months| match value(arguments, 0).ok()?.data() {
        Data::DateTime(start) => start.add_months(months).map(Data::DateTime),
        Data::Date(start) => start.add_months(months).map(Data::Date),
        _ => None,
    });
    match end {
        Some(end) => give(Value::new(end)),
        None => too_far(call, arguments),
    }
}

#[cold]
fn too_far<'a>(call: &Call<'a>, arguments: &[Operand<'a>]) -> Outcome<'a> {
    let text = |at| Ok(value(arguments, at)?.lexical(call.arena));
    let (start, step) = (text(0)?, text(1)?);
    Err(fault(call, format_args!("{start} and {step} lead beyond the years that can be named")))
}
