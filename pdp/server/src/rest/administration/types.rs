//! `/policy/api/v1/policytypes…`.

use actix_web::http::StatusCode;
use actix_web::web::{self, Payload};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::json;

use super::{HttpBody, answer, answer_body, describe, parameter, template};
use crate::administration::{KeptType, Part, Wanted};
use crate::rest::error::ApiError;
use crate::rest::request_id::RequestId;
use crate::rest::{self, Row};

const READ: &str = "Policy types as a service template";

pub(in crate::rest) const TYPES: Row = Row {
    path: "/policy/api/v1/policytypes",
    name: "api-policy-types",
    allow: "GET, HEAD, POST",
    route: |at| at.route(rest::get().to(get)).route(web::post().to(post)),
    describe: || {
        json!({
            "get": describe::read("readTypes", READ, &[]),
            "post": describe::create(
                "createTypes",
                "Create the types of a service template, all or none",
                &[],
            )
        })
    },
};

pub(in crate::rest) const TYPE: Row = Row {
    path: "/policy/api/v1/policytypes/{type}",
    name: "api-policy-type",
    allow: "GET, HEAD",
    route: |at| at.route(rest::get().to(get)),
    describe: || json!({"get": describe::read("readType", READ, &["type"])}),
};

pub(in crate::rest) const TYPE_VERSION: Row = Row {
    path: "/policy/api/v1/policytypes/{type}/versions/{typeVersion}",
    name: "api-policy-type-version",
    allow: "GET, HEAD, DELETE",
    route: |at| at.route(rest::get().to(get)).route(web::delete().to(delete)),
    describe: || {
        let path = ["type", "typeVersion"];
        json!({
            "get": describe::read("readTypeVersion", READ, &path),
            "delete": describe::delete("deleteTypeVersion", "Delete a policy type", &path)
        })
    },
};

async fn get(request: HttpRequest, id: RequestId) -> HttpResponse {
    let name = parameter(&request, "type").map(str::to_owned);
    let version = parameter(&request, "typeVersion").map_or(Wanted::All, Wanted::of_path);
    answer(request, id, ApiError::Administration, move |it| {
        let found = it.types(name.as_deref(), &version)?;
        Ok(HttpBody::ok(template::of(&[], &found.types, &found.data_types)))
    })
    .await
}

async fn post(request: HttpRequest, id: RequestId, payload: Payload) -> HttpResponse {
    let log = id.clone();
    answer_body(request, id, payload, ApiError::Administration, move |it, bytes, syntax| {
        let created = it.create(bytes, syntax, Part::Types)?;
        let (types, data_types): (Vec<KeptType>, Vec<KeptType>) =
            created.types.into_iter().partition(|one| one.kind == "policy");
        for one in &types {
            let (name, version) = (&one.name, &one.version);
            tracing::info!(request_id = log.text(), "policy type {name}:{version} created");
        }
        let json = template::of(&[], &types, &data_types);
        Ok(HttpBody { status: StatusCode::CREATED, json })
    })
    .await
}

async fn delete(request: HttpRequest, id: RequestId) -> HttpResponse {
    let text = |name: &str| parameter(&request, name).unwrap_or_default().to_owned();
    let (name, version) = (text("type"), text("typeVersion"));
    let log = id.clone();
    answer(request, id, ApiError::Administration, move |it| {
        let deleted = it.delete_type(&name, &version)?;
        tracing::info!(request_id = log.text(), "policy type {name}:{version} deleted");
        Ok(HttpBody::ok(template::of(&[], &[deleted], &[])))
    })
    .await
}
