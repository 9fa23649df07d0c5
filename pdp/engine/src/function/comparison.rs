//! Order of numbers, strings and times (XACML 3.0 appendix A.3.6 and A.3.8).

use super::arguments::{Outcome, data, give_boolean};
use super::row::BOOLEAN;
use super::{Code, Family, Order, Row, Type};
use crate::value::{DAY_NANOS, Data, DataType, Operand, Time};

macro_rules! rows {
    ($name:literal, $type:ident, $clause:literal, $low:literal, $high:literal, $same:literal) => {
        [
            rows!(@ $name, $type, $clause, "-greater-than", "comes after", Greater, $low, $high, $same,
                "true", "false", "false"),
            rows!(@ $name, $type, $clause, "-greater-than-or-equal", "comes after or equals",
                GreaterOrEqual, $low, $high, $same, "true", "false", "true"),
            rows!(@ $name, $type, $clause, "-less-than", "comes before", Less, $low, $high, $same,
                "false", "true", "false"),
            rows!(@ $name, $type, $clause, "-less-than-or-equal", "comes before or equals",
                LessOrEqual, $low, $high, $same, "false", "true", "true"),
        ]
    };
    (@ $name:literal, $type:ident, $clause:literal, $suffix:literal, $words:literal, $body:ident,
        $low:literal, $high:literal, $same:literal, $down:literal, $up:literal, $level:literal) => {
        row!(
            f1!($name, $suffix); None;
            [Type::one(DataType::$type), Type::one(DataType::$type)] -> BOOLEAN;
            $clause; concat!("Whether the first ", $name, " ", $words, " the second.");
            Code::Order(Order::$body);
            [concat!($name, ":", $high), concat!($name, ":", $low)] => concat!("boolean:", $down),
            [concat!($name, ":", $low), concat!($name, ":", $high)] => concat!("boolean:", $up),
            [concat!($name, ":", $low), concat!($name, ":", $same)] => concat!("boolean:", $level),
            [concat!($name, ":", $low)] => "error",
        )
    };
}

const NUMBERS: &[&[Row]] = &[
    &rows!("integer", Integer, "A.3.6", "-7", "8", "-07"),
    &rows!("double", Double, "A.3.6", "-7.5", "INF", "-75E-1"),
];

const OTHERS: &[&[Row]] = &[
    &rows!("string", String, "A.3.8", "Zoe", "anna", "Zoe"),
    &rows!("time", Time, "A.3.8", "10:00:00+02:00", "09:00:00Z", "08:00:00Z"),
    &rows!(
        "dateTime",
        DateTime,
        "A.3.8",
        "2002-09-24T09:30:15Z",
        "2002-09-24T09:30:15-01:00",
        "2002-09-24T10:30:15+01:00"
    ),
    &rows!("date", Date, "A.3.8", "2002-09-24+01:00", "2002-09-24Z", "2002-09-24+01:00"),
];

const TIME: Type = Type::one(DataType::Time);

const RANGES: &[Row] = &[
    row!(
        f2!("time-in-range"); None; [TIME, TIME, TIME] -> BOOLEAN;
        "A.3.8"; "Whether a time is at or between two others; the range may cross midnight. Bounds without a zone take that of the first time.";
        Code::Plain(|call, arguments| {
            let zone = call.settings.implicit_zone;
            let zone = data(arguments, 0, time)?.0.zone.unwrap_or(zone);
            in_range(arguments, zone)
        });
        ["time:09:30:00", "time:09:00:00", "time:10:00:00"] => "boolean:true",
        ["time:23:00:00", "time:22:00:00", "time:06:00:00"] => "boolean:true",
        ["time:12:00:00", "time:22:00:00", "time:06:00:00"] => "boolean:false",
        ["time:09:30:00+05:00", "time:09:00:00", "time:10:00:00"] => "boolean:true",
        ["time:09:30:00", "time:09:00:00"] => "error",
    ),
    row!(
        f3!("time-in-recurring-range"); None; [TIME, TIME, TIME] -> BOOLEAN;
        "ONAP"; "Whether a time is at or between two others, all three taken in UTC; the range may cross midnight.";
        Code::Plain(|call, arguments| in_range(arguments, call.settings.implicit_zone));
        ["time:08:30:00Z", "time:09:00:00+01:00", "time:10:00:00+01:00"] => "boolean:true",
        ["time:02:00:00Z", "time:22:00:00Z", "time:06:00:00Z"] => "boolean:true",
        ["time:12:00:00Z", "time:22:00:00Z", "time:06:00:00Z"] => "boolean:false",
        ["time:09:30:00Z"] => "error",
    ),
];

pub(super) const FAMILIES: [Family; 3] = [
    Family { title: "Order of numbers", clause: "A.3.6", rows: NUMBERS },
    Family { title: "Order of strings and times", clause: "A.3.8", rows: OTHERS },
    Family { title: "Ranges of time", clause: "A.3.8", rows: &[RANGES] },
];

const fn time(data: Data<'_>) -> Option<Time> {
    match data {
        Data::Time(time) => Some(time),
        _ => None,
    }
}

/// Going round the clock from the lower bound, the time comes no later than the upper one.
fn in_range<'a>(arguments: &[Operand<'a>], zone: i16) -> Outcome<'a> {
    let at = |index| Ok(data(arguments, index, time)?.nanos_of_day(zone));
    let (point, lower, upper) = (at(0)?, at(1)?, at(2)?);
    let after_lower = |nanos: u64| (nanos + DAY_NANOS - lower) % DAY_NANOS;
    give_boolean(after_lower(point) <= after_lower(upper))
}
