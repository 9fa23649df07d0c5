//! Whether an answer is the expected one.

use serde_json::{Map, Value};

use crate::policies::texts;
use crate::support::Reply;

const KNOWN: [&str; 21] = [
    "http",
    "status",
    "body",
    "json",
    "bodyContains",
    "bodyLacks",
    "bodyEmpty",
    "headers",
    "absent",
    "policyCount",
    "policyIds",
    "policyHas",
    "each",
    "advice",
    "note",
    "decision",
    "eachMatchable",
    "attributesCategories",
    "permissions",
    "byMultiId",
    "multiIdAttribute",
];

/// A member of the expectation that this runner does not know.
pub fn unknown(expect: &Value) -> Option<String> {
    let members = expect.as_object()?;
    members.keys().find(|key| !KNOWN.contains(&key.as_str()) && !key.ends_with("Basis")).cloned()
}

pub fn check(expect: &Value, reply: &Reply) -> Result<(), String> {
    check_with(expect, reply, &Value::Null)
}

/// The same for an answer that is compared with its request too.
pub fn check_with(expect: &Value, reply: &Reply, request: &Value) -> Result<(), String> {
    let members = expect.as_object().ok_or("the case expects nothing")?;
    let body: Value = serde_json::from_str(&reply.body).unwrap_or_default();
    let empty = Map::new();
    let policies = body["policies"].as_object().unwrap_or(&empty);
    for (key, wanted) in members {
        let held = match key.as_str() {
            "http" => wanted == reply.status,
            "status" => body["status"] == *wanted,
            "body" => body == *wanted,
            "json" => covers(wanted, &body),
            "bodyContains" => list(wanted).iter().all(|text| reply.body.contains(text)),
            "bodyLacks" => list(wanted).iter().all(|text| !reply.body.contains(text)),
            "bodyEmpty" => reply.body.is_empty() == (*wanted == Value::Bool(true)),
            "headers" => wanted.as_object().into_iter().flatten().all(|(name, value)| {
                let has = reply.header(name).map(Value::from).unwrap_or_default();
                covers(value, &has)
            }),
            "absent" => texts(wanted).iter().all(|name| body[*name].is_null()),
            "policyCount" => *wanted == policies.len(),
            "policyIds" => {
                let ids = texts(wanted);
                ids.len() == policies.len() && ids.iter().all(|id| policies.contains_key(*id))
            }
            "policyHas" => wanted.as_object().into_iter().flatten().all(|(id, parts)| {
                policies.get(id).and_then(Value::as_object).is_some_and(|policy| {
                    texts(&parts["keys"]).iter().all(|key| policy.contains_key(*key))
                        && texts(&parts["lacks"]).iter().all(|key| !policy.contains_key(*key))
                })
            }),
            "each" => wanted.as_object().into_iter().flatten().all(|(path, value)| {
                policies.values().all(|policy| at(policy, path) == Some(value))
            }),
            "advice" => advice(wanted, &body["advice"]),
            "decision" => wanted.as_str() == xacml_decision(&reply.body, &body),
            "eachMatchable" => policies.values().all(|policy| shares(policy, request)),
            "attributesCategories" => {
                let found = body["attributes"].as_object();
                let found: Vec<&String> = found.into_iter().flat_map(Map::keys).collect();
                texts(wanted) == found
            }
            "permissions" => *wanted == body["permissions"].as_array().map_or(0, Vec::len),
            "byMultiId" => wanted.as_object().into_iter().flatten().all(|(id, status)| {
                let attribute = expect["multiIdAttribute"].as_str().unwrap_or_default();
                let mut permissions = body["permissions"].as_array().into_iter().flatten();
                permissions.any(|permission| {
                    let categories = permission["attributes"].as_object();
                    let has = categories
                        .into_iter()
                        .flat_map(Map::values)
                        .any(|attributes| attributes[attribute] == **id);
                    has && permission["status"] == *status
                })
            }),
            _ => true,
        };
        if !held {
            return Err(format!("expected {key} {wanted}"));
        }
    }
    Ok(())
}

fn list(value: &Value) -> Vec<&str> {
    value.as_str().map_or_else(|| texts(value), |text| vec![text])
}

fn at<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').try_fold(value, |value, key| value.get(key))
}

fn advice(wanted: &Value, advice: &Value) -> bool {
    let count = wanted["count"].as_u64();
    let has = advice.as_object().map_or(0, |members| members.len() as u64);
    count.is_none_or(|count| count == has)
        && (wanted["value"].is_null()
            || wanted["value"] == *advice
            || advice
                .as_object()
                .is_some_and(|members| members.values().any(|value| *value == wanted["value"])))
}

/// The decision of a XACML response in either format.
fn xacml_decision<'b>(text: &'b str, body: &'b Value) -> Option<&'b str> {
    let of_json = || {
        let response = &body["Response"];
        response.get(0).unwrap_or(response)["Decision"].as_str()
    };
    let (_, rest) = match text.split_once("<Decision>") {
        Some(parts) => parts,
        None => return of_json(),
    };
    rest.split_once("</Decision>").map(|(decision, _)| decision)
}

/// Whether a policy has, in each list that is matched, a value of the request; an empty list asks for
/// none. With a subscriber the scope has roles that the request does not tell.
fn shares(policy: &Value, request: &Value) -> bool {
    let subscriber =
        request["context"]["subscriberName"].as_array().is_some_and(|it| !it.is_empty());
    ["scope", "services", "resources", "geography"].iter().all(|name| {
        let values = texts(&policy["properties"][*name]);
        let asked = texts(&request["resource"][*name]);
        (subscriber && *name == "scope")
            || values.is_empty()
            || values.iter().any(|value| asked.contains(value))
    })
}

/// Whether `body` has everything that `wanted` has. Angle brackets stand for anything.
fn covers(wanted: &Value, body: &Value) -> bool {
    match (wanted, body) {
        (Value::String(text), body) if text.starts_with('<') && text.ends_with('>') => {
            !body.is_null()
        }
        // Filled objects are covered by parts; an empty one is itself.
        (Value::Object(wanted), Value::Object(body)) if !wanted.is_empty() => {
            wanted.iter().all(|(key, value)| covers(value, body.get(key).unwrap_or(&Value::Null)))
        }
        (wanted, body) => wanted == body,
    }
}
