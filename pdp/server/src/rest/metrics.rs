//! `GET /metrics`: what Prometheus scrapes.

use std::sync::atomic::Ordering::Relaxed;

use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Value, json};

use super::Row;
use super::error::ApiError;
use super::openapi::parts;
use crate::rest::Worker;
use crate::telemetry::{DecisionLog, Exposition, Gauges, SpanCounts};

pub(super) const ROW: Row = Row {
    path: "/metrics",
    name: "metrics",
    allow: "GET, HEAD",
    route: |at| at.route(super::get().to(get)),
    describe,
};

async fn get(request: HttpRequest) -> Result<HttpResponse, ApiError> {
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
        gauges: Gauges {
            ready: app.is_ready(),
            workers: app.workers.count(),
            certificate_refused: app.tls.as_ref().is_some_and(|tls| tls.fault().is_some()),
        },
        decision_log: app
            .decision_log
            .as_ref()
            .map_or((0, 0), |log: &DecisionLog| (log.written(), log.dropped())),
        spans: app.traces.as_ref().map_or((0, 0, 0), |traces| {
            let SpanCounts { sent, refused, dropped } = traces.counts();
            (sent.load(Relaxed), refused.load(Relaxed), dropped.load(Relaxed))
        }),
    }
    .text();
    Ok(HttpResponse::Ok().content_type("text/plain; version=0.0.4; charset=utf-8").body(text))
}

fn describe() -> Value {
    let mut operation = parts::operation(
        "observation",
        "metrics",
        "What Prometheus scrapes",
        json!({
            "responses": {"200": parts::answer("Prometheus text.", "text/plain", json!({"type": "string"}))}
        }),
    );
    operation["responses"]["404"] = json!({
        "description": "Metrics are turned off.",
        "content": parts::content(&["application/json"], &parts::schema("ErrorResponse"), None)
    });
    json!({"get": operation})
}
