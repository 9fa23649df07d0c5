//! Policies are created, deployed, undeployed and deleted over HTTP.

use serde_json::{Value, json};

use crate::support::{DECISION, Folder, Reply, Server, XACML, eventually, guard_request, run};

const POLICIES: &str = "/policy/api/v1/policies";
const TYPES: &str = "/policy/api/v1/policytypes";
const PAP: &str = "/policy/pap/v1/pdps/policies";
const MIN_MAX: &str = "onap.policies.controlloop.guard.common.MinMax";

fn min_max(name: &str, version: &str, target: &str, max: u32) -> Value {
    json!({name: {
        "type": MIN_MAX, "type_version": "1.0.0", "version": version,
        "metadata": {"policy-id": "overwritten", "author": "somebody"},
        "properties": {"actor": "SO", "operation": "Grow", "target": target, "max": max}
    }})
}

fn template(policies: &[Value]) -> String {
    json!({
        "tosca_definitions_version": "tosca_simple_yaml_1_1_0",
        "topology_template": {"policies": policies}
    })
    .to_string()
}

fn deployment(policies: &[(&str, Option<&str>)]) -> String {
    let list = policies.iter().map(|(name, version)| match version {
        Some(version) => json!({"policy-id": name, "policy-version": version}),
        None => json!({"policy-id": name}),
    });
    json!({"policies": list.collect::<Vec<_>>()}).to_string()
}

fn grow(server: &Server, target: &str, count: u32) -> String {
    let reply = server.post(DECISION, &guard_request("Grow", target, count));
    reply.json()["status"].as_str().unwrap_or_default().to_owned()
}

fn delete(server: &Server, path: &str) -> Reply {
    server.send("DELETE", path, &[], "")
}

/// Name and version of each policy of an answer.
fn listed(reply: &Reply) -> Vec<(String, String)> {
    let body = reply.json();
    let policies = body["topology_template"]["policies"].as_array().cloned().unwrap_or_default();
    policies
        .iter()
        .flat_map(|one| one.as_object().cloned().unwrap_or_default())
        .map(|(name, policy)| (name, policy["version"].as_str().unwrap_or_default().to_owned()))
        .collect()
}

fn start() -> Server {
    Server::start(&Folder::new(&[]), &[])
}

#[test]
fn a_policy_is_created_deployed_undeployed_and_deleted() {
    let server = start();
    let under_type = format!("{TYPES}/{MIN_MAX}/versions/1.0.0/policies");
    let reply = server.post(&under_type, &template(&[min_max("test.one", "1.0.0", "vnf-1", 3)]));
    assert_eq!(reply.status, 201, "{}", reply.body);
    assert_eq!(
        reply.json()["topology_template"]["policies"][0]["test.one"]["metadata"],
        json!({"policy-id": "test.one", "policy-version": "1.0.0", "author": "somebody"})
    );
    assert_eq!(grow(&server, "vnf-1", 5), "Permit", "created is not deployed");

    let reply = server.post(PAP, &deployment(&[("test.one", Some("1.0.0"))]));
    assert_eq!(reply.status, 202, "{}", reply.body);
    assert_eq!(grow(&server, "vnf-1", 5), "Deny", "it decides as soon as the call is answered");
    let status = reply.json()["uri"].as_str().expect("it says where to look").to_owned();
    let status = server.get(&status).json();
    assert_eq!(status[0]["policy"], json!({"name": "test.one", "version": "1.0.0"}));
    assert_eq!(status[0]["state"], "SUCCESS");
    assert_eq!(server.post(PAP, &deployment(&[("test.one", None)])).status, 202, "once more");

    let one = format!("{under_type}/test.one/versions/1.0.0");
    let reply = delete(&server, &one);
    assert_eq!(reply.status, 409, "{}", reply.body);
    assert!(reply.body.contains("policy is in use, it is deployed in PDP group"), "{}", reply.body);
    assert_eq!(delete(&server, &format!("{PAP}/test.one")).status, 202);
    assert_eq!(grow(&server, "vnf-1", 5), "Permit");
    assert_eq!(server.get("/policy/pap/v1/policies/status").json(), json!([]));
    let reply = delete(&server, &format!("{PAP}/test.one"));
    assert_eq!(reply.status, 400);
    assert_eq!(
        reply.json()["errorDetails"],
        "policy does not appear in any PDP group: test.one null"
    );
    assert_eq!(listed(&delete(&server, &one)), [("test.one".into(), "1.0.0".into())]);
    assert_eq!(delete(&server, &one).status, 404);
    let metrics = server.get("/metrics").body;
    for line in [
        "pdpx_policy_deployments_total{operation=\"deploy\",status=\"SUCCESS\"} 1",
        "pdpx_policy_deployments_total{operation=\"undeploy\",status=\"SUCCESS\"} 1",
        "pdp_policies 0",
        "pdp_snapshot_build_seconds ",
        "pdp_request_duration_seconds_count{endpoint=\"pap-deploy\",code=\"202\"} 2",
    ] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
}

