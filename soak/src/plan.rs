//! The plan of a run: everything settled and checked before the first request.

mod modes;
mod secure;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::Url;

use crate::measure::endpoint::Endpoint;
use crate::measure::record::RunRecord;
use crate::options::{Common, OutputOptions, TargetOptions, YesNo};
use crate::report::json;
use crate::scenario::laps::Quota;
use crate::scenario::{Cohort, Subject};
use crate::target::certificates::Certificates;
use crate::target::client::ClientSettings;
use crate::timing::Timing;
use crate::verdict::exit;
use crate::verdict::parse::{self, RuleError};
use crate::verdict::rules::{self, Rule};

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

/// Reads the rules and tries the report folder.
pub fn output(options: &OutputOptions) -> Result<OutputPlan, SetupError> {
    let rules = match &options.rules {
        None => parse::parse(rules::DEFAULT)
            .map_err(|errors| rule_errors(Path::new("default rules"), &errors))?,
        Some(path) => {
            let text = read(path, "--rules")?;
            parse::parse(&text).map_err(|errors| rule_errors(path, &errors))?
        }
    };
    options.report.as_deref().map(try_reports).transpose()?;
    if let Some(path) = &options.verdict_file {
        File::options().create(true).append(true).open(path).map_err(|error| {
            SetupError::Usage(format!("--verdict-file: cannot write {}: {error}", path.display()))
        })?;
    }
    let baselines: Result<Vec<RunRecord>, SetupError> =
        options.baseline.iter().map(|path| stored(path, "--baseline: ")).collect();
    Ok(OutputPlan {
        rules,
        reports: options.report.clone(),
        junit: options.junit.clone(),
        verdict_file: options.verdict_file.clone(),
        baselines: baselines?,
        force: options.force,
        quiet: options.quiet,
    })
}

/// A stored run.
pub fn stored(path: &Path, flag: &str) -> Result<RunRecord, SetupError> {
    let shown = path.display();
    let text = std::fs::read_to_string(path)
        .map_err(|error| SetupError::Usage(format!("{flag}cannot read {shown}: {error}")))?;
    json::read(&text).map_err(|error| SetupError::Usage(format!("{flag}{shown}: {error}")))
}

/// Makes the folder and finds out whether reports can be written into it.
fn try_reports(folder: &Path) -> Result<(), SetupError> {
    let refuse = |path: &Path, error: std::io::Error| {
        SetupError::Usage(format!(
            "--report: cannot write {}: {error}; name a folder that may be written to",
            path.display()
        ))
    };
    std::fs::create_dir_all(folder).map_err(|error| refuse(folder, error))?;
    for name in ["report.json", "report.html"] {
        let path = folder.join(name);
        if path.is_dir() {
            return Err(refuse(&path, std::io::ErrorKind::IsADirectory.into()));
        }
        let beside = beside(&path);
        File::create(&beside)
            .and_then(|_| std::fs::remove_file(&beside))
            .map_err(|error| refuse(&path, error))?;
    }
    Ok(())
}

/// The name under which a file is written until it is whole.
pub fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    name.into()
}

fn rule_errors(path: &Path, errors: &[RuleError]) -> SetupError {
    let lines: Vec<String> = errors
        .iter()
        .map(|error| {
            format!("{}:{}:{}: {}", path.display(), error.line, error.column, error.message)
        })
        .collect();
    SetupError::Usage(format!("{}\nhint: `soak rules` prints a file that works", lines.join("\n")))
}

