//! The commands: what each prints, where it writes, and with which code it ends.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

use crate::measure::record::{RunRecord, RunResult, VerdictResult};
use crate::options::{Command, Compare, Options, Report};
use crate::plan::{self, OutputPlan, Plan, SetupError};
use crate::report::{html, json, junit, one_line, terminal, verdict_line};
use crate::run;
use crate::verdict::{self, exit, rules};

/// Runs the command line `args`; the exit code is the verdict.
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    let options = match Options::try_parse_from(&args) {
        Ok(options) => options,
        Err(error) => {
            // Help and version are not errors; everything else is a wrong command line.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { exit::USAGE } else { exit::PASS });
        }
    };
    let done = match options.command {
        Command::S3p(options) => load(Plan::s3p(&options, without_secrets(&args))),
        Command::Groups(options) => load(Plan::groups(&options, without_secrets(&args))),
        Command::Ramp(options) => load(Plan::ramp(&options, without_secrets(&args))),
        Command::Mix(options) => load(Plan::mix(&options, without_secrets(&args))),
        Command::Matrix(options) => load(Plan::matrix(&options, without_secrets(&args))),
        Command::Secure(options) => load(Plan::secure(&options, without_secrets(&args))),
        Command::Rate(options) => load(Plan::rate(&options, without_secrets(&args))),
        Command::Compare(options) => compare(&options),
        Command::Report(options) => report(&options),
        Command::Rules => print(rules::DEFAULT),
        Command::Schema => print(json::SCHEMA_TEXT),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

fn load(plan: Result<Plan, SetupError>) -> Result<u8, SetupError> {
    let plan = plan?;
    // What cannot be written now cannot be written in the end, and is told then.
    let write = |record: &RunRecord| {
        if let Some(folder) = &plan.output.reports {
            let _ = write_reports(record, folder);
        }
    };
    let interim: Option<run::Interim<'_>> =
        if plan.output.reports.is_some() { Some(&write) } else { None };
    let record = run::run(&plan, interim).inspect_err(|error| {
        if let Some(path) = &plan.output.verdict_file {
            // The error itself is told in any case.
            let _ =
                write_verdict(path, &format!("SOAK FAIL reason={}", one_line(&error.to_string())));
        }
    })?;
    publish(record, &plan.output)
}

/// Tells regressions from noise; 6 if there is one.
fn compare(options: &Compare) -> Result<u8, SetupError> {
    let mut runs: Vec<RunRecord> = Vec::new();
    for path in &options.files {
        runs.push(plan::stored(path, "")?);
    }
    let Some(after) = runs.pop() else {
        return Err(SetupError::Usage("name at least two reports".to_owned()));
    };
    let (baseline, verdict) = verdict::compare::judge(&runs, &after, options.force);
    let Some(baseline) = baseline else { return Err(SetupError::Usage(verdict.why)) };
    print(&terminal::comparison(&baseline, &after, &verdict))?;
    Ok(if verdict.result == VerdictResult::Fail { verdict.exit_code } else { exit::PASS })
}

fn report(options: &Report) -> Result<u8, SetupError> {
    let mut record = plan::stored(&options.file, "")?;
    let output = plan::output(&options.output)?;
    verdict::settle(&mut record, &output.rules, &output.baselines, output.force);
    publish(record, &output)
}

/// Writes the files and prints the report; gives the exit code. What was measured is told even where
/// the files cannot be written.
fn publish(mut record: RunRecord, output: &OutputPlan) -> Result<u8, SetupError> {
    let failure = output
        .reports
        .as_deref()
        .and_then(|folder| write_reports(&record, folder).err())
        .or_else(|| output.junit.as_deref().and_then(|path| write_junit(&record, path).err()));
    if let Some(failure) = &failure
        && record.exit_code != exit::INTERRUPTED
    {
        record.result = RunResult::Fail;
        record.exit_code = exit::USAGE;
        record.reason = failure.clone();
    }
    let text = if output.quiet {
        format!("{}\n", verdict_line(&record))
    } else {
        terminal::render(&record)
    };
    let told =
        output.verdict_file.as_deref().map(|path| write_verdict(path, &verdict_line(&record)));
    print(&text)?;
    told.transpose().map_err(SetupError::Usage)?;
    match (failure, &output.reports) {
        (Some(failure), _) => {
            let _ = writeln!(io::stderr(), "error: {failure}");
        }
        (None, Some(folder)) if !output.quiet => {
            let _ = writeln!(
                io::stderr(),
                "reports: {0}/report.html {0}/report.json",
                folder.display()
            );
        }
        _ => {}
    }
    Ok(record.exit_code)
}

/// Both files, each in full or not at all; the error names the one that is not there.
fn write_reports(record: &RunRecord, folder: &Path) -> Result<(), String> {
    let [json, html] = ["report.json", "report.html"].map(|name| folder.join(name));
    let told = |path: &Path, error: io::Error| format!("cannot write {} ({error})", path.display());
    put(&json, |file| json::write(record, file)).map_err(|error| told(&json, error))?;
    put(&html, |file| file.write_all(html::render(record).as_bytes()))
        .map_err(|error| told(&html, error))?;
    for path in [json, html] {
        fs::metadata(&path).map_err(|error| told(&path, error))?;
    }
    Ok(())
}

fn write_junit(record: &RunRecord, path: &Path) -> Result<(), String> {
    put(path, |file| file.write_all(junit::render(record).as_bytes()))
        .map_err(|error| format!("cannot write {} ({error})", path.display()))
}

/// Written in place: a container's termination log is a mount, which cannot be replaced.
fn write_verdict(path: &Path, line: &str) -> Result<(), String> {
    fs::write(path, format!("{line}\n"))
        .map_err(|error| format!("--verdict-file: cannot write {} ({error})", path.display()))
}

/// Writes under another name first, so that an older file stays until the new one is whole.
fn put(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let beside = plan::beside(path);
    let written = File::create(&beside)
        .and_then(|mut file| {
            write(&mut file)?;
            file.sync_all()
        })
        .and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // It may not even have been made.
        let _ = fs::remove_file(&beside);
    }
    written
}

fn print(text: &str) -> Result<u8, SetupError> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // Whoever reads may have seen enough.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(SetupError::Usage(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(exit::PASS),
    }
}

/// The command line as the record may show it: the values of headers can be secrets.
fn without_secrets(args: &[OsString]) -> Vec<String> {
    let mut hide = false;
    args.iter()
        .map(|arg| {
            let arg = arg.to_string_lossy().into_owned();
            let hidden = std::mem::replace(&mut hide, arg == "--header");
            let header = if hidden { Some(arg.as_str()) } else { arg.strip_prefix("--header=") };
            match header.map(|header| header.split(':').next().unwrap_or_default().to_owned()) {
                Some(name) if hidden => format!("{name}: (hidden)"),
                Some(name) => format!("--header={name}: (hidden)"),
                None => arg,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_headers_are_hidden() {
        let args = ["soak", "--header", "Authorization: Bearer x", "--header=X: y", "--users", "3"];
        let shown = without_secrets(&args.map(OsString::from));
        assert_eq!(
            shown,
            ["soak", "--header", "Authorization: (hidden)", "--header=X: (hidden)", "--users", "3"]
        );
    }
}
