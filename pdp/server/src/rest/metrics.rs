//! `GET /metrics`: what Prometheus scrapes.

use actix_web::{HttpRequest, HttpResponse};

use super::error::ApiError;
use crate::rest::Worker;
use crate::telemetry::Exposition;

pub(super) async fn get(request: HttpRequest) -> Result<HttpResponse, ApiError> {
    let app = &Worker::of(&request).app;
    if !app.config.metrics.enabled {
        return Err(ApiError::Path { path: request.path().to_owned() });
    }
    let snapshot = app.store.current();
    let text = Exposition {
        totals: &app.workers.totals(),
        deployments: &app.store.deployments,
        policies: snapshot.policies.len(),
        refused: snapshot.refused,
        build_time: snapshot.build_time,
    }
    .text();
    Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(text))
}
