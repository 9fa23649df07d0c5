//! Which files hold policies.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, io};

use pdp_engine::error::Severity;
use pdp_onap::Application;
use walkdir::WalkDir;

use super::build::Combining;
use super::problem::{Problem, Problems};
use crate::config::{Config, History, Limits, Policies};
use crate::failure::Failure;

/// Where policies come from, and what is to become of them.
#[derive(Clone, Debug)]
pub struct Sources {
    /// Files and folders.
    pub paths: Vec<PathBuf>,
    /// How XACML roots are combined.
    pub combining: Combining,
    /// Applications whose policies are not wanted.
    pub excluded: Vec<Application>,
    /// How long operations are kept: no policy may look further back.
    pub retention: Duration,
    /// The largest file, in bytes.
    pub file_bytes: u64,
    /// A refused policy is a failure.
    pub strict: bool,
    /// Frequency limiters say what their Permits rest on, so that these can be recorded.
    pub record_permits: bool,
}

impl Sources {
    /// The sources that a service's configuration names.
    ///
    /// # Errors
    /// A path is not there.
    pub fn of(config: &Config, excluded: &[Application]) -> Result<Self, Failure> {
        let mut sources = Self {
            paths: config.policies.paths.clone(),
            combining: Combining::of(&config.xacml)?,
            excluded: excluded.to_vec(),
            retention: config.history.retention.get(),
            file_bytes: config.limits.policy_bytes,
            strict: config.policies.strict,
            record_permits: config.guard.record_permits,
        };
        // Nobody asked for the default folder, so nobody has to have it.
        if sources.paths == Policies::default().paths && !sources.paths[0].exists() {
            tracing::warn!(
                "there is no folder `{}`: no policies are loaded",
                sources.paths[0].display()
            );
            sources.paths.clear();
        }
        sources.check_paths()?;
        Ok(sources)
    }

    /// The sources that a command names.
    ///
    /// # Errors
    /// A path is not there.
    pub fn of_paths(paths: &[PathBuf], combining: Combining) -> Result<Self, Failure> {
        let sources = Self {
            paths: paths.to_vec(),
            combining,
            excluded: Vec::new(),
            retention: History::default().retention.get(),
            file_bytes: Limits::default().policy_bytes,
            strict: false,
            record_permits: false,
        };
        sources.check_paths()?;
        Ok(sources)
    }

    fn check_paths(&self) -> Result<(), Failure> {
        match self.paths.iter().find(|path| !path.exists()) {
            Some(path) if path.is_symlink() => {
                Err(Failure::usage("the link leads to no file or folder").in_file(path).hint(
                    "`ls -l` shows where it should lead; in a container the volume may be missing",
                ))
            }
            Some(path) => Err(Failure::usage("there is no such file or folder")
                .in_file(path)
                .hint("paths are taken from the folder that the command is run in")),
            None => Ok(()),
        }
    }

    /// The files to read, folders with all that is in them, each file once.
    pub(super) fn files(&self, problems: &mut Problems) -> Vec<Arc<Path>> {
        let mut files: Vec<Arc<Path>> = Vec::new();
        for path in &self.paths {
            let at: Arc<Path> = Arc::from(path.as_path());
            match fs::metadata(path) {
                Ok(it) if it.is_dir() => below(&at, &mut files, problems),
                Ok(_) => files.push(at),
                Err(_) => problems.push(away(&at)),
            }
        }
        let mut seen = std::collections::HashSet::new();
        files
            .retain(|file| seen.insert(file.canonicalize().unwrap_or_else(|_| file.to_path_buf())));
        files
    }

    /// The files that are there, and the folders that cannot be looked at.
    pub(super) fn present(&self, problems: &mut Problems) -> (Vec<Arc<Path>>, Vec<Arc<Path>>) {
        let order = self.files(problems);
        let away = problems.iter().filter(|problem| problem.severity == Severity::Error);
        let away = away.map(|problem| Arc::clone(&problem.file)).collect();
        (order, away)
    }

