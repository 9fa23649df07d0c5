//! Hands what is to be written to the one thread that writes the file.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use pdp_onap::history::{HistoryError, Operation};
use tokio::sync::oneshot;

use super::file::File;
use super::work::Work;
use crate::clock::{AnchoredClock, Clock};
use crate::memory::MemoryHistory;

/// Jobs that wait; whoever comes then is refused.
const QUEUE: usize = 16 * 1024;

pub(super) type Answer<T> = oneshot::Sender<Result<T, HistoryError>>;

/// What the thread is told to do.
#[allow(clippy::large_enum_variant)] // nearly every job is a row
pub(super) enum Job {
    /// Keep a row; answered when it is on the disk.
    Write(Operation, Answer<()>),
    /// Forget rows that ended before a time.
    Prune(i64, Answer<u64>),
    /// Nothing; answered when all that came before is on the disk, or was taken back.
    Pass(Answer<()>),
    /// Bring back what was forgotten in memory of keys with too many operations.
    Recall(Answer<()>),
}

/// Hands jobs to the thread.
#[derive(Debug)]
pub(super) struct Writer {
    jobs: Option<SyncSender<Job>>,
    thread: Option<JoinHandle<()>>,
    memory: Arc<MemoryHistory>,
    fault: Arc<Fault>,
}

/// What went wrong last, until something goes right.
#[derive(Debug, Default)]
pub(super) struct Fault {
    there: AtomicBool,
    text: Mutex<String>,
}

impl Fault {
    pub(super) fn set(&self, text: &str) {
        text.clone_into(&mut self.text.lock().unwrap_or_else(PoisonError::into_inner));
        self.there.store(true, Ordering::Release);
    }

    pub(super) fn clear(&self) {
        if self.there.load(Ordering::Relaxed) {
            self.there.store(false, Ordering::Release);
        }
    }
}

/// The answer to a job, once it is done.
pub(super) type Receipt<T> = oneshot::Receiver<Result<T, HistoryError>>;

impl Writer {
    pub(super) fn start(file: File, memory: Arc<MemoryHistory>, clock: AnchoredClock) -> Self {
        let (jobs, queue) = sync_channel(QUEUE);
        let fault = Arc::new(Fault::default());
        let kept = Cell::new(clock.now());
        let counted = Arc::clone(&memory);
        let work = Work { file, memory, clock, kept, fault: Arc::clone(&fault) };
        let thread = std::thread::Builder::new()
            .name("history-writer".into())
            .spawn(move || work.run(&queue))
            .expect("a thread can be started");
        Self { jobs: Some(jobs), thread: Some(thread), memory: counted, fault }
    }

    /// Keeps a row that is counted; where it cannot be taken, it is not counted any more.
    pub(super) fn write(&self, row: Operation) -> Result<Receipt<()>, HistoryError> {
        self.hand(|answer| Job::Write(row, answer))
    }

    pub(super) fn prune(&self, before: i64) -> Result<Receipt<u64>, HistoryError> {
        self.hand(|answer| Job::Prune(before, answer))
    }

    pub(super) fn pass(&self) -> Result<Receipt<()>, HistoryError> {
        self.hand(Job::Pass)
    }

    pub(super) fn recall(&self) -> Result<Receipt<()>, HistoryError> {
        self.hand(Job::Recall)
    }

    fn hand<T>(&self, job: impl FnOnce(Answer<T>) -> Job) -> Result<Receipt<T>, HistoryError> {
        let (answer, receipt) = oneshot::channel();
        let jobs = self.jobs.as_ref().expect("the channel is open until the writer is dropped");
        let refused = match jobs.try_send(job(answer)) {
            Ok(()) => return Ok(receipt),
            Err(refused) => refused,
        };
        let (TrySendError::Full(job) | TrySendError::Disconnected(job)) = &refused;
        if let Job::Write(row, _) = job {
            self.memory.windows.take_back(row);
        }
        match refused {
            TrySendError::Full(_) => Err(HistoryError::Unavailable(format!(
                "{QUEUE} records wait to be written already, which is the limit"
            ))),
            TrySendError::Disconnected(_) => {
                Err(HistoryError::Unavailable("its writer has ended".into()))
            }
        }
    }

    /// Why the last commit failed; none where it did not.
    pub(super) fn fault(&self) -> Option<String> {
        let fault = &self.fault;
        fault
            .there
            .load(Ordering::Acquire)
            .then(|| fault.text.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
