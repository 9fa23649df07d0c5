//! What every request passes on its way in and out.
//!
//! In: the trace that it belongs to, credentials, then the switch that closes the service while it is
//! PASSIVE. Out: counters, timing, and its span.

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use actix_web::body::{BoxBody, EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::ConnectionType;
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage, HttpResponse};

use super::Endpoint;
use super::error::ApiError;
use super::request_id::parent;
use super::worker::Worker;
use crate::telemetry::Answered;

/// Paths that anyone may ask at any time.
const PROBES: [&str; 2] = ["/livez", "/readyz"];

/// What asks about the service itself is not traced.
const UNTRACED: [&str; 3] = ["/livez", "/readyz", "/metrics"];

/// Wraps every request.
///
/// # Errors
/// As what it wraps; failures of the edge itself are answers.
pub async fn edge<B: MessageBody + 'static>(
    request: ServiceRequest,
    next: Next<B>,
) -> Result<ServiceResponse<EitherBody<B, BoxBody>>, Error> {
    let started = Instant::now();
    let worker = Rc::clone(request.app_data::<Rc<Worker>>().expect("every app has a worker"));
    let passing = Passing::begin(&worker);
    let traced = worker.app.traces.as_ref().filter(|_| !UNTRACED.contains(&request.path()));
    let traced = traced.map(|traces| {
        let traced = Arc::new(traces.begin(parent(request.headers())));
        request.extensions_mut().insert(Arc::clone(&traced));
        (traces, traced)
    });
    let mut response = match refuse(&request, &worker) {
        Some(error) => request.into_response(HttpResponse::from(error)).map_into_right_body(),
        None => next.call(request).await?.map_into_left_body(),
    };
    if worker.app.lifecycle.is_draining() {
        response.response_mut().head_mut().set_connection_type(ConnectionType::Close);
    }
    let endpoint = response.request().app_data::<Endpoint>().map(|endpoint| endpoint.0);
    let status = response.status().as_u16();
    passing.end(endpoint, status, started.elapsed());
    if let Some((traces, traced)) = traced {
        let request = response.request();
        let (method, path) = (request.method().as_str(), request.path());
        let route = endpoint.map(super::endpoint_path);
        traces.end(&traced, Answered { method, path, route, status });
    }
    Ok(response)
}

/// A request between its beginning and its end. One that is dropped in between has lost its client;
/// while the service stops it stays counted as in flight: it is cut off.
struct Passing<'w>(&'w Worker);

impl<'w> Passing<'w> {
    fn begin(worker: &'w Worker) -> Self {
        worker.counters.request_begins();
        Self(worker)
    }

    fn end(self, endpoint: Option<usize>, status: u16, took: Duration) {
        self.0.counters.request_ends(endpoint, status, took);
        std::mem::forget(self);
    }
}

impl Drop for Passing<'_> {
    fn drop(&mut self) {
        if !self.0.app.lifecycle.is_draining() {
            self.0.counters.request_abandoned();
        }
    }
}

fn refuse(request: &ServiceRequest, worker: &Worker) -> Option<ApiError> {
    if PROBES.contains(&request.path()) {
        return None;
    }
    let admitted = worker
        .app
        .credentials
        .as_ref()
        .is_none_or(|credentials| credentials.admit(request.headers()));
    if !admitted {
        return Some(ApiError::Unauthorized);
    }
    let open = worker.app.lifecycle.is_active() || open_when_passive(request.path());
    (!open).then_some(ApiError::Closed)
}

/// By the text after the last slash, exactly.
fn open_when_passive(path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or(path);
    matches!(last, "healthcheck" | "statistics" | "metrics")
}

#[cfg(test)]
mod tests {
    use super::open_when_passive;

    #[test]
    fn a_passive_service_answers_by_the_last_segment() {
        for open in
            ["healthcheck", "/healthcheck", "/some/stuff/metrics", "/policy/pdpx/v1/statistics"]
        {
            assert!(open_when_passive(open), "{open}");
        }
        for closed in ["/other", "/x-metrics", "/metrics/", "/", ""] {
            assert!(!open_when_passive(closed), "{closed}");
        }
    }
}
