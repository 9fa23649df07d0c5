//! `POST /policy/pdpx/v1/decision`.

use actix_web::web::{self, Payload, Query};
use actix_web::{HttpRequest, HttpResponse};
use bytes::Bytes;
use pdp_engine::eval::trace::Unobserved;
use pdp_onap::Application;
use pdp_onap::decision::{self, DecisionError, DecisionRequest};
use pdp_onap::tosca::{self, Syntax};
use serde_json::{Value, json};

use super::caught::caught;
use super::error::ApiError;
use super::negotiate::{ONAP, Type};
use super::openapi::parts;
use super::record::Made;
use super::request_id::RequestId;
use super::{Row, body, negotiate};
use crate::decide::{Ruling, Setting};
use crate::rest::Worker;
use crate::rounds::Rounds;

pub(super) const ROW: Row = Row {
    path: "/policy/pdpx/v1/decision",
    name: "decision",
    allow: "POST",
    route: |at| at.route(web::post().to(post)),
    describe,
};

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
    let (_, asked) = negotiate::body(request, ONAP)?;
    let wanted = negotiate::answer(request, ONAP)?;
    let bytes = body::read(request, payload, worker.app.config.limits.request_bytes).await?;
    let node = match asked {
        Syntax::Json => None,
        Syntax::Yaml => Some(
            tosca::document(&bytes, Syntax::Yaml, &tosca::Limits::REQUEST)
                .map_err(|error| ApiError::Malformed { detail: error.to_string() })?,
        ),
    };
    let parsed = match &node {
        None => DecisionRequest::from_json(&bytes),
        Some(node) => DecisionRequest::from_node(node),
    };
    let decided = match &parsed {
        Ok(parsed) => decide(worker, id, request.query_string(), parsed).await,
        Err(error) => Err(error.clone()),
    };
    match decided {
        Ok(out) => Ok(body_of(wanted, out)),
        // ONAP answers 200 where the application cannot convert the request.
        Err(DecisionError::Conversion(message)) => {
            worker.counters.error();
            let mut out = Vec::with_capacity(64 + message.len());
            decision::write_failure(&message, &mut out);
            Ok(body_of(wanted, out.into()))
        }
        Err(DecisionError::Malformed(detail)) => Err(ApiError::Malformed { detail }),
        Err(DecisionError::Invalid(message)) => {
            worker.counters.error();
            Err(ApiError::Invalid { message })
        }
        Err(DecisionError::UnknownAction(action)) => {
            worker.counters.error();
            Err(ApiError::NoApplication { action })
        }
    }
}

async fn decide(
    worker: &Worker,
    id: &RequestId,
    query: &str,
    request: &DecisionRequest<'_>,
) -> Result<Bytes, DecisionError> {
    let app = &worker.app;
    let application = request.application()?;
    if app.excluded.contains(&application) {
        return Err(DecisionError::UnknownAction(application.row().action.to_owned()));
    }
    let parameters = match query {
        "" => Vec::new(),
        query => {
            Query::<Vec<(String, String)>>::from_query(query).map_or(Vec::new(), Query::into_inner)
        }
    };
    let parameters = parameters.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let at_once = worker.history.at_once();
    let record_permits = app.config.guard.record_permits && application == Application::Guard;
    let snapshot = app.store.current();
    let setting = Setting {
        snapshot: &snapshot,
        history: at_once,
        limits: &app.limits,
        indeterminate: app.config.guard.indeterminate,
        counters: Some(&worker.counters),
        now: None,
    };
    if !record_permits && (at_once.is_some() || application != Application::Guard) {
        let mut desk = worker.desk.borrow_mut();
        let ruling = desk.onap(&setting, request, parameters)?;
        count(worker, id, &ruling);
        Made::of(&ruling).log(worker, id, &desk.applied);
        return Ok(Bytes::copy_from_slice(&desk.out));
    }
    let mut rounds = Rounds::new(worker, request.request_id(), record_permits);
    // One time for all rounds.
    let setting = Setting { now: Some(rounds.now), ..setting };
    loop {
        let ruling = {
            let mut desk = worker.desk.borrow_mut();
            desk.guard_round(&setting, request, &mut rounds.round, &mut Unobserved)?
                .map(|ruling| (ruling, desk.applied.take(), Bytes::copy_from_slice(&desk.out)))
        };
        if let Some((mut ruling, applied, out)) = ruling
            && rounds.holds(&ruling).await
        {
            ruling.took = rounds.started.elapsed();
            count(worker, id, &ruling);
            Made::of(&ruling).log(worker, id, &applied);
            return Ok(out);
        }
        rounds.ask().await;
    }
}

