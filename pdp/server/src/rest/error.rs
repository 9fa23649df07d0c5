//! Every way a request can fail, and the one place where failures become answers.

use actix_web::body::BoxBody;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::{HttpResponse, HttpResponseBuilder, ResponseError};
use pdp_onap::decision::write_error_response;
use serde_json::json;
use thiserror::Error;

use crate::administration::AdministrationError;
use crate::config::Lasting;
use crate::quote::{quoted, shortened};

/// Says where a malformed body is wrong, beside ONAP's fixed text.
const DETAIL: HeaderName = HeaderName::from_static("x-error-detail");

/// Why a request gets no decision, report or record.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ApiError {
    /// No application answers the action.
    #[error("No application for action {}", quoted(.action))]
    NoApplication {
        /// The action.
        action: String,
    },
    /// The body is not JSON or YAML, or holds a value of the wrong kind.
    #[error("Invalid request")]
    Malformed {
        /// What is wrong with it, and where.
        detail: String,
    },
    /// The body is no XACML request, or what is answered is no XACML response.
    #[error("invalid {format} xacml {part}")]
    MalformedXacml {
        /// The format it should be in.
        format: &'static str,
        /// `request` or `response`.
        part: &'static str,
        /// What is wrong with it, and where.
        detail: String,
    },
    /// XACML requests are not answered here.
    #[error("Native PDP application cannot be found")]
    NoNativeApplication,
    /// A value of the body, of a header or of the query cannot be used.
    #[error("{message}")]
    Invalid {
        /// Which, and what was expected.
        message: String,
    },
    /// There is no body.
    #[error("The request has no body")]
    Empty,
    /// The body is too large.
    #[error("The request body is larger than the limit of {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// The body ended early or could not be read.
    #[error("The request body could not be read: {message}")]
    Unreadable {
        /// What went wrong.
        message: String,
    },
    /// The body did not arrive in time.
    #[error("The request body did not arrive within {patience}")]
    Late {
        /// How long the service waits.
        patience: Lasting,
    },
    /// The body is of a type that the path does not take.
    #[error("The content type must be one of {known}")]
    MediaType {
        /// Those that it takes.
        known: String,
    },
    /// The body is in a character set that is not read.
    #[error("The character set {} is not read: send UTF-8", quoted(.charset))]
    Charset {
        /// The character set.
        charset: String,
    },
    /// The body is compressed, or encoded in another way.
    #[error(
        "The content encoding {} is not read: send the body as it is, without Content-Encoding",
        quoted(.encoding)
    )]
    Encoding {
        /// The encodings.
        encoding: String,
    },
    /// The answer cannot be given in a type that is asked for.
    #[error("The answer can be one of {known}")]
    NotAcceptable {
        /// Those that it can be given in.
        known: String,
    },
    /// No or wrong credentials.
    #[error("Credentials are missing or wrong")]
    Unauthorized,
    /// The service is PASSIVE.
    #[error("The service is not active")]
    Closed,
    /// There is no such path.
    #[error("There is no path {}", quoted(.path))]
    Path {
        /// The path.
        path: String,
    },
    /// The path does not answer the method.
    #[error("The path answers {allow} only")]
    Method {
        /// What it answers.
        allow: &'static str,
    },
    /// The operations history did not do what was asked.
    #[error("{message}")]
    History {
        /// What went wrong.
        message: String,
    },
    /// Policies or types are not created, read or deleted.
    #[error("{0}")]
    Administration(AdministrationError),
    /// Policies are not deployed or undeployed.
    #[error("{0}")]
    Deployment(AdministrationError),
    /// A fault of the program.
    #[error("Internal error")]
    Internal,
}

impl ApiError {
    /// Whether the answer is one of the service itself rather than of the layers before it: those
    /// carry the version headers.
    pub(crate) fn is_own(&self) -> bool {
        matches!(
            self,
            Self::NoApplication { .. }
                | Self::NoNativeApplication
                | Self::MalformedXacml { .. }
                | Self::Invalid { .. }
                | Self::History { .. }
                | Self::Administration(_)
                | Self::Deployment(_)
                | Self::Internal
        )
    }

