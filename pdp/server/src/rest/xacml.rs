//! `POST /policy/pdpx/v1/xacml`: decisions asked for in XACML's own formats.

use std::time::Instant;

use actix_web::http::header;
use actix_web::web::{self, Payload};
use actix_web::{HttpRequest, HttpResponse};
use pdp_engine::eval::trace::Unobserved;
use pdp_onap::Application;
use serde_json::{Value, json};

use super::caught::caught;
use super::error::ApiError;
use super::home::PDP;
use super::negotiate::XACML;
use super::openapi::parts;
use super::record::Made;
use super::request_id::RequestId;
use super::{Row, body, negotiate};
use crate::decide::{Formats, Setting, Wire};
use crate::rest::Worker;

pub(super) const ROW: Row = Row {
    path: PDP,
    name: "xacml",
    allow: "POST",
    route: |at| at.route(web::post().to(post)),
    describe,
};

/// Types that ONAP does not know: whoever sends one and asks for none gets the same back. Without
/// `Accept` ONAP answers its own in JSON.
const PLAIN: [&str; 2] = ["application/json", "application/xml"];

async fn post(request: HttpRequest, id: RequestId, payload: Payload) -> HttpResponse {
    let result = caught(answer(&request, &id, payload)).await;
    id.answer(result)
}

async fn answer(
    request: &HttpRequest,
    id: &RequestId,
    payload: Payload,
) -> Result<HttpResponse, ApiError> {
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
        history: worker.history.at_once(),
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
            let (application, took) = (Application::Native, started.elapsed());
            worker.counters.decision(application, decision, took);
            Made { application, decision, cause: None, took }.log(worker, id, &desk.applied);
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
            let (part, detail) = ("request", error.to_string());
            Err(ApiError::MalformedXacml { format, part, detail })
        }
    }
}

fn describe() -> Value {
    let examples = json!({"json": {"summary": "May she read it?", "value": {"Request": {
        "AccessSubject": [{"Attribute": [{
            "AttributeId": "urn:oasis:names:tc:xacml:1.0:subject:subject-id", "Value": "alice"
        }]}],
        "Action": [{"Attribute": [{
            "AttributeId": "urn:oasis:names:tc:xacml:1.0:action:action-id", "Value": "read"
        }]}]
    }}}});
    let json = ["application/xacml+json", "application/json"];
    let xml = ["application/xacml+xml", "application/xml"];
    let both = |json_schema: Value, examples: Option<&Value>| {
        let mut content = parts::content(&json, &json_schema, examples);
        let text = json!({"type": "string", "description": "A document of XACML 3.0 in XML."});
        let text = parts::content(&xml, &text, None);
        if let (Value::Object(content), Value::Object(text)) = (&mut content, text) {
            content.extend(text);
        }
        content
    };
    let more = json!({
        "description": "A decision by the policies that are written in XACML. Request and response are in XML or JSON, independently of each other. A readable request is answered 200, whatever the decision.",
        "parameters": [parts::request_id()],
        "responses": {"200": {
            "description": "The response.",
            "headers": parts::headers(),
            "content": both(parts::schema("XacmlResponse"), None)
        }}
    });
    let post = parts::operation("decisions", "decideXacml", "Ask in XACML's own formats", more);
    json!({"post": parts::with_body(post, both(parts::schema("XacmlRequest"), Some(&examples)))})
}
