use crate::support::{DECISION, Folder, HEALTH, STATISTICS, Server};

const ID: &str = "6f3a6a54-1f0d-4a5f-9a3b-0d6a2a6d8a11";

fn check_version_headers(reply: &crate::support::Reply) {
    assert_eq!(reply.header("X-MinorVersion"), Some("0"));
    assert_eq!(reply.header("X-PatchVersion"), Some("0"));
    assert_eq!(reply.header("X-LatestVersion"), Some("1.0.0"));
}

#[test]
fn answers_of_the_service_carry_versions_and_the_request_id() {
    let server = Server::start(&Folder::new(&[]), &[]);
    for (method, path, body) in [
        ("GET", HEALTH, ""),
        ("GET", STATISTICS, ""),
        ("POST", DECISION, r#"{"action": "guard"}"#),
        ("POST", DECISION, r#"{"action": "foo"}"#),
    ] {
        let reply = server.send(method, path, &[("X-ONAP-RequestID", ID)], body);
        check_version_headers(&reply);
        assert_eq!(reply.header("X-ONAP-RequestID"), Some(ID), "{path} {body}");
    }
}

#[test]
fn a_fresh_id_is_made_and_differs_each_time() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let id = || server.get(HEALTH).header("X-ONAP-RequestID").map(str::to_owned);
    let (one, two) = (id(), id());
    assert_eq!(one.as_deref().map(str::len), Some(36));
    assert_ne!(one, two);
}

#[test]
fn an_id_that_is_no_uuid_is_refused() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let reply = server.send("GET", HEALTH, &[("X-ONAP-RequestID", "seven")], "");
    assert_eq!(reply.status, 400);
    assert_eq!(reply.json()["code"], "BAD_REQUEST");
    assert_eq!(reply.header("X-MinorVersion"), None);
}

#[test]
fn answers_before_the_service_carry_no_versions() {
    let server = Server::start(&Folder::new(&[]), &[]);
    for reply in [
        server.post(DECISION, "{"),
        server.send("POST", DECISION, &[("Content-Type", "text/plain")], "{}"),
        server.get("/metrics"),
    ] {
        assert_eq!(reply.header("X-MinorVersion"), None, "{}", reply.body);
    }
}

#[test]
fn the_health_report_is_onap_s() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let reply = server.get(HEALTH);
    // Checks look for this text, with no blank after the colon.
    assert!(reply.body.contains("\"healthy\":true"), "{}", reply.body);
    let report = reply.json();
    assert_eq!(
        (&report["url"], &report["code"], &report["message"]),
        (&"self".into(), &200.into(), &"alive".into())
    );
    assert!(report["name"].as_str().is_some_and(|name| name.starts_with("xacml-")));
    let yaml = server.send("GET", HEALTH, &[("Accept", "application/yaml")], "");
    assert!(yaml.body.contains("healthy: true"), "{}", yaml.body);
}
