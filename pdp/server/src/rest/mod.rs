//! The HTTP interface: one row per path.
//!
//! Every request passes [`edge`], which knows credentials, the state of the service, counters and
//! panics; then the row that its path names. A row stands, with its OpenAPI description, in the file of
//! what answers it. Errors become answers in [`error`] alone.

mod administration;
mod auth;
mod body;
mod caught;
mod decision;
mod edge;
mod error;
mod explain;
mod health;
mod home;
mod metrics;
mod negotiate;
mod openapi;
mod operations;
mod policies;
mod probes;
mod record;
mod report;
mod request_id;
mod statistics;
mod worker;
mod xacml;

use actix_web::http::header::{self, HeaderValue};
use actix_web::web::{self, ServiceConfig};
use actix_web::{HttpResponse, Resource};

pub use auth::Credentials;
pub use edge::edge;
pub use error::ApiError;
pub use worker::Worker;

/// A path that is answered.
struct Row {
    /// With `{NAME}` for a part that varies.
    path: &'static str,
    /// Its name in metrics.
    name: &'static str,
    /// What an answer to another method says is allowed.
    allow: &'static str,
    route: fn(Resource) -> Resource,
    /// The OpenAPI description: an object with a member for each method. See [`openapi::parts`].
    describe: fn() -> serde_json::Value,
}

const ROUTES: &[Row] = &[
    decision::ROW,
    xacml::ROW,
    home::ROW,
    health::ROW,
    statistics::ROW,
    operations::ROW,
    explain::ROW,
    policies::ROW,
    metrics::ROW,
    probes::LIVE,
    probes::READY,
    openapi::DESCRIPTION,
    openapi::PAGE,
    administration::TYPES,
    administration::TYPE,
    administration::TYPE_VERSION,
    administration::POLICIES_OF_TYPE,
    administration::POLICY_OF_TYPE,
    administration::POLICY_OF_TYPE_VERSION,
    administration::POLICIES,
    administration::POLICY,
    administration::POLICY_VERSION,
    administration::DEPLOY,
    administration::UNDEPLOY,
    administration::UNDEPLOY_VERSION,
    administration::STATUS,
];

/// How many paths are answered.
pub const ENDPOINTS: usize = ROUTES.len();

/// The statuses that metrics tell apart; 0 stands for any other.
pub const CODES: [u16; 17] =
    [200, 201, 202, 304, 400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 500, 503, 0];

/// The name of a row, in metrics.
pub fn endpoint_name(row: usize) -> &'static str {
    ROUTES[row].name
}

/// The path of a row.
pub(crate) fn endpoint_path(row: usize) -> &'static str {
    ROUTES[row].path
}

/// Which row of the table answers, told to the edge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Endpoint(pub(crate) usize);

fn get() -> actix_web::Route {
    web::route().guard(actix_web::guard::Any(actix_web::guard::Get()).or(actix_web::guard::Head()))
}

/// Adds every path.
pub fn configure(service: &mut ServiceConfig) {
    for (number, row) in ROUTES.iter().enumerate() {
        let other_method = web::route().to(move || async move {
            let mut response: HttpResponse = ApiError::Method { allow: row.allow }.into();
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(row.allow));
            response
        });
        let resource = web::resource(row.path).app_data(Endpoint(number));
        service.service((row.route)(resource).default_service(other_method));
    }
    service.default_service(web::route().to(|request: actix_web::HttpRequest| async move {
        HttpResponse::from(ApiError::Path { path: request.path().to_owned() })
    }));
}
