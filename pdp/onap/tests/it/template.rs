//! Where policies stand in a document, and how their names, versions and metadata are settled.

use pdp_onap::tosca::{self, Limits, ServiceTemplate, Syntax};

use crate::support::{problems, yaml};

#[test]
fn policies_stand_in_a_list_in_a_map_or_alone() {
    let body = "{type: onap.policies.monitoring.a, type_version: 1.0.0}";
    for text in [
        format!("topology_template:\n  policies:\n  - a: {body}\n  - b: {body}\n"),
        format!("topology_template:\n  policies:\n    a: {body}\n    b: {body}\n"),
        format!("policies:\n- a: {body}\n  b: {body}\n"),
        format!("policies:\n- a: {body}\ntopology_template:\n  policies:\n  - b: {body}\n"),
    ] {
        let template = yaml(&text);
        assert_eq!(template.problems, [], "{text}");
        let names: Vec<_> = template.policies.iter().map(|policy| policy.name.as_str()).collect();
        assert_eq!(names, ["a", "b"], "{text}");
    }
    let alone = yaml("name: a\ntype: onap.policies.monitoring.a\ntype_version: 1.0.0\n");
    assert_eq!(alone.policies[0].name, "a");
}

#[test]
fn types_are_kept() {
    let text = "policy_types:\n  onap.policies.Test: {version: 1.0.0}\ndata_types: {}\n";
    let unversioned = yaml(text).problems;
    assert!(unversioned[0].to_string().contains("tosca_definitions_version"), "{unversioned:?}");
    let template = yaml(&format!("tosca_definitions_version: tosca_simple_yaml_1_1_0\n{text}"));
    assert_eq!(template.problems, []);
    let types = template.policy_types.expect("they were given");
    assert!(types.get("onap.policies.Test").is_some());
    assert!(template.data_types.is_some());
}

#[test]
fn a_version_of_tosca_that_is_not_known_is_refused() {
    for version in ["tosca_2_0", "1", "[]"] {
        let template = yaml(&format!(
            "tosca_definitions_version: {version}\npolicy_types: {{t: {{}}}}\npolicies: [p: {{type: t, type_version: 1}}]"
        ));
        assert!(template.policy_types.is_none() && template.policies.is_empty());
        let problem = &template.problems[0];
        assert_eq!((problem.code, problem.position.line), ("tosca-version", 1), "{problem}");
    }
}

#[test]
fn a_misspelt_part_is_told() {
    let template = yaml("policies: []\npolicy_type: {}\n");
    let said = template.problems.last().expect("there is one").to_string();
    assert_eq!(said, "policy_type: means nothing here, did you mean `policy_types`?");
}

#[test]
fn names_that_could_not_be_asked_for_are_refused() {
    for name in ["a/b", "' a'", "a b", "\"a\\tb\"", "ä", &"x".repeat(100_000)] {
        let template = yaml(&format!("policies: [{name}: {{type: t, type_version: 1.0.0}}]"));
        assert!(template.policies.is_empty());
        let [problem] = template.problems.as_slice() else { panic!("{:?}", template.problems) };
        assert_eq!(problem.code, "tosca-name");
        assert!(problem.to_string().len() < 300, "{problem}");
    }
}

#[test]
fn name_and_version_are_settled() {
    for (key, fields, name, version) in [
        ("a", "", "a", "0.0.0"),
        ("a", "version: 2.0.1,", "a", "2.0.1"),
        ("a", "version: 2.0,", "a", "2.0"),
        ("a", "version: 2,", "a", "2"),
        ("a", "name: a,", "a", "0.0.0"),
        ("a:1.2.3", "", "a", "1.2.3"),
        ("a:1.2.3", "name: a, version: 1.2.3,", "a", "1.2.3"),
    ] {
        let text = format!(
            "policies:\n- '{key}': {{{fields} type: onap.policies.monitoring.x, type_version: 1.0.0}}\n"
        );
        let template = yaml(&text);
        assert_eq!(template.problems, [], "{text}");
        let policy = &template.policies[0];
        assert_eq!((policy.name.as_str(), policy.version.as_str()), (name, version), "{text}");
    }
}

