//! The operations history over restarts and crashes of the service.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::support::{DECISION, FREQUENCY, Folder, OPERATIONS, Server, guard_request, run};

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

/// Kills the service while four clients record, and looks after each start for what was acknowledged.
fn kills(times: u32) {
    let policies = Folder::new(&[]);
    let state = Folder::new(&[]);
    let mut acknowledged = 0;
    for round in 0..times {
        let server = start(&policies, &state, &[]);
        let found = rows_of_everything(&server);
        assert!(
            found >= acknowledged,
            "round {round}: {acknowledged} were acknowledged, {found} are there"
        );
        acknowledged = found;
        let recorded = AtomicU32::new(0);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    while let Some(status) = post(&server.address) {
                        recorded.fetch_add(u32::from(status == 201), Ordering::Relaxed);
                    }
                });
            }
            thread::sleep(Duration::from_millis(100 + u64::from(round * 37 % 100)));
            server.signal("KILL");
        });
        acknowledged += recorded.load(Ordering::Relaxed);
    }
    let server = start(&policies, &state, &[]);
    let found = rows_of_everything(&server);
    assert!(found >= acknowledged, "{acknowledged} were acknowledged, {found} are there");
    assert!(acknowledged > times, "the load was no load: {acknowledged}");
}

/// Counts rows target by target, which listings alone would cut off.
fn rows_of_everything(server: &Server) -> u32 {
    u32::try_from(rows(server)).expect("there are few")
}

/// Records once; none where the service is gone.
fn post(address: &str) -> Option<u16> {
    use std::io::{Read, Write};
    let body = row("vnf-9", jiff::Timestamp::now());
    let mut stream = std::net::TcpStream::connect(address).ok()?;
    let head = format!(
        "POST {OPERATIONS} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    answer.split(' ').nth(1)?.parse().ok()
}

#[test]
fn what_was_acknowledged_survives_kills_under_load() {
    kills(5);
}

#[test]
#[ignore = "takes minutes: 100 kills"]
fn what_was_acknowledged_survives_a_hundred_kills_under_load() {
    kills(100);
}
