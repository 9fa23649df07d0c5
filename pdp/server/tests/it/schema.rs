//! `pdp schema`: what we ship and write is what the schemas say, and what is wrong is not.

use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use pdp_onap::tosca::catalogue::TYPES;
use serde_json::{Value, json};

use crate::support::{Folder, run};

fn schema(name: &str) -> Validator {
    let printed = run(&["schema", name]);
    assert_eq!(printed.code, 0, "{name}: {}", printed.err);
    assert!(printed.err.contains("yaml-language-server: $schema="), "{}", printed.err);
    let schema: Value = serde_json::from_str(&printed.out).expect("a schema is JSON");
    jsonschema::meta::validate(&schema).unwrap_or_else(|error| panic!("{name}: {error}"));
    jsonschema::validator_for(&schema).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn yaml(text: &str) -> Value {
    serde_saphyr::from_str(text).expect("it is YAML")
}

#[track_caller]
fn holds(schema: &Validator, document: &Value, name: &str) {
    let errors: Vec<String> = schema
        .iter_errors(document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{name}: {errors:#?}");
}

/// Files below a folder whose name ends so.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder is there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
    found
}

/// The shipped policies, and what `pdp new` writes.
fn folders() -> Vec<Folder> {
    let folder = Folder::new(&[]);
    for kind in ["guard-frequency", "guard-minmax", "monitoring", "xacml"] {
        assert_eq!(run(&["new", kind, &folder.text()]).code, 0, "{kind}");
    }
    vec![folder]
}

fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../policies")
}

#[test]
fn policies_and_tests_that_we_write_are_as_the_schemas_say() {
    let (tosca, test) = (schema("tosca"), schema("test"));
    let written = folders();
    let places: Vec<&Path> = written.iter().map(Folder::path).collect();
    let shipped = shipped();
    let mut counts = (0, 0);
    for folder in places.into_iter().chain([shipped.as_path()]) {
        for path in files(folder, ".yaml").into_iter().chain(files(folder, ".json")) {
            let name = path.display().to_string();
            let text = fs::read_to_string(&path).expect("it was found just now");
            if name.contains(".request.") || name.contains(".response.") {
                continue;
            }
            if name.ends_with(".test.yaml") {
                holds(&test, &yaml(&text), &name);
                counts.1 += 1;
            } else {
                let document = yaml(&text);
                holds(&tosca, &document, &name);
                let policies = document["topology_template"]["policies"].as_array();
                for policy in policies.into_iter().flatten().filter_map(Value::as_object) {
                    for body in policy.values() {
                        let of_type = body["type"].as_str().expect("a policy has a type");
                        holds(&schema(of_type), &document, &name);
                    }
                }
                counts.0 += 1;
            }
        }
    }
    assert!(counts.0 >= 8 && counts.1 >= 6, "{counts:?}");
}

#[test]
fn every_supported_type_has_a_schema() {
    let listed = run(&["schema"]).out;
    for row in TYPES {
        let name = row.name.trim_end_matches('.');
        assert!(listed.contains(name), "{name}: {listed}");
        schema(name);
    }
}

#[test]
fn wrong_policies_are_not_as_the_schemas_say() {
    let document = |name: &str, properties: Value| {
        json!({"topology_template": {"policies": [{"p": {
            "type": name, "type_version": "1.0.0", "version": "1.0.0", "properties": properties
        }}]}})
    };
    let guard = |name: &str| format!("onap.policies.controlloop.guard.common.{name}");
    let coordination = "onap.policies.controlloop.guard.coordination.FirstBlocksSecond";
    let tosca = schema("tosca");
    for (name, right, wrong) in [
        (
            guard("FrequencyLimiter"),
            json!({"limit": 1, "timeWindow": "10", "timeUnits": "Minute", "actor": "SO"}),
            vec![
                json!({"timeWindow": 10, "timeUnits": "minute"}),
                json!({"limit": "few", "timeWindow": 10, "timeUnits": "minute"}),
                json!({"limit": 1, "timeWindow": 10, "timeUnits": "fortnight"}),
                json!({"limit": 1, "timeWindow": 10, "timeUnits": "day", "aktor": "SO"}),
                json!({"limit": 1, "timeWindow": 10, "timeUnits": "day", "timeRange": {}}),
            ],
        ),
        (
            guard("MinMax"),
            json!({"target": "vnf", "max": 3}),
            vec![json!({"target": "vnf"}), json!({"max": 3}), json!({"target": "v", "max": 1.5})],
        ),
        (
            guard("Blacklist"),
            json!({"blacklist": ["a"], "timeRange": {"start_time": "08:00:00Z", "end_time": "09:00:00Z"}}),
            vec![json!({}), json!({"blacklist": "a"})],
        ),
        (
            guard("Filter"),
            json!({"algorithm": "whitelist-overrides", "filters": [{
                "field": "generic-vnf.vnf-name", "filter": "a", "function": "string-equal",
                "blacklist": true
            }]}),
            vec![
                json!({"algorithm": "both", "filters": []}),
                json!({"algorithm": "whitelist-overrides", "filters": [{"field": "x"}]}),
            ],
        ),
        (
            coordination.to_owned(),
            json!({"controlLoop": ["a", "b"]}),
            vec![json!({"controlLoop": ["a"]}), json!({})],
        ),
    ] {
        let of_type = schema(&name);
        for schema in [&tosca, &of_type] {
            holds(schema, &document(&name, right.clone()), &name);
            for properties in &wrong {
                let document = document(&name, properties.clone());
                assert!(!schema.is_valid(&document), "{name}: {properties}");
            }
        }
    }
    assert!(!tosca.is_valid(&document("onap.policies.Nothing", json!({}))));
    assert!(!tosca.is_valid(&json!({"topology_templates": {}})));
}

#[test]
fn configurations_are_as_the_schema_says_and_wrong_ones_are_not() {
    let config = schema("config");
    let effective = run(&["serve", "--print-config"]);
    let mut effective = yaml(&effective.out);
    // What is printed for nothing is null, which a file leaves out.
    strip_nulls(&mut effective);
    holds(&config, &effective, "the defaults");
    holds(&config, &json!({}), "nothing");
    let some = json!({
        "server": {"listen": ["127.0.0.1:0"], "keep_alive": "30s"},
        "auth": {"user": "a", "password": "b"},
        "guard": {"indeterminate": "deny"},
        "log": {"format": "json", "level": "debug"}
    });
    holds(&config, &some, "some settings");
    for wrong in [
        json!([]),
        json!({"server": []}),
        json!({"servers": {}}),
        json!({"server": {"lisen": []}}),
        json!({"server": {"workers": -1}}),
        json!({"server": {"keep_alive": 30}}),
        json!({"guard": {"indeterminate": "maybe"}}),
        json!({"policies": null}),
        json!({"policies": {"paths": "here"}}),
    ] {
        assert!(!config.is_valid(&wrong), "{wrong}");
    }
}

fn strip_nulls(value: &mut Value) {
    if let Value::Object(entries) = value {
        entries.retain(|_, value| !value.is_null());
        entries.values_mut().for_each(strip_nulls);
    }
}

#[test]
fn wrong_tests_are_not_as_the_schema_says() {
    let test = schema("test");
    let right = json!({"tests": [{"name": "a", "request": {}, "expect": {"status": "ok"}}]});
    holds(&test, &right, "a test");
    for wrong in [
        json!({}),
        json!({"tests": []}),
        json!({"tests": [{"name": "a", "request": {}, "expect": {}}]}),
        json!({"tests": [{"name": "a", "request": 1, "expect": {"status": "ok"}}]}),
        json!({"tests": [{"name": "a", "request": {}, "expect": {"decision": "permit"}}]}),
        json!({"tests": [{"request": {}, "expect": {"status": "ok"}}]}),
        json!({"tests": [{"name": "a", "operations": [{"aktor": "x"}], "request": {}, "expect": {"status": "ok"}}]}),
    ] {
        assert!(!test.is_valid(&wrong), "{wrong}");
    }
}

#[test]
fn an_unknown_name_is_answered_with_the_nearest() {
    let ended = run(&["schema", "tests"]);
    assert_eq!(ended.code, 2);
    assert!(ended.err.contains("hint: did you mean `test`?"), "{}", ended.err);
}