    fn name(&self) -> &'static str {
        match self.status_code() {
            StatusCode::UNAUTHORIZED => "UNAUTHORIZED",
            StatusCode::NOT_FOUND => "NOT_FOUND",
            StatusCode::METHOD_NOT_ALLOWED => "METHOD_NOT_ALLOWED",
            StatusCode::NOT_ACCEPTABLE => "NOT_ACCEPTABLE",
            StatusCode::REQUEST_TIMEOUT => "REQUEST_TIMEOUT",
            StatusCode::CONFLICT => "CONFLICT",
            StatusCode::PAYLOAD_TOO_LARGE => "REQUEST_ENTITY_TOO_LARGE",
            StatusCode::UNSUPPORTED_MEDIA_TYPE => "UNSUPPORTED_MEDIA_TYPE",
            StatusCode::SERVICE_UNAVAILABLE => "SERVICE_UNAVAILABLE",
            StatusCode::INTERNAL_SERVER_ERROR => "INTERNAL_SERVER_ERROR",
            _ => "BAD_REQUEST",
        }
    }
}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        match self {
            Self::NoApplication { .. }
            | Self::Malformed { .. }
            | Self::MalformedXacml { .. }
            | Self::Invalid { .. }
            | Self::Empty
            | Self::Unreadable { .. } => StatusCode::BAD_REQUEST,
            Self::Late { .. } => StatusCode::REQUEST_TIMEOUT,
            Self::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Self::MediaType { .. } | Self::Charset { .. } | Self::Encoding { .. } => {
                StatusCode::UNSUPPORTED_MEDIA_TYPE
            }
            Self::NotAcceptable { .. } => StatusCode::NOT_ACCEPTABLE,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::Closed => StatusCode::CONFLICT,
            Self::Path { .. } => StatusCode::NOT_FOUND,
            Self::Method { .. } => StatusCode::METHOD_NOT_ALLOWED,
            Self::History { .. } => StatusCode::SERVICE_UNAVAILABLE,
            Self::Administration(error) | Self::Deployment(error) => status(error),
            Self::Internal | Self::NoNativeApplication => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    fn error_response(&self) -> HttpResponse<BoxBody> {
        let mut response = HttpResponse::build(self.status_code());
        let message = self.to_string();
        let message = shortened(&message);
        match self {
            Self::Closed => response.finish(),
            Self::Administration(error) => {
                let body =
                    json!({"code": self.name(), "error": message, "details": details(error)});
                json(response, |out| out.extend_from_slice(body.to_string().as_bytes()))
            }
            // The PAP's answers have another shape than the Policy API's.
            Self::Deployment(error) => {
                let body = json!({"errorDetails": message, "details": details(error)});
                json(response, |out| out.extend_from_slice(body.to_string().as_bytes()))
            }
            Self::Malformed { detail } | Self::MalformedXacml { detail, .. } => {
                // Only text of ours and of parsers; what is left over could break a header.
                let detail: String = shortened(detail)
                    .chars()
                    .map(|c| if c.is_ascii_graphic() { c } else { ' ' })
                    .collect();
                if let Ok(detail) = HeaderValue::from_str(detail.trim()) {
                    response.insert_header((DETAIL, detail));
                }
                json(response, |out| {
                    let details = json!({"errorDetails": message});
                    serde_json::to_writer(out, &details).expect("text is written to memory");
                })
            }
            _ => {
                if matches!(self, Self::Encoding { .. }) {
                    // What would be read (section 12.5.3 of RFC 9110).
                    let plain = HeaderValue::from_static("identity");
                    response.insert_header((header::ACCEPT_ENCODING, plain));
                }
                if matches!(self, Self::Late { .. }) {
                    // What is still to come belongs to a request that is answered.
                    response.force_close();
                }
                if *self == Self::Unauthorized {
                    response.insert_header((
                        header::WWW_AUTHENTICATE,
                        "Basic realm=\"RestServerParameters-realm\"",
                    ));
                }
                json(response, |out| write_error_response(self.name(), &message, out))
            }
        }
    }
}

fn status(error: &AdministrationError) -> StatusCode {
    match error {
        AdministrationError::Malformed(_) | AdministrationError::Undeployable { .. } => {
            StatusCode::BAD_REQUEST
        }
        AdministrationError::NotFound(_) => StatusCode::NOT_FOUND,
        AdministrationError::Conflict(_) => StatusCode::CONFLICT,
        AdministrationError::NotAcceptable { .. } => StatusCode::NOT_ACCEPTABLE,
        AdministrationError::State(_) => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// Everything that is wrong, at least the one thing.
fn details(error: &AdministrationError) -> Vec<String> {
    match error {
        AdministrationError::NotAcceptable { details, .. }
        | AdministrationError::Undeployable { details, .. }
            if !details.is_empty() =>
        {
            details.iter().map(|detail| shortened(detail).into_owned()).collect()
        }
        other => vec![shortened(&other.to_string()).into_owned()],
    }
}

fn json(mut response: HttpResponseBuilder, write: impl FnOnce(&mut Vec<u8>)) -> HttpResponse {
    let mut body = Vec::with_capacity(256);
    write(&mut body);
    response.content_type("application/json").body(body)
}

impl From<ApiError> for HttpResponse {
    fn from(error: ApiError) -> Self {
        error.error_response()
    }
}