fn target(options: &TargetOptions) -> Result<TargetPlan, SetupError> {
    if options.spawn {
        let pdp = match &options.pdp {
            Some(path) => path.clone(),
            None => beside_soak("pdp"),
        };
        if !pdp.is_file() {
            let hint = if options.pdp.is_some() {
                "check --pdp"
            } else {
                "build it, or name one with --pdp PATH"
            };
            return Err(SetupError::Usage(format!(
                "--spawn: there is no binary {}; {hint}",
                pdp.display()
            )));
        }
        let policies = match &options.policies {
            Some(path) => path.clone(),
            None => find_policies().ok_or_else(|| {
                SetupError::Usage(
                    "--spawn: no `policies` folder above the current folder or soak itself; name one with --policies DIR"
                        .to_owned(),
                )
            })?,
        };
        if !policies.exists() {
            return Err(SetupError::Usage(format!(
                "--policies: {} does not exist",
                policies.display()
            )));
        }
        return Ok(TargetPlan::Spawn { pdp, policies, settings: Vec::new() });
    }
    let url = address("--target", options.target.as_deref().unwrap_or_default())?;
    if let Some(pid) = options.pid
        && !crate::sampler::process::ProcessReader::new(pid).is_alive()
    {
        return Err(SetupError::Usage(format!("--pid: there is no process {pid} on this machine")));
    }
    let administration = options.administration.as_deref();
    let administration =
        administration.map(|text| address("--administration", text)).transpose()?;
    Ok(TargetPlan::Attach { url, administration, pid: options.pid })
}

/// The address of a service, ending in `/`.
fn address(flag: &str, text: &str) -> Result<Url, SetupError> {
    let hint = "write it like http://127.0.0.1:6969";
    let mut url = Url::parse(text).map_err(|error| {
        SetupError::Usage(format!("{flag}: `{text}` is not an address ({error}); {hint}"))
    })?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return Err(SetupError::Usage(format!(
            "{flag}: `{text}` is not an http or https address; {hint}"
        )));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(SetupError::Usage(format!(
            "{flag}: leave credentials out of the address; use --user and --password-file"
        )));
    }
    url.set_query(None);
    url.set_fragment(None);
    if !url.path().ends_with('/') {
        let path = format!("{}/", url.path());
        url.set_path(&path);
    }
    Ok(url)
}

fn client(options: &Common) -> Result<ClientSettings, SetupError> {
    let mut settings =
        ClientSettings::new(options.load.timeout, options.load.keep_alive == YesNo::Yes);
    if let Some(user) = &options.target.user {
        let password = match &options.target.password_file {
            Some(path) => read(path, "--password-file")?.trim_end_matches(['\r', '\n']).to_owned(),
            None => std::env::var("SOAK_PASSWORD").map_err(|_| {
                SetupError::Usage(
                    "--user: no password; give --password-file FILE or set the variable SOAK_PASSWORD".to_owned(),
                )
            })?,
        };
        settings
            .basic_auth(user, &password)
            .map_err(|error| SetupError::Usage(format!("--user: {error}")))?;
    }
    for header in &options.target.header {
        settings.header(header).map_err(|error| SetupError::Usage(format!("--header: {error}")))?;
    }
    if let Some(path) = &options.target.cacert {
        let pem = read(path, "--cacert")?;
        settings
            .trust
            .trust_only(pem.as_bytes())
            .map_err(|error| SetupError::Usage(format!("--cacert: {}: {error}", path.display())))?;
    }
    if let (Some(cert), Some(key)) = (&options.target.cert, &options.target.key) {
        let (chain, key_pem) = (read(cert, "--cert")?, read(key, "--key")?);
        settings.trust.identify(chain.as_bytes(), key_pem.as_bytes()).map_err(|error| {
            SetupError::Usage(format!("--cert {} --key {}: {error}", cert.display(), key.display()))
        })?;
    }
    Ok(settings)
}

fn read(path: &Path, flag: &str) -> Result<String, SetupError> {
    std::fs::read_to_string(path).map_err(|error| {
        SetupError::Usage(format!("{flag}: cannot read {}: {error}", path.display()))
    })
}

fn beside_soak(name: &str) -> PathBuf {
    std::env::current_exe()
        .ok()
        .and_then(|exe| Some(exe.parent()?.join(name)))
        .unwrap_or_else(|| PathBuf::from(name))
}

/// The nearest folder `policies` above the current folder, else above this binary.
fn find_policies() -> Option<PathBuf> {
    let starts = [std::env::current_dir().ok(), std::env::current_exe().ok()];
    starts.into_iter().flatten().find_map(|start| {
        start.ancestors().map(|folder| folder.join("policies")).find(|candidate| candidate.is_dir())
    })
}
