//! Media types: what a body is written in, and what an answer may be written in.

use std::borrow::Cow;

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

/// Character sets that bodies are read in: ASCII is UTF-8, and XML says itself when it is UTF-16.
const CHARSETS: [&str; 4] = ["utf-8", "utf8", "us-ascii", "ascii"];
const XML_CHARSETS: [&str; 3] = ["utf-16", "utf-16le", "utf-16be"];

/// The type that the body is written in; without a content type the first of `types`. Parameters other
/// than the character set do not count. A body that is compressed is not read.
pub(super) fn body<T: Copy>(request: &HttpRequest, types: &[Type<T>]) -> Result<Type<T>, ApiError> {
    plain(request)?;
    let Some(value) = request.headers().get(header::CONTENT_TYPE) else {
        return Ok(types[0]);
    };
    let text = value.to_str().unwrap_or_default();
    let mut parts = text.split(';').map(str::trim);
    let essence = parts.next().unwrap_or_default();
    let found = types
        .iter()
        .find(|(name, _)| essence.eq_ignore_ascii_case(name))
        .ok_or_else(|| ApiError::MediaType { known: names(types) })?;
    let xml = found.0.ends_with("xml");
    let charset = parts
        .filter_map(|part| part.split_once('='))
        .find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))
        .map(|(_, value)| value.trim().trim_matches('"'));
    let among = |known: &[&str], charset: &str| known.iter().any(|name| is(name, charset));
    match charset {
        None => Ok(*found),
        Some(name) if among(&CHARSETS, name) || (xml && among(&XML_CHARSETS, name)) => Ok(*found),
        Some(name) => Err(ApiError::Charset { charset: name.to_owned() }),
    }
}

/// Refuses a body that is encoded: it would be read as it comes.
fn plain(request: &HttpRequest) -> Result<(), ApiError> {
    let given = request.headers().get_all(header::CONTENT_ENCODING);
    let encodings: Vec<Cow<'_, str>> =
        given.map(|value| String::from_utf8_lossy(value.as_bytes())).collect();
    let all = encodings.iter().flat_map(|encodings| encodings.split(',')).map(str::trim);
    let odd: Vec<&str> = all.filter(|one| !one.is_empty() && !is(one, "identity")).collect();
    if odd.is_empty() { Ok(()) } else { Err(ApiError::Encoding { encoding: odd.join(", ") }) }
}

/// What the answer is written in: the type that the client wants most, the first where it has no wish.
pub(super) fn answer<T: Copy>(
    request: &HttpRequest,
    types: &[Type<T>],
) -> Result<Type<T>, ApiError> {
    answer_or(request, types, types[0])
}

/// The same, with the type that is given where the client has no wish, or wants several as much.
pub(super) fn answer_or<T: Copy>(
    request: &HttpRequest,
    types: &[Type<T>],
    unasked: Type<T>,
) -> Result<Type<T>, ApiError> {
    match request.headers().get(header::ACCEPT).map(HeaderValue::as_bytes) {
        None | Some(b"*/*") => return Ok(unasked),
        Some(one) if one == unasked.0.as_bytes() => return Ok(unasked),
        Some(_) => {}
    }
    let refused = || ApiError::NotAcceptable { known: names(types) };
    let accept = Accept::parse(request).map_err(|_| refused())?;
    // A header without a value is one without a wish.
    if accept.is_empty() {
        return Ok(unasked);
    }
    let mut best: Option<(Quality, Type<T>)> = None;
    for candidate in std::iter::once(&unasked).chain(types) {
        let wanted = wish(&accept, candidate.0);
        // The earlier one stays where both are wanted as much.
        if wanted > Quality::ZERO && best.is_none_or(|(quality, _)| wanted > quality) {
            best = Some((wanted, *candidate));
        }
    }
    best.map(|(_, chosen)| chosen).ok_or_else(refused)
}

/// How much a type is wanted: the most specific range that covers it says. Parameters of the range do
/// not count.
fn wish(accept: &Accept, name: &str) -> Quality {
    accept
        .iter()
        .filter_map(|item| {
            let (range, quality) = (&item.item, item.quality);
            let specific = match (range.type_().as_str(), range.subtype().as_str()) {
                ("*", _) => 0,
                ("application", "*") => 1,
                _ if is(range.essence_str(), name) => 2,
                _ => return None,
            };
            Some((specific, quality))
        })
        .max_by_key(|(specific, _)| *specific)
        .map_or(Quality::ZERO, |(_, quality)| quality)
}

fn is(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
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
            ("", json),
            ("text/plain", None),
            ("application/json;q=0", None),
        ] {
            assert_eq!(accepted(accept, ONAP), expected, "{accept}");
        }
        for (accept, expected) in [
            ("*/*", "application/xacml+json"),
            ("application/xacml+xml", "application/xacml+xml"),
            ("application/xacml+xml; version=3.0; charset=utf-8", "application/xacml+xml"),
            ("application/xml;q=0.9, application/json;q=0.8", "application/xml"),
            ("Application/XML;q=0.2, text/html", "application/xml"),
        ] {
            assert_eq!(accepted(accept, XACML), Some(expected), "{accept}");
        }
    }

    #[test]
    fn who_wants_anything_gets_what_is_usual() {
        let wanting = |accept| {
            let request =
                TestRequest::default().insert_header(("accept", accept)).to_http_request();
            answer_or(&request, XACML, XACML[3]).ok().map(|(name, _)| name)
        };
        for accept in ["*/*", "", "application/*", "text/html, */*;q=0.1", "application/xml"] {
            assert_eq!(wanting(accept), Some("application/xml"), "{accept}");
        }
        assert_eq!(wanting("application/xacml+json"), Some("application/xacml+json"));
    }

    #[test]
    fn parameters_and_case_of_a_content_type_do_not_count() {
        for (content_type, expected) in [
            ("Application/JSON; charset=utf-8", Some(Syntax::Json)),
            ("application/yaml", Some(Syntax::Yaml)),
            ("application/yaml; version=1.1;charset=\"UTF-8\"", Some(Syntax::Yaml)),
            ("application/json; charset=utf-16", None),
            ("text/json", None),
            ("application/jsonx", None),
        ] {
            let request = TestRequest::default()
                .insert_header(("content-type", content_type))
                .to_http_request();
            let found = body(&request, ONAP).ok().map(|(_, syntax)| syntax);
            assert_eq!(found, expected, "{content_type}");
        }
    }

    #[test]
    fn a_body_is_read_as_it_is_or_not_at_all() {
        for (encodings, odd) in [
            (vec![], None),
            (vec!["identity"], None),
            (vec!["", " Identity , identity"], None),
            (vec!["gzip"], Some("gzip")),
            (vec!["identity, GZIP", "br"], Some("GZIP, br")),
        ] {
            let mut request = TestRequest::default();
            for encoding in &encodings {
                request = request.append_header(("content-encoding", *encoding));
            }
            let refused = body(&request.to_http_request(), ONAP).err();
            let expected = odd.map(|odd| ApiError::Encoding { encoding: odd.to_owned() });
            assert_eq!(refused, expected, "{encodings:?}");
        }
    }

    #[test]
    fn xml_may_be_utf_16_and_nothing_else_beside_utf_8() {
        for (charset, fine) in [("utf-8", true), ("UTF-16", true), ("iso-8859-1", false)] {
            let content_type = format!("application/xacml+xml; version=3.0; charset={charset}");
            let request = TestRequest::default()
                .insert_header(("content-type", content_type))
                .to_http_request();
            assert_eq!(body(&request, XACML).is_ok(), fine, "{charset}");
        }
    }
}
