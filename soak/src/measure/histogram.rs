//! Latency histograms: three significant digits from one microsecond on, constant memory.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2Serializer};

use super::record::LatencyStats;

/// Longer times are counted as this one; the exact maximum is kept beside the histogram.
const LONGEST_US: u64 = 4_000_000_000;

/// Times in microseconds, with exact sum, minimum and maximum beside the buckets.
#[derive(Clone, Debug)]
pub struct Latencies {
    /// Made by the first time that is taken: many endpoints are never asked.
    buckets: Option<Box<Histogram<u64>>>,
    sum_us: u64,
    min_us: u64,
    max_us: u64,
}

impl Default for Latencies {
    fn default() -> Self {
        Self { buckets: None, sum_us: 0, min_us: u64::MAX, max_us: 0 }
    }
}

fn empty() -> Box<Histogram<u64>> {
    let mut buckets = Histogram::new(3).expect("three digits are within the crate's 0 to 5");
    buckets.auto(true);
    Box::new(buckets)
}

impl Latencies {
    /// Takes one time.
    pub fn record(&mut self, us: u64) {
        self.buckets
            .get_or_insert_with(empty)
            .record(us.min(LONGEST_US))
            .expect("an auto-resizing histogram reaches as far as that");
        self.sum_us += us;
        self.min_us = self.min_us.min(us);
        self.max_us = self.max_us.max(us);
    }

    /// Adds all times of another.
    pub fn add(&mut self, other: &Self) {
        let Some(buckets) = other.buckets.as_ref().filter(|buckets| !buckets.is_empty()) else {
            return;
        };
        self.buckets
            .get_or_insert_with(empty)
            .add(&**buckets)
            .expect("an auto-resizing histogram takes any other");
        self.sum_us += other.sum_us;
        self.min_us = self.min_us.min(other.min_us);
        self.max_us = self.max_us.max(other.max_us);
    }

    /// Forgets everything and keeps the memory.
    pub fn reset(&mut self) {
        if let Some(buckets) = &mut self.buckets {
            buckets.reset();
        }
        self.sum_us = 0;
        self.min_us = u64::MAX;
        self.max_us = 0;
    }

    /// How many times were taken.
    pub fn count(&self) -> u64 {
        self.buckets.as_ref().map_or(0, |buckets| buckets.len())
    }

    /// Whether none was taken.
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// The shortest time, 0 if there is none.
    pub fn min_us(&self) -> u64 {
        if self.is_empty() { 0 } else { self.min_us }
    }

    /// The longest time, 0 if there is none.
    pub fn max_us(&self) -> u64 {
        self.max_us
    }

    /// The exact mean, 0 if there is none.
    pub fn mean_us(&self) -> f64 {
        if self.is_empty() { 0.0 } else { self.sum_us as f64 / self.count() as f64 }
    }

    /// The time that `percent` of the requests did not exceed, within three significant digits.
    pub fn percentile_us(&self, percent: f64) -> u64 {
        let Some(buckets) = self.buckets.as_ref().filter(|buckets| !buckets.is_empty()) else {
            return 0;
        };
        // A bucket's upper edge may lie above anything that was seen.
        // Dividing 99.9 by 100 lands above 0.999, and one rank too high.
        let quantile = (percent * 1e6).round() / 1e8;
        buckets.value_at_quantile(quantile).clamp(self.min_us, self.max_us)
    }

    /// The figures that the record keeps; `None` when there is nothing to tell.
    pub fn stats(&self) -> Option<LatencyStats> {
        let buckets = self.buckets.as_ref().filter(|buckets| !buckets.is_empty())?;
        Some(LatencyStats {
            count: self.count(),
            min: self.min_us(),
            mean: round2(self.mean_us()),
            stdev: round2(buckets.stdev()),
            p50: self.percentile_us(50.0),
            p75: self.percentile_us(75.0),
            p90: self.percentile_us(90.0),
            p95: self.percentile_us(95.0),
            p99: self.percentile_us(99.0),
            p999: self.percentile_us(99.9),
            p9999: self.percentile_us(99.99),
            max: self.max_us,
        })
    }

    /// Times that were taken, each with how often, from the shortest on.
    pub(super) fn buckets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let buckets = self.buckets.iter().flat_map(|buckets| buckets.iter_recorded());
        buckets.map(|step| (step.value_iterated_to(), step.count_at_value()))
    }

    /// The buckets in HDR's second format, as base64.
    pub fn encode(&self) -> String {
        let mut bytes = Vec::new();
        V2Serializer::new()
            .serialize(self.buckets.as_deref().unwrap_or(&*empty()), &mut bytes)
            .expect("a histogram of this size fits a vector");
        STANDARD.encode(bytes)
    }
}

/// Two decimals are enough for a mean in microseconds.
pub fn round2(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// Reads back what [`Latencies::encode`] wrote; `None` if it is something else.
pub fn decode(text: &str) -> Option<Histogram<u64>> {
    let bytes = STANDARD.decode(text).ok()?;
    hdrhistogram::serialization::Deserializer::new().deserialize(&mut bytes.as_slice()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_of_known_times() {
        let mut times = Latencies::default();
        (1..=1000).for_each(|us| times.record(us));
        let stats = times.stats().expect("a thousand times were taken");
        assert_eq!((stats.count, stats.min, stats.max), (1000, 1, 1000));
        assert_eq!((stats.p50, stats.p99, stats.p999), (500, 990, 999));
        assert!((stats.mean - 500.5).abs() < 1e-9);
    }

    #[test]
    fn long_times_are_kept_within_three_digits() {
        let mut times = Latencies::default();
        for us in [5_000, 30_000, 250_000, 1_004_774] {
            times.record(us);
        }
        for (percent, us) in
            [(25.0, 5_000.0), (50.0, 30_000.0), (75.0, 250_000.0), (100.0, 1_004_774.0)]
        {
            let seen = times.percentile_us(percent) as f64;
            assert!((seen - us).abs() <= us / 1000.0, "p{percent} is {seen}, not {us}");
        }
    }

    #[test]
    fn a_time_beyond_the_range_keeps_its_exact_maximum() {
        let mut times = Latencies::default();
        times.record(5);
        times.record(LONGEST_US * 2);
        assert_eq!(times.max_us(), LONGEST_US * 2);
        assert!(times.percentile_us(100.0) <= LONGEST_US * 2);
    }

    #[test]
    fn adding_is_the_same_as_taking_all() {
        let (mut left, mut right, mut both) =
            (Latencies::default(), Latencies::default(), Latencies::default());
        for us in [3, 70, 1_000_000] {
            left.record(us);
            both.record(us);
        }
        for us in [1, 80_000] {
            right.record(us);
            both.record(us);
        }
        left.add(&right);
        left.add(&Latencies::default());
        assert_eq!(left.stats(), both.stats());
    }

    #[test]
    fn what_is_encoded_can_be_read_back() {
        let mut times = Latencies::default();
        [12, 13, 900].into_iter().for_each(|us| times.record(us));
        let back = decode(&times.encode()).expect("our own text");
        assert_eq!((back.len(), back.min(), back.max()), (3, 12, 900));
        assert!(decode("not base64 at all").is_none());
    }
}
