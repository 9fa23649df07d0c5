//! The command line. What can be checked without touching the target is checked in `plan`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};

use crate::units::parse_duration;

const EXAMPLES: &str = "\
Examples:
  soak s3p --spawn --duration 60s --report out       start a pdp, load it for a minute, stop it
  soak s3p --target http://127.0.0.1:6969            load a service for 6000 s
  soak s3p --target https://pdp:6969 --cacert ca.pem --user healthcheck --password-file secret
  soak rules > my.rules                              the default rules, to start from
  soak report out/report.json --report again         judge and render a stored run again

Exit codes:
  0 passed   1 a latency, throughput or error rule failed   2 bad command line, or no report could be written
  3 target not reachable or without the policies   4 wrong decisions   5 leak or drift
  7 run not valid   130 interrupted (the report is written all the same)";

/// The S3P soak suite: loads a policy decision service, checks every answer, and says PASS or FAIL.
#[derive(Debug, Parser)]
#[command(name = "soak", version, about, after_help = EXAMPLES, max_term_width = 100)]
pub struct Options {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Health, statistics and decisions in parallel groups, closed loop, no think time
    #[command(after_help = S3P_EXAMPLES)]
    S3p(Box<S3p>),
    /// Judge and render a stored report.json again
    #[command(
        after_help = "Example:\n  soak report out/report.json --rules strict.rules --report again"
    )]
    Report(Report),
    /// Print the default rules
    #[command(after_help = "Example:\n  soak rules > my.rules")]
    Rules,
    /// Print the JSON Schema of report.json
    #[command(after_help = "Example:\n  soak schema > soak-report.schema.json")]
    Schema,
}

const S3P_EXAMPLES: &str = "\
Examples:
  soak s3p --spawn --users 10 --duration 60s --report out
  soak s3p --target http://127.0.0.1:6969 --users 10 --duration 6000s --rules my.rules --report out
  SOAK_PASSWORD=... soak s3p --target https://pdp.example:6969 --user healthcheck --duration 10m

The service must have the shipped policies: monitoring `onap.restart.tca`, guards
`guard.frequency.scaleout` and `guard.minmax.scaleout`. A preflight checks that before any load.";

/// The published S3P method.
#[derive(Debug, Args)]
pub struct S3p {
    /// The service under test.
    #[command(flatten)]
    pub target: TargetOptions,
    /// The load.
    #[command(flatten)]
    pub load: LoadOptions,
    /// What is written and judged.
    #[command(flatten)]
    pub output: OutputOptions,
}

/// The service under test and how to speak to it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Target")]
#[command(group = ArgGroup::new("service").args(["target", "spawn"]).required(true))]
pub struct TargetOptions {
    /// Address of a running service, such as http://127.0.0.1:6969
    #[arg(long, value_name = "URL", conflicts_with = "spawn")]
    pub target: Option<String>,
    /// Start a pdp of its own on a free loopback port, with the shipped policies, and stop it
    #[arg(long)]
    pub spawn: bool,
    /// The binary that --spawn starts [default: `pdp` beside soak]
    #[arg(long, value_name = "PATH", requires = "spawn", conflicts_with = "target")]
    pub pdp: Option<PathBuf>,
    /// The policies that --spawn serves [default: the nearest `policies` folder]
    #[arg(long, value_name = "DIR", requires = "spawn", conflicts_with = "target")]
    pub policies: Option<PathBuf>,
    /// Sample this local process as the service's; otherwise its /metrics page is read
    #[arg(long, value_name = "PID", conflicts_with = "spawn")]
    pub pid: Option<u32>,
    /// How long to wait for the service to answer at all
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = parse_duration)]
    pub wait: Duration,
    /// User name for Basic authentication
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// File that holds the password [default: the variable SOAK_PASSWORD]
    #[arg(long, value_name = "FILE", requires = "user")]
    pub password_file: Option<PathBuf>,
    /// Trust the certificate authorities in this PEM file, and no others
    #[arg(long, value_name = "FILE")]
    pub cacert: Option<PathBuf>,
    /// A further header for every request, `Name: value`; repeatable
    #[arg(long, value_name = "HEADER")]
    pub header: Vec<String>,
}

/// The load.
#[derive(Debug, Args)]
#[command(next_help_heading = "Load")]
pub struct LoadOptions {
    /// Users per group; there are three groups
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub users: u32,
    /// Length of the load: 90s, 10m, 1h30m
    #[arg(long, value_name = "TIME", default_value = "6000s", value_parser = parse_duration)]
    pub duration: Duration,
    /// Keep connections open, or make a new one for each request
    #[arg(
        long,
        value_enum,
        value_name = "YES|NO",
        default_value = "yes",
        hide_possible_values = true
    )]
    pub keep_alive: YesNo,
    /// A request that takes longer has failed
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = parse_duration)]
    pub timeout: Duration,
    /// Makes the requests' order repeatable [default: drawn, and printed]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..1 << 53))]
    pub seed: Option<u64>,
}

/// What is written and judged.
#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
pub struct OutputOptions {
    /// Write report.json and report.html into this folder
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Judge by the rules in this file [default: those of `soak rules`]
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
    /// Print the verdict line alone
    #[arg(long, short)]
    pub quiet: bool,
}

/// A stored run.
#[derive(Debug, Args)]
pub struct Report {
    /// The report.json of a run
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// What is written and judged.
    #[command(flatten)]
    pub output: OutputOptions,
}

/// Yes or no, as a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum YesNo {
    /// Yes.
    Yes,
    /// No.
    No,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn s3p(args: &[&str]) -> Result<S3p, clap::Error> {
        let all = ["soak", "s3p"].into_iter().chain(args.iter().copied());
        Options::try_parse_from(all).map(|options| match options.command {
            Command::S3p(s3p) => *s3p,
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn the_definition_is_consistent() {
        Options::command().debug_assert();
    }

    #[test]
    fn the_defaults_are_those_of_the_published_method() {
        let options = s3p(&["--spawn"]).expect("a full command");
        assert_eq!((options.load.users, options.load.duration), (10, Duration::from_secs(6000)));
        assert_eq!(options.load.keep_alive, YesNo::Yes);
    }

    #[test]
    fn what_cannot_go_together_is_refused_before_anything_starts() {
        for args in [
            &[][..],
            &["--target", "http://x", "--spawn"],
            &["--target", "http://x", "--pdp", "p"],
            &["--spawn", "--pid", "1"],
            &["--spawn", "--users", "0"],
            &["--spawn", "--duration", "10"],
            &["--spawn", "--duration", "0s"],
            &["--spawn", "--keep-alive", "maybe"],
            &["--spawn", "--password-file", "f"],
            &["--spawn", "--full"],
        ] {
            assert!(s3p(args).is_err(), "{args:?}");
        }
    }
}
