//! Numbers, dates and times.

use super::check;

#[test]
fn numbers() {
    check(&[
        ("1.0 integer-equal", &["integer:-0", "integer:+0"], "boolean:true"),
        (
            "1.0 integer-equal",
            &["integer:000000000000000000000000012", "integer:12"],
            "boolean:true",
        ),
        (
            "1.0 integer-equal",
            &["integer:123456789012345678901", "integer:+0123456789012345678901"],
            "boolean:true",
        ),
        (
            "1.0 integer-less-than",
            &["integer:-123456789012345678901", "integer:-9"],
            "boolean:true",
        ),
        (
            "1.0 integer-subtract",
            &["integer:-9223372036854775808", "integer:1"],
            "integer:-9223372036854775809",
        ),
        (
            "1.0 integer-multiply",
            &["integer:-9223372036854775808", "integer:-1"],
            "integer:9223372036854775808",
        ),
        ("1.0 integer-mod", &["integer:-9223372036854775808", "integer:-1"], "integer:0"),
        ("1.0 integer-mod", &["integer:7", "integer:-3"], "integer:1"),
        ("1.0 integer-mod", &["integer:7", "integer:0"], "error"),
        ("1.0 integer-divide", &["integer:7", "integer:-2"], "integer:-3"),
        ("1.0 integer-divide", &["integer:0", "integer:0"], "error"),
        ("1.0 integer-add", &["integer:1", "error:integer"], "error"),
        ("1.0 integer-add", &["integer:1", "{integer:1}"], "error"),
        ("1.0 double-add", &["double:0.1", "double:0.2"], "double:0.30000000000000004"),
        ("1.0 double-add", &["double:NaN", "double:1"], "double:NaN"),
        ("1.0 double-multiply", &["double:INF", "double:0"], "double:NaN"),
        ("1.0 double-multiply", &["double:1E308", "double:10"], "double:INF"),
        ("1.0 double-divide", &["double:INF", "double:INF"], "double:NaN"),
        ("1.0 double-divide", &["double:-1", "double:INF"], "double:-0"),
        ("1.0 double-divide", &["double:1", "double:0.0"], "error"),
        ("1.0 double-equal", &["double:NaN", "double:NaN"], "boolean:true"),
        ("1.0 double-equal", &["double:-0", "double:0"], "boolean:true"),
        ("1.0 double-equal", &["double:INF", "double:-INF"], "boolean:false"),
        ("1.0 double-greater-than", &["double:NaN", "double:1"], "boolean:false"),
        ("1.0 double-less-than-or-equal", &["double:NaN", "double:1"], "boolean:false"),
        ("1.0 double-greater-than-or-equal", &["double:INF", "double:INF"], "boolean:true"),
        ("1.0 round", &["double:-2.5"], "double:-2"),
        ("1.0 round", &["double:-INF"], "double:-INF"),
        ("1.0 floor", &["double:-0.5"], "double:-1"),
        ("1.0 double-to-integer", &["double:-0.9"], "integer:0"),
        ("1.0 double-to-integer", &["double:INF"], "error"),
        ("1.0 integer-to-double", &["integer:-5"], "double:-5"),
        ("1.0 double-equal", &["integer:1", "double:1"], "error"),
    ]);
}

#[test]
fn times() {
    check(&[
        ("1.0 time-equal", &["time:24:00:00", "time:00:00:00"], "boolean:true"),
        ("1.0 time-equal", &["time:00:00:00.000", "time:00:00:00Z"], "boolean:true"),
        ("1.0 time-less-than", &["time:08:00:00+09:00", "time:23:00:00Z"], "boolean:true"),
        ("1.0 date-equal", &["date:2001-01-01", "date:2001-01-01Z"], "boolean:true"),
        ("1.0 date-less-than", &["date:2001-01-01+14:00", "date:2001-01-01-14:00"], "boolean:true"),
        ("1.0 date-greater-than", &["date:12345-01-01", "date:9999-12-31"], "boolean:true"),
        ("1.0 date-less-than", &["date:-0044-03-15", "date:0001-01-01"], "boolean:true"),
        (
            "1.0 dateTime-equal",
            &["dateTime:1999-12-31T24:00:00Z", "dateTime:2000-01-01T00:00:00Z"],
            "boolean:true",
        ),
        (
            "1.0 dateTime-less-than",
            &["dateTime:2002-01-01T00:00:00.1", "dateTime:2002-01-01T00:00:00.12"],
            "boolean:true",
        ),
        (
            "3.0 dateTime-add-yearMonthDuration",
            &["dateTime:2000-02-29T10:00:00+02:00", "yearMonthDuration:P1Y"],
            "dateTime:2001-02-28T10:00:00+02:00",
        ),
        (
            "3.0 dateTime-add-yearMonthDuration",
            &["dateTime:2000-03-31T10:00:00", "yearMonthDuration:-P1M"],
            "dateTime:2000-02-29T10:00:00",
        ),
        (
            "3.0 date-subtract-yearMonthDuration",
            &["date:2003-05-31", "yearMonthDuration:P3M"],
            "date:2003-02-28",
        ),
        (
            "3.0 dateTime-subtract-dayTimeDuration",
            &["dateTime:2000-03-01T00:00:00Z", "dayTimeDuration:PT1S"],
            "dateTime:2000-02-29T23:59:59Z",
        ),
        (
            "1.0 dateTime-add-dayTimeDuration",
            &["dateTime:1999-12-31T23:59:59.5Z", "dayTimeDuration:PT0.5S"],
            "dateTime:2000-01-01T00:00:00Z",
        ),
        (
            "1.0 dayTimeDuration-equal",
            &["dayTimeDuration:P1D", "dayTimeDuration:PT24H"],
            "boolean:true",
        ),
        (
            "3.0 dayTimeDuration-equal",
            &["dayTimeDuration:-PT0S", "dayTimeDuration:P0D"],
            "boolean:true",
        ),
        (
            "3.0 yearMonthDuration-equal",
            &["yearMonthDuration:-P1Y", "yearMonthDuration:-P12M"],
            "boolean:true",
        ),
        ("2.0 time-in-range", &["time:23:59:59", "time:22:00:00", "time:06:00:00"], "boolean:true"),
        ("2.0 time-in-range", &["time:06:00:00", "time:22:00:00", "time:06:00:00"], "boolean:true"),
        (
            "2.0 time-in-range",
            &["time:06:00:01", "time:22:00:00", "time:06:00:00"],
            "boolean:false",
        ),
        ("2.0 time-in-range", &["time:00:00:00", "time:24:00:00", "time:00:00:00"], "boolean:true"),
        (
            "2.0 time-in-range",
            &["time:23:30:00-01:00", "time:00:00:00Z", "time:01:00:00Z"],
            "boolean:true",
        ),
        ("2.0 time-in-range", &["time:10:00:00Z", "time:09:00:00", "date:2001-01-01"], "error"),
    ]);
}
