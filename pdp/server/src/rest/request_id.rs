//! The request id and the version headers that go with every answer of the service's own.

use std::future::{Ready, ready};
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use actix_web::{FromRequest, HttpMessage, HttpRequest, HttpResponse};
use uuid::Uuid;

use super::error::ApiError;
use crate::rest::Worker;
use crate::telemetry::{Parent, TraceId, Traced};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-onap-requestid");
const MINOR: HeaderName = HeaderName::from_static("x-minorversion");
const PATCH: HeaderName = HeaderName::from_static("x-patchversion");
const LATEST: HeaderName = HeaderName::from_static("x-latestversion");

/// The client's id of a request, or a fresh one.
#[derive(Clone, Debug)]
pub(crate) struct RequestId {
    id: HeaderValue,
    traced: Option<Arc<Traced>>,
    /// The client's trace, where it is asked for and nothing is traced here.
    trace: Option<TraceId>,
}

impl RequestId {
    /// Reads the id; makes one where the client gave none.
    fn of(headers: &HeaderMap) -> Result<HeaderValue, ApiError> {
        let Some(given) = headers.get(&REQUEST_ID) else {
            return Ok(value(Uuid::new_v4()));
        };
        given
            .to_str()
            .ok()
            .and_then(|text| Uuid::try_parse(text).ok())
            .map(value)
            .ok_or_else(|| ApiError::Invalid { message: "X-ONAP-RequestID must be a UUID".into() })
    }

    /// For log lines.
    pub(crate) fn text(&self) -> &str {
        self.id.to_str().unwrap_or_default()
    }

    /// The trace that the request is part of.
    pub(crate) fn trace(&self) -> Option<TraceId> {
        self.traced.as_ref().map(|traced| traced.id).or(self.trace)
    }

    /// The request as part of a trace.
    pub(crate) fn traced(&self) -> Option<&Traced> {
        self.traced.as_deref()
    }

    /// Adds the headers to an answer.
    pub(crate) fn mark(&self, mut response: HttpResponse) -> HttpResponse {
        let headers = response.headers_mut();
        headers.insert(MINOR, HeaderValue::from_static("0"));
        headers.insert(PATCH, HeaderValue::from_static("0"));
        headers.insert(LATEST, HeaderValue::from_static("1.0.0"));
        headers.insert(REQUEST_ID, self.id.clone());
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

/// Where the request stands in its client's trace.
pub(super) fn parent(headers: &HeaderMap) -> Option<Parent> {
    let mut given = headers.get_all("traceparent");
    let (first, second) = (given.next()?, given.next());
    let first = first.to_str().ok().filter(|_| second.is_none())?;
    Parent::read(first.trim(), headers.get_all("tracestate").filter_map(|it| it.to_str().ok()))
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
        let app = &Worker::of(request).app;
        let traced = match &app.traces {
            Some(_) => request.extensions().get::<Arc<Traced>>().map(Arc::clone),
            None => None,
        };
        let logs = app.decision_log.is_some() && traced.is_none();
        let trace = if logs { parent(request.headers()).map(|it| it.trace) } else { None };
        ready(Self::of(request.headers()).map(|id| Self { id, traced, trace }))
    }
}
