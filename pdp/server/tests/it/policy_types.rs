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
        "size": {"type": "string"}
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
    let sized_placement = |version: &str| {
        let mut placement = placement(version, "region");
        placement[PLACEMENT]["properties"]["size"]["type"] = json!("com.example.Size");
        placement
    };
    let mut types =
        json!({"policy_types": sized_placement("1.0.0"), "data_types": size("1.0.0", 9)});
    assert_eq!(create(&server, TYPES, &types).status, 201);
    let sized = policy("test.east", json!({"region": "east", "size": {"cm": 7}}));
    assert_eq!(create(&server, POLICIES, &sized).status, 201);
    assert_eq!(deploy(&server, "test.east").status, 202);
    types["data_types"] = size("1.1.0", 5);
    types["policy_types"] = sized_placement("2.0.0");
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
    let stricter = written("zone").replace("\"size\":{", "\"size\":{\"required\":true,");
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

#[test]
fn everything_that_is_wrong_with_types_is_said_at_once_and_where() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let body = r#"{"tosca_definitions_version": "tosca_simple_yaml_1_1_0", "policy_types": {
 "com.example.Orphan": {"derived_from": "com.example.Nobody", "version": "1.0.0"},
 "com.example.Odd/Name": {"derived_from": "onap.policies.Match", "version": "1.0.0"},
 "com.example.Version": {"derived_from": "onap.policies.Match", "version": "first"},
 "com.example.Unknown": {"derived_from": "onap.policies.Match", "version": "1.0.0",
   "properties": {"a": {"type": "strng"}, "b": {"type": "string", "constraints": [{"longer_than": 3}]}}},
 "onap.policies.Naming": {"derived_from": "tosca.policies.Root", "version": "1.0.0"},
 "com.example.Circle": {"derived_from": "com.example.Round", "version": "1.0.0"},
 "com.example.Round": {"derived_from": "com.example.Circle", "version": "1.0.0"}}}"#;
    let reply = server.post(TYPES, body);
    assert_eq!(reply.status, 406, "{}", reply.body);
    let details = reply.json()["details"].to_string();
    for says in [
        "2:41: policy_types.com.example.Orphan.derived_from: `com.example.Nobody`",
        "3:2: policy_types.com.example.Odd/Name: the name holds `/`",
        "policy_types.com.example.Version.version: `first` is not a version",
        "6:33: policy_types.com.example.Unknown.properties.a.type: there is no data type `strng`, did you mean `string`?",
        "constraints.longer_than: is no constraint",
        "ONAP's own type of this name and version is another one",
        "com.example.Circle from com.example.Round from com.example.Circle",
    ] {
        assert!(details.contains(says), "{says}: {details}");
    }
    assert_eq!(server.get(&format!("{TYPES}/com.example.Circle")).status, 404);
    let reply = server.post(TYPES, r#"{"tosca_definitions_version": "2", "policy_types": {}}"#);
    assert_eq!(reply.status, 406, "{}", reply.body);
    assert!(reply.body.contains("tosca_definitions_version"), "{}", reply.body);
}

#[test]
fn a_type_of_a_file_that_breaks_goes_on_as_it_was() {
    let written =
        |matchable: &str| json!({"policy_types": placement("1.0.0", matchable)}).to_string();
    let east_file = policy("test.east", json!({"region": "east"})).to_string();
    let folder = Folder::new(&[("types.json", &written("region")), ("east.json", &east_file)]);
    let server = Server::start(&folder, &[]);
    assert!(east(&server));
    let told = |says: &str| {
        let ready = server.get("/readyz").json();
        ready["problems"].to_string().contains(says)
    };
    for (broken, says) in [
        (
            written("region").replace("onap.policies.Match", "onap.policies.Mtch"),
            "onap.policies.Mtch",
        ),
        ("{\"policy_types\": {".to_owned(), "types.json:1:"),
        (
            written("region").replace("\"zone\":{", "\"zone\":{\"constraints\":[{\"odd\":1}],"),
            "odd",
        ),
    ] {
        folder.write("types.json", &broken);
        eventually("it is told", || told(says));
        assert!(east(&server), "{broken}");
        assert_eq!(server.get("/readyz").json()["policiesRefused"], 1, "{broken}");
    }
    let conflict = json!({"policy_types": placement("1.0.0", "zone")});
    folder.write("types.json", &written("region"));
    eventually("it is mended", || server.get("/readyz").json()["policiesRefused"] == 0);
    let reply = create(&server, TYPES, &conflict);
    assert_eq!(reply.status, 409, "a file has it with other content: {}", reply.body);
    let same = json!({"policy_types": placement("1.0.0", "region")});
    assert_eq!(create(&server, TYPES, &same).status, 201);
}
