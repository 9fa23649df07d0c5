//! `pdp conformance`: run suites of XACML tests.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::print;
use crate::conformance::{self, End};
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  pdp conformance suites/core
  pdp conformance suites/ --json results.json
  pdp conformance suites/json --http

DIR is a suite, or a folder of suites: a suite is a folder with a manifest.json that lists tests, or
a vectors.json that lists function calls. Every test runs in each of its wire formats, with the target
index and without it. Each one that fails or is skipped is printed with its reason.
Exit codes: 0 nothing failed, 1 a test failed, 2 wrong command line or no suite";

/// Run suites of XACML tests
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Conformance {
    /// A suite, or a folder of suites
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Write a row per test and form to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Run each test a second time over HTTP, with a service that is started for it
    #[arg(long)]
    http: bool,
}

impl Conformance {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        let mut written = Ok(());
        let rows = conformance::run(&self.folder, self.http, |row| {
            let end = match row.result {
                End::Passed => return,
                End::Failed => "FAILED",
                End::Skipped => "skipped",
            };
            let reason = row.reason.as_deref().unwrap_or_default();
            if written.is_ok() {
                let (suite, id, form) = (&row.suite, &row.id, &row.form);
                written = print::line(format_args!("{suite}/{id} ({form}): {end}: {reason}"));
            }
        })?;
        if let Some(path) = &self.json {
            let unwritable = |error: &dyn std::fmt::Display| {
                Failure::usage(format!("the rows cannot be written: {error}")).in_file(path)
            };
            let text = serde_json::to_string_pretty(&rows).map_err(|error| unwritable(&error))?;
            fs::write(path, text + "\n").map_err(|error| unwritable(&error))?;
        }
        let count = |end| rows.iter().filter(|row| row.result == end).count();
        let failed = count(End::Failed);
        written?;
        let (passed, skipped) = (count(End::Passed), count(End::Skipped));
        print::line(format_args!("{passed} passed, {failed} failed, {skipped} skipped"))?;
        Ok(ExitCode::from(u8::from(failed > 0)))
    }
}
