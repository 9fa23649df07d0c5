//! Tests that are one HTTP exchange, with a service that is started for it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::manifest::{Exchange, Root, Suite, Test};
use super::{Judged, decision, point, same};
use crate::decide::Wire;

/// The paths that a manifest leaves open.
const PLACES: [(&str, &str); 2] = [("{pdp}", "/policy/pdpx/v1/xacml"), ("{home}", "/")];

const PATIENCE: Duration = Duration::from_secs(60);

/// Starts a service that has the test's policies, and exchanges one request and one answer.
pub(super) fn judge(suite: &Suite, test: &Test) -> Judged {
    if let Some(reason) = decision::lacking(test) {
        return Judged::Skipped(reason);
    }
    exchange(suite, test).into()
}

fn exchange(suite: &Suite, test: &Test) -> Result<(), String> {
    let exchange = test.http.as_ref().ok_or("the test has no exchange")?;
    let service = Service::start(suite, test)?;
    let answer = service.ask(suite, exchange)?;
    let expected = &exchange.expect;
    let mut statuses = expected.status.iter().chain(&expected.status_any_of).peekable();
    if statuses.peek().is_some() && !statuses.any(|status| *status == answer.status) {
        return Err(format!("the answer has status {}: {}", answer.status, answer.text()));
    }
    if let Some(wanted) = &expected.content_type
        && !answer.media_type.eq_ignore_ascii_case(wanted)
    {
        return Err(format!("media type {wanted} expected, {} found", answer.media_type));
    }
    if let Some(file) = &expected.response {
        let wire = if answer.media_type.ends_with("json") { Wire::Json } else { Wire::Xml };
        let wanted = point::response(&point::file(suite, file)?, wire)
            .map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
        let found = point::response(&answer.body, wire)
            .map_err(|error| format!("the answer cannot be read: {error}: {}", answer.text()))?;
        same::responses(&wanted, &found, &test.compare)?;
    }
    match &expected.link_relation {
        Some(relation) if !answer.text().contains(relation.as_str()) => {
            Err(format!("the answer does not name the relation {relation}: {}", answer.text()))
        }
        _ => Ok(()),
    }
}

/// A service of the test's own.
struct Service {
    child: Child,
    address: String,
}

impl Service {
    fn start(suite: &Suite, test: &Test) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("the service cannot be started: {error}");
        let mut command = Command::new(std::env::current_exe().map_err(failed)?);
        command.args(["serve", "--listen", "127.0.0.1:0", "--state", "none", "--quiet"]);
        for policy in &test.policies {
            command.arg("--policies").arg(suite.path(policy));
        }
        if let Some(Root::One(root)) = &test.root {
            command.arg("--root").arg(suite.path(root));
        }
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("PDP_") || name == "CONFIG_FILE" {
                command.env_remove(name);
            }
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(failed)?;
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut line).map_err(failed)?;
        }
        let address = line.split_once("http://").and_then(|(_, rest)| rest.split(' ').next());
        let address = address.unwrap_or_default().to_owned();
        let service = Self { child, address };
        if service.address.is_empty() {
            return Err("the service did not start".to_owned());
        }
        Ok(service)
    }

    fn ask(&self, suite: &Suite, exchange: &Exchange) -> Result<Answer, String> {
        let body = exchange.body.as_deref().map(|name| point::file(suite, name)).transpose()?;
        let body = body.unwrap_or_default();
        let path = PLACES
            .iter()
            .fold(exchange.path.clone(), |path, (open, place)| path.replace(open, place));
        let mut head = format!(
            "{} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n",
            exchange.method,
            self.address,
            body.len()
        );
        for (name, value) in &exchange.headers {
            head += &format!("{name}: {value}\r\n");
        }
        let failed = |error: std::io::Error| format!("the exchange failed: {error}");
        let mut stream = TcpStream::connect(&self.address).map_err(failed)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
        stream.write_all((head + "\r\n").as_bytes()).map_err(failed)?;
        // A service that refuses early may close before it has read all.
        let _ = stream.write_all(&body);
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).map_err(failed)?;
        Answer::of(&bytes).ok_or_else(|| "the answer is not HTTP".to_owned())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What the service answered.
struct Answer {
    status: u16,
    /// Without parameters.
    media_type: String,
    body: Vec<u8>,
}

impl Answer {
    fn of(bytes: &[u8]) -> Option<Self> {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
        let head = std::str::from_utf8(&bytes[..end]).ok()?;
        let mut lines = head.lines();
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let media_type = lines
            .filter_map(|line| line.split_once(':'))
            .find(|(name, _)| name.eq_ignore_ascii_case("content-type"))
            .and_then(|(_, value)| value.split(';').next())
            .unwrap_or_default();
        let media_type = media_type.trim().to_owned();
        Some(Self { status, media_type, body: bytes[end + 4..].to_vec() })
    }

    fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }
}
