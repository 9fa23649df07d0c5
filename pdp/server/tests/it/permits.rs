//! Limiters that count their own Permits.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use serde_json::json;

use crate::support::{DECISION, Folder, OPERATIONS, Server, run};

const LIMITERS: &str = "\
topology_template:
  policies:
  - test.guard.many:
      type: onap.policies.controlloop.guard.common.FrequencyLimiter
      type_version: 1.0.0
      version: 1.0.0
      properties: {actor: SO, operation: Many, target: vnf-1, timeWindow: 10, timeUnits: hour, limit: 100}
  - test.guard.few:
      type: onap.policies.controlloop.guard.common.FrequencyLimiter
      type_version: 1.0.0
      version: 1.0.0
      properties: {actor: SO, operation: Few, timeWindow: 10, timeUnits: hour, limit: 2}
  - test.guard.once:
      type: onap.policies.controlloop.guard.common.FrequencyLimiter
      type_version: 1.0.0
      version: 1.0.0
      properties: {actor: SO, operation: Once, timeWindow: 10, timeUnits: hour, limit: 2}
  - test.guard.both:
      type: onap.policies.controlloop.guard.common.FrequencyLimiter
      type_version: 1.0.0
      version: 1.0.0
      properties: {actor: SO, operation: Both, timeWindow: 10, timeUnits: hour, limit: 5}
  - test.guard.both.longer:
      type: onap.policies.controlloop.guard.common.FrequencyLimiter
      type_version: 1.0.0
      version: 1.0.0
      properties: {actor: SO, operation: Both, timeWindow: 20, timeUnits: hour, limit: 3}
";

fn request(operation: &str, id: &str) -> String {
    json!({
        "ONAPName": "Policy", "requestId": id, "action": "guard",
        "resource": {"guard": {
            "actor": "SO", "operation": operation, "target": "vnf-1", "clname": "loop-1"
        }}
    })
    .to_string()
}

fn start(policies: &Folder, more: &[&str]) -> Server {
    let folder = policies.text();
    let mut arguments = vec!["serve", "--policies", &folder, "--listen", "127.0.0.1:0"];
    arguments.extend(more);
    Server::spawn(
        &arguments,
        &[("PDP_GUARD__RECORD_PERMITS", "true"), ("PDP_HISTORY__DEADLINE", "30s")],
    )
}

fn status(server: &Server, operation: &str, id: &str) -> String {
    let reply = server.post(DECISION, &request(operation, id));
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.json()["status"].as_str().unwrap_or_default().to_owned()
}

/// 64 clients ask 192 times for what is permitted 100 times.
pub(crate) fn crowd(servers: &[&Server]) -> u32 {
    let permits = AtomicU32::new(0);
    thread::scope(|scope| {
        for client in 0..64 {
            let (server, permits) = (servers[client % servers.len()], &permits);
            scope.spawn(move || {
                for turn in 0..3 {
                    let permitted = status(server, "Many", &format!("{client}-{turn}")) == "Permit";
                    permits.fetch_add(u32::from(permitted), Ordering::Relaxed);
                }
            });
        }
    });
    permits.load(Ordering::Relaxed)
}

pub(crate) fn policies() -> Folder {
    Folder::new(&[("limiters.yaml", LIMITERS)])
}

#[test]
fn a_crowd_gets_exactly_the_limit() {
    let policies = policies();
    let state = Folder::new(&[]);
    let server = start(&policies, &["--state", "none"]);
    assert_eq!(crowd(&[&server]), 100, "in memory");
    let server = start(&policies, &["--state", &state.text()]);
    assert_eq!(crowd(&[&server]), 100, "embedded");
}