fn count(worker: &Worker, id: &RequestId, ruling: &Ruling) {
    worker.counters.decision(ruling.application, ruling.decision, ruling.took);
    for decision in &ruling.further {
        worker.counters.further(ruling.application, *decision);
    }
    let Some((cause, message)) = &ruling.indeterminate else { return };
    if ruling.application == Application::Guard {
        worker.counters.guard_indeterminate(*cause);
        tracing::warn!(
            request_id = id.text(),
            trace_id = id.trace().map(tracing::field::display),
            cause = cause.name(),
            answered = ?worker.app.config.guard.indeterminate,
            "a guard decision is Indeterminate: {message}"
        );
    } else {
        tracing::debug!(
            request_id = id.text(),
            application = ruling.application.name(),
            "a decision is Indeterminate: {message}"
        );
    }
}

fn body_of((media_type, wanted): Type<Syntax>, json: Bytes) -> HttpResponse {
    let mut response = HttpResponse::Ok();
    response.content_type(media_type);
    match wanted {
        Syntax::Json => response.body(json),
        Syntax::Yaml => response.body(decision::to_yaml(&json)),
    }
}

fn describe() -> Value {
    let request = json!({
        "description": "Members that are not known are ignored.",
        "type": "object",
        "properties": {
            "ONAPName": {"type": "string"},
            "ONAPComponent": {"type": "string"},
            "ONAPInstance": {"type": "string"},
            "requestId": {"type": "string"},
            "action": {"enum": ["configure", "naming", "match", "optimize", "guard", "native"],
                "description": "Which application decides."},
            "resource": {"type": "object", "description": "What is asked about; by application."},
            "context": {"type": "object"},
            "currentDateTime": {"type": "string", "description": "Guard: a date and time with offset."},
            "currentDate": {"type": "string", "description": "Guard: a date."},
            "currentTime": {"type": "string", "description": "Guard: a time with offset."},
            "timeZone": {"type": "string", "description": "Guard: an offset such as +05:00."}
        },
        "required": ["action"]
    });
    let examples = json!({
        "guard": {"summary": "May one more module be made?", "value": {
            "ONAPName": "Policy", "requestId": "one", "action": "guard",
            "resource": {"guard": {"actor": "SO", "operation": "VF Module Create",
                "clname": "loop-1", "target": "vnf-1", "vfCount": 1}}
        }},
        "configure": {"summary": "A monitoring policy by its name", "value": {
            "ONAPName": "DCAE", "action": "configure", "resource": {"policy-id": "onap.restart.tca"}
        }}
    });
    let response = json!({
        "type": "object",
        "properties": {
            "status": {"type": "string", "description": "Permit or Deny of guard; error where the others have nothing."},
            "message": {"type": "string"},
            "advice": {"type": "object"},
            "obligations": {"type": "object"},
            "policies": {"type": "object", "description": "The policies that apply, by name."},
            "attributes": {"type": "object"}
        },
        "additionalProperties": false
    });
    let more = json!({
        "description": "A decision in ONAP's words. What cannot be converted for its application is answered 200 with status error.",
        "parameters": [parts::request_id(), {
            "name": "abbrev", "in": "query", "required": false,
            "description": "true: monitoring policies without their properties, names and versions.",
            "schema": {"type": "string"}
        }],
        "responses": {"200": parts::onap("The decision.", &response)}
    });
    let body = parts::content(&parts::ONAP, &request, Some(&examples));
    let post = parts::operation("decisions", "decide", "Ask for a decision", more);
    json!({"post": parts::with_body(post, body)})
}
