//! Tests over HTTP, each with a service that is started for it: exchanges that a suite spells out,
//! and, where it is asked for, decisions and requests of every other kind.

use std::path::Path;

use pdp_engine::model::{Decision, OwnedResponse, StatusCode};

use super::manifest::{Exchange, Suite, Test};
use super::service::{Answer, Service};
use super::{Add, Judged, decision, point, same};
use crate::decide::Wire;

/// Where decisions are asked for.
const PDP: &str = "/policy/pdpx/v1/xacml";

/// The paths that a manifest leaves open.
const PLACES: [(&str, &str); 2] = [("{pdp}", PDP), ("{home}", "/")];

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
    let answer = ask(&service, suite, exchange)?;
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
        same::responses(&wanted, &read(&answer, wire)?, &test.compare)?;
    }
    match &expected.link_relation {
        Some(relation) if !answer.text().contains(relation.as_str()) => {
            Err(format!("the answer does not name the relation {relation}: {}", answer.text()))
        }
        _ => Ok(()),
    }
}

fn ask(service: &Service, suite: &Suite, exchange: &Exchange) -> Result<Answer, String> {
    let body = exchange.body.as_deref().map(|name| point::file(suite, name)).transpose()?;
    let path =
        PLACES.iter().fold(exchange.path.clone(), |path, (open, place)| path.replace(open, place));
    let headers = exchange.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    service.ask(&exchange.method, &path, headers, &body.unwrap_or_default())
}

/// Asks a service for what the engine was asked for in process.
pub(super) fn again(suite: &Suite, test: &Test, add: &mut Add<'_>) {
    let set_up = &test.config;
    let in_process = !set_up.attribute_provider.is_empty()
        || set_up.max_policy_reference_depth.is_some()
        || set_up.max_variable_reference_depth.is_some();
    if in_process || decision::lacking(test).is_some() {
        return;
    }
    match test.kind.as_deref() {
        None | Some("decision") => decisions(suite, test, add),
        Some("equivalent") => add("json over http", equivalent(suite, test).into()),
        Some("reject") => add("json over http", reject(suite, test).into()),
        Some(_) => {}
    }
}

fn decisions(suite: &Suite, test: &Test, add: &mut Add<'_>) {
    let forms = [
        ("xml over http", Wire::Xml, &test.request, &test.response),
        ("json over http", Wire::Json, &test.request_json, &test.response_json),
    ];
    let service = match Service::start(suite, test) {
        Ok(service) => service,
        // A root that is refused is no root to start with.
        Err(_) if test.expect.as_deref().unwrap_or_default().starts_with("policy-rejected") => {
            return;
        }
        Err(reason) => return add(forms[0].0, Judged::Failed(reason)),
    };
    for (form, wire, request, response) in forms {
        let (Some(request), Some(response)) = (request, response) else { continue };
        add(form, decide(&service, suite, test, wire, request, response).into());
    }
}

fn decide(
    service: &Service,
    suite: &Suite,
    test: &Test,
    wire: Wire,
    request: &Path,
    response: &Path,
) -> Result<(), String> {
    let answer = post(service, suite, wire, request)?;
    let lenient =
        test.config.request_error || test.expect.as_deref() == Some("request-rejected-or-response");
    if answer.status == 400 && lenient {
        return Ok(());
    }
    let found = read(&answer, wire)?;
    let all = found.results.iter().all(|it| it.decision == Decision::Indeterminate);
    if all && test.expect.as_deref().unwrap_or_default().starts_with("policy-rejected") {
        return Ok(());
    }
    let expected = point::response(&point::file(suite, response)?, wire)
        .map_err(|error| format!("{} cannot be read: {error}", response.display()))?;
    same::responses(&expected, &found, &test.comparison())
}

/// Both requests must get the same response: who has no policies answers what the requests hold.
fn equivalent(suite: &Suite, test: &Test) -> Result<(), String> {
    let service = Service::start(suite, test)?;
    let asked = |wire, request: &Option<std::path::PathBuf>| {
        let request = request.as_deref().ok_or("the test names no request")?;
        read(&post(&service, suite, wire, request)?, wire)
    };
    let expected = asked(Wire::Xml, &test.request)?;
    same::responses(&expected, &asked(Wire::Json, &test.request_json)?, &test.compare)
}

/// The request must be refused: 400, or nothing but syntax errors.
fn reject(suite: &Suite, test: &Test) -> Result<(), String> {
    let service = Service::start(suite, test)?;
    let request = test.request_json.as_deref().ok_or("the test names no request")?;
    let answer = post(&service, suite, Wire::Json, request)?;
    if answer.status == 400 {
        return Ok(());
    }
    let refused = read(&answer, Wire::Json)?.results.iter().all(|result| {
        result.decision == Decision::Indeterminate
            && result.status.codes.first().map(String::as_str)
                == Some(StatusCode::SyntaxError.uri())
    });
    if refused || test.strict_only { Ok(()) } else { Err("the request was not refused".to_owned()) }
}

fn post(service: &Service, suite: &Suite, wire: Wire, request: &Path) -> Result<Answer, String> {
    let media_type = match wire {
        Wire::Xml => "application/xacml+xml",
        Wire::Json => "application/xacml+json",
    };
    let headers = [("Content-Type", media_type), ("Accept", media_type)];
    service.ask("POST", PDP, headers, &point::file(suite, request)?)
}

fn read(answer: &Answer, wire: Wire) -> Result<OwnedResponse, String> {
    if answer.status != 200 {
        return Err(format!("the answer has status {}: {}", answer.status, answer.text()));
    }
    point::response(&answer.body, wire)
        .map_err(|error| format!("the answer cannot be read: {error}: {}", answer.text()))
}
