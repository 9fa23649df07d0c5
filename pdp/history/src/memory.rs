//! The history in the process: nothing to install, forgotten when the process ends.
//!
//! Each key (actor, operation, target) has the ends of its operations in order of time; a count is
//! a look-up and two binary searches. Memory is bounded by the [`Settings`].

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use pdp_onap::history::{
    Admission, HistoryError, Listing, Operation, OperationHistory, OperationKey, Permit, Progress,
    Window,
};

use crate::clock::Clock;
pub use crate::windows::Settings;
use crate::windows::Windows;

/// A history in memory.
pub struct MemoryHistory {
    pub(crate) clock: Box<dyn Clock>,
    pub(crate) windows: Windows,
    rows: Mutex<VecDeque<Operation>>,
    next_id: AtomicI64,
}

impl MemoryHistory {
    /// An empty history.
    pub fn new(clock: impl Clock + 'static, settings: Settings) -> Self {
        Self {
            clock: Box::new(clock),
            windows: Windows::new(settings),
            rows: Mutex::default(),
            next_id: AtomicI64::new(1),
        }
    }

    /// Makes counts exact up to a number, such as the largest limit of the deployed policies. What was
    /// forgotten before stays forgotten.
    pub fn count_at_least(&self, number: usize) {
        self.windows.raise(number);
    }

    /// How many keys there are.
    pub fn keys(&self) -> usize {
        self.windows.keys()
    }

    /// Numbers a row that has no number.
    pub(crate) fn number(&self, row: &mut Operation) {
        match row.id {
            None => row.id = Some(self.next_id.fetch_add(1, Ordering::Relaxed)),
            Some(id) => {
                self.next_id.fetch_max(id.saturating_add(1), Ordering::Relaxed);
            }
        }
    }

    /// Keeps a row for listings.
    pub(crate) fn keep(&self, row: Operation) {
        let mut rows = self.rows();
        while rows.len() >= self.windows.settings.rows.max(1) {
            rows.pop_front();
        }
        rows.push_back(row);
    }

    fn rows(&self) -> MutexGuard<'_, VecDeque<Operation>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OperationHistory for MemoryHistory {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn record(&self, mut operation: Operation) -> Result<(), HistoryError> {
        if let Some((key, end)) = operation.counted() {
            self.windows.add(key, end, self.now())?;
        }
        self.windows.note_loop(&operation);
        self.number(&mut operation);
        self.keep(operation);
        Ok(())
    }

    fn record_if(&self, permit: &Permit<'_>) -> Result<Admission, HistoryError> {
        let (admission, now) = self.windows.admit(permit, &*self.clock)?;
        if admission == Admission::Recorded {
            let mut row = permit.row(now);
            self.number(&mut row);
            self.keep(row);
        }
        Ok(admission)
    }

    fn count_recent(
        &self,
        key: OperationKey<'_>,
        window: Window,
        now: Timestamp,
    ) -> Result<u64, HistoryError> {
        Ok(self.windows.count(key, window, now))
    }

    fn last_outcome(&self, closed_loop_name: &str) -> Result<Option<Progress>, HistoryError> {
        Ok(self.windows.last_outcome(closed_loop_name))
    }

    fn permitted(&self, key: OperationKey<'_>, request_id: &str) -> Result<bool, HistoryError> {
        Ok(self.windows.permitted(key, request_id))
    }

    fn list(&self, listing: &Listing<'_>) -> Result<Vec<Operation>, HistoryError> {
        let rows = self.rows();
        let found = rows.iter().rev().filter(|row| listing.includes(row));
        Ok(found.take(listing.limit).cloned().collect())
    }

    fn prune(&self, before: Timestamp) -> Result<u64, HistoryError> {
        let gone = self.windows.prune(before);
        self.rows().retain(|row| row.end_time.or(row.start_time).is_none_or(|time| time >= before));
        Ok(gone)
    }
}

impl fmt::Debug for MemoryHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryHistory")
            .field("settings", &self.windows.settings)
            .field("keys", &self.keys())
            .finish_non_exhaustive()
    }
}
