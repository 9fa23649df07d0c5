//! The shared backends on real servers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use jiff::SignedDuration;
use pdp_history::blocking::Blocking;
use pdp_history::breaker::Deadlines;
use pdp_history::connect::{Remote, RemoteSettings};
use pdp_history::contract::{self, Subject};
use pdp_onap::history::{
    Admission, HistoryError, Operation, OperationHistory, OperationKey, Permit, Window,
};

use crate::servers::{Database, Kind};

const DEADLINE: Duration = Duration::from_secs(2);

pub(crate) fn settings(url: String) -> RemoteSettings {
    RemoteSettings {
        url,
        // Generous, since tests share their machine; those that test deadlines have their own.
        deadlines: Deadlines { look_up: 10 * DEADLINE, other: 10 * DEADLINE },
        count_cache: Duration::ZERO,
        connections: 8,
        retention: SignedDuration::from_hours(24 * 450),
        time_zone: "UTC".into(),
        create_schema: true,
        authority: None,
    }
}

pub(crate) fn connect(remote: &Remote) -> Blocking {
    let started = Instant::now();
    loop {
        let history = Blocking::new(async || {
            remote.check().await?;
            remote.connect()
        });
        match history {
            Ok(history) => return history,
            // It takes connections before it is ready.
            Err(_) if started.elapsed() < Duration::from_secs(60) => {
                thread::sleep(Duration::from_millis(100));
            }
            Err(error) => panic!("it cannot be reached: {error}"),
        }
    }
}

pub(crate) fn remote(settings: RemoteSettings) -> Remote {
    Remote::of(settings).expect("the address names a store")
}

pub(crate) fn key(target: &str) -> OperationKey<'_> {
    OperationKey { actor: "SO", operation: "Scale", target }
}

pub(crate) fn count(history: &Blocking, target: &str) -> Result<u64, HistoryError> {
    let hour = Window::of_seconds(3600).expect("an hour");
    history.count_recent(key(target), hour, history.now())
}

pub(crate) fn row(history: &Blocking, target: &str) -> Operation {
    let key = key(target);
    let now = history.now();
    Operation {
        closed_loop_name: Some("loop".into()),
        actor: Some(key.actor.into()),
        operation: Some(key.operation.into()),
        target: Some(target.into()),
        start_time: Some(now),
        outcome: Some("Success".into()),
        end_time: Some(now),
        ..Operation::default()
    }
}

/// 64 clients on four replicas ask for Permits of one limit: exactly as many are given.
fn four_replicas_permit_exactly_the_limit(remote: &Remote) {
    let limit = 100;
    let replicas: Vec<Blocking> = (0..4).map(|_| connect(remote)).collect();
    let permitted = AtomicU64::new(0);
    thread::scope(|scope| {
        for client in 0..64_usize {
            let (replica, permitted) = (&replicas[client % 4], &permitted);
            scope.spawn(move || {
                let limits = [(Window::of_seconds(3600).expect("an hour"), limit)];
                for turn in 0..3 {
                    let request = format!("{client}-{turn}");
                    let permit =
                        Permit { key: key("crowded"), request_id: Some(&request), limits: &limits };
                    let admission = replica.record_if(&permit).expect("the server is there");
                    if admission == Admission::Recorded {
                        permitted.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert_eq!(permitted.load(Ordering::Relaxed), limit);
    assert_eq!(count(&replicas[0], "crowded"), Ok(limit));
}

/// Kills the server while rows are recorded: what was acknowledged is there when it comes back.
fn acknowledged_rows_survive(database: &mut Database, remote: &Remote) {
    let history = Arc::new(connect(remote));
    let (acknowledged, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        for _ in 0..4 {
            let history = Arc::clone(&history);
            let (acknowledged, stop) = (&acknowledged, &stop);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let row = row(&history, "killed");
                    if history.record(row).is_ok() {
                        acknowledged.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        thread::sleep(Duration::from_millis(500));
        database.kill();
        thread::sleep(Duration::from_millis(300));
        stop.store(true, Ordering::Relaxed);
    });
    let error = count(&history, "killed").expect_err("the server is gone");
    assert!(!matches!(error, HistoryError::Refused(_)), "{error}");
    database.run();
    let fresh = connect(remote);
    let acknowledged = acknowledged.load(Ordering::Relaxed);
    let found = count_again(&fresh);
    assert!(
        acknowledged > 0 && found >= acknowledged,
        "{acknowledged} acknowledged, {found} found"
    );
    // Whoever was connected before comes back without being told.
    let again = count_again(&history);
    assert_eq!(again, found);
}

/// A count from a store that is coming back.
fn count_again(history: &Blocking) -> u64 {
    let started = Instant::now();
    loop {
        match count(history, "killed") {
            Ok(found) => return found,
            Err(error) => assert!(started.elapsed() < Duration::from_secs(30), "{error}"),
        }
        thread::sleep(Duration::from_millis(50));
    }
}

fn everything(kind: Kind) {
    let Some(mut database) = Database::start(kind) else { return };
    let remote = remote(settings(database.url()));
    let history = connect(&remote);
    contract::run(&Subject { history: &history, exact: false, run: "first" })
        .expect("no check fails");
    four_replicas_permit_exactly_the_limit(&remote);
    acknowledged_rows_survive(&mut database, &remote);
}

#[test]
fn postgres_keeps_the_contract_and_what_it_acknowledged() {
    everything(Kind::Postgres);
}

#[test]
fn mariadb_keeps_the_contract_and_what_it_acknowledged() {
    everything(Kind::MariaDb);
}

#[test]
fn redis_keeps_the_contract_and_what_it_acknowledged() {
    everything(Kind::Redis);
}

#[test]
fn a_store_that_is_not_there_fails_in_time_and_is_left_alone() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let port = listener.local_addr().expect("it is bound").port();
    // It takes connections and never answers.
    for url in [
        format!("postgres://pdp@127.0.0.1:{port}/db"),
        format!("mysql://pdp@127.0.0.1:{port}/db"),
        format!("redis://127.0.0.1:{port}"),
    ] {
        let look_up = Duration::from_millis(100);
        let deadlines = Deadlines { look_up, other: look_up };
        let remote = remote(RemoteSettings { deadlines, ..settings(url.clone()) });
        let history = Blocking::new(async || remote.connect()).expect("nothing is connected yet");
        let window = Window::of_seconds(60).expect("a minute");
        let ask = || {
            let now = jiff::Timestamp::now();
            history.count_recent(key("x"), window, now).expect_err("nobody answers").to_string()
        };
        for _ in 0..3 {
            let error = ask();
            assert!(error.contains("in time") || error.contains("not available"), "{url}: {error}");
        }
        let error = ask();
        assert!(error.contains("asked again every"), "{url}: {error}");
    }
}
