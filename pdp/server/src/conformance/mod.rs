//! Runs suites of tests against the engine: `pdp conformance`.
//!
//! A suite is a folder with a `manifest.json` (policies, requests and the responses they must get),
//! or a `vectors.json` (function calls and their results). Every test runs in each of its wire
//! formats, with the target index and without it; the two must agree.
//!
//! | module | question it answers |
//! |---|---|
//! | `manifest` | what does a suite hold? |
//! | `point` | how is a decision point set up for one test? |
//! | `same` | are two responses, requests or values the same? |
//! | `decision` | does a request get the response that the test expects? |
//! | `profile` | are JSON requests read, and refused, as the JSON profile says? |
//! | `function` | does a function call give its result? |
//! | `http` | does the service answer over HTTP as it must? |
//! | `service` | how is a service started for one test? |

mod decision;
mod function;
mod http;
mod manifest;
mod point;
mod profile;
mod same;
mod service;

use std::path::Path;

use serde::Serialize;

use crate::failure::Failure;
use manifest::{Suite, Test};

/// How a test in one form ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)] // the variants are the ends, by their own names
pub enum End {
    Passed,
    Failed,
    Skipped,
}

/// A test in one form.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The suite.
    pub suite: String,
    /// The test.
    pub id: String,
    /// The wire format, or what else is tried.
    pub form: &'static str,
    /// How it ended.
    pub result: End,
    /// Why it failed or was skipped.
    pub reason: Option<String>,
}

/// How a test ended, with the reason where it did not pass.
enum Judged {
    Passed,
    Failed(String),
    Skipped(String),
}

impl From<Result<(), String>> for Judged {
    fn from(result: Result<(), String>) -> Self {
        result.map_or_else(Self::Failed, |()| Self::Passed)
    }
}

/// Runs the suite in a folder, or all suites below it; `tell` gets each row as it is there. With
/// `over_http` every test runs once more against a service of its own.
///
/// # Errors
/// There is no suite, or one that cannot be read.
pub fn run(
    folder: &Path,
    over_http: bool,
    mut tell: impl FnMut(&Row),
) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for suite in Suite::find(folder)? {
        let mut add = |id: &str, form, judged| {
            let (result, reason) = match judged {
                Judged::Passed => (End::Passed, None),
                Judged::Failed(reason) => (End::Failed, Some(reason)),
                Judged::Skipped(reason) => (End::Skipped, Some(reason)),
            };
            let row = Row { suite: suite.suite.clone(), id: id.to_owned(), form, result, reason };
            tell(&row);
            rows.push(row);
        };
        for test in &suite.tests {
            run_test(&suite, test, &mut |form, judged| add(&test.id, form, judged));
            if over_http {
                http::again(&suite, test, &mut |form, judged| add(&test.id, form, judged));
            }
        }
        for vector in &suite.vectors {
            add(&vector.id, "call", function::judge(vector).into());
        }
    }
    Ok(rows)
}

/// Takes the form of a test and how the test ended in it.
type Add<'a> = dyn FnMut(&'static str, Judged) + 'a;

fn run_test(suite: &Suite, test: &Test, add: &mut Add<'_>) {
    match test.kind.as_deref() {
        None => decision::run(suite, test, add),
        Some("decision") => profile::decision(suite, test, add),
        Some("equivalent") => add("json", profile::equivalent(suite, test).into()),
        Some("reject") => add("json", profile::reject(suite, test).into()),
        Some("http") => add("http", http::judge(suite, test)),
        Some(kind) => add("json", Judged::Skipped(format!("tests of kind {kind} are not known"))),
    }
}
