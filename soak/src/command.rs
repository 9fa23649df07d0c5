//! The commands: what each prints, where it writes, and with which code it ends.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

use crate::measure::record::{RunRecord, RunResult};
use crate::options::{Command, Options, Report, S3p};
use crate::plan::{self, OutputPlan, Plan, SetupError};
use crate::report::{html, json, terminal, verdict_line};
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
        Command::S3p(options) => s3p(*options, without_secrets(&args)),
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

fn s3p(options: S3p, command: Vec<String>) -> Result<u8, SetupError> {
    let plan = Plan::new(options, command)?;
    publish(run::run(&plan)?, &plan.output)
}

fn report(options: &Report) -> Result<u8, SetupError> {
    let path = options.file.display();
    let text = std::fs::read_to_string(&options.file)
        .map_err(|error| SetupError::Usage(format!("cannot read {path}: {error}")))?;
    let mut record =
        json::read(&text).map_err(|error| SetupError::Usage(format!("{path}: {error}")))?;
    let output = plan::output(&options.output)?;
    verdict::settle(&mut record, &output.rules);
    publish(record, &output)
}

/// Writes the files and prints the report; gives the exit code. What was measured is told even where
/// the files cannot be written.
fn publish(mut record: RunRecord, output: &OutputPlan) -> Result<u8, SetupError> {
    let failure = output.reports.as_deref().and_then(|folder| write_reports(&record, folder).err());
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
    print(&text)?;
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
