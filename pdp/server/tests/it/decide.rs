use crate::support::{FREQUENCY, Folder, MIN_MAX, MONITORING, guard_request, run, run_with_input};

fn folder() -> Folder {
    Folder::new(&[
        ("p/minmax.yaml", MIN_MAX),
        ("p/frequency.yaml", FREQUENCY),
        ("p/monitoring.yaml", MONITORING),
        ("request.json", &guard_request("Grow", "vnf-1", 4)),
    ])
}

fn in_folder(folder: &Folder, name: &str) -> String {
    format!("{}/{name}", folder.text())
}

#[test]
fn the_decision_is_printed_and_ends_with_0() {
    let folder = folder();
    let (policies, request) = (in_folder(&folder, "p"), in_folder(&folder, "request.json"));
    let ended = run(&["decide", "--policies", &policies, "--request", &request]);
    assert_eq!((ended.code, ended.out.as_str()), (0, "{\"status\":\"Deny\"}\n"), "{}", ended.err);
    let yaml = "action: configure\nresource: {policy-id: test.monitoring.one}\n";
    let ended = run_with_input(&["decide", "--policies", &policies, "--request", "-"], yaml, &[]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.out.contains("test.monitoring.one"), "{}", ended.out);
}

#[test]
fn operations_of_a_file_are_counted_at_the_time_that_is_given() {
    let folder = folder();
    let row = r#"{"actor":"SO","operation":"Build","target":"vnf-2","outcome":"SUCCESS","starttime":"2026-01-01T00:00:00Z","endtime":"2026-01-01T00:00:00Z"}"#;
    let operations = folder.write("operations.jsonl", &format!("{row}\n\n{row}\n"));
    let (policies, operations) = (in_folder(&folder, "p"), operations.display().to_string());
    for (now, expected) in [("2026-01-01T00:05:00Z", "Deny"), ("2026-01-01T00:15:00Z", "Permit")] {
        let arguments = [
            "decide",
            "--policies",
            &policies,
            "--request",
            "-",
            "--operations",
            &operations,
            "--now",
            now,
        ];
        let ended = run_with_input(&arguments, &guard_request("Build", "vnf-2", 1), &[]);
        assert!(ended.out.contains(expected), "{now}: {} {}", ended.out, ended.err);
    }
}

#[test]
fn counts_reach_the_largest_limit_of_the_policies() {
    let folder = folder();
    folder.write("p/frequency.yaml", &FREQUENCY.replace("limit: 1}", "limit: 10500}"));
    let row = r#"{"actor":"SO","operation":"Build","target":"vnf-2","outcome":"SUCCESS","endtime":"2026-01-01T00:00:00Z"}"#;
    let policies = in_folder(&folder, "p");
    for (rows, expected) in [(10_499, "Permit"), (10_500, "Deny")] {
        let operations = folder.write("operations.jsonl", &format!("{row}\n").repeat(rows));
        let operations = operations.display().to_string();
        let arguments = [
            "decide",
            "--policies",
            &policies,
            "--request",
            "-",
            "--operations",
            &operations,
            "--now",
            "2026-01-01T00:05:00Z",
        ];
        let ended = run_with_input(&arguments, &guard_request("Build", "vnf-2", 1), &[]);
        assert!(ended.out.contains(expected), "{rows}: {} {}", ended.out, ended.err);
    }
}

#[test]
fn an_explanation_names_what_decided() {
    let folder = folder();
    let (policies, request) = (in_folder(&folder, "p"), in_folder(&folder, "request.json"));
    let ended = run(&["decide", "--policies", &policies, "--request", &request, "--explain"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.out.contains("policy test.guard.minmax 1.0.0 => Deny"), "{}", ended.out);
    assert!(ended.out.contains("minmax.yaml:3:"), "{}", ended.out);
}

#[test]
fn an_explanation_for_tools_is_one_document_with_the_answer_in_it() {
    let folder = folder();
    let policies = in_folder(&folder, "p");
    let explained = |request: &str, more: &[&str]| {
        let arguments = ["decide", "--policies", &policies, "--request", "-", "--explain=json"];
        let ended = run_with_input(&[&arguments[..], more].concat(), request, &[]);
        assert_eq!(ended.code, 0, "{}", ended.err);
        serde_json::from_str::<serde_json::Value>(&ended.out).expect(&ended.out)
    };
    let guard = explained(&guard_request("Grow", "vnf-1", 4), &[]);
    assert_eq!(guard["application"], "guard");
    assert_eq!(guard["decision"], "Deny");
    assert_eq!(guard["answer"], serde_json::json!({"status": "Deny"}));
    assert_eq!(guard["steps"][0]["id"], "test.guard.minmax", "{guard}");
    let xacml = r#"{"Request": {"Resource": [{}]}}"#;
    let json = explained(xacml, &[]);
    assert_eq!(json["answer"]["Response"][0]["Decision"], json["decision"], "{json}");
    let xml = explained(xacml, &["--response", "xml"]);
    assert!(xml["answer"].as_str().is_some_and(|it| it.contains("<Decision>")), "{xml}");
    let refused = r#"{"action": "guard", "resource": {"guard": {"vfCount": "six"}}}"#;
    let refused = explained(refused, &[]);
    assert_eq!(refused["answer"]["status"], "error", "{refused}");
    assert!(refused["decision"].is_null(), "{refused}");
}

#[test]
fn exit_codes_tell_policies_requests_and_usage_apart() {
    let folder = folder();
    let (policies, request) = (in_folder(&folder, "p"), in_folder(&folder, "request.json"));
    folder.write("bad/bad.yaml", "topology_template: [\n");
    folder.write("unknown.json", r#"{"action": "foo"}"#);
    folder.write("broken.json", r#"{"action": "#);
    folder.write("empty.json", "");
    folder.write("bad.jsonl", "{\"actor\": \"SO\"}\n{\"aktor\": 1}\n");
    folder.write("noon.jsonl", "{\"actor\": \"SO\", \"endtime\": \"noon\"}\n");
    let at = |name: &str| in_folder(&folder, name);
    for (arguments, code, text) in [
        (vec!["--policies", &at("bad"), "--request", &request], 4, "bad.yaml:"),
        (
            vec!["--policies", &policies, "--request", &at("unknown.json")],
            5,
            "No application for action foo",
        ),
        (vec!["--policies", &policies, "--request", &at("broken.json")], 5, "broken.json:1:"),
        (vec!["--policies", &policies, "--request", &at("empty.json")], 5, "empty"),
        (vec!["--policies", &policies, "--request", &at("nowhere.json")], 2, "nowhere.json"),
        (vec!["--policies", &at("nowhere"), "--request", &request], 2, "nowhere"),
        (vec!["--policies", &policies, "--request", &request, "--now", "noon"], 2, "--now"),
        (
            vec!["--policies", &policies, "--request", &request, "--operations", &at("bad.jsonl")],
            2,
            "bad.jsonl:2:",
        ),
        (
            vec!["--policies", &policies, "--request", &request, "--operations", &at("noon.jsonl")],
            2,
            "`endtime`: expected a time such as 2026-01-01T08:00:00Z",
        ),
        (vec!["--policies", &policies, "--request", &request, "--response", "xml"], 2, "JSON"),
        (vec!["--request", &request], 2, "--policies"),
    ] {
        let arguments: Vec<&str> =
            std::iter::once("decide").chain(arguments.iter().map(|text| &**text)).collect();
        let ended = run(&arguments);
        assert_eq!(ended.code, code, "{arguments:?}: {}", ended.err);
        assert!(ended.err.contains(text), "{arguments:?}: {}", ended.err);
    }
}
