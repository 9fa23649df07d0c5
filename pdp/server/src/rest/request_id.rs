//! The request id and the version headers that go with every answer of the service's own.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use actix_web::{FromRequest, HttpRequest, HttpResponse};
use uuid::Uuid;

use super::error::ApiError;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-onap-requestid");
const MINOR: HeaderName = HeaderName::from_static("x-minorversion");
const PATCH: HeaderName = HeaderName::from_static("x-patchversion");
const LATEST: HeaderName = HeaderName::from_static("x-latestversion");

/// The client's id of a request, or a fresh one.
#[derive(Clone, Debug)]
pub(crate) struct RequestId(HeaderValue);

impl RequestId {
    /// Reads the id; makes one where the client gave none.
    fn of(headers: &HeaderMap) -> Result<Self, ApiError> {
        let Some(given) = headers.get(&REQUEST_ID) else {
            return Ok(Self(value(Uuid::new_v4())));
        };
        given
            .to_str()
            .ok()
            .and_then(|text| Uuid::try_parse(text).ok())
            .map(|id| Self(value(id)))
            .ok_or_else(|| ApiError::Invalid { message: "X-ONAP-RequestID must be a UUID".into() })
    }

    /// For log lines.
    pub(crate) fn text(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    /// Adds the headers to an answer.
    pub(crate) fn mark(&self, mut response: HttpResponse) -> HttpResponse {
        let headers = response.headers_mut();
        headers.insert(MINOR, HeaderValue::from_static("0"));
        headers.insert(PATCH, HeaderValue::from_static("0"));
        headers.insert(LATEST, HeaderValue::from_static("1.0.0"));
        headers.insert(REQUEST_ID, self.0.clone());
        response
    }

    /// The answer to a request: marked where it is one of the service's own.
    pub(crate) fn answer(&self, result: Result<HttpResponse, ApiError>) -> HttpResponse {
        match result {
            Ok(response) => self.mark(response),
            Err(error) => {
                tracing::debug!(request_id = self.text(), "refused: {error:?}");
                if error.is_own() { self.mark(error.into()) } else { error.into() }
            }
        }
    }
}

fn value(id: Uuid) -> HeaderValue {
    let mut buffer = Uuid::encode_buffer();
    let text = id.hyphenated().encode_lower(&mut buffer);
    HeaderValue::from_str(text).expect("hex digits and hyphens are a header's characters")
}

impl FromRequest for RequestId {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Self::of(request.headers()))
    }
}
