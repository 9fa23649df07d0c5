//! Media types: what a body is written in, and what an answer may be written in.

use actix_web::HttpRequest;
use actix_web::http::header::{self, Accept, Header, HeaderValue};
use pdp_onap::tosca::Syntax;

use super::error::ApiError;

/// The media type of a syntax.
pub(crate) const fn media_type(syntax: Syntax) -> &'static str {
    match syntax {
        Syntax::Json => "application/json",
        Syntax::Yaml => "application/yaml",
    }
}

fn syntax(essence: &str) -> Option<Syntax> {
    [Syntax::Json, Syntax::Yaml]
        .into_iter()
        .find(|syntax| essence.eq_ignore_ascii_case(media_type(*syntax)))
}

/// What the body is written in. Without a content type it is JSON.
pub(crate) fn body(request: &HttpRequest) -> Result<Syntax, ApiError> {
    let Some(value) = request.headers().get(header::CONTENT_TYPE) else {
        return Ok(Syntax::Json);
    };
    let text = value.to_str().unwrap_or_default();
    let essence = text.split(';').next().unwrap_or_default().trim();
    syntax(essence).ok_or(ApiError::MediaType)
}

/// What the answer is written in: the type that the client wants most, JSON where it has no wish.
pub(crate) fn answer(request: &HttpRequest) -> Result<Syntax, ApiError> {
    match request.headers().get(header::ACCEPT).map(HeaderValue::as_bytes) {
        None | Some(b"*/*" | b"application/json") => return Ok(Syntax::Json),
        Some(_) => {}
    }
    let accept = Accept::parse(request).map_err(|_| ApiError::NotAcceptable)?;
    let wish = |wanted: Syntax| {
        // The most specific range that covers a type says how much it is wanted.
        accept
            .iter()
            .filter_map(|item| {
                let (range, quality) = (&item.item, item.quality);
                let specific = match (range.type_().as_str(), range.subtype().as_str()) {
                    ("*", _) => 0,
                    ("application", "*") => 1,
                    _ if syntax(range.essence_str()) == Some(wanted) => 2,
                    _ => return None,
                };
                Some((specific, quality))
            })
            .max_by_key(|(specific, _)| *specific)
            .map(|(_, quality)| quality)
            .filter(|quality| *quality > header::Quality::ZERO)
    };
    match (wish(Syntax::Json), wish(Syntax::Yaml)) {
        (None, None) => Err(ApiError::NotAcceptable),
        (json, yaml) if json >= yaml => Ok(Syntax::Json),
        _ => Ok(Syntax::Yaml),
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn the_most_wanted_type_wins() {
        for (accept, expected) in [
            ("application/json", Ok(Syntax::Json)),
            ("application/yaml", Ok(Syntax::Yaml)),
            ("application/*", Ok(Syntax::Json)),
            ("text/html, */*;q=0.1", Ok(Syntax::Json)),
            ("application/json;q=0.5, application/yaml", Ok(Syntax::Yaml)),
            ("application/json;q=0, */*", Ok(Syntax::Yaml)),
            ("text/plain", Err(ApiError::NotAcceptable)),
            ("application/json;q=0", Err(ApiError::NotAcceptable)),
        ] {
            let request =
                TestRequest::default().insert_header(("accept", accept)).to_http_request();
            assert_eq!(answer(&request), expected, "{accept}");
        }
    }

    #[test]
    fn parameters_and_case_of_a_content_type_do_not_count() {
        for (content_type, expected) in [
            ("Application/JSON; charset=utf-8", Ok(Syntax::Json)),
            ("application/yaml", Ok(Syntax::Yaml)),
            ("text/json", Err(ApiError::MediaType)),
            ("application/jsonx", Err(ApiError::MediaType)),
        ] {
            let request = TestRequest::default()
                .insert_header(("content-type", content_type))
                .to_http_request();
            assert_eq!(body(&request), expected, "{content_type}");
        }
    }
}
