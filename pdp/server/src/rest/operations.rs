//! `/policy/pdpx/v1/operations`: what guard policies count, recorded and read back.

use std::str::FromStr;

use actix_web::web::{self, Payload, Query};
use actix_web::{HttpRequest, HttpResponse};
use jiff::Timestamp;
use pdp_onap::history::{Listing, Operation};
use pdp_onap::tosca::Syntax;
use serde::Deserialize;
use serde_json::{Value, json};

use super::caught::caught;
use super::error::ApiError;
use super::negotiate::ONAP;
use super::openapi::parts;
use super::request_id::RequestId;
use super::{Row, body, negotiate, report};
use crate::operation::{self, LONGEST};
use crate::quote::quoted;
use crate::rest::Worker;

pub(super) const ROW: Row = Row {
    path: "/policy/pdpx/v1/operations",
    name: "operations",
    allow: "GET, HEAD, POST",
    route: |at| at.route(web::post().to(post)).route(super::get().to(get)),
    describe,
};

/// Rows that are listed where the client does not say, and at most.
const ROWS: usize = 100;
const MOST_ROWS: usize = 10_000;

async fn post(request: HttpRequest, id: RequestId, payload: Payload) -> HttpResponse {
    let result = caught(record(&request, payload)).await;
    id.answer(result)
}

async fn record(request: &HttpRequest, payload: Payload) -> Result<HttpResponse, ApiError> {
    let worker = Worker::of(request);
    let (_, syntax) = negotiate::body(request, ONAP)?;
    let bytes = body::read(request, payload, worker.app.config.limits.request_bytes).await?;
    let operation = operation(syntax, &bytes).map_err(|message| ApiError::Invalid { message })?;
    let answer = serde_json::to_vec(&operation).map_err(|_| ApiError::Internal)?;
    worker
        .history
        .record(operation)
        .await
        .map_err(|error| ApiError::History { message: error.to_string() })?;
    Ok(HttpResponse::Created().content_type("application/json").body(answer))
}

/// Reads and checks an operation.
fn operation(syntax: Syntax, bytes: &[u8]) -> Result<Operation, String> {
    let operation = match syntax {
        Syntax::Json => operation::of_json(bytes),
        Syntax::Yaml => operation::of_yaml(bytes),
    }
    .map_err(|wrong| wrong.what)?;
    operation::check(&operation, Timestamp::now())?;
    Ok(operation)
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Wanted {
    actor: Option<String>,
    operation: Option<String>,
    target: Option<String>,
    closed_loop_name: Option<String>,
    since: Option<String>,
    limit: Option<String>,
}

async fn get(request: HttpRequest, id: RequestId) -> HttpResponse {
    let result = caught(list(&request)).await;
    id.answer(result)
}

fn parameter<T: FromStr>(
    name: &str,
    text: Option<&str>,
    expected: &str,
) -> Result<Option<T>, ApiError> {
    text.map(|text| {
        text.parse().map_err(|_| ApiError::Invalid {
            message: format!("the parameter `{name}` is `{}`: expected {expected}", quoted(text)),
        })
    })
    .transpose()
}

async fn list(request: &HttpRequest) -> Result<HttpResponse, ApiError> {
    let syntax = negotiate::answer(request, ONAP)?;
    let Query(wanted) = Query::<Wanted>::from_query(request.query_string()).map_err(|error| {
        let message = error.to_string().replace("unknown field", "unknown parameter");
        ApiError::Invalid { message: format!("the query: {message}") }
    })?;
    let listing = Listing {
        actor: wanted.actor.as_deref(),
        operation: wanted.operation.as_deref(),
        target: wanted.target.as_deref(),
        closed_loop_name: wanted.closed_loop_name.as_deref(),
        since: parameter("since", wanted.since.as_deref(), "a time such as 2026-01-01T08:00:00Z")?,
        limit: parameter("limit", wanted.limit.as_deref(), "a whole number")?
            .unwrap_or(ROWS)
            .min(MOST_ROWS),
    };
    let rows = Worker::of(request)
        .history
        .list(listing)
        .await
        .map_err(|error| ApiError::History { message: error.to_string() })?;
    report::write(syntax, &rows)
}

fn describe() -> Value {
    let text = json!({"type": "string", "minLength": 1, "maxLength": LONGEST});
    let time = json!({"type": "string", "format": "date-time"});
    let row = json!({
        "type": "object",
        "properties": {
            "id": {"type": "integer"},
            "closedLoopName": text, "requestId": text, "subrequestId": text,
            "actor": text, "operation": text, "target": text, "outcome": text,
            "message": {"type": "string", "maxLength": LONGEST},
            "starttime": time, "endtime": time
        },
        "additionalProperties": false
    });
    let examples = json!({"counted": {"summary": "An operation that limits count", "value": {
        "closedLoopName": "loop-1", "actor": "SO", "operation": "VF Module Create", "target": "vnf-1",
        "outcome": "Success", "starttime": "2026-01-01T08:00:00Z", "endtime": "2026-01-01T08:00:05Z"
    }}});
    let more = json!({
        "description": "Times are those of RFC 3339. Neither may be before 1970 or more than a day ahead; an end before its start is taken, as is any outcome. Refused is what no policy could ever see: it needs actor, operation, target, outcome and endtime, or closedLoopName, starttime and outcome.",
        "parameters": [parts::request_id()],
        "responses": {"201": {
            "description": "The operation as it was recorded.",
            "headers": parts::headers(),
            "content": parts::content(&["application/json"], &row, None)
        }}
    });
    let mut post = parts::operation("operations history", "record", "Record an operation", more);
    parts::add_failures(&mut post, &[503]);
    let post = parts::with_body(post, parts::content(&parts::ONAP, &row, Some(&examples)));
    let wish = |name: &str, description: &str, schema: Value| json!({"name": name, "in": "query", "required": false, "description": description, "schema": schema});
    let string = json!({"type": "string"});
    let more = json!({
        "parameters": [
            parts::request_id(),
            wish("actor", "Of this actor.", string.clone()),
            wish("operation", "Of this kind.", string.clone()),
            wish("target", "On this target.", string.clone()),
            wish("closedLoopName", "Of this control loop.", string),
            wish("since", "Not before this time.", time),
            wish("limit", "So many at most; never more than 10000.", json!({"type": "integer", "minimum": 0, "default": ROWS}))
        ],
        "responses": {"200": parts::onap("The latest first.", &json!({"type": "array", "items": row}))}
    });
    let mut get =
        parts::operation("operations history", "operations", "Read operations back", more);
    parts::add_failures(&mut get, &[400, 406, 503]);
    json!({"post": post, "get": get})
}
