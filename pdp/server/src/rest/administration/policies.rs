//! `/policy/api/v1/policies…` and the same below a policy type.
//!
//! As in ONAP, the type in the path of a creation decides nothing: each policy names its own.

use actix_web::http::StatusCode;
use actix_web::web::{self, Payload};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Value, json};

use super::{HttpBody, answer, answer_body, describe, filter, template};
use crate::administration::Part;
use crate::rest::error::ApiError;
use crate::rest::request_id::RequestId;
use crate::rest::{self, Row};

pub(in crate::rest) const POLICIES: Row = Row {
    path: "/policy/api/v1/policies",
    name: "api-policies",
    allow: "GET, HEAD, POST",
    route: |at| at.route(rest::get().to(get)).route(web::post().to(post)),
    describe: || described("Policies", &[], true),
};

pub(in crate::rest) const POLICY: Row = Row {
    path: "/policy/api/v1/policies/{policy}",
    name: "api-policy",
    allow: "GET, HEAD",
    route: |at| at.route(rest::get().to(get)),
    describe: || described("Policy", &["policy"], false),
};

pub(in crate::rest) const POLICY_VERSION: Row = Row {
    path: "/policy/api/v1/policies/{policy}/versions/{version}",
    name: "api-policy-version",
    allow: "GET, HEAD, DELETE",
    route: |at| at.route(rest::get().to(get)).route(web::delete().to(delete)),
    describe: || described("PolicyVersion", &["policy", "version"], false),
};

pub(in crate::rest) const POLICIES_OF_TYPE: Row = Row {
    path: "/policy/api/v1/policytypes/{type}/versions/{typeVersion}/policies",
    name: "api-policies-of-type",
    allow: "GET, HEAD, POST",
    route: |at| at.route(rest::get().to(get)).route(web::post().to(post)),
    describe: || described("PoliciesOfType", &["type", "typeVersion"], true),
};

pub(in crate::rest) const POLICY_OF_TYPE: Row = Row {
    path: "/policy/api/v1/policytypes/{type}/versions/{typeVersion}/policies/{policy}",
    name: "api-policy-of-type",
    allow: "GET, HEAD",
    route: |at| at.route(rest::get().to(get)),
    describe: || described("PolicyOfType", &["type", "typeVersion", "policy"], false),
};

pub(in crate::rest) const POLICY_OF_TYPE_VERSION: Row = Row {
    path: "/policy/api/v1/policytypes/{type}/versions/{typeVersion}/policies/{policy}/versions/{version}",
    name: "api-policy-of-type-version",
    allow: "GET, HEAD, DELETE",
    route: |at| at.route(rest::get().to(get)).route(web::delete().to(delete)),
    describe: || {
        described("PolicyOfTypeVersion", &["type", "typeVersion", "policy", "version"], false)
    },
};

/// What can be done at a path: always read, at some create, and delete where a version is named.
fn described(id: &str, path: &[&str], creates: bool) -> Value {
    let mut methods = json!({
        "get": describe::read(&format!("read{id}"), "Policies as a service template", path)
    });
    if creates {
        methods["post"] = describe::create(
            &format!("create{id}"),
            "Create the policies of a service template, all or none",
            path,
        );
    }
    if path.contains(&"version") {
        methods["delete"] = describe::delete(&format!("delete{id}"), "Delete a policy", path);
    }
    methods
}

async fn get(request: HttpRequest, id: RequestId) -> HttpResponse {
    let filter = filter(&request);
    answer(request, id, ApiError::Administration, move |it| {
        Ok(HttpBody::ok(template::of(&it.policies(&filter)?, &[], &[])))
    })
    .await
}

async fn post(request: HttpRequest, id: RequestId, payload: Payload) -> HttpResponse {
    let log = id.clone();
    answer_body(request, id, payload, ApiError::Administration, move |it, bytes, syntax| {
        let created = it.create(bytes, syntax, Part::Policies)?;
        for policy in &created.policies {
            let (name, version) = (&policy.name, &policy.version);
            tracing::info!(request_id = log.text(), "policy {name}:{version} created");
        }
        let json = template::of(&created.policies, &[], &[]);
        Ok(HttpBody { status: StatusCode::CREATED, json })
    })
    .await
}

async fn delete(request: HttpRequest, id: RequestId) -> HttpResponse {
    let filter = filter(&request);
    let log = id.clone();
    answer(request, id, ApiError::Administration, move |it| {
        let deleted = it.delete_policy(&filter)?;
        let (name, version) = (&deleted.name, &deleted.version);
        tracing::info!(request_id = log.text(), "policy {name}:{version} deleted");
        Ok(HttpBody::ok(template::of(&[deleted], &[], &[])))
    })
    .await
}
