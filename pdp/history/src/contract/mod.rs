//! What every backend must do, as checks that run against any of them.
//!
//! A check uses keys of its own, so it needs no empty history, but one that keeps rows for 400 days.
//! Where a backend measures windows on a
//! clock of its own, times at the very ends of a window cannot be asked for; [`Subject::exact`] says
//! whether they can.

mod permits;
mod rows;

use jiff::{SignedDuration, Timestamp};
use pdp_onap::history::{
    HistoryError, Operation, OperationHistory, OperationKey, Progress, Window,
};

/// A backend under test.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'s> {
    /// The backend.
    pub history: &'s dyn OperationHistory,
    /// It measures windows on the instant that it is given, to the nanosecond.
    pub exact: bool,
    /// Told apart from earlier runs against the same store.
    pub run: &'s str,
}

/// A check of the contract.
#[derive(Clone, Copy, Debug)]
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// Runs it; what is wrong, where something is.
    pub run: fn(&Subject<'_>) -> Result<(), String>,
}

/// The contract.
pub const CHECKS: &[Check] = &[
    Check { name: "an_unknown_key_counts_zero", run: an_unknown_key_counts_zero },
    Check { name: "what_ended_in_the_window_counts", run: what_ended_in_the_window_counts },
    Check { name: "both_ends_of_the_window_count", run: both_ends_of_the_window_count },
    Check { name: "late_records_count_by_their_end", run: late_records_count_by_their_end },
    Check { name: "what_never_counts", run: what_never_counts },
    Check { name: "every_outcome_but_refused_counts", run: every_outcome_but_refused_counts },
    Check { name: "keys_are_kept_apart", run: keys_are_kept_apart },
    Check {
        name: "the_control_loop_is_no_part_of_the_key",
        run: the_control_loop_is_no_part_of_the_key,
    },
    Check {
        name: "the_last_outcome_is_that_of_the_latest_start",
        run: the_last_outcome_is_that_of_the_latest_start,
    },
    Check { name: "an_unknown_loop_has_no_outcome", run: an_unknown_loop_has_no_outcome },
    Check { name: "rows_are_listed_latest_first", run: rows::are_listed_latest_first },
    Check { name: "listings_filter_and_stop", run: rows::filter_and_stop },
    Check { name: "windows_of_every_unit", run: windows_of_every_unit },
    Check { name: "pruned_rows_are_gone", run: pruned_rows_are_gone },
    Check { name: "permits_count_to_their_limit", run: permits::count_to_their_limit },
    Check { name: "permits_hold_every_limit", run: permits::hold_every_limit },
    Check { name: "permits_are_recorded_once", run: permits::are_recorded_once },
    Check { name: "a_request_is_permitted_once", run: permits::one_request_at_once },
    Check { name: "permits_of_a_request_are_found", run: permits::are_found },
    Check { name: "permits_are_rows", run: permits::are_rows },
    Check { name: "permits_count_what_others_record", run: permits::count_what_others_record },
    Check { name: "permits_never_exceed_their_limit", run: permits::never_exceed_their_limit },
];

/// Runs the contract.
///
/// # Errors
/// Every check that failed, and why.
pub fn run(subject: &Subject<'_>) -> Result<(), Vec<String>> {
    let failed: Vec<String> = CHECKS
        .iter()
        .filter_map(|check| {
            (check.run)(subject).err().map(|reason| format!("{}: {reason}", check.name))
        })
        .collect();
    if failed.is_empty() { Ok(()) } else { Err(failed) }
}

impl Subject<'_> {
    fn actor(&self, check: &str) -> String {
        format!("{check} {}", self.run)
    }

    fn row(&self, check: &str, end: Option<Timestamp>) -> Operation {
        Operation {
            closed_loop_name: Some(self.actor(check)),
            actor: Some(self.actor(check)),
            operation: Some("Restart".to_owned()),
            target: Some("vnf-1".to_owned()),
            start_time: end.map(|end| ago(end, 20)),
            outcome: Some("Success".to_owned()),
            end_time: end,
            ..Operation::default()
        }
    }

    fn record(&self, row: Operation) -> Result<(), String> {
        self.history.record(row).map_err(|error| error.to_string())
    }

    fn count_at(&self, check: &str, seconds: i64, now: Timestamp) -> Result<u64, String> {
        let actor = self.actor(check);
        let key = OperationKey { actor: &actor, operation: "Restart", target: "vnf-1" };
        let window = Window::of_seconds(seconds).ok_or("the window is impossible")?;
        self.history.count_recent(key, window, now).map_err(|error| error.to_string())
    }

    fn count(&self, check: &str, seconds: i64) -> Result<u64, String> {
        self.count_at(check, seconds, self.history.now())
    }
}

fn ago(time: Timestamp, seconds: i64) -> Timestamp {
    time.checked_sub(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MIN)
}

fn expect<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what}: expected {expected:?}, found {found:?}"))
    }
}

fn an_unknown_key_counts_zero(subject: &Subject<'_>) -> Result<(), String> {
    expect("the count", subject.count("unknown", 3600)?, 0)
}

fn what_ended_in_the_window_counts(subject: &Subject<'_>) -> Result<(), String> {
    let now = subject.history.now();
    for seconds in [5, 50, 500, 5000] {
        subject.record(subject.row("window", Some(ago(now, seconds))))?;
    }
    expect("the last 30 seconds", subject.count("window", 30)?, 1)?;
    expect("the last 300 seconds", subject.count("window", 300)?, 2)?;
    expect("the last hour", subject.count("window", 3600)?, 3)?;
    expect("the last day", subject.count("window", 86_400)?, 4)
}

