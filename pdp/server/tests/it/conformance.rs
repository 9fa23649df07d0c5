use serde_json::{Value, json};

use crate::support::{Folder, run};

const NAMESPACE: &str = "urn:oasis:names:tc:xacml:3.0:core:schema:wd-17";
const STRING: &str = "http://www.w3.org/2001/XMLSchema#string";
const SUBJECT: &str = "urn:oasis:names:tc:xacml:1.0:subject-category:access-subject";

/// Permits the user `ann`.
fn policy(extra: &str) -> String {
    format!(
        r#"<Policy xmlns="{NAMESPACE}" PolicyId="ann" Version="1.0"
  RuleCombiningAlgId="urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:deny-overrides">
  <Target/>
  <Rule RuleId="ann" Effect="Permit"><Target><AnyOf><AllOf>
    <Match MatchId="urn:oasis:names:tc:xacml:1.0:function:string-equal">
      <AttributeValue DataType="{STRING}">ann</AttributeValue>
      <AttributeDesignator Category="{SUBJECT}" AttributeId="user" DataType="{STRING}" MustBePresent="false"/>
    </Match>
  </AllOf></AnyOf></Target></Rule>{extra}
</Policy>"#
    )
}

fn request(user: &str) -> String {
    format!(
        r#"<Request xmlns="{NAMESPACE}" ReturnPolicyIdList="false" CombinedDecision="false">
  <Attributes Category="{SUBJECT}"><Attribute AttributeId="user" IncludeInResult="true">
    <AttributeValue DataType="{STRING}">{user}</AttributeValue>
  </Attribute></Attributes>
</Request>"#
    )
}

fn response(user: &str, decision: &str) -> String {
    format!(
        r#"<Response xmlns="{NAMESPACE}"><Result><Decision>{decision}</Decision>
  <Attributes Category="{SUBJECT}"><Attribute AttributeId="user" IncludeInResult="true">
    <AttributeValue DataType="{STRING}">{user}</AttributeValue>
  </Attribute></Attributes>
</Result></Response>"#
    )
}

/// A test with its files in a folder of its own.
fn test(folder: &Folder, id: &str, user: &str, decision: &str, more: &Value) -> Value {
    let file = |name: &str, text: &str| {
        let name = format!("suite/{id}/{name}");
        folder.write(&name, text);
        Value::from(name.trim_start_matches("suite/"))
    };
    let mut test = json!({
        "id": id,
        "expect": "response",
        "policies": [file("policy.xml", &policy(""))],
        "root": file("policy.xml", &policy("")),
        "request": file("request.xml", &request(user)),
        "response": file("response.xml", &response(user, decision)),
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        test[key] = value.clone();
    }
    test
}

fn manifest(folder: &Folder, tests: &[Value]) {
    folder.write("suite/manifest.json", &json!({"suite": "small", "tests": tests}).to_string());
}

fn conformance(folder: &Folder, name: &str) -> (i32, String, Vec<Value>) {
    let (suites, rows) = (folder.path().join(name), folder.path().join("rows.json"));
    let ended =
        run(&["conformance", &suites.display().to_string(), "--json", &rows.display().to_string()]);
    let rows = std::fs::read_to_string(rows).expect(&ended.err);
    (ended.code, ended.out, serde_json::from_str(&rows).expect("rows are a JSON array"))
}

#[test]
fn each_test_is_a_row_and_failures_decide_the_exit_code() {
    let folder = Folder::new(&[]);
    let passing = test(&folder, "passing", "ann", "Permit", &json!({}));
    let failing = test(&folder, "failing", "bob", "Permit", &json!({}));
    let skipped = test(&folder, "skipped", "ann", "Permit", &json!({"config": {"moon": "full"}}));
    manifest(&folder, &[passing.clone(), failing, skipped.clone()]);
    let (code, out, rows) = conformance(&folder, "suite");
    assert_eq!(code, 1, "{out}");
    assert_eq!(out.lines().last(), Some("1 passed, 1 failed, 1 skipped"), "{out}");
    let results: Vec<&str> = rows.iter().filter_map(|row| row["result"].as_str()).collect();
    assert_eq!(results, ["passed", "failed", "skipped"]);
    assert_eq!(
        rows[0],
        json!({"suite": "small", "id": "passing", "form": "xml", "result": "passed", "reason": null})
    );
    let reason = rows[1]["reason"].as_str().expect("a failure has a reason");
    assert!(reason.contains("Permit expected, NotApplicable found"), "{reason}");
    assert!(rows[2]["reason"].as_str().is_some_and(|reason| reason.contains("moon")), "{rows:?}");

    manifest(&folder, &[passing, skipped]);
    let (code, out, _) = conformance(&folder, "");
    assert_eq!(code, 0, "{out}");
    assert_eq!(out.lines().last(), Some("1 passed, 0 failed, 1 skipped"), "{out}");
}

#[test]
fn both_forms_of_a_test_run() {
    let folder = Folder::new(&[]);
    let ask = json!({"Request": {"AccessSubject": [{"Attribute": [
        {"AttributeId": "user", "Value": "ann", "IncludeInResult": true}
    ]}]}});
    let answer = json!({"Response": [{"Decision": "Permit", "Category": [{
        "CategoryId": SUBJECT, "Attribute": [{"AttributeId": "user", "Value": "ann"}]
    }]}]});
    folder.write("suite/both/request.json", &ask.to_string());
    folder.write("suite/both/response.json", &answer.to_string());
    let more = json!({"request_json": "both/request.json", "response_json": "both/response.json"});
    manifest(&folder, &[test(&folder, "both", "ann", "Permit", &more)]);
    let (code, out, rows) = conformance(&folder, "suite");
    assert_eq!(code, 0, "{out}");
    let forms: Vec<&str> = rows.iter().filter_map(|row| row["form"].as_str()).collect();
    assert_eq!(forms, ["xml", "json"]);
}

#[test]
fn each_test_runs_once_more_over_http_where_a_service_can_be_set_up_so() {
    let folder = Folder::new(&[]);
    let right = test(&folder, "right", "ann", "Permit", &json!({}));
    let wrong = test(&folder, "wrong", "bob", "Permit", &json!({}));
    // A service has no provider of attributes that a test makes up.
    let provided =
        json!({"category": SUBJECT, "attribute_id": "x", "data_type": STRING, "values": ["y"]});
    let provider = json!({"config": {"attribute_provider": [provided]}});
    let in_process = test(&folder, "in-process", "ann", "Permit", &provider);
    manifest(&folder, &[right, wrong, in_process]);
    let (suite, rows) = (folder.path().join("suite"), folder.path().join("rows.json"));
    let rows_file = rows.display().to_string();
    let ended = run(&["conformance", "--http", &suite.display().to_string(), "--json", &rows_file]);
    let rows: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(rows).expect("rows"))
        .expect("rows are a JSON array");
    let found: Vec<(&str, &str, &str)> = rows
        .iter()
        .filter_map(|row| {
            Some((row["id"].as_str()?, row["form"].as_str()?, row["result"].as_str()?))
        })
        .collect();
    assert_eq!(
        found,
        [
            ("right", "xml", "passed"),
            ("right", "xml over http", "passed"),
            ("wrong", "xml", "failed"),
            ("wrong", "xml over http", "failed"),
            ("in-process", "xml", "passed"),
        ],
        "{}",
        ended.out
    );
}

