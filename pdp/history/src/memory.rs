//! The history in the process: nothing to install, forgotten when the process ends.
//!
//! Each key (actor, operation, target) has the ends of its operations in order of time; a count is
//! a look-up and two binary searches. Memory is bounded by the [`Settings`].

use std::collections::VecDeque;
use std::fmt;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use dashmap::DashMap;
use foldhash::fast::RandomState;
use jiff::{SignedDuration, Timestamp};
use pdp_onap::history::{
    HistoryError, Listing, Operation, OperationHistory, OperationKey, Progress, Window,
};

use crate::clock::Clock;
use crate::key::{AsKey, OwnedKey};
use crate::series::Series;

/// How much a history in memory keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How long an operation is kept after its end. Longer windows count too little.
    pub retention: SignedDuration,
    /// How many operations of one key are kept: counts are exact up to this number and stop there.
    pub per_key: usize,
    /// How many keys there may be; a record beyond is refused.
    pub keys: usize,
    /// How many rows can be listed; the oldest recorded go first. Counts do not need them.
    pub rows: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            retention: SignedDuration::from_hours(31 * 24),
            per_key: 10_000,
            keys: 1_000_000,
            rows: 10_000,
        }
    }
}

/// A history in memory.
pub struct MemoryHistory {
    clock: Box<dyn Clock>,
    settings: Settings,
    /// Grows with the largest limit that is asked for, see [`Self::count_at_least`].
    per_key: AtomicUsize,
    series: DashMap<OwnedKey, Series, RandomState>,
    keys: AtomicUsize,
    loops: DashMap<Box<str>, Last, RandomState>,
    rows: Mutex<VecDeque<Operation>>,
    next_id: AtomicI64,
}

/// The operation of a control loop that was started last.
#[derive(Clone, Copy, Debug)]
struct Last {
    start: i64,
    progress: Progress,
}

impl MemoryHistory {
    /// An empty history.
    pub fn new(clock: impl Clock + 'static, settings: Settings) -> Self {
        Self {
            clock: Box::new(clock),
            settings,
            per_key: AtomicUsize::new(settings.per_key),
            series: DashMap::default(),
            keys: AtomicUsize::new(0),
            loops: DashMap::default(),
            rows: Mutex::default(),
            next_id: AtomicI64::new(1),
        }
    }

    /// Makes counts exact up to a number, such as the largest limit of the deployed policies. What was
    /// forgotten before stays forgotten.
    pub fn count_at_least(&self, number: usize) {
        self.per_key.fetch_max(number, Ordering::Relaxed);
    }

    /// How many keys there are.
    pub fn keys(&self) -> usize {
        self.keys.load(Ordering::Relaxed)
    }

    fn oldest(&self) -> i64 {
        nanos(self.clock.now().checked_sub(self.settings.retention).unwrap_or(Timestamp::MIN))
    }

    fn count(&self, key: OperationKey<'_>, end: i64) -> Result<(), HistoryError> {
        let per_key = self.per_key.load(Ordering::Relaxed);
        let oldest = self.oldest();
        if end < oldest {
            return Ok(());
        }
        if let Some(mut series) = self.series.get_mut(&key as &dyn AsKey) {
            series.prune(oldest);
            series.add(end, per_key);
            return Ok(());
        }
        if self.keys() >= self.settings.keys {
            return Err(HistoryError::Refused(format!(
                "it holds operations of {} keys already, which is its limit",
                self.settings.keys
            )));
        }
        self.series
            .entry(OwnedKey::from(key))
            .or_insert_with(|| {
                self.keys.fetch_add(1, Ordering::Relaxed);
                Series::default()
            })
            .add(end, per_key);
        Ok(())
    }

    fn note_loop(&self, operation: &Operation) {
        let (Some(name), Some(start)) = (&operation.closed_loop_name, operation.start_time) else {
            return;
        };
        let outcome = operation.outcome.as_deref();
        let last = Last { start: nanos(start), progress: Progress::of_outcome(outcome) };
        match self.loops.get_mut(name.as_str()) {
            Some(mut known) if known.start <= last.start => *known = last,
            Some(_) => {}
            None => {
                self.loops
                    .entry(name.as_str().into())
                    .and_modify(|known| {
                        if known.start <= last.start {
                            *known = last;
                        }
                    })
                    .or_insert(last);
            }
        }
    }
}

impl OperationHistory for MemoryHistory {
    fn now(&self) -> Timestamp {
        self.clock.now()
    }

    fn record(&self, mut operation: Operation) -> Result<(), HistoryError> {
        if let Some((key, end)) = operation.counted() {
            self.count(key, nanos(end))?;
        }
        self.note_loop(&operation);
        if operation.id.is_none() {
            operation.id = Some(self.next_id.fetch_add(1, Ordering::Relaxed));
        }
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        while rows.len() >= self.settings.rows.max(1) {
            rows.pop_front();
        }
        rows.push_back(operation);
        Ok(())
    }

    fn count_recent(
        &self,
        key: OperationKey<'_>,
        window: Window,
        now: Timestamp,
    ) -> Result<u64, HistoryError> {
        let series = self.series.get(&key as &dyn AsKey);
        Ok(series.map_or(0, |series| series.count(nanos(window.start(now)), nanos(now)) as u64))
    }

    fn last_outcome(&self, closed_loop_name: &str) -> Result<Option<Progress>, HistoryError> {
        Ok(self.loops.get(closed_loop_name).map(|last| last.progress))
    }

    fn list(&self, listing: &Listing<'_>) -> Result<Vec<Operation>, HistoryError> {
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let found = rows.iter().rev().filter(|row| listing.includes(row));
        Ok(found.take(listing.limit).cloned().collect())
    }

    fn prune(&self, before: Timestamp) -> Result<u64, HistoryError> {
        let limit = nanos(before);
        let mut gone = 0;
        self.series.retain(|_, series| {
            gone += series.prune(limit) as u64;
            let keep = !series.is_empty();
            if !keep {
                self.keys.fetch_sub(1, Ordering::Relaxed);
            }
            keep
        });
        self.loops.retain(|_, last| last.start >= limit);
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        rows.retain(|row| row.end_time.or(row.start_time).is_none_or(|time| time >= before));
        Ok(gone)
    }
}

impl fmt::Debug for MemoryHistory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryHistory")
            .field("settings", &self.settings)
            .field("keys", &self.keys())
            .finish_non_exhaustive()
    }
}

/// Nanoseconds since 1970; what lies beyond the years 1677 and 2262 counts as their ends.
fn nanos(time: Timestamp) -> i64 {
    let nanos = time.as_nanosecond().clamp(i64::MIN.into(), i64::MAX.into());
    i64::try_from(nanos).expect("it was clamped to the range")
}