#[test]
fn a_permit_is_a_row_and_the_limit_outlives_the_service() {
    let policies = policies();
    let state = Folder::new(&[]);
    let mut server = start(&policies, &["--state", &state.text()]);
    assert_eq!(status(&server, "Few", "r-1"), "Permit");
    let rows = server.get(&format!("{OPERATIONS}?operation=Few")).json();
    assert_eq!(rows[0]["outcome"], "Permitted", "{rows}");
    assert_eq!(rows[0]["requestId"], "r-1");
    assert_eq!(rows[0]["closedLoopName"], serde_json::Value::Null);
    // The same request once more is not another Permit.
    assert_eq!(status(&server, "Few", "r-1"), "Permit");
    assert_eq!(status(&server, "Few", "r-2"), "Permit");
    assert_eq!(status(&server, "Few", "r-3"), "Deny");
    server.signal("KILL");
    server.wait();
    let server = start(&policies, &["--state", &state.text()]);
    assert_eq!(status(&server, "Few", "r-4"), "Deny");
    let rows = server.get(&format!("{OPERATIONS}?operation=Few")).json();
    assert_eq!(rows.as_array().map(Vec::len), Some(2), "{rows}");
}

/// A client that has not heard its answer asks again, when the limit has been reached meanwhile.
pub(crate) fn a_retry_has_its_permit_again(servers: &[&Server]) {
    let (one, other) = (servers[0], servers[servers.len() - 1]);
    for id in ["r-1", "r-2"] {
        assert_eq!(status(one, "Few", id), "Permit", "{id}");
    }
    for id in ["r-1", "r-2", "r-1"] {
        assert_eq!(status(other, "Few", id), "Permit", "{id} once more");
    }
    for id in ["r-3", "", "R-1"] {
        assert_eq!(status(other, "Few", id), "Deny", "`{id}`");
    }
    let rows = one.get(&format!("{OPERATIONS}?operation=Few")).json();
    assert_eq!(rows.as_array().map(Vec::len), Some(2), "{rows}");
    // Many times at once, each under the same few names, two of which have a Permit.
    let permitted = AtomicU32::new(0);
    thread::scope(|scope| {
        for client in 0..16 {
            let (server, permitted) = (servers[client % servers.len()], &permitted);
            scope.spawn(move || {
                let permit = status(server, "Once", &format!("once-{}", client % 4)) == "Permit";
                permitted.fetch_add(u32::from(permit), Ordering::Relaxed);
            });
        }
    });
    assert_eq!(permitted.load(Ordering::Relaxed), 8, "two of four requests, four times each");
}

#[test]
fn a_retry_of_a_permitted_request_is_permitted() {
    let policies = policies();
    let server = start(&policies, &["--state", "none"]);
    a_retry_has_its_permit_again(&[&server]);
    let state = Folder::new(&[]);
    let mut server = start(&policies, &["--state", &state.text()]);
    a_retry_has_its_permit_again(&[&server]);
    server.signal("KILL");
    server.wait();
    let server = start(&policies, &["--state", &state.text()]);
    assert_eq!(status(&server, "Few", "r-2"), "Permit", "after a crash");
    assert_eq!(status(&server, "Few", "r-4"), "Deny", "after a crash");
}

/// Two limiters at once: both must hold, one operation counts for both.
#[test]
fn several_limiters_are_held_at_once() {
    let policies = policies();
    let server = start(&policies, &["--state", "none"]);
    let permits = (0..10)
        .filter(|number| status(&server, "Both", &format!("r-{number}")) == "Permit")
        .count();
    assert_eq!(permits, 3, "the smaller of both limits");
    let rows = server.get(&format!("{OPERATIONS}?operation=Both")).json();
    assert_eq!(rows.as_array().map(Vec::len), Some(3), "{rows}");
}

#[test]
fn without_the_setting_nothing_is_recorded() {
    let server = Server::start(&policies(), &[]);
    for _ in 0..4 {
        assert_eq!(status(&server, "Few", "r"), "Permit");
    }
    assert_eq!(server.get(OPERATIONS).json(), json!([]));
}

#[test]
fn a_count_cache_and_recorded_permits_exclude_each_other() {
    let folder = Folder::new(&[]);
    let file =
        folder.write("c.yaml", "guard: {record_permits: true}\nhistory: {count_cache: 1s}\n");
    let ended = run(&["serve", "--config", &file.display().to_string(), "--state", "none"]);
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(ended.err.contains("history.count_cache"), "{}", ended.err);
}
