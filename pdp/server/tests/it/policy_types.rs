//! Policy types that come and go over HTTP, and what becomes of policies that are of them.

use serde_json::{Value, json};

use crate::support::{DECISION, Folder, Reply, Server, eventually};

const POLICIES: &str = "/policy/api/v1/policies";
const TYPES: &str = "/policy/api/v1/policytypes";
const PAP: &str = "/policy/pap/v1/pdps/policies";
const PLACEMENT: &str = "com.example.Placement";

fn create(server: &Server, path: &str, body: &Value) -> Reply {
    server.post(path, &body.to_string())
}

fn delete(server: &Server, path: &str) -> Reply {
    server.send("DELETE", path, &[], "")
}

/// A type of policies that are chosen by one property.
fn placement(version: &str, matchable: &str) -> Value {
    let mut properties = json!({
        "region": {"type": "string", "required": true},
        "zone": {"type": "string"},
        "size": {"type": "com.example.Size"}
    });
    properties[matchable]["metadata"] = json!({"matchable": true});
    json!({PLACEMENT: {"derived_from": "onap.policies.Match", "version": version, "properties": properties}})
}

fn policy(name: &str, properties: Value) -> Value {
    let policy = json!({"type": PLACEMENT, "type_version": "1.0.0", "version": "1.0.0", "properties": properties});
    json!({"topology_template": {"policies": [{name: policy}]}})
}

fn deploy(server: &Server, name: &str) -> Reply {
    create(server, PAP, &json!({"policies": [{"policy-id": name}]}))
}

/// The policies that a question matches.
fn matched(server: &Server, resource: Value) -> Vec<String> {
    let reply = create(server, DECISION, &json!({"action": "match", "resource": resource}));
    let body = reply.json();
    body["policies"].as_object().map(|all| all.keys().cloned().collect()).unwrap_or_default()
}

fn east(server: &Server) -> bool {
    matched(server, json!({"region": "east"})) == ["test.east"]
}

#[test]
fn types_of_the_standard_are_listed_and_stay() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let all = server.get(TYPES).json();
    for name in ["onap.policies.Match", "onap.policies.Naming", "onap.policies.native.Xacml"] {
        assert_eq!(all["policy_types"][name]["name"], name, "{name}");
        assert_eq!(server.get(&format!("{TYPES}/{name}/versions/latest")).status, 200);
    }
    let path = format!("{TYPES}/onap.policies.monitoring.tcagen2/versions/1.0.0");
    let one = server.get(&path).json();
    assert_eq!(one["policy_types"].as_object().map(serde_json::Map::len), Some(1));
    assert!(one["data_types"].as_object().is_some_and(|all| !all.is_empty()), "{one}");
    let reply = delete(&server, &path);
    assert_eq!(reply.status, 409);
    assert!(reply.body.contains("built in"), "{}", reply.body);
}

#[test]
fn a_created_type_validates_and_translates_also_after_a_restart() {
    let (folder, state) = (Folder::new(&[]), Folder::new(&[]));
    let (policies, kept) = (folder.text(), state.text());
    let arguments = ["serve", "--policies", &policies, "--listen", "127.0.0.1:0", "--state", &kept];
    let server = Server::spawn(&arguments, &[]);
    let good = policy("test.east", json!({"region": "east"}));
    let reply = create(&server, POLICIES, &good);
    assert_eq!(reply.status, 406, "its type is not known yet: {}", reply.body);
    let orphan = json!({"policy_types": {"com.example.Orphan": {"derived_from": "com.example.Nobody", "version": "1.0.0"}}});
    let reply = create(&server, TYPES, &orphan);
    assert_eq!(reply.status, 406);
    assert!(reply.body.contains("com.example.Nobody"), "{}", reply.body);
    let bad = json!({"policy_types": {"com.example.Bad": {"derived_from": "onap.policies.Match", "version": "1.0.0",
        "properties": {"a": 5}}}});
    let reply = create(&server, TYPES, &bad);
    assert_eq!(reply.status, 406, "{}", reply.body);

    let types = json!({"policy_types": placement("1.0.0", "region")});
    assert_eq!(create(&server, TYPES, &types).status, 201);
    assert_eq!(create(&server, TYPES, &types).status, 201, "the same again");
    let other = json!({"policy_types": placement("1.0.0", "zone")});
    assert_eq!(create(&server, TYPES, &other).status, 409);
    let reply = create(&server, POLICIES, &policy("test.bad", json!({"zone": {"not": "text"}})));
    assert_eq!(reply.status, 406);
    assert!(reply.body.contains("region") && reply.body.contains("zone"), "{}", reply.body);
    assert_eq!(create(&server, POLICIES, &good).status, 201);
    assert_eq!(deploy(&server, "test.east").status, 202);
    assert!(east(&server));
    assert_eq!(matched(&server, json!({"region": "west"})), [""; 0]);

    server.signal("KILL");
    drop(server);
    let server = Server::spawn(&arguments, &[]);
    assert!(east(&server));
    let path = format!("{TYPES}/{PLACEMENT}/versions/1.0.0");
    assert_eq!(server.get(&path).status, 200);
    let reply = delete(&server, &path);
    assert_eq!(reply.status, 409);
    assert!(reply.body.contains("policy test.east:1.0.0"), "{}", reply.body);
    assert_eq!(delete(&server, &format!("{PAP}/test.east")).status, 202);
    assert_eq!(delete(&server, &format!("{POLICIES}/test.east/versions/1.0.0")).status, 200);
    assert_eq!(delete(&server, &path).status, 200);
    assert_eq!(create(&server, POLICIES, &good).status, 406, "its type is gone");
}

