//! Applications whose decisions take several steps, over HTTP.

use serde_json::{Value, json};

use crate::support::{DECISION, Folder, Server, run};

const SUBSCRIBERS: &str = "
topology_template:
  policies:
  - known:
      type: onap.policies.optimization.service.SubscriberPolicy
      type_version: 1.0.0
      properties: &subscriber
        scope: []
        geography: []
        identity: known
        services: [voice]
        subscriberProperties: {subscriberName: [ann, bob], subscriberRole: [basic, gold], provStatus: CAPPED}
  - plain:
      type: onap.policies.optimization.service.QueryPolicy
      type_version: 1.0.0
      properties: {scope: [], geography: [], identity: plain, services: [voice], queryProperties: []}
  - golden:
      type: onap.policies.optimization.service.QueryPolicy
      type_version: 1.0.0
      properties: {scope: [gold], geography: [], identity: golden, services: [voice], queryProperties: []}
";

fn optimize(server: &Server, context: Value, resource: Value) -> Value {
    let body = json!({"action": "optimize", "context": context, "resource": resource});
    let reply = server.post(DECISION, &body.to_string());
    assert_eq!(reply.status, 200, "{}", reply.body);
    reply.json()
}

fn ids(answer: &Value) -> Vec<&str> {
    answer["policies"].as_object().expect("there are policies").keys().map(String::as_str).collect()
}

#[test]
fn what_is_known_of_a_subscriber_widens_the_scope() {
    let folder = Folder::new(&[("subscribers.yaml", SUBSCRIBERS)]);
    let server = Server::start(&folder, &[]);
    let voice = json!({"scope": ["x"], "services": ["voice"]});
    let plain = optimize(&server, json!({}), voice.clone());
    assert_eq!((ids(&plain), &plain["advice"]), (vec!["plain"], &Value::Null));
    let empty = optimize(&server, json!({"subscriberName": []}), voice.clone());
    assert_eq!(ids(&empty), ["plain"]);
    let bob = optimize(&server, json!({"subscriberName": ["bob"]}), voice);
    assert_eq!(ids(&bob), ["golden"]);
    assert_eq!(bob["advice"], json!({"subscriberRole": "gold", "provStatus": "CAPPED"}));
    // Without a scope the roles are the scope.
    let ann = optimize(&server, json!({"subscriberName": ["ann"]}), json!({"services": "voice"}));
    assert_eq!(ids(&ann), ["golden"]);
    let nobody = optimize(&server, json!({"subscriberName": ["cy"]}), json!({"services": "voice"}));
    assert_eq!(nobody, json!({"status": "error", "policies": {}}));
    let statistics = server.get("/policy/pdpx/v1/statistics").json();
    assert_eq!(
        statistics["applicationMetrics"]["optimization"],
        json!({"permit_decisions_count": 4, "not_applicable_decisions_count": 1})
    );
}

#[test]
fn a_malformed_context_is_refused() {
    let folder = Folder::new(&[("subscribers.yaml", SUBSCRIBERS)]);
    let server = Server::start(&folder, &[]);
    let body = json!({"action": "optimize", "context": "x", "resource": {}}).to_string();
    assert_eq!(server.post(DECISION, &body).status, 400);
    let body = json!({"action": "optimize", "context": {"subscriberName": ["ann"]}}).to_string();
    let reply = server.post(DECISION, &body);
    assert_eq!(reply.status, 400);
    assert!(reply.body.contains("`resource` is missing"), "{}", reply.body);
}

const AUTHORIZATION: &str = "
topology_template:
  policies:
  - ann:
      type: onap.policies.Authorization
      type_version: 1.0.0
      properties: {user: ann, permissions: [{entity: door, permission: read}, {entity: gate, permission: write}]}
";

#[test]
fn authorization_answers_one_question_or_many() {
    let folder = Folder::new(&[("ann.yaml", AUTHORIZATION)]);
    let server = Server::start(&folder, &[]);
    let ask = |resource: Value| {
        let body = json!({"action": "authorize", "resource": resource});
        server.post(DECISION, &body.to_string())
    };
    let question =
        |user: &str, entity: &str| json!({"user": user, "entity": entity, "permission": "read"});
    let reply = ask(question("ann", "door")).json();
    assert_eq!(
        reply,
        json!({"status": "Permit", "policies": {}, "attributes": {
            "urn:oasis:names:tc:xacml:3.0:attribute-category:resource": {
                "urn:org:onap:tutorial-user": "ann",
                "urn:org:onap:tutorial-entity": "door",
                "urn:org:onap:tutorial-permission": "read"}}})
    );
    assert_eq!(ask(question("ann", "gate")).json()["status"], "Deny");
    assert_eq!(ask(question("bob", "door")).json()["status"], "Deny");
    let mut asked = vec![question("ann", "door"), question("ann", "gate")];
    for (at, question) in asked.iter_mut().enumerate() {
        question["multiId"] = json!(at);
    }
    let reply = ask(json!({"users": asked})).json();
    assert_eq!(reply["status"], "multi");
    let statuses: Vec<&Value> =
        reply["permissions"].as_array().expect("a list").iter().map(|it| &it["status"]).collect();
    assert_eq!(statuses, ["Permit", "Deny"]);
    let category = "urn:oasis:names:tc:xacml:3.0:attribute-category:resource";
    assert_eq!(
        reply["permissions"][1]["attributes"][category]["urn:org:onap:tutorial-multi-id"],
        "1"
    );
    let reply = ask(json!({"users": []}));
    assert_eq!(reply.status, 400);
    assert!(reply.body.contains("`resource.users` is empty"), "{}", reply.body);
    let reply = ask(json!({"users": ["ann"]}));
    assert_eq!(reply.status, 400);
    assert!(reply.body.contains("`resource.users[0]` is no object"), "{}", reply.body);
    let many = vec![question("ann", "door"); 1000];
    let reply = ask(json!({"users": many}));
    assert_eq!(reply.status, 400);
    assert!(reply.body.contains("asks for 1000 decisions; the limit is 256"), "{}", reply.body);
    let counted = server.get("/policy/pdpx/v1/statistics").json();
    assert_eq!(
        counted["applicationMetrics"]["tutorial"],
        json!({"permit_decisions_count": 2, "deny_decisions_count": 2, "not_applicable_decisions_count": 1})
    );
}

