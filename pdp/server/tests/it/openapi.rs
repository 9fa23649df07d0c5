//! The description of the interface, held against the service.

use serde_json::{Value, json};

use crate::support::{Folder, Reply, Server};

fn described(server: &Server) -> Value {
    let reply = server.get("/openapi.json");
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
    reply.json()
}

/// Every operation: path, method, description.
fn operations(document: &Value) -> Vec<(String, String, Value)> {
    let paths = document["paths"].as_object().expect("a description has paths");
    let of_path = |(path, item): (&String, &Value)| {
        let item = item.as_object().cloned().unwrap_or_default();
        let path = path.clone();
        item.into_iter().map(move |(method, operation)| (path.clone(), method, operation))
    };
    paths.iter().flat_map(of_path).collect()
}

/// Checks an answer against what is said of its status.
#[track_caller]
fn check(document: &Value, operation: &Value, what: &str, reply: &Reply) {
    let response = &operation["responses"][reply.status.to_string()];
    assert!(response.is_object(), "{what}: {} is not described: {}", reply.status, reply.body);
    let media_type = reply.header("content-type").unwrap_or_default();
    let media_type = media_type.split(';').next().unwrap_or_default();
    let schema = &response["content"][media_type]["schema"];
    assert!(schema.is_object(), "{what}: {media_type} is not described");
    if media_type.ends_with("json") {
        let mut schema = schema.clone();
        schema["components"] = document["components"].clone();
        let validator = jsonschema::validator_for(&schema).expect("the schema is one");
        let wrong: Vec<String> =
            validator.iter_errors(&reply.json()).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{what}: {wrong:?}: {}", reply.body);
    }
}

fn shipped() -> Server {
    let policies = concat!(env!("CARGO_MANIFEST_DIR"), "/../../policies");
    Server::spawn(
        &["serve", "--policies", policies, "--listen", "127.0.0.1:0", "--state", "none"],
        &[],
    )
}

#[test]
fn examples_are_answered_as_they_are_described() {
    let server = shipped();
    let document = described(&server);
    let mut examples = 0;
    for (path, method, operation) in operations(&document) {
        let content = operation["requestBody"]["content"].as_object().cloned().unwrap_or_default();
        for (media_type, body) in content {
            for (name, example) in body["examples"].as_object().into_iter().flatten() {
                let headers = [("Content-Type", media_type.as_str())];
                // JSON is YAML.
                let body = example["value"].to_string();
                let reply = server.send(&method.to_uppercase(), &path, &headers, &body);
                let what = format!("{method} {path} {media_type} {name}");
                assert!((200..300).contains(&reply.status), "{what}: {}", reply.body);
                check(&document, &operation, &what, &reply);
                examples += 1;
            }
        }
    }
    assert!(examples >= 8, "{examples}");
}

#[test]
fn what_can_be_read_is_answered_as_it_is_described() {
    let server = shipped();
    let document = described(&server);
    for (path, method, operation) in operations(&document) {
        if method != "get" || path.contains('{') {
            continue;
        }
        let reply = server.get(&path);
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        check(&document, &operation, &path, &reply);
    }
}

#[test]
fn failures_are_answered_as_they_are_described() {
    let server = shipped();
    let document = described(&server);
    for (path, method, operation) in operations(&document) {
        if method != "post" {
            continue;
        }
        for (headers, body) in [
            (vec![("Content-Type", "text/plain")], "x"),
            (vec![("Content-Type", "application/json")], "{"),
            (vec![("Content-Type", "application/json")], ""),
            (vec![("Content-Type", "application/json"), ("Accept", "image/png")], "{}"),
            (vec![("Content-Type", "application/json"), ("X-ONAP-RequestID", "1")], "{}"),
        ] {
            let reply = server.send("POST", &path, &headers, body);
            let what = format!("{path} {headers:?} {body}");
            // Paths that say in their body what they answer in always answer in JSON.
            assert!(reply.status >= 400 || reply.status == 201, "{what}: {}", reply.body);
            check(&document, &operation, &what, &reply);
        }
    }
}

