//! Rules as they are written, and mistakes with their places.

use super::*;
use crate::verdict::rules::DEFAULT;

fn one(text: &str) -> Rule {
    parse(text).expect(text).pop().expect("one rule")
}

#[test]
fn every_kind_of_rule_is_read() {
    let read = |text: &str| {
        let rule = one(text);
        (rule.metric, rule.op, rule.limit, rule.scope)
    };
    assert_eq!(
        read("p99<5ms for decision"),
        (Metric::Percentile(99.0), Op::Less, 5e3, Scope::Decisions)
    );
    assert_eq!(
        read("p99.9 < 20ms during steady"),
        (Metric::Percentile(99.9), Op::Less, 2e4, Scope::All)
    );
    assert_eq!(read("avg<=1s for monitoring").3, Scope::Endpoint(Endpoint::Monitoring));
    assert_eq!(read("error-rate<0.1%"), (Metric::ErrorRate, Op::Less, 0.1, Scope::All));
    assert_eq!(
        read("tps>=2000 for decisions"),
        (Metric::Tps, Op::AtLeast, 2000.0, Scope::Decisions)
    );
    assert_eq!(read("first<250ms").0, Metric::First);
    assert_eq!(read("rss_delta<16MiB").2, 16.0 * 1048576.0);
    assert_eq!(read("fds_delta<=2").2, 2.0);
    assert_eq!(read("cpu_per_request<200us").2, 200.0);
    assert_eq!(read("leak=none"), (Metric::Leak, Op::Equal, 4096.0, Scope::All));
    assert_eq!(read("leak < 16KiB/min").2, 16384.0);
    assert_eq!(read("drift<20%"), (Metric::Drift, Op::Less, 20.0, Scope::Decisions));
    assert_eq!(read("errors<=0 for probes").3, Scope::Probes);
    let phase = |text: &str| one(text).phase;
    assert_eq!(phase("p99.9 < 20ms during steady"), Some(PhaseName::Steady));
    assert_eq!(phase("max<1s for probes during warmup"), Some(PhaseName::Warmup));
    assert_eq!((phase("p50<1ms"), one("p50<1ms").over_s), (None, 600.0));
    assert_eq!(one("leak < 1MiB/min over 2m").over_s, 120.0);
    assert_eq!(one("drift<20% for decisions over 90s").over_s, 90.0);
}

#[test]
fn the_default_rules_are_rules() {
    assert_eq!(parse(DEFAULT).expect("the default rules").len(), 4);
    let hints = DEFAULT.lines().filter_map(|line| line.strip_prefix("#   "));
    for rule in
        hints.flat_map(|line| line.split("  ")).map(str::trim).filter(|text| !text.is_empty())
    {
        one(rule);
    }
}

#[test]
fn mistakes_are_told_all_at_once_with_line_and_column() {
    let errors = parse(
        "p99<5ms\n  p99 < 5\n# fine\nspeed>3\nerror-rate<1ms\ntps>>3\nrss_delta<1MiB for all\n",
    )
    .expect_err("five mistakes");
    let places: Vec<(usize, usize)> =
        errors.iter().map(|error| (error.line, error.column)).collect();
    assert_eq!(places, [(2, 10), (4, 1), (5, 13), (6, 4), (7, 20)]);
    assert!(errors[0].message.contains("a unit is missing"), "{}", errors[0].message);
    assert!(errors[1].message.contains("`speed` is not a metric"), "{}", errors[1].message);
}

#[test]
fn limits_that_make_no_sense_are_refused_at_their_place() {
    let text = "p99 < -5ms\nerror-rate < 200%\nmax<0s\ntps >= 0\nleak < -1KiB/min\ndrift < -5%\n";
    let errors = parse(text).expect_err("six mistakes");
    let places: Vec<(usize, usize)> =
        errors.iter().map(|error| (error.line, error.column)).collect();
    assert_eq!(places, [(1, 7), (2, 14), (3, 5), (4, 8), (5, 8), (6, 9)]);
    for text in ["", "\n", "# only a comment\n"] {
        let errors = parse(text).expect_err("no rule");
        assert_eq!((errors[0].line, errors[0].column), (1, 1), "{text:?}");
    }
    for text in ["rss_delta < -1MiB", "fds_delta<=-1", "error-rate<=0%", "errors<=0", "drift<150%"]
    {
        one(text);
    }
}

#[test]
fn a_rule_that_cannot_be_is_refused() {
    for text in [
        "p100<1s",
        "p0<1s",
        "px<1s",
        "p99 1ms",
        "p99<",
        "p99<fastms",
        "p99<1ms for everyone",
        "p99<1ms for",
        "p99<1ms during cooldown",
        "first<1ms during warmup",
        "rss_delta<1MiB during steady",
        "leak=none during warmup",
        "p99<1ms over 60s",
        "leak=none over",
        "leak=none over 5",
        "p99<1ms please",
        "leak>none",
        "leak=5KiB/min",
        "leak<5KiB",
        "drift>20%",
        "drift<20% for probes",
        "tps>=5%",
        "<5",
    ] {
        assert!(parse(text).is_err(), "{text}");
    }
}
