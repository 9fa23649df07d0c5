//! The operations history over restarts and crashes of the service.

use std::collections::BTreeSet;
use std::io::Write;
use std::net::TcpStream;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::support::{
    DECISION, FREQUENCY, Folder, OPERATIONS, Reply, Server, eventually, guard_request, run,
};

fn row(target: &str, end: jiff::Timestamp) -> String {
    json!({
        "actor": "SO", "operation": "Build", "target": target, "outcome": "Success",
        "starttime": end, "endtime": end, "closedLoopName": "loop-1"
    })
    .to_string()
}

fn start(policies: &Folder, state: &Folder, more: &[&str]) -> Server {
    let (policies, state) = (policies.text(), state.text());
    let mut arguments =
        vec!["serve", "--policies", &policies, "--listen", "127.0.0.1:0", "--state", &state];
    arguments.extend(more);
    Server::spawn(&arguments, &[])
}

fn decision(server: &Server) -> String {
    let reply = server.post(DECISION, &guard_request("Build", "vnf-2", 0));
    reply.json()["status"].as_str().unwrap_or_default().to_owned()
}

fn rows(server: &Server) -> usize {
    let reply = server.get(&format!("{OPERATIONS}?limit=10000"));
    reply.json().as_array().map_or(0, Vec::len)
}

#[test]
fn operations_outlive_the_service() {
    let policies = Folder::new(&[("p.yaml", FREQUENCY)]);
    let state = Folder::new(&[]);
    let mut server = start(&policies, &state, &[]);
    assert_eq!(decision(&server), "Permit");
    let reply = server.post(OPERATIONS, &row("vnf-2", jiff::Timestamp::now()));
    assert_eq!(reply.status, 201, "{}", reply.body);
    assert_eq!(decision(&server), "Deny");
    server.signal("TERM");
    server.wait();
    let server = start(&policies, &state, &[]);
    assert_eq!(decision(&server), "Deny");
    assert_eq!(rows(&server), 1);
}

/// What a client with another clock reports counts by the end that it says, on the history's clock.
#[test]
fn an_operation_counts_when_its_end_has_come() {
    let policies = Folder::new(&[("p.yaml", FREQUENCY)]);
    let hour = jiff::SignedDuration::from_hours(1);
    let now = jiff::Timestamp::now();
    for end in [now.checked_add(hour), now.checked_sub(hour)] {
        let end = end.expect("within range");
        let state = Folder::new(&[]);
        let server = start(&policies, &state, &[]);
        let reply = server.post(OPERATIONS, &row("vnf-2", end));
        assert_eq!(reply.status, 201, "{}", reply.body);
        assert_eq!(decision(&server), "Permit", "{end:?} is outside the window of ten minutes");
        server.post(OPERATIONS, &row("vnf-2", now));
        assert_eq!(decision(&server), "Deny", "within it");
    }
}

#[test]
fn a_history_in_memory_is_forgotten() {
    let policies = Folder::new(&[("p.yaml", FREQUENCY)]);
    let state = Folder::new(&[]);
    for _ in 0..2 {
        let mut server = start(&policies, &state, &["--history", "memory"]);
        assert_eq!(decision(&server), "Permit");
        server.post(OPERATIONS, &row("vnf-2", jiff::Timestamp::now()));
        assert_eq!(decision(&server), "Deny");
        server.signal("TERM");
        server.wait();
    }
}

#[test]
fn a_damaged_history_is_named_with_a_way_out() {
    let policies = Folder::new(&[]);
    let state = Folder::new(&[]);
    let file = state.write("history.db", &"not a database ".repeat(1000));
    let (policies, folder) = (policies.text(), state.text());
    let ended =
        run(&["serve", "--policies", &policies, "--listen", "127.0.0.1:0", "--state", &folder]);
    assert_eq!(ended.code, 3, "{}", ended.err);
    for word in ["operations history is damaged", &file.display().to_string(), "hint:", ".recover"]
    {
        assert!(ended.err.contains(word), "{word}: {}", ended.err);
    }
}

#[test]
fn an_unknown_history_is_refused() {
    let ended =
        run(&["serve", "--listen", "127.0.0.1:0", "--state", "none", "--history", "oracle://x"]);
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(ended.err.contains("`oracle`") && ended.err.contains("embedded"), "{}", ended.err);
}

/// What a client was told is done: the ids of its requests.
type Acknowledged = Mutex<BTreeSet<String>>;

