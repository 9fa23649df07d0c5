//! The ends of the operations of one key, in order of time.

use std::collections::VecDeque;

/// Times in nanoseconds since 1970, ascending.
#[derive(Clone, Debug, Default)]
pub(crate) struct Series {
    ends: VecDeque<i64>,
    /// Permits that the service recorded itself: their ends and the fingerprints of their requests.
    permits: VecDeque<(i64, u64)>,
}

impl Series {
    /// Adds an end. Operations mostly end in the order in which they are recorded, so this is mostly a
    /// push. Of more than `at_most` the oldest are forgotten.
    pub(crate) fn add(&mut self, end: i64, at_most: usize) {
        match self.ends.back() {
            Some(last) if *last > end => {
                let at = self.ends.partition_point(|other| *other <= end);
                self.ends.insert(at, end);
            }
            _ => self.ends.push_back(end),
        }
        while self.ends.len() > at_most {
            self.ends.pop_front();
        }
    }

    /// Takes back one end that was added.
    pub(crate) fn take_back(&mut self, end: i64) {
        let at = self.ends.partition_point(|other| *other < end);
        if self.ends.get(at) == Some(&end) {
            self.ends.remove(at);
        }
    }

    /// Remembers the request that a Permit was recorded for.
    pub(crate) fn remember(&mut self, end: i64, request: u64, at_most: usize) {
        self.permits.push_back((end, request));
        while self.permits.len() > at_most {
            self.permits.pop_front();
        }
    }

    /// Whether a Permit was recorded for the request. Retries come soon, so the latest are asked first.
    pub(crate) fn remembers(&self, request: u64) -> bool {
        self.permits.iter().rev().any(|(_, known)| *known == request)
    }

    /// Forgets the request of a Permit that was taken back.
    pub(crate) fn disremember(&mut self, request: u64) {
        self.permits.retain(|(_, known)| *known != request);
    }

    /// Puts older ends before those that are here; both ascend.
    pub(crate) fn put_before(&mut self, older: &[i64]) {
        for end in older.iter().rev() {
            self.ends.push_front(*end);
        }
    }

    /// The oldest end, and how many there are of it.
    pub(crate) fn oldest(&self) -> Option<(i64, usize)> {
        let first = *self.ends.front()?;
        Some((first, self.ends.partition_point(|end| *end == first)))
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// How many lie from `start` to `now`, both included.
    pub(crate) fn count(&self, start: i64, now: i64) -> usize {
        let until = self.ends.partition_point(|end| *end <= now);
        let before = self.ends.partition_point(|end| *end < start);
        until.saturating_sub(before)
    }

    /// Forgets what ended before a time.
    pub(crate) fn prune(&mut self, before: i64) -> usize {
        let gone = self.ends.partition_point(|end| *end < before);
        self.ends.drain(..gone);
        // A burst long ago should not hold its memory for ever.
        if self.ends.capacity() > 64 && self.ends.len() < self.ends.capacity() / 4 {
            self.ends.shrink_to(self.ends.len() * 2);
        }
        let old = self.permits.partition_point(|(end, _)| *end < before);
        self.permits.drain(..old);
        if self.permits.capacity() > 64 && self.permits.len() < self.permits.capacity() / 4 {
            self.permits.shrink_to(self.permits.len() * 2);
        }
        gone
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty() && self.permits.is_empty()
    }
}
