use serde_json::json;

use crate::support::{Folder, OPERATIONS, Server};

fn row(target: &str, end: &str) -> String {
    json!({
        "requestId": "r1", "actor": "SO", "operation": "Build", "target": target,
        "outcome": "SUCCESS", "starttime": end, "endtime": end, "closedLoopName": "loop-1"
    })
    .to_string()
}

#[test]
fn what_is_recorded_can_be_listed_by_filter() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let (early, late) = ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00+02:00");
    for (target, end) in [("vnf-1", early), ("vnf-2", late), ("vnf-1", late)] {
        let reply = server.post(OPERATIONS, &row(target, end));
        assert_eq!(reply.status, 201, "{}", reply.body);
        assert_eq!(reply.json()["target"], target);
    }
    let count = |query: &str| {
        let reply = server.get(&format!("{OPERATIONS}{query}"));
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.json().as_array().map(Vec::len)
    };
    assert_eq!(count(""), Some(3));
    assert_eq!(count("?target=vnf-1"), Some(2));
    assert_eq!(count("?target=vnf-1&actor=APPC"), Some(0));
    assert_eq!(count("?closedLoopName=loop-1&limit=1"), Some(1));
    assert_eq!(count("?since=2026-01-01T12:00:00Z"), Some(2));
    let reply = server.get(&format!("{OPERATIONS}?unknown=1"));
    assert_eq!(reply.status, 400);
    assert!(reply.body.contains("closedLoopName"), "{}", reply.body);
}

#[test]
fn rows_that_the_table_cannot_hold_or_no_policy_can_see_are_refused() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let full = row("vnf-1", "2026-01-01T00:00:00Z");
    let with = |name: &str, value: serde_json::Value| {
        let mut row: serde_json::Value = serde_json::from_str(&full).expect("it is JSON");
        row[name] = value;
        row
    };
    for name in ["closedLoopName", "requestId", "subrequestId", "actor", "operation", "target"] {
        for (text, status) in [(String::new(), 400), ("x".repeat(255), 201), ("x".repeat(256), 400)]
        {
            let reply = server.post(OPERATIONS, &with(name, text.into()).to_string());
            assert_eq!(reply.status, status, "{name}: {}", reply.body);
            assert_eq!(reply.body.contains(&format!("member `{name}`")), status == 400);
        }
    }
    for (missing, status) in [
        (vec!["closedLoopName", "starttime"], 201),
        (vec!["actor", "operation", "target", "endtime"], 201),
        (vec!["outcome"], 400),
        (vec!["endtime", "starttime"], 400),
        (vec!["actor", "closedLoopName"], 400),
    ] {
        let mut row: serde_json::Value = serde_json::from_str(&full).expect("it is JSON");
        for name in &missing {
            row.as_object_mut().expect("it is an object").remove(*name);
        }
        let reply = server.post(OPERATIONS, &row.to_string());
        assert_eq!(reply.status, status, "{missing:?}: {}", reply.body);
        let named = missing.iter().all(|name| reply.body.contains(&format!("`{name}`")));
        assert!(status == 201 || named, "{missing:?}: {}", reply.body);
    }
}
