//! `pdp functions`: the functions of the policy language.

use std::process::ExitCode;

use clap::Args;
use pdp_engine::function;

use super::print;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  pdp functions
  pdp functions time";

/// List the functions of the policy language
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Functions {
    /// Only those whose identifier or summary holds this text
    #[arg(value_name = "TEXT")]
    text: Option<String>,
}

impl Functions {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        let wanted = self.text.unwrap_or_default();
        for row in function::all() {
            if row.id.contains(&wanted) || row.summary.contains(&wanted) {
                print::line(format_args!("{}\n    {} ({})", row.id, row.summary, row.clause))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
