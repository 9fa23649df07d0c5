//! The log of decisions: one JSON line each, to a file or to standard output.
//!
//! Workers hand lines over without waiting; a thread of its own writes them. What does not fit into the
//! queue or cannot be written is dropped and counted, so that a full disk or a slow reader holds no decision
//! up. A pipe with a name is opened once somebody reads it.

mod entry;
mod writer;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

pub use entry::{Applied, Entry};
use writer::{Destination, Writer};

use crate::config;
use crate::failure::Failure;
use crate::telemetry::outbox::Outbox;

/// How long the last lines may take where nobody reads them.
const UNREAD: Duration = Duration::from_millis(200);

/// Where decisions are logged to.
#[derive(Debug)]
pub struct DecisionLog {
    lines: Outbox<Vec<u8>>,
    shared: Arc<Shared>,
}

/// What workers and the writer tell each other beside lines.
#[derive(Debug, Default)]
struct Shared {
    reopen: AtomicBool,
    /// The writer waits for somebody to read the pipe.
    unread: AtomicBool,
    written: AtomicU64,
    dropped: AtomicU64,
}

impl DecisionLog {
    /// Opens the log; none where decisions are not logged.
    ///
    /// # Errors
    /// The file cannot be opened, or no thread be started.
    pub fn open(setting: &config::DecisionLog) -> Result<Option<Self>, Failure> {
        let Some(to) = &setting.to else { return Ok(None) };
        let shared = Arc::new(Shared::default());
        let writer = Writer::open(Destination::of(to), Arc::clone(&shared)).map_err(|error| {
            Failure::environment(format!("the decision log cannot be opened: {error}")).at(to).hint(
                "decision_log.to names a file in a folder that the service may write, or stdout",
            )
        })?;
        let writes = move |messages: &_| writer.run(messages);
        let lines = Outbox::start("decision-log", setting.buffer, writes)?;
        Ok(Some(Self { lines, shared }))
    }

    /// Takes one decision in. Never waits.
    pub fn write(&self, entry: &Entry<'_>) {
        if !self.lines.offer(entry.line()) {
            self.shared.dropped.fetch_add(1, Relaxed);
        }
    }

    /// Opens the file again by its name before the next line: the old one has been moved away.
    pub fn reopen(&self) {
        self.shared.reopen.store(true, Relaxed);
        self.lines.wake();
    }

    /// Waits until what was taken in is written, but no longer than `patience`, and hardly at all for a
    /// reader who has not come yet.
    ///
    /// # Errors
    /// Lines are lost, for the reason that is given.
    pub fn close(&self, patience: Duration) -> Result<(), &'static str> {
        let unread = || self.shared.unread.load(Relaxed);
        if self.lines.close(UNREAD.min(patience))
            || !unread() && self.lines.close(patience.saturating_sub(UNREAD))
        {
            return Ok(());
        }
        Err(if unread() { "nobody reads the pipe" } else { "it takes them too slowly" })
    }

    /// Lines that were written.
    pub fn written(&self) -> u64 {
        self.shared.written.load(Relaxed)
    }

    /// Lines that were dropped.
    pub fn dropped(&self) -> u64 {
        self.shared.dropped.load(Relaxed)
    }
}
