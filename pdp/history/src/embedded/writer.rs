//! The one thread that writes the file: what comes while it commits is committed together next.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{
    Receiver, RecvTimeoutError, SyncSender, TryRecvError, TrySendError, sync_channel,
};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use jiff::Timestamp;
use pdp_onap::history::{HistoryError, Operation};
use rusqlite::Statement;
use tokio::sync::oneshot;

use super::file::{File, insert};
use crate::clock::{AnchoredClock, Clock};
use crate::key::{AsKey, OwnedKey};
use crate::memory::MemoryHistory;
use crate::windows::nanos;

/// Rows that are committed together, at most.
const BATCH: usize = 1024;
/// Jobs that wait; whoever comes then is refused.
const QUEUE: usize = 16 * 1024;
/// Commits between two checkpoints when nobody is waiting, and when somebody always is.
const QUIET: u32 = 500;
const BUSY: u32 = 2000;
/// Rows that are pruned at once; commits go on between.
const PRUNED: u32 = 2000;
const IDLE: Duration = Duration::from_secs(1);

type Answer<T> = oneshot::Sender<Result<T, HistoryError>>;

/// What the thread is told to do.
#[allow(clippy::large_enum_variant)] // nearly every job is a row
enum Job {
    /// Keep a row; answered when it is on the disk.
    Write(Operation, Answer<()>),
    /// Forget rows that ended before a time.
    Prune(i64, Answer<u64>),
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
struct Fault {
    there: AtomicBool,
    text: Mutex<String>,
}

impl Fault {
    fn set(&self, text: &str) {
        text.clone_into(&mut self.text.lock().unwrap_or_else(PoisonError::into_inner));
        self.there.store(true, Ordering::Release);
    }

    fn clear(&self) {
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

/// What the thread works with.
struct Work {
    file: File,
    memory: Arc<MemoryHistory>,
    clock: AnchoredClock,
    /// The latest time that was kept.
    kept: Cell<Timestamp>,
    fault: Arc<Fault>,
}

impl Work {
    fn run(self, queue: &Receiver<Job>) {
        let mut inserting = match self.file.inserting() {
            Ok(statement) => statement,
            Err(error) => return self.fault.set(&error.to_string()),
        };
        let mut batch: Vec<(Operation, Answer<()>)> = Vec::with_capacity(BATCH);
        let mut commits = 0;
        loop {
            let mut other = match queue.recv_timeout(IDLE) {
                Ok(job) => Self::sort(job, &mut batch),
                Err(RecvTimeoutError::Timeout) => {
                    if commits > 0 {
                        commits = self.checkpoint(commits);
                    }
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => break,
            };
            let mut waiting = false;
            while other.is_none() && batch.len() < BATCH {
                match queue.try_recv() {
                    Ok(job) => other = Self::sort(job, &mut batch),
                    Err(TryRecvError::Empty | TryRecvError::Disconnected) => break,
                }
                waiting = true;
            }
            if !batch.is_empty() {
                self.commit(&mut inserting, &mut batch);
                commits += 1;
            }
            match other {
                Some(Job::Prune(before, answer)) => {
                    let _ = answer.send(self.prune(before));
                    commits += 1;
                }
                Some(Job::Recall(answer)) => {
                    let _ = answer.send(self.recall());
                }
                Some(Job::Write(..)) | None => {}
            }
            if commits >= if waiting { BUSY } else { QUIET } {
                commits = self.checkpoint(commits);
            }
        }
        // Nothing is lost without these; the next start is quicker with them.
        let _ = self.file.keep_anchor(&self.clock.anchor());
        let _ = self.file.checkpoint();
    }

    /// Rows go to the batch; anything else is done once the batch is committed.
    fn sort(job: Job, batch: &mut Vec<(Operation, Answer<()>)>) -> Option<Job> {
        match job {
            Job::Write(row, answer) => {
                batch.push((row, answer));
                None
            }
            other => Some(other),
        }
    }

    fn commit(&self, inserting: &mut Statement<'_>, batch: &mut Vec<(Operation, Answer<()>)>) {
        let result = self.transaction(|| {
            batch.iter().try_for_each(|(row, _)| insert(inserting, row))?;
            self.keep_time()
        });
        for (row, answer) in batch.drain(..) {
            let answered = match &result {
                Ok(()) => {
                    self.memory.windows.note_loop(&row);
                    self.memory.keep(row);
                    Ok(())
                }
                Err(error) => {
                    self.memory.windows.take_back(&row);
                    Err(HistoryError::Unavailable(error.to_string()))
                }
            };
            // Whoever asked may have gone; the row is kept all the same.
            let _ = answer.send(answered);
        }
    }

    /// Keeps the time with what is committed, once a second.
    fn keep_time(&self) -> rusqlite::Result<()> {
        let anchor = self.clock.anchor();
        if anchor.latest.duration_since(self.kept.get()).as_secs() < 1 {
            return Ok(());
        }
        self.kept.set(anchor.latest);
        self.file.keep_anchor(&anchor)
    }

    fn transaction(
        &self,
        work: impl FnOnce() -> rusqlite::Result<()>,
    ) -> Result<(), rusqlite::Error> {
        let to = &self.file.connection;
        let result = to
            .execute_batch("BEGIN IMMEDIATE")
            .and_then(|()| work())
            .and_then(|()| to.execute_batch("COMMIT"));
        match &result {
            Ok(()) => self.fault.clear(),
            Err(error) => {
                self.fault.set(&error.to_string());
                // SQLite may have rolled back by itself.
                let _ = to.execute_batch("ROLLBACK");
            }
        }
        result
    }

    fn prune(&self, before: i64) -> Result<u64, HistoryError> {
        // A row more than the limit goes with the next call.
        let mut gone = 0;
        self.transaction(|| {
            gone = self.file.prune(before, PRUNED)?;
            self.file.keep_anchor(&self.clock.anchor())
        })
        .map_err(|error| HistoryError::Unavailable(error.to_string()))?;
        Ok(gone as u64)
    }

    /// All rows are read once for all keys; it is rare that a larger limit is deployed.
    fn recall(&self) -> Result<(), HistoryError> {
        let wanted = self.memory.windows.take_saturated();
        if wanted.is_empty() {
            return Ok(());
        }
        let mut older: HashMap<OwnedKey, Older> = wanted
            .into_iter()
            .map(|(key, oldest, ties)| (key, Older { oldest, ties, ends: Vec::new() }))
            .collect();
        let read = self.file.each(|row| {
            if let Some((key, end)) = row.counted()
                && let Some(older) = older.get_mut(&key as &dyn AsKey)
                && nanos(end) <= older.oldest
            {
                older.ends.push(nanos(end));
            }
            Ok::<(), HistoryError>(())
        });
        read.map_err(|error| HistoryError::Unavailable(error.to_string()))??;
        for (key, mut older) in older {
            older.ends.sort_unstable();
            let known = older.ends.len().saturating_sub(older.ties);
            self.memory.windows.put_before(&key, &older.ends[..known]);
        }
        Ok(())
    }

    fn checkpoint(&self, commits: u32) -> u32 {
        match self.file.checkpoint() {
            Ok(_) => 0,
            Err(error) => {
                tracing::warn!("the operations history cannot tidy its log: {error}");
                commits
            }
        }
    }
}

/// What the file has of a key that is older than what memory has.
struct Older {
    /// The oldest end in memory.
    oldest: i64,
    /// How many there are of it in memory.
    ties: usize,
    ends: Vec<i64>,
}