/// Kills the service while clients record and are permitted, and looks after each kill for everything
/// that was acknowledged ever since.
fn kills(times: u32) {
    let policies =
        Folder::new(&[("limiter.yaml", &FREQUENCY.replace("limit: 1}", "limit: 1000000}"))]);
    let state = Folder::new(&[]);
    let acknowledged = Acknowledged::default();
    for round in 0..times {
        let mut server = start_recording(&policies, &state);
        thread::scope(|scope| {
            for client in 0..6 {
                let (address, acknowledged) = (&server.address, &acknowledged);
                scope.spawn(move || {
                    for turn in 0.. {
                        let id = format!("{round}-{client}-{turn}");
                        let Some(done) = ask(address, &id, client < 4) else { break };
                        if done {
                            acknowledged.lock().expect("no test panics with it").insert(id);
                        }
                    }
                });
            }
            thread::sleep(Duration::from_millis(100 + u64::from(round * 37 % 100)));
            server.signal("KILL");
        });
        server.wait();
        let kept = exported(&state);
        let acknowledged = acknowledged.lock().expect("no test panics with it");
        let lost: Vec<_> = acknowledged.difference(&kept).collect();
        assert!(lost.is_empty(), "kill {round}: of {} are lost: {lost:?}", acknowledged.len());
    }
    let acknowledged = acknowledged.into_inner().expect("no test panics with it");
    assert!(acknowledged.len() > times as usize, "the load was no load: {}", acknowledged.len());
}

fn start_recording(policies: &Folder, state: &Folder) -> Server {
    let (policies, state) = (policies.text(), state.text());
    let arguments =
        ["serve", "--policies", &policies, "--listen", "127.0.0.1:0", "--state", &state];
    Server::spawn(&arguments, &[("PDP_GUARD__RECORD_PERMITS", "true")])
}

/// The requests of all rows that the file has.
fn exported(state: &Folder) -> BTreeSet<String> {
    let ended = run(&["history", "export", "--state", &state.text()]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    let request = |line: &str| {
        let row: serde_json::Value = serde_json::from_str(line).expect("a line is a row");
        row["requestId"].as_str().map(str::to_owned)
    };
    ended.out.lines().filter_map(request).collect()
}

/// Records an operation, or asks for a Permit that is recorded: whether that is done; none where the
/// service is gone.
fn ask(address: &str, id: &str, records: bool) -> Option<bool> {
    let (path, body) = if records {
        let mut row: serde_json::Value =
            serde_json::from_str(&row("vnf-9", jiff::Timestamp::now())).expect("it is JSON");
        row["requestId"] = id.into();
        (OPERATIONS, row.to_string())
    } else {
        let request = guard_request("Build", "vnf-2", 0);
        (DECISION, request.replace("\"requestId\":\"r\"", &format!("\"requestId\":\"{id}\"")))
    };
    let mut stream = TcpStream::connect(address).ok()?;
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).ok()?;
    let reply = Reply::read(&stream).ok()?;
    Some(if records { reply.status == 201 } else { reply.body.contains("\"Permit\"") })
}

#[test]
fn what_was_acknowledged_survives_twenty_kills_under_load() {
    kills(20);
}

#[test]
#[ignore = "takes minutes: 100 kills"]
fn what_was_acknowledged_survives_a_hundred_kills_under_load() {
    kills(100);
}

/// More operations of one key than memory keeps: a limit beyond that comes with its first decision.
#[test]
fn a_larger_limit_counts_exactly_from_its_first_decision() {
    let (policies, state, files) = (Folder::new(&[]), Folder::new(&[]), Folder::new(&[]));
    let limit = 10_400;
    let now = jiff::Timestamp::now();
    let rows: String = (0..limit)
        .map(|_| row("vnf-2", now) + "\n")
        .chain((1..limit).map(|_| row("vnf-3", now) + "\n"))
        .collect();
    let rows = files.write("rows.jsonl", &rows).display().to_string();
    let imported = run(&["history", "import", "--state", &state.text(), &rows]);
    assert_eq!(imported.code, 0, "{}", imported.err);
    let server = start(&policies, &state, &[]);
    let decide = |target: &str| {
        let reply = server.post(DECISION, &guard_request("Build", target, 0));
        reply.json()["status"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(decide("vnf-2"), "Permit", "there is no policy yet");
    let limiter = FREQUENCY
        .replace("limit: 1}", &format!("limit: {limit}}}"))
        .replace("timeUnits: minute", "timeUnits: hour");
    let both = limiter.clone()
        + limiter
            .split_once("policies:\n")
            .map_or("", |(_, policy)| policy)
            .replace("vnf-2", "vnf-3")
            .replace("test.guard.frequency", "test.guard.other")
            .as_str();
    let aside = policies.write(".aside", &both);
    std::fs::rename(aside, policies.path().join("p.yaml")).expect("the folder is writable");
    eventually("the policies are there", || server.get("/readyz").json()["policies"] == 2);
    assert_eq!(decide("vnf-2"), "Deny", "its limit is reached");
    assert_eq!(decide("vnf-3"), "Permit", "one is left");
    assert_eq!(server.post(OPERATIONS, &row("vnf-3", jiff::Timestamp::now())).status, 201);
    assert_eq!(decide("vnf-3"), "Deny", "that was it");
}
