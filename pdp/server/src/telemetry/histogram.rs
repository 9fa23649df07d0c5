//! A histogram that one thread writes and others read.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Upper bounds in nanoseconds.
pub(crate) type Bounds = [u64; 14];

/// For whole requests: 50 microseconds to 5 seconds.
pub const REQUEST_BOUNDS: &Bounds = &[
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000,
    25_000_000,
    50_000_000,
    100_000_000,
    500_000_000,
    1_000_000_000,
    5_000_000_000,
];

/// For decisions alone: 250 nanoseconds to 50 milliseconds.
pub const DECISION_BOUNDS: &Bounds = &[
    250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 1_000_000, 5_000_000,
    10_000_000, 50_000_000,
];

/// Adds to a cell that only this thread writes: no locked instruction is needed.
pub(super) fn add(cell: &AtomicU64, amount: u64) {
    cell.store(cell.load(Relaxed).wrapping_add(amount), Relaxed);
}

/// Counts of durations. One thread observes, any thread may read.
#[derive(Debug, Default)]
pub struct Histogram {
    buckets: [AtomicU64; 15],
    nanos: AtomicU64,
}

impl Histogram {
    /// Counts one duration.
    pub fn observe(&self, bounds: &Bounds, took: Duration) {
        let nanos = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        let bucket = bounds.partition_point(|bound| *bound < nanos);
        add(&self.buckets[bucket], 1);
        add(&self.nanos, nanos);
    }

    /// Adds what another histogram of the same bounds has seen.
    pub(super) fn absorb(&self, other: &Self) {
        for (mine, theirs) in self.buckets.iter().zip(&other.buckets) {
            add(mine, theirs.load(Relaxed));
        }
        add(&self.nanos, other.nanos.load(Relaxed));
    }

    /// How many durations were counted.
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.load(Relaxed)).sum()
    }

    /// The histogram as Prometheus has it, in seconds.
    #[allow(clippy::cast_precision_loss)] // 52 bits of nanoseconds are 50 days
    pub(super) fn proto(&self, bounds: &Bounds) -> prometheus::proto::Histogram {
        let mut total = 0;
        let buckets = bounds.iter().zip(&self.buckets).map(|(bound, count)| {
            total += count.load(Relaxed);
            let mut bucket = prometheus::proto::Bucket::default();
            bucket.set_upper_bound(*bound as f64 / 1e9);
            bucket.set_cumulative_count(total);
            bucket
        });
        let mut histogram = prometheus::proto::Histogram::default();
        histogram.set_bucket(buckets.collect());
        histogram.set_sample_count(self.count());
        histogram.set_sample_sum(self.nanos.load(Relaxed) as f64 / 1e9);
        histogram
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_on_a_bound_belongs_below_it() {
        let histogram = Histogram::default();
        for nanos in [1, 250, 251, 50_000_000, 50_000_001] {
            histogram.observe(DECISION_BOUNDS, Duration::from_nanos(nanos));
        }
        let proto = histogram.proto(DECISION_BOUNDS);
        assert_eq!(proto.get_bucket()[0].cumulative_count(), 2);
        assert_eq!(proto.get_bucket()[1].cumulative_count(), 3);
        assert_eq!(proto.get_bucket()[13].cumulative_count(), 4);
        assert_eq!(proto.get_sample_count(), 5);
    }
}