#[test]
fn policies_are_read_by_type_name_and_version() {
    let server = start();
    let all = [
        min_max("test.one", "1.0.0", "vnf-1", 3),
        min_max("test.one", "1.10.0", "vnf-1", 4),
        min_max("test.one", "1.9.0", "vnf-1", 5),
        min_max("test.two", "1.0.0", "vnf-2", 3),
    ];
    assert_eq!(server.post(POLICIES, &template(&all)).status, 201);
    let of_type = format!("{TYPES}/{MIN_MAX}/versions/1.0.0/policies");
    let of_another = format!("{TYPES}/onap.policies.Naming/versions/1.0.0/policies");
    for (path, expected) in [
        (POLICIES.to_owned(), 4),
        (format!("{POLICIES}/test.one"), 3),
        (format!("{POLICIES}/test.one/versions/1.9.0"), 1),
        (of_type.clone(), 4),
        (format!("{of_type}/test.one"), 3),
        (format!("{of_type}/test.two/versions/1.0.0"), 1),
        (of_another.clone(), 0),
    ] {
        let reply = server.get(&path);
        assert_eq!((reply.status, listed(&reply).len()), (200, expected), "{path}: {}", reply.body);
    }
    let newest = [("test.one".to_owned(), "1.10.0".to_owned())];
    assert_eq!(listed(&server.get(&format!("{POLICIES}/test.one/versions/latest"))), newest);
    assert_eq!(listed(&server.get(&format!("{of_type}/test.one/versions/latest"))), newest);
    for path in [
        format!("{POLICIES}/test.three"),
        format!("{POLICIES}/test.one/versions/2.0.0"),
        format!("{of_another}/test.one/versions/1.0.0"),
    ] {
        let reply = server.get(&path);
        assert_eq!(reply.status, 404, "{path}");
        assert_eq!(reply.json()["code"], "NOT_FOUND");
        assert!(reply.json()["error"].as_str().is_some_and(|it| it.contains("do not exist")));
    }
    let yaml = server.send("GET", POLICIES, &[("Accept", "application/yaml")], "");
    assert!(yaml.body.contains("tosca_definitions_version: tosca_simple_yaml_1_1_0"), "{yaml:?}");
}

#[test]
fn yaml_is_taken_as_json_is() {
    let server = start();
    let body = "topology_template:\n  policies:\n  - test.one:\n      \
        type: onap.policies.controlloop.guard.common.MinMax\n      type_version: 1.0.0\n      \
        version: 1.0.0\n      properties: {actor: SO, operation: Grow, target: vnf-1, max: 3}\n";
    let yaml = [("Content-Type", "application/yaml")];
    assert_eq!(server.send("POST", POLICIES, &yaml, body).status, 201);
    let reply = server.send("POST", PAP, &yaml, "policies:\n- policy-id: test.one\n");
    assert_eq!(reply.status, 202, "{}", reply.body);
    assert_eq!(grow(&server, "vnf-1", 5), "Deny");
}

#[test]
fn the_same_again_is_fine_and_something_else_is_a_conflict() {
    let server = start();
    let first = template(&[min_max("test.one", "1.0.0", "vnf-1", 3)]);
    assert_eq!(server.post(POLICIES, &first).status, 201);
    assert_eq!(server.post(POLICIES, &first).status, 201);
    let other = template(&[
        min_max("test.new", "1.0.0", "vnf-1", 3),
        min_max("test.one", "1.0.0", "vnf-1", 4),
    ]);
    let reply = server.post(POLICIES, &other);
    assert_eq!(reply.status, 409, "{}", reply.body);
    assert!(reply.body.contains("test.one:1.0.0"), "{}", reply.body);
    assert_eq!(listed(&server.get(POLICIES)).len(), 1, "all or nothing");
}

