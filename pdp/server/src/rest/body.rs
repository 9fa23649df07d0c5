//! Request bodies, read up to a limit.

use std::time::Duration;

use actix_web::HttpRequest;
use actix_web::http::header;
use actix_web::web::Payload;
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;
use tokio::time;

use super::error::ApiError;
use crate::rest::Worker;

/// Reads the whole body.
///
/// # Errors
/// It is empty, larger than `limit`, ends early, or takes longer than the service waits.
pub(crate) async fn read(
    request: &HttpRequest,
    mut payload: Payload,
    limit: usize,
) -> Result<Bytes, ApiError> {
    let announced = request
        .headers()
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.parse::<usize>().ok());
    if announced.is_some_and(|length| length > limit) {
        return Err(ApiError::TooLarge { limit });
    }
    // Nearly every body arrives in one piece and needs no copy.
    let mut first = Bytes::new();
    let mut whole = BytesMut::new();
    let patience = Worker::of(request).app.config.server.body_timeout;
    let deadline = time::Instant::now() + patience.get();
    loop {
        let chunk = match time::timeout_at(deadline, payload.next()).await {
            Ok(Some(chunk)) => chunk,
            Ok(None) => break,
            Err(_) => {
                keep(payload);
                return Err(ApiError::Late { patience });
            }
        };
        let chunk = chunk.map_err(|error| ApiError::Unreadable { message: error.to_string() })?;
        if first.len() + whole.len() + chunk.len() > limit {
            return Err(ApiError::TooLarge { limit });
        }
        if first.is_empty() && whole.is_empty() {
            first = chunk;
        } else {
            if whole.is_empty() {
                whole.reserve(announced.unwrap_or(first.len() + chunk.len()));
                whole.extend_from_slice(&std::mem::take(&mut first));
            }
            whole.extend_from_slice(&chunk);
        }
    }
    let body = if whole.is_empty() { first } else { whole.freeze() };
    if body.iter().all(u8::is_ascii_whitespace) { Err(ApiError::Empty) } else { Ok(body) }
}

/// Keeps what is left of a body until the answer is out. The HTTP layer would wait for the end of a
/// body that nobody holds; one that is held and unread closes the connection.
fn keep(payload: Payload) {
    actix_web::rt::spawn(async move {
        time::sleep(Duration::from_secs(1)).await;
        drop(payload);
    });
}
