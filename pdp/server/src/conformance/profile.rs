//! Tests of the JSON profile: equal requests, refused requests, single decisions.

use std::path::Path;

use pdp_engine::format::xacml3_xml;
use pdp_engine::model::{Decision, OwnedCategory, OwnedRequest, Recorder, StatusCode};
use pdp_engine::value::Arena;
use pdp_engine::xpath::{Document, DocumentLimits, NodeKind};

use super::manifest::{Compare, Suite, Test};
use super::point::{self, Point};
use super::{Add, Judged, decision as decisions, same};
use crate::decide::{Formats, Wire};
use crate::failure::counted;
use crate::several;

const NO_FILE: &str = "the test names no request";

fn read(suite: &Suite, name: Option<&Path>, wire: Wire) -> Result<OwnedRequest, String> {
    let name = name.ok_or(NO_FILE)?;
    let bytes = point::file(suite, name)?;
    let arena = Arena::new();
    let mut recorder = Recorder::new(&arena);
    let formats = Formats { asked: wire, wanted: wire, short_ids: false };
    several::read(&bytes, formats, None, &mut recorder)
        .map_err(|error| format!("{} was refused: {error}", name.display()))?;
    Ok(recorder.finish())
}

/// The JSON request must read to what the XML one reads to.
///
/// # Errors
/// It is refused, or reads to something else.
pub(super) fn equivalent(suite: &Suite, test: &Test) -> Result<(), String> {
    let expected = read(suite, test.request.as_deref(), Wire::Xml)?;
    let found = read(suite, test.request_json.as_deref(), Wire::Json)?;
    if expected.options != found.options {
        return Err(format!("{:?} expected, {:?} found", expected.options, found.options));
    }
    if expected.references != found.references {
        return Err(format!("{:?} expected, {:?} found", expected.references, found.references));
    }
    let (wanted, given) = (expected.categories.len(), found.categories.len());
    if wanted != given {
        return Err(format!(
            "{} expected, {given} found",
            counted(wanted, "category", "categories")
        ));
    }
    same::paired(&expected.categories, &found.categories, categories)
        .map_err(|(at, reason)| format!("category {at}: {reason}"))
}

fn categories(expected: &OwnedCategory, found: &OwnedCategory) -> Result<(), String> {
    let head = |it: &OwnedCategory| (it.category.clone(), it.xml_id.clone());
    if head(expected) != head(found) {
        return Err(format!("{:?} expected, {:?} found", head(expected), head(found)));
    }
    if !contents(expected.content.as_deref(), found.content.as_deref())? {
        return Err("another Content found".to_owned());
    }
    if flags(expected) != flags(found) {
        return Err(format!("{:?} expected, {:?} found", flags(expected), flags(found)));
    }
    same::attributes(
        &expected.attributes.iter().collect::<Vec<_>>(),
        &found.attributes.iter().collect::<Vec<_>>(),
        &Compare::default(),
    )
}

/// The attributes of a category, and which of them come back with the result.
fn flags(category: &OwnedCategory) -> Vec<(&str, bool)> {
    category.attributes.iter().map(|it| (it.id.as_str(), it.include_in_result)).collect()
}

/// Whether two Contents are one document, whatever prefixes they are written with.
///
/// A JSON string inherits no namespace. In XML a name without prefix takes the default namespace of the
/// document around, which is that of requests: names in it are compared as names in none.
fn contents(expected: Option<&str>, found: Option<&str>) -> Result<bool, String> {
    let (Some(expected), Some(found)) = (expected, found) else {
        return Ok(expected.is_none() && found.is_none());
    };
    let arena = Arena::new();
    let read = |text| {
        Document::parse(text, &arena, &DocumentLimits::default())
            .map_err(|error| format!("a Content cannot be read: {error}"))
    };
    let nodes = |document: &Document<'_>| -> Vec<(NodeKind, String, String, Option<String>)> {
        document
            .nodes()
            .map(|node| {
                let kind = document.kind(node);
                let text = !matches!(kind, NodeKind::Document | NodeKind::Element);
                let value = document.string_value(node, &|_| true, &arena).unwrap_or_default();
                let name = document.local_name(node).to_owned();
                let namespace = match document.namespace_uri(node) {
                    xacml3_xml::NAMESPACE => String::new(),
                    other => other.to_owned(),
                };
                (kind, name, namespace, text.then(|| value.to_owned()))
            })
            .collect()
    };
    Ok(nodes(&read(expected)?) == nodes(&read(found)?))
}

/// The JSON request must be refused: not read, or answered with nothing but syntax errors.
///
/// # Errors
/// It is not.
pub(super) fn reject(suite: &Suite, test: &Test) -> Result<(), String> {
    let bytes = point::file(suite, test.request_json.as_deref().ok_or(NO_FILE)?)?;
    let point = Point::empty(&test.config);
    let refused = match point.decide(&bytes, Wire::Json)? {
        Err(_) => true,
        Ok(response) => response.results.iter().all(|result| {
            result.decision == Decision::Indeterminate
                && result.status.codes.first().map(String::as_str)
                    == Some(StatusCode::SyntaxError.uri())
        }),
    };
    if refused || test.strict_only { Ok(()) } else { Err("the request was not refused".to_owned()) }
}

/// A decision in each form that the test has.
pub(super) fn decision(suite: &Suite, test: &Test, add: &mut Add<'_>) {
    let forms = [
        ("xml", Wire::Xml, &test.request, &test.response),
        ("json", Wire::Json, &test.request_json, &test.response_json),
    ];
    for (form, wire, request, response) in forms {
        let Some(request) = request else { continue };
        if let Some(reason) = decisions::lacking(test) {
            add(form, Judged::Skipped(reason));
            continue;
        }
        add(form, decide(suite, test, wire, request, response.as_deref()).into());
    }
}

fn decide(
    suite: &Suite,
    test: &Test,
    wire: Wire,
    request: &Path,
    response: Option<&Path>,
) -> Result<(), String> {
    let point = Point::new(suite, test)?;
    if !point.complete {
        return Err(format!("the policy was refused: {}", point.refusals.join("; ")));
    }
    let answer = match point.decide(&point::file(suite, request)?, wire)? {
        Ok(answer) => answer,
        Err(_) if test.config.request_error => return Ok(()),
        Err(error) => return Err(format!("the request was refused: {error}")),
    };
    let response = response.ok_or("the test has no response to compare with")?;
    let expected = point::response(&point::file(suite, response)?, wire)
        .map_err(|error| format!("{} cannot be read: {error}", response.display()))?;
    same::responses(&expected, &answer, &test.comparison())
}
