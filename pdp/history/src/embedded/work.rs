//! The one thread that writes the file: what comes while it commits is committed together next.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::Duration;

use jiff::Timestamp;
use pdp_onap::history::{HistoryError, Operation};
use rusqlite::Statement;

use super::file::File;
use super::rows::insert;
use super::writer::{Answer, Fault, Job};
use crate::clock::AnchoredClock;
use crate::key::{AsKey, OwnedKey};
use crate::memory::MemoryHistory;
use crate::windows::nanos;

/// Rows that are committed together, at most.
const BATCH: usize = 1024;
/// Commits between two checkpoints when nobody is waiting, and when somebody always is.
const QUIET: u32 = 500;
const BUSY: u32 = 2000;
/// Rows that are pruned at once; commits go on between.
const PRUNED: u32 = 2000;
const IDLE: Duration = Duration::from_secs(1);

/// What the thread works with.
pub(super) struct Work {
    pub(super) file: File,
    pub(super) memory: Arc<MemoryHistory>,
    pub(super) clock: AnchoredClock,
    /// The latest time that was kept.
    pub(super) kept: Cell<Timestamp>,
    pub(super) fault: Arc<Fault>,
}

impl Work {
    pub(super) fn run(self, queue: &Receiver<Job>) {
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
                Some(Job::Pass(answer)) => {
                    let _ = answer.send(Ok(()));
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
