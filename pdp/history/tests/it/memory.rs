use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::{SignedDuration, Timestamp};
use pdp_history::contract::{self, Subject};
use pdp_history::{AnchoredClock, Clock, MemoryHistory, Settings};
use pdp_onap::history::{Listing, Operation, OperationHistory, OperationKey, Window};
use proptest::prelude::*;

const KEY: OperationKey<'static> =
    OperationKey { actor: "SO", operation: "Scale", target: "vnf-1" };

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_750_000_000 + seconds).expect("the year 2025")
}

fn row(key: OperationKey<'_>, end: i64) -> Operation {
    Operation {
        actor: Some(key.actor.to_owned()),
        operation: Some(key.operation.to_owned()),
        target: Some(key.target.to_owned()),
        outcome: Some("Success".to_owned()),
        end_time: Some(at(end)),
        ..Operation::default()
    }
}

fn window(seconds: i64) -> Window {
    Window::of_seconds(seconds).expect("it is positive")
}

fn frozen(settings: Settings) -> MemoryHistory {
    MemoryHistory::new(|| at(0), settings)
}

fn count(history: &MemoryHistory, seconds: i64) -> u64 {
    history.count_recent(KEY, window(seconds), at(0)).expect("memory always answers")
}

#[test]
fn memory_keeps_the_contract() {
    let long = Settings { retention: SignedDuration::from_hours(24 * 450), ..Settings::default() };
    let history = frozen(long);
    contract::run(&Subject { history: &history, exact: true, run: "frozen" })
        .expect("no check fails");
    let history = MemoryHistory::new(AnchoredClock::start(), long);
    contract::run(&Subject { history: &history, exact: true, run: "running" })
        .expect("no check fails");
}

#[test]
fn counts_stop_at_the_setting_and_can_be_raised() {
    let history = frozen(Settings { per_key: 3, ..Settings::default() });
    for end in -10..0 {
        history.record(row(KEY, end)).expect("there is room");
    }
    assert_eq!(count(&history, 3600), 3);
    history.count_at_least(5);
    history.count_at_least(4);
    for end in -10..0 {
        history.record(row(KEY, end)).expect("there is room");
    }
    assert_eq!(count(&history, 3600), 5);
}

#[test]
fn records_beyond_the_number_of_keys_are_refused() {
    let history = frozen(Settings { keys: 1, ..Settings::default() });
    history.record(row(KEY, -5)).expect("the first key");
    history.record(row(KEY, -4)).expect("the same key");
    let other = OperationKey { target: "vnf-2", ..KEY };
    let refused = history.record(row(other, -5)).expect_err("a second key").to_string();
    assert_eq!(
        refused,
        "the operations history refused: it holds operations of 1 keys already, which is its limit"
    );
    history.prune(at(0)).expect("memory always prunes");
    assert_eq!(history.keys(), 0);
    history.record(row(other, 0)).expect("there is room again");
}

#[test]
fn what_is_older_than_the_retention_is_forgotten_as_records_come() {
    let now = Arc::new(AtomicI64::new(0));
    let clock = Arc::clone(&now);
    let settings = Settings { retention: SignedDuration::from_secs(100), ..Settings::default() };
    let history = MemoryHistory::new(move || at(clock.load(Ordering::Relaxed)), settings);
    history.record(row(KEY, -101)).expect("it is ignored");
    history.record(row(KEY, -100)).expect("it is kept");
    assert_eq!(count(&history, 1000), 1);
    now.store(1, Ordering::Relaxed);
    history.record(row(KEY, 0)).expect("it is kept");
    assert_eq!(count(&history, 1000), 1);
}

#[test]
fn rows_are_numbered_and_bounded() {
    let history = frozen(Settings { rows: 2, ..Settings::default() });
    for end in -3..0 {
        history.record(row(KEY, end)).expect("there is room");
    }
    let rows = history.list(&Listing { limit: 10, ..Listing::default() }).expect("memory lists");
    let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
    assert_eq!(ids, [Some(3), Some(2)]);
    assert_eq!(count(&history, 3600), 3);
}

#[test]
fn an_anchored_clock_goes_on_from_where_it_was_set() {
    let clock = AnchoredClock::at(at(0));
    let first = clock.now();
    assert!(first >= at(0) && first < at(5));
    assert!(clock.now() >= first);
}

#[test]
fn threads_record_and_count_at_once() {
    let history = frozen(Settings::default());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for end in -500..0 {
                    history.record(row(KEY, end)).expect("there is room");
                    assert!(count(&history, 3600) >= 1);
                }
            });
        }
    });
    assert_eq!(count(&history, 3600), 2000);
}

proptest! {
    #[test]
    fn counts_are_those_of_a_list_that_is_searched(
        records in prop::collection::vec((0..3usize, -200..20i64, 0..4usize), 0..60),
        asked in prop::collection::vec((0..3usize, 1..250i64, -50..10i64), 1..10),
    ) {
        let targets = ["vnf-1", "vnf-2", "vnf-3"];
        let outcomes = [Some("Success"), Some("Failure"), Some("Failure_Guard"), None];
        let history = frozen(Settings::default());
        for (target, end, outcome) in &records {
            let key = OperationKey { target: targets[*target], ..KEY };
            let outcome = outcomes[*outcome].map(str::to_owned);
            history.record(Operation { outcome, ..row(key, *end) }).expect("there is room");
        }
        for (target, seconds, now) in asked {
            let expected = records
                .iter()
                .filter(|(of, end, outcome)| {
                    *of == target && *outcome < 2 && (now - seconds..=now).contains(end)
                })
                .count() as u64;
            let key = OperationKey { target: targets[target], ..KEY };
            let counted = history.count_recent(key, window(seconds), at(now));
            prop_assert_eq!(counted, Ok(expected));
        }
    }
}
