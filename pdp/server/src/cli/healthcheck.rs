//! `pdp healthcheck`: ask a running service whether it is well.

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::print;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  pdp healthcheck
  pdp healthcheck --url http://127.0.0.1:6969/livez

Exit codes: 0 well, 1 not well, 2 wrong command line, 3 cannot connect";

const PATIENCE: Duration = Duration::from_secs(5);

/// Ask a running service whether it is well
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Healthcheck {
    /// What to ask
    #[arg(long, default_value = "http://127.0.0.1:6969/readyz")]
    url: String,
}

impl Healthcheck {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        let (host, path) = self
            .url
            .strip_prefix("http://")
            .map(|rest| rest.split_once('/').unwrap_or((rest, "")))
            .filter(|(host, _)| !host.is_empty())
            .ok_or_else(|| {
                Failure::usage("the URL begins with http:// and a host").at(&self.url)
            })?;
        let address = if host.contains(':') { host.to_owned() } else { format!("{host}:80") };
        let answer = ask(&address, host, path).map_err(|error| {
            Failure::environment(format!("no answer: {error}"))
                .at(&self.url)
                .hint("is the service running, and on this address?")
        })?;
        let status = answer.split(' ').nth(1).unwrap_or_default();
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        print::line(body)?;
        Ok(if status == "200" { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// One request over HTTP/1.0, whose answer ends with the connection.
fn ask(address: &str, host: &str, path: &str) -> std::io::Result<String> {
    let address = address
        .to_socket_addrs()?
        .next()
        .ok_or_else(|| std::io::Error::other("the host has no address"))?;
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    write!(stream, "GET /{path} HTTP/1.0\r\nHost: {host}\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.take(1 << 20).read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