#[test]
fn what_cannot_be_used_is_refused_with_every_reason() {
    let server = start();
    let mut broken = min_max("test.broken", "1.0.0", "vnf-1", 3);
    broken["test.broken"]["properties"] = json!({"actor": "SO", "operation": "Grow"});
    let mut unknown = min_max("test.unknown", "1.0.0", "vnf-1", 3);
    unknown["test.unknown"]["type"] = json!("onap.policies.unheard.of");
    let mut untyped = min_max("test.untyped", "1.0.0", "vnf-1", 3);
    untyped["test.untyped"].as_object_mut().expect("a map").remove("type_version");
    for (body, status, says) in [
        (template(&[min_max("test.good", "1.0.0", "v", 1), broken, unknown]), 406, "target"),
        (template(&[untyped]), 406, "type_version"),
        (template(&[min_max("test.one", "one", "vnf-1", 3)]), 406, "version"),
        ("{\"topology_template\":".to_owned(), 400, "1:"),
        (template(&[]), 406, "at least one policy"),
        ("{\"topology_template\": {}}".to_owned(), 400, "topology_template"),
    ] {
        let reply = server.post(POLICIES, &body);
        assert_eq!(reply.status, status, "{body}: {}", reply.body);
        assert!(reply.body.contains(says), "{says}: {}", reply.body);
        assert!(reply.json()["details"].as_array().is_some_and(|it| !it.is_empty()));
    }
    assert_eq!(listed(&server.get(POLICIES)), []);
    for (body, status, says) in [
        ("{}", 400, "policies"),
        ("{\"policies\": [{\"policy-version\": \"1.0.0\"}]}", 400, "policy-id"),
        ("{\"policies\": [{\"policy-id\": \"x\", \"policy-version\": \"one\"}]}", 400, "one"),
        (
            "{\"policies\": [{\"policy-id\": \"x\", \"policy-version\": \"1.0.0\"}]}",
            404,
            "cannot find policy: x 1.0.0",
        ),
        ("nonsense", 400, "1:1"),
    ] {
        let reply = server.post(PAP, body);
        assert_eq!(reply.status, status, "{body}: {}", reply.body);
        assert!(
            reply.json()["errorDetails"].as_str().is_some_and(|it| it.contains(says)),
            "{reply:?}"
        );
    }
    assert_eq!(delete(&server, &format!("{PAP}/nobody/versions/1")).status, 404);
    assert_eq!(server.send("PUT", POLICIES, &[], "").status, 405);
}

#[test]
fn deployment_is_all_or_nothing() {
    let server = start();
    let mut late = min_max("test.late", "1.0.0", "vnf-2", 3);
    late["test.late"]["type"] = json!("onap.policies.controlloop.guard.common.FrequencyLimiter");
    late["test.late"]["properties"] = json!({"actor": "SO", "operation": "Grow", "target": "vnf-2",
        "id": "loop-1", "timeWindow": 10, "timeUnits": "month", "limit": 1});
    let both = template(&[min_max("test.one", "1.0.0", "vnf-1", 3), late]);
    assert_eq!(server.post(POLICIES, &both).status, 201);
    for body in [
        deployment(&[("test.one", None), ("test.nobody", None)]),
        deployment(&[("test.one", None), ("test.late", None)]),
    ] {
        let reply = server.post(PAP, &body);
        assert!([400, 404].contains(&reply.status), "{}", reply.body);
        assert_eq!(grow(&server, "vnf-1", 5), "Permit", "nothing is half deployed");
        assert_eq!(server.get("/policy/pap/v1/policies/status").json(), json!([]));
    }
    let reply = server.post(PAP, &deployment(&[("test.late", None)]));
    assert!(reply.body.contains("longer than operations are kept"), "{}", reply.body);
}

