//! Intervals and phases out of tallies: a row per interval, one histogram per endpoint and phase.

use std::collections::BTreeMap;

use super::endpoint::{Endpoint, Kind};
use super::heat;
use super::histogram::Latencies;
use super::record::{Bucket, Heatmap, Interval, PhaseName, Running, Slowest};
use super::recorder::Tally;

/// The moment and circumstances of one interval's end.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// Seconds since the start of the load.
    pub t: f64,
    /// Length of the interval in seconds.
    pub length_s: f64,
    /// The phase it belongs to.
    pub phase: PhaseName,
    /// Users running at its end.
    pub users: u64,
    /// The generator used more than its share of what it may use.
    pub generator_limited: bool,
    /// The host had nothing left to give.
    pub host_saturated: bool,
}

/// What has been seen so far.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// Per endpoint: the counts of the whole load, the times of the steady phase.
    pub tallies: [Tally; Endpoint::COUNT],
    /// Per endpoint: the slowest request of the whole load.
    pub slowest: [Option<Slowest>; Endpoint::COUNT],
    /// Per endpoint: requests of the steady phase.
    pub steady_counts: [u64; Endpoint::COUNT],
    /// Per endpoint: failures of the steady phase.
    pub steady_failed: [u64; Endpoint::COUNT],
    /// Seconds of the steady phase.
    pub steady_s: f64,
    /// Per endpoint: counts and times of the warm-up.
    pub warmup: [Tally; Endpoint::COUNT],
    /// Seconds of the warm-up.
    pub warmup_s: f64,
    /// One row per interval.
    pub intervals: Vec<Interval>,
    heat: Vec<heat::Column>,
    running_sum_us: f64,
    running: Running,
    scratch: Latencies,
}

impl Series {
    /// A series that goes on after another load of the same run.
    pub fn after(before: Running) -> Self {
        Self {
            running_sum_us: before.avg as f64 * before.n as f64,
            running: before,
            ..Self::default()
        }
    }

    /// Adds the load that came after.
    pub fn append(&mut self, mut other: Self) {
        for endpoint in Endpoint::ALL {
            let place = endpoint.index();
            self.tallies[place].add_counts(&other.tallies[place]);
            self.tallies[place].add_times(&other.tallies[place]);
            self.steady_counts[place] += other.steady_counts[place];
            self.steady_failed[place] += other.steady_failed[place];
            self.warmup[place].add_counts(&other.warmup[place]);
            self.warmup[place].add_times(&other.warmup[place]);
            let (slot, later) = (&mut self.slowest[place], other.slowest[place].take());
            if later.as_ref().map(|slowest| slowest.us) > slot.as_ref().map(|slowest| slowest.us) {
                *slot = later;
            }
        }
        self.steady_s += other.steady_s;
        self.warmup_s += other.warmup_s;
        self.intervals.append(&mut other.intervals);
        self.heat.append(&mut other.heat);
        self.running = other.running;
        self.running_sum_us = other.running_sum_us;
    }

    /// The times of the steady phase over all endpoints.
    pub fn times(&self) -> Latencies {
        let mut times = Latencies::default();
        self.tallies.iter().for_each(|tally| times.add(&tally.latencies));
        times
    }

    /// Takes what came in during one interval and adds its row.
    pub fn push(&mut self, tallies: &[Tally; Endpoint::COUNT], edge: Edge) {
        let is_steady = edge.phase == PhaseName::Steady;
        let mut endpoints = BTreeMap::new();
        let (mut errors, mut wrong) = (0, 0);
        for endpoint in Endpoint::ALL {
            let tally = &tallies[endpoint.index()];
            self.tallies[endpoint.index()].add_counts(tally);
            if is_steady {
                self.tallies[endpoint.index()].add_times(tally);
                self.steady_counts[endpoint.index()] += tally.count();
                self.steady_failed[endpoint.index()] += tally.failed;
            } else if edge.phase == PhaseName::Warmup {
                self.warmup[endpoint.index()].add_counts(tally);
                self.warmup[endpoint.index()].add_times(tally);
            }
            self.note_slowest(endpoint, tally, edge.t);
            errors += tally.failed;
            wrong += tally.wrong;
            if tally.count() > 0 {
                endpoints.insert(
                    endpoint.name().to_owned(),
                    bucket(&tally.latencies, tally.failed + tally.wrong, edge.length_s),
                );
            }
        }
        if is_steady {
            self.steady_s += edge.length_s;
        } else if edge.phase == PhaseName::Warmup {
            self.warmup_s += edge.length_s;
        }
        let decisions = self.combine(tallies, Some(Kind::Decision), edge.length_s);
        self.heat.push(heat::column(round3(edge.t), &self.scratch));
        let buc = self.combine(tallies, None, edge.length_s);
        self.run_on(&buc, edge.t);
        self.intervals.push(Interval {
            t: round3(edge.t),
            length_s: round3(edge.length_s),
            phase: edge.phase,
            users: edge.users,
            errors,
            wrong,
            generator_limited: edge.generator_limited,
            host_saturated: edge.host_saturated,
            tot: self.running.clone(),
            buc,
            decisions,
            endpoints,
        });
    }

    /// How many decisions took how long, over time.
    pub fn heatmap(&self) -> Option<Heatmap> {
        heat::map(&self.heat)
    }

    /// All requests since the start of the load.
    pub fn running(&self) -> &Running {
        &self.running
    }

