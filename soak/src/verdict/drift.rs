//! Drift: latency that rises, or throughput that falls, through the settled part of the run.
//!
//! A series drifts if its last quarter is worse than its first by more than the limit and the
//! slope's interval excludes zero; either alone is noise or too small to matter.

use super::leak::{settled, too_short};
use super::rules::{Rule, Scope};
use super::stats::{Point, median, theil_sen, thin};
use super::{Case, exit};
use crate::measure::record::{Bucket, Interval, RunRecord, Verdict, VerdictResult};
use crate::units::{Micros, PerSecond};

const MOST_POINTS: usize = 120;

/// Latency drift at the median and at the 99th percentile.
pub(super) fn judge(record: &RunRecord, rule: &Rule) -> Vec<Verdict> {
    let p50 = series(record, rule, |bucket, _| bucket.p50 as f64);
    let p99 = series(record, rule, |bucket, _| bucket.p99 as f64);
    let show = |us: f64| Micros(us).to_string();
    vec![
        verdict(record, rule, "drift-p50", &format!("p50 of {}", rule.scope), &p50, 1.0, show),
        verdict(record, rule, "drift-p99", &format!("p99 of {}", rule.scope), &p99, 1.0, show),
    ]
}

/// Throughput drift.
pub(super) fn judge_throughput(record: &RunRecord, rule: &Rule) -> Verdict {
    let tps = series(record, rule, |bucket, length_s| bucket.n as f64 / length_s);
    let name = format!("throughput of {}", rule.scope);
    verdict(record, rule, "drift-tps", &name, &tps, -1.0, |tps| format!("{}/s", PerSecond(tps)))
}

/// `worse` is 1 if a rising series is worse, -1 if a falling one is.
fn verdict(
    record: &RunRecord,
    rule: &Rule,
    id: &str,
    name: &str,
    points: &[Point],
    worse: f64,
    show: impl Fn(f64) -> String,
) -> Verdict {
    let case = Case::of(rule, id, exit::LEAK);
    if let Some(why) = too_short(record, rule, points.len()) {
        return case.skip(format!("{name}: {why}"));
    }
    let quarter = points.len() / 4;
    let values = |points: &[Point]| points.iter().map(|point| point.1).collect::<Vec<f64>>();
    let first = median(&values(&points[..quarter])).unwrap_or_default();
    let last = median(&values(&points[points.len() - quarter..])).unwrap_or_default();
    let Some(slope) = theil_sen(&thin(points, MOST_POINTS)) else {
        return case.skip(format!("{name}: too few samples"));
    };
    if first <= 0.0 {
        return case.without_samples("the first quarter measured nothing");
    }
    let change_pct = (last - first) / first * 100.0;
    let observed = rule.show(change_pct);
    let told = format!("{name} went from {} to {} ({observed})", show(first), show(last));
    let certain = if worse > 0.0 { slope.low > 0.0 } else { slope.high < 0.0 };
    if rule.op.holds(change_pct * worse, rule.limit) {
        case.settle(VerdictResult::Pass, observed, told)
    } else if certain {
        case.settle(VerdictResult::Fail, observed, told)
    } else {
        let why = format!("{told}, but without a trend: the slope's interval holds zero");
        case.settle(VerdictResult::Pass, observed, why)
    }
}

fn series(record: &RunRecord, rule: &Rule, value: impl Fn(&Bucket, f64) -> f64) -> Vec<Point> {
    let (from, _) = settled(record, rule);
    record
        .steady()
        .filter(|row| row.t >= from)
        .filter_map(|row| {
            let bucket = bucket(row, rule.scope)?;
            (bucket.n > 0).then(|| (row.t, value(bucket, row.length_s)))
        })
        .collect()
}

fn bucket(row: &Interval, scope: Scope) -> Option<&Bucket> {
    match scope {
        Scope::Decisions => Some(&row.decisions),
        Scope::Endpoint(endpoint) => row.endpoints.get(endpoint.name()),
        Scope::All => Some(&row.buc),
        // Not kept by interval; the rules file refuses it.
        Scope::Probes => None,
    }
}
