//! The log of decisions.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::support::{
    DECISION, Folder, MIN_MAX, MONITORING, Server, XACML, eventually, guard_request, run_with_input,
};

const NATIVE: &str = r#"<Policy xmlns="urn:oasis:names:tc:xacml:3.0:core:schema:wd-17" PolicyId="test.native" Version="1.2"
  RuleCombiningAlgId="urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:deny-overrides"><Target/>
  <Rule RuleId="r" Effect="Permit"/></Policy>"#;

fn start(policies: &Folder, to: &str, more: &[(&str, &str)]) -> Server {
    let folder = policies.text();
    let arguments = ["serve", "--policies", &folder, "--listen", "127.0.0.1:0", "--state", "none"];
    Server::spawn(&arguments, &[&[("PDP_DECISION_LOG__TO", to)], more].concat())
}

fn policies() -> Folder {
    Folder::new(&[("g.yaml", MIN_MAX), ("m.yaml", MONITORING), ("n.xml", NATIVE)])
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

fn counted(server: &Server, result: &str) -> u64 {
    let name = format!("pdp_decision_log_lines_total{{result=\"{result}\"}} ");
    let metrics = server.get("/metrics").body;
    let line = metrics.lines().find_map(|line| line.strip_prefix(&name));
    line.and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("{metrics}"))
}

#[test]
fn each_decision_is_one_line() {
    let folder = Folder::new(&[]);
    let log = folder.path().join("decisions.jsonl");
    let server = start(&policies(), &log.display().to_string(), &[]);
    let id = "6c5d9ad6-5c4c-4c4a-9a3a-0a3a5d4d9f01";
    let headers = [("Content-Type", "application/json"), ("X-ONAP-RequestID", id)];
    let permit = server.send("POST", DECISION, &headers, &guard_request("Grow", "vnf-1", 2));
    let given = server.post(DECISION, &guard_request("Grow", "vnf-1", 9));
    server.post(
        DECISION,
        r#"{"action": "configure", "resource": {"policy-id": "test.monitoring.one"}}"#,
    );
    let xacml = server.post(XACML, r#"{"Request": {"Action": [{"Attribute": [{"AttributeId": "urn:oasis:names:tc:xacml:1.0:action:action-id", "Value": "read"}]}]}}"#);
    // What is no decision is not logged.
    server.post(DECISION, r#"{"action": "dance"}"#);
    server.post(DECISION, "{");
    server.get("/policy/pdpx/v1/healthcheck");
    assert_eq!(permit.body, r#"{"status":"Permit"}"#, "the answer is as it is without the log");
    assert!(!xacml.body.contains("PolicyIdentifier"), "nobody asked for it: {}", xacml.body);
    eventually("all are written", || lines(&log).len() == 4);
    let lines = lines(&log);
    let told: Vec<_> = lines
        .iter()
        .map(|line| {
            let policies = line["policies"].as_array().expect("a list");
            let names: Vec<_> = policies.iter().filter_map(|it| it["id"].as_str()).collect();
            let text = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
            (text("application"), text("decision"), text("cause"), names.join(" "))
        })
        .collect();
    let expect = |application: &str, decision: &str, cause: &str, policies: &str| {
        (application.into(), decision.into(), cause.into(), policies.into())
    };
    assert_eq!(
        told,
        [
            expect("guard", "Permit", "", "test.guard.minmax"),
            expect("guard", "Deny", "", "test.guard.minmax"),
            expect("monitoring", "Permit", "", "test.monitoring.one"),
            expect("native", "Permit", "", "test.native"),
        ]
    );
    assert_eq!(lines[0]["id"], id);
    assert_eq!(lines[1]["id"].as_str(), given.header("x-onap-requestid"));
    assert_eq!(lines[3]["policies"][0]["version"], "1.2");
    for line in &lines {
        let time = line["time"].as_str().expect("a time");
        time.parse::<jiff::Timestamp>().expect("it is RFC 3339");
        assert!(line["latency_us"].as_f64().is_some_and(|us| us > 0.0), "{line}");
    }
    assert_eq!((counted(&server, "written"), counted(&server, "dropped")), (4, 0));
}

#[test]
fn what_could_not_be_determined_says_why() {
    let folder = Folder::new(&[]);
    let log = folder.path().join("decisions.jsonl");
    let steps = [("PDP_LIMITS__DECISION_STEPS", "1")];
    let server = start(&policies(), &log.display().to_string(), &steps);
    let reply = server.post(DECISION, &guard_request("Grow", "vnf-1", 2));
    assert_eq!(reply.json()["status"], "Permit", "what the caller reads is a setting");
    eventually("it is written", || lines(&log).len() == 1);
    let line = &lines(&log)[0];
    assert_eq!((&line["decision"], &line["cause"]), (&"Indeterminate".into(), &"limit".into()));
}

#[test]
fn what_was_decided_before_the_stop_is_in_the_file() {
    let folder = Folder::new(&[]);
    let log = folder.path().join("decisions.jsonl");
    let mut server = start(&policies(), &log.display().to_string(), &[]);
    for _ in 0..50 {
        server.post(DECISION, &guard_request("Grow", "vnf-1", 2));
    }
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0));
    assert_eq!(lines(&log).len(), 50);
}

#[test]
fn a_file_that_was_moved_away_is_begun_anew_on_sighup() {
    let folder = Folder::new(&[]);
    let (log, old) = (folder.path().join("decisions.jsonl"), folder.path().join("decisions.1"));
    let server = start(&policies(), &log.display().to_string(), &[]);
    server.post(DECISION, &guard_request("Grow", "vnf-1", 2));
    eventually("it is written", || lines(&log).len() == 1);
    fs::rename(&log, &old).expect("the folder is writable");
    server.post(DECISION, &guard_request("Grow", "vnf-1", 2));
    eventually("the old file is still written", || lines(&old).len() == 2);
    server.signal("HUP");
    eventually("there is a new file, before anything is decided", || log.exists());
    server.post(DECISION, &guard_request("Grow", "vnf-1", 2));
    eventually("the new file is written", || lines(&log).len() == 1);
    assert_eq!(lines(&old).len(), 2);
    assert!(server.log().contains("decision log is opened again"), "{}", server.log());
}

#[test]
fn a_full_disk_holds_no_decision_up_and_is_told_once() {
    let server = start(&policies(), "/dev/full", &[]);
    for _ in 0..20 {
        let reply = server.post(DECISION, &guard_request("Grow", "vnf-1", 2));
        assert_eq!(reply.body, r#"{"status":"Permit"}"#);
    }
    eventually("all are counted", || counted(&server, "dropped") == 20);
    assert_eq!(counted(&server, "written"), 0);
    assert_eq!(server.log().matches("made and not logged: /dev/full").count(), 1);
}

#[test]
fn a_reader_that_does_not_come_holds_nothing_up() {
    let folder = Folder::new(&[]);
    let pipe = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is there");
    assert!(made.success());
    let buffer = [("PDP_DECISION_LOG__BUFFER", "10")];
    let server = start(&policies(), &pipe.display().to_string(), &buffer);
    for _ in 0..30 {
        assert_eq!(server.post(DECISION, &guard_request("Grow", "vnf-1", 2)).status, 200);
    }
    // The writer holds one batch while it waits; the queue has room for ten.
    let dropped = counted(&server, "dropped");
    assert!((9..=20).contains(&dropped), "{dropped}");
    let mut reader = BufReader::new(fs::File::open(&pipe).expect("the pipe opens")).lines();
    let mut read = || reader.next().expect("there is a line").expect("it is text");
    for _ in 0..30 - dropped {
        serde_json::from_str::<Value>(&read()).expect("it is JSON");
    }
    // Now that it is read, nothing is lost any more.
    server.post(DECISION, &guard_request("Grow", "vnf-1", 9));
    assert!(read().contains("\"Deny\""));
    assert_eq!(counted(&server, "dropped"), dropped);
}

#[test]
fn a_reader_that_never_comes_does_not_keep_it_from_stopping() {
    let folder = Folder::new(&[]);
    let pipe = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is there");
    assert!(made.success());
    let mut server = start(&policies(), &pipe.display().to_string(), &[]);
    server.post(DECISION, &guard_request("Grow", "vnf-1", 2));
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0));
    let log = server.log();
    assert!(log.contains("before the decision log") && log.contains("nobody reads"), "{log}");
}

