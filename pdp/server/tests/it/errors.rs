use serde_json::json;

use crate::support::{DECISION, Folder, HEALTH, OPERATIONS, Server, XACML};

const JSON: (&str, &str) = ("Content-Type", "application/json");
const YAML: (&str, &str) = ("Content-Type", "application/yaml");
const EXPLAIN: &str = "/policy/pdpx/v1/explain";
const POLICIES: &str = "/policy/api/v1/policies";
const TYPES: &str = "/policy/api/v1/policytypes";
const PAP: &str = "/policy/pap/v1/pdps/policies";

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
fn a_body_that_is_encoded_is_415_wherever_one_is_taken() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let of_type = format!("{TYPES}/onap.policies.Naming/versions/1.0.0/policies");
    for path in [DECISION, XACML, EXPLAIN, OPERATIONS, POLICIES, TYPES, &of_type, PAP] {
        for encoding in ["gzip", "identity, br"] {
            let reply = server.send("POST", path, &[("Content-Encoding", encoding)], "\u{1f}{}");
            assert_eq!(reply.status, 415, "{path}: {}", reply.body);
            assert_eq!(reply.json()["code"], "UNSUPPORTED_MEDIA_TYPE", "{path}");
            let odd = encoding.rsplit(' ').next().unwrap_or_default();
            let told = format!("content encoding {odd} is not read: send the body as it is");
            assert!(reply.body.contains(&told), "{path}: {}", reply.body);
            assert_eq!(reply.header("Accept-Encoding"), Some("identity"), "{path}");
        }
        let reply = server.send("POST", path, &[("Content-Encoding", "identity")], "{}");
        assert_ne!(reply.status, 415, "{path}: {}", reply.body);
    }
}

/// Whatever was sent, the answer is one that people can read.
#[test]
fn what_is_repeated_of_a_request_is_cut_to_a_readable_length() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let long = "x".repeat(20_000);
    let text = |before: &str, after: &str| format!("{before}{long}{after}");
    let version = |path: &str| format!("{path}/x/versions/{long}");
    type Row<'r> = (&'r str, String, &'r [(&'r str, &'r str)], String, u16);
    let rows: &[Row<'_>] = &[
        ("GET", text("/", ""), &[], String::new(), 404),
        ("GET", text(POLICIES, ""), &[], String::new(), 404),
        ("GET", text(&format!("{POLICIES}/"), ""), &[], String::new(), 404),
        ("GET", version(POLICIES), &[], String::new(), 404),
        ("DELETE", version(POLICIES), &[], String::new(), 404),
        ("GET", text(&format!("{TYPES}/"), ""), &[], String::new(), 404),
        ("GET", version(TYPES), &[], String::new(), 404),
        ("DELETE", version(TYPES), &[], String::new(), 404),
        ("DELETE", text(&format!("{PAP}/"), ""), &[], String::new(), 404),
        ("DELETE", version(PAP), &[], String::new(), 400),
        ("GET", format!("{OPERATIONS}?since={long}"), &[], String::new(), 400),
        ("GET", format!("{OPERATIONS}?limit={long}"), &[], String::new(), 400),
        ("GET", format!("{OPERATIONS}?{long}=1"), &[], String::new(), 400),
        ("POST", OPERATIONS.into(), &[JSON], text("{\"", "\": 1}"), 400),
        ("POST", OPERATIONS.into(), &[JSON], text("{\"id\": \"", "\"}"), 400),
        ("POST", OPERATIONS.into(), &[JSON], text("{\"endtime\": \"", "\"}"), 400),
        ("POST", OPERATIONS.into(), &[YAML], text("id: ", "\n"), 400),
        ("POST", DECISION.into(), &[JSON], text("{\"action\": \"", "\"}"), 400),
        (
            "POST",
            DECISION.into(),
            &[JSON],
            text("{\"action\": \"guard\", \"resource\": \"", "\"}"),
            400,
        ),
        (
            "POST",
            EXPLAIN.into(),
            &[JSON],
            text("{\"action\": \"guard\", \"resource\": \"", "\"}"),
            400,
        ),
        (
            "POST",
            DECISION.into(),
            &[JSON],
            text("{\"action\": \"guard\", \"currentTime\": \"", "\"}"),
            400,
        ),
        ("POST", XACML.into(), &[("Content-Type", "application/xacml+xml")], text("<", "/>"), 400),
        ("POST", POLICIES.into(), &[JSON], text("{\"", "\": {}}"), 406),
        ("POST", TYPES.into(), &[JSON], text("{\"policy_types\": {\"", "\": {}}}"), 406),
        ("POST", PAP.into(), &[JSON], text("{\"policies\": [{\"policy-id\": \"", "\"}]}"), 404),
        (
            "POST",
            PAP.into(),
            &[JSON],
            text("{\"policies\": [{\"policy-id\": \"x\", \"policy-version\": \"", "\"}]}"),
            400,
        ),
    ];
    for (method, path, headers, body, status) in rows {
        let reply = server.send(method, path, headers, body);
        let what =
            format!("{method} {} {}", &path[..path.len().min(60)], &body[..body.len().min(60)]);
        assert_eq!(reply.status, *status, "{what}: {}", reply.body);
        assert!(reply.body.len() < 3_000, "{what}: {}", reply.body);
        for (name, value) in &reply.headers {
            assert!(value.len() < 1_000, "{what}: {name}: {value}");
        }
    }
    for header in ["Content-Type", "Content-Encoding", "Accept", "X-ONAP-RequestID"] {
        let value = format!("application/json; charset={long}");
        let reply = server.send("POST", DECISION, &[(header, &value)], "{}");
        assert!((400..500).contains(&reply.status), "{header}: {}", reply.body);
        assert!(reply.body.len() < 3_000, "{header}: {}", reply.body);
    }
}

#[test]
fn a_405_names_what_is_allowed() {
    let server = Server::start(&Folder::new(&[]), &[]);
    assert_eq!(server.get(DECISION).header("Allow"), Some("POST"));
    assert_eq!(server.send("PUT", OPERATIONS, &[], "").header("Allow"), Some("GET, HEAD, POST"));
}
