//! Counts within windows, in memory: what decisions ask, answered without touching a disk.

use std::collections::hash_map::RandomState as Siphash;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicUsize, Ordering};

use dashmap::{DashMap, DashSet};
use foldhash::fast::RandomState;
use jiff::{SignedDuration, Timestamp};
use pdp_onap::history::{
    Admission, HistoryError, Operation, OperationKey, PERMITTED, Permit, Progress, Window,
};

use crate::clock::Clock;
use crate::key::{AsKey, OwnedKey};
use crate::series::Series;

/// How much a history keeps in memory.
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

/// The ends of operations by key, and the last operation of each control loop.
#[derive(Debug)]
pub(crate) struct Windows {
    pub(crate) settings: Settings,
    /// Grows with the largest limit that is asked for.
    per_key: AtomicUsize,
    series: DashMap<OwnedKey, Series, RandomState>,
    /// Keys of which operations were forgotten because there were too many.
    saturated: DashSet<OwnedKey, RandomState>,
    keys: AtomicUsize,
    loops: DashMap<Box<str>, Last, RandomState>,
    /// Requests come from outside, so that their fingerprints are keyed.
    fingerprints: Siphash,
}

/// The operation of a control loop that was started last.
#[derive(Clone, Copy, Debug)]
struct Last {
    start: i64,
    progress: Progress,
}

impl Windows {
    pub(crate) fn new(settings: Settings) -> Self {
        Self {
            settings,
            per_key: AtomicUsize::new(settings.per_key),
            series: DashMap::default(),
            saturated: DashSet::default(),
            keys: AtomicUsize::new(0),
            loops: DashMap::default(),
            fingerprints: Siphash::new(),
        }
    }

    /// Makes counts exact up to a number from here on; true where it was less before.
    pub(crate) fn raise(&self, number: usize) -> bool {
        self.per_key.fetch_max(number, Ordering::Relaxed) < number
    }

    pub(crate) fn keys(&self) -> usize {
        self.keys.load(Ordering::Relaxed)
    }

    /// Before this everything is forgotten.
    pub(crate) fn oldest(&self, now: Timestamp) -> i64 {
        nanos(now.checked_sub(self.settings.retention).unwrap_or(Timestamp::MIN))
    }

    /// Works on the operations of a key, which are made room for.
    fn with<T>(
        &self,
        key: OperationKey<'_>,
        now: Timestamp,
        work: impl FnOnce(&mut Series, usize) -> T,
    ) -> Result<T, HistoryError> {
        let per_key = self.per_key.load(Ordering::Relaxed);
        if let Some(mut series) = self.series.get_mut(&key as &dyn AsKey) {
            series.prune(self.oldest(now));
            if series.len() >= per_key && !self.saturated.contains(&key as &dyn AsKey) {
                self.saturated.insert(OwnedKey::from(key));
            }
            return Ok(work(&mut series, per_key));
        }
        if self.keys() >= self.settings.keys {
            return Err(HistoryError::Refused(format!(
                "it holds operations of {} keys already, which is its limit",
                self.settings.keys
            )));
        }
        let mut series = self.series.entry(OwnedKey::from(key)).or_insert_with(|| {
            self.keys.fetch_add(1, Ordering::Relaxed);
            Series::default()
        });
        Ok(work(&mut series, per_key))
    }

    /// Counts an operation that ended at `end`.
    pub(crate) fn add(
        &self,
        key: OperationKey<'_>,
        end: Timestamp,
        now: Timestamp,
    ) -> Result<(), HistoryError> {
        let end = nanos(end);
        if end < self.oldest(now) {
            return Ok(());
        }
        self.with(key, now, |series, per_key| series.add(end, per_key))
    }

    /// Counts a Permit if its limits hold, and says at which time. The clock is read while no other
    /// record of the key can come between, so that none is later than this one and not counted.
    pub(crate) fn admit(
        &self,
        permit: &Permit<'_>,
        clock: &dyn Clock,
    ) -> Result<(Admission, Timestamp), HistoryError> {
        for (_, limit) in permit.limits {
            // A count that stops short of the limit would never reach it.
            self.raise(usize::try_from(*limit).unwrap_or(usize::MAX));
        }
        let request = permit.request_id.map(|id| self.fingerprints.hash_one(id));
        self.with(permit.key, clock.now(), |series, per_key| {
            let now = clock.now();
            if request.is_some_and(|request| series.remembers(request)) {
                return (Admission::Known, now);
            }
            let end = nanos(now);
            let count = |window: Window| series.count(nanos(window.start(now)), end) as u64;
            let counts: Vec<u64> = permit.limits.iter().map(|(window, _)| count(*window)).collect();
            if counts.iter().zip(permit.limits).any(|(count, (_, limit))| count >= limit) {
                return (Admission::Refused(counts), now);
            }
            series.add(end, per_key);
            if let Some(request) = request {
                series.remember(end, request, per_key);
            }
            (Admission::Recorded, now)
        })
    }

