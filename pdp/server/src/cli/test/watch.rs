//! Runs something again whenever a file changes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::mpsc;
use std::time::Duration;

use notify::{EventKind, RecursiveMode, Watcher};

use super::file::{self, TestFile};
use crate::cli::print;
use crate::failure::Failure;

/// Editors write a file in several steps; what comes within this time is one change.
const SETTLES: Duration = Duration::from_millis(100);

/// Runs, waits for a change, and runs again, until the process is ended.
///
/// # Errors
/// A folder cannot be watched, or nobody reads the results any more.
pub(super) fn forever(
    paths: &[PathBuf],
    mut run: impl FnMut() -> Result<(), Failure>,
) -> Result<ExitCode, Failure> {
    let (sender, changes) = mpsc::channel();
    let failed = |error: notify::Error| {
        Failure::environment(format!("files cannot be watched: {error}"))
            .hint("run without --watch, or raise fs.inotify.max_user_watches")
    };
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Reading a file is no change of it.
        if event
            .map_or(true, |event| !matches!(event.kind, EventKind::Access(_)) && matters(&event))
        {
            // The receiver goes with the process.
            let _ = sender.send(());
        }
    })
    .map_err(failed)?;
    let mut watched: BTreeSet<PathBuf> = BTreeSet::new();
    loop {
        // Which files matter can change with each of them.
        for folder in folders(paths) {
            if !watched.contains(&folder) {
                watcher.watch(&folder, RecursiveMode::Recursive).map_err(failed)?;
                watched.insert(folder);
            }
        }
        run()?;
        print::remark("watching; Ctrl-C ends");
        if changes.recv().is_err() {
            return Ok(ExitCode::SUCCESS);
        }
        while changes.recv_timeout(SETTLES).is_ok() {}
    }
}

/// Whether something of it may be a test, a policy or a request. Results that are written beside them
/// are none.
fn matters(event: &notify::Event) -> bool {
    let read = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let extension = path.extension().and_then(|extension| extension.to_str());
        !name.starts_with('.') && matches!(extension, Some("yaml" | "yml" | "json" | "xml") | None)
    };
    event.paths.is_empty() || event.paths.iter().any(read)
}

/// The folders of the tests, and of the policies and requests that they name.
fn folders(paths: &[PathBuf]) -> BTreeSet<PathBuf> {
    let mut folders: BTreeSet<PathBuf> = paths.iter().filter_map(|path| folder(path)).collect();
    for file in file::find(paths).unwrap_or_default() {
        let Ok(tests) = TestFile::read(&file) else { continue };
        folders.extend(tests.policies.iter().filter_map(|path| folder(path)));
        folders.extend(tests.requests().filter_map(folder));
    }
    folders
}

fn folder(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    if path.is_dir() { Some(path) } else { path.parent().map(Path::to_owned) }
}
