//! Settings from the environment: `PDP_` and the path of the key, parts joined by two underscores.
//!
//! `PDP_GUARD__INDETERMINATE=deny` is `guard.indeterminate: deny`. Lists are written with commas.

use serde_json::{Map, Value};

use super::Config;
use crate::failure::Failure;

const PREFIX: &str = "PDP_";

/// Puts the variables over `tree`. Variables that name no key are returned as warnings.
pub(super) fn overlay(
    tree: &mut Value,
    variables: impl Iterator<Item = (String, String)>,
) -> Result<Vec<String>, Failure> {
    let shape = serde_json::to_value(Config::default()).expect("a configuration is plain data");
    let known = keys(&shape);
    let mut warnings = Vec::new();
    for (name, text) in variables {
        let Some(rest) = name.strip_prefix(PREFIX) else { continue };
        if injected_by_kubernetes(&name, &text) {
            continue;
        }
        let path = rest.to_ascii_lowercase().replace("__", ".");
        let Some(sample) = known.iter().find(|(key, _)| *key == path).map(|(_, sample)| *sample)
        else {
            warnings.push(unknown(&name, &path, &known));
            continue;
        };
        set(tree, &path, value(&name, &text, sample)?);
    }
    Ok(warnings)
}

/// Puts what OpenTelemetry's own variables say below everything else.
pub(super) fn underlay(tree: &mut Value, variables: &[(String, String)]) {
    let given = |name: &str| {
        let found = variables.iter().find(|(known, text)| known == name && !text.trim().is_empty());
        found.map(|(_, text)| text.trim())
    };
    let endpoint = given("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT").map(str::to_owned).or_else(|| {
        // OTLP's path goes behind whatever path this one has.
        given("OTEL_EXPORTER_OTLP_ENDPOINT")
            .map(|base| format!("{}/v1/traces", base.trim_end_matches('/')))
    });
    let off = given("OTEL_SDK_DISABLED").is_some_and(|text| text.eq_ignore_ascii_case("true"))
        || given("OTEL_TRACES_EXPORTER").is_some_and(|text| text == "none");
    // What is said of traces alone comes before what is said of all signals.
    let of_traces = |what: &str| {
        given(&format!("OTEL_EXPORTER_OTLP_TRACES_{what}"))
            .or_else(|| given(&format!("OTEL_EXPORTER_OTLP_{what}")))
            .map(str::to_owned)
    };
    let said = [
        ("otlp_endpoint", endpoint.filter(|_| !off)),
        ("service_name", given("OTEL_SERVICE_NAME").map(str::to_owned)),
        ("headers", of_traces("HEADERS")),
        ("ca", of_traces("CERTIFICATE")),
    ];
    for (key, text) in said {
        let Some(text) = text else { continue };
        if tree.get("tracing").and_then(|section| section.get(key)).is_none() {
            set(tree, &format!("tracing.{key}"), Value::from(text));
        }
    }
}

fn unknown(name: &str, path: &str, known: &[(String, &Value)]) -> String {
    match crate::document::nearest(path, known.iter().map(|(key, _)| key.as_str())) {
        Some(near) => format!(
            "the environment variable `{name}` names no setting; did you mean `{PREFIX}{}`?",
            near.to_ascii_uppercase().replace('.', "__")
        ),
        None => format!("the environment variable `{name}` names no setting"),
    }
}

/// Every key that holds a value, with a sample of it.
fn keys(shape: &Value) -> Vec<(String, &Value)> {
    let mut out = Vec::new();
    let mut open = vec![(String::new(), shape)];
    while let Some((path, value)) = open.pop() {
        let Value::Object(entries) = value else {
            out.push((path, value));
            continue;
        };
        for (key, value) in entries {
            let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
            open.push((path, value));
        }
    }
    out
}

fn value(name: &str, text: &str, sample: &Value) -> Result<Value, Failure> {
    let wrong = |expected: &str| {
        Failure::usage(format!("`{text}` is not {expected}"))
            .at(format!("environment variable {name}"))
    };
    Ok(match sample {
        Value::Bool(_) => Value::Bool(text.parse().map_err(|_| wrong("true or false"))?),
        Value::Number(_) => Value::from(
            text.parse::<u64>().map_err(|_| wrong("a whole number from 0 up, such as 4"))?,
        ),
        Value::Array(_) => text
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(Value::from)
            .collect(),
        _ => Value::from(text),
    })
}

fn set(tree: &mut Value, path: &str, value: Value) {
    let mut place = tree;
    for part in path.split('.') {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        place =
            place.as_object_mut().expect("made an object above").entry(part).or_insert(Value::Null);
    }
    *place = value;
}

