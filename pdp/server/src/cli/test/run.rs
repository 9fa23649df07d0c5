//! Runs the tests of a file and compares what comes with what is expected.

use std::collections::BTreeSet;
use std::path::PathBuf;

use pdp_engine::combine::Verdict;
use pdp_engine::context::Limits;
use pdp_engine::error::Position;
use pdp_engine::eval::trace::{Explanation, Step, Subject};
use pdp_engine::model::Decision;
use pdp_onap::Application;
use serde_json::Value;

use super::coverage::Coverage;
use super::file::{Case, Request, TestFile};
use crate::cli::ask::{Body, Question, Reply};
use crate::cli::{decide, operations};
use crate::config::{WhenIndeterminate, Xacml};
use crate::decide::{Desk, Setting};
use crate::failure::Failure;
use crate::store::Snapshot;

/// Something that is not as expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Difference {
    /// The member of `expect`.
    pub(super) member: &'static str,
    pub(super) expected: String,
    pub(super) found: String,
}

/// How one test went.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) file: PathBuf,
    pub(super) position: Position,
    pub(super) name: String,
    pub(super) differences: Vec<Difference>,
    /// The request was refused.
    pub(super) refused: Option<Failure>,
    pub(super) explanation: Explanation,
    /// Where the answer reads otherwise than the decision.
    pub(super) remark: Option<&'static str>,
}

impl Outcome {
    pub(super) fn passed(&self) -> bool {
        self.differences.is_empty() && self.refused.is_none()
    }
}

/// Runs every test of a file.
///
/// # Errors
/// A policy was refused, or an operation cannot be taken.
pub(super) fn file(
    file: &TestFile,
    mut coverage: Option<&mut Coverage>,
) -> Result<Vec<Outcome>, Failure> {
    let snapshot = decide::load(&file.policies, &Xacml::default())?;
    if snapshot.policies.is_empty() {
        return Err(Failure::usage("there is no policy to test")
            .in_file(&file.path)
            .hint("name them under `policies`; without it those beside the file are tested"));
    }
    if let Some(coverage) = coverage.as_deref_mut() {
        coverage.holds(&snapshot);
    }
    let mut desk = Desk::default();
    let mut outcomes = Vec::with_capacity(file.cases.len());
    for case in &file.cases {
        let outcome = one(file, case, &snapshot, &mut desk)?;
        if let Some(coverage) = coverage.as_deref_mut() {
            coverage.decided(&outcome.explanation);
        }
        outcomes.push(outcome);
    }
    Ok(outcomes)
}

fn one(
    file: &TestFile,
    case: &Case,
    snapshot: &Snapshot,
    desk: &mut Desk,
) -> Result<Outcome, Failure> {
    let place = format!("{}:{}", file.path.display(), case.position);
    let history =
        operations::history_of(case.operations.clone(), case.now, snapshot).map_err(|error| {
            Failure::usage(format!("an operation of `{}`: {error}", case.name)).at(&place)
        })?;
    let setting = Setting {
        snapshot,
        history: Some(&history),
        limits: &Limits::default(),
        indeterminate: WhenIndeterminate::default(),
        counters: None,
        now: case.now,
    };
    let (body, from) = match &case.request {
        Request::File(path, bytes) => (Body::Text(bytes), path),
        Request::Onap(node) => (Body::Onap(node), &file.path),
        Request::Xacml(json) => (Body::Text(json), &file.path),
    };
    let question = Question { body, file: from, response: None };
    let mut explanation = Explanation::default();
    let mut outcome = Outcome {
        file: file.path.clone(),
        position: case.position,
        name: case.name.clone(),
        differences: Vec::new(),
        refused: None,
        explanation: Explanation::default(),
        remark: None,
    };
    match question.ask(desk, &setting, &mut explanation) {
        Ok(reply) => {
            outcome.differences = differences(case, reply, &explanation, &desk.out);
            outcome.remark = decide::remark(reply);
        }
        // A line of the test says more than its file.
        Err(failure) if failure.place == Some(file.path.display().to_string()) => {
            outcome.refused = Some(failure.at(place));
        }
        Err(failure) => outcome.refused = Some(failure),
    }
    outcome.explanation = explanation;
    Ok(outcome)
}

fn differences(
    case: &Case,
    reply: Reply,
    explanation: &Explanation,
    answer: &[u8],
) -> Vec<Difference> {
    let mut differences = Vec::new();
    let mut compare = |member, expected: String, found: String| {
        if expected != found {
            differences.push(Difference { member, expected, found });
        }
    };
    let expect = &case.expect;
    if let Some(expected) = expect.decision {
        let found = reply.decision.map_or("none", Decision::name);
        compare("decision", expected.decision().name().to_owned(), found.to_owned());
    }
    // What ONAP's callers read; an answer in XACML's XML has nothing of the kind.
    let answer: Value = serde_json::from_slice(answer).unwrap_or_default();
    if let Some(expected) = &expect.status {
        let found = match reply.application {
            Application::Native => codes(explanation, expected),
            _ => answer["status"].as_str().unwrap_or("none").to_owned(),
        };
        compare("status", expected.clone(), found);
    }
    if let Some(expected) = &expect.obligations {
        let conclusions = explanation.stories.iter().filter_map(|story| story.conclusion.as_ref());
        let found = conclusions.flat_map(|conclusion| conclusion.obligations.iter().cloned());
        compare("obligations", listed(expected.iter().cloned()), listed(found));
    }
    if let Some(expected) = &expect.policies {
        let found: Vec<String> = match answer["policies"].as_object() {
            Some(policies) if reply.application != Application::Native => {
                policies.keys().cloned().collect()
            }
            _ => {
                let mut found = Vec::new();
                let stories = explanation.stories.iter();
                stories.for_each(|story| applicable(&story.steps, &mut found));
                found
            }
        };
        compare("policies", listed(expected.iter().cloned()), listed(found.into_iter()));
    }
    differences
}

/// The status codes, written as the expected one is.
fn codes(explanation: &Explanation, expected: &str) -> String {
    let conclusions = explanation.stories.iter().filter_map(|story| story.conclusion.as_ref());
    listed(conclusions.map(|conclusion| {
        let uri = conclusion.code.uri();
        let short = uri.rsplit(':').next().unwrap_or(uri);
        if expected.contains(':') { uri.to_owned() } else { short.to_owned() }
    }))
}

/// The policies that came to a Permit or Deny.
fn applicable(steps: &[Step], found: &mut Vec<String>) {
    for step in steps {
        let decided = matches!(step.verdict, Verdict::Permit | Verdict::Deny);
        if decided && matches!(step.subject, Subject::Policy(..)) {
            found.push(step.id.clone());
        }
        applicable(&step.children, found);
    }
}

fn listed(ids: impl Iterator<Item = String>) -> String {
    let ids: BTreeSet<String> = ids.collect();
    if ids.is_empty() { "none".to_owned() } else { Vec::from_iter(ids).join(", ") }
}
