//! `GET /`: the entry point of the REST profile of XACML, which links to the decision point.

use actix_web::{HttpRequest, HttpResponse};
use pdp_engine::ids::profile::REST_PDP_RELATION;
use serde_json::json;

use super::negotiate::{self, Type};
use crate::decide::Wire;

/// Where XACML requests go.
pub(super) const PDP: &str = "/policy/pdpx/v1/xacml";

/// Home documents in their XML and JSON form.
const HOME: &[Type<Wire>] = &[
    ("application/xml", Wire::Xml),
    ("application/home+xml", Wire::Xml),
    ("application/json", Wire::Json),
    ("application/json-home", Wire::Json),
];

pub(super) async fn get(request: HttpRequest) -> HttpResponse {
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
