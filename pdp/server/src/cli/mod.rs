//! The command line: one file per command.

mod ask;
mod bench;
mod check;
mod conformance;
mod decide;
mod functions;
mod healthcheck;
mod history;
mod new;
mod operations;
mod print;
mod sarif;
mod schema;
mod serve;
mod test;

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use clap::{ArgAction, Args, Parser, Subcommand};

use crate::config::LogFormat;
use crate::failure::{Exit, Failure};

const EXAMPLES: &str = "\
Examples:
  pdp serve                              decide with the policies in policies/ on 127.0.0.1:6969
  pdp new guard-minmax my-policies/      write a policy to begin with, and a test of it
  pdp check policies/                    say what is wrong with policies
  pdp test policies/                     run the tests beside them
  pdp decide --policies policies/ --request request.json
                                         decide once, without a server
  pdp COMMAND --help                     more, with examples";

/// Decides whether what is asked for is permitted, by policies written for ONAP or in XACML 3.0.
#[derive(Debug, Parser)]
#[command(name = "pdp", version, after_help = EXAMPLES, propagate_version = true)]
struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// Flags of every command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Global {
    /// How log lines are written; without it text on a terminal and JSON elsewhere
    #[arg(long, global = true, value_enum)]
    log_format: Option<LogFormat>,
    /// Log more; -vv even more
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet")]
    verbose: u8,
    /// Log errors only
    #[arg(short, long, global = true)]
    quiet: bool,
}

impl Global {
    /// The level that the flags ask for.
    fn level(&self) -> Option<String> {
        let level = match (self.quiet, self.verbose) {
            (true, _) => "error",
            (_, 0) => return None,
            (_, 1) => "debug",
            _ => "trace",
        };
        Some(level.into())
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    Serve(serve::Serve),
    Decide(decide::Decide),
    Check(check::Check),
    Test(test::Test),
    New(new::New),
    Schema(schema::Schema),
    Bench(bench::Bench),
    Conformance(conformance::Conformance),
    Functions(functions::Functions),
    Healthcheck(healthcheck::Healthcheck),
    History(history::History),
}

/// Runs the command that the arguments name.
pub fn run() -> ExitCode {
    let Cli { global, command } = Cli::parse_from(with_command(std::env::args_os().collect()));
    let result = match command {
        Command::Serve(command) => command.run(&global),
        Command::Decide(command) => command.run(),
        Command::Check(command) => command.run(),
        Command::Test(command) => command.run(),
        Command::New(command) => command.run(),
        Command::Schema(command) => command.run(),
        Command::Bench(command) => command.run(),
        Command::Conformance(command) => command.run(),
        Command::Functions(command) => command.run(),
        Command::Healthcheck(command) => command.run(),
        Command::History(command) => command.run(),
    };
    match result {
        Ok(code) => code,
        Err(failure) => {
            if failure.exit != Exit::Quiet {
                report(&failure);
            }
            ExitCode::from(failure.exit as u8)
        }
    }
}

/// ONAP's start script gives a configuration file and no command: that means `serve`.
fn with_command(mut arguments: Vec<std::ffi::OsString>) -> Vec<std::ffi::OsString> {
    let first = arguments.get(1).and_then(|first| first.to_str()).unwrap_or_default();
    let file = [".json", ".yaml", ".yml", ".toml"].iter().any(|end| first.ends_with(end));
    if file || matches!(first, "-c" | "--config-file" | "--config") {
        arguments.insert(1, "serve".into());
    }
    arguments
}

fn report(failure: &Failure) {
    let color = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    let (red, blue, plain) =
        if color { ("\x1b[1;31m", "\x1b[1;34m", "\x1b[0m") } else { ("", "", "") };
    print::remark(format_args!("{red}error:{plain} {failure}"));
    if let Some(hint) = &failure.hint {
        print::remark(format_args!("{blue}hint:{plain} {hint}"));
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn every_command_shows_examples() {
        for command in Cli::command().get_subcommands() {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.contains("pdp "), "{}", command.get_name());
        }
    }

    #[test]
    fn a_configuration_file_alone_means_serve() {
        let check = |given: &[&str]| {
            let given = given.iter().map(|text| (*text).into()).collect();
            with_command(given).get(1).and_then(|word| word.to_str()).map(str::to_owned)
        };
        assert_eq!(check(&["pdp", "etc/mounted/config.json"]).as_deref(), Some("serve"));
        assert_eq!(check(&["pdp", "-c", "x.json"]).as_deref(), Some("serve"));
        assert_eq!(check(&["pdp", "check", "x.json"]).as_deref(), Some("check"));
        assert_eq!(check(&["pdp"]), None);
    }
}
