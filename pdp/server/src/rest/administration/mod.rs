//! ONAP's Policy API and PAP: policies and types are created, read, deployed and deleted.
//!
//! Calls wait for the disk and for compilers, so that they are made off the threads that decide.

mod deployments;
mod describe;
mod policies;
mod template;
mod types;

use std::sync::Arc;

use actix_web::web::{self, Payload};
use actix_web::{HttpRequest, HttpResponse};
use pdp_onap::tosca::Syntax;

use super::caught::caught;
use super::error::ApiError;
use super::negotiate::{ONAP, Type};
use super::request_id::RequestId;
use super::{body, negotiate};
use crate::administration::{Administration, AdministrationError, Filter, Wanted};
use crate::priority::yield_to_decisions;
use crate::rest::Worker;

pub(super) use deployments::{DEPLOY, STATUS, UNDEPLOY, UNDEPLOY_VERSION};
pub(super) use policies::{
    POLICIES, POLICIES_OF_TYPE, POLICY, POLICY_OF_TYPE, POLICY_OF_TYPE_VERSION, POLICY_VERSION,
};
pub(super) use types::{TYPE, TYPE_VERSION, TYPES};

/// Where administration has addresses of its own, the others do not know its paths.
fn here(request: &HttpRequest) -> Result<(), ApiError> {
    if Worker::of(request).app.administers_at(request.app_config().local_addr()) {
        return Ok(());
    }
    Err(ApiError::Path { path: request.path().to_owned() })
}

/// Answers with what `call` says, which may block.
async fn answer(
    request: HttpRequest,
    id: RequestId,
    refuse: fn(AdministrationError) -> ApiError,
    call: impl FnOnce(&Administration) -> Result<HttpBody, AdministrationError> + Send + 'static,
) -> HttpResponse {
    let result = caught(async {
        here(&request)?;
        let wanted = negotiate::answer(&request, ONAP)?;
        let administration = Arc::clone(&Worker::of(&request).app.administration);
        let made = web::block(move || {
            yield_to_decisions();
            call(&administration)
        })
        .await;
        let body = made.map_err(|_| ApiError::Internal)?.map_err(refuse)?;
        Ok(body.response(wanted))
    })
    .await;
    id.answer(result)
}

/// The same with the body of the request.
async fn answer_body(
    request: HttpRequest,
    id: RequestId,
    payload: Payload,
    refuse: fn(AdministrationError) -> ApiError,
    call: impl FnOnce(&Administration, &[u8], Syntax) -> Result<HttpBody, AdministrationError>
    + Send
    + 'static,
) -> HttpResponse {
    let read = async {
        here(&request)?;
        let (_, syntax) = negotiate::body(&request, ONAP)?;
        let limit = Worker::of(&request).app.config.limits.policy_bytes;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Ok((body::read(&request, payload, limit).await?, syntax))
    };
    match read.await {
        Ok((bytes, syntax)) => {
            answer(request, id, refuse, move |it| call(it, &bytes, syntax)).await
        }
        Err(error) => id.answer(Err(error)),
    }
}

/// What a call answers.
struct HttpBody {
    status: actix_web::http::StatusCode,
    json: Vec<u8>,
}

impl HttpBody {
    fn ok(json: Vec<u8>) -> Self {
        Self { status: actix_web::http::StatusCode::OK, json }
    }

    fn response(self, (media_type, wanted): Type<Syntax>) -> HttpResponse {
        let mut response = HttpResponse::build(self.status);
        response.content_type(media_type);
        match wanted {
            Syntax::Json => response.body(self.json),
            Syntax::Yaml => response.body(pdp_onap::decision::to_yaml(&self.json)),
        }
    }
}

fn parameter<'r>(request: &'r HttpRequest, name: &str) -> Option<&'r str> {
    request.match_info().get(name)
}

/// Which policies a path means.
fn filter(request: &HttpRequest) -> Filter {
    let text = |name: &str| parameter(request, name).map(str::to_owned);
    Filter {
        policy_type: text("type").zip(text("typeVersion")),
        name: text("policy"),
        version: parameter(request, "version").map_or(Wanted::All, Wanted::of_path),
    }
}
