//! Closed-loop clients of replicas, each of which has a thread and a runtime of its own as a worker of the
//! service has.

use std::thread;
use std::time::{Duration, Instant};

use futures_util::future::join_all;

use crate::CLIENTS;

/// What a run measured.
pub(crate) struct Measured {
    pub(crate) per_second: f64,
    pub(crate) p99: Duration,
}

/// Lets the clients of so many replicas ask for a while. `connect` is called within the runtime that
/// drives what it gives.
#[allow(clippy::cast_precision_loss)] // fewer than 52 bits
pub(crate) fn run<A>(
    replicas: usize,
    whole: Duration,
    connect: impl AsyncFn() -> A + Sync,
    ask: impl AsyncFn(&A) + Sync,
) -> Measured {
    let started = Instant::now();
    let mut took: Vec<Duration> = thread::scope(|scope| {
        let replica = || {
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .expect("a runtime")
                .block_on(async {
                    let asked = connect().await;
                    ask(&asked).await; // connections are made
                    let started = Instant::now();
                    let client = async || {
                        let mut took = Vec::new();
                        while started.elapsed() < whole {
                            let began = Instant::now();
                            ask(&asked).await;
                            took.push(began.elapsed());
                        }
                        took
                    };
                    join_all((0..CLIENTS).map(|_| client())).await.concat()
                })
        };
        let threads: Vec<_> = (0..replicas).map(|_| scope.spawn(replica)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no client panics")).collect()
    });
    let elapsed = started.elapsed().min(whole.max(Duration::from_millis(1)));
    took.sort_unstable();
    let p99 = took.get(took.len() * 99 / 100).copied().unwrap_or_default();
    Measured { per_second: took.len() as f64 / elapsed.as_secs_f64(), p99 }
}
