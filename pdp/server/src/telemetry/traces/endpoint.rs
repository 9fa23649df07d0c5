//! Where the collector is: `tracing.otlp_endpoint`, or what OpenTelemetry's variables name.

use std::net::Ipv6Addr;

use actix_web::http::Uri;
use rustls::pki_types::ServerName;

use crate::failure::Failure;

/// Below an address without a path, OTLP over HTTP takes spans here.
const PATH: &str = "/v1/traces";
pub(super) const SETTING: &str = "setting tracing.otlp_endpoint";
const EXAMPLE: &str =
    "give the collector's address for OTLP over HTTP, such as http://127.0.0.1:4318";

/// The collector's address in its parts.
#[derive(Debug)]
pub(super) struct Endpoint {
    /// TLS is spoken.
    pub(super) secure: bool,
    /// Who is there, as its certificate names it.
    pub(super) name: ServerName<'static>,
    /// As the `Host` header has it.
    pub(super) host: String,
    /// Host and port to connect to.
    pub(super) address: String,
    /// What is asked for there, from the slash on.
    pub(super) path: String,
}

impl Endpoint {
    /// Reads an address such as `http://collector:4318`.
    ///
    /// # Errors
    /// It is none that can be used, whether or not somebody answers there.
    pub(super) fn of(url: &str) -> Result<Self, Failure> {
        let wrong =
            |what: String| Failure::usage(what).at(format!("{SETTING}: {url}")).hint(EXAMPLE);
        let (_, rest) = url
            .split_once("://")
            .ok_or_else(|| wrong("the collector's address has no scheme".into()))?;
        if rest.split(['/', '?', '#']).next().is_some_and(|host| host.contains('@')) {
            // The address is not repeated: a password stands in it.
            return Err(Failure::usage("the collector's address has credentials in it")
                .at(SETTING)
                .hint(
                    "send them by tracing.headers, such as `Authorization=Basic%20dXNlcjpwYXNz`",
                ));
        }
        let uri = url
            .parse::<Uri>()
            .map_err(|error| wrong(format!("the collector's address is none: {error}")))?;
        let (secure, usual) = match uri.scheme_str() {
            Some("http") => (false, 80),
            Some("https") => (true, 443),
            _ => {
                return Err(wrong(
                    "the collector's address begins with http:// or https://".into(),
                ));
            }
        };
        let host = uri.authority().map_or("", |authority| authority.as_str());
        let named = uri.host().unwrap_or_default();
        let port = match host.strip_prefix(named).and_then(|rest| rest.strip_prefix(':')) {
            None => usual,
            Some(digits) => port_of(digits).ok_or_else(|| {
                wrong(format!("`{digits}` is no port: a port is a number from 1 to 65535"))
            })?,
        };
        let name = server_name(named)
            .ok_or_else(|| wrong(format!("`{named}` is no host: expected a name or an address")))?;
        let path = match uri.path() {
            "" | "/" => PATH,
            path => path,
        };
        let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        Ok(Self {
            secure,
            name,
            host: host.to_owned(),
            address: format!("{named}:{port}"),
            path: format!("{path}{query}"),
        })
    }
}

fn port_of(digits: &str) -> Option<u16> {
    // A sign would do for a number.
    let plain = digits.bytes().all(|digit| digit.is_ascii_digit());
    digits.parse().ok().filter(|port| plain && *port > 0)
}

/// A name, an IPv4 address, or an IPv6 address in brackets.
fn server_name(host: &str) -> Option<ServerName<'static>> {
    let bare = match host.strip_prefix('[') {
        None => host,
        Some(rest) => rest.strip_suffix(']').filter(|bare| bare.parse::<Ipv6Addr>().is_ok())?,
    };
    ServerName::try_from(bare.to_owned()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_collectors() {
        for (url, host, address, path) in [
            ("http://127.0.0.1:4318", "127.0.0.1:4318", "127.0.0.1:4318", "/v1/traces"),
            ("http://collector:4318/", "collector:4318", "collector:4318", "/v1/traces"),
            ("http://c_1.ns.svc/otlp/v1/traces", "c_1.ns.svc", "c_1.ns.svc:80", "/otlp/v1/traces"),
            ("https://collector", "collector", "collector:443", "/v1/traces"),
            ("HTTP://collector?key=1", "collector", "collector:80", "/v1/traces?key=1"),
            ("http://[::1]:65535/a@b", "[::1]:65535", "[::1]:65535", "/a@b"),
            ("http://[::1]", "[::1]", "[::1]:80", "/v1/traces"),
        ] {
            let endpoint = Endpoint::of(url).expect(url);
            let found = [&endpoint.host, &endpoint.address, &endpoint.path];
            assert_eq!(found, [host, address, path], "{url}");
            assert_eq!(endpoint.secure, url.starts_with("https"), "{url}");
        }
    }

    #[test]
    fn what_is_no_address_is_told_with_what_is_wrong() {
        for (url, says) in [
            ("collector:4318", "no scheme"),
            ("grpc://collector:4317", "begins with http"),
            ("http://", "is none"),
            ("http://a b:4318", "is none"),
            ("http://:4318", "`` is no host"),
            ("http://collector:", "`` is no port"),
            ("http://collector:0", "`0` is no port"),
            ("http://collector:65536", "`65536` is no port"),
            ("http://collector:+80", "`+80` is no port"),
            ("http://collector:http", "`http` is no port"),
            ("http://collector:4318:4318", "is none"),
            ("http://127.0.0.256:4318", "`127.0.0.256` is no host"),
            ("http://-collector", "`-collector` is no host"),
            ("http://a..b", "`a..b` is no host"),
            ("http://::1:4318", "is none"),
            ("http://[localhost]:4318", "`[localhost]` is no host"),
            ("http://user:secret@collector", "credentials"),
        ] {
            let failure = Endpoint::of(url).expect_err(url);
            assert!(failure.what.contains(says), "{url}: {failure}");
            assert!(failure.hint.is_some() && !failure.to_string().contains("secret"), "{failure}");
        }
    }
}
