use serde_json::json;

use crate::support::{DECISION, Folder, HEALTH, OPERATIONS, Server};

const JSON: (&str, &str) = ("Content-Type", "application/json");

/// Method, path, headers, body; status and what the body holds.
type Row<'r> = (&'r str, &'r str, &'r [(&'r str, &'r str)], &'r str, u16, &'r str);

#[test]
fn wrong_requests_get_their_status_and_a_reason() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let rows: &[Row<'_>] = &[
        ("POST", DECISION, &[JSON], r#"{"action": "foo"}"#, 400, "No application for action foo"),
        ("POST", DECISION, &[JSON], "{}", 400, "No application for action null"),
        ("POST", DECISION, &[JSON], r#"{"action":"#, 400, r#"{"errorDetails":"Invalid request"}"#),
        ("POST", DECISION, &[JSON], "[1, 2]", 400, r#"{"errorDetails":"Invalid request"}"#),
        ("POST", DECISION, &[JSON], r#"{"action": "guard", "resource": "x"}"#, 400, "errorDetails"),
        ("POST", DECISION, &[JSON], "{\"action\": \"g\u{0}\"}", 400, "errorDetails"),
        ("POST", DECISION, &[("Content-Type", "application/yaml")], "a: [", 400, "errorDetails"),
        ("POST", DECISION, &[JSON], "", 400, "The request has no body"),
        ("POST", DECISION, &[JSON], "  \n", 400, "The request has no body"),
        ("POST", DECISION, &[JSON], r#"{"action": "configure"}"#, 400, "`resource` is missing"),
        ("POST", DECISION, &[("Content-Type", "text/plain")], "{}", 415, "application/json"),
        ("POST", DECISION, &[JSON, ("Accept", "text/html")], "{}", 406, "application/yaml"),
        ("GET", HEALTH, &[("Accept", "image/png")], "", 406, "NOT_ACCEPTABLE"),
        ("GET", DECISION, &[], "", 405, "METHOD_NOT_ALLOWED"),
        ("DELETE", HEALTH, &[], "", 405, "GET, HEAD"),
        ("GET", "/policy/pdpx/v1/nothing", &[], "", 404, "NOT_FOUND"),
        ("GET", "/nowhere", &[], "", 404, "NOT_FOUND"),
        ("POST", OPERATIONS, &[JSON], r#"{"actor": 1}"#, 400, "`actor`: expected text"),
        ("POST", OPERATIONS, &[JSON], r#"{"aktor": "SO"}"#, 400, "did you mean `actor`?"),
        ("POST", OPERATIONS, &[JSON], r#"{"endtime": "yesterday"}"#, 400, "expected a time"),
        ("GET", &format!("{OPERATIONS}?limit=many"), &[], "", 400, "limit"),
        ("GET", &format!("{OPERATIONS}?since=noon"), &[], "", 400, "`since` is `noon`"),
    ];
    for (method, path, headers, body, status, text) in rows {
        let reply = server.send(method, path, headers, body);
        assert_eq!(reply.status, *status, "{method} {path} {body}: {}", reply.body);
        assert!(reply.body.contains(text), "{method} {path} {body}: {}", reply.body);
    }
}

#[test]
fn the_error_response_has_onap_s_shape() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let reply = server.post(DECISION, r#"{"action": "foo"}"#);
    let message = "No application for action foo";
    assert_eq!(
        reply.json(),
        json!({"code": "BAD_REQUEST", "error": message, "details": [message]})
    );
}

#[test]
fn a_malformed_body_is_placed_in_a_header() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let reply = server.post(DECISION, "{\n  \"action\": guard}");
    let place = reply.header("X-Error-Detail").unwrap_or_default();
    assert!(place.contains("line 2 column"), "{place}");
}

#[test]
fn what_a_guard_cannot_convert_is_a_200_with_the_reason() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let reply =
        server.post(DECISION, r#"{"action": "guard", "resource": {"guard": {"vfCount": "six"}}}"#);
    assert_eq!(
        (reply.status, reply.json()),
        (200, json!({"status": "error", "message": "Failed to decode vfCount"}))
    );
    let reply = server.post(DECISION, r#"{"action": "native"}"#);
    assert_eq!(reply.json()["message"], "POLICY-500: Do not call native convertRequest");
}

#[test]
fn a_405_names_what_is_allowed() {
    let server = Server::start(&Folder::new(&[]), &[]);
    assert_eq!(server.get(DECISION).header("Allow"), Some("POST"));
    assert_eq!(server.send("PUT", OPERATIONS, &[], "").header("Allow"), Some("GET, HEAD, POST"));
}
