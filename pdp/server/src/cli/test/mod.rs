//! `pdp test`: run tests of policies.

mod coverage;
mod file;
mod report;
mod run;
mod watch;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

pub(super) use file::schema;

use super::print;
use crate::failure::{Exit, Failure};
use coverage::Coverage;
use file::TestFile;
use run::Outcome;

const EXAMPLES: &str = "\
Examples:
  pdp test policies/
  pdp test guard.test.yaml --coverage
  pdp test policies/ --watch
  pdp test policies/ --format junit > results.xml

A test file is called NAME.test.yaml:

  policies: [guard.yaml]          # files and folders; without it the folder of the test file
  tests:
    - name: a third one is refused
      now: 2026-01-01T00:05:00Z   # decide as if it were this time
      operations:                 # what the history knows
        - {actor: SO, operation: Build, target: vnf-1, outcome: Success, endtime: 2026-01-01T00:00:00Z}
      request: {file: third.request.json}   # or the request itself: ONAP body or XACML JSON
      expect: {decision: Deny, status: Deny, policies: [guard.builds]}

`decision` is that of the policies, `status` what the answer reads: of a guard Permit or Deny, of
XACML the status code such as ok or missing-attribute. `obligations` and `policies` are all of the
identifiers that the decision came with, in any order.
`pdp schema test` prints the JSON Schema, `pdp new KIND DIR` writes a test to begin with.
Exit codes: 0 all passed, 1 a test failed, 2 wrong command line or test file, 4 a policy was refused";

/// Run tests of policies
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Test {
    /// Test files, and folders with all the test files in them
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Say which policies and rules were decided by no test
    #[arg(long)]
    coverage: bool,
    /// Run again whenever a file changes
    #[arg(long)]
    watch: bool,
    /// How results are written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Junit,
}

impl Test {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        if !self.watch {
            return self.once();
        }
        watch::forever(&self.paths, || match self.once() {
            Err(failure) if failure.exit == Exit::Quiet => Err(failure),
            Err(failure) => {
                super::report(&failure);
                Ok(())
            }
            Ok(_) => Ok(()),
        })
    }

    fn once(&self) -> Result<ExitCode, Failure> {
        let files = read_all(&self.paths)?;
        let mut outcomes: Vec<Outcome> = Vec::new();
        let mut coverage = self.coverage.then(Coverage::default);
        for file in &files {
            outcomes.extend(run::file(file, coverage.as_mut())?);
        }
        let coverage = coverage.as_ref();
        print::text(match self.format {
            Format::Text => report::text(&outcomes, coverage),
            Format::Json => report::json(&outcomes, coverage),
            Format::Junit => report::junit(&outcomes),
        })?;
        let failed = outcomes.iter().any(|outcome| !outcome.passed());
        Ok(ExitCode::from(u8::from(failed)))
    }
}

/// Reads every test file, and says of each what is wrong before any is run.
fn read_all(paths: &[PathBuf]) -> Result<Vec<TestFile>, Failure> {
    let mut files = Vec::new();
    let mut wrong = Vec::new();
    for path in file::find(paths)? {
        match TestFile::read(&path) {
            Ok(file) => files.push(file),
            Err(failure) => wrong.push(failure),
        }
    }
    let Some(last) = wrong.pop() else { return Ok(files) };
    wrong.iter().for_each(super::report);
    Err(last)
}