#[test]
fn versions_are_deployed_side_by_side_and_found_by_their_beginning() {
    let server = start();
    let all = [("1.0.0", 3), ("1.2.0", 6), ("2.0.0", 9)]
        .map(|(version, max)| min_max("test.one", version, "vnf-1", max));
    assert_eq!(server.post(POLICIES, &template(&all)).status, 201);
    let deployed = || {
        let status = server.get("/policy/pap/v1/policies/status").json();
        let rows = status.as_array().cloned().unwrap_or_default();
        rows.iter()
            .map(|row| row["policy"]["version"].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(server.post(PAP, &deployment(&[("test.one", Some("1"))])).status, 202);
    assert_eq!(deployed(), ["1.2.0"]);
    assert_eq!(server.post(PAP, &deployment(&[("test.one", None)])).status, 202);
    assert_eq!(deployed(), ["1.2.0", "2.0.0"]);
    assert_eq!(delete(&server, &format!("{PAP}/test.one/versions/1.2.0")).status, 202);
    assert_eq!(deployed(), ["2.0.0"]);
    assert_eq!(grow(&server, "vnf-1", 8), "Permit");
    assert_eq!(server.post(PAP, &deployment(&[("test.one", Some("1.0.0"))])).status, 202);
    assert_eq!(grow(&server, "vnf-1", 8), "Deny", "both are asked");
    assert_eq!(delete(&server, &format!("{PAP}/test.one")).status, 202);
    assert_eq!(deployed(), [""; 0], "without a version all of them go");
}

#[test]
fn types_are_kept_and_needed_ones_cannot_be_deleted() {
    let server = start();
    let body = json!({
        "tosca_definitions_version": "tosca_simple_yaml_1_1_0",
        "policy_types": {
            "test.policies.Base": {"derived_from": "tosca.policies.Root", "version": "1.0.0",
                "properties": {"size": {"type": "test.datatypes.Size", "required": true}}},
            "test.policies.Derived": {"derived_from": "test.policies.Base", "version": "1.1.0"}
        },
        "data_types": {"test.datatypes.Size": {"derived_from": "tosca.datatypes.Root", "version": "1.0.0"}}
    });
    let reply = server.post(TYPES, &body.to_string());
    assert_eq!(reply.status, 201, "{}", reply.body);
    let base = format!("{TYPES}/test.policies.Base");
    let reply = server.get(&format!("{base}/versions/latest"));
    assert_eq!(reply.json()["policy_types"]["test.policies.Base"]["version"], "1.0.0");
    assert_eq!(reply.json()["policy_types"]["test.policies.Base"]["name"], "test.policies.Base");
    assert!(reply.json()["data_types"]["test.datatypes.Size"].is_object());
    assert_eq!(server.get(&format!("{base}/versions/2.0.0")).status, 404);
    let reply = delete(&server, &format!("{base}/versions/1.0.0"));
    assert_eq!(reply.status, 409);
    assert!(reply.body.contains("policy type test.policies.Derived:1.1.0"), "{}", reply.body);
    assert_eq!(
        delete(&server, &format!("{TYPES}/test.policies.Derived/versions/1.1.0")).status,
        200
    );
    assert_eq!(delete(&server, &format!("{base}/versions/1.0.0")).status, 200);
    assert_eq!(server.get(&base).status, 404);
    for (body, status) in [("{\"policy_types\": {\"a\": 1}}", 406), ("{\"policy_types\": {}}", 400)]
    {
        assert_eq!(server.post(TYPES, body).status, status, "{body}");
    }
}

#[test]
fn who_sends_no_types_is_told_how_types_are_written() {
    let server = start();
    let policies = template(&[min_max("test.one", "1.0.0", "vnf-1", 3)]);
    let unversioned = template(&[min_max("test.one", "1", "vnf-1", 3)]);
    for body in [
        "{}",
        "null",
        "[]",
        "7",
        "\"text\"",
        "{\"policy_types\": null}",
        "{\"policy_types\": {}}",
        "{\"name\": 5}",
        "{\"topology_template\": {}}",
        "{\"topology_template\": {\"policies\": []}}",
        &policies,
        &unversioned,
    ] {
        let reply = server.post(TYPES, body);
        assert_eq!(reply.status, 400, "{body}: {}", reply.body);
        assert!(reply.body.contains("no policy types: expected `policy_types`"), "{}", reply.body);
        assert!(!reply.body.contains("topology_template"), "{body}: {}", reply.body);
    }
    let reply = server.post(TYPES, "{\"policy_typs\": {}}");
    assert_eq!(reply.status, 406, "{}", reply.body);
    assert!(reply.body.contains("did you mean `policy_types`?"), "{}", reply.body);
    for body in ["{}", "null", "[]", "{\"policy_types\": {}}"] {
        let reply = server.post(POLICIES, body);
        assert!([400, 406].contains(&reply.status), "{body}: {}", reply.body);
        let said = ["topology_template", "`type_version`"];
        assert!(said.iter().any(|it| reply.body.contains(it)), "{body}: {}", reply.body);
    }
}

#[test]
fn a_version_is_three_numbers_and_one_text() {
    let server = start();
    let types = |kind: &str, version: &str| {
        let mut all = json!({"policy_types": {"com.example.New": {"derived_from": "onap.policies.Match", "version": "1.0.0"}}});
        all[kind]["com.example.New"] =
            json!({"derived_from": "tosca.datatypes.Root", "version": version});
        if kind == "policy_types" {
            all[kind]["com.example.New"]["derived_from"] = json!("onap.policies.Match");
        }
        all.to_string()
    };
    let of_type = |version: &str| {
        let mut policy = min_max("test.one", "1.0.0", "vnf-1", 3);
        policy["test.one"]["type_version"] = json!(version);
        template(&[policy])
    };
    for version in ["1", "1.0", "01.0.0", "1.00.0", "1.0.0.0", "1.0.x", "1.0.0-beta", "-1.0.0"] {
        for (path, body) in [
            (POLICIES, template(&[min_max("test.one", version, "vnf-1", 3)])),
            (POLICIES, of_type(version)),
            (TYPES, types("policy_types", version)),
            (TYPES, types("data_types", version)),
        ] {
            let reply = server.post(path, &body);
            assert_eq!(reply.status, 406, "{body}: {}", reply.body);
            let told = format!("`{version}` is not a version");
            assert!(reply.body.contains(&told), "{body}: {}", reply.body);
            assert!(reply.body.contains("such as 1.0.0"), "{body}: {}", reply.body);
        }
    }
    assert_eq!(listed(&server.get(POLICIES)), []);
    assert_eq!(server.get(&format!("{TYPES}/com.example.New")).status, 404);
    for version in ["0.0.0", "1.0.0", "1.10.0"] {
        let body = template(&[min_max("test.one", version, "vnf-1", 3)]);
        assert_eq!(server.post(POLICIES, &body).status, 201, "{version}");
    }
    // Files are versioned as their authors like it.
    let folder = Folder::new(&[("f.json", &template(&[min_max("test.one", "1.0", "vnf-1", 3)]))]);
    let server = Server::start(&folder, &[]);
    assert_eq!(grow(&server, "vnf-1", 5), "Deny");
}

#[test]
fn what_is_administered_survives_a_restart() {
    let (folder, state) = (Folder::new(&[]), Folder::new(&[]));
    let start = || {
        let (policies, state) = (folder.text(), state.text());
        let arguments =
            ["serve", "--policies", &policies, "--listen", "127.0.0.1:0", "--state", &state];
        Server::spawn(&arguments, &[])
    };
    let server = start();
    let both = template(&[
        min_max("test.one", "1.0.0", "vnf-1", 3),
        min_max("test.two", "1.0.0", "vnf-2", 3),
    ]);
    assert_eq!(server.post(POLICIES, &both).status, 201);
    let body = deployment(&[("test.one", None), ("test.two", None)]);
    assert_eq!(server.post(PAP, &body).status, 202);
    server.signal("KILL");
    drop(server);
    folder.write("file.yaml", &file("test.one", "vnf-1", 9));
    let server = start();
    assert!(server.ready.contains("(2 policies in"), "{}", server.ready);
    assert_eq!(grow(&server, "vnf-1", 5), "Deny", "what is deployed goes on");
    assert_eq!(grow(&server, "vnf-2", 5), "Deny");
    let ready = server.get("/readyz").json();
    assert_eq!(ready["policiesRefused"], 1);
    assert!(ready["problems"][0].as_str().is_some_and(|it| it.contains("file.yaml")), "{ready}");
    assert_eq!(delete(&server, &format!("{PAP}/test.one")).status, 202);
    assert_eq!(grow(&server, "vnf-1", 5), "Permit", "the file takes its place");
    let ready = server.get("/readyz").json();
    assert_eq!((&ready["policies"], &ready["policiesRefused"]), (&json!(2), &json!(0)), "{ready}");
}

#[test]
fn a_policy_of_a_file_is_not_replaced_by_another_of_its_name_and_version() {
    let folder = Folder::new(&[("file.yaml", &file("test.one", "vnf-1", 9))]);
    let server = Server::start(&folder, &[]);
    let other = template(&[min_max("test.one", "1.0.0", "vnf-1", 3)]);
    let reply = server.post(POLICIES, &other);
    assert_eq!(reply.status, 409, "{}", reply.body);
    assert!(reply.body.contains("file.yaml"), "{}", reply.body);
    assert_eq!(server.get(&format!("{POLICIES}/test.one")).status, 404);
    let next = template(&[min_max("test.one", "1.0.1", "vnf-1", 3)]);
    assert_eq!(server.post(POLICIES, &next).status, 201, "another version is fine");
    assert_eq!(server.post(POLICIES, &file("test.one", "vnf-1", 9)).status, 201, "so is the same");
    assert_eq!(server.post(PAP, &deployment(&[("test.one", Some("1.0.0"))])).status, 202);
    // It goes on when the file says something else.
    folder.write("file.yaml", &file("test.one", "vnf-1", 4));
    eventually("the conflict is told", || server.get("/readyz").json()["policiesRefused"] == 1);
    let ready = server.get("/readyz").body;
    assert!(ready.contains("file.yaml") && ready.contains("goes on deciding"), "{ready}");
    assert!(server.get("/metrics").body.contains("pdp_policies_refused 1"));
    assert!(server.log().contains("conflicting-policy"));
    assert_eq!(grow(&server, "vnf-1", 5), "Permit");
    folder.write("file.yaml", &file("test.one", "vnf-1", 9));
    eventually("it is mended", || server.get("/readyz").json()["policiesRefused"] == 0);
    // Created while no file held it, deployed when one does.
    let created = template(&[min_max("test.late", "1.0.0", "vnf-2", 3)]);
    assert_eq!(server.post(POLICIES, &created).status, 201);
    folder.write("late.yaml", &file("test.late", "vnf-2", 9));
    eventually("the file decides", || server.get("/readyz").json()["policies"] == 2);
    let reply = server.post(PAP, &deployment(&[("test.late", None)]));
    assert_eq!(reply.status, 409, "{}", reply.body);
    assert!(reply.body.contains("late.yaml"), "{}", reply.body);
    assert_eq!(grow(&server, "vnf-2", 5), "Permit");
}

#[test]
fn what_is_the_same_in_another_order_is_the_same() {
    let server = start();
    let first = r#"{"topology_template": {"policies": [{"test.one": {"type": "onap.policies.controlloop.guard.common.MinMax",
        "type_version": "1.0.0", "version": "1.0.0", "properties": {"actor": "SO", "operation": "Grow", "target": "vnf-1", "max": 3}}}]}}"#;
    let second = r#"{"topology_template": {"policies": [{"test.one": {"version": "1.0.0", "type_version": "1.0.0",
        "type": "onap.policies.controlloop.guard.common.MinMax", "properties": {"max": 3.0, "target": "vnf-1", "operation": "Grow", "actor": "SO"}}}]}}"#;
    assert_eq!(server.post(POLICIES, first).status, 201);
    let reply = server.post(POLICIES, second);
    assert_eq!(reply.status, 201, "{}", reply.body);
}

