//! The plan of a run: everything settled and checked before the first request.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use reqwest::Url;

use crate::measure::record::PhaseName;
use crate::options::{OutputOptions, S3p, TargetOptions, YesNo};
use crate::target::client::ClientSettings;
use crate::verdict::exit;
use crate::verdict::rules::{self, Rule};

/// Longer runs get longer intervals, so that no report grows without end.
const MOST_INTERVALS: u64 = 1200;
/// A service without load is watched for so long after a run that is long enough to matter.
const COOLDOWN: Duration = Duration::from_secs(30);
const COOLDOWN_FROM: Duration = Duration::from_secs(600);

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

/// The parts of the run on its time axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Length of the load.
    pub duration: Duration,
    /// Length of the warm-up within it.
    pub warmup: Duration,
    /// One row of the report.
    pub interval: Duration,
    /// How long the service is watched after the load.
    pub cooldown: Duration,
}

impl Timing {
    /// The timing of a load of that length.
    pub fn of(duration: Duration) -> Self {
        let seconds = duration.as_secs_f64();
        let interval = match seconds {
            s if s <= 600.0 => 1,
            s if s <= 5.0 * MOST_INTERVALS as f64 => 5,
            s => (s / MOST_INTERVALS as f64).ceil() as u64,
        };
        // A tenth, in whole intervals, at most a minute; too short a run has none to give away.
        let whole = (seconds / 10.0 / interval as f64).ceil() as u64 * interval;
        let warmup = if seconds < 4.0 { 0 } else { whole.min(60).max(interval) };
        Self {
            duration,
            warmup: Duration::from_secs(warmup),
            interval: Duration::from_secs(interval),
            cooldown: if duration >= COOLDOWN_FROM { COOLDOWN } else { Duration::ZERO },
        }
    }

    /// The phase that an interval ending at `t` seconds belongs to.
    pub fn phase(&self, t: f64) -> PhaseName {
        // An edge is reached a little late, never early.
        if t <= self.warmup.as_secs_f64() + self.interval.as_secs_f64() / 2.0
            && !self.warmup.is_zero()
        {
            PhaseName::Warmup
        } else {
            PhaseName::Steady
        }
    }
}

/// Where the reports go; the files are open before the run begins.
#[derive(Debug)]
pub struct ReportFiles {
    /// The folder.
    pub folder: PathBuf,
    /// report.json
    pub json: File,
    /// report.html
    pub html: File,
}

/// What is written and judged.
#[derive(Debug)]
pub struct OutputPlan {
    /// The rules.
    pub rules: Vec<Rule>,
    /// The report files, if any are asked for.
    pub files: Option<ReportFiles>,
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

/// Reads the rules and opens the report files.
pub fn output(options: &OutputOptions) -> Result<OutputPlan, SetupError> {
    let rules = match &options.rules {
        None => rules::parse(rules::DEFAULT)
            .map_err(|errors| rule_errors(Path::new("default rules"), &errors))?,
        Some(path) => {
            let text = read(path, "--rules")?;
            rules::parse(&text).map_err(|errors| rule_errors(path, &errors))?
        }
    };
    let files = options.report.as_deref().map(open_reports).transpose()?;
    Ok(OutputPlan { rules, files, quiet: options.quiet })
}

fn open_reports(folder: &Path) -> Result<ReportFiles, SetupError> {
    let refuse = |path: &Path, error: std::io::Error| {
        SetupError::Usage(format!(
            "--report: cannot write {}: {error}; name a folder that may be written to",
            path.display()
        ))
    };
    std::fs::create_dir_all(folder).map_err(|error| refuse(folder, error))?;
    let open = |name: &str| {
        let path = folder.join(name);
        // An older report stays until there is a new one to put in its place.
        File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| refuse(&path, error))
    };
    Ok(ReportFiles {
        folder: folder.to_owned(),
        json: open("report.json")?,
        html: open("report.html")?,
    })
}

fn rule_errors(path: &Path, errors: &[rules::RuleError]) -> SetupError {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(seconds: u64) -> (u64, u64, u64) {
        let timing = Timing::of(Duration::from_secs(seconds));
        (timing.interval.as_secs(), timing.warmup.as_secs(), timing.cooldown.as_secs())
    }

    #[test]
    fn intervals_and_warm_up_follow_the_length() {
        assert_eq!(timing(1), (1, 0, 0));
        assert_eq!(timing(5), (1, 1, 0));
        assert_eq!(timing(60), (1, 6, 0));
        assert_eq!(timing(600), (1, 60, 30));
        assert_eq!(timing(601), (5, 60, 30));
        assert_eq!(timing(6000), (5, 60, 30));
        assert_eq!(timing(72 * 3600), (216, 216, 30));
    }

    #[test]
    fn no_run_has_more_intervals_than_a_report_can_show() {
        for seconds in [600, 601, 6000, 6001, 86_400, 7 * 86_400] {
            let timing = Timing::of(Duration::from_secs(seconds));
            assert!(seconds.div_ceil(timing.interval.as_secs()) <= MOST_INTERVALS, "{seconds}");
        }
    }

    #[test]
    fn phases_follow_the_time_axis() {
        let timing = Timing::of(Duration::from_secs(60));
        assert_eq!(timing.phase(1.0), PhaseName::Warmup);
        assert_eq!(timing.phase(6.02), PhaseName::Warmup);
        assert_eq!(timing.phase(7.0), PhaseName::Steady);
        assert_eq!(Timing::of(Duration::from_secs(2)).phase(1.0), PhaseName::Steady);
    }
}
