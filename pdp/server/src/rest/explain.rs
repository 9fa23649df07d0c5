//! `POST /policy/pdpx/v1/explain`: a decision with the way that led to it.

use actix_web::web::{self, Payload};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use pdp_engine::eval::trace::Explanation;
use pdp_onap::Application;
use pdp_onap::decision::{DecisionError, DecisionRequest};
use pdp_onap::tosca::{self, Syntax};
use serde_json::{Value, json};

use super::caught::caught;
use super::error::ApiError;
use super::negotiate::Type;
use super::openapi::parts;
use super::request_id::RequestId;
use super::{Row, body, negotiate};
use crate::decide::{Formats, Setting, Wire};
use crate::explained::told;
use crate::rest::Worker;
use crate::rounds::Rounds;

pub(super) const ROW: Row = Row {
    path: "/policy/pdpx/v1/explain",
    name: "explain",
    allow: "POST",
    route: |at| at.route(web::post().to(post)),
    describe,
};

/// What a request is written in: ONAP's words, or XACML's.
#[derive(Clone, Copy)]
enum Asked {
    Onap(Syntax),
    Xacml(Wire),
}

const TYPES: &[Type<Asked>] = &[
    ("application/json", Asked::Onap(Syntax::Json)),
    ("application/yaml", Asked::Onap(Syntax::Yaml)),
    ("application/xacml+json", Asked::Xacml(Wire::Json)),
    ("application/xacml+xml", Asked::Xacml(Wire::Xml)),
];

const ANSWERS: &[Type<()>] = &[("application/json", ())];

async fn post(request: HttpRequest, id: RequestId, payload: Payload) -> HttpResponse {
    let result = caught(answer(&request, payload)).await;
    id.answer(result)
}

async fn answer(request: &HttpRequest, payload: Payload) -> Result<HttpResponse, ApiError> {
    let worker = Worker::of(request);
    let (_, asked) = negotiate::body(request, TYPES)?;
    let (media_type, ()) = negotiate::answer(request, ANSWERS)?;
    let bytes = body::read(request, payload, worker.app.config.limits.request_bytes).await?;
    let explained = explain(worker, asked, &bytes).await.map_err(told_in_full)?;
    Ok(HttpResponse::Ok().content_type(media_type).body(explained.to_string()))
}

/// Decides as the path of the request would. Counters do not move: nobody acts on the answer.
async fn explain(worker: &Worker, asked: Asked, bytes: &Bytes) -> Result<Value, ApiError> {
    let app = &worker.app;
    let snapshot = app.store.current();
    let setting = Setting {
        snapshot: &snapshot,
        history: worker.history.at_once(),
        limits: &app.limits,
        indeterminate: app.config.guard.indeterminate,
        counters: None,
        now: None,
    };
    let mut explanation = Explanation::default();
    let (application, decision, out) = match asked {
        Asked::Onap(syntax) => {
            let node = match syntax {
                Syntax::Json => None,
                Syntax::Yaml => Some(
                    tosca::document(bytes, Syntax::Yaml, &tosca::Limits::REQUEST)
                        .map_err(|error| ApiError::Malformed { detail: error.to_string() })?,
                ),
            };
            let request = match &node {
                None => DecisionRequest::from_json(bytes),
                Some(node) => DecisionRequest::from_node(node),
            };
            let request = request.map_err(refused)?;
            let application = request.application().map_err(refused)?;
            if app.excluded.contains(&application) {
                return Err(ApiError::NoApplication {
                    action: application.row().action.to_owned(),
                });
            }
            let mut rounds = Rounds::new(worker, None, false);
            let setting = Setting { now: Some(rounds.now), ..setting };
            loop {
                explanation = Explanation::default();
                let ruling = {
                    let mut desk = worker.desk.borrow_mut();
                    if application != Application::Guard || setting.history.is_some() {
                        let ruling = desk.onap_explained(&setting, &request, &mut explanation);
                        Some(ruling.map_err(refused)?)
                    } else {
                        desk.guard_round(&setting, &request, &mut rounds.round, &mut explanation)
                            .map_err(refused)?
                    }
                    .map(|ruling| (ruling.application, ruling.decision, desk.out.clone()))
                };
                match ruling {
                    Some(ruling) => break ruling,
                    None => rounds.ask().await,
                }
            }
        }
        Asked::Xacml(wire) => {
            let xacml = &app.config.xacml;
            let formats =
                Formats { asked: wire, wanted: Wire::Json, short_ids: xacml.json.short_ids };
            let mut desk = worker.desk.borrow_mut();
            let decision = desk
                .xacml(&setting, &xacml.resources, bytes, formats, &mut explanation)
                .map_err(|error| ApiError::MalformedXacml {
                    part: "request",
                    format: if wire == Wire::Xml { "XML" } else { "JSON" },
                    detail: error.to_string(),
                })?;
            (Application::Native, decision, desk.out.clone())
        }
    };
    let answer: Value = serde_json::from_slice(&out).map_err(|_| ApiError::Internal)?;
    Ok(told(application, Some(decision), &answer, &explanation))
}

/// ONAP fixes what the decision's own paths say of such a body; this path says where it is wrong.
fn told_in_full(error: ApiError) -> ApiError {
    match &error {
        ApiError::Malformed { detail } | ApiError::MalformedXacml { detail, .. } => {
            ApiError::Invalid { message: format!("{error}: {detail}") }
        }
        _ => error,
    }
}

fn refused(error: DecisionError) -> ApiError {
    match error {
        DecisionError::Malformed(detail) => ApiError::Malformed { detail },
        DecisionError::Conversion(message) | DecisionError::Invalid(message) => {
            ApiError::Invalid { message }
        }
        DecisionError::UnknownAction(action) => ApiError::NoApplication { action },
    }
}

fn describe() -> Value {
    let onap = json!({"type": "object", "description": "A decision request in ONAP's words."});
    let examples = json!({"guard": {"summary": "Why may it be done?", "value": {
        "action": "guard",
        "resource": {"guard": {"actor": "SO", "operation": "VF Module Create", "target": "vnf-1"}}
    }}});
    let mut content = parts::content(&parts::ONAP, &onap, Some(&examples));
    content["application/xacml+json"] = json!({"schema": parts::schema("XacmlRequest")});
    content["application/xacml+xml"] = json!({"schema": {"type": "string"}});
    let more = json!({
        "description": "Decides as the request's own path would, and tells each policy and rule that was evaluated, with its place, its target and its condition. Counters do not move.",
        "parameters": [parts::request_id()],
        "responses": {"200": {
            "description": "The decision and how it came about.",
            "headers": parts::headers(),
            "content": parts::content(&["application/json"], &parts::schema("Explanation"), None)
        }}
    });
    let post = parts::operation("administration", "explain", "Why is it decided so?", more);
    json!({"post": parts::with_body(post, content)})
}
