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

/// Each odd row has an answer that is decided: taken, or refused with the member and what was expected.
#[test]
fn odd_rows_are_taken_or_refused_with_a_reason() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let now = jiff::Timestamp::now();
    let hours = |hours: i64| {
        let time = now.checked_add(jiff::SignedDuration::from_hours(hours)).expect("within range");
        json!(time)
    };
    let full: serde_json::Value =
        serde_json::from_str(&row("vnf-1", "2026-01-01T00:00:00Z")).expect("it is JSON");
    for (name, value, expected) in [
        // Taken.
        ("starttime", json!("2026-01-01T00:00:01Z"), ""), // after its end
        ("endtime", hours(1), ""),                        // a clock that is ahead
        ("outcome", json!("Gone fishing"), ""),
        ("message", json!(""), ""),
        ("target", json!("ünïcödé 漢字"), ""),
        ("id", json!(7), ""),
        ("requestId", json!(null), ""),
        // Refused.
        ("actor", json!(7), "`actor`: expected text, such as \"abc\", found 7"),
        ("actor", json!(["SO"]), "`actor`: expected text, such as \"abc\", found a list"),
        ("target", json!({}), "`target`: expected text"),
        ("outcome", json!(true), "`outcome`: expected text, such as \"abc\", found true"),
        ("id", json!("seven"), "`id`: expected a whole number"),
        ("endtime", json!("yesterday"), "(RFC 3339), found the text `yesterday`"),
        ("endtime", json!(""), "expected a time such as 2026-01-01T08:00:00Z"),
        ("endtime", json!(1_767_225_600), "(RFC 3339), found 1767225600"),
        ("starttime", json!([1]), "expected a time such as 2026-01-01T08:00:00Z"),
        ("endtime", json!("2026-01-01T00:00:00"), "found the text `2026-01-01T00:00:00`"), // no zone
        ("endtime", json!("10000-01-01T00:00:00Z"), "expected a time such as"),
        ("endtime", json!("9999-12-30T22:00:00Z"), "`endtime` is 9999-12-30"),
        ("endtime", hours(25), "expected a time that is past"),
        ("starttime", json!("2100-01-01T00:00:00Z"), "`starttime` is 2100-01-01"),
        ("starttime", json!("1969-12-31T23:59:59Z"), "expected a time after 1970"),
        ("target", json!("a\u{0}b"), "`target` holds a character NUL"),
        ("colour", json!("red"), "unknown key `colour`"),
    ] {
        let mut row = full.clone();
        row[name] = value.clone();
        let reply = server.post(OPERATIONS, &row.to_string());
        let status = if expected.is_empty() { 201 } else { 400 };
        assert_eq!(reply.status, status, "{name} {value}: {}", reply.body);
        let told = reply.json().to_string().replace("\\\"", "\"");
        assert!(status == 201 || told.contains(expected), "{name} {value}: {told}");
        let path = format!("`{name}`");
        assert!(status == 201 || told.contains(&path), "{name} {value}: {told}");
        assert!(!told.contains("pars"), "a library's words: {told}");
    }
    for (body, expected) in [
        ("[]", "keys with values"),
        ("7", "keys with values"),
        ("{\"actor\": \"SO\"", "not JSON"),
        ("{\"actor\": \"a\", \"actor\": \"b\"}", "actor"),
        ("{} {}", "not JSON"),
        ("", "no body"),
    ] {
        let reply = server.post(OPERATIONS, body);
        assert_eq!(reply.status, 400, "{body}: {}", reply.body);
        assert!(reply.body.contains(expected), "{body}: {}", reply.body);
    }
    let yaml = [("Content-Type", "application/yaml")];
    for (body, expected) in [
        ("actor: [SO]\n", "`actor`: expected text"),
        ("actor: SO\nendtime: yesterday\n", "(RFC 3339), found the text `yesterday`"),
        ("endtime: [2026]\n", "`endtime`: expected a time such as 2026-01-01T08:00:00Z"),
    ] {
        let reply = server.send("POST", OPERATIONS, &yaml, body);
        assert_eq!(reply.status, 400, "{body}: {}", reply.body);
        assert!(reply.body.contains(expected), "{body}: {}", reply.body);
    }
    let reply = server.send("POST", OPERATIONS, &yaml, "endtime: [2026\n");
    assert_eq!(reply.status, 400, "{}", reply.body);
    assert!(!reply.body.contains("expected a time"), "it is no YAML: {}", reply.body);
    // What was refused has left no trace.
    let rows = server.get(OPERATIONS).json();
    assert_eq!(rows.as_array().map(Vec::len), Some(7), "{rows}");
}