#[test]
fn standard_output_takes_it_too() {
    let mut server = start(&policies(), "stdout", &[]);
    server.post(DECISION, &guard_request("Grow", "vnf-1", 9));
    let line = server.next_line();
    let line: Value = serde_json::from_str(&line).expect("it is JSON");
    assert_eq!((&line["application"], &line["decision"]), (&"guard".into(), &"Deny".into()));
    server.signal("TERM");
    server.wait();
}

#[test]
fn what_cannot_be_written_at_the_start_ends_it() {
    let folder = policies();
    let text = folder.text();
    let arguments = ["serve", "--policies", &text, "--listen", "127.0.0.1:0", "--state", "none"];
    let nowhere = folder.path().join("no/such/folder.jsonl").display().to_string();
    for (name, value, code, says) in [
        ("PDP_DECISION_LOG__TO", nowhere.as_str(), 3, "no/such/folder.jsonl"),
        ("PDP_DECISION_LOG__TO", text.as_str(), 3, "cannot be opened"),
        ("PDP_DECISION_LOG__TO", " ", 2, "decision_log.to"),
        ("PDP_DECISION_LOG__BUFFER", "0", 2, "decision_log.buffer"),
    ] {
        let ended = run_with_input(&arguments, "", &[(name, value)]);
        assert_eq!(ended.code, code, "{value}: {}", ended.err);
        assert!(ended.err.contains(says), "{value}: {}", ended.err);
    }
}
