//! A service that is started for one test, and what it answers.

use std::borrow::Cow;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;

use super::manifest::{Root, Suite, Test};

const PATIENCE: Duration = Duration::from_secs(60);

/// A service of the test's own.
pub(super) struct Service {
    child: Child,
    address: String,
    _settings: TempDir,
}

impl Service {
    /// Starts a service with the policies and the resource tree of the test.
    ///
    /// # Errors
    /// It does not start.
    pub(super) fn start(suite: &Suite, test: &Test) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("the service cannot be started: {error}");
        let mut command = Command::new(std::env::current_exe().map_err(failed)?);
        command.args(["serve", "--listen", "127.0.0.1:0", "--state", "none", "--quiet"]);
        let settings = tempfile::tempdir().map_err(failed)?;
        let file = settings.path().join("pdp.json");
        let tree = json!({
            "policies": {"paths": []},
            "xacml": {"resources": test.config.resource_hierarchy}
        });
        std::fs::write(&file, tree.to_string()).map_err(failed)?;
        command.arg("--config").arg(file);
        let roots = test.root.as_ref().map_or(&[][..], Root::files);
        let also = roots.iter().filter(|root| !test.policies.contains(root));
        for policy in test.policies.iter().chain(also) {
            command.arg("--policies").arg(suite.path(policy));
        }
        if let [root] = roots {
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
        let service = Self { child, address, _settings: settings };
        if service.address.is_empty() {
            return Err("the service did not start".to_owned());
        }
        Ok(service)
    }

    /// One request and its answer.
    ///
    /// # Errors
    /// The connection fails, or the answer is not HTTP.
    pub(super) fn ask<'h>(
        &self,
        method: &str,
        path: &str,
        headers: impl IntoIterator<Item = (&'h str, &'h str)>,
        body: &[u8],
    ) -> Result<Answer, String> {
        let mut head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n",
            self.address,
            body.len()
        );
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        let failed = |error: std::io::Error| format!("the exchange failed: {error}");
        let mut stream = TcpStream::connect(&self.address).map_err(failed)?;
        stream.set_read_timeout(Some(PATIENCE)).map_err(failed)?;
        stream.write_all((head + "\r\n").as_bytes()).map_err(failed)?;
        // A service that refuses early may close before it has read all.
        let _ = stream.write_all(body);
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
pub(super) struct Answer {
    pub(super) status: u16,
    /// Without parameters.
    pub(super) media_type: String,
    pub(super) body: Vec<u8>,
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

    /// The body, to show.
    pub(super) fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }
}