#[test]
fn a_type_may_come_with_its_policies() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let mut both = policy("test.east", json!({"region": "east"}));
    both["policy_types"] = placement("1.0.0", "region");
    let reply = create(&server, POLICIES, &both);
    assert_eq!(reply.status, 201, "{}", reply.body);
    let mut broken = policy("test.west", json!({}));
    broken["policy_types"] =
        json!({"com.example.Other": {"derived_from": "onap.policies.Match", "version": "1.0.0"}});
    assert_eq!(create(&server, POLICIES, &broken).status, 406);
    let other = server.get(&format!("{TYPES}/com.example.Other"));
    assert_eq!(other.status, 404, "all or nothing");
    assert_eq!(deploy(&server, "test.east").status, 202);
    assert!(east(&server));
}

/// A data type of a new version says something else to every type that uses it.
#[test]
fn a_change_that_a_deployed_policy_does_not_keep_to_is_refused() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let size = |version: &str, most: u32| {
        json!({"com.example.Size": {"derived_from": "tosca.datatypes.Root", "version": version,
            "properties": {"cm": {"type": "integer", "constraints": [{"less_or_equal": most}]}}}})
    };
    let mut types =
        json!({"policy_types": placement("1.0.0", "region"), "data_types": size("1.0.0", 9)});
    assert_eq!(create(&server, TYPES, &types).status, 201);
    let sized = policy("test.east", json!({"region": "east", "size": {"cm": 7}}));
    assert_eq!(create(&server, POLICIES, &sized).status, 201);
    assert_eq!(deploy(&server, "test.east").status, 202);
    types["data_types"] = size("1.1.0", 5);
    types["policy_types"] = placement("2.0.0", "region");
    let reply = create(&server, TYPES, &types);
    assert_eq!(reply.status, 406, "{}", reply.body);
    assert!(reply.body.contains("cm"), "{}", reply.body);
    assert_eq!(server.get(&format!("{TYPES}/{PLACEMENT}/versions/2.0.0")).status, 404);
    assert!(east(&server));
    types["data_types"] = size("1.1.0", 8);
    assert_eq!(create(&server, TYPES, &types).status, 201);
    assert!(east(&server));
}

#[test]
fn administered_policies_follow_a_type_file() {
    let written =
        |matchable: &str| json!({"policy_types": placement("1.0.0", matchable)}).to_string();
    let folder = Folder::new(&[("types.json", &written("region"))]);
    let server = Server::start(&folder, &[]);
    let both = policy("test.east", json!({"region": "east", "zone": "a"}));
    assert_eq!(create(&server, POLICIES, &both).status, 201);
    assert_eq!(deploy(&server, "test.east").status, 202);
    assert!(east(&server));
    let reply = delete(&server, &format!("{TYPES}/{PLACEMENT}/versions/1.0.0"));
    assert_eq!(reply.status, 409);
    assert!(reply.body.contains("policy file"), "{}", reply.body);
    folder.write("types.json", &written("zone"));
    let by_zone = || matched(&server, json!({"zone": "a"})) == ["test.east"];
    eventually("the new type counts", by_zone);
    let stricter = written("zone")
        .replace("{\"type\":\"com.example.Size\"}", "{\"type\":\"string\",\"required\":true}");
    folder.write("types.json", &stricter);
    let refused = || server.get("/readyz").json()["policiesRefused"].clone();
    eventually("it does not keep to its type any more", || refused() == 1);
    assert!(by_zone(), "it goes on as it was");
    assert!(server.get("/readyz").body.contains("test.east:1.0.0"));
    folder.write("types.json", &written("region"));
    eventually("it keeps to it again", || refused() == 0);
    assert!(east(&server));
}

#[test]
fn a_policy_file_waits_for_its_type() {
    let folder =
        Folder::new(&[("east.json", &policy("test.east", json!({"region": "east"})).to_string())]);
    let server = Server::start(&folder, &[]);
    assert_eq!(server.get("/readyz").json()["policiesRefused"], 1);
    let types = json!({"policy_types": placement("1.0.0", "region")});
    assert_eq!(create(&server, TYPES, &types).status, 201);
    assert!(east(&server), "{}", server.get("/readyz").body);
    let reply = delete(&server, &format!("{TYPES}/{PLACEMENT}/versions/1.0.0"));
    assert_eq!(reply.status, 409);
    assert!(reply.body.contains("policy test.east:1.0.0"), "{}", reply.body);
}
