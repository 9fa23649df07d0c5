//! The embedded history, asked in the process.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use pdp_history::{EmbeddedHistory, Settings};
use pdp_onap::history::{OperationHistory, OperationKey, Permit};

use crate::{CLIENTS, KEY, median, row, runs, say, window};

/// Calls of closed-loop clients per second.
#[allow(clippy::cast_precision_loss)] // fewer than 52 bits
fn rate(call: impl Fn(usize, u64) + Sync) -> f64 {
    let (run, times) = runs();
    let next = AtomicU64::new(0);
    let once = || {
        let (done, stop) = (AtomicU64::new(0), AtomicBool::new(false));
        let started = Instant::now();
        thread::scope(|scope| {
            for client in 0..CLIENTS {
                let (done, stop, call, next) = (&done, &stop, &call, &next);
                scope.spawn(move || {
                    while !stop.load(Ordering::Relaxed) {
                        call(client, next.fetch_add(1, Ordering::Relaxed));
                        done.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            thread::sleep(run);
            stop.store(true, Ordering::Relaxed);
        });
        done.load(Ordering::Relaxed) as f64 / started.elapsed().as_secs_f64()
    };
    median((0..times).map(|_| once()).collect())
}

#[allow(clippy::cast_precision_loss)]
pub(crate) fn measure() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (history, _) =
        EmbeddedHistory::open(&folder.path().join("history.db"), Settings::default(), 0)
            .expect("a new file");
    let targets: Vec<String> = (0..1000).map(|number| format!("vnf-{number}")).collect();
    let records = rate(|client, _| {
        history.record(row(&targets[client], history.now())).expect("it is recorded");
    });
    say(&format!("| embedded | durable records | {CLIENTS} | {records:.0} | | |"));
    let limits = [(window(), 1_000_000)];
    let permits = rate(|client, number| {
        let id = number.to_string();
        let key = OperationKey { target: &targets[100 + client], ..KEY };
        let permit = Permit { key, request_id: Some(&id), limits: &limits };
        black_box(history.record_if(&permit)).expect("it is recorded");
    });
    say(&format!("| embedded | durable Permits | {CLIENTS} | {permits:.0} | | |"));
    let nanos = median(
        (0..runs().1)
            .map(|_| {
                let calls = 200_000_usize;
                let now = history.now();
                let started = Instant::now();
                for number in 0..calls {
                    let key = OperationKey { target: &targets[number % targets.len()], ..KEY };
                    black_box(history.count_recent(key, window(), now)).expect("memory answers");
                }
                started.elapsed().as_nanos() as f64 / calls as f64
            })
            .collect(),
    );
    say(&format!("| embedded | counts, {nanos:.0} ns each | 1 | {:.0} | | |", 1e9 / nanos));
}
