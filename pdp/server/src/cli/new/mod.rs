//! `pdp new`: a policy to begin with, a request and a test of it.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::print;
use crate::failure::Failure;

const EXAMPLES: &str = "\
Examples:
  pdp new guard-minmax my-policies
  pdp new xacml documents/

Writes a commented policy, a request and a passing test into DIR, and says what to type next. DIR is
made where it is not there; no file is overwritten.
Exit codes: 0 written, 2 wrong command line, or one of the files is there already";

/// Write a policy to begin with, and a test of it
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct New {
    /// What the policy is about
    #[arg(value_enum)]
    kind: Kind,
    /// The folder for the files
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// A guard: so many operations in so much time
    GuardFrequency,
    /// A guard: not fewer and not more instances
    GuardMinmax,
    /// A configuration that a monitoring application fetches
    Monitoring,
    /// A policy in XACML 3.0
    Xacml,
}

/// A file to write: its name and what stands in it.
type Template = (&'static str, &'static str);

macro_rules! templates {
    ($($name:literal),+) => { &[$(($name, include_str!(concat!("templates/", $name)))),+] };
}

impl Kind {
    /// The files; the policy first, the request second.
    const fn templates(self) -> &'static [Template] {
        match self {
            Self::GuardFrequency => templates!(
                "guard.frequency.yaml",
                "guard.frequency.request.json",
                "guard.frequency.test.yaml"
            ),
            Self::GuardMinmax => templates!(
                "guard.minmax.yaml",
                "guard.minmax.request.json",
                "guard.minmax.test.yaml"
            ),
            Self::Monitoring => templates!(
                "monitoring.latency.yaml",
                "monitoring.latency.request.json",
                "monitoring.latency.test.yaml"
            ),
            Self::Xacml => {
                templates!("documents.xml", "documents.request.json", "documents.test.yaml")
            }
        }
    }
}

impl New {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        let files = self.kind.templates();
        let path = |name: &str| self.folder.join(name);
        if let Some((name, _)) =
            files.iter().find(|(name, _)| path(name).symlink_metadata().is_ok())
        {
            return Err(Failure::usage("the file is there already, nothing was written")
                .in_file(&path(name))
                .hint("give another folder, or move the file away"));
        }
        fs::create_dir_all(&self.folder).map_err(|error| unwritable(&self.folder, &error))?;
        for (name, text) in files {
            write_new(&path(name), text)?;
            print::line(format_args!("wrote {}", path(name).display()))?;
        }
        let request = quoted(&path(files[1].0));
        let folder = quoted(&self.folder);
        print::text(format_args!(
            "\nNext:
  pdp check {folder}
  pdp test {folder} --coverage
  pdp decide --policies {folder} --request {request} --explain
  pdp serve --policies {folder} --state none
"
        ))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Writes a file that must not be there.
fn write_new(path: &Path, text: &str) -> Result<(), Failure> {
    let written = File::create_new(path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &dyn Display) -> Failure {
    Failure::usage(format!("cannot be written: {error}"))
        .in_file(path)
        .hint("give a folder that you may write to")
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |letter: char| letter.is_alphanumeric() || "/._-+=:@".contains(letter);
    if text.chars().all(plain) && !text.is_empty() {
        text
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_where_a_shell_would_take_them_apart() {
        assert_eq!(quoted(Path::new("a/b-c.d")), "a/b-c.d");
        assert_eq!(quoted(Path::new("my policies/it's")), r"'my policies/it'\''s'");
    }
}