#[test]
fn content_has_onap_s_order_and_leaves_nulls_out() {
    let text = "
policies:
- 'a:1.0.0':
    properties:
      z: 1.0
      half: 0.5
      none: null
      list: [null, <b>&]
    metadata: {policy-version: 1, by: me, policy-id: other, gone: null}
    description: |
      Two
      lines
    derived_from: tosca.policies.Root
    type: onap.policies.monitoring.x
    type_version: 1.0.0
";
    let template = yaml(text);
    assert_eq!(template.problems, []);
    assert_eq!(
        template.policies[0].content(),
        concat!(
            r#"{"type":"onap.policies.monitoring.x","type_version":"1.0.0","#,
            r#""properties":{"z":1,"half":0.5,"list":[null,"<b>&"]},"name":"a","version":"1.0.0","#,
            r#""derived_from":"tosca.policies.Root","#,
            r#""metadata":{"policy-version":"1.0.0","by":"me","policy-id":"a"},"#,
            r#""description":"Two\nlines\n"}"#
        )
    );
}

#[test]
fn the_same_policy_has_the_same_content_in_yaml_and_json() {
    let json = br#"{"policies": [{"a": {"type": "t", "type_version": "1.0.0", "properties": {"n": 5, "t": "08:00:00Z"}}}]}"#;
    let template = tosca::read(json, Syntax::Json, &Limits::default()).expect("it is JSON");
    let of_yaml =
        yaml("policies: [a: {type: t, type_version: 1.0.0, properties: {n: 5, t: 08:00:00Z}}]\n");
    assert_eq!(template.policies[0].content(), of_yaml.policies[0].content());
}

#[test]
fn what_is_wrong_with_a_document_is_told_and_the_rest_is_read() {
    for (text, expected) in [
        (
            "",
            "1:1: error: the document is empty: expected `topology_template` with `policies` (Cannot convert a NULL policy) [tosca-structure]",
        ),
        (
            "{}",
            "1:1: error: this is no policy: expected a map with `name`, `type` and `type_version` (Cannot convert a policy with missing metadata section) [tosca-structure]",
        ),
        (
            "[1]",
            "1:1: error: expected a map with `topology_template`, found a list [tosca-structure]",
        ),
        (
            "topology_templat:\n  policies: []\n",
            "1:1: error: `topology_templat` means nothing here, did you mean `topology_template`? [tosca-structure]",
        ),
        (
            "topology_template: 5",
            "1:20: error: topology_template: expected a map with `policies`, found the integer `5` [tosca-structure]",
        ),
        (
            "topology_template: {policy: []}",
            "1:21: error: topology_template.policy: means nothing here, did you mean `policies`? [tosca-structure]",
        ),
        (
            "policies: []",
            "1:11: error: policies: the list has no entries: expected at least one policy [tosca-structure]",
        ),
        (
            "policies: text",
            "1:11: error: policies: expected a list of policies, found the text `text` [tosca-structure]",
        ),
        (
            "policies:\n- {}\n",
            "2:3: error: policies[0]: expected a map from the policy's name to the policy, found an empty map [tosca-structure]",
        ),
        (
            "policies:\n- a:\n",
            "2:3: error: policy `a`: nothing stands under the policy's name: expected a map with `type`, `type_version` and `properties` (Cannot convert a NULL policy) [tosca-structure]",
        ),
        (
            "policies:\n- a: 5\n",
            "2:6: error: policy `a`: expected a map with `type`, `type_version` and `properties`, found the integer `5` [tosca-structure]",
        ),
    ] {
        assert_eq!(problems(text), [expected], "{text}");
    }
}

#[test]
fn what_is_wrong_with_a_policy_s_own_fields_is_told_at_once() {
    let text = "policies:
- a:
    name: b
    version: one
    typ: onap.policies.monitoring.x
    description: [x]
    properties: 5
- 'c:1.0.0':
    type: onap.policies.monitoring.x
    type_version: 1.0.0
    version: 1.0.1
- good:
    type: onap.policies.monitoring.x
    type_version: 1.0.0
    targets: [x]
";
    assert_eq!(
        problems(text),
        [
            "5:5: warning: policy `a`: typ: a policy has no field of this name; it is ignored, did you mean `type`? [tosca-field]",
            "3:11: error: policy `a`: name: `b` differs from the key `a`: leave one of them out [tosca-name]",
            "4:14: error: policy `a`: version: `one` is not a version: numbers with dots between, such as 1.0.0 [tosca-version]",
            "2:3: error: policy `a`: type: the policy's type is missing [tosca-type]",
            "2:3: error: policy `a`: type_version: the version of the policy's type is missing, such as type_version: 1.0.0 (Version not specified, the version of this TOSCA entity must be specified in the type_version field) [tosca-type]",
            "6:18: error: policy `a`: description: expected text, found a list [tosca-structure]",
            "7:17: error: policy `a`: properties: expected a map, found the integer `5` [tosca-structure]",
            "11:14: error: policy `c`: version: `1.0.1` differs from the version `1.0.0` in the key: leave one of them out [tosca-version]",
        ]
    );
    let names: Vec<_> = yaml(text).policies.into_iter().map(|policy| policy.name).collect();
    assert_eq!(names, ["good"]);
}

