//! What the flags of all modes mean: checked, read, and told with a hint where they are wrong.

use std::fs::File;
use std::path::{Path, PathBuf};

use reqwest::Url;

use super::{OutputPlan, SetupError, TargetPlan};
use crate::measure::record::RunRecord;
use crate::options::{Common, OutputOptions, TargetOptions, YesNo};
use crate::report::json;
use crate::target::client::ClientSettings;
use crate::verdict::parse::{self, RuleError};
use crate::verdict::rules;

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

pub(super) fn target(options: &TargetOptions) -> Result<TargetPlan, SetupError> {
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
pub(super) fn address(flag: &str, text: &str) -> Result<Url, SetupError> {
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

pub(super) fn client(options: &Common) -> Result<ClientSettings, SetupError> {
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
