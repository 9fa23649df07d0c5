//! `pdp decide`: one decision without a server.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use jiff::Timestamp;
use pdp_engine::context::Limits;
use pdp_engine::context::multiple::Flat;
use pdp_engine::error::{Place, ReadError};
use pdp_engine::eval::trace::Explanation;
use pdp_onap::decision::{self, DecisionError, DecisionRequest};
use pdp_onap::tosca::{self, Syntax};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{operations, print};
use crate::config::{WhenIndeterminate, Xacml};
use crate::decide::{Desk, Formats, Setting, Wire};
use crate::failure::Failure;
use crate::store::{Combining, Snapshot, Sources};

const EXAMPLES: &str = "\
Examples:
  pdp decide --policies policies/ --request request.json
  pdp decide --policies guard.yaml --request - --operations history.jsonl < request.json
  pdp decide --policies policies/ --request request.json --now 2026-01-01T08:00:00Z --explain

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
    /// Say how the decision was found, for people or as JSON
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
        let bytes = read(&self.request)?;
        let setting = Setting {
            snapshot: &snapshot,
            history: &history,
            limits: &Limits::default(),
            indeterminate: WhenIndeterminate::default(),
            counters: None,
            now: self.now,
        };
        let mut desk = Desk::default();
        let mut explanation = Explanation::default();
        match Kind::of(&bytes) {
            Kind::Xacml(wire) => self.xacml(&mut desk, &setting, &bytes, wire, &mut explanation)?,
            Kind::Onap(syntax) => {
                self.onap(&mut desk, &setting, &bytes, syntax, &mut explanation)?
            }
        }
        print::line(String::from_utf8_lossy(&desk.out).trim_end())?;
        match self.explain {
            Some(Explain::Text) => print::text(&explanation)?,
            Some(Explain::Json) => print::line(format_args!("{:#}", explanation.to_json()))?,
            None => {}
        }
        Ok(ExitCode::SUCCESS)
    }

    fn xacml(
        &self,
        desk: &mut Desk,
        setting: &Setting<'_>,
        bytes: &[u8],
        asked: Wire,
        explanation: &mut Explanation,
    ) -> Result<(), Failure> {
        let wanted = self.response.unwrap_or(asked);
        let formats = Formats { asked, wanted, short_ids: false };
        desk.xacml(setting, &Flat, bytes, formats, explanation)
            .map(drop)
            .map_err(|error| self.refused(&error))
    }

    fn onap(
        &self,
        desk: &mut Desk,
        setting: &Setting<'_>,
        bytes: &[u8],
        syntax: Syntax,
        explanation: &mut Explanation,
    ) -> Result<(), Failure> {
        if self.response == Some(Wire::Xml) {
            return Err(
                Failure::usage("the answer to an ONAP request is JSON").at("--response xml")
            );
        }
        let failed = |error: DecisionError| match &error {
            DecisionError::Malformed(detail) => self.malformed(&error, detail),
            _ => Failure::request(error.to_string()).in_file(&self.request),
        };
        let node = match syntax {
            Syntax::Json => None,
            Syntax::Yaml => Some(
                tosca::document(bytes, Syntax::Yaml, &tosca::Limits::default())
                    .map_err(|error| self.refused(&error))?,
            ),
        };
        let request = match &node {
            None => DecisionRequest::from_json(bytes),
            Some(node) => DecisionRequest::from_node(node),
        }
        .map_err(failed)?;
        match desk.onap_explained(setting, &request, explanation) {
            Ok(_) => Ok(()),
            // The service answers 200 and says so; this is its answer.
            Err(DecisionError::Conversion(message)) => {
                desk.out.clear();
                decision::write_failure(&message, &mut desk.out);
                Ok(())
            }
            Err(error) => Err(failed(error)),
        }
    }

    /// A parser ends its message with the place; it goes where all places are.
    fn malformed(&self, error: &DecisionError, detail: &str) -> Failure {
        let placed = detail.rsplit_once(" at line ").and_then(|(message, place)| {
            let (line, column) = place.split_once(" column ")?;
            let (line, column) = (line.parse::<u64>().ok()?, column.parse::<u64>().ok()?);
            Some((message, line, column))
        });
        match placed {
            Some((message, line, column)) => {
                Failure::request(message).at(format!("{}:{line}:{column}", self.request.display()))
            }
            None => Failure::request(error.to_string()).in_file(&self.request),
        }
    }

    fn refused(&self, error: &ReadError) -> Failure {
        let failure = Failure::request(format!("{} [{}]", error.message, error.code));
        match &error.place {
            Place::Position(at) => failure.at(format!("{}:{at}", self.request.display())),
            Place::Pointer(_) => failure.at(format!("{} {}", self.request.display(), error.place)),
        }
    }
}

/// What a request is written in, told by its first words.
enum Kind {
    Xacml(Wire),
    Onap(Syntax),
}

impl Kind {
    fn of(bytes: &[u8]) -> Self {
        #[derive(Deserialize)]
        struct Top {
            #[serde(rename = "Request")]
            request: Option<IgnoredAny>,
        }
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'<') => Self::Xacml(Wire::Xml),
            Some(b'{') => match serde_json::from_slice(bytes) {
                Ok(Top { request: Some(_) }) => Self::Xacml(Wire::Json),
                _ => Self::Onap(Syntax::Json),
            },
            _ => Self::Onap(Syntax::Yaml),
        }
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
        1 => Err(Failure::policies("a policy was refused")),
        refused => Err(Failure::policies(format!("{refused} policies were refused"))),
    }
}

/// Reads a file, or standard input for `-`.
pub(super) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let result = if path == Path::new("-") {
        std::io::stdin().read_to_end(&mut bytes).map(|_| ())
    } else {
        fs::read(path).map(|read| bytes = read)
    };
    result.map_err(|error| {
        Failure::usage(format!("the request cannot be read: {error}")).in_file(path)
    })?;
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(Failure::request("the request is empty").in_file(path));
    }
    Ok(bytes)
}