#[test]
fn types_are_supported_by_name_and_version() {
    for (name, version, expected) in [
        ("onap.policies.monitoring.tcagen2", "1.0.0", Some("monitoring")),
        ("onap.policies.monitoring.anything", "7.0.0", Some("monitoring")),
        ("onap.policies.Monitoring", "1.0.0", None),
        ("onap.policies.Monitoring.tcagen2", "1.0.0", None),
        ("onap.policies.Naming", "1.0.0", Some("naming")),
        ("onap.policies.Naming", "1.0.1", None),
        ("onap.policies.controlloop.guard.common.MinMax", "1.0.0", Some("guard")),
        ("onap.policies.controlloop.guard.common.MinMax", "1.0.1", None),
        ("onap.policies.controlloop.guard.common.minmax", "1.0.0", None),
        ("onap.policies.controlloop.guard.common.MinMax.more", "1.0.0", None),
    ] {
        let found = tosca::catalogue::find(name, version).map(|row| row.application.name());
        assert_eq!(found, expected, "{name} {version}");
    }
}

/// A document that is long enough to be read in pieces, with other items at some places.
fn long(before: &str, after: &str, other: &[(usize, &str)]) -> String {
    let items: Vec<String> = (0..6_000)
        .map(|at| match other.iter().find(|(place, _)| *place == at) {
            Some((_, item)) => (*item).to_owned(),
            None => format!(
                "{{\"p{at}\": {{\"type\": \"onap.policies.monitoring.x\", \"type_version\": \"1.0.0\", \
                 \"version\": \"1.0.{at}\", \"properties\": {{\"text\": \"{}\"}}}}}}",
                "ü, [".repeat(30)
            ),
        })
        .collect();
    format!("{before}[{}]{after}", items.join(",\n"))
}

#[test]
fn a_long_document_says_the_same_in_pieces() {
    let topology = "{\"tosca_definitions_version\": \"tosca_simple_yaml_1_1_0\", \
                    \"topology_template\": {\"policies\": ";
    let nameless = (4_999, "{\"\": {}}");
    let fields = (17, "{\"q\": {\"type\": 5, \"typ\": 6}}");
    let items = [(0, "5"), (2_345, "[]"), (5_999, "{}")];
    for (before, after, other) in [
        (topology, "}}", &[][..]),
        (topology, "}}", &[nameless, fields]),
        (topology, "}}", &items),
        ("{\"policies\": ", "}", &items),
        ("{\"policies\": ", ", \"tosca_definitions_version\": \"tosca_9\"}", &items),
        (
            "{\"policies\": ",
            ", \"policy_types\": {}, \"topology_template\": {\"policies\": []}}",
            &[],
        ),
        // Nowhere policies are looked for.
        ("{\"topology_template\": {\"inputs\": {\"policies\": ", "}}}", &[]),
        ("{\"other\": 1, \"topology_template\": [{\"policies\": ", "}]}", &[]),
        ("[{\"policies\": ", "}]", &[]),
        ("{\"policies\": 1, \"topology_templat\": {\"policies\": ", "}}", &[]),
    ] {
        let text = long(before, after, other);
        assert!(text.len() > 1 << 20, "it would not be cut");
        let read = tosca::read(text.as_bytes(), Syntax::Json, &Limits::default());
        let read = read.expect("it is JSON");
        let document = tosca::document(text.as_bytes(), Syntax::Json, &Limits::default());
        let whole = ServiceTemplate::of(document.expect("it is JSON"));
        let told = |one: &ServiceTemplate| {
            one.problems.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(told(&read), told(&whole), "{before}…{after}");
        assert_eq!(read.policies, whole.policies, "{before}…{after}");
        assert_eq!(read.policy_types, whole.policy_types);
    }
}

#[test]
fn a_fault_in_a_long_document_is_placed_as_ever() {
    for (place, item) in [(0, "{"), (3_000, "{\"a\": 1, \"a\": 2}"), (5_999, "\"\\q\"")] {
        let text = long("{\"policies\": ", "}", &[(place, item)]);
        let read = tosca::read(text.as_bytes(), Syntax::Json, &Limits::default());
        let document = tosca::document(text.as_bytes(), Syntax::Json, &Limits::default());
        assert_eq!(read.expect_err("it is wrong"), document.expect_err("it is wrong"), "{item}");
    }
}
