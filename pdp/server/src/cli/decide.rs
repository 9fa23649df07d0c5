//! `pdp decide`: one decision without a server.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use jiff::Timestamp;
use pdp_engine::context::Limits;
use pdp_engine::eval::trace::Explanation;
use pdp_engine::model::Decision;
use pdp_onap::Application;
use serde_json::Value;

use super::ask::{self, Body, Question, Reply};
use super::{operations, print};
use crate::config::{WhenIndeterminate, Xacml};
use crate::decide::{Desk, Setting, Wire};
use crate::explained::told;
use crate::failure::Failure;
use crate::store::{Combining, Snapshot, Sources};

const EXAMPLES: &str = "\
Examples:
  pdp decide --policies policies/ --request request.json
  pdp decide --policies guard.yaml --request - --operations history.jsonl < request.json
  pdp decide --policies policies/ --request request.json --now 2026-01-01T08:00:00Z --explain
  pdp decide --policies policies/ --request request.json --explain=json | jq .answer

The request is what ONAP posts to /policy/pdpx/v1/decision, as JSON or YAML, or a XACML request in
XML or JSON.
Exit codes: 0 decided, whatever the decision; 2 wrong command line; 4 a policy was refused;
5 the request was refused";

/// Decide once, without a server
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Decide {
    /// A file or folder with policies
    #[arg(long, required = true, value_name = "PATH")]
    policies: Vec<PathBuf>,
    /// The file of the one XACML policy to start from; the others can be referenced
    #[arg(long, value_name = "FILE")]
    root: Option<PathBuf>,
    /// The algorithm that combines several XACML policies
    #[arg(long, value_name = "ID")]
    combining: Option<String>,
    /// The request; - reads standard input
    #[arg(long, value_name = "FILE|-")]
    request: PathBuf,
    /// Decide as if it were this time
    #[arg(long, value_name = "RFC3339")]
    now: Option<Timestamp>,
    /// Operations that were run before: JSON lines with the columns of the history's table
    #[arg(long, value_name = "FILE")]
    operations: Option<PathBuf>,
    /// How the answer is written; without it as the request
    #[arg(long, value_enum)]
    response: Option<Wire>,
    /// Say how the decision was found: for people, after the answer, or as one JSON document with the
    /// answer in it
    #[arg(long, value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "text")]
    explain: Option<Explain>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Explain {
    Text,
    Json,
}

impl Decide {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        let xacml = Xacml {
            combining: self.combining.clone(),
            root: self.root.clone(),
            ..Xacml::default()
        };
        let snapshot = load(&self.policies, &xacml)?;
        let history = operations::history(self.operations.as_deref(), self.now, &snapshot)?;
        let bytes = ask::read(&self.request)?;
        let setting = Setting {
            snapshot: &snapshot,
            history: Some(&history),
            limits: &Limits::default(),
            indeterminate: WhenIndeterminate::default(),
            counters: None,
            now: self.now,
        };
        let question =
            Question { body: Body::Text(&bytes), file: &self.request, response: self.response };
        let mut desk = Desk::default();
        let mut explanation = Explanation::default();
        let reply = question.ask(&mut desk, &setting, &mut explanation)?;
        let answer = String::from_utf8_lossy(&desk.out);
        let answer = answer.trim_end();
        if self.explain == Some(Explain::Json) {
            // A response in XML stands in the document as a text.
            let answer = serde_json::from_str(answer).unwrap_or_else(|_| Value::from(answer));
            let told = told(reply.application, reply.decision, &answer, &explanation);
            print::line(format_args!("{told:#}"))?;
            return Ok(ExitCode::SUCCESS);
        }
        print::line(answer)?;
        if self.explain == Some(Explain::Text) {
            print::text(&explanation)?;
            if let Some(remark) = remark(reply) {
                print::line(remark)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// Where the answer reads otherwise than the decision.
pub(super) fn remark(reply: Reply) -> Option<&'static str> {
    match (reply.application, reply.decision) {
        (Application::Guard, Some(Decision::NotApplicable)) => {
            Some("where no guard policy applies, the answer is Permit, as in ONAP")
        }
        (Application::Guard, Some(Decision::Indeterminate)) => {
            Some("what the answer reads then is the setting guard.indeterminate, Permit by default")
        }
        _ => None,
    }
}

/// Loads policies; any that is refused ends the command, since nobody could trust the decision.
pub(super) fn load(paths: &[PathBuf], xacml: &Xacml) -> Result<Snapshot, Failure> {
    let (snapshot, problems) = Sources::of_paths(paths, Combining::of(xacml)?)?.build()?;
    for problem in problems.iter() {
        print::remark(problem);
    }
    match snapshot.refused {
        0 => Ok(snapshot),
        refused => Err(Failure::refused(refused)),
    }
}
