//! `GET /policy/pdpx/v1/healthcheck`: always 200; the report says whether the service is alive.

use actix_web::{HttpRequest, HttpResponse};
use serde::Serialize;

use super::error::ApiError;
use super::negotiate::ONAP;
use super::request_id::RequestId;
use super::{negotiate, report};
use crate::rest::Worker;

#[derive(Serialize)]
struct Health<'a> {
    name: &'a str,
    url: &'static str,
    healthy: bool,
    code: u16,
    message: &'static str,
}

pub(super) async fn get(request: HttpRequest, id: RequestId) -> HttpResponse {
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
