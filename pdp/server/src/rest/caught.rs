//! A panic while a request is answered is that request's trouble alone.

use std::panic::AssertUnwindSafe;

use actix_web::HttpResponse;
use futures_util::FutureExt;

use super::error::ApiError;

/// Answers, or says that the program is at fault. The panic itself is logged by the hook.
///
/// What an unwound request leaves behind is its working memory, which every decision begins by
/// clearing, and counters, which are whole numbers.
pub(super) async fn caught(
    answer: impl Future<Output = Result<HttpResponse, ApiError>>,
) -> Result<HttpResponse, ApiError> {
    AssertUnwindSafe(answer).catch_unwind().await.unwrap_or_else(|_| {
        tracing::error!("a request was abandoned: it is answered with 500");
        Err(ApiError::Internal)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[actix_web::test]
    async fn a_panic_is_an_internal_error() {
        let answer = caught(async { panic!("on purpose") }).await;
        assert_eq!(answer.err(), Some(ApiError::Internal));
    }
}
