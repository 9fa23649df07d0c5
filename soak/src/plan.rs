//! The plan of a run: everything settled and checked before the first request.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::Url;

use crate::options::{OutputOptions, S3p, TargetOptions, YesNo};
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
        /// Its process on this machine.
        pid: Option<u32>,
    },
    /// One to start and stop.
    Spawn {
        /// The binary.
        pdp: PathBuf,
        /// The policies it serves.
        policies: PathBuf,
    },
}

/// What is written and judged.
#[derive(Debug)]
pub struct OutputPlan {
    /// The rules.
    pub rules: Vec<Rule>,
    /// The folder of the report files, if they are asked for.
    pub reports: Option<PathBuf>,
    /// Only the verdict line.
    pub quiet: bool,
}

/// The whole plan.
#[derive(Debug)]
pub struct Plan {
    /// Which service.
    pub target: TargetPlan,
    /// How to speak to it.
    pub client: ClientSettings,
    /// How long to wait for its first answer.
    pub wait: Duration,
    /// Users per group.
    pub users: u32,
    /// The time axis.
    pub timing: Timing,
    /// The seed of the requests' order.
    pub seed: u64,
    /// What is written and judged.
    pub output: OutputPlan,
    /// The command line, without secrets.
    pub command: Vec<String>,
}

impl Plan {
    /// Checks the options and opens what can be opened.
    pub fn new(options: S3p, command: Vec<String>) -> Result<Self, SetupError> {
        let target = target(&options.target)?;
        let client = client(&options)?;
        let seconds = options.load.duration;
        if seconds.subsec_nanos() != 0 {
            return Err(SetupError::Usage(
                "--duration: give whole seconds, such as 90s".to_owned(),
            ));
        }
        Ok(Self {
            target,
            client,
            wait: options.target.wait,
            users: options.load.users,
            timing: Timing::of(options.load.duration),
            seed: options.load.seed.unwrap_or_else(|| crate::scenario::rng::random() >> 11),
            output: output(&options.output)?,
            command,
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
    Ok(OutputPlan { rules, reports: options.report.clone(), quiet: options.quiet })
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
        return Ok(TargetPlan::Spawn { pdp, policies });
    }
    let text = options.target.as_deref().unwrap_or_default();
    let hint = "write it like http://127.0.0.1:6969";
    let mut url = Url::parse(text).map_err(|error| {
        SetupError::Usage(format!("--target: `{text}` is not an address ({error}); {hint}"))
    })?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return Err(SetupError::Usage(format!(
            "--target: `{text}` is not an http or https address; {hint}"
        )));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(SetupError::Usage(
            "--target: leave credentials out of the address; use --user and --password-file"
                .to_owned(),
        ));
    }
    url.set_query(None);
    url.set_fragment(None);
    if !url.path().ends_with('/') {
        let path = format!("{}/", url.path());
        url.set_path(&path);
    }
    if let Some(pid) = options.pid
        && !crate::sampler::process::ProcessReader::new(pid).is_alive()
    {
        return Err(SetupError::Usage(format!("--pid: there is no process {pid} on this machine")));
    }
    Ok(TargetPlan::Attach { url, pid: options.pid })
}

fn client(options: &S3p) -> Result<ClientSettings, SetupError> {
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
            .trust_only(pem.as_bytes())
            .map_err(|error| SetupError::Usage(format!("--cacert: {}: {error}", path.display())))?;
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
