//! `pdp check`: say what is wrong with policies.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use pdp_engine::error::Severity;
use pdp_engine::program::listing::listing;
use pdp_onap::{APPLICATIONS, Application};
use serde_json::json;

use super::{print, sarif};
use crate::config::Xacml;
use crate::failure::{Exit, Failure, counted};
use crate::store::{Combining, Problems, Snapshot, Sources, codes, inspect};

const EXAMPLES: &str = "\
Examples:
  pdp check policies/
  pdp check policy.yaml --strict
  pdp check policies/ --format sarif > problems.sarif
  pdp check policy.xml --listing

Each problem is one line, `file:line:col: severity: message [code]`.
Exit codes: 0 clean or warnings alone, 2 wrong command line, 4 errors (with --strict warnings too)";

/// Say what is wrong with policies
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Check {
    /// Files and folders with policies
    #[arg(required_unless_present = "codes", value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// How problems are written
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Print the compiled policies too
    #[arg(long)]
    listing: bool,
    /// Print the page that describes every code
    #[arg(long)]
    codes: bool,
    /// Warnings count as errors
    #[arg(long)]
    strict: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
    Sarif,
}

impl Check {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        if self.codes {
            print::text(codes::page())?;
            return Ok(ExitCode::SUCCESS);
        }
        let sources = Sources::of_paths(&self.paths, Combining::of(&Xacml::default())?)?;
        let (snapshot, mut problems) = sources.build()?;
        inspect(snapshot.program(Application::Native), &mut problems);
        match self.format {
            Format::Text => print_text(&snapshot, &problems)?,
            Format::Json => print_json(&snapshot, &problems)?,
            Format::Sarif => print::line(sarif::document(&problems))?,
        }
        if self.listing {
            for row in APPLICATIONS {
                let program = snapshot.program(row.application);
                if !program.is_empty() {
                    print::text(listing(program))?;
                }
            }
        }
        let bad = problems.count(Severity::Error) > 0 || (self.strict && problems.iter().len() > 0);
        Ok(if bad { ExitCode::from(Exit::Policies as u8) } else { ExitCode::SUCCESS })
    }
}

fn print_text(snapshot: &Snapshot, problems: &Problems) -> Result<(), Failure> {
    for problem in problems.iter() {
        print::line(problem)?;
    }
    print::line(format_args!(
        "{}, {} refused; {}, {}",
        counted(snapshot.policies.len(), "policy", "policies"),
        snapshot.refused,
        counted(problems.count(Severity::Error), "error", "errors"),
        counted(problems.count(Severity::Warning), "warning", "warnings")
    ))
}

fn print_json(snapshot: &Snapshot, problems: &Problems) -> Result<(), Failure> {
    let report = json!({
        "policies": snapshot.policies.len(),
        "refused": snapshot.refused,
        "errors": problems.count(Severity::Error),
        "warnings": problems.count(Severity::Warning),
        "problems": problems.iter().collect::<Vec<_>>(),
    });
    print::line(format_args!("{report:#}"))
}
