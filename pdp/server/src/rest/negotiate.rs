//! Media types: what a body is written in, and what an answer may be written in.

use actix_web::HttpRequest;
use actix_web::http::header::{self, Accept, Header, HeaderValue, Quality};
use pdp_onap::tosca::Syntax;

use super::error::ApiError;
use crate::decide::Wire;

/// A media type and what it stands for. Of a list the first is the one that is given unasked.
pub(super) type Type<T> = (&'static str, T);

/// ONAP's decisions and reports.
pub(super) const ONAP: &[Type<Syntax>] =
    &[("application/json", Syntax::Json), ("application/yaml", Syntax::Yaml)];

/// XACML requests and responses.
pub(super) const XACML: &[Type<Wire>] = &[
    ("application/xacml+json", Wire::Json),
    ("application/xacml+xml", Wire::Xml),
    ("application/json", Wire::Json),
    ("application/xml", Wire::Xml),
];

/// What the body is written in; without a content type as the first of `types`.
pub(super) fn body<T: Copy>(request: &HttpRequest, types: &[Type<T>]) -> Result<T, ApiError> {
    let Some(value) = request.headers().get(header::CONTENT_TYPE) else {
        return Ok(types[0].1);
    };
    let text = value.to_str().unwrap_or_default();
    let essence = text.split(';').next().unwrap_or_default().trim();
    types
        .iter()
        .find(|(name, _)| essence.eq_ignore_ascii_case(name))
        .map(|(_, kind)| *kind)
        .ok_or_else(|| ApiError::MediaType { known: names(types) })
}

/// What the answer is written in: the type that the client wants most, the first where it has no wish.
pub(super) fn answer<T: Copy>(
    request: &HttpRequest,
    types: &[Type<T>],
) -> Result<Type<T>, ApiError> {
    match request.headers().get(header::ACCEPT).map(HeaderValue::as_bytes) {
        None | Some(b"*/*") => return Ok(types[0]),
        Some(one) if one == types[0].0.as_bytes() => return Ok(types[0]),
        Some(_) => {}
    }
    let refused = || ApiError::NotAcceptable { known: names(types) };
    let accept = Accept::parse(request).map_err(|_| refused())?;
    let mut best: Option<(Quality, Type<T>)> = None;
    for candidate in types {
        let wanted = wish(&accept, candidate.0);
        // The earlier one stays where both are wanted as much.
        if wanted > Quality::ZERO && best.is_none_or(|(quality, _)| wanted > quality) {
            best = Some((wanted, *candidate));
        }
    }
    best.map(|(_, chosen)| chosen).ok_or_else(refused)
}

/// How much a type is wanted: the most specific range that covers it says.
fn wish(accept: &Accept, name: &str) -> Quality {
    accept
        .iter()
        .filter_map(|item| {
            let (range, quality) = (&item.item, item.quality);
            let specific = match (range.type_().as_str(), range.subtype().as_str()) {
                ("*", _) => 0,
                ("application", "*") => 1,
                _ if range.essence_str().eq_ignore_ascii_case(name) => 2,
                _ => return None,
            };
            Some((specific, quality))
        })
        .max_by_key(|(specific, _)| *specific)
        .map_or(Quality::ZERO, |(_, quality)| quality)
}

fn names<T>(types: &[Type<T>]) -> String {
    types.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn accepted<T: Copy>(accept: &str, types: &[Type<T>]) -> Option<&'static str> {
        let request = TestRequest::default().insert_header(("accept", accept)).to_http_request();
        answer(&request, types).ok().map(|(name, _)| name)
    }

    #[test]
    fn the_most_wanted_type_wins() {
        let (json, yaml) = (Some("application/json"), Some("application/yaml"));
        for (accept, expected) in [
            ("application/json", json),
            ("application/yaml", yaml),
            ("application/*", json),
            ("text/html, */*;q=0.1", json),
            ("application/json;q=0.5, application/yaml", yaml),
            ("application/json;q=0, */*", yaml),
            ("text/plain", None),
            ("application/json;q=0", None),
        ] {
            assert_eq!(accepted(accept, ONAP), expected, "{accept}");
        }
        for (accept, expected) in [
            ("*/*", "application/xacml+json"),
            ("application/xacml+xml", "application/xacml+xml"),
            ("application/xml;q=0.9, application/json;q=0.8", "application/xml"),
        ] {
            assert_eq!(accepted(accept, XACML), Some(expected), "{accept}");
        }
    }

    #[test]
    fn parameters_and_case_of_a_content_type_do_not_count() {
        for (content_type, expected) in [
            ("Application/JSON; charset=utf-8", Some(Syntax::Json)),
            ("application/yaml", Some(Syntax::Yaml)),
            ("text/json", None),
            ("application/jsonx", None),
        ] {
            let request = TestRequest::default()
                .insert_header(("content-type", content_type))
                .to_http_request();
            assert_eq!(body(&request, ONAP).ok(), expected, "{content_type}");
        }
    }
}