#[test]
fn without_such_a_policy_nothing_answers_authorize() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let reply = server.post(DECISION, r#"{"action": "authorize", "resource": {"user": "ann"}}"#);
    assert_eq!(reply.status, 400);
    assert_eq!(reply.json()["error"], "No application for action authorize");
}

#[test]
fn types_are_read_from_whatever_file_they_stand_in() {
    let types = "policy_types: {onap.policies.match.Mine: {derived_from: onap.policies.Match, version: 1.0.0, properties: {a: {type: integer, metadata: {matchable: true}}}}}";
    let policy =
        "policies: [p: {type: onap.policies.match.Mine, type_version: 1.0.0, properties: {a: 5}}]";
    // The policy stands before its type.
    let folder = Folder::new(&[("a.policy.yaml", policy), ("z.types.yaml", types)]);
    let server = Server::start(&folder, &[]);
    let reply = server.post(DECISION, r#"{"action": "match", "resource": {"a": "5"}}"#);
    assert_eq!(reply.json()["policies"]["p"]["properties"]["a"], 5);

    // A type that changes changes what its policies say.
    folder.write("z.types.yaml", &types.replace("integer", "string"));
    let follows = std::time::Instant::now();
    let matched = |text: &str| {
        let body = json!({"action": "match", "resource": {"a": text}}).to_string();
        !server.post(DECISION, &body).json()["policies"]["p"].is_null()
    };
    assert!(matched("5"));
    while matched("05") {
        assert!(follows.elapsed().as_secs() < 30, "the file is not followed");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }

    let other = types.replace("integer", "string");
    let folder = Folder::new(&[("a.yaml", types), ("b.yaml", &other), ("p.yaml", policy)]);
    let checked = run(&["check", &folder.text()]);
    assert_eq!(checked.code, 4);
    assert!(checked.out.contains("b.yaml:1:16: error: policy_types.onap.policies.match.Mine: version 1.0.0 of this type is defined elsewhere"), "{}", checked.out);
}

#[test]
fn native_policies_from_tosca_are_combined_as_onap_does() {
    use base64::Engine;
    let xacml = |id: &str, effect: &str| {
        format!(
            r#"<Policy xmlns="urn:oasis:names:tc:xacml:3.0:core:schema:wd-17" PolicyId="{id}" Version="1.0"
          RuleCombiningAlgId="urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:deny-overrides">
          <Target/><Rule RuleId="r" Effect="{effect}"/></Policy>"#
        )
    };
    let tosca = |name: &str, document: &str| {
        let policy = base64::engine::general_purpose::STANDARD.encode(document);
        json!({"name": name, "version": "1.0.0", "type": "onap.policies.native.Xacml", "type_version": "1.0.0",
            "properties": {"policy": policy}})
        .to_string()
    };
    let request = Folder::new(&[("r.json", r#"{"Request": {"Action": {"Attribute": []}}}"#)]);
    let request = format!("{}/r.json", request.text());
    let decide = |files: &[(&str, &str)]| {
        let folder = Folder::new(files);
        run(&["decide", "--policies", &folder.text(), "--request", &request])
    };
    let (permit, deny) = (xacml("a", "Permit"), xacml("b", "Deny"));
    let (of_permit, of_deny) = (tosca("t.a", &permit), tosca("t.b", &deny));
    let both = decide(&[("a.json", &of_permit), ("b.json", &of_deny)]);
    assert!(both.out.contains("\"Decision\":\"Permit\""), "{}{}", both.out, both.err);
    let plain = decide(&[("a.xml", &permit), ("b.xml", &deny)]);
    assert!(plain.out.contains("\"Decision\":\"Indeterminate\""), "{}", plain.out);
    let broken = tosca("t.c", &permit.replace("deny-overrides", "nonsense"));
    let folder = Folder::new(&[("c.json", &broken)]);
    let checked = run(&["check", &folder.text()]);
    assert!(
        checked.out.contains(
            "c.json:1:1: error: policy `t.c`: properties.policy: the decoded document, 2:11: unknown combining algorithm"
        ),
        "{}",
        checked.out
    );
}

#[test]
fn coordinations_of_one_name_may_be_deployed_side_by_side() {
    let policy = |first: &str, note: &str| {
        format!(
            "policies: [c: {{type: onap.policies.controlloop.guard.coordination.FirstBlocksSecond, type_version: 1.0.0, version: 1.0.0, description: {note}, properties: {{controlLoop: [{first}, two]}}}}]"
        )
    };
    let folder = Folder::new(&[
        ("a.yaml", &policy("one", "x")),
        ("b.yaml", &policy("other", "x")),
        ("c.yaml", &policy("one", "y")),
    ]);
    let checked = run(&["check", &folder.text()]);
    assert!(
        checked.out.contains("2 policies, 0 refused; 0 errors, 1 warning\n"),
        "{}",
        checked.out
    );
}
