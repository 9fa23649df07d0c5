//! `GET /livez` and `GET /readyz`: never ask for credentials.

use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Value, json};

use super::Row;
use super::openapi::parts;
use crate::quote::shortened;
use crate::rest::Worker;

/// Problems that are told; the log has them all.
const PROBLEMS: usize = 20;

pub(super) const LIVE: Row = Row {
    path: "/livez",
    name: "livez",
    allow: "GET, HEAD",
    route: |at| at.route(super::get().to(live)),
    describe: describe_live,
};

pub(super) const READY: Row = Row {
    path: "/readyz",
    name: "readyz",
    allow: "GET, HEAD",
    route: |at| at.route(super::get().to(ready)),
    describe: describe_ready,
};

async fn live() -> HttpResponse {
    HttpResponse::Ok().json(json!({"live": true}))
}

async fn ready(request: HttpRequest) -> HttpResponse {
    let app = &Worker::of(&request).app;
    let snapshot = app.store.current();
    let draining = app.lifecycle.is_draining();
    let history = app.history_fault();
    let ready = app.is_ready();
    let mut details = json!({
        "ready": ready,
        "draining": draining,
        "active": app.lifecycle.is_active(),
        "history": history.unwrap_or_else(|| "reachable".into()),
        "policies": snapshot.policies.len(),
        "policiesRefused": snapshot.refused,
    });
    let certificate = app.tls.as_ref().map(|tls| tls.fault());
    if let Some(fault) = &certificate {
        details["certificate"] = match fault {
            None => "as its files have it",
            Some(_) => "an earlier one: its files cannot be used",
        }
        .into();
    }
    // Problems name files and policies, which are nobody's business who may not ask for them.
    if app.credentials.as_ref().is_none_or(|user| user.admit(request.headers())) {
        let certificate = certificate.flatten().map(|fault| format!("certificate: {fault}"));
        let count = snapshot.problems.len() + usize::from(certificate.is_some());
        let problems = snapshot.problems.iter().map(ToString::to_string);
        let problems = certificate.into_iter().chain(problems).take(PROBLEMS);
        details["problems"] = problems.map(|one| shortened(&one).into_owned()).collect();
        if count > PROBLEMS {
            details["problemsLeftOut"] = (count - PROBLEMS).into();
        }
    }
    if snapshot.refused > 0 && snapshot.policies.is_empty() {
        // It would answer as if there were none: for a guard that is a Permit, as in ONAP.
        details["note"] =
            "every policy was refused: decisions are made as if there were none".into();
    }
    if ready {
        HttpResponse::Ok().json(details)
    } else {
        HttpResponse::ServiceUnavailable().json(details)
    }
}

fn describe_live() -> Value {
    let body =
        json!({"type": "object", "properties": {"live": {"const": true}}, "required": ["live"]});
    probe(
        "livez",
        "Is the process there?",
        json!({"200": parts::answer("It is.", "application/json", body)}),
    )
}

fn describe_ready() -> Value {
    let body = json!({
        "type": "object",
        "properties": {
            "ready": {"type": "boolean"},
            "draining": {"type": "boolean"},
            "active": {"type": "boolean"},
            "history": {"type": "string"},
            "policies": {"type": "integer"},
            "policiesRefused": {"type": "integer"},
            "certificate": {"type": "string", "description": "With HTTPS: whether the certificate in use is that of the files."},
            "problems": {"type": "array", "items": {"type": "string"}, "description": "Why policies were refused, and why a renewed certificate is not in use. Where there are credentials, only for who gives them."},
            "problemsLeftOut": {"type": "integer", "description": "How many more there are than are listed; the log has them all."},
            "note": {"type": "string"}
        },
        "required": ["ready", "draining", "active", "history", "policies", "policiesRefused"]
    });
    let answers = json!({
        "200": parts::answer("It is.", "application/json", body.clone()),
        "503": parts::answer("Not now; the body says why.", "application/json", body)
    });
    probe("readyz", "May requests be sent to it?", answers)
}

/// Probes are answered to everyone, always.
fn probe(id: &str, summary: &str, responses: Value) -> Value {
    json!({"get": {
        "tags": ["observation"], "operationId": id, "summary": summary,
        "description": "Never asks for credentials.", "security": [{}], "responses": responses
    }})
}
