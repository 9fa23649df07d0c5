//! `pdp functions`: the functions of the policy language.

use std::process::ExitCode;

use clap::Args;
use pdp_engine::function;

use super::print;
use crate::document::nearest;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  pdp functions
  pdp functions time
  pdp functions --markdown > functions.md";

/// Characters of a text that a message repeats.
const SHOWN: usize = 100;

/// List the functions of the policy language
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Functions {
    /// Only those whose identifier or summary holds this text
    #[arg(value_name = "TEXT")]
    text: Option<String>,
    /// Print the whole reference page as Markdown
    #[arg(long, conflicts_with = "text")]
    markdown: bool,
}

impl Functions {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        if self.markdown {
            print::text(function::page())?;
            return Ok(ExitCode::SUCCESS);
        }
        let wanted = self.text.unwrap_or_default();
        let mut found = false;
        for row in function::all() {
            if row.id.contains(&wanted) || row.summary.contains(&wanted) {
                found = true;
                print::line(format_args!(
                    "{}\n    {}\n    {} ({})",
                    row.id,
                    function::signature(row),
                    row.summary,
                    row.clause
                ))?;
                if let Some(successor) = row.successor {
                    print::line(format_args!("    deprecated: use {successor}"))?;
                }
            }
        }
        if found { Ok(ExitCode::SUCCESS) } else { Err(none(&wanted)) }
    }
}

fn none(wanted: &str) -> Failure {
    let shown: String = wanted.chars().take(SHOWN).collect();
    let failure = Failure::usage(format!("no function has `{shown}` in its identifier or summary"));
    let names = function::all().map(|row| row.id.rsplit(':').next().unwrap_or(row.id));
    match nearest(wanted, names) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint("`pdp functions` lists all of them"),
    }
}
