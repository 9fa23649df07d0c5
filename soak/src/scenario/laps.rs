//! Groups of requests timed together: the first few singly, then `M` at a time.

use std::time::Duration;

/// What a user does before it stops, and how it is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Requests of each user.
    pub requests: u64,
    /// Requests in a group.
    pub group: u64,
    /// So many of the first requests are groups of one.
    pub singly: u64,
}

/// One timed group.
#[derive(Clone, Debug, PartialEq)]
pub struct Lap {
    /// Whose requests.
    pub client: String,
    /// The first request of the group, from 1.
    pub from: u64,
    /// The last.
    pub to: u64,
    /// The time of all of them.
    pub took: Duration,
}

/// A user's stop-watch.
#[derive(Clone, Debug)]
pub struct StopWatch {
    quota: Quota,
    done: u64,
    from: u64,
    sum: Duration,
}

impl StopWatch {
    /// Before the first request.
    pub fn new(quota: Quota) -> Self {
        Self { quota, done: 0, from: 1, sum: Duration::ZERO }
    }

    /// Whether the quota is done.
    pub fn is_finished(&self) -> bool {
        self.done >= self.quota.requests
    }

    /// Takes one request; gives its group's place and time if it was the last of one. The single ones
    /// at the start are part of the first group's place, so that groups end at multiples of `M`.
    pub fn take(&mut self, us: u64) -> Option<(u64, u64, Duration)> {
        self.done += 1;
        self.sum += Duration::from_micros(us);
        let ends = self.done <= self.quota.singly
            || self.done.is_multiple_of(self.quota.group)
            || self.is_finished();
        ends.then(|| {
            let lap = (self.from, self.done, self.sum);
            self.from = self.done + 1;
            self.sum = Duration::ZERO;
            lap
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(quota: Quota) -> Vec<(u64, u64)> {
        let mut watch = StopWatch::new(quota);
        let mut places = Vec::new();
        while !watch.is_finished() {
            places.extend(watch.take(1000).map(|(from, to, _)| (from, to)));
        }
        places
    }

    #[test]
    fn the_first_stand_alone_and_groups_end_at_multiples() {
        assert_eq!(
            places(Quota { requests: 25, group: 10, singly: 3 }),
            [(1, 1), (2, 2), (3, 3), (4, 10), (11, 20), (21, 25)]
        );
        assert_eq!(places(Quota { requests: 4, group: 2, singly: 0 }), [(1, 2), (3, 4)]);
        assert_eq!(places(Quota { requests: 2, group: 100, singly: 15 }), [(1, 1), (2, 2)]);
    }

    #[test]
    fn a_group_takes_the_time_of_its_requests() {
        let mut watch = StopWatch::new(Quota { requests: 4, group: 2, singly: 0 });
        assert_eq!(watch.take(1500), None);
        assert_eq!(watch.take(2500), Some((1, 2, Duration::from_millis(4))));
    }
}
