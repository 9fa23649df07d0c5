//! The command line. What can be checked without touching the target is checked in `plan`.

mod common;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};

use crate::scenario::Subject;
use crate::units::{parse_duration, parse_seconds};

pub use common::{Common, LoadOptions, OutputOptions, TargetOptions, YesNo};

const EXAMPLES: &str = "\
Examples:
  soak s3p --spawn --duration 60s --report out       start a pdp, load it for a minute, stop it
  soak s3p --target http://127.0.0.1:6969            load a service for 6000 s
  soak ramp --spawn --max-users 6 --step 60s         one user more every minute: where is the knee?
  soak rate --spawn --rate 2000 --duration 60s       2000 requests a second, come what may
  soak compare before/report.json after/report.json  what got slower, beyond noise
  soak rules > my.rules                              the default rules, to start from
  soak report out/report.json --report again         judge and render a stored run again

Exit codes:
  0 passed   1 a latency, throughput or error rule failed   2 bad command line, or no report could be written
  3 target not reachable or without the policies   4 wrong decisions   5 leak or drift
  6 regression against the baseline   7 run not valid   130 interrupted (the report is written all the same)";

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
    /// Requests timed in groups of M, the first few singly
    #[command(
        after_help = "Example:\n  soak groups --spawn --requests 10000 --group 100 --clients 2 --report out"
    )]
    Groups(Box<Groups>),
    /// One user, then two, and so on: the curve of throughput and delay, and its knee
    #[command(after_help = "Example:\n  soak ramp --spawn --max-users 6 --step 60s --report out")]
    Ramp(Box<Ramp>),
    /// Six actions with equal probability, one of them a deployment; instances come one by one
    #[command(
        after_help = "Example:\n  soak mix --spawn --instances 12 --duration 10m --report out"
    )]
    Mix(Box<Mix>),
    /// Virtual clients by threads: counts per minute, fairness
    #[command(
        after_help = "Example:\n  soak matrix --spawn --clients 3 --threads 1,5,10 --report out"
    )]
    Matrix(Box<Matrix>),
    /// Plain, TLS and mutual TLS, with and without credentials, new and kept connections: what each costs
    #[command(after_help = "Example:\n  soak secure --spawn --step 20s --report out")]
    Secure(Box<Secure>),
    /// A stream of requests at a fixed rate, whatever the answers take
    #[command(after_help = RATE_EXAMPLES)]
    Rate(Box<Rate>),
    /// Tell regressions from noise between stored runs
    #[command(
        after_help = "Example:\n  soak compare monday.json tuesday.json wednesday.json today.json"
    )]
    Compare(Compare),
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

const RATE_EXAMPLES: &str = "\
Examples:
  soak rate --spawn --rate 2000 --duration 60s --report out
  soak rate --spawn --rate 70% --of ramp/report.json --report out";

/// The published S3P method.
#[derive(Debug, Args)]
pub struct S3p {
    /// What every load has.
    #[command(flatten)]
    pub common: Common,
    /// Users per group; there are three groups
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Load")]
    pub users: u32,
    /// Length of the load: 90s, 10m, 1h30m
    #[arg(long, value_name = "TIME", default_value = "6000s", value_parser = parse_seconds, help_heading = "Load")]
    pub duration: Duration,
    /// Ask all seven decisions of the published plan, not three
    #[arg(long, help_heading = "Load")]
    pub full: bool,
}

/// Requests timed in groups.
#[derive(Debug, Args)]
pub struct Groups {
    /// What every load has.
    #[command(flatten)]
    pub common: Common,
    /// Requests of each client
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000), help_heading = "Load")]
    pub requests: u64,
    /// Requests in a group
    #[arg(long, value_name = "M", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000), help_heading = "Load")]
    pub group: u64,
    /// So many of the first requests are timed singly
    #[arg(long, value_name = "K", default_value_t = 15, value_parser = clap::value_parser!(u64).range(0..=1000), help_heading = "Load")]
    pub singly: u64,
    /// Clients at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100), help_heading = "Load")]
    pub clients: u32,
    /// Which decision is asked for
    #[arg(long, value_enum, default_value_t = Subject::Guard, help_heading = "Load")]
    pub subject: Subject,
}

