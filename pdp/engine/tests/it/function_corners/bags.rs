//! Bags, sets, logic and functions that apply functions.

use super::check;

#[test]
fn bags_and_sets() {
    check(&[
        ("1.0 integer-one-and-only", &["{integer:1, integer:1}"], "error"),
        ("1.0 integer-one-and-only", &["{integer}"], "error"),
        ("1.0 integer-is-in", &["integer:01", "{integer:2, integer:1}"], "boolean:true"),
        ("1.0 string-bag", &["string:a", "{string:b}"], "error"),
        (
            "1.0 integer-intersection",
            &["{integer:1, integer:01, integer:2}", "{integer:+1, integer:3}"],
            "{integer:1}",
        ),
        ("1.0 integer-intersection", &["{integer}", "{integer}"], "{integer}"),
        (
            "1.0 integer-union",
            &["{integer:1, integer:1}", "{integer}", "{integer:01}"],
            "{integer:1}",
        ),
        (
            "1.0 double-union",
            &["{double:NaN, double:0}", "{double:NaN, double:-0}"],
            "{double:NaN, double:0}",
        ),
        ("1.0 string-subset", &["{string}", "{string}"], "boolean:true"),
        ("1.0 string-subset", &["{string:a, string:a}", "{string:a}"], "boolean:true"),
        ("1.0 string-set-equals", &["{string:a, string:a}", "{string:a}"], "boolean:true"),
        ("1.0 string-set-equals", &["{string}", "{string:a}"], "boolean:false"),
        ("1.0 string-at-least-one-member-of", &["{string}", "{string:a}"], "boolean:false"),
        (
            "1.0 time-at-least-one-member-of",
            &["{time:09:00:00+01:00}", "{time:08:00:00Z}"],
            "boolean:true",
        ),
        (
            "1.0 dayTimeDuration-bag-size",
            &["{dayTimeDuration:P1D, dayTimeDuration:PT24H}"],
            "integer:2",
        ),
        (
            "3.0 yearMonthDuration-union",
            &["{yearMonthDuration:P1Y}", "{yearMonthDuration:P12M}"],
            "{yearMonthDuration:P1Y}",
        ),
        ("2.0 ipAddress-bag-size", &["{ipAddress:10.0.0.1, ipAddress:10.0.0.1}"], "integer:2"),
    ]);
}

#[test]
fn logic_and_higher_order() {
    const EQUAL: &str = "function:1.0 string-equal";
    const GREATER: &str = "function:1.0 integer-greater-than";
    const NUMBER: &str = "function:3.0 integer-from-string";
    check(&[
        ("1.0 and", &["error:boolean", "boolean:false"], "boolean:false"),
        ("1.0 or", &["error:boolean", "boolean:true"], "boolean:true"),
        ("1.0 or", &["error:boolean", "boolean:false"], "error"),
        ("1.0 n-of", &["integer:-1", "boolean:true"], "error"),
        ("1.0 n-of", &["integer:1"], "error"),
        ("1.0 n-of", &["integer:1", "error:boolean", "boolean:false"], "error"),
        ("1.0 n-of", &["error:integer", "boolean:true"], "error"),
        ("3.0 any-of", &[EQUAL, "string:a", "{string}"], "boolean:false"),
        ("3.0 any-of", &[EQUAL, "{string:b, string:a}", "string:a"], "boolean:true"),
        ("3.0 any-of", &["function:1.0 not", "{boolean:true, boolean:false}"], "boolean:true"),
        (
            "3.0 all-of",
            &["function:1.0 and", "boolean:true", "{boolean:true}", "boolean:false"],
            "boolean:false",
        ),
        (
            "3.0 all-of",
            &["function:2.0 time-in-range", "{time:09:00:00}", "time:08:00:00", "time:10:00:00"],
            "boolean:true",
        ),
        ("1.0 all-of", &[GREATER, "integer:3", "{integer:1, integer:2}"], "boolean:true"),
        ("3.0 any-of-any", &[EQUAL, "{string:a}", "{string}"], "boolean:false"),
        ("3.0 any-of-any", &[EQUAL, "string:a", "string:a"], "boolean:true"),
        (
            "1.0 any-of-any",
            &[EQUAL, "{string:a, string:b}", "{string:c, string:b}"],
            "boolean:true",
        ),
        ("1.0 all-of-any", &[GREATER, "{integer}", "{integer}"], "boolean:true"),
        ("1.0 all-of-any", &[GREATER, "{integer:1}", "{integer}"], "boolean:false"),
        ("1.0 any-of-all", &[GREATER, "{integer:1}", "{integer}"], "boolean:true"),
        ("1.0 any-of-all", &[GREATER, "{integer}", "{integer}"], "boolean:false"),
        ("1.0 all-of-all", &[GREATER, "{integer}", "{integer:1}"], "boolean:true"),
        (
            "1.0 all-of-all",
            &["function:1.0 string-regexp-match", "{string:a, string:b}", "{string:ab}"],
            "boolean:true",
        ),
        (
            "1.0 all-of-all",
            &["function:1.0 string-regexp-match", "{string:(, string:b}", "{string:ab}"],
            "error",
        ),
        (
            "3.0 any-of",
            &["function:1.0 string-regexp-match", "{string:(, string:b}", "string:ab"],
            "boolean:true",
        ),
        ("3.0 map", &[NUMBER, "{string:1, string:1}"], "{integer:1, integer:1}"),
        ("3.0 map", &[NUMBER, "{string}"], "{integer}"),
        ("3.0 map", &[NUMBER, "{string:1, string:x}"], "error"),
        (
            "3.0 map",
            &["function:1.0 integer-add", "integer:1", "{integer:1, integer:2}", "integer:10"],
            "{integer:12, integer:13}",
        ),
        ("1.0 map", &["function:1.0 round", "{double:0.5, double:1.5}"], "{double:0, double:2}"),
        ("3.0 map", &["function:1.0 string-bag", "{string:a}"], "error"),
        ("3.0 any-of", &["function:1.0 integer-add", "integer:1", "{integer:1}"], "error"),
        ("3.0 any-of", &["function:3.0 any-of", "string:a", "{string:a}"], "error"),
        ("3.0 any-of", &["string:a", "{string:a}"], "error"),
    ]);
}