#[test]
fn names_can_always_be_asked_for() {
    let server = start();
    let long = "x".repeat(255);
    for name in ["Test-1_a.b", &long] {
        let reply = server.post(POLICIES, &template(&[min_max(name, "1.0.0", "vnf-1", 3)]));
        assert_eq!(reply.status, 201, "{}", reply.body);
        let escaped = name.replace('-', "%2D").replace('x', "%78").replace('.', "%2e");
        for path in [name, &escaped] {
            assert_eq!(server.get(&format!("{POLICIES}/{path}")).status, 200, "{path}");
            assert_eq!(server.get(&format!("{POLICIES}/{path}/versions/1%2E0.0")).status, 200);
        }
        assert_eq!(server.post(PAP, &deployment(&[(name, None)])).status, 202);
        assert_eq!(delete(&server, &format!("{PAP}/{escaped}/versions/1.0.0")).status, 202);
    }
    let endless = "x".repeat(100_000);
    for name in ["a/b", "a b", " a", "a\n", "a%2Fb", "å", "", &endless] {
        let reply = server.post(POLICIES, &template(&[min_max(name, "1.0.0", "vnf-1", 3)]));
        assert_eq!(reply.status, 406, "{name}: {}", reply.body);
        assert!(reply.body.contains("name") && reply.body.len() < 2_000, "{}", reply.body);
    }
}

