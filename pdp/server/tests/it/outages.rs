//! A history server that is killed, or stands still, while services record, count and permit.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use jiff::SignedDuration;
use pdp_history::blocking::Blocking;
use pdp_history::breaker::Deadlines;
use pdp_history::connect::{Remote, RemoteSettings};
use pdp_onap::history::{OperationHistory, OperationKey, Window};
use serde_json::{Value, json};

use crate::permits;
use crate::servers::{Database, Kind};
use crate::shared_history::{ready, start};
use crate::support::{DECISION, OPERATIONS, Server, eventually, run_with_input};

const DEADLINE: Duration = Duration::from_millis(500);
/// What a loaded machine may add to a deadline: far less than a look-up without one would take.
const SLACK: Duration = Duration::from_secs(5);
/// The service has found its history again so soon after the history's return.
const RECOVERY: Duration = Duration::from_secs(2);

fn guard(operation: &str, id: &str) -> String {
    json!({
        "ONAPName": "Policy", "requestId": id, "action": "guard",
        "resource": {"guard": {
            "actor": "SO", "operation": operation, "target": "vnf-1", "clname": "loop-1"
        }}
    })
    .to_string()
}

fn operation(id: &str) -> String {
    let now = jiff::Timestamp::now();
    json!({
        "requestId": id, "actor": "SO", "operation": "Load", "target": "vnf-7", "outcome": "Success",
        "starttime": now, "endtime": now
    })
    .to_string()
}

/// What clients were told while the history came and went.
#[derive(Default)]
struct Told {
    /// Requests whose operation is recorded.
    recorded: Mutex<BTreeSet<String>>,
    /// Permits of a limiter that permits 100.
    permits: AtomicU64,
    /// Decisions that rested on no count.
    undetermined: AtomicU64,
    /// Permits of a limiter whose limit had been reached before.
    wrong: AtomicU64,
    slowest: Mutex<Duration>,
}

impl Told {
    fn decide(&self, server: &Server, operation: &str, id: &str) -> Value {
        let started = Instant::now();
        let answer = server.post(DECISION, &guard(operation, id)).json();
        let took = started.elapsed();
        let mut slowest = self.slowest.lock().expect("no test panics with it");
        *slowest = took.max(*slowest);
        if answer.get("message").is_some() {
            self.undetermined.fetch_add(1, Ordering::Relaxed);
        }
        answer
    }

    fn record(&self, server: &Server, id: String) {
        if server.post(OPERATIONS, &operation(&id)).status == 201 {
            self.recorded.lock().expect("no test panics with it").insert(id);
        }
    }
}

/// Clients that ask without end; `disturb` is done meanwhile.
fn under_load(server: &Server, told: &Told, run: &str, disturb: impl FnOnce()) {
    let stop = &AtomicBool::new(false);
    thread::scope(|scope| {
        for client in 0..6 {
            scope.spawn(move || {
                for turn in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    let id = format!("{run}-{client}-{turn}");
                    match client % 3 {
                        0 => told.record(server, id),
                        1 => {
                            if told.decide(server, "Few", &id)["status"] != "Deny" {
                                told.wrong.fetch_add(1, Ordering::Relaxed);
                            }
                        }
                        _ => {
                            if told.decide(server, "Many", &id)["status"] == "Permit" {
                                told.permits.fetch_add(1, Ordering::Relaxed);
                            }
                            // So that the limit is not reached before the server goes.
                            thread::sleep(Duration::from_millis(20));
                        }
                    }
                }
            });
        }
        disturb();
        stop.store(true, Ordering::Relaxed);
    });
}

/// How many operations of a kind the history itself counts for somebody new; none: it does not answer.
fn counted(url: &str, operation: &str) -> Option<u64> {
    let deadlines = Deadlines { look_up: DEADLINE, other: DEADLINE };
    let remote = Remote::of(RemoteSettings {
        url: url.to_owned(),
        deadlines,
        count_cache: Duration::ZERO,
        connections: 1,
        retention: SignedDuration::from_hours(24),
        time_zone: "UTC".into(),
        create_schema: false,
        authority: None,
    });
    let remote = remote.expect("the address names a store");
    let key = OperationKey { actor: "SO", operation, target: "vnf-1" };
    let window = Window::of_seconds(3600).expect("an hour");
    let asked = Blocking::new(async || remote.connect())
        .and_then(|history| history.count_recent(key, window, jiff::Timestamp::now()));
    asked.ok()
}