    /// Whether a Permit of the key was recorded for a request.
    pub(crate) fn permitted(&self, key: OperationKey<'_>, request_id: &str) -> bool {
        let request = self.fingerprints.hash_one(request_id);
        let series = self.series.get(&key as &dyn AsKey);
        series.is_some_and(|series| series.remembers(request))
    }

    /// Takes back what was counted of a row that could not be kept.
    pub(crate) fn take_back(&self, row: &Operation) {
        let Some((key, end)) = row.counted() else { return };
        if let Some(mut series) = self.series.get_mut(&key as &dyn AsKey) {
            series.take_back(nanos(end));
            if let Some(id) = permit_of(row) {
                series.disremember(self.fingerprints.hash_one(id));
            }
        }
    }

    /// Counts a row that is read from where it was kept.
    pub(crate) fn restore(&self, row: &Operation, now: Timestamp) -> Result<(), HistoryError> {
        if let Some((key, end)) = row.counted() {
            self.add(key, end, now)?;
            if let Some(id) = permit_of(row)
                && let Some(mut series) = self.series.get_mut(&key as &dyn AsKey)
            {
                let per_key = self.per_key.load(Ordering::Relaxed);
                series.remember(nanos(end), self.fingerprints.hash_one(id), per_key);
            }
        }
        self.note_loop(row);
        Ok(())
    }

    /// The keys of which operations were forgotten, with their oldest end here and how many there are
    /// of it; they are no longer marked.
    pub(crate) fn take_saturated(&self) -> Vec<(OwnedKey, i64, usize)> {
        let keys: Vec<OwnedKey> = self.saturated.iter().map(|key| key.key().clone()).collect();
        let of = |key: OwnedKey| {
            self.saturated.remove(&key.as_key() as &dyn AsKey);
            let (oldest, ties) = self.series.get(&key.as_key() as &dyn AsKey)?.oldest()?;
            Some((key, oldest, ties))
        };
        keys.into_iter().filter_map(of).collect()
    }

    /// Puts older ends of a key back, ascending, as many as there is room for.
    pub(crate) fn put_before(&self, key: &OwnedKey, older: &[i64]) {
        if let Some(mut series) = self.series.get_mut(&key.as_key() as &dyn AsKey) {
            let room = self.per_key.load(Ordering::Relaxed).saturating_sub(series.len());
            let left_out = older.len().saturating_sub(room);
            series.put_before(&older[left_out..]);
            if left_out > 0 {
                self.saturated.insert(key.clone());
            }
        }
    }

    pub(crate) fn count(&self, key: OperationKey<'_>, window: Window, now: Timestamp) -> u64 {
        let series = self.series.get(&key as &dyn AsKey);
        series.map_or(0, |series| series.count(nanos(window.start(now)), nanos(now)) as u64)
    }

    pub(crate) fn last_outcome(&self, closed_loop_name: &str) -> Option<Progress> {
        self.loops.get(closed_loop_name).map(|last| last.progress)
    }

    pub(crate) fn note_loop(&self, operation: &Operation) {
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

    pub(crate) fn prune(&self, before: Timestamp) -> u64 {
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
        self.saturated.retain(|key| self.series.contains_key(&key.as_key() as &dyn AsKey));
        self.loops.retain(|_, last| last.start >= limit);
        gone
    }
}

/// The request of a row that stands for a Permit.
fn permit_of(row: &Operation) -> Option<&str> {
    row.request_id.as_deref().filter(|_| row.outcome.as_deref() == Some(PERMITTED))
}

/// Nanoseconds since 1970; what lies beyond the years 1677 and 2262 counts as their ends.
pub(crate) fn nanos(time: Timestamp) -> i64 {
    let nanos = time.as_nanosecond().clamp(i64::MIN.into(), i64::MAX.into());
    i64::try_from(nanos).expect("it was clamped to the range")
}
