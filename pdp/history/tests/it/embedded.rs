use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use pdp_history::clock::Reading;
use pdp_history::contract::{self, Subject};
use pdp_history::embedded::FileError;
use pdp_history::{AsyncHistory, EmbeddedHistory, Settings};
use pdp_onap::history::{
    Admission, Listing, Operation, OperationHistory, OperationKey, Permit, Progress, Window,
};

const KEY: OperationKey<'static> =
    OperationKey { actor: "SO", operation: "Scale", target: "vnf-1" };

pub(crate) fn long() -> Settings {
    Settings { retention: SignedDuration::from_hours(24 * 450), ..Settings::default() }
}

pub(crate) fn open(path: &Path, settings: Settings) -> EmbeddedHistory {
    EmbeddedHistory::open(path, settings, 0).expect("the file can be opened").0
}

pub(crate) fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("history.db");
    (folder, path)
}

fn row(end: Timestamp) -> Operation {
    Operation {
        closed_loop_name: Some("loop".into()),
        actor: Some(KEY.actor.into()),
        operation: Some(KEY.operation.into()),
        target: Some(KEY.target.into()),
        start_time: Some(end),
        outcome: Some("Success".into()),
        end_time: Some(end),
        ..Operation::default()
    }
}

pub(crate) fn count(history: &EmbeddedHistory, seconds: i64) -> u64 {
    let window = Window::of_seconds(seconds).expect("it is positive");
    let now = OperationHistory::now(history);
    history.count_recent(KEY, window, now).expect("memory answers")
}

pub(crate) fn record(history: &EmbeddedHistory, times: u64) {
    for _ in 0..times {
        let now = OperationHistory::now(history);
        OperationHistory::record(history, row(now)).expect("it is recorded");
    }
}

#[test]
fn embedded_keeps_the_contract() {
    let (_folder, path) = folder();
    for run in ["first", "after a restart"] {
        let history = open(&path, long());
        contract::run(&Subject { history: &history, exact: true, run }).expect("no check fails");
    }
}

#[test]
fn everything_is_there_after_a_restart() {
    let (_folder, path) = folder();
    let history = open(&path, Settings::default());
    record(&history, 3);
    let limits = [(Window::of_seconds(3600).expect("an hour"), 10)];
    let permit = Permit { key: KEY, request_id: Some("r-1"), limits: &limits };
    let admission = OperationHistory::record_if(&history, &permit);
    assert_eq!(admission, Ok(Admission::Recorded));
    let listing = Listing { limit: 10, ..Listing::default() };
    let before = OperationHistory::list(&history, &listing).expect("memory lists");
    drop(history);

    let (history, opened) =
        EmbeddedHistory::open(&path, Settings::default(), 0).expect("the file is right");
    assert_eq!(opened.rows, 4);
    assert_eq!(count(&history, 3600), 4);
    assert_eq!(OperationHistory::list(&history, &listing), Ok(before));
    assert_eq!(history.last_outcome("loop"), Ok(Some(Progress::Complete)));
    let again = OperationHistory::record_if(&history, &permit);
    assert_eq!(again, Ok(Admission::Known), "a retry after the restart is known");
    record(&history, 1);
    let ids = OperationHistory::list(&history, &listing).expect("memory lists");
    assert_eq!(ids[0].id, Some(5), "numbers go on");
}

#[test]
fn counts_that_stopped_short_are_completed_from_the_file() {
    let (_folder, path) = folder();
    let few = Settings { per_key: 3, ..Settings::default() };
    let history = open(&path, few);
    record(&history, 10);
    assert_eq!(count(&history, 3600), 3);
    history.count_at_least(7).expect("the file is read");
    assert_eq!(count(&history, 3600), 7);
    record(&history, 2);
    assert_eq!(count(&history, 3600), 7);
    drop(history);
    // Whoever starts with a larger limit has it from the start.
    let (history, _) = EmbeddedHistory::open(&path, few, 100).expect("the file is right");
    assert_eq!(count(&history, 3600), 12);
}

#[test]
fn what_is_forgotten_is_gone_from_the_file() {
    let (_folder, path) = folder();
    let history = open(&path, long());
    let now = OperationHistory::now(&history);
    for age in [10, 1000, 2000] {
        let end = now.checked_sub(SignedDuration::from_secs(age)).expect("within range");
        OperationHistory::record(&history, row(end)).expect("it is recorded");
    }
    let before = now.checked_sub(SignedDuration::from_secs(500)).expect("within range");
    assert_eq!(OperationHistory::prune(&history, before), Ok(2));
    drop(history);
    let (_, opened) = EmbeddedHistory::open(&path, long(), 0).expect("the file is right");
    assert_eq!(opened.rows, 1);
}

