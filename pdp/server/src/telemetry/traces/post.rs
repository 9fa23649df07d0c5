//! One POST to the collector at a time.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use rustls::{ClientConfig, ClientConnection, StreamOwned};

use super::endpoint::{self, Endpoint};
use super::headers;
use crate::config::{self, Secret};
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
    endpoint: Endpoint,
    /// Lines of the head that it wants.
    headers: Secret,
    /// How it is spoken to over https.
    tls: Option<Arc<ClientConfig>>,
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
    /// The one at `url`.
    ///
    /// # Errors
    /// It is no address, or TLS or headers cannot be used as they are set.
    pub(super) fn of(url: &str, setting: &config::Tracing) -> Result<Self, Failure> {
        let endpoint = Endpoint::of(url)?;
        let tls = if endpoint.secure { Some(secure(setting)?) } else { None };
        let headers =
            setting.headers.as_ref().map_or_else(|| Ok(Secret::default()), headers::lines)?;
        Ok(Self { url: url.into(), endpoint, headers, tls })
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
        let mut addresses = self.endpoint.address.to_socket_addrs()?;
        let address =
            addresses.next().ok_or_else(|| io::Error::other("the host has no address"))?;
        let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        let head = format!(
            "POST {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             {}Content-Length: {}\r\n\r\n",
            self.endpoint.path,
            self.endpoint.host,
            self.headers.reveal(),
            body.len()
        );
        let request = [head.as_bytes(), body].concat();
        match &self.tls {
            None => answer(stream, &request),
            Some(config) => {
                let name = self.endpoint.name.clone();
                let client =
                    ClientConnection::new(Arc::clone(config), name).map_err(io::Error::other)?;
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

fn secure(setting: &config::Tracing) -> Result<Arc<ClientConfig>, Failure> {
    let authority = setting.ca.as_deref().ok_or_else(|| {
        Failure::usage("https needs to know whom to trust").at("setting tracing.ca").hint(
            "tracing.ca, or OTEL_EXPORTER_OTLP_CERTIFICATE, names a PEM file with the authority of the \
             collector's certificate",
        )
    })?;
    let roots = tls::roots(authority).map_err(|failure| failure.named_by("tracing.ca"))?;
    let config = ClientConfig::builder_with_provider(tls::provider())
        .with_safe_default_protocol_versions()
        .map_err(|error| {
            Failure::usage(format!("TLS cannot be used: {error}")).at(endpoint::SETTING)
        })?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}
