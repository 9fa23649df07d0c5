//! `GET /livez` and `GET /readyz`: never ask for credentials.

use actix_web::{HttpRequest, HttpResponse};
use serde_json::json;

use crate::rest::Worker;

/// Problems that are told; the log has them all.
const PROBLEMS: usize = 20;

pub(super) async fn live() -> HttpResponse {
    HttpResponse::Ok().json(json!({"live": true}))
}

pub(super) async fn ready(request: HttpRequest) -> HttpResponse {
    let app = &Worker::of(&request).app;
    let snapshot = app.store.current();
    let draining = app.lifecycle.is_draining();
    let history = app.history_fault();
    let ready = app.lifecycle.is_alive() && !draining && history.is_none();
    let details = json!({
        "ready": ready,
        "draining": draining,
        "active": app.lifecycle.is_active(),
        "history": history.unwrap_or_else(|| "reachable".into()),
        "policies": snapshot.policies.len(),
        "policiesRefused": snapshot.refused,
        "problems": snapshot.problems.iter().take(PROBLEMS).map(ToString::to_string).collect::<Vec<_>>(),
    });
    if ready {
        HttpResponse::Ok().json(details)
    } else {
        HttpResponse::ServiceUnavailable().json(details)
    }
}
