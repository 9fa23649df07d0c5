//! `GET /policy/pdpx/v1/policies`: what decides now, from where, since when.

use actix_web::{HttpRequest, HttpResponse};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};

use super::error::ApiError;
use super::negotiate::ONAP;
use super::openapi::parts;
use super::request_id::RequestId;
use super::{Row, negotiate, report};
use crate::rest::Worker;

pub(super) const ROW: Row = Row {
    path: "/policy/pdpx/v1/policies",
    name: "policies",
    allow: "GET, HEAD",
    route: |at| at.route(super::get().to(get)),
    describe,
};

/// A policy that decides.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed<'s> {
    name: &'s str,
    version: &'s str,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    policy_type: Option<&'s str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    type_version: Option<&'s str>,
    application: &'static str,
    source: String,
    state: &'static str,
    deployed_at: Timestamp,
}

async fn get(request: HttpRequest, id: RequestId) -> HttpResponse {
    id.answer(answer(&request))
}

fn answer(request: &HttpRequest) -> Result<HttpResponse, ApiError> {
    let snapshot = Worker::of(request).app.store.current();
    let listed: Vec<Listed<'_>> = snapshot
        .policies
        .values()
        .map(|policy| {
            let of_type = policy.policy_type.as_ref();
            Listed {
                name: &policy.id,
                version: &policy.version,
                policy_type: of_type.map(|(name, _)| &**name),
                type_version: of_type.map(|(_, version)| &**version),
                application: policy.application.row().name,
                source: policy.source.to_string(),
                state: "deployed",
                deployed_at: policy.since,
            }
        })
        .collect();
    report::write(negotiate::answer(request, ONAP)?, &listed)
}

fn describe() -> Value {
    let text = json!({"type": "string"});
    let policy = json!({
        "type": "object",
        "properties": {
            "name": text, "version": text, "type": {"type": "string", "description": "Of TOSCA policies."}, "typeVersion": text, "application": text,
            "source": {"type": "string", "description": "The file it was read from, or `administration`."},
            "state": {"enum": ["deployed"]},
            "deployedAt": {"type": "string", "format": "date-time"}
        },
        "required": ["name", "version", "application", "source", "state", "deployedAt"],
        "additionalProperties": false
    });
    let more = json!({
        "parameters": [parts::request_id()],
        "responses": {"200": parts::onap("The policies, by application and identifier.", &json!({"type": "array", "items": policy}))}
    });
    let mut operation = parts::operation(
        "administration",
        "policies",
        "What decides, from where, since when",
        more,
    );
    parts::add_failures(&mut operation, &[400, 406]);
    json!({"get": operation})
}