/// One user more with each step.
#[derive(Debug, Args)]
pub struct Ramp {
    /// What every load has.
    #[command(flatten)]
    pub common: Common,
    /// Users in the last step
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=200), help_heading = "Load")]
    pub max_users: u32,
    /// Length of each step
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_seconds, help_heading = "Load")]
    pub step: Duration,
    /// What is left out at the start of each step [default: a sixth of it]
    #[arg(long, value_name = "TIME", value_parser = parse_seconds, help_heading = "Load")]
    pub drop: Option<Duration>,
    /// Which decision is asked for
    #[arg(long, value_enum, default_value_t = Subject::Guard, help_heading = "Load")]
    pub subject: Subject,
}

/// A random mixture of actions.
#[derive(Debug, Args)]
pub struct Mix {
    /// What every load has.
    #[command(flatten)]
    pub common: Common,
    /// Instances that act at once in the end
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=200), help_heading = "Load")]
    pub instances: u32,
    /// Each instance starts so long after the one before
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = parse_duration, help_heading = "Load")]
    pub spacing: Duration,
    /// Length of the load, from the first instance on
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = parse_seconds, help_heading = "Load")]
    pub duration: Duration,
}

/// Virtual clients by threads.
#[derive(Debug, Args)]
pub struct Matrix {
    /// What every load has.
    #[command(flatten)]
    pub common: Common,
    /// Virtual clients
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=50), help_heading = "Load")]
    pub clients: u32,
    /// Threads of each client, one step for each number
    #[arg(long, value_name = "N,...", default_value = "1,5,10", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=100), help_heading = "Load")]
    pub threads: Vec<u32>,
    /// Length of each step
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_seconds, help_heading = "Load")]
    pub step: Duration,
    /// Length of one row of the log
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = parse_seconds, help_heading = "Load")]
    pub interval: Duration,
    /// Which decision is asked for
    #[arg(long, value_enum, default_value_t = Subject::Guard, help_heading = "Load")]
    pub subject: Subject,
}

/// What security costs.
#[derive(Debug, Args)]
pub struct Secure {
    /// What every load has.
    #[command(flatten)]
    pub common: Common,
    /// The same service behind TLS
    #[arg(long, value_name = "URL", conflicts_with = "spawn", help_heading = "Target")]
    pub tls_target: Option<String>,
    /// The same service behind TLS with client certificates (--cert, --key)
    #[arg(
        long,
        value_name = "URL",
        conflicts_with = "spawn",
        requires = "cert",
        help_heading = "Target"
    )]
    pub mtls_target: Option<String>,
    /// Users in each step
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100), help_heading = "Load")]
    pub users: u32,
    /// Length of each step
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = parse_seconds, help_heading = "Load")]
    pub step: Duration,
    /// Which decision is asked for
    #[arg(long, value_enum, default_value_t = Subject::Guard, help_heading = "Load")]
    pub subject: Subject,
}

/// An open stream of requests.
#[derive(Debug, Args)]
pub struct Rate {
    /// What every load has.
    #[command(flatten)]
    pub common: Common,
    /// Requests per second, or a share such as 70% of what --of found
    #[arg(long, value_name = "N|P%", help_heading = "Load")]
    pub rate: String,
    /// The report.json of a ramp, for a rate in per cent
    #[arg(long, value_name = "FILE", help_heading = "Load")]
    pub of: Option<PathBuf>,
    /// Connections over which requests are sent
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Load")]
    pub connections: u32,
    /// Length of the load
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_seconds, help_heading = "Load")]
    pub duration: Duration,
    /// Which decision is asked for
    #[arg(long, value_enum, default_value_t = Subject::Guard, help_heading = "Load")]
    pub subject: Subject,
}

/// Stored runs.
#[derive(Debug, Args)]
pub struct Compare {
    /// The report.json of one or more earlier runs, then that of the run in question
    #[arg(value_name = "FILE", num_args = 2.., required = true)]
    pub files: Vec<PathBuf>,
    /// Compare runs of different modes, loads or machines all the same
    #[arg(long)]
    pub force: bool,
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
        assert_eq!((options.users, options.duration), (10, Duration::from_secs(6000)));
        assert_eq!(options.common.load.keep_alive, YesNo::Yes);
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
            &["--spawn", "--cert", "c.pem"],
            &["--spawn", "--key", "k.pem"],
        ] {
            assert!(s3p(args).is_err(), "{args:?}");
        }
    }
}
