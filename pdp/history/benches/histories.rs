//! What a count and a record cost: `cargo bench -p pdp-history`.
//!
//! Shared histories are measured where `HISTORY_URLS` names some, with blanks between.

use std::hint::black_box;
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use jiff::SignedDuration;
use pdp_history::blocking::Blocking;
use pdp_history::breaker::Deadlines;
use pdp_history::connect::{Remote, RemoteSettings};
use pdp_history::{EmbeddedHistory, Settings};
use pdp_onap::history::{Operation, OperationHistory, OperationKey, Window};

const CLIENTS: usize = 8;
const RUN: Duration = Duration::from_secs(3);
const RUNS: usize = 5;

fn say(line: &str) {
    // A reader that has gone reads nothing more.
    let _ = writeln!(std::io::stdout(), "{line}");
}

fn row(target: &str, history: &dyn OperationHistory) -> Operation {
    let now = history.now();
    Operation {
        actor: Some("SO".into()),
        operation: Some("Scale".into()),
        target: Some(target.into()),
        start_time: Some(now),
        outcome: Some("Success".into()),
        end_time: Some(now),
        ..Operation::default()
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Calls of closed-loop clients per second.
#[allow(clippy::cast_precision_loss)] // fewer than 52 bits
fn rate(clients: usize, call: impl Fn(usize) + Sync) -> f64 {
    let (done, stop) = (AtomicU64::new(0), AtomicBool::new(false));
    let started = Instant::now();
    thread::scope(|scope| {
        for client in 0..clients {
            let (done, stop, call) = (&done, &stop, &call);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    call(client);
                    done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        thread::sleep(RUN);
        stop.store(true, Ordering::Relaxed);
    });
    done.load(Ordering::Relaxed) as f64 / started.elapsed().as_secs_f64()
}

#[allow(clippy::cast_precision_loss)]
fn embedded() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (history, _) =
        EmbeddedHistory::open(&folder.path().join("history.db"), Settings::default(), 0)
            .expect("a new file");
    let targets: Vec<String> = (0..1000).map(|number| format!("vnf-{number}")).collect();
    let records = median(
        (0..RUNS)
            .map(|_| {
                rate(CLIENTS, |client| {
                    history.record(row(&targets[client], &history)).expect("it is recorded");
                })
            })
            .collect(),
    );
    let window = Window::of_seconds(600).expect("ten minutes");
    let nanos = median(
        (0..RUNS)
            .map(|_| {
                let calls = 200_000_usize;
                let now = history.now();
                let started = Instant::now();
                for number in 0..calls {
                    let key = OperationKey {
                        actor: "SO",
                        operation: "Scale",
                        target: &targets[number % targets.len()],
                    };
                    black_box(history.count_recent(key, window, now)).expect("memory answers");
                }
                started.elapsed().as_nanos() as f64 / calls as f64
            })
            .collect(),
    );
    say(&format!(
        "embedded: {records:.0} durable records/s from {CLIENTS} clients, count {nanos:.0} ns"
    ));
}

fn shared(url: &str) {
    let deadline = Duration::from_secs(10);
    let remote = Remote::of(RemoteSettings {
        url: url.to_owned(),
        deadlines: Deadlines { look_up: deadline, other: deadline },
        count_cache: Duration::ZERO,
        connections: 8,
        retention: SignedDuration::from_hours(24 * 31),
        time_zone: "UTC".into(),
        create_schema: true,
        authority: None,
    })
    .expect("the address names a store");
    let history = Blocking::new(async || {
        remote.check().await?;
        remote.connect()
    })
    .expect("it can be reached");
    let window = Window::of_seconds(600).expect("ten minutes");
    let key = OperationKey { actor: "SO", operation: "Scale", target: "vnf-1" };
    let now = history.now();
    let records = rate(CLIENTS, |_| {
        history.record(row("vnf-2", &history)).expect("it is recorded");
    });
    let counts = rate(CLIENTS, |_| {
        black_box(history.count_recent(key, window, now)).expect("it is counted");
    });
    let store = url.split("://").next().unwrap_or_default();
    say(&format!(
        "{store}: {records:.0} records/s and {counts:.0} counts/s from {CLIENTS} clients"
    ));
}

fn main() {
    embedded();
    for url in std::env::var("HISTORY_URLS").unwrap_or_default().split_whitespace() {
        shared(url);
    }
}
