//! The flags that all loads share.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, ValueEnum};

use crate::units::parse_duration;

/// What every load has.
#[derive(Debug, Args)]
pub struct Common {
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
    /// Address of the administration paths, where they have one of their own
    #[arg(long, value_name = "URL", requires = "target", conflicts_with = "spawn")]
    pub administration: Option<String>,
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
    /// Show this certificate (PEM, with its chain) to a service that asks for one
    #[arg(long, value_name = "FILE", requires = "key")]
    pub cert: Option<PathBuf>,
    /// The key of --cert (PEM)
    #[arg(long, value_name = "FILE", requires = "cert")]
    pub key: Option<PathBuf>,
    /// A further header for every request, `Name: value`; repeatable
    #[arg(long, value_name = "HEADER")]
    pub header: Vec<String>,
}

/// How the load is made, in any mode.
#[derive(Debug, Args)]
#[command(next_help_heading = "Load")]
pub struct LoadOptions {
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
    /// Ends the run after this time, whatever it is at; the report is written
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub deadline: Option<Duration>,
    /// Makes the requests' order repeatable [default: drawn, and printed]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..1 << 53))]
    pub seed: Option<u64>,
    /// Write every request as a line of JMeter's CSV result file, while the load runs
    #[arg(long, value_name = "FILE", help_heading = "Report")]
    pub jtl: Option<PathBuf>,
}

/// What is written and judged.
#[derive(Debug, Args)]
#[command(next_help_heading = "Report")]
pub struct OutputOptions {
    /// Write report.json and report.html into this folder
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Write the verdicts as JUnit XML, for CI systems
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write the verdict line into this file too, such as a container's /dev/termination-log
    #[arg(long, value_name = "FILE")]
    pub verdict_file: Option<PathBuf>,
    /// Judge by the rules in this file [default: those of `soak rules`]
    #[arg(long, value_name = "FILE")]
    pub rules: Option<PathBuf>,
    /// Fail if this run is worse than the stored one, beyond noise; repeatable, and three know the noise
    #[arg(long, value_name = "FILE")]
    pub baseline: Vec<PathBuf>,
    /// Compare with a baseline of another mode, load or machine all the same
    #[arg(long)]
    pub force: bool,
    /// Print the verdict line alone
    #[arg(long, short)]
    pub quiet: bool,
}

/// Yes or no, as a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum YesNo {
    /// Yes.
    Yes,
    /// No.
    No,
}
