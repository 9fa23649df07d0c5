//! The log of decisions: one JSON line each, to a file or to standard output.
//!
//! Workers hand lines over without waiting, through a queue of bounded length; a thread of its own
//! writes them. What does not fit into the queue or cannot be written is dropped and counted, so that
//! a full disk or a slow reader holds no decision up.

mod entry;
mod writer;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{
    Receiver, RecvTimeoutError, SyncSender, TrySendError, channel, sync_channel,
};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

pub use entry::{Applied, Entry};
use writer::{Destination, Writer};

use crate::config;
use crate::failure::Failure;

/// Between two looks at a queue that is full.
const LOOK: Duration = Duration::from_millis(10);

/// Where decisions are logged to.
#[derive(Debug)]
pub struct DecisionLog {
    queue: SyncSender<Message>,
    shared: Arc<Shared>,
    /// Disconnected once the writer has ended.
    ended: Mutex<Receiver<()>>,
}

/// What workers hand to the writer.
enum Message {
    Line(Vec<u8>),
    /// There is something else to see to.
    Wake,
    End,
}

/// What workers and the writer tell each other beside lines.
#[derive(Debug, Default)]
struct Shared {
    reopen: AtomicBool,
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
        let (queue, messages) = sync_channel(setting.buffer);
        let (end, ended) = channel();
        let writes = move || {
            writer.run(&messages);
            drop(end);
        };
        let thread = thread::Builder::new().name("decision-log".into()).spawn(writes);
        thread
            .map_err(|error| Failure::environment(format!("no thread can be started: {error}")))?;
        Ok(Some(Self { queue, shared, ended: Mutex::new(ended) }))
    }

    /// Takes one decision in. Never waits.
    pub fn write(&self, entry: &Entry<'_>) {
        if self.queue.try_send(Message::Line(entry.line())).is_err() {
            self.shared.dropped.fetch_add(1, Relaxed);
        }
    }

    /// Opens the file again by its name before the next line: the old one has been moved away.
    pub fn reopen(&self) {
        self.shared.reopen.store(true, Relaxed);
        // Where the queue is full the writer is awake.
        let _ = self.queue.try_send(Message::Wake);
    }

    /// Waits until what was taken in is written, but no longer than `patience`; whether it is.
    pub fn close(&self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        let mut message = Message::End;
        while let Err(TrySendError::Full(back)) = self.queue.try_send(message) {
            if Instant::now() >= deadline {
                return false;
            }
            message = back;
            thread::sleep(LOOK);
        }
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let left = deadline.saturating_duration_since(Instant::now());
        ended.recv_timeout(left) == Err(RecvTimeoutError::Disconnected)
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