#[test]
fn a_set_may_refer_to_one_that_is_not_there_yet() {
    let server = start();
    let set = |name: &str, properties: Value| {
        json!({name: {
            "type": "onap.policies.native.ToscaXacml", "type_version": "1.0.0", "version": "1.0.0",
            "properties": properties
        }})
    };
    let refers =
        set("test.outer", json!({"policySetIdRefs": [{"id": "test.inner", "version": "1.0.0"}]}));
    let inner = set(
        "test.inner",
        json!({"policies": [
            {"metadata": {"policy-id": "p", "policy-version": "1.0.0"}, "properties": {"rules": [{"decision": "Permit"}]}}
        ]}),
    );
    assert_eq!(server.post(POLICIES, &template(&[refers, inner])).status, 201);
    assert_eq!(server.post(PAP, &deployment(&[("test.outer", None)])).status, 202);
    let decision = || {
        let headers = [("Content-Type", "application/xacml+json")];
        let body =
            r#"{"Request": {"Resource": [{"Attribute": [{"AttributeId": "a", "Value": "x"}]}]}}"#;
        server.send("POST", XACML, &headers, body).json()["Response"][0].clone()
    };
    let lost = decision();
    assert_eq!(lost["Decision"], "Indeterminate", "{lost}");
    assert!(lost.to_string().contains("test.inner"), "{lost}");
    assert_eq!(server.post(PAP, &deployment(&[("test.inner", None)])).status, 202);
    assert_eq!(decision()["Decision"], "Permit");
    assert_eq!(delete(&server, &format!("{PAP}/test.inner")).status, 202);
    assert_eq!(decision()["Decision"], "Indeterminate");
}

