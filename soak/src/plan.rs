//! The plan of a run: everything settled and checked before the first request.

mod modes;
mod secure;
mod settle;

use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use reqwest::Url;

use crate::measure::endpoint::Endpoint;
use crate::measure::record::RunRecord;
use crate::options::Common;
use crate::scenario::laps::Quota;
use crate::scenario::{Cohort, Subject};
use crate::target::certificates::Certificates;
use crate::target::client::ClientSettings;
use crate::timing::Timing;
use crate::verdict::exit;
use crate::verdict::rules::Rule;

use settle::{address, client, target};
pub use settle::{beside, output, stored};

/// Why a run cannot begin, or had to be given up before it could measure anything.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The command line or a file it names is wrong.
    #[error("{0}")]
    Usage(String),
    /// The target does not answer or does not have what the run needs.
    #[error("{0}")]
    Target(String),
    /// Somebody stopped it.
    #[error("interrupted before the load began; nothing was measured")]
    Interrupted,
}

impl SetupError {
    /// The exit code.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => exit::USAGE,
            Self::Target(_) => exit::TARGET,
            Self::Interrupted => exit::INTERRUPTED,
        }
    }
}

/// Which service.
#[derive(Clone, Debug)]
pub enum TargetPlan {
    /// One that runs already.
    Attach {
        /// Its address.
        url: Url,
        /// The address of its administration paths, if it is another.
        administration: Option<Url>,
        /// Its process on this machine.
        pid: Option<u32>,
    },
    /// One to start and stop.
    Spawn {
        /// The binary.
        pdp: PathBuf,
        /// The policies it serves.
        policies: PathBuf,
        /// Further settings, as environment variables.
        settings: Vec<(String, String)>,
    },
}

/// What is written and judged.
#[derive(Debug)]
pub struct OutputPlan {
    /// The rules.
    pub rules: Vec<Rule>,
    /// The folder of the report files, if they are asked for.
    pub reports: Option<PathBuf>,
    /// The JUnit file, if it is asked for.
    pub junit: Option<PathBuf>,
    /// The file of the verdict line, if it is asked for.
    pub verdict_file: Option<PathBuf>,
    /// Earlier runs to compare with.
    pub baselines: Vec<RunRecord>,
    /// Compare with runs that are not alike.
    pub force: bool,
    /// Only the verdict line.
    pub quiet: bool,
}

/// The method of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// The published S3P plan.
    S3p,
    /// Requests timed in groups.
    Groups,
    /// One user more with each step.
    Ramp,
    /// A random mixture of actions.
    Mix,
    /// Virtual clients by threads.
    Matrix,
    /// What security costs.
    Secure,
    /// An open stream of requests.
    Rate,
}

impl Mode {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::S3p => "s3p",
            Self::Groups => "groups",
            Self::Ramp => "ramp",
            Self::Mix => "mix",
            Self::Matrix => "matrix",
            Self::Secure => "secure",
            Self::Rate => "rate",
        }
    }
}

/// One stretch of load.
#[derive(Clone, Debug)]
pub struct Leg {
    /// Its name in reports.
    pub label: String,
    /// Who makes it.
    pub cohorts: Vec<Cohort>,
    /// Its time axis.
    pub timing: Timing,
    /// What each user does before it stops, if the load is measured in requests.
    pub quota: Option<Quota>,
    /// Requests per second, if they are sent at intended times.
    pub pace: Option<f64>,
    /// Whether connections are kept.
    pub keep_alive: bool,
}

impl Leg {
    /// Users at once in the end.
    pub fn users(&self) -> u32 {
        self.cohorts.iter().map(|cohort| cohort.users).sum()
    }
}

/// One service and the loads that it gets.
#[derive(Clone, Debug)]
pub struct Station {
    /// Its name in reports, where there are several.
    pub label: String,
    /// Which service.
    pub target: TargetPlan,
    /// How to speak to it.
    pub client: ClientSettings,
    /// Whether credentials are sent.
    pub credentials: bool,
    /// Whether it must speak TLS.
    pub wants_tls: bool,
    /// One load after the other.
    pub legs: Vec<Leg>,
}

impl Station {
    /// Whether some user of it asks for this.
    pub fn asks(&self, endpoint: Endpoint) -> bool {
        let mut cohorts = self.legs.iter().flat_map(|leg| &leg.cohorts);
        cohorts.any(|cohort| cohort.activity.endpoints().contains(&endpoint))
    }
}

/// The whole plan.
#[derive(Debug)]
pub struct Plan {
    /// The method.
    pub mode: Mode,
    /// The services, one after the other.
    pub stations: Vec<Station>,
    /// How long to wait for a service's first answer.
    pub wait: Duration,
    /// The run ends after this time.
    pub deadline: Option<Duration>,
    /// The seed of the requests' order.
    pub seed: u64,
    /// The one decision that is asked for, in modes that ask for one.
    pub subject: Option<Subject>,
    /// Where every request is written as a line.
    pub jtl: Option<PathBuf>,
    /// What is written and judged.
    pub output: OutputPlan,
    /// The command line, without secrets.
    pub command: Vec<String>,
    /// Certificates made for this run, which go with the plan.
    pub certificates: Option<Certificates>,
}

impl Plan {
    /// All loads, in order.
    pub fn legs(&self) -> impl Iterator<Item = &Leg> {
        self.stations.iter().flat_map(|station| &station.legs)
    }

    /// Length of all loads together.
    pub fn duration(&self) -> Duration {
        self.legs().map(|leg| leg.timing.duration).sum()
    }

    /// What is common to all modes, checked; `stations` are for the mode to fill in.
    fn new(
        mode: Mode,
        common: &Common,
        subject: Option<Subject>,
        command: Vec<String>,
        stations: Vec<Station>,
    ) -> Result<Self, SetupError> {
        let jtl = common.load.jtl.clone();
        if let Some(path) = &jtl {
            File::create(path).map_err(|error| {
                SetupError::Usage(format!("--jtl: cannot write {}: {error}", path.display()))
            })?;
        }
        Ok(Self {
            mode,
            stations,
            wait: common.target.wait,
            deadline: common.load.deadline,
            seed: common.load.seed.unwrap_or_else(|| crate::scenario::rng::random() >> 11),
            subject,
            jtl,
            output: output(&common.output)?,
            command,
            certificates: None,
        })
    }
}