/// How long the service takes to find its history again, from when that answers others.
fn recovery(server: &Server, url: &str) -> Duration {
    eventually("the history is back", || counted(url, "Few").is_some());
    let back = Instant::now();
    eventually("the service has found it", || {
        let answer = server.post(DECISION, &guard("Few", "who asks again")).json();
        answer.get("message").is_none()
    });
    back.elapsed()
}

fn outlives(kind: Kind) {
    let Some(mut database) = Database::start(kind) else { return };
    ready(&database);
    let (policies, url) = (permits::policies(), database.url());
    let deadline = format!("{}ms", DEADLINE.as_millis());
    let settings = [("PDP_GUARD__RECORD_PERMITS", "true"), ("PDP_HISTORY__DEADLINE", &deadline)];
    let server = start(&policies, &url, &settings);
    let told = Told::default();
    // The one limit is reached from the start.
    eventually("the small limit is reached", || {
        let answer =
            server.post(DECISION, &guard("Few", &jiff::Timestamp::now().to_string())).json();
        answer["status"] == "Deny" && answer.get("message").is_none()
    });

    let mut recoveries = Vec::new();
    for round in ["killed", "killed again", "paused", "killed at last"] {
        under_load(&server, &told, round, || {
            thread::sleep(Duration::from_millis(400));
            if round == "paused" {
                database.pause();
                thread::sleep(3 * DEADLINE);
                database.resume();
            } else {
                database.kill();
                thread::sleep(DEADLINE);
                database.run();
            }
            recoveries.push(recovery(&server, &url));
            thread::sleep(Duration::from_millis(200));
        });
    }

    assert_eq!(told.wrong.load(Ordering::Relaxed), 0, "no Permit beyond a limit that is reached");
    assert!(told.undetermined.load(Ordering::Relaxed) > 0, "the outages were none");
    let slowest = *told.slowest.lock().expect("no test panics with it");
    assert!(slowest < DEADLINE + SLACK, "a decision took {slowest:?}");
    // A machine that is busy with other tests may be late once.
    recoveries.sort();
    assert!(recoveries[1] <= RECOVERY, "{kind:?}: {recoveries:?}");

    let recorded = told.recorded.into_inner().expect("no test panics with it");
    let kept = exported(&url);
    let requests: BTreeSet<&str> =
        kept.iter().filter_map(|row| row["requestId"].as_str()).collect();
    let lost: Vec<_> = recorded.iter().filter(|id| !requests.contains(id.as_str())).collect();
    assert!(lost.is_empty(), "of {} are lost: {lost:?}", recorded.len());
    assert!(recorded.len() > 20, "the load was no load: {}", recorded.len());

    // What was counted and not heard of is counted: in the end it is as many as the limit permits, and
    // nobody was told more.
    let mut permits = told.permits.load(Ordering::Relaxed);
    for number in 0..200 {
        let answer = server.post(DECISION, &guard("Many", &format!("last-{number}"))).json();
        permits += u64::from(answer["status"] == "Permit");
    }
    assert_eq!(counted(&url, "Many"), Some(100), "{kind:?}");
    assert!(permits <= 100, "{kind:?}: {permits} Permits");
}

fn exported(url: &str) -> Vec<Value> {
    let ended = run_with_input(&["history", "export", "--history", url], "", &[]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    ended.out.lines().map(|line| serde_json::from_str(line).expect("a line is a row")).collect()
}

#[test]
fn postgres_comes_and_goes() {
    outlives(Kind::Postgres);
}

#[test]
fn mariadb_comes_and_goes() {
    outlives(Kind::MariaDb);
}

#[test]
fn redis_comes_and_goes() {
    outlives(Kind::Redis);
}
