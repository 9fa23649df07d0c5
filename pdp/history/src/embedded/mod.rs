//! The history of one replica: counts from memory, every record in a file before it is acknowledged.
//!
//! Decisions ask the windows in memory, which a start fills from the file. A record is counted when it
//! comes and answered when the file holds it; where the file fails it is taken back. What comes while a
//! commit is under way is committed together next, so that many clients cost one turn of the disk.

mod file;
pub mod log;
mod rows;
mod work;
mod writer;

use std::path::Path;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use jiff::Timestamp;
use pdp_onap::history::{
    Admission, HistoryError, Listing, Operation, OperationHistory, OperationKey, Permit, Progress,
    Window,
};

use file::File;
pub use file::FileError;
use writer::{Receipt, Writer};

use crate::clock::{AnchoredClock, Reading};
use crate::memory::{MemoryHistory, Settings};
use crate::windows::nanos;

/// A history in memory with a file behind it.
#[derive(Debug)]
pub struct EmbeddedHistory {
    memory: Arc<MemoryHistory>,
    writer: Writer,
}

/// What a start found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened {
    /// Rows that were read.
    pub rows: u64,
    /// How much the wall clock is ahead of the history's clock, in seconds.
    pub wall_ahead: i64,
    /// The last commit was not whole and is gone: the power was lost while it was written, before
    /// anybody was told that it is kept, or the log was changed since.
    pub torn: bool,
}

impl EmbeddedHistory {
    /// Opens or creates the file and fills the windows from it. `counts_to` is the largest number that
    /// must be counted exactly.
    ///
    /// # Errors
    /// The file is damaged, taken or cannot be used.
    pub fn open(
        path: &Path,
        settings: Settings,
        counts_to: usize,
    ) -> Result<(Self, Opened), FileError> {
        Self::open_at(path, settings, counts_to, Reading::now())
    }

    /// The same with clocks that the caller has read.
    ///
    /// # Errors
    /// As [`EmbeddedHistory::open`].
    pub fn open_at(
        path: &Path,
        settings: Settings,
        counts_to: usize,
        reading: Reading,
    ) -> Result<(Self, Opened), FileError> {
        let file = File::open(path)?;
        let wall = reading.wall;
        let clock = AnchoredClock::resume(file.anchor()?.as_ref(), reading);
        let memory = MemoryHistory::new(clock.clone(), settings);
        memory.count_at_least(counts_to);
        let now = memory.now();
        let mut rows = 0;
        let oldest = memory.windows.oldest(now);
        let filled = file.each(|row| {
            rows += 1;
            memory.windows.restore(&row, now)?;
            let mut row = row;
            memory.number(&mut row);
            if row.end_time.or(row.start_time).is_none_or(|time| nanos(time) >= oldest) {
                memory.keep(row);
            }
            Ok::<(), HistoryError>(())
        })?;
        filled.map_err(|error| FileError::Unusable {
            path: path.to_owned(),
            reason: error.to_string(),
        })?;
        file.keep_anchor(&clock.anchor()).map_err(|error| FileError::Unusable {
            path: path.to_owned(),
            reason: error.to_string(),
        })?;
        let wall_ahead = wall.duration_since(now).as_secs();
        let memory = Arc::new(memory);
        let torn = file.torn;
        let writer = Writer::start(file, Arc::clone(&memory), clock);
        Ok((Self { memory, writer }, Opened { rows, wall_ahead, torn }))
    }

    /// Hands every row of a file to `take`, oldest number first; nothing is filled or changed.
    ///
    /// # Errors
    /// The file is damaged, taken or cannot be used; or what `take` says.
    pub fn read<E>(
        path: &Path,
        take: impl FnMut(Operation) -> Result<(), E>,
    ) -> Result<Result<(), E>, FileError> {
        File::open(path)?.each(take)
    }

    /// Why the last commit failed; none where it did not.
    pub fn fault(&self) -> Option<String> {
        self.writer.fault()
    }

    /// Counts and hands to the writer; the answer comes when the row is on the disk.
    fn begin(&self, mut row: Operation) -> Result<Receipt<()>, HistoryError> {
        for (name, time) in [("starttime", row.start_time), ("endtime", row.end_time)] {
            if let Some(time) = time.filter(|time| i64::try_from(time.as_nanosecond()).is_err()) {
                return Err(HistoryError::Refused(format!(
                    "`{name}` is {time}: its file keeps the years 1678 to 2261"
                )));
            }
        }
        if let Some((key, end)) = row.counted() {
            self.memory.windows.add(key, end, self.memory.now())?;
        }
        // A number that the caller gave may be taken: the file has its own.
        row.id = None;
        self.memory.number(&mut row);
        self.writer.write(row)
    }

