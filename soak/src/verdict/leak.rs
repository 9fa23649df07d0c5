//! Leaks: growth that goes on. Memory, descriptors and threads each have a verdict.
//!
//! A series leaks if the lower end of its slope's interval lies above the tolerance in the whole
//! steady part and in the last half of it. Growth that stops is a step, not a leak.

use super::rules::Rule;
use super::stats::{Point, Slope, theil_sen, thin};
use super::{Case, exit};
use crate::measure::record::{ProcessSample, RunRecord, Verdict, VerdictResult};
use crate::units::{Bytes, Seconds, three_digits};

/// What `leak = none` allows a memory series to grow.
pub(super) const TOLERANCE_BYTES_PER_MINUTE: f64 = 4096.0;

/// The least that is left out at the start, unless a rule is content with less.
const SETTLES_WITHIN_S: f64 = 60.0;
/// Fewer samples say nothing about a leak.
const FEWEST_SAMPLES: usize = 30;
/// The medians that a long series is reduced to.
const MOST_POINTS: usize = 120;

pub(super) fn judge(record: &RunRecord, rule: &Rule) -> Vec<Verdict> {
    let (name, memory) = memory(record, rule);
    let descriptors = series(record, rule, |sample| sample.fds.map(|count| count as f64));
    let threads = series(record, rule, |sample| sample.threads.map(|count| count as f64));
    vec![
        verdict(record, rule, "leak-memory", name, &memory, rule.limit, Unit::Bytes),
        verdict(
            record,
            rule,
            "leak-descriptors",
            "open descriptors",
            &descriptors,
            0.0,
            Unit::Count,
        ),
        verdict(record, rule, "leak-threads", "threads", &threads, 0.0, Unit::Count),
    ]
}

/// The part of the load that leak and drift look at: from the first max(60 s, 10 %) on, to the end
/// of the steady phase. A rule that is content with less than a minute leaves out no more than that.
pub(super) fn settled(record: &RunRecord, rule: &Rule) -> (f64, f64) {
    let length = record.run.actual_s.min(record.run.planned_s);
    ((length * 0.1).max(SETTLES_WITHIN_S.min(rule.over_s)), length)
}

/// Why a stretch is too short for a verdict, if it is.
pub(super) fn too_short(record: &RunRecord, rule: &Rule, samples: usize) -> Option<String> {
    if !record.steps.is_empty() {
        return Some("the load changes from step to step".to_owned());
    }
    let (from, to) = settled(record, rule);
    let length = (to - from).max(0.0);
    if length < rule.over_s {
        let needed = Seconds(rule.over_s);
        return Some(format!("needs {needed} of settled load, had {}", Seconds(length)));
    }
    (samples < FEWEST_SAMPLES).then(|| format!("needs {FEWEST_SAMPLES} samples, had {samples}"))
}

/// The best memory series that there is: the allocator's view, else anonymous memory, else, from a
/// metrics page, resident memory.
fn memory(record: &RunRecord, rule: &Rule) -> (&'static str, Vec<Point>) {
    let allocated = |sample: &ProcessSample| sample.heap.as_ref()?.allocated;
    let heap = series(record, rule, |sample| allocated(sample).map(|bytes| bytes as f64));
    let anon = series(record, rule, |sample| sample.anon.map(|bytes| bytes as f64));
    let rss = series(record, rule, |sample| sample.rss.map(|bytes| bytes as f64));
    let most = heap.len().max(anon.len()).max(rss.len());
    // A series with holes gives way to one without.
    let whole = |series: &[Point]| !series.is_empty() && series.len() * 10 >= most * 9;
    if whole(&heap) {
        ("allocated memory", heap)
    } else if whole(&anon) {
        ("anonymous memory", anon)
    } else {
        (if rss.is_empty() { "memory" } else { "resident memory" }, rss)
    }
}

fn series(
    record: &RunRecord,
    rule: &Rule,
    value: impl Fn(&ProcessSample) -> Option<f64>,
) -> Vec<Point> {
    let (from, to) = settled(record, rule);
    let samples =
        record.resources.server.iter().filter(|sample| sample.t >= from && sample.t <= to + 0.5);
    samples.filter_map(|sample| Some((sample.t, value(sample)?))).collect()
}

#[derive(Clone, Copy)]
enum Unit {
    Bytes,
    Count,
}

impl Unit {
    fn per_minute(self, slope: f64) -> String {
        match self {
            Self::Bytes => {
                format!("{}{}/min", if slope >= 0.0 { "+" } else { "" }, Bytes(slope * 60.0))
            }
            Self::Count => {
                format!("{}{}/min", if slope >= 0.0 { "+" } else { "" }, three_digits(slope * 60.0))
            }
        }
    }
}

fn verdict(
    record: &RunRecord,
    rule: &Rule,
    id: &str,
    name: &str,
    points: &[Point],
    tolerance_per_minute: f64,
    unit: Unit,
) -> Verdict {
    let mut case = Case::of(rule, id, exit::LEAK);
    case.limit = format!("<= {}", unit.per_minute(tolerance_per_minute / 60.0));
    if let Some(why) = too_short(record, rule, points.len()) {
        return case.skip(format!("{name}: {why}"));
    }
    let whole = thin(points, MOST_POINTS);
    let half_time = (points[0].0 + points[points.len() - 1].0) / 2.0;
    let last_half: Vec<Point> = points.iter().copied().filter(|(t, _)| *t >= half_time).collect();
    let (Some(slope), Some(half)) = (theil_sen(&whole), theil_sen(&thin(&last_half, MOST_POINTS)))
    else {
        return case.skip(format!("{name}: too few samples"));
    };
    let observed = describe(record, slope, unit);
    let tolerance = tolerance_per_minute / 60.0;
    if slope.low > tolerance && half.low > tolerance {
        let why = format!("{name} grows: {observed}");
        case.settle(VerdictResult::Fail, observed, why)
    } else if stands_higher(&whole, tolerance) {
        let half = describe(record, half, unit);
        let why = format!("{name} took a step and stayed: in the last half {half}");
        case.settle(VerdictResult::Pass, observed, why)
    } else {
        let why = match slope.low > 0.0 {
            true => format!("{name} grows no more than is allowed: {observed}"),
            false => format!("{name} does not grow: {observed}"),
        };
        case.settle(VerdictResult::Pass, observed, why)
    }
}

/// Whether all of the last quarter lies above all of the first, and by more than the tolerance explains.
fn stands_higher(points: &[Point], tolerance: f64) -> bool {
    let quarter = points.len() / 4;
    let allowed = tolerance * (points[points.len() - 1].0 - points[0].0);
    let values = |points: &[Point]| points.iter().map(|point| point.1).collect::<Vec<f64>>();
    let first = values(&points[..quarter]).into_iter().reduce(f64::max);
    let last = values(&points[points.len() - quarter..]).into_iter().reduce(f64::min);
    first.zip(last).is_some_and(|(first, last)| last > first + allowed)
}

fn describe(record: &RunRecord, slope: Slope, unit: Unit) -> String {
    let mut text = format!(
        "{} (95 %: {} to {})",
        unit.per_minute(slope.median),
        unit.per_minute(slope.low),
        unit.per_minute(slope.high)
    );
    let tps = record.totals.all.tps_mean;
    if matches!(unit, Unit::Bytes) && tps > 0.0 {
        text.push_str(&format!(", {} bytes per request", three_digits(slope.median / tps)));
    }
    text
}