#[test]
fn policies_that_must_be_refused_are_not_decided_with() {
    let folder = Folder::new(&[]);
    let more = json!({"expect": "policy-rejected"});
    let good = test(&folder, "good", "ann", "Permit", &more);
    let bad = test(&folder, "bad", "ann", "Permit", &more);
    let twice = policy(r#"<Rule RuleId="ann" Effect="Deny"/>"#);
    folder.write("suite/bad/policy.xml", &twice);
    manifest(&folder, &[good, bad]);
    let (code, out, rows) = conformance(&folder, "suite");
    assert_eq!(code, 1, "{out}");
    assert_eq!(rows[0]["result"], "failed", "{rows:?}");
    assert_eq!(rows[1]["result"], "passed", "{rows:?}");
}

#[test]
fn function_calls_are_compared_by_value() {
    let folder = Folder::new(&[]);
    let add = "urn:oasis:names:tc:xacml:1.0:function:integer-add";
    let integer = |text: &str| json!({"type": "integer", "value": text});
    let call = |id: &str, args: Value, result: Value| json!({"id": id, "function": add, "args": args, "result": result});
    let vectors = json!({"suite": "calls", "vectors": [
        call("right", json!([integer("1"), integer("+02")]), integer("3")),
        call("wrong", json!([integer("1"), integer("2")]), integer("4")),
        call("ill-typed", json!([integer("1")]), json!("error")),
        call("failing", json!([integer("1"), {"indeterminate": "integer"}]), json!("error")),
    ]});
    folder.write("calls/vectors.json", &vectors.to_string());
    let (code, out, rows) = conformance(&folder, "");
    assert_eq!(code, 1, "{out}");
    let results: Vec<&str> = rows.iter().filter_map(|row| row["result"].as_str()).collect();
    assert_eq!(results, ["passed", "failed", "passed", "passed"], "{rows:?}");
}

#[test]
fn several_decisions_are_compared_in_any_order() {
    let folder = Folder::new(&[]);
    let attributes =
        |user: &str| request(user).split_once('\n').expect("lines").1.replace("</Request>", "");
    let head = request("").lines().next().expect("a line").to_owned();
    let both = format!("{head}{}{}</Request>", attributes("ann"), attributes("bob"));
    let more = json!({"request": "two/both.xml"});
    let two = test(&folder, "two", "bob", "NotApplicable", &more);
    folder.write("suite/two/both.xml", &both);
    let result = |text: String| {
        let (_, rest) = text.split_once("<Result>").expect("a result");
        format!("<Result>{}", rest.replace("</Response>", ""))
    };
    let results = result(response("bob", "NotApplicable")) + &result(response("ann", "Permit"));
    let document = format!(r#"<Response xmlns="{NAMESPACE}">{results}</Response>"#);
    folder.write("suite/two/response.xml", &document);
    manifest(&folder, &[two]);
    let (code, out, _) = conformance(&folder, "suite");
    assert_eq!(code, 0, "{out}");
}

#[test]
fn tests_say_how_the_decision_point_is_set_up() {
    let folder = Folder::new(&[]);
    let id = "urn:oasis:names:tc:xacml:1.0:resource:resource-id";
    let resource = "urn:oasis:names:tc:xacml:3.0:attribute-category:resource";
    let typed =
        |text: &str| format!(r#"<AttributeValue DataType="{STRING}">{text}</AttributeValue>"#);
    // The provider knows who asks.
    let provided = json!({"config": {"attribute_provider": [
        {"category": SUBJECT, "attribute_id": "user", "data_type": STRING, "values": ["ann"]}
    ]}});
    let provided = test(&folder, "provided", "ann", "Permit", &provided);
    let bare = |attributes: &str| {
        format!(
            r#"<Request xmlns="{NAMESPACE}" ReturnPolicyIdList="false" CombinedDecision="false">
<Attributes Category="{resource}">{attributes}</Attributes></Request>"#
        )
    };
    folder.write("suite/provided/request.xml", &bare(""));
    let permit = "<Result><Decision>Permit</Decision></Result>";
    let response = |results: &str| format!(r#"<Response xmlns="{NAMESPACE}">{results}</Response>"#);
    folder.write("suite/provided/response.xml", &response(permit));
    // A tree of three resources, each of them decided.
    let tree = json!({"config": {
        "attribute_provider": provided["config"]["attribute_provider"],
        "resource_hierarchy": {"top": ["middle"], "middle": ["leaf"]},
    }});
    let tree = test(&folder, "tree", "ann", "Permit", &tree);
    let attribute = |id: &str, text: &str| {
        format!(
            r#"<Attribute AttributeId="{id}" IncludeInResult="false">{}</Attribute>"#,
            typed(text)
        )
    };
    let scope = "urn:oasis:names:tc:xacml:2.0:resource:scope";
    let below = attribute(id, "top") + &attribute(scope, "Descendants");
    folder.write("suite/tree/request.xml", &bare(&below));
    folder.write("suite/tree/response.xml", &response(&permit.repeat(3)));
    // Of two roots both apply.
    let roots = json!({"root": ["roots/policy.xml", "roots/other.xml"],
        "policies": ["roots/policy.xml", "roots/other.xml"]});
    let roots = test(&folder, "roots", "ann", "Indeterminate", &roots);
    folder.write("suite/roots/other.xml", &policy("").replace("\"ann\"", "\"other\""));
    let error = "urn:oasis:names:tc:xacml:1.0:status:processing-error";
    let status = format!(r#"</Decision><Status><StatusCode Value="{error}"/></Status>"#);
    let wanted = self::response("ann", "Indeterminate").replace("</Decision>", &status);
    folder.write("suite/roots/response.xml", &wanted);
    // References are followed as far as the test says.
    let set = |id: &str, next: &str| {
        format!(
            r#"<PolicySet xmlns="{NAMESPACE}" PolicySetId="{id}" Version="1.0"
  PolicyCombiningAlgId="urn:oasis:names:tc:xacml:3.0:policy-combining-algorithm:deny-overrides">
  <Target/>{next}</PolicySet>"#
        )
    };
    let policies = ["depth/one.xml", "depth/two.xml", "depth/policy.xml"];
    let depth = |limit: usize, expect: &str| {
        let more = json!({
            "policies": policies, "root": policies[0], "expect": expect,
            "config": {"max_policy_reference_depth": limit},
        });
        test(&folder, "depth", "ann", "Permit", &more)
    };
    let tests = [provided, tree, roots, depth(2, "response"), depth(1, "policy-rejected")];
    let reference = |kind: &str, id: &str| format!("<{kind}IdReference>{id}</{kind}IdReference>");
    folder.write("suite/depth/one.xml", &set("one", &reference("PolicySet", "two")));
    folder.write("suite/depth/two.xml", &set("two", &reference("Policy", "ann")));
    manifest(&folder, &tests);
    let (code, out, _) = conformance(&folder, "suite");
    assert_eq!((code, out.as_str()), (0, "5 passed, 0 failed, 0 skipped\n"));
}

#[test]
fn a_folder_without_a_suite_is_a_wrong_command() {
    let folder = Folder::new(&[]);
    let ended = run(&["conformance", &folder.text()]);
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(ended.err.contains("no suite"), "{}", ended.err);
    folder.write("manifest.json", r#"{"documents": []}"#);
    let ended = run(&["conformance", &folder.text()]);
    assert!(ended.err.contains("no suite"), "other data has manifests too: {}", ended.err);
    folder.write("manifest.json", r#"{"suite": "broken", "tests": [{"id": 1}]}"#);
    let ended = run(&["conformance", &folder.text()]);
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(ended.err.contains("manifest.json"), "{}", ended.err);
}
