//! Cases that are requests on the wire.

use std::fmt::Write;
use std::fs;

use serde_json::{Value, json};

use crate::case::{Case, Outcome};
use crate::support::{DECISION, Folder, OPERATIONS, Reply, Server, XACML};
use crate::{expect, inside, policies};

/// `admin:secret`
const BASIC: &str = "Basic YWRtaW46c2VjcmV0";

pub fn run(case: &Case) -> Outcome {
    if let Some(key) = expect::unknown(&case.json["expect"]) {
        return Outcome::Skipped(format!("the expectation `{key}` is not understood"));
    }
    ask(case).into()
}

fn ask(case: &Case) -> Result<(), String> {
    let folder = policies::write(case)?;
    let folder_text = folder.text();
    let mut variables = Vec::new();
    let auth = case.json["state"]["authConfigured"] == json!(true);
    if auth {
        variables.extend([("PDP_AUTH__USER", "admin"), ("PDP_AUTH__PASSWORD", "secret")]);
    }
    if case.json["expect"]["json"]["totalPolicyTypesCount"] == json!(0) {
        // Only a service without applications reports no types.
        let all = "monitoring,naming,match,optimization,guard,native";
        variables.push(("PDP_APPLICATIONS__EXCLUDE", all));
    }
    let arguments =
        ["serve", "--policies", &folder_text, "--listen", "127.0.0.1:0", "--state", "none"];
    let server = Server::spawn(&arguments, &variables);
    record(case, &server)?;
    let reply = send(case, &server, auth)?;
    expect::check_with(&case.json["expect"], &reply, &asked(case)).map_err(|reason| {
        let problems: Vec<String> =
            server.log().lines().filter(|line| line.contains("error")).map(str::to_owned).collect();
        format!("{reason}; answer {} {}; log: {}", reply.status, reply.body, problems.join(" | "))
    })
}

/// The request as JSON, where it is.
fn asked(case: &Case) -> Value {
    serde_json::from_str(&body(case).unwrap_or_default()).unwrap_or_default()
}

/// What a request that cannot be read is answered.
pub fn error_mapping(case: &Case) -> Outcome {
    if case.json["input"]["stage"] != "reading the request" {
        return inside::unwritable(case);
    }
    let format = case.json["input"]["format"].as_str().unwrap_or_default();
    let folder = Folder::new(&[]);
    let server = Server::start(&folder, &[]);
    let content_type = format!("application/xacml+{format}");
    let reply = server.send("POST", XACML, &[("Content-Type", &content_type)], "<{");
    expect::check(&case.json["expect"], &reply).into()
}

/// Records the operations of the case.
fn record(case: &Case, server: &Server) -> Result<(), String> {
    rows(case, jiff::Timestamp::now(), |row| {
        let reply = server.post(OPERATIONS, &row.to_string());
        match reply.status {
            201 => Ok(()),
            _ => Err(format!("a row of the history was refused: {}", reply.body)),
        }
    })
}

/// The rows of the case's history, their times as offsets from now.
pub fn rows(
    case: &Case,
    now: jiff::Timestamp,
    mut each: impl FnMut(Value) -> Result<(), String>,
) -> Result<(), String> {
    for row in case.json["operationsHistory"].as_array().into_iter().flatten() {
        let mut body = row.clone();
        let fields = body.as_object_mut().ok_or("a row of the history is no object")?;
        for (offset, column) in [("startOffsetSec", "starttime"), ("endOffsetSec", "endtime")] {
            if let Some(seconds) = fields.remove(offset).and_then(|value| value.as_i64()) {
                let time = now + jiff::SignedDuration::from_secs(seconds);
                fields.insert(column.into(), time.to_string().into());
            }
        }
        each(body)?;
    }
    Ok(())
}

/// The body that is sent: a file's text, JSON written out, or text as it is.
pub fn body(case: &Case) -> Result<String, String> {
    match &case.json["request"] {
        Value::Null => Ok(String::new()),
        Value::String(name) if case.folder.join(name).is_file() => {
            fs::read_to_string(case.folder.join(name)).map_err(|error| error.to_string())
        }
        Value::String(text) => Ok(text.clone()),
        inline => Ok(inline.to_string()),
    }
}

fn send(case: &Case, server: &Server, auth: bool) -> Result<Reply, String> {
    let (method, mut path) = match case.text("kind") {
        "decision" => ("POST", DECISION.to_owned()),
        "xacml" => ("POST", XACML.to_owned()),
        _ => (case.text("method"), format!("/{}", case.text("path").trim_start_matches('/'))),
    };
    for (number, (name, value)) in case.json["query"].as_object().into_iter().flatten().enumerate()
    {
        let mark = if number == 0 { '?' } else { '&' };
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let _ = write!(path, "{mark}{name}={value}");
    }
    let body = body(case)?;
    let media_type = match case.text("kind") {
        "xacml" if body.trim_start().starts_with('<') => "application/xacml+xml",
        "xacml" => "application/xacml+json",
        _ => "application/json",
    };
    let mut headers = vec![("Content-Type", media_type), ("Accept", media_type)];
    if auth {
        headers.push(("Authorization", BASIC));
    }
    if path == "/metrics" {
        headers.retain(|(name, _)| *name != "Accept");
    }
    for (name, value) in case.json["headers"].as_object().into_iter().flatten() {
        headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        if let Some(value) = value.as_str() {
            headers.push((name, value));
        }
    }
    Ok(server.send(method, &path, &headers, &body))
}