    /// Counts a Permit and hands it to the writer. What is known already may not be on the disk yet:
    /// then, too, there is something to wait for.
    fn begin_if(
        &self,
        permit: &Permit<'_>,
    ) -> Result<(Admission, Option<Receipt<()>>), HistoryError> {
        let (admission, now) = self.memory.windows.admit(permit, &*self.memory.clock)?;
        let receipt = match &admission {
            Admission::Recorded => {
                let mut row = permit.row(now);
                self.memory.number(&mut row);
                Some(self.writer.write(row)?)
            }
            Admission::Known => Some(self.writer.pass()?),
            Admission::Refused(_) => None,
        };
        Ok((admission, receipt))
    }

    /// Whether what came of a Permit holds, now that it has been waited for: a record of the same
    /// request that was known could not be written, and was taken back.
    fn holds(&self, admission: &Admission, permit: &Permit<'_>) -> bool {
        let still = |id| self.memory.windows.permitted(permit.key, id);
        *admission != Admission::Known || permit.request_id.is_some_and(still)
    }

    /// Records without blocking the thread.
    pub fn record_later(&self, row: Operation) -> BoxFuture<'_, Result<(), HistoryError>> {
        let begun = self.begin(row);
        Box::pin(async move { begun?.await.map_err(gone)? })
    }

    /// Records a Permit without blocking the thread.
    pub fn record_if_later<'a>(
        &'a self,
        permit: Permit<'a>,
    ) -> BoxFuture<'a, Result<Admission, HistoryError>> {
        let begun = self.begin_if(&permit);
        Box::pin(async move {
            let (mut admission, mut receipt) = begun?;
            loop {
                if let Some(receipt) = receipt {
                    receipt.await.map_err(gone)??;
                }
                if self.holds(&admission, &permit) {
                    return Ok(admission);
                }
                (admission, receipt) = self.begin_if(&permit)?;
            }
        })
    }

    /// Whether a Permit of the key is recorded for a request, and on the disk, without blocking the
    /// thread.
    pub fn permitted_later<'a>(
        &'a self,
        key: OperationKey<'a>,
        request_id: &'a str,
    ) -> BoxFuture<'a, Result<bool, HistoryError>> {
        Box::pin(async move {
            let known = || self.memory.windows.permitted(key, request_id);
            if !known() {
                return Ok(false);
            }
            self.writer.pass()?.await.map_err(gone)??;
            Ok(known())
        })
    }

    /// Forgets without blocking the thread.
    pub fn prune_later(&self, before: Timestamp) -> BoxFuture<'_, Result<u64, HistoryError>> {
        self.memory.windows.prune(before);
        let receipt = self.writer.prune(nanos(before));
        Box::pin(async move { receipt?.await.map_err(gone)? })
    }

    /// Makes counts exact up to a number. What was forgotten in memory comes back from the file, before
    /// this returns.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn count_at_least(&self, number: usize) -> Result<(), HistoryError> {
        if self.memory.windows.raise(number) { wait(self.writer.recall()?) } else { Ok(()) }
    }
}

fn gone<E>(_: E) -> HistoryError {
    HistoryError::Unavailable("its writer has ended".into())
}

fn wait<T>(receipt: Receipt<T>) -> Result<T, HistoryError> {
    receipt.blocking_recv().map_err(gone)?
}

/// Blocks the thread where it writes; a thread that drives futures uses the methods that end in
/// `_later`.
impl OperationHistory for EmbeddedHistory {
    fn now(&self) -> Timestamp {
        self.memory.clock.now()
    }

    fn record(&self, operation: Operation) -> Result<(), HistoryError> {
        wait(self.begin(operation)?)
    }

    fn record_if(&self, permit: &Permit<'_>) -> Result<Admission, HistoryError> {
        loop {
            let (admission, receipt) = self.begin_if(permit)?;
            receipt.map_or(Ok(()), wait)?;
            if self.holds(&admission, permit) {
                return Ok(admission);
            }
        }
    }

    fn count_recent(
        &self,
        key: OperationKey<'_>,
        window: Window,
        now: Timestamp,
    ) -> Result<u64, HistoryError> {
        self.memory.count_recent(key, window, now)
    }

    fn last_outcome(&self, closed_loop_name: &str) -> Result<Option<Progress>, HistoryError> {
        self.memory.last_outcome(closed_loop_name)
    }

    fn permitted(&self, key: OperationKey<'_>, request_id: &str) -> Result<bool, HistoryError> {
        if self.memory.permitted(key, request_id)? {
            wait(self.writer.pass()?)?;
        }
        self.memory.permitted(key, request_id)
    }

    fn list(&self, listing: &Listing<'_>) -> Result<Vec<Operation>, HistoryError> {
        self.memory.list(listing)
    }

    fn prune(&self, before: Timestamp) -> Result<u64, HistoryError> {
        self.memory.prune(before)?;
        wait(self.writer.prune(nanos(before))?)
    }
}
