//! One POST to the collector at a time.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};

use crate::failure::Failure;
use crate::tls;

/// How long the collector may take for each step.
const PATIENCE: Duration = Duration::from_secs(5);
/// The longest answer that is read.
const LONGEST: u64 = 64 << 10;

/// Where spans are sent to.
#[derive(Debug)]
pub(super) struct Collector {
    url: String,
    /// As the `Host` header has it.
    host: String,
    /// Host and port to connect to.
    address: String,
    path: String,
    tls: Option<(Arc<ClientConfig>, ServerName<'static>)>,
}

/// Why spans were not taken.
#[derive(Debug)]
pub(super) enum Refusal {
    /// It may take them later.
    ForNow(String),
    /// It never will.
    ForGood(String),
}

impl Collector {
    /// Reads an address such as `http://collector:4318`, to which OTLP's own path is added unless it
    /// has one.
    ///
    /// # Errors
    /// It is none, or TLS cannot be used.
    pub(super) fn of(url: &str, authority: Option<&Path>) -> Result<Self, Failure> {
        let wrong = |what: &str| {
            Failure::usage(what).at("setting tracing.otlp_endpoint").hint(
                "give the collector's address for OTLP over HTTP, such as http://127.0.0.1:4318",
            )
        };
        let (scheme, rest) =
            url.split_once("://").ok_or_else(|| wrong("the collector's address has no scheme"))?;
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let port = match scheme {
            "http" => 80,
            "https" => 443,
            _ => return Err(wrong("the collector's address begins with http:// or https://")),
        };
        let unfit = |part: &str| part.chars().any(|c| c.is_whitespace() || c.is_control());
        if host.is_empty() || host.contains('@') || unfit(rest) {
            return Err(wrong("the collector's address names no host that can be used"));
        }
        let (name, address) = match host.rsplit_once(':') {
            Some((name, digits)) if digits.parse::<u16>().is_ok() => (name, host.to_owned()),
            _ => (host, format!("{host}:{port}")),
        };
        let path = if path.is_empty() { "v1/traces" } else { path };
        let tls = match scheme {
            "https" => Some(secure(name.trim_matches(['[', ']']), authority)?),
            _ => None,
        };
        Ok(Self { url: url.into(), host: host.into(), address, path: format!("/{path}"), tls })
    }

    /// Its address, for messages.
    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// Sends one body.
    ///
    /// # Errors
    /// It was not taken.
    pub(super) fn post(&self, body: &[u8]) -> Result<(), Refusal> {
        let answer = self.exchange(body).map_err(|error| Refusal::ForNow(error.to_string()))?;
        let status = answer.split(' ').nth(1).and_then(|code| code.parse::<u16>().ok());
        match status {
            Some(200..=299) => Ok(()),
            // Those that the protocol says may be tried again.
            Some(code @ (429 | 502 | 503 | 504)) => {
                Err(Refusal::ForNow(format!("it answers {code}")))
            }
            Some(code) => Err(Refusal::ForGood(format!("it answers {code}"))),
            None => Err(Refusal::ForGood("it does not answer in HTTP".into())),
        }
    }

    fn exchange(&self, body: &[u8]) -> io::Result<String> {
        let mut addresses = self.address.to_socket_addrs()?;
        let address =
            addresses.next().ok_or_else(|| io::Error::other("the host has no address"))?;
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        let head = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n",
            self.path,
            self.host,
            body.len()
        );
        let request = [head.as_bytes(), body].concat();
        match &self.tls {
            None => answer(stream, &request),
            Some((config, name)) => {
                let client = ClientConnection::new(Arc::clone(config), name.clone())
                    .map_err(io::Error::other)?;
                answer(StreamOwned::new(client, stream), &request)
            }
        }
    }
}

fn answer(mut stream: impl Read + Write, request: &[u8]) -> io::Result<String> {
    stream.write_all(request)?;
    stream.flush()?;
    let mut answer = Vec::new();
    match stream.take(LONGEST).read_to_end(&mut answer) {
        // Closing without a farewell is usual; the answer is there.
        Err(error) if error.kind() != ErrorKind::UnexpectedEof || answer.is_empty() => Err(error),
        _ => Ok(String::from_utf8_lossy(&answer).into_owned()),
    }
}

fn secure(
    name: &str,
    authority: Option<&Path>,
) -> Result<(Arc<ClientConfig>, ServerName<'static>), Failure> {
    let unfit = |error: &dyn std::fmt::Display| {
        Failure::usage(format!("TLS cannot be used: {error}")).at("setting tracing.otlp_endpoint")
    };
    let authority = authority.ok_or_else(|| {
        Failure::usage("https needs to know whom to trust")
            .at("setting tracing.ca")
            .hint("tracing.ca names a PEM file with the authority of the collector's certificate")
    })?;
    let config = ClientConfig::builder_with_provider(tls::provider())
        .with_safe_default_protocol_versions()
        .map_err(|error| unfit(&error))?
        .with_root_certificates(tls::roots(authority)?)
        .with_no_client_auth();
    let name = ServerName::try_from(name.to_owned()).map_err(|error| unfit(&error))?;
    Ok((Arc::new(config), name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_collectors() {
        for (url, address, path) in [
            ("http://127.0.0.1:4318", "127.0.0.1:4318", "/v1/traces"),
            ("http://collector:4318/", "collector:4318", "/v1/traces"),
            ("http://collector/otlp/v1/traces", "collector:80", "/otlp/v1/traces"),
            ("http://[::1]:4318", "[::1]:4318", "/v1/traces"),
        ] {
            let collector = Collector::of(url, None).expect(url);
            assert_eq!((collector.address.as_str(), collector.path.as_str()), (address, path));
        }
        for url in [
            "collector:4318",
            "grpc://collector",
            "http://",
            "http://a b",
            "https://collector",
            "http://u@c",
        ] {
            assert!(Collector::of(url, None).is_err(), "{url}");
        }
    }
}
