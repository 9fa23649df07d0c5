//! The interface as an OpenAPI 3.1 description: `GET /openapi.json`, and `GET /docs` for people.
//!
//! Every row of the route table describes itself, beside the code that answers it; here the rows are
//! put together. Bodies are read by readers of their own and answers written by writers of their own,
//! so that there are no types to derive schemas from: tests hold the two together.
//!
//! | module | what |
//! |---|---|
//! | `parts` | what descriptions of rows are made of |
//! | `schemas` | the schemas that several rows use |
//! | `page` | the description as a page of HTML |

mod page;
pub(super) mod parts;
mod schemas;

use std::sync::LazyLock;

use actix_web::{HttpResponse, web};
use serde_json::{Map, Value, json};

use super::{ROUTES, Row, get};
use parts::{answer, operation};

pub(super) const DESCRIPTION: Row = Row {
    path: "/openapi.json",
    name: "openapi",
    allow: "GET, HEAD",
    route: |at| at.route(get().to(description)),
    describe: describe_description,
};

pub(super) const PAGE: Row = Row {
    path: "/docs",
    name: "docs",
    allow: "GET, HEAD",
    route: |at| at.route(get().to(docs)),
    describe: describe_page,
};

/// Put together once; it never changes.
static DOCUMENT: LazyLock<Value> = LazyLock::new(document);

async fn description() -> HttpResponse {
    HttpResponse::Ok().json(&*DOCUMENT)
}

async fn docs() -> HttpResponse {
    static HTML: LazyLock<String> = LazyLock::new(|| page::html(&DOCUMENT));
    HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        // Nothing is fetched, and nothing runs.
        .insert_header(("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"))
        .body(web::Bytes::from_static(HTML.as_bytes()))
}

fn document() -> Value {
    let paths: Map<String, Value> =
        ROUTES.iter().map(|row| (row.path.to_owned(), (row.describe)())).collect();
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "pdp: policy decision service",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Decisions by policies that are written for the ONAP Policy Framework or in XACML 3.0. The paths under `/policy/pdpx/v1` are those of ONAP's XACML PDP.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}
        },
        "servers": [{"url": "/"}],
        "tags": [
            {"name": "decisions", "description": "What clients ask."},
            {"name": "operations history", "description": "What guard policies count."},
            {"name": "administration", "description": "What is deployed, and why it decides as it does."},
            {"name": "observation", "description": "Health, counters and probes."},
            {"name": "description", "description": "This interface, described."}
        ],
        // Whether credentials are asked for is a setting.
        "security": [{}, {"basic": []}],
        "paths": paths,
        "components": {
            "schemas": schemas::all(),
            "securitySchemes": {"basic": {"type": "http", "scheme": "basic"}}
        }
    })
}

fn describe_description() -> Value {
    json!({"get": operation("description", "describe", "This description", json!({
        "responses": {"200": answer("The description.", "application/json", json!({"type": "object"}))}
    }))})
}

fn describe_page() -> Value {
    json!({"get": operation("description", "docs", "This description as a page", json!({
        "responses": {"200": answer("The page.", "text/html", json!({"type": "string"}))}
    }))})
}
