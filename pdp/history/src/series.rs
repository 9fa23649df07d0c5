//! The ends of the operations of one key, in order of time.

use std::collections::VecDeque;

/// Times in nanoseconds since 1970, ascending.
#[derive(Clone, Debug, Default)]
pub(crate) struct Series {
    ends: VecDeque<i64>,
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
        gone
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}
