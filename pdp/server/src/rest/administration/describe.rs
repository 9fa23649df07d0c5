//! The paths of administration as OpenAPI has them.

use serde_json::{Value, json};

use crate::rest::openapi::parts;

/// What varies in a path, and the id of the request.
fn parameters(path: &[&str]) -> Value {
    let one = |name: &&str| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}});
    path.iter().map(one).chain([parts::request_id()]).collect()
}

fn template() -> Value {
    json!({
        "type": "object",
        "description": "A TOSCA service template, as ONAP's Policy API has it.",
        "properties": {
            "tosca_definitions_version": {"type": "string"},
            "policy_types": {"type": "object"},
            "data_types": {"type": "object"},
            "topology_template": {"type": "object", "properties": {
                "policies": {"type": "array", "items": {"type": "object"}}
            }}
        }
    })
}

/// An operation with the failures of administration; `schema` is the shape of those that are its own.
fn operation(
    id: &str,
    summary: &str,
    path: &[&str],
    success: (&str, Value),
    schema: &str,
) -> Value {
    let own = json!({"anyOf": [parts::schema(schema), parts::schema("ErrorResponse")]});
    let own = |description: &str| parts::answer(description, "application/json", own.clone());
    let more = json!({
        "parameters": parameters(path),
        "responses": {
            success.0: success.1,
            "400": own("What was sent cannot be used, or the policy is not deployed."),
            "404": own("What is named is not there."),
            "406": own("What was sent breaks a rule, or no type that is asked for can be given."),
            "409": own("It is in use, or there with other content."),
            "503": own("The state folder failed; nothing has changed.")
        }
    });
    parts::operation("administration", id, summary, more)
}

pub(super) fn read(id: &str, summary: &str, path: &[&str]) -> Value {
    let found = parts::onap("What was found.", &template());
    operation(id, summary, path, ("200", found), "ErrorResponse")
}

pub(super) fn create(id: &str, summary: &str, path: &[&str]) -> Value {
    let created = parts::onap("What was created.", &template());
    let operation = operation(id, summary, path, ("201", created), "ErrorResponse");
    parts::with_body(operation, parts::content(&parts::ONAP, &template(), None))
}

pub(super) fn delete(id: &str, summary: &str, path: &[&str]) -> Value {
    let deleted = parts::onap("What was deleted.", &template());
    operation(id, summary, path, ("200", deleted), "ErrorResponse")
}

fn accepted() -> Value {
    let text = json!({"type": "string"});
    let body = json!({"type": "object", "properties": {"message": text, "uri": text}});
    parts::onap("It is done, and on the disk.", &body)
}

pub(super) fn deploy() -> Value {
    let summary = "Deploy policies that were created, all or none";
    let operation = operation("deploy", summary, &[], ("202", accepted()), "ErrorDetails");
    let policy = json!({
        "type": "object",
        "properties": {
            "policy-id": {"type": "string"},
            "policy-version": {"type": "string", "description": "May lack numbers at its end, or be left out: the newest."}
        },
        "required": ["policy-id"]
    });
    let body = json!({
        "type": "object",
        "properties": {"policies": {"type": "array", "items": policy}},
        "required": ["policies"]
    });
    parts::with_body(operation, parts::content(&parts::ONAP, &body, None))
}

pub(super) fn undeploy(id: &str, path: &[&str]) -> Value {
    let summary = "Undeploy a policy, of its versions those that are named";
    operation(id, summary, path, ("202", accepted()), "ErrorDetails")
}

pub(super) fn status() -> Value {
    let rows = json!({"type": "array", "items": {"type": "object"}});
    let deployed = parts::onap("The administered policies that are deployed.", &rows);
    operation("deploymentStatus", "What is deployed", &[], ("200", deployed), "ErrorDetails")
}