    fn combine(
        &mut self,
        tallies: &[Tally; Endpoint::COUNT],
        kind: Option<Kind>,
        length_s: f64,
    ) -> Bucket {
        self.scratch.reset();
        let mut errors = 0;
        for endpoint in Endpoint::ALL {
            if kind.is_none_or(|kind| endpoint.kind() == kind) {
                let tally = &tallies[endpoint.index()];
                self.scratch.add(&tally.latencies);
                errors += tally.failed + tally.wrong;
            }
        }
        if kind.is_none() {
            self.running_sum_us += self.scratch.mean_us() * self.scratch.count() as f64;
        }
        bucket(&self.scratch, errors, length_s)
    }

    fn run_on(&mut self, buc: &Bucket, t: f64) {
        let running = &mut self.running;
        if buc.n > 0 {
            running.min = if running.n == 0 { buc.min } else { running.min.min(buc.min) };
            running.max = running.max.max(buc.max);
            running.n += buc.n;
            running.avg = (self.running_sum_us / running.n as f64).round() as u64;
        }
        running.tpm = per_minute(running.n, t);
    }

    fn note_slowest(&mut self, endpoint: Endpoint, tally: &Tally, t: f64) {
        let us = tally.latencies.max_us();
        let slot = &mut self.slowest[endpoint.index()];
        if us > 0 && slot.as_ref().is_none_or(|slowest| us > slowest.us) {
            *slot = Some(Slowest { endpoint: endpoint.name().to_owned(), us, t: round3(t) });
        }
    }
}

fn bucket(times: &Latencies, errors: u64, length_s: f64) -> Bucket {
    Bucket {
        n: times.count(),
        errors,
        min: times.min_us(),
        avg: times.mean_us().round() as u64,
        max: times.max_us(),
        tpm: per_minute(times.count(), length_s),
        p50: times.percentile_us(50.0),
        p99: times.percentile_us(99.0),
    }
}

fn per_minute(n: u64, seconds: f64) -> u64 {
    if seconds > 0.0 { (n as f64 * 60.0 / seconds).round() as u64 } else { 0 }
}

/// Milliseconds are fine enough for a place on the run's time axis.
pub fn round3(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::recorder::{Outcome, Sample};

    fn tallies(rows: &[(Endpoint, u64)]) -> [Tally; Endpoint::COUNT] {
        let mut tallies: [Tally; Endpoint::COUNT] = Default::default();
        for (endpoint, us) in rows {
            tallies[endpoint.index()].record(Sample {
                us: *us,
                ttfb_us: None,
                status: Some(200),
                bytes_in: 0,
                bytes_out: 0,
                outcome: Outcome::Ok,
                ..Sample::default()
            });
        }
        tallies
    }

    fn edge(t: f64, phase: PhaseName) -> Edge {
        Edge { t, length_s: 5.0, phase, users: 2, generator_limited: false, host_saturated: false }
    }

    #[test]
    fn buckets_have_their_own_average_and_totals_run_on() {
        let mut series = Series::default();
        series.push(
            &tallies(&[(Endpoint::Healthcheck, 100), (Endpoint::Monitoring, 300)]),
            edge(5.0, PhaseName::Warmup),
        );
        series.push(
            &tallies(&[(Endpoint::Monitoring, 1000), (Endpoint::GuardMinMax, 2000)]),
            edge(10.0, PhaseName::Steady),
        );
        let [first, second] = series.intervals.as_slice() else { panic!("two rows") };
        assert_eq!((first.buc.avg, first.tot.avg), (200, 200));
        assert_eq!((second.buc.avg, second.tot.avg), (1500, 850));
        assert_eq!(
            (second.tot.n, second.tot.min, second.tot.max, second.tot.tpm),
            (4, 100, 2000, 24)
        );
        assert_eq!((second.buc.n, second.buc.tpm, second.decisions.n), (2, 24, 2));
        assert_eq!((first.decisions.n, first.decisions.avg), (1, 300));
    }

    #[test]
    fn the_bucket_counts_add_up_to_the_total() {
        let mut series = Series::default();
        for i in 1..=4 {
            let rows: Vec<_> = (0..i).map(|n| (Endpoint::Statistics, 10 + n)).collect();
            series.push(&tallies(&rows), edge(i as f64 * 5.0, PhaseName::Steady));
        }
        let sum: u64 = series.intervals.iter().map(|row| row.buc.n).sum();
        assert_eq!((sum, series.running().n), (10, 10));
    }

    #[test]
    fn warm_up_counts_but_its_times_do_not() {
        let mut series = Series::default();
        series.push(&tallies(&[(Endpoint::Monitoring, 90_000)]), edge(5.0, PhaseName::Warmup));
        series.push(&tallies(&[(Endpoint::Monitoring, 300)]), edge(10.0, PhaseName::Steady));
        let place = Endpoint::Monitoring.index();
        assert_eq!(series.tallies[place].count(), 2);
        assert_eq!(series.tallies[place].latencies.max_us(), 300);
        assert_eq!((series.steady_counts[place], series.steady_s), (1, 5.0));
        assert_eq!((series.warmup[place].latencies.max_us(), series.warmup_s), (90_000, 5.0));
        assert_eq!(
            series.slowest[place].as_ref().map(|slowest| (slowest.us, slowest.t)),
            Some((90_000, 5.0))
        );
    }
}