#[test]
fn every_operation_is_named_once_and_every_reference_leads_somewhere() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let document = described(&server);
    let mut names: Vec<String> = operations(&document)
        .iter()
        .map(|(path, _, operation)| {
            operation["operationId"]
                .as_str()
                .unwrap_or_else(|| panic!("{path}: no name"))
                .to_owned()
        })
        .collect();
    let all = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), all);
    let text = document.to_string();
    for part in text.split("\"#/components/schemas/").skip(1) {
        let name = part.split('"').next().unwrap_or_default();
        assert!(document["components"]["schemas"][name].is_object(), "{name}");
    }
}

#[test]
fn the_page_names_every_path_and_fetches_nothing() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let page = server.get("/docs");
    assert_eq!(page.status, 200);
    for (path, _, _) in operations(&described(&server)) {
        assert!(page.body.contains(&format!("<code>{path}</code>")), "{path}");
    }
    for fetched in ["<script", "<link", "<img", "@import", "url("] {
        assert!(!page.body.contains(fetched), "{fetched}");
    }
}

#[test]
fn what_decides_is_listed_with_its_source() {
    let folder = Folder::new(&[("g.yaml", crate::support::MIN_MAX)]);
    let server = Server::start(&folder, &[]);
    let listed = server.get("/policy/pdpx/v1/policies").json();
    let policy = &listed[0];
    assert_eq!(listed.as_array().map(Vec::len), Some(1), "{listed}");
    let given = ["name", "version", "type", "typeVersion", "application", "state"];
    let given: Vec<&str> = given.iter().filter_map(|key| policy[key].as_str()).collect();
    assert_eq!(
        given,
        [
            "test.guard.minmax",
            "1.0.0",
            "onap.policies.controlloop.guard.common.MinMax",
            "1.0.0",
            "guard",
            "deployed"
        ]
    );
    assert!(policy["source"].as_str().is_some_and(|source| source.ends_with("/g.yaml")));
    assert!(policy["deployedAt"].as_str().is_some_and(|time| time.ends_with('Z')));
}

#[test]
fn an_explanation_has_the_answer_and_the_way_to_it() {
    let folder = Folder::new(&[("g.yaml", crate::support::MIN_MAX)]);
    let server = Server::start(&folder, &[]);
    let body = crate::support::guard_request("Grow", "vnf-1", 7);
    let told = server.post("/policy/pdpx/v1/explain", &body).json();
    assert_eq!((&told["decision"], &told["application"]), (&json!("Deny"), &json!("guard")));
    assert_eq!(told["answer"], server.post(crate::support::DECISION, &body).json());
    let step = &told["steps"][0];
    assert_eq!((&step["id"], &step["target"]), (&json!("test.guard.minmax"), &json!("match")));
    let xacml = r#"{"Request": {"AccessSubject": {}}}"#;
    let headers = [("Content-Type", "application/xacml+json")];
    let told = server.send("POST", "/policy/pdpx/v1/explain", &headers, xacml).json();
    assert_eq!(told["answer"]["Response"][0]["Decision"], "NotApplicable", "{told}");
    // Nobody acts on an explanation, so that nothing is counted.
    let counts = server.get(crate::support::STATISTICS).json()["applicationMetrics"].clone();
    assert_eq!(counts["guard"], json!({"deny_decisions_count": 1}), "{counts}");
    let unknown = server.post("/policy/pdpx/v1/explain", r#"{"action": "foo"}"#);
    assert_eq!(unknown.status, 400, "{}", unknown.body);
}

#[test]
fn a_service_whose_policies_were_all_refused_says_so_when_asked_whether_it_is_ready() {
    let server = Server::start(&Folder::new(&[("bad.yaml", "a: [")]), &[]);
    let ready = server.get("/readyz");
    // As in ONAP it decides as if there were no policies; whoever minds says --strict.
    assert_eq!(ready.status, 200);
    let note = ready.json()["note"].as_str().unwrap_or_default().to_owned();
    assert!(note.contains("every policy was refused"), "{}", ready.body);
}