/// For a Service named `pdp…` Kubernetes sets variables that happen to begin as ours do.
fn injected_by_kubernetes(name: &str, text: &str) -> bool {
    let numbered_port =
        || name.split("_PORT_").skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    name.ends_with("_SERVICE_HOST")
        || name.contains("_SERVICE_PORT")
        || numbered_port()
        || (name.ends_with("_PORT") && text.contains("://"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(variables: &[(&str, &str)]) -> (Value, Vec<String>) {
        let mut tree = Value::Object(Map::new());
        let variables = variables.iter().map(|(name, text)| ((*name).into(), (*text).into()));
        let warnings = overlay(&mut tree, variables).expect("no variable has a wrong type");
        (tree, warnings)
    }

    #[test]
    fn types_follow_the_setting() {
        let (tree, warnings) = over(&[
            ("PDP_GUARD__INDETERMINATE", "deny"),
            ("PDP_SERVER__LISTEN", "127.0.0.1:0, 127.0.0.1:1"),
            ("PDP_SERVER__WORKERS", "3"),
            ("PDP_POLICIES__STRICT", "true"),
            ("PDP_AUTH__PASSWORD", "12345"),
            ("HOME", "/"),
        ]);
        assert_eq!(warnings, [""; 0]);
        assert_eq!(
            tree,
            serde_json::json!({
                "guard": {"indeterminate": "deny"},
                "server": {"listen": ["127.0.0.1:0", "127.0.0.1:1"], "workers": 3},
                "policies": {"strict": true},
                "auth": {"password": "12345"},
            })
        );
    }

    #[test]
    fn what_opentelemetry_s_own_variables_say_yields_to_settings() {
        let under = |tree: Value, variables: &[(&str, &str)]| {
            let mut tree = tree;
            let variables: Vec<(String, String)> =
                variables.iter().map(|(name, text)| ((*name).into(), (*text).into())).collect();
            underlay(&mut tree, &variables);
            tree
        };
        let base = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318/otlp/");
        let (name, exact) =
            (("OTEL_SERVICE_NAME", "mine"), ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://t/x"));
        let none = || serde_json::json!({});
        assert_eq!(
            under(none(), &[base, name]),
            serde_json::json!({"tracing": {
                "otlp_endpoint": "http://c:4318/otlp/v1/traces", "service_name": "mine"
            }})
        );
        assert_eq!(under(none(), &[base, exact])["tracing"]["otlp_endpoint"], "http://t/x");
        let ours = serde_json::json!({"tracing": {"otlp_endpoint": "http://ours"}});
        assert_eq!(under(ours.clone(), &[base, exact]), ours);
        for off in [("OTEL_SDK_DISABLED", "true"), ("OTEL_TRACES_EXPORTER", "none"), ("A", "b")] {
            assert_eq!(under(none(), &[off]), none());
        }
        assert_eq!(under(none(), &[base, ("OTEL_SDK_DISABLED", "true")]), none());
        let (key, ca) = (
            ("OTEL_EXPORTER_OTLP_HEADERS", "api-key=1"),
            ("OTEL_EXPORTER_OTLP_CERTIFICATE", "/ca.pem"),
        );
        assert_eq!(
            under(none(), &[key, ca]),
            serde_json::json!({"tracing": {"headers": "api-key=1", "ca": "/ca.pem"}})
        );
        let of_traces = ("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "api-key=2");
        assert_eq!(under(none(), &[key, of_traces])["tracing"]["headers"], "api-key=2");
        let ours = serde_json::json!({"tracing": {"headers": "api-key=3"}});
        assert_eq!(under(ours.clone(), &[key, of_traces]), ours);
    }

    #[test]
    fn kubernetes_may_set_its_own() {
        let (tree, warnings) = over(&[
            ("PDP_SERVICE_HOST", "10.0.0.1"),
            ("PDP_SERVICE_PORT_HTTP", "6969"),
            ("PDP_PORT", "tcp://10.0.0.1:6969"),
            ("PDP_PORT_6969_TCP_ADDR", "10.0.0.1"),
        ]);
        assert_eq!((tree, warnings), (serde_json::json!({}), vec![]));
    }

    #[test]
    fn a_variable_without_a_setting_is_a_warning_with_the_nearest() {
        let (_, warnings) = over(&[("PDP_GARD__INDETERMINATE", "deny")]);
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].contains("`PDP_GUARD__INDETERMINATE`"), "{warnings:?}");
    }
}