fn both_ends_of_the_window_count(subject: &Subject<'_>) -> Result<(), String> {
    if !subject.exact {
        return Ok(());
    }
    let now = subject.history.now();
    let nano = SignedDuration::from_nanos(1);
    let shifted = |time: Timestamp, by: SignedDuration| {
        time.checked_add(by).map_err(|error| error.to_string())
    };
    for end in [now, shifted(now, nano)?, ago(now, 60), shifted(ago(now, 60), -nano)?] {
        subject.record(subject.row("ends", Some(end)))?;
    }
    expect("a minute", subject.count_at("ends", 60, now)?, 2)?;
    expect("a nanosecond later", subject.count_at("ends", 60, shifted(now, nano)?)?, 2)?;
    expect("a nanosecond earlier", subject.count_at("ends", 60, shifted(now, -nano)?)?, 2)
}

fn late_records_count_by_their_end(subject: &Subject<'_>) -> Result<(), String> {
    let now = subject.history.now();
    for seconds in [10, 3000, 100, 2000, 1] {
        subject.record(subject.row("late", Some(ago(now, seconds))))?;
    }
    expect("the last 60 seconds", subject.count("late", 60)?, 2)?;
    expect("the last 40 minutes", subject.count("late", 2400)?, 4)
}

fn what_never_counts(subject: &Subject<'_>) -> Result<(), String> {
    let now = subject.history.now();
    let counted = subject.row("never", Some(ago(now, 1)));
    let never = [
        Operation { outcome: Some("Failure_Guard".to_owned()), ..counted.clone() },
        Operation { outcome: None, ..counted.clone() },
        Operation { end_time: None, ..counted.clone() },
        Operation { target: None, ..counted },
    ];
    for row in never {
        subject.record(row)?;
    }
    expect("the count", subject.count("never", 3600)?, 0)
}

fn every_outcome_but_refused_counts(subject: &Subject<'_>) -> Result<(), String> {
    let now = subject.history.now();
    for outcome in ["Success", "Failure", "Failure_Timeout", "Started", "failure_guard"] {
        let row = subject.row("outcomes", Some(ago(now, 1)));
        subject.record(Operation { outcome: Some(outcome.to_owned()), ..row })?;
    }
    expect("the count", subject.count("outcomes", 3600)?, 5)
}

fn keys_are_kept_apart(subject: &Subject<'_>) -> Result<(), String> {
    let end = Some(ago(subject.history.now(), 1));
    let row = subject.row("apart", end);
    subject.record(row.clone())?;
    subject.record(Operation { operation: Some("restart".to_owned()), ..row.clone() })?;
    subject.record(Operation { target: Some("vnf-11".to_owned()), ..row.clone() })?;
    subject.record(Operation { actor: Some(subject.actor("apart ")), ..row })?;
    expect("the count", subject.count("apart", 3600)?, 1)
}

fn the_control_loop_is_no_part_of_the_key(subject: &Subject<'_>) -> Result<(), String> {
    let end = Some(ago(subject.history.now(), 1));
    for name in [None, Some("loop-1"), Some("loop-2")] {
        let row = subject.row("any loop", end);
        subject.record(Operation { closed_loop_name: name.map(str::to_owned), ..row })?;
    }
    expect("the count", subject.count("any loop", 3600)?, 3)
}

fn the_last_outcome_is_that_of_the_latest_start(subject: &Subject<'_>) -> Result<(), String> {
    let now = subject.history.now();
    let name = subject.actor("last");
    let last = || -> Result<Option<Progress>, String> {
        subject.history.last_outcome(&name).map_err(|error: HistoryError| error.to_string())
    };
    let started = |seconds: i64, outcome: &str| Operation {
        start_time: Some(ago(now, seconds)),
        end_time: None,
        outcome: Some(outcome.to_owned()),
        ..subject.row("last", Some(now))
    };
    subject.record(started(100, "STARTED"))?;
    expect("after a start", last()?, Some(Progress::InProgress))?;
    subject.record(started(200, "Success"))?;
    expect("after an older success", last()?, Some(Progress::InProgress))?;
    subject.record(started(50, "Failure"))?;
    expect("after a newer failure", last()?, Some(Progress::Complete))
}

fn an_unknown_loop_has_no_outcome(subject: &Subject<'_>) -> Result<(), String> {
    let last = subject.history.last_outcome("no such loop").map_err(|error| error.to_string())?;
    expect("the outcome", last, None)
}

/// The history must keep rows for more than a year.
fn windows_of_every_unit(subject: &Subject<'_>) -> Result<(), String> {
    for unit in Window::units() {
        let window = Window::new(1, unit).map_err(|error| error.to_string())?;
        let now = subject.history.now();
        let check = format!("unit {unit}");
        let within = if window.seconds() == 1 { 0 } else { window.seconds() - 5 };
        for age in [within, window.seconds() + 5] {
            subject.record(subject.row(&check, Some(ago(now, age))))?;
        }
        let found = subject.count(&check, window.seconds())?;
        // A store with a clock of its own may take longer than a second to get here.
        if found != 1 && (subject.exact || window.seconds() > 1) {
            return Err(format!("one {unit}: expected 1, found {found}"));
        }
    }
    Ok(())
}

fn pruned_rows_are_gone(subject: &Subject<'_>) -> Result<(), String> {
    let now = subject.history.now();
    // Older than any other check reaches, so that these can run in any order.
    for seconds in [32_000_000, 33_000_000, 34_000_000] {
        subject.record(subject.row("pruned", Some(ago(now, seconds))))?;
    }
    expect("before", subject.count("pruned", 40_000_000)?, 3)?;
    subject.history.prune(ago(now, 32_500_000)).map_err(|error| error.to_string())?;
    expect("after", subject.count("pruned", 40_000_000)?, 1)
}
