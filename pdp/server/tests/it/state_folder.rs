//! The embedded history where its folder is full, closed or taken.

use std::process::Command;

use serde_json::json;

use crate::support::{
    DECISION, FREQUENCY, Folder, OPERATIONS, Server, eventually, guard_request, run,
};

fn arguments<'a>(policies: &'a str, state: &'a str) -> [&'a str; 7] {
    ["serve", "--policies", policies, "--listen", "127.0.0.1:0", "--state", state]
}

fn report(server: &Server, target: &str, message: &str) -> u16 {
    let now = jiff::Timestamp::now();
    let row = json!({
        "actor": "SO", "operation": "Build", "target": target, "outcome": "Success",
        "message": message, "starttime": now, "endtime": now
    });
    server.post(OPERATIONS, &row.to_string()).status
}

fn decision(server: &Server) -> String {
    let answer = server.post(DECISION, &guard_request("Build", "vnf-2", 0)).json();
    answer["status"].as_str().unwrap_or_default().to_owned()
}

fn exported(state: &str) -> usize {
    let ended = run(&["history", "export", "--state", state]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    ended.out.lines().count()
}

/// Nothing is acknowledged that is not kept, what is refused does not count, the fault is told, and when
/// there is room again all goes on.
#[test]
fn a_full_disk_loses_nothing_that_was_acknowledged() {
    let policies = Folder::new(&[("p.yaml", FREQUENCY)]);
    let state = Folder::new(&[]);
    let (folder, state) = (policies.text(), state.text());
    // A limit for the size of files stands for the end of a disk: a file of this service reaches it.
    let mut server =
        Server::spawn_after("trap \"\" XFSZ; ulimit -S -f 400", &arguments(&folder, &state));
    let mut acknowledged = 0;
    let mut refused = 0;
    let long = "x".repeat(255);
    for _ in 0..2000 {
        match report(&server, "vnf-9", &long) {
            201 => acknowledged += 1,
            503 => refused += 1,
            other => panic!("{other}"),
        }
        if refused > 5 {
            break;
        }
    }
    assert!(refused > 5, "the disk was never full: {acknowledged} rows are kept");
    assert_eq!(report(&server, "vnf-2", ""), 503);
    assert_eq!(decision(&server), "Permit", "what was refused does not count");
    let ready = server.get("/readyz");
    assert_eq!(ready.status, 503, "{}", ready.body);

    let process = server.process().to_string();
    let lifted = Command::new("prlimit").args(["--pid", &process, "--fsize=unlimited"]).status();
    assert!(lifted.expect("prlimit is there").success());
    eventually("there is room again", || report(&server, "vnf-2", "") == 201);
    acknowledged += 1;
    assert_eq!(decision(&server), "Deny");
    assert_eq!(server.get("/readyz").status, 200);
    server.signal("KILL");
    server.wait();
    assert_eq!(exported(&state), acknowledged);
}

#[test]
fn two_services_cannot_share_a_folder() {
    let policies = Folder::new(&[]);
    let state = Folder::new(&[]);
    let (folder, state) = (policies.text(), state.text());
    let _first = Server::spawn(&arguments(&folder, &state), &[]);
    for command in
        [arguments(&folder, &state).as_slice(), &["history", "export", "--state", &state]]
    {
        let ended = run(command);
        assert_eq!(ended.code, 3, "{}", ended.err);
        assert!(ended.err.contains("in use by another process"), "{}", ended.err);
        assert!(ended.err.contains("hint:"), "{}", ended.err);
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let policies = Folder::new(&[]);
    // Root may write anywhere; not into what is no folder.
    let file = policies.write("state", "");
    let (folder, below) = (policies.text(), file.join("below").display().to_string());
    let ended = run(&arguments(&folder, &below));
    assert_eq!(ended.code, 3, "{}", ended.err);
    assert!(ended.err.contains(&file.display().to_string()), "{}", ended.err);
    let ended = run(&arguments(&folder, "/proc/none/such"));
    assert_eq!(ended.code, 3, "{}", ended.err);
    assert!(ended.err.contains("/proc/none"), "{}", ended.err);
}
