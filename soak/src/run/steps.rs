//! One load of a run in figures: the row that it gets where there are several.

use super::clock::Seen;
use crate::measure::histogram::{Latencies, round2};
use crate::measure::record::{Interval, LatencyStats, PhaseName, ProcessSample, Refusals, Step};
use crate::measure::series::round3;
use crate::plan::{Leg, Station};
use crate::scenario::laps::Lap;
use crate::scenario::shared::Shared;

/// What one load came to.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    /// Its row.
    pub(super) step: Step,
    /// Whole exchanges of its steady phase.
    pub(super) times: Latencies,
    /// Connections made.
    pub(super) connect: Option<LatencyStats>,
    /// TLS handshakes.
    pub(super) tls: Option<LatencyStats>,
    /// Timed groups.
    pub(super) laps: Vec<Lap>,
    /// Name, users that started, and requests of the steady phase, of each cohort.
    pub(super) teams: Vec<(String, usize, u64)>,
    /// How late requests with an intended time were let go.
    pub(super) lag: Option<LatencyStats>,
    /// Requests that were due and never sent.
    pub(super) not_sent: u64,
    /// Where it was put.
    pub(super) station: String,
    /// Whether credentials were sent.
    pub(super) credentials: bool,
    /// How others were answered, where that was tried.
    pub(super) refusals: Option<Refusals>,
    /// Whether connections were kept.
    pub(super) keep_alive: bool,
}

/// The figures of a load that has ended.
pub(super) fn outcome(station: &Station, leg: &Leg, shared: &Shared, seen: &Seen) -> Outcome {
    let (mut connect, mut tls) = (Latencies::default(), Latencies::default());
    for tally in &seen.series.tallies {
        connect.add(&tally.connect);
        tls.add(&tally.tls);
    }
    let lag = shared.lag.lock().unwrap_or_else(std::sync::PoisonError::into_inner).stats();
    let teams = shared.cohorts.iter().zip(&seen.team_steady).map(|(team, steady)| {
        let started = team.started.load(std::sync::atomic::Ordering::Relaxed);
        (team.cohort.name.clone(), started, *steady)
    });
    Outcome {
        times: seen.series.times(),
        connect: connect.stats(),
        tls: tls.stats(),
        laps: shared.laps(),
        teams: teams.collect(),
        lag,
        not_sent: shared.not_sent.load(std::sync::atomic::Ordering::Relaxed),
        station: station.label.clone(),
        credentials: station.credentials,
        refusals: None,
        keep_alive: leg.keep_alive,
        step: step(leg, shared, seen),
    }
}

fn step(leg: &Leg, shared: &Shared, seen: &Seen) -> Step {
    let series = &seen.series;
    let times = series.times();
    let steady: Vec<&Interval> =
        series.intervals.iter().filter(|row| row.phase == PhaseName::Steady).collect();
    let requests: u64 = series.steady_counts.iter().sum();
    let seconds = series.steady_s;
    let per_second = |count: f64| if seconds > 0.0 { count / seconds } else { 0.0 };
    let delay_ms = times.mean_us() / 1e3;
    let users = f64::from(leg.users());
    let resources = &seen.watch.resources;
    let server_cpu = cpu_of(&resources.server, &steady);
    let idle: Vec<f64> = resources
        .host
        .iter()
        .filter(|sample| steady.iter().any(|row| (row.t - sample.t).abs() < 0.01))
        .map(|sample| sample.busy_pct.iter().map(|busy| 100.0 - busy).sum())
        .collect();
    let limited = steady.iter().filter(|row| row.generator_limited).count();
    Step {
        label: leg.label.clone(),
        users: u64::from(leg.users()),
        from_s: round3(seen.from_s),
        to_s: round3(seen.from_s + seen.load_s),
        measured_s: round3(seconds),
        requests,
        errors: series.tallies.iter().map(|tally| tally.failed).sum(),
        wrong: series.tallies.iter().map(|tally| tally.wrong).sum(),
        delay_ms: round3(delay_ms),
        tps: round2(per_second(requests as f64)),
        tps_by_littles_law: if delay_ms > 0.0 { round2(users * 1e3 / delay_ms) } else { 0.0 },
        p50_us: times.percentile_us(50.0),
        p99_us: times.percentile_us(99.0),
        max_us: times.max_us(),
        spread_pct: spread_pct(&steady),
        first_us: shared.first_us.get().copied(),
        idle_cpu_pct: (!idle.is_empty())
            .then(|| round2(idle.iter().sum::<f64>() / idle.len() as f64)),
        server_cpu: server_cpu.map(|(cpu, passed, _)| round3(cpu / passed)),
        generator_cpu: cpu_of(&resources.generator, &steady)
            .map(|(cpu, passed, _)| round3(cpu / passed)),
        cpu_us_per_request: server_cpu
            .filter(|(_, _, requests)| *requests > 0)
            .map(|(cpu, _, requests)| round2(cpu * 1e6 / requests as f64)),
        generator_limited_pct: if steady.is_empty() {
            0.0
        } else {
            round2(limited as f64 * 100.0 / steady.len() as f64)
        },
    }
}

/// CPU seconds that a process used in these intervals, their length, and the requests in them.
pub(super) fn cpu_of(samples: &[ProcessSample], rows: &[&Interval]) -> Option<(f64, f64, u64)> {
    let mut sums = (0.0, 0.0, 0);
    for row in rows {
        // Rows are told in milliseconds, and so are samples; an edge is sampled a little late.
        let at = |t: f64| {
            let place = samples.partition_point(|sample| sample.t < t - 0.05);
            let sample = samples.get(place).filter(|sample| (sample.t - t).abs() <= 0.25)?;
            sample.cpu_s
        };
        if let (Some(before), Some(after)) = (at(row.t - row.length_s), at(row.t)) {
            sums.0 += after - before;
            sums.1 += row.length_s;
            sums.2 += row.buc.n;
        }
    }
    (sums.1 > 0.0).then_some(sums)
}

/// The standard deviation of the intervals' mean times, in per cent of their mean.
fn spread_pct(rows: &[&Interval]) -> f64 {
    let means: Vec<f64> =
        rows.iter().filter(|row| row.buc.n > 0).map(|row| row.buc.avg as f64).collect();
    if means.len() < 2 {
        return 0.0;
    }
    let mean = means.iter().sum::<f64>() / means.len() as f64;
    let square = means.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    if mean > 0.0 { round2((square / (means.len() - 1) as f64).sqrt() * 100.0 / mean) } else { 0.0 }
}