    /// Whether a file has gone since it was listed, which is no fault: files come and go. One that is
    /// named by its own path is to be there.
    pub(super) fn has_gone(&self, file: &Path) -> bool {
        is_gone(file) && !self.paths.iter().any(|path| path == file)
    }
}

/// Adds the files of a folder.
fn below(folder: &Arc<Path>, files: &mut Vec<Arc<Path>>, problems: &mut Problems) {
    let before = files.len();
    let walk = WalkDir::new(folder)
        .follow_links(true)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(|entry| entry.depth() == 0 || !is_hidden(entry.file_name()));
    for entry in walk {
        match entry {
            Ok(entry) if entry.file_type().is_file() && holds_policies(entry.path()) => {
                files.push(Arc::from(entry.path()));
            }
            Ok(_) => {}
            Err(error) => {
                let at: Arc<Path> = error.path().map_or_else(|| Arc::clone(folder), Arc::from);
                if is_gone(&at) {
                    if error.depth() > 0 {
                        continue;
                    }
                    problems.push(away(folder));
                    return;
                }
                let reason = error.io_error().map_or_else(
                    || "a link leads back to a folder above it".to_owned(),
                    |error| match at.is_symlink() {
                        true => format!(
                            "the link leads to no file ({error}): remove it, or mend what it names"
                        ),
                        false => error.to_string(),
                    },
                );
                problems.push(Problem::of_file(&at, Severity::Error, "unreadable", reason));
            }
        }
    }
    if files.len() == before {
        let message = "the folder holds no policies (.yaml, .yml, .json or .xml)";
        problems.push(Problem::of_file(folder, Severity::Warning, "empty-folder", message));
    }
}

/// A file or folder that is named, and away: nobody said that its policies are to go.
fn away(at: &Arc<Path>) -> Problem {
    let message = "there is no such file or folder any more: its policies go on deciding";
    Problem::of_file(at, Severity::Error, "unreadable", message)
}

/// A link that leads nowhere is still there.
fn is_gone(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// Requests, answers, tests and schemas stand beside policies and are none.
fn holds_policies(path: &Path) -> bool {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let known =
        matches!(path.extension().and_then(OsStr::to_str), Some("yaml" | "yml" | "json" | "xml"));
    known
        && !name.contains(".request.")
        && !name.contains(".response.")
        && !name.ends_with(".test.yaml")
        && !name.ends_with(".schema.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_gone_is_told_from_what_cannot_be_read() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let at = |name: &str| folder.path().join(name);
        let combining = Combining::of(&crate::config::Xacml::default()).expect("it names none");
        fs::write(at("there.yaml"), "").expect("the folder is writable");
        std::os::unix::fs::symlink("nowhere", at("link.yaml")).expect("the folder takes links");
        let named = Sources::of_paths(&[at("there.yaml")], combining).expect("it is there");
        fs::remove_file(at("there.yaml")).expect("it is there");
        for (name, gone) in [("vanished.yaml", true), ("link.yaml", false), ("there.yaml", false)] {
            assert_eq!(named.has_gone(&at(name)), gone, "{name}");
        }
        let mut problems = Problems::default();
        assert!(named.files(&mut problems).is_empty());
        let told = problems.iter().map(ToString::to_string).collect::<String>();
        assert!(told.contains("go on deciding"), "{told}");
    }

    #[test]
    fn what_stands_beside_policies_is_skipped() {
        for name in ["a.yaml", "a.yml", "a.json", "a.xml", "a.b.xml", "request.xml"] {
            assert!(holds_policies(Path::new(name)), "{name}");
        }
        for name in [
            "a.request.json",
            "a.response.xml",
            "a.test.yaml",
            "a.schema.json",
            "README.md",
            "a.yaml~",
            "a",
        ] {
            assert!(!holds_policies(Path::new(name)), "{name}");
        }
    }
}
