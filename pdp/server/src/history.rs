//! The operations history that the configuration names.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::SignedDuration;
use pdp_history::breaker::Deadlines;
use pdp_history::connect::{Remote, RemoteSettings};
use pdp_history::embedded::FileError;
use pdp_history::{AnchoredClock, AsyncHistory, EmbeddedHistory, MemoryHistory, Settings};
use pdp_onap::history::HistoryError;

use crate::config::{Config, History};
use crate::failure::Failure;
use crate::state::StateFolder;

/// The file in the state folder.
pub const FILE: &str = "history.db";
/// From this many seconds on a clock is worth a word.
const APART: i64 = 5;
/// Between two looks at a shared history.
const LOOK: Duration = Duration::from_secs(1);

/// The history, and how each worker comes to it.
#[derive(Debug)]
pub struct Histories {
    source: Source,
    /// A shared history has been reached, and how it is set up is known.
    known: AtomicBool,
}

#[derive(Debug)]
enum Source {
    /// In this process, the same for all workers.
    Local(Arc<dyn AsyncHistory>),
    /// Behind a network; each worker connects for itself.
    Shared(Remote),
}

impl Histories {
    /// Opens the history.
    ///
    /// # Errors
    /// There is no such history, or it cannot be opened or reached.
    pub fn open(config: &Config, state: Option<&StateFolder>) -> Result<Self, Failure> {
        let setting = &config.history;
        let local = |history| Self { source: Source::Local(history), known: AtomicBool::new(true) };
        match (setting.url.as_str(), state) {
            ("memory", _) | ("embedded", None) => {
                Ok(local(Arc::new(memory(setting, AnchoredClock::start()))))
            }
            ("embedded", Some(folder)) => embedded(setting, folder).map(local),
            _ => Self::reach(setting),
        }
    }

    fn reach(setting: &History) -> Result<Self, Failure> {
        let remote = remote(setting)?;
        let histories = Self { source: Source::Shared(remote), known: AtomicBool::new(false) };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::environment(format!("no thread can be started: {error}")))?;
        match runtime.block_on(histories.check()) {
            Ok(()) => Ok(histories),
            Err(error) if setting.required => {
                Err(Failure::environment(error.to_string()).at("setting history.url").hint(
                    "with `history.required: false` the service starts without it and is not ready",
                ))
            }
            Err(error) => {
                tracing::warn!("{error}: the service is not ready until it answers");
                Ok(histories)
            }
        }
    }

    /// Looks at how a shared history is set up, once.
    async fn check(&self) -> Result<(), HistoryError> {
        let Source::Shared(remote) = &self.source else { return Ok(()) };
        for warning in remote.check().await? {
            tracing::warn!("{warning}");
        }
        self.known.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// The history for one thread; must be called within the runtime that will drive it.
    ///
    /// # Errors
    /// The address or a setting cannot be used.
    pub fn connect(&self) -> Result<Arc<dyn AsyncHistory>, HistoryError> {
        match &self.source {
            Source::Local(history) => Ok(Arc::clone(history)),
            Source::Shared(remote) => remote.connect(),
        }
    }

    /// What is wrong with it; nothing while it answers.
    pub fn fault(&self) -> Option<String> {
        match &self.source {
            Source::Local(history) => history.fault(),
            Source::Shared(_) if !self.known.load(Ordering::Relaxed) => {
                Some("it has not been reached yet".into())
            }
            Source::Shared(remote) => remote.fault(),
        }
    }

    /// Makes counts exact up to a number from when this returns. Shared histories always count exactly.
    pub fn count_at_least(&self, number: usize) {
        if let Source::Local(history) = &self.source
            && let Err(error) = history.count_at_least(number)
        {
            tracing::warn!("counts may stop short of {number}: {error}");
        }
    }

    /// Forgets what is too old, and looks every second whether a shared history answers. Never ends.
    pub async fn tend(&self, setting: &History) {
        let retention = retention(setting);
        let forgets = match &self.source {
            Source::Local(_) => true,
            Source::Shared(remote) => remote.forgets() || setting.prune,
        };
        let history = match self.connect() {
            Ok(history) => history,
            Err(error) => return tracing::error!("{error}"),
        };
        for second in 1_u64.. {
            tokio::time::sleep(LOOK).await;
            if let Source::Shared(_) = &self.source {
                if !self.known.load(Ordering::Relaxed) && self.check().await.is_err() {
                    continue;
                }
                // What it says is noted by the breaker.
                let _ = history.now().await;
            }
            if !forgets || second % 60 != 0 {
                continue;
            }
            match history.prune(retention).await {
                Ok(0) => {}
                Ok(rows) => tracing::debug!(rows, "operations forgotten"),
                Err(error) => tracing::warn!("operations cannot be forgotten: {error}"),
            }
        }
    }
}

/// A store behind a network.
///
/// # Errors
/// The address names no store that is known.
pub(crate) fn remote(setting: &History) -> Result<Remote, Failure> {
    let authority = match &setting.ca {
        Some(path) => Some(fs::read(path).map_err(|error| {
            Failure::usage(format!("the certificates cannot be read: {error}")).in_file(path)
        })?),
        None => None,
    };
    let look_up = setting.deadline.get();
    let remote = Remote::of(RemoteSettings {
        url: setting.url.clone(),
        deadlines: Deadlines { look_up, other: look_up.max(Duration::from_secs(2)) },
        count_cache: setting.count_cache.get(),
        connections: setting.connections,
        retention: retention(setting),
        time_zone: setting.time_zone.clone(),
        create_schema: setting.create_schema,
        authority,
    });
    remote.ok_or_else(|| {
        let scheme = setting.url.split("://").next().unwrap_or_default();
        Failure::usage(format!("there is no operations history `{scheme}`"))
            .at("setting history.url")
            .hint(
                "known: `embedded`, `memory`, `postgres://…`, `mysql://…`, `redis://…`, `rediss://…`",
            )
    })
}

fn retention(setting: &History) -> SignedDuration {
    SignedDuration::try_from(setting.retention.get()).unwrap_or(SignedDuration::MAX)
}

fn embedded(setting: &History, folder: &StateFolder) -> Result<Arc<dyn AsyncHistory>, Failure> {
    let path = folder.path.join(FILE);
    let (history, opened) =
        EmbeddedHistory::open(&path, settings(setting), 0).map_err(|error| failure(&error))?;
    tracing::debug!(rows = opened.rows, "operations history read");
    if opened.torn {
        tracing::warn!(
            "the last commit of the operations history is not whole and is left out: the power was lost \
             while it was written, before anybody was told that it is kept, or {}-wal was changed since",
            path.display()
        );
    }
    if opened.wall_ahead.abs() >= APART {
        tracing::warn!(
            "the wall clock is {} s apart from the clock of the operations history, which goes on \
             where it was: windows are measured on the latter; to set it anew, export the history, \
             move {} away and import it again",
            opened.wall_ahead,
            path.display()
        );
    }
    Ok(Arc::new(history))
}

pub(crate) fn failure(error: &FileError) -> Failure {
    Failure::environment(error.to_string()).in_file(error.path()).hint(error.way_out())
}

/// A history in this process.
pub(crate) fn memory(setting: &History, clock: AnchoredClock) -> MemoryHistory {
    MemoryHistory::new(clock, settings(setting))
}

fn settings(setting: &History) -> Settings {
    Settings { retention: retention(setting), ..Settings::default() }
}
