//! ONAP's own configuration file, accepted as it is.
//!
//! Its members become ours: host, port, user, password and metrics of `restServerParameters`, and
//! the excluded applications. What belongs to the PAP is noted and left alone.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::onap_history;
use super::variable;
use crate::failure::Failure;

const REST: &str = "restServerParameters";
/// Where ONAP's container has its key store, and the password that it is shipped with.
const KEYSTORE: &str = "/opt/app/policy/pdpx/etc/ssl/policy-keystore";
const KEYSTORE_PASSWORD: &str = "Pol1cy_0nap";
const TOPICS: &str = "topicParameterGroup";

/// Whether a JSON document is ONAP's rather than ours.
pub(super) fn is(tree: &Value) -> bool {
    ["name", "pdpGroup", "pdpType", REST, "policyApiParameters", "applicationParameters"]
        .iter()
        .any(|key| tree.get(key).is_some())
}

/// ONAP's file as ours, with warnings.
pub(super) fn translate(
    tree: &Value,
    path: &Path,
    variables: &[(String, String)],
) -> Result<(Value, Vec<String>), Failure> {
    let mut tree = tree.clone();
    let (used, unused): (Vec<_>, Vec<_>) =
        variable::replace(&mut tree, variables).unset.into_iter().partition(|it| is_used(&it.key));
    if let Some(unset) = used.first() {
        return Err(unset.failure().in_file(path));
    }
    check_types(&tree, path)?;
    let items = validate(&tree);
    if !items.is_empty() {
        return Err(Failure::usage(format!(
            "validation error(s) on parameters from \"{}\"\n\"XacmlPdpParameterGroup\" INVALID, \
             item has status INVALID\n  {}",
            path.display(),
            items.join("\n  ")
        )));
    }
    let rest = &tree[REST];
    let text = |value: &Value| {
        value.as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let mut warnings: Vec<String> = unused
        .iter()
        .map(|unset| format!("{}; nothing here uses it", unset.failure().what))
        .collect();
    let (user, password) = (text(&rest["userName"]), text(&rest["password"]));
    if user.is_none() || password.is_none() {
        warnings.push(format!(
            "`{REST}` has no userName or no password: nobody is asked for credentials"
        ));
    }
    if tree.get(TOPICS).is_some() {
        warnings.push(format!(
            "`{TOPICS}` is not used: this build does not talk to the PAP and is ACTIVE by itself"
        ));
    }
    let host = text(&rest["host"]).unwrap_or_default();
    let host = if host.contains(':') { format!("[{host}]") } else { host };
    let exclude: Vec<String> = tree["applicationParameters"]["exclusions"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(application)
        .collect();
    let variable = |name: &str, usual: &str| {
        let found = variables.iter().find(|(known, text)| known == name && !text.is_empty());
        found.map_or_else(|| usual.to_owned(), |(_, text)| text.clone())
    };
    // Whoever gives PEM files needs no key store, unless one is named.
    let named =
        |name: &str| variables.iter().any(|(known, text)| known == name && !text.is_empty());
    let pem = named("PDP_SERVER__TLS__CERT") && !named("KEYSTORE");
    let tls = if rest["https"] == json!(true) && !pem {
        json!({
            "keystore": variable("KEYSTORE", KEYSTORE),
            "keystore_password": variable("KEYSTORE_PASSWD", KEYSTORE_PASSWORD),
        })
    } else {
        json!({})
    };
    let applications =
        tree["applicationParameters"]["applicationPath"].as_str().unwrap_or_default();
    let history = onap_history::read(Path::new(applications), &mut warnings);
    let ours = json!({
        "server": {"listen": [format!("{host}:{}", rest["port"])], "tls": tls},
        "auth": {"user": user, "password": password},
        // ONAP's PDP starts without policies.
        "policies": {"paths": []},
        "history": history,
        "applications": {"exclude": exclude},
        "metrics": {"enabled": rest["prometheus"] == json!(true)},
    });
    Ok((ours, warnings))
}

/// Whether a value of the file decides anything here.
fn is_used(key: &str) -> bool {
    const REST_USED: [&str; 6] = ["host", "port", "userName", "password", "https", "prometheus"];
    match key.split_once('.') {
        Some((REST, member)) => REST_USED.contains(&member),
        Some((section, _)) => section == "applicationParameters",
        None => true,
    }
}

/// `org.onap.policy.xacml.pdp.application.guard.GuardPdpApplication` is the application `guard`.
fn application(class: &str) -> String {
    let package = class.rsplit('.').nth(1).unwrap_or(class);
    if package == "nativ" { "native".into() } else { package.into() }
}

/// What a member of the file is.
#[derive(Clone, Copy)]
enum Kind {
    Text,
    Number,
    Boolean,
    Texts,
}

impl Kind {
    /// What was expected, where the value is something else. Null counts as absent.
    fn unmet(self, value: &Value) -> Option<&'static str> {
        let (met, expected) = match self {
            Self::Text => (value.is_string(), "text"),
            Self::Number => (value.is_number(), "a number"),
            Self::Boolean => (value.is_boolean(), "true or false"),
            Self::Texts => {
                let items = value.as_array();
                (items.is_some_and(|items| items.iter().all(Value::is_string)), "a list of texts")
            }
        };
        (!met && !value.is_null()).then_some(expected)
    }
}

/// Values of a kind that no such file has.
fn check_types(tree: &Value, path: &Path) -> Result<(), Failure> {
    let wrong = |key: &str, expected: &str| {
        Failure::usage(format!(
            "error reading parameters from \"{}\": `{key}` is not {expected}",
            path.display()
        ))
    };
    for key in ["name", "pdpGroup", "pdpType"] {
        if !matches!(tree[key], Value::Null | Value::String(_)) {
            return Err(wrong(key, "text"));
        }
    }
    for key in [REST, "policyApiParameters", "applicationParameters", TOPICS] {
        if !matches!(tree[key], Value::Null | Value::Object(_)) {
            return Err(wrong(key, "an object"));
        }
    }
    let members = [
        (REST, "host", Kind::Text),
        (REST, "port", Kind::Number),
        (REST, "userName", Kind::Text),
        (REST, "password", Kind::Text),
        (REST, "https", Kind::Boolean),
        (REST, "aaf", Kind::Boolean),
        (REST, "prometheus", Kind::Boolean),
        ("policyApiParameters", "hostname", Kind::Text),
        ("policyApiParameters", "port", Kind::Number),
        ("applicationParameters", "applicationPath", Kind::Text),
        ("applicationParameters", "exclusions", Kind::Texts),
    ];
    for (section, key, kind) in members {
        let expected = kind.unmet(&tree[section][key]);
        if let Some(expected) = expected {
            return Err(wrong(&format!("{section}.{key}"), expected));
        }
    }
    Ok(())
}

/// What ONAP requires, in the lines of its validation report.
fn validate(tree: &Value) -> Vec<String> {
    let mut items = Vec::new();
    for key in ["name", "pdpGroup", "pdpType"] {
        items.extend(text_item(key, &tree[key]));
    }
    let empty = Map::new();
    let group = |key: &str| tree[key].as_object().unwrap_or(&empty);
    let mut section = |name: &str, found: Vec<String>| {
        if !found.is_empty() {
            items.push(format!("\"{name}\" INVALID, item has status INVALID"));
            items.extend(found.into_iter().map(|item| format!("  {item}")));
        }
    };
    let value = |group: &Map<String, Value>, key: &str| group.get(key).cloned().unwrap_or_default();
    let port = |group: &Map<String, Value>| {
        let port = value(group, "port");
        let valid = port.as_i64().is_some_and(|port| (1..=65535).contains(&port));
        (!valid).then(|| {
            format!("item \"port\" value \"{port}\" INVALID, is not a port from 1 to 65535")
        })
    };
    let rest = group(REST);
    section(
        "RestServerParameters",
        text_item("host", &value(rest, "host")).into_iter().chain(port(rest)).collect(),
    );
    let api = group("policyApiParameters");
    section(
        "policyApiParameters",
        text_item("hostname", &value(api, "hostname")).into_iter().chain(port(api)).collect(),
    );
    let applications = value(group("applicationParameters"), "applicationPath");
    section(
        "XacmlApplicationParameters",
        applications
            .is_null()
            .then(|| "item \"applicationPath\" value \"null\" INVALID, is null".to_owned())
            .into_iter()
            .collect(),
    );
    let topics = tree[TOPICS].is_null();
    section(
        "TopicParameterGroup",
        topics
            .then(|| format!("item \"{TOPICS}\" value \"null\" INVALID, is null"))
            .into_iter()
            .collect(),
    );
    items
}

fn text_item(key: &str, value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(format!("item \"{key}\" value \"null\" INVALID, is null")),
        Value::String(text) if text.trim().is_empty() => {
            Some(format!("item \"{key}\" value \"{text}\" INVALID, is blank"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Value {
        json!({
            "name": "X", "pdpGroup": "g", "pdpType": "xacml",
            "restServerParameters": {
                "host": "0.0.0.0", "port": 6969, "userName": "${RESTSERVER_USER}",
                "password": "p${Q}q", "https": false, "prometheus": true
            },
            "policyApiParameters": {"hostname": "api", "port": 6969},
            "applicationParameters": {
                "applicationPath": "/apps",
                "exclusions": ["org.onap.policy.xacml.pdp.application.nativ.NativePdpApplication"]
            },
            "topicParameterGroup": {"topicSources": [], "topicSinks": []}
        })
    }

    fn variables() -> Vec<(String, String)> {
        vec![("RESTSERVER_USER".into(), "admin".into()), ("Q".into(), "!".into())]
    }

    #[test]
    fn members_become_ours_and_variables_are_replaced() {
        let (ours, warnings) =
            translate(&file(), Path::new("c.json"), &variables()).expect("the file is right");
        assert_eq!(ours["server"]["listen"], json!(["0.0.0.0:6969"]));
        assert_eq!(ours["auth"], json!({"user": "admin", "password": "p!q"}));
        assert_eq!(ours["applications"]["exclude"], json!(["native"]));
        assert_eq!(ours["policies"]["paths"], json!([]));
        assert_eq!(ours["metrics"]["enabled"], json!(true));
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].contains("topicParameterGroup") && warnings[0].contains("ACTIVE"));
    }

    #[test]
    fn a_variable_that_is_not_set_is_named() {
        let failure =
            translate(&file(), Path::new("c.json"), &variables()[1..]).expect_err("one is not set");
        assert!(failure.what.contains("`RESTSERVER_USER`"), "{failure}");
    }

    #[test]
    fn a_variable_that_nothing_uses_is_a_warning() {
        let mut tree = file();
        tree["policyApiParameters"]["userName"] = json!("${API_USER}");
        tree["topicParameterGroup"]["topicSinks"] = json!([{"topic": "${TOPIC}"}]);
        tree[REST]["sniHostCheck"] = json!("${SNI}");
        let (_, warnings) = translate(&tree, Path::new("c.json"), &variables()).expect("it starts");
        for name in ["API_USER", "TOPIC", "SNI"] {
            assert!(warnings.iter().any(|one| one.contains(name)), "{name}: {warnings:?}");
        }
        for key in ["host", "password"] {
            let mut tree = file();
            tree[REST][key] = json!("${NOBODY}");
            let failure = translate(&tree, Path::new("c.json"), &variables());
            assert!(failure.is_err_and(|it| it.what.contains("NOBODY")), "{key}");
        }
    }

    #[test]
    fn members_of_a_wrong_kind_are_refused() {
        for (section, key, value) in [
            (REST, "port", json!("6969")),
            (REST, "https", json!("yes")),
            (REST, "userName", json!(5)),
            (REST, "prometheus", json!(1)),
            ("policyApiParameters", "hostname", json!([])),
            ("applicationParameters", "exclusions", json!("native")),
            ("applicationParameters", "exclusions", json!([1])),
        ] {
            let mut tree = file();
            tree[section][key] = value;
            let failure = translate(&tree, Path::new("c.json"), &variables())
                .expect_err("a member is of a wrong kind");
            assert!(failure.what.contains(&format!("`{section}.{key}` is not ")), "{failure}");
        }
    }

    #[test]
    fn what_is_missing_is_reported_all_at_once() {
        let failure = translate(&json!({"name": " "}), Path::new("c.json"), &[])
            .expect_err("nearly everything is missing");
        for item in [
            "\"name\" value \" \" INVALID, is blank",
            "\"pdpGroup\" value \"null\" INVALID, is null",
            "\"RestServerParameters\" INVALID",
            "\"applicationPath\" value \"null\" INVALID, is null",
        ] {
            assert!(failure.what.contains(item), "{item}: {failure}");
        }
    }

    #[test]
    fn https_takes_the_key_store_that_onap_s_variables_name() {
        let mut tree = file();
        tree[REST]["https"] = json!(true);
        let tls = |variables: &[(String, String)]| {
            let (ours, _) = translate(&tree, Path::new("c.json"), variables).expect("it is right");
            ours["server"]["tls"].clone()
        };
        let mut variables = variables();
        assert_eq!(
            tls(&variables),
            json!({"keystore": KEYSTORE, "keystore_password": KEYSTORE_PASSWORD})
        );
        variables.extend([
            ("KEYSTORE".to_owned(), "/k.p12".to_owned()),
            ("KEYSTORE_PASSWD".to_owned(), "secret".to_owned()),
        ]);
        assert_eq!(tls(&variables), json!({"keystore": "/k.p12", "keystore_password": "secret"}));
    }
}
