//! Whether the run is worth judging: it ran to its end, the clock stood firm, the generator was
//! not the limit.

use super::rules::{Metric, Rule};
use super::{Case, exit};
use crate::measure::record::{RunRecord, Verdict, VerdictResult};
use crate::units::{Micros, Seconds, three_digits};

/// The end reason of a run that lasted as long as planned.
pub const PLANNED: &str = "planned length reached";
/// The end reason of a run in which every user has sent its number of requests.
pub const ALL_REQUESTS: &str = "planned number of requests reached";
/// The end reason of a run that met its deadline.
pub const DEADLINE: &str = "the deadline was reached";
/// The end reason in a report that was written while the run went on: it stays if the run never ends.
pub const UNFINISHED: &str = "the run had not ended when this was written,";
/// The start of the end reason of a run that somebody stopped.
pub const INTERRUPTED: &str = "interrupted";

/// A step of the wall clock by more than this spoils time windows and series.
const CLOCK_TOLERANCE_MS: f64 = 2000.0;
/// So much of the steady phase may be limited by the generator before a speed rule means nothing.
const LIMITED_TOLERANCE_PCT: f64 = 10.0;

/// The run ended as planned.
pub(super) fn complete(record: &RunRecord) -> Verdict {
    let run = &record.run;
    let interrupted = run.end_reason.starts_with(INTERRUPTED);
    let case = Case {
        id: "run-complete",
        rule: "the run lasts as planned",
        limit: Seconds(run.planned_s).to_string(),
        exit_code: if interrupted { exit::INTERRUPTED } else { exit::RULE },
    };
    let observed = Seconds(run.actual_s).to_string();
    if run.end_reason == PLANNED || run.end_reason == ALL_REQUESTS {
        case.settle(VerdictResult::Pass, observed, &run.end_reason)
    } else {
        let why = format!("{} after {observed} of {}", run.end_reason, Seconds(run.planned_s));
        case.settle(VerdictResult::Fail, observed, why)
    }
}

/// The wall clock and the monotonic clock agreed.
pub(super) fn clock(record: &RunRecord) -> Verdict {
    let drift = record.run.clock_drift_ms;
    let case = Case {
        id: "clock",
        rule: "the clock is not set during the run",
        limit: "within 2 s".to_owned(),
        exit_code: exit::INVALID,
    };
    // Rounded first, so that no minus stands before a zero.
    let observed = format!("{:+} ms", drift.round() as i64);
    if drift.abs() <= CLOCK_TOLERANCE_MS {
        case.settle(VerdictResult::Pass, observed, "wall clock and monotonic clock agree")
    } else {
        let why = format!("the wall clock was set by {observed} during the run");
        case.settle(VerdictResult::Fail, observed, why)
    }
}

/// The generator left room, where a rule on speed was given.
pub(super) fn generator(record: &RunRecord, rules: &[Rule]) -> Verdict {
    let limited = record.totals.generator_limited_pct;
    // These two modes are about speed, whatever the rules.
    let by_mode = matches!(record.run.mode.as_str(), "ramp" | "rate");
    let speed_rule = by_mode
        || rules.iter().any(|rule| {
            matches!(
                rule.metric,
                Metric::Percentile(_) | Metric::Average | Metric::Max | Metric::Tps
            )
        });
    let case = Case {
        id: "generator",
        rule: "the generator is not the limit",
        limit: format!("<= {LIMITED_TOLERANCE_PCT} % of intervals"),
        exit_code: exit::INVALID,
    };
    let observed = format!("{} % of intervals", three_digits(limited));
    if limited <= LIMITED_TOLERANCE_PCT {
        case.settle(
            VerdictResult::Pass,
            observed,
            "the generator stayed below 85 % of the CPU it may use",
        )
    } else if speed_rule {
        let why = format!(
            "the load generator was the limit in {observed}, so latency and throughput rules mean nothing"
        );
        case.settle(VerdictResult::Fail, observed, why)
    } else {
        let why =
            format!("the load generator was the limit in {observed}; no rule on speed was given");
        case.settle(VerdictResult::Skip, observed, why)
    }
}

/// Requests that are let go later than this, at the 99th percentile, spoil their intended times.
const LATE_US: u64 = 20_000;

/// The scheduler of intended times kept them.
pub(super) fn schedule(record: &RunRecord) -> Option<Verdict> {
    let lag = record.rate.as_ref()?.scheduler_lag_us.as_ref()?;
    let case = Case {
        id: "schedule",
        rule: "requests are let go when they are due",
        limit: format!("p99 <= {}", Micros(LATE_US as f64)),
        exit_code: exit::INVALID,
    };
    let observed = Micros(lag.p99 as f64).to_string();
    Some(if lag.p99 <= LATE_US {
        case.settle(VerdictResult::Pass, observed, "the scheduler kept its times")
    } else {
        let why = format!("the generator let requests go late by {observed} (99th percentile)");
        case.settle(VerdictResult::Fail, observed, why)
    })
}
