//! `pdp healthcheck`: ask a running service whether it is well.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use rustls::pki_types::ServerName;
use rustls::{CertificateError, ClientConfig, ClientConnection, StreamOwned};

use super::print;
use crate::failure::Failure;
use crate::tls;

const EXAMPLES: &str = "\
Examples:
  pdp healthcheck
  pdp healthcheck --url http://127.0.0.1:6969/livez
  pdp healthcheck --url https://pdp.example:6969/readyz --cacert ca.pem

Exit codes: 0 well, 1 not well, 2 wrong command line, 3 cannot connect";

const PATIENCE: Duration = Duration::from_secs(5);

/// Ask a running service whether it is well
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Healthcheck {
    /// What to ask; without a path, whether the service is ready
    #[arg(long, default_value = "http://127.0.0.1:6969/readyz")]
    url: String,
    /// The authorities of an https service, as a PEM file
    #[arg(long, value_name = "FILE")]
    cacert: Option<PathBuf>,
    /// The certificate to show, as a PEM file, where the service asks for one
    #[arg(long, value_name = "FILE", requires = "key")]
    cert: Option<PathBuf>,
    /// Its private key
    #[arg(long, value_name = "FILE", requires = "cert")]
    key: Option<PathBuf>,
}

impl Healthcheck {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        let wrong =
            || Failure::usage("the URL begins with http:// or https:// and a host").at(&self.url);
        let (scheme, rest) = self.url.split_once("://").ok_or_else(wrong)?;
        // The service itself, without a path, is asked whether it is ready.
        let (host, path) = match rest.split_once('/') {
            None | Some((_, "")) => (rest.trim_end_matches('/'), "readyz"),
            Some(parts) => parts,
        };
        let port = match scheme {
            _ if host.is_empty() => return Err(wrong()),
            "http" => 80,
            "https" => 443,
            _ => return Err(wrong()),
        };
        let bare = |host: &str| host.trim_matches(['[', ']']).to_owned();
        let (name, address) = match host.rsplit_once(':') {
            Some((name, digits)) if digits.parse::<u16>().is_ok() => (bare(name), host.to_owned()),
            _ => (bare(host), format!("{host}:{port}")),
        };
        let client = if scheme == "https" { Some(self.client(name)?) } else { None };
        let answer = ask(&address, host, path, client).map_err(|error| {
            let (what, hint) = unanswered(&error);
            Failure::environment(format!("no answer: {what}")).at(&self.url).hint(hint)
        })?;
        let status = answer.split(' ').nth(1).unwrap_or_default();
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        if body.is_empty() {
            print::line(format!("status {status}"))?;
        } else {
            print::line(body)?;
        }
        Ok(if status == "200" { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    /// Our side of a TLS connection to the host `name`.
    fn client(&self, name: String) -> Result<ClientConnection, Failure> {
        let unfit = |error: &dyn std::fmt::Display| {
            Failure::usage(format!("TLS cannot be used: {error}")).at(&self.url)
        };
        let path = self.cacert.as_ref().ok_or_else(|| {
            Failure::usage("https needs to know whom to trust")
                .at(&self.url)
                .hint(
                    "name the certificate of its authority with --cacert FILE; a certificate that nobody but itself has signed is named itself",
                )
        })?;
        let builder = ClientConfig::builder_with_provider(tls::provider())
            .with_safe_default_protocol_versions()
            .map_err(|error| unfit(&error))?
            .with_root_certificates(tls::roots(path)?);
        let config = match (&self.cert, &self.key) {
            (Some(cert), Some(key)) => builder
                .with_client_auth_cert(tls::certificates(cert)?, tls::private_key(key)?)
                .map_err(|error| unfit(&error))?,
            _ => builder.with_no_client_auth(),
        };
        let name = ServerName::try_from(name).map_err(|error| unfit(&error))?;
        ClientConnection::new(Arc::new(config), name).map_err(|error| unfit(&error))
    }
}

/// What went wrong, and what to do about it.
fn unanswered(error: &std::io::Error) -> (String, &'static str) {
    let said = error.to_string();
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match inner {
        Some(rustls::Error::InvalidCertificate(why)) => unfit(why, said),
        Some(rustls::Error::AlertReceived(_)) => (
            said,
            "the service refuses the connection: where it asks for a certificate, show one with --cert FILE and --key FILE, signed by an authority of its setting server.tls.client_ca",
        ),
        Some(rustls::Error::InvalidMessage(_)) => (
            "what listens there does not speak TLS".to_owned(),
            "ask with http:// where the service has no certificate (server.tls)",
        ),
        _ => (said, "is the service running, on this address, and with http or https as you say?"),
    }
}

/// Why the certificate that the service shows is not trusted.
fn unfit(why: &CertificateError, said: String) -> (String, &'static str) {
    match why {
        CertificateError::UnknownIssuer => (
            "no authority of --cacert has signed the certificate that the service shows".to_owned(),
            "name the certificate of the authority that has with --cacert FILE; a certificate that nobody but itself has signed (server.tls.cert) is named itself",
        ),
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            (said, "ask by a name or address that the certificate holds, or have one made with this one")
        }
        CertificateError::Expired
        | CertificateError::ExpiredContext { .. }
        | CertificateError::NotValidYet
        | CertificateError::NotValidYetContext { .. } => (
            said,
            "renew the certificate (server.tls.cert; the service takes a renewed one by itself), or set the clock",
        ),
        // The library has no variant for it.
        other if format!("{other:?}").contains("CaUsedAsEndEntity") => (
            "the certificate that the service shows (server.tls.cert) is that of an authority, and none of a service"
                .to_owned(),
            "sign a certificate for the service with this authority, which --cacert FILE goes on to name; or make the self-signed one without authority, for instance with `openssl req -x509 -addext basicConstraints=critical,CA:FALSE`, and name it with --cacert FILE",
        ),
        _ => (said, "the service's certificate (server.tls.cert) cannot be trusted as it is"),
    }
}

/// One request over HTTP/1.0, whose answer ends with the connection.
fn ask(
    address: &str,
    host: &str,
    path: &str,
    client: Option<ClientConnection>,
) -> std::io::Result<String> {
    let address = address
        .to_socket_addrs()?
        .next()
        .ok_or_else(|| std::io::Error::other("the host has no address"))?;
    let stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = format!("GET /{path} HTTP/1.0\r\nHost: {host}\r\n\r\n");
    match client {
        None => exchange(stream, &request),
        Some(client) => exchange(StreamOwned::new(client, stream), &request),
    }
}

fn exchange(mut stream: impl Read + Write, request: &str) -> std::io::Result<String> {
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    match stream.take(1 << 20).read_to_end(&mut answer) {
        // Closing without a farewell is usual; the answer is there.
        Err(error) if error.kind() != ErrorKind::UnexpectedEof || answer.is_empty() => Err(error),
        _ => Ok(String::from_utf8_lossy(&answer).into_owned()),
    }
}