fn file(name: &str, target: &str, max: u32) -> String {
    template(&[min_max(name, "1.0.0", target, max)])
}

#[test]
fn a_state_folder_that_is_damaged_or_taken_ends_the_start_with_3() {
    damaged_or_taken(false);
}

#[test]
fn so_does_one_with_deployed_policies() {
    damaged_or_taken(true);
}

fn damaged_or_taken(deployed: bool) {
    let state = Folder::new(&[]);
    let folder = Folder::new(&[]);
    let (policies, text) = (folder.text(), state.text());
    let arguments = ["serve", "--policies", &policies, "--listen", "127.0.0.1:0", "--state", &text];
    let mut server = Server::spawn(&arguments, &[]);
    let many: Vec<Value> =
        (0..200).map(|n| min_max(&format!("test.{n}"), "1.0.0", "vnf", n)).collect();
    assert_eq!(server.post(POLICIES, &template(&many)).status, 201);
    let names: Vec<String> = (0..200).map(|n| format!("test.{n}")).collect();
    let all: Vec<(&str, Option<&str>)> = names.iter().map(|name| (&**name, None)).collect();
    if deployed {
        assert_eq!(server.post(PAP, &deployment(&all)).status, 202);
    }
    let ended = run(&arguments);
    assert_eq!(ended.code, 3, "{}", ended.err);
    assert!(ended.err.contains("in use") && ended.err.contains("--state none"), "{}", ended.err);
    server.signal("TERM");
    assert!(server.wait().success());
    let file = state.path().join("policies.sqlite3");
    let whole = std::fs::read(&file).expect("the state is there");
    let mut torn = whole.clone();
    torn[5000..9000].fill(0xEE);
    for (bytes, what) in [
        (&torn[..], "overwritten"),
        (&whole[..whole.len() / 2], "cut short"),
        (&[][..], "empty"),
        (&b"something else altogether"[..], "another file"),
    ] {
        std::fs::write(&file, bytes).expect("the folder is writable");
        let ended = run(&arguments);
        assert_eq!(ended.code, 3, "{what}: {}", ended.err);
        assert!(ended.err.contains("damaged") && ended.err.contains("--state"), "{}", ended.err);
        assert_eq!(
            std::fs::read(&file).expect("it is there"),
            bytes,
            "{what}: it is left as it was"
        );
    }
    std::fs::write(&file, whole).expect("the folder is writable");
    let server = Server::spawn(&arguments, &[]);
    assert_eq!(listed(&server.get(POLICIES)).len(), 200);
}

#[test]
fn no_deployed_policy_is_lost_in_silence() {
    let (state, folder) = (Folder::new(&[]), Folder::new(&[]));
    let (policies, text) = (folder.text(), state.text());
    let arguments = ["serve", "--policies", &policies, "--listen", "127.0.0.1:0", "--state", &text];
    let mut server = Server::spawn(&arguments, &[]);
    let all: Vec<Value> =
        (0..50).map(|n| min_max(&format!("p.{n:05}"), "1.0.0", "vnf", n)).collect();
    assert_eq!(server.post(POLICIES, &template(&all)).status, 201);
    let names: Vec<String> = (0..50).map(|n| format!("p.{n:05}")).collect();
    let every: Vec<(&str, Option<&str>)> = names.iter().map(|name| (&**name, None)).collect();
    assert_eq!(server.post(PAP, &deployment(&every)).status, 202);
    server.signal("TERM");
    assert!(server.wait().success());
    let file = state.path().join("policies.sqlite3");
    let whole = std::fs::read(&file).expect("the state is there");
    for (change, said) in [
        ("DELETE FROM policy WHERE name = 'p.00003'", None),
        (
            "UPDATE policy SET content = (SELECT content FROM policy WHERE name = 'p.00004') WHERE name = 'p.00003'",
            Some("policy `p.00003` version 1.0.0: what is kept of it is policy `p.00004`"),
        ),
    ] {
        std::fs::write(&file, &whole).expect("the folder is writable");
        let database = rusqlite::Connection::open(&file).expect("it is a database");
        database.pragma_update(None, "foreign_keys", false).expect("it can be told");
        database.execute(change, []).expect("it is the database's owner");
        drop(database);
        let Some(said) = said else {
            let ended = run(&arguments);
            assert_eq!(ended.code, 3, "{}", ended.err);
            assert!(ended.err.contains("`p.00003` version 1.0.0 is deployed"), "{}", ended.err);
            continue;
        };
        let server = Server::spawn(&arguments, &[]);
        let ready = server.get("/readyz").json().to_string();
        assert!(ready.contains(said), "{ready}");
    }
}