#[test]
fn a_damaged_file_is_refused_with_a_way_out() {
    let (_folder, path) = folder();
    let history = open(&path, long());
    record(&history, 200);
    drop(history);
    let whole = fs::read(&path).expect("the file is there");
    // Its head; then the pages behind the head.
    for at in [0..16, 4096..8192] {
        let mut broken = whole.clone();
        broken[at.clone()].fill(0x5a);
        fs::write(&path, &broken).expect("the file is writable");
        let _ = fs::remove_file(path.with_extension("db-wal"));
        let error = EmbeddedHistory::open(&path, long(), 0).expect_err("it is damaged");
        assert!(matches!(error, FileError::Damaged { .. }), "{at:?}: {error}");
        assert!(error.way_out().contains("move them away"), "{error}");
        assert_eq!(fs::read(&path).expect("it is still there"), broken, "it is left as it was");
    }
}

#[test]
fn a_file_has_one_owner() {
    let (_folder, path) = folder();
    let _first = open(&path, long());
    let error = EmbeddedHistory::open(&path, long(), 0).expect_err("it is taken");
    assert!(matches!(error, FileError::InUse { .. }), "{error}");
}

#[test]
fn clock_steps_over_a_restart_change_no_window() {
    let booted = |wall: Timestamp, since: u64, boot: &str| Reading {
        wall,
        since_boot: Duration::from_secs(since),
        boot: Some(boot.to_owned()),
    };
    for step in [-3600, 3600] {
        let (_folder, path) = folder();
        let real = Reading::now();
        let (history, _) =
            EmbeddedHistory::open_at(&path, long(), 0, real.clone()).expect("a new file");
        record(&history, 2);
        drop(history);
        let wall = real.wall.checked_add(SignedDuration::from_secs(step)).expect("within range");
        let stepped = Reading { wall, ..real };
        let (history, opened) =
            EmbeddedHistory::open_at(&path, long(), 0, stepped).expect("the file is right");
        assert_eq!(count(&history, 600), 2, "a step of {step} s within one boot");
        assert!((opened.wall_ahead - step).abs() <= 2, "{step}: {}", opened.wall_ahead);
    }
    // After a boot only a step back is seen as one.
    for (step, counted) in [(-3600, 2), (3600, 0)] {
        let (_folder, path) = folder();
        let wall = Timestamp::now();
        let now = Reading::now().since_boot.as_secs();
        let first = booted(wall, now, "first");
        let (history, _) = EmbeddedHistory::open_at(&path, long(), 0, first).expect("a new file");
        record(&history, 2);
        drop(history);
        let wall = wall.checked_add(SignedDuration::from_secs(step)).expect("within range");
        let second = booted(wall, now, "second");
        let (history, _) =
            EmbeddedHistory::open_at(&path, long(), 0, second).expect("the file is right");
        assert_eq!(count(&history, 600), counted, "a step of {step} s over a boot");
    }
}

#[test]
fn many_threads_record_and_every_row_is_kept() {
    let (_folder, path) = folder();
    let history = open(&path, long());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| record(&history, 100));
        }
    });
    assert_eq!(count(&history, 3600), 800);
    drop(history);
    let (_, opened) = EmbeddedHistory::open(&path, long(), 0).expect("the file is right");
    assert_eq!(opened.rows, 800);
}

#[test]
fn the_service_s_own_way_of_asking_gives_the_same() {
    let (_folder, path) = folder();
    let history = open(&path, long());
    let asked: &dyn AsyncHistory = &history;
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let now = asked.now().await.expect("it has a clock");
        asked.record(row(now)).await.expect("it is recorded");
        let limits = [(Window::of_seconds(60).expect("a minute"), 1)];
        let permit = Permit { key: KEY, request_id: None, limits: &limits };
        assert_eq!(asked.record_if(permit).await, Ok(Admission::Refused(vec![1])));
        assert_eq!(asked.prune(SignedDuration::from_hours(1)).await, Ok(0));
        assert_eq!(asked.fault(), None);
    });
}
