//! Tests that decide a request and expect a response.

use std::path::Path;

use super::manifest::{Suite, Test};
use super::point::{self, Point};
use super::{Add, Judged, same};
use crate::decide::Wire;

/// Runs a test in each form that it has.
pub(super) fn run(suite: &Suite, test: &Test, add: &mut Add<'_>) {
    let forms = [
        ("xml", Wire::Xml, &test.request, &test.response),
        ("json", Wire::Json, &test.request_json, &test.response_json),
    ];
    let mut any = false;
    for (form, wire, request, response) in forms {
        if let Some(request) = request {
            any = true;
            let files = Some((request.as_path(), response.as_deref()));
            add(form, judge(suite, test, wire, files));
        }
    }
    if !any {
        add("xml", judge(suite, test, Wire::Xml, None));
    }
}

/// What the decision point lacks, where the test needs it.
pub(super) fn lacking(test: &Test) -> Option<String> {
    if let Some((key, _)) = test.config.unknown.iter().next() {
        return Some(format!("the set-up `{key}` is not known"));
    }
    let version = test.config.xpath.as_ref().map(ToString::to_string).unwrap_or_default();
    (version.contains("2.0") || version.contains("xpath20"))
        .then(|| "XPath 2.0 is not evaluated".to_owned())
}

type Files<'t> = Option<(&'t Path, Option<&'t Path>)>;

fn judge(suite: &Suite, test: &Test, wire: Wire, files: Files<'_>) -> Judged {
    if let Some(reason) = lacking(test) {
        return Judged::Skipped(reason);
    }
    let expect = test.expect.as_deref().unwrap_or_default();
    let known = [
        "response",
        "policy-rejected",
        "policy-rejected-or-response",
        "request-rejected-or-response",
    ];
    if !known.contains(&expect) {
        return Judged::Skipped(format!("the expectation `{expect}` is not known"));
    }
    check(suite, test, expect, wire, files).into()
}

fn check(
    suite: &Suite,
    test: &Test,
    expect: &str,
    wire: Wire,
    files: Files<'_>,
) -> Result<(), String> {
    let point = Point::new(suite, test)?;
    if expect.starts_with("policy-rejected") && !point.refusals.is_empty() {
        return Ok(());
    }
    if !point.complete {
        return Err(format!("the policy was refused: {}", point.refusals.join("; ")));
    }
    let Some((request, response)) = files else {
        return Err("the policy was not refused".to_owned());
    };
    let answer = match point.decide(&point::file(suite, request)?, wire)? {
        Ok(answer) => answer,
        Err(_) if expect == "request-rejected-or-response" => return Ok(()),
        Err(error) => return Err(format!("the request was refused: {error}")),
    };
    if expect == "policy-rejected" {
        let all = answer.results.iter().all(|it| it.decision.name() == "Indeterminate");
        return if all { Ok(()) } else { Err("the policy was not refused".to_owned()) };
    }
    let response = response.ok_or("the test has no response to compare with")?;
    let expected = point::response(&point::file(suite, response)?, wire)
        .map_err(|error| format!("{} cannot be read: {error}", response.display()))?;
    same::responses(&expected, &answer, &test.compare)
}
