//! `POST /policy/pdpx/v1/xacml`: decisions asked for in XACML's own formats.

use std::time::Instant;

use actix_web::http::header;
use actix_web::web::Payload;
use actix_web::{HttpRequest, HttpResponse};
use pdp_engine::eval::trace::Unobserved;
use pdp_onap::Application;

use super::caught::caught;
use super::error::ApiError;
use super::negotiate::XACML;
use super::request_id::RequestId;
use super::{body, negotiate};
use crate::decide::{Formats, Setting, Wire};
use crate::rest::Worker;

/// Types that ONAP does not know: whoever sends one and asks for none gets the same back. Without
/// `Accept` ONAP answers its own in JSON.
const PLAIN: [&str; 2] = ["application/json", "application/xml"];

pub(super) async fn post(request: HttpRequest, id: RequestId, payload: Payload) -> HttpResponse {
    let result = caught(answer(&request, payload)).await;
    id.answer(result)
}

async fn answer(request: &HttpRequest, payload: Payload) -> Result<HttpResponse, ApiError> {
    let worker = Worker::of(request);
    let app = &worker.app;
    let (asked_type, asked) = negotiate::body(request, XACML)?;
    let unasked = if PLAIN.contains(&asked_type) { (asked_type, asked) } else { XACML[0] };
    let (media_type, wanted) = negotiate::answer_or(request, XACML, unasked)?;
    let bytes = body::read(request, payload, app.config.limits.request_bytes).await?;
    if app.excluded.contains(&Application::Native) {
        worker.counters.error();
        return Err(ApiError::NoNativeApplication);
    }
    let started = Instant::now();
    let snapshot = app.store.current();
    let setting = Setting {
        snapshot: &snapshot,
        history: &*app.history,
        limits: &app.limits,
        indeterminate: app.config.guard.indeterminate,
        counters: Some(&worker.counters),
        now: None,
    };
    let xacml = &app.config.xacml;
    let formats = Formats { asked, wanted, short_ids: xacml.json.short_ids };
    let mut desk = worker.desk.borrow_mut();
    match desk.xacml(&setting, &xacml.resources, &bytes, formats, &mut Unobserved) {
        Ok(decision) => {
            worker.counters.decision(Application::Native, decision, started.elapsed());
            let mut response = HttpResponse::Ok();
            // A decision holds for the moment it is taken in (section 5 of the REST profile).
            response.insert_header((header::CACHE_CONTROL, "no-store"));
            Ok(response.content_type(media_type).body(desk.out.clone()))
        }
        Err(error) => {
            worker.counters.error();
            let format = match asked {
                Wire::Xml => "XML",
                Wire::Json => "JSON",
            };
            Err(ApiError::MalformedXacml { format, detail: error.to_string() })
        }
    }
}