#[test]
fn a_log_that_was_changed_loses_no_policy_in_silence() {
    let (state, folder) = (Folder::new(&[]), Folder::new(&[]));
    let (policies, text) = (folder.text(), state.text());
    let arguments = ["serve", "--policies", &policies, "--listen", "127.0.0.1:0", "--state", &text];
    let mut server = Server::spawn(&arguments, &[]);
    for number in 0..3 {
        let policy = min_max(&format!("test.{number}"), "1.0.0", "vnf", number);
        assert_eq!(server.post(POLICIES, &template(&[policy])).status, 201);
    }
    server.signal("KILL");
    server.wait();
    let log = state.path().join("policies.sqlite3-wal");
    let whole = std::fs::read(&log).expect("what is new is in the log");
    for at in [20, 100, 2_000] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        std::fs::write(&log, &bytes).expect("the folder is writable");
        let ended = run(&arguments);
        assert_eq!(ended.code, 3, "{at}: {}", ended.err);
        assert!(
            ended.err.contains("policies.sqlite3") && ended.err.contains("-wal"),
            "{}",
            ended.err
        );
        assert_eq!(std::fs::read(&log).ok(), Some(bytes), "{at}: it is left as it was");
    }
    std::fs::write(&log, whole).expect("the folder is writable");
    let server = Server::spawn(&arguments, &[]);
    assert_eq!(listed(&server.get(POLICIES)).len(), 3);
}

#[test]
fn administration_asks_for_credentials_where_there_are_any() {
    let config = Folder::new(&[("c.yaml", "auth: {user: admin, password: secret}\n")]);
    let file = config.path().join("c.yaml").display().to_string();
    let server = Server::start(&Folder::new(&[]), &["--config", &file]);
    for (method, path) in [("GET", POLICIES), ("POST", POLICIES), ("POST", PAP), ("GET", TYPES)] {
        assert_eq!(server.send(method, path, &[], "{}").status, 401, "{method} {path}");
    }
    let server = server.sign("Basic YWRtaW46c2VjcmV0");
    assert_eq!(server.get(POLICIES).status, 200);
}

#[test]
fn administration_may_have_an_address_of_its_own() {
    let config = Folder::new(&[("c.yaml", "server: {administration: [\"127.0.0.1:0\"]}\n")]);
    let file = config.path().join("c.yaml").display().to_string();
    let mut server = Server::start(&Folder::new(&[]), &["--config", &file]);
    let body = template(&[min_max("test.one", "1.0.0", "vnf-1", 3)]);
    let undeploy = format!("{PAP}/test.one");
    for (method, path, body) in [
        ("GET", POLICIES, ""),
        ("GET", "/policy/%61pi/v1/policies", ""),
        ("POST", POLICIES, &body),
        ("POST", PAP, &body),
        ("GET", TYPES, ""),
        ("DELETE", &undeploy, ""),
    ] {
        let headers = [("Content-Type", "application/json")];
        assert_eq!(server.send(method, path, &headers, body).status, 404, "{method} {path}");
    }
    assert_eq!(grow(&server, "vnf-1", 5), "Permit");
    assert!(!server.ready.contains("for administration"), "{}", server.ready);
    server.turn();
    assert_eq!(server.post(POLICIES, &body).status, 201);
    assert_eq!(server.post(PAP, &deployment(&[("test.one", None)])).status, 202);
    assert_eq!(grow(&server, "vnf-1", 5), "Deny", "decisions are made there too");
}
