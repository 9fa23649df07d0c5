//! Notices that files have changed.
//!
//! The system tells of changes below the watched folders; whatever it tells, the files are compared
//! with what was read. So it does not matter how a change was made: by writing, by renaming, or, as
//! Kubernetes does it for a mounted ConfigMap, by turning the link `..data` to another folder. A
//! slow comparison without being told is the safety net, for network file systems and the like.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use notify::{ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::Store;
use crate::priority::yield_to_decisions;

/// A change is seldom alone: an editor writes several times, a copy brings many files.
const SETTLING: Duration = Duration::from_millis(100);
/// Changes that never end are followed all the same.
const MOST_SETTLING: u32 = 4;
/// How often folders are gone through in vain while others below them go.
const MOST_WALKS: u32 = 5;
/// How long to wait where nothing is told.
const UNTOLD: Duration = Duration::from_secs(5);

/// Follows the files of a store until it is dropped.
#[derive(Debug)]
pub struct Watch {
    stop: Sender<Signal>,
    thread: Option<JoinHandle<()>>,
}

enum Signal {
    Changed,
    Stop,
}

impl Watch {
    /// Begins to follow the files of `store`.
    pub fn start(store: Arc<Store>) -> Self {
        let (stop, signals) = mpsc::channel();
        let told = stop.clone();
        let run = move || {
            let watcher = watcher(&store.sources.paths, told);
            follow(&store, &signals, watcher);
        };
        let thread = thread::Builder::new().name("policy-files".into()).spawn(run);
        if let Err(error) = &thread {
            tracing::error!("changes of policy files will not be noticed: {error}");
        }
        Self { stop, thread: thread.ok() }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.stop.send(Signal::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn follow(store: &Store, signals: &Receiver<Signal>, mut watcher: Option<RecommendedWatcher>) {
    yield_to_decisions();
    loop {
        match signals.recv_timeout(UNTOLD) {
            Ok(Signal::Changed) => {
                for _ in 0..MOST_SETTLING {
                    match signals.recv_timeout(SETTLING) {
                        Ok(Signal::Changed) => {}
                        Ok(Signal::Stop) => return,
                        Err(_) => break,
                    }
                    // What has been told meanwhile is one and the same news.
                    while let Ok(signal) = signals.try_recv() {
                        if matches!(signal, Signal::Stop) {
                            return;
                        }
                    }
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return,
        }
        if store.follow_files()
            && let Some(watcher) = &mut watcher
        {
            // A folder that was replaced is another folder for the system.
            watch(watcher, &store.sources.paths);
        }
    }
}

fn watcher(paths: &[PathBuf], told: Sender<Signal>) -> Option<RecommendedWatcher> {
    let tell = move |event: notify::Result<Event>| {
        let read_only =
            event.as_ref().is_ok_and(|event| matches!(event.kind, EventKind::Access(_)));
        if !read_only {
            let _ = told.send(Signal::Changed);
        }
    };
    match notify::recommended_watcher(tell) {
        Ok(mut watcher) => {
            watch(&mut watcher, paths);
            Some(watcher)
        }
        Err(error) => {
            tracing::warn!("changes of policy files are noticed late: {error}");
            None
        }
    }
}

fn watch(watcher: &mut RecommendedWatcher, paths: &[PathBuf]) {
    for path in paths {
        // A file is watched through its folder, since it may be replaced by another.
        let (at, mode) = if path.is_dir() {
            (path.as_path(), RecursiveMode::Recursive)
        } else {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            (folder.unwrap_or(Path::new(".")), RecursiveMode::NonRecursive)
        };
        let mut watched = watcher.watch(at, mode);
        for _ in 1..MOST_WALKS {
            // A folder that goes meanwhile ends the walk before it has seen the others.
            if !watched.as_ref().is_err_and(is_of_what_has_gone) {
                break;
            }
            watched = watcher.watch(at, mode);
        }
        if let Err(error) = watched {
            tracing::warn!(path = %at.display(), "changes are noticed late: {error}");
        }
    }
}

fn is_of_what_has_gone(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound => true,
        ErrorKind::Io(error) => error.kind() == io::ErrorKind::NotFound,
        _ => false,
    }
}
