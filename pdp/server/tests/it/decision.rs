use serde_json::json;

use crate::support::{
    DECISION, FREQUENCY, Folder, MIN_MAX, MONITORING, OPERATIONS, STATISTICS, Server, guard_request,
};

fn server() -> Server {
    let folder = Folder::new(&[
        ("monitoring.yaml", MONITORING),
        ("guard/minmax.yaml", MIN_MAX),
        ("guard/frequency.yaml", FREQUENCY),
    ]);
    Server::start(&folder, &[])
}

#[test]
fn monitoring_answers_with_the_policy() {
    let server = server();
    let request = r#"{"action": "configure", "resource": {"policy-id": "test.monitoring.one"}}"#;
    let reply = server.post(DECISION, request);
    assert_eq!(reply.status, 200);
    assert_eq!(
        reply.body,
        concat!(
            r#"{"policies":{"test.monitoring.one":{"type":"onap.policies.monitoring.tcagen2","#,
            r#""type_version":"1.0.0","properties":{"threshold":500},"name":"test.monitoring.one","#,
            r#""version":"1.0.0","metadata":{"policy-id":"test.monitoring.one","policy-version":"1.0.0"}}}}"#
        )
    );
    let short = server.post(&format!("{DECISION}?abbrev=true"), request).json();
    let short = &short["policies"]["test.monitoring.one"];
    assert!(short["type"].is_string() && short["metadata"].is_object());
    assert!(short["properties"].is_null() && short["name"].is_null(), "{short}");
    let other = server.post(&format!("{DECISION}?abbrev=TRUE&abbrev=1"), request);
    assert_eq!(other.body, reply.body);
}

#[test]
fn nothing_found_is_an_error_in_a_200() {
    let reply =
        server().post(DECISION, r#"{"action": "configure", "resource": {"policy-id": "x"}}"#);
    assert_eq!((reply.status, reply.json()), (200, json!({"status": "error", "policies": {}})));
}

#[test]
fn guard_answers_by_count() {
    let server = server();
    for (count, status) in [(1, "Permit"), (2, "Permit"), (3, "Deny")] {
        let reply = server.post(DECISION, &guard_request("Grow", "vnf-1", count));
        assert_eq!((reply.status, reply.json()), (200, json!({"status": status})), "{count}");
    }
    // No policy is about it.
    let reply = server.post(DECISION, &guard_request("Shrink", "vnf-1", 9));
    assert_eq!(reply.json(), json!({"status": "Permit"}));
}

#[test]
fn guard_counts_recorded_operations() {
    let server = server();
    let ask =
        || server.post(DECISION, &guard_request("Build", "vnf-2", 1)).json()["status"].clone();
    assert_eq!(ask(), "Permit");
    let now = jiff::Timestamp::now();
    let row = json!({
        "closedLoopName": "loop-1", "actor": "SO", "operation": "Build", "target": "vnf-2",
        "outcome": "SUCCESS", "starttime": now.to_string(), "endtime": now.to_string()
    });
    assert_eq!(server.post(OPERATIONS, &row.to_string()).status, 201);
    assert_eq!(ask(), "Deny");
}

#[test]
fn yaml_goes_in_and_comes_out() {
    let server = server();
    let yaml = "action: configure\nresource:\n  policy-id: test.monitoring.one\n";
    let headers = [("Content-Type", "application/yaml"), ("Accept", "application/yaml")];
    let reply = server.send("POST", DECISION, &headers, yaml);
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/yaml")));
    assert!(
        reply.body.contains("test.monitoring.one") && !reply.body.starts_with('{'),
        "{}",
        reply.body
    );
    let reply = server.send("POST", DECISION, &headers[..1], yaml);
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(reply.json()["policies"]["test.monitoring.one"]["properties"]["threshold"], 500);
}

#[test]
fn statistics_count_raw_decisions() {
    let server = server();
    server.post(DECISION, &guard_request("Grow", "vnf-1", 1));
    server.post(DECISION, &guard_request("Grow", "vnf-1", 4));
    server.post(DECISION, &guard_request("Shrink", "vnf-1", 4));
    server.post(DECISION, r#"{"action": "foo"}"#);
    let report = server.get(STATISTICS).json();
    assert_eq!(report["code"], 200);
    assert_eq!(report["totalPoliciesCount"], 3);
    assert_eq!(report["totalPolicyTypesCount"], 19);
    assert_eq!(report["totalErrorCount"], 1);
    assert_eq!(
        report["applicationMetrics"],
        json!({"guard": {
            "permit_decisions_count": 1, "deny_decisions_count": 1, "not_applicable_decisions_count": 1
        }})
    );
}
