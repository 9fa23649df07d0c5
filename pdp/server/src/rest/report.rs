//! Reports in the syntax that was asked for.

use actix_web::HttpResponse;
use pdp_onap::tosca::Syntax;
use serde::Serialize;

use super::error::ApiError;
use super::negotiate::Type;

/// A 200 with `report` as its body.
pub(super) fn write(
    (media_type, syntax): Type<Syntax>,
    report: &impl Serialize,
) -> Result<HttpResponse, ApiError> {
    let fault = |error: String| {
        tracing::error!("a report could not be written: {error}");
        ApiError::Internal
    };
    let body = match syntax {
        Syntax::Json => serde_json::to_vec(report).map_err(|error| fault(error.to_string()))?,
        Syntax::Yaml => {
            serde_saphyr::to_string(report).map_err(|error| fault(error.to_string()))?.into_bytes()
        }
    };
    Ok(HttpResponse::Ok().content_type(media_type).body(body))
}
