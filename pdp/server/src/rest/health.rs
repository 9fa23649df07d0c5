//! `GET /policy/pdpx/v1/healthcheck`: always 200; the report says whether the service is alive.

use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;
use serde_json::{Value, json};

use super::error::ApiError;
use super::negotiate::ONAP;
use super::openapi::parts;
use super::request_id::RequestId;
use super::{Row, negotiate, report};
use crate::rest::Worker;

pub(super) const ROW: Row = Row {
    path: "/policy/pdpx/v1/healthcheck",
    name: "healthcheck",
    allow: "GET, HEAD",
    route: |at| at.route(super::get().to(get)),
    describe,
};

#[derive(Serialize)]
struct Health<'a> {
    name: &'a str,
    url: &'static str,
    healthy: bool,
    code: u16,
    message: &'static str,
}

async fn get(request: HttpRequest, id: RequestId) -> HttpResponse {
    id.answer(answer(&request))
}

fn answer(request: &HttpRequest) -> Result<HttpResponse, ApiError> {
    let worker = Worker::of(request);
    let (healthy, code, message) = if worker.app.lifecycle.is_alive() {
        (true, 200, "alive")
    } else {
        (false, 500, "not alive")
    };
    let health = Health { name: &worker.app.name, url: "self", healthy, code, message };
    report::write(negotiate::answer(request, ONAP)?, &health)
}

fn describe() -> Value {
    let report = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "url": {"type": "string"},
            "healthy": {"type": "boolean"},
            "code": {"enum": [200, 500]},
            "message": {"enum": ["alive", "not alive"]}
        },
        "required": ["name", "url", "healthy", "code", "message"]
    });
    let more = json!({
        "description": "Always answered 200; the report says whether the service is alive.",
        "parameters": [parts::request_id()],
        "responses": {"200": parts::onap("The report.", &report)}
    });
    let mut operation = parts::operation("observation", "healthcheck", "Is it alive?", more);
    parts::add_failures(&mut operation, &[400, 406]);
    json!({"get": operation})
}
