//! `GET /`: the entry point of the REST profile of XACML, which links to the decision point.

use actix_web::{HttpRequest, HttpResponse};
use pdp_engine::ids::profile::REST_PDP_RELATION;
use serde_json::{Value, json};

use super::Row;
use super::negotiate::{self, Type};
use super::openapi::parts;
use crate::decide::Wire;

pub(super) const ROW: Row = Row {
    path: "/",
    name: "home",
    allow: "GET, HEAD",
    route: |at| at.route(super::get().to(get)),
    describe,
};

/// Where XACML requests go.
pub(super) const PDP: &str = "/policy/pdpx/v1/xacml";

/// Home documents in their XML and JSON form.
const HOME: &[Type<Wire>] = &[
    ("application/xml", Wire::Xml),
    ("application/home+xml", Wire::Xml),
    ("application/json", Wire::Json),
    ("application/json-home", Wire::Json),
];

async fn get(request: HttpRequest) -> HttpResponse {
    let (media_type, wire) = match negotiate::answer(&request, HOME) {
        Ok(wanted) => wanted,
        Err(error) => return error.into(),
    };
    let body = match wire {
        Wire::Xml => format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <resources xmlns=\"http://ietf.org/ns/home-documents\" \
             xmlns:atom=\"http://www.w3.org/2005/Atom\">\
             <resource rel=\"{REST_PDP_RELATION}\"><atom:link href=\"{PDP}\"/></resource>\
             </resources>\n"
        ),
        Wire::Json => {
            json!({"resources": {(REST_PDP_RELATION): {"href": PDP, "hints": {"allow": ["POST"]}}}})
                .to_string()
        }
    };
    HttpResponse::Ok().content_type(media_type).body(body)
}

fn describe() -> Value {
    let text = json!({"type": "string"});
    let mut content = parts::content(&["application/xml", "application/home+xml"], &text, None);
    let json = parts::content(
        &["application/json", "application/json-home"],
        &json!({"type": "object", "properties": {"resources": {"type": "object"}}, "required": ["resources"]}),
        None,
    );
    if let (Value::Object(content), Value::Object(json)) = (&mut content, json) {
        content.extend(json);
    }
    let more = json!({
        "description": "The home document of the REST profile of XACML, which links to the decision point.",
        "responses": {"200": {"description": "The home document.", "content": content}}
    });
    let mut operation = parts::operation("decisions", "home", "The entry point", more);
    parts::add_failures(&mut operation, &[406]);
    json!({"get": operation})
}
