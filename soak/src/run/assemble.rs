//! The record of a run out of what was seen.

use std::time::Duration;

use super::clock::Seen;
use crate::measure::endpoint::{Endpoint, Kind};
use crate::measure::histogram::{Latencies, round2};
use crate::measure::record::*;
use crate::measure::series::{Series, round3};
use crate::plan::Plan;
use crate::sampler::host::HostReader;
use crate::scenario::Group as UserGroup;
use crate::target::Target as Service;
use crate::target::preflight::Preflight;
use crate::verdict;

/// What is known about a run beside what the clock saw.
#[derive(Debug)]
pub struct RunFacts {
    /// Tells this run apart.
    pub run_tag: String,
    /// The start on the wall clock.
    pub began: jiff::Timestamp,
    /// The end on the wall clock.
    pub ended: jiff::Timestamp,
    /// The same length on the monotonic clock.
    pub monotonic: Duration,
    /// Users that started in each group.
    pub users_started: [usize; UserGroup::ALL.len()],
    /// Operations that went into the history.
    pub operations: u64,
    /// What else should be told.
    pub notes: Vec<String>,
}

impl Service {
    /// The service as the record describes it.
    pub(super) fn describe(&self, preflight: &Preflight) -> Target {
        let mut features = Vec::new();
        if preflight.has_metrics {
            features.push("metrics".to_owned());
        }
        if self.pid.is_some() {
            features.push("procfs".to_owned());
        }
        Target {
            url: self.url.to_string(),
            scheme: self.url.scheme().to_owned(),
            pid: self.pid,
            version: preflight.version.clone(),
            features,
        }
    }
}

pub(super) fn record(
    plan: &Plan,
    preflight: &Preflight,
    target: Target,
    generator_shares_host: bool,
    seen: Seen,
    facts: RunFacts,
) -> RunRecord {
    let endpoints = endpoints(preflight, &seen.series);
    let totals = totals(plan, &seen, &endpoints);
    let phases = phases(plan, preflight, &seen);
    let wall_ms = facts.ended.duration_since(facts.began).as_millis_f64();
    let mut record = RunRecord {
        schema: SCHEMA.to_owned(),
        result: RunResult::Fail,
        reason: String::new(),
        exit_code: 0,
        run: Run {
            id: format!("s3p-{}-{}", facts.began.strftime("%Y%m%dT%H%M%SZ"), facts.run_tag),
            mode: "s3p".to_owned(),
            started: to_millis(facts.began),
            ended: to_millis(facts.ended),
            planned_s: plan.timing.duration.as_secs_f64(),
            actual_s: round3(seen.load_s),
            end_reason: seen.end_reason.clone(),
            seed: plan.seed,
            command: plan.command.clone(),
            versions: Versions {
                soak: env!("CARGO_PKG_VERSION").to_owned(),
                goose: env!("SOAK_GOOSE").to_owned(),
                rustc: env!("SOAK_RUSTC").to_owned(),
                target: preflight.version.clone(),
            },
            workload: workload(plan, &facts),
            clock_drift_ms: round2(wall_ms - facts.monotonic.as_secs_f64() * 1e3),
            notes: notes(plan, &seen, &facts, &totals, generator_shares_host),
        },
        host: Host { generator_shares_host, ..HostReader::new().describe() },
        target,
        phases,
        totals,
        endpoints,
        verdicts: Vec::new(),
        resources: seen.resources,
        intervals: seen.series.intervals,
    };
    verdict::settle(&mut record, &plan.output.rules);
    record
}

fn workload(plan: &Plan, facts: &RunFacts) -> Workload {
    let groups = UserGroup::ALL.into_iter().zip(facts.users_started).map(|(group, users)| Group {
        name: group.name().to_owned(),
        users: users as u64,
        endpoints: group.endpoints().iter().map(|endpoint| endpoint.name().to_owned()).collect(),
    });
    Workload {
        model: "closed".to_owned(),
        users_per_group: u64::from(plan.users),
        groups: groups.collect(),
        think_time_ms: 0,
        keep_alive: plan.client.keep_alive,
        timeout_s: plan.client.timeout.as_secs_f64(),
        interval_s: plan.timing.interval.as_secs_f64(),
    }
}

fn endpoints(preflight: &Preflight, series: &Series) -> Vec<EndpointStats> {
    let stats = |endpoint: Endpoint| {
        let place = endpoint.index();
        let tally = &series.tallies[place];
        EndpointStats {
            name: endpoint.name().to_owned(),
            method: endpoint.method().to_owned(),
            path: format!("/{}", endpoint.path()),
            kind: endpoint.kind(),
            count: tally.count(),
            ok: tally.ok,
            failed: tally.failed,
            wrong: tally.wrong,
            errors: tally.error_classes(),
            wrong_samples: tally.wrong_samples.clone(),
            status: tally
                .status
                .iter()
                .map(|(status, count)| (status.to_string(), *count))
                .collect(),
            bytes_in: tally.bytes_in,
            bytes_out: tally.bytes_out,
            tps_mean: per_second(series.steady_counts[place], series.steady_s),
            first_us: preflight.first_us[place],
            slowest: series.slowest[place].clone(),
            latency_us: tally.latencies.stats(),
            ttfb_us: tally.ttfb.stats(),
            histogram: tally.latencies.encode(),
        }
    };
    Endpoint::ALL.map(stats).into()
}

fn totals(plan: &Plan, seen: &Seen, endpoints: &[EndpointStats]) -> Totals {
    let series = &seen.series;
    let total = |kind: Option<Kind>| {
        let mut total = Total::default();
        let (mut times, mut steady) = (Latencies::default(), 0);
        for (endpoint, stats) in Endpoint::ALL.into_iter().zip(endpoints) {
            if kind.is_some_and(|kind| kind != endpoint.kind()) {
                continue;
            }
            total.count += stats.count;
            total.ok += stats.ok;
            total.failed += stats.failed;
            total.wrong += stats.wrong;
            times.add(&series.tallies[endpoint.index()].latencies);
            steady += series.steady_counts[endpoint.index()];
            if stats.slowest.as_ref().map(|slowest| slowest.us)
                > total.slowest.as_ref().map(|slowest| slowest.us)
            {
                total.slowest = stats.slowest.clone();
            }
        }
        total.tps_mean = per_second(steady, series.steady_s);
        total.latency_us = times.stats();
        total
    };
    let all = total(None);
    let steady: Vec<&Interval> =
        series.intervals.iter().filter(|interval| interval.phase == PhaseName::Steady).collect();
    let share = |marked: fn(&Interval) -> bool| {
        let count = steady.iter().filter(|interval| marked(interval)).count();
        if steady.is_empty() { 0.0 } else { round2(count as f64 * 100.0 / steady.len() as f64) }
    };
    let steady_requests: u64 = series.steady_counts.iter().sum();
    let cpu = |samples: &[ProcessSample]| {
        let cpu_s = cpu_between(samples, steady.first()?, steady.last()?)?;
        (steady_requests > 0).then(|| round2(cpu_s * 1e6 / steady_requests as f64))
    };
    Totals {
        decisions: total(Some(Kind::Decision)),
        probes: total(Some(Kind::Probe)),
        cpu_us_per_request: cpu(&seen.resources.server),
        generator_cpu_us_per_request: cpu(&seen.resources.generator),
        littles_law: littles_law(plan, &all),
        generator_limited_pct: share(|interval| interval.generator_limited),
        host_saturated_pct: share(|interval| interval.host_saturated),
        all,
    }
}

/// CPU seconds from the start of one interval to the end of another.
fn cpu_between(samples: &[ProcessSample], first: &Interval, last: &Interval) -> Option<f64> {
    let at = |t: f64| {
        let near = |sample: &&ProcessSample| (sample.t - t).abs() <= 0.25;
        samples.iter().find(near).and_then(|sample| sample.cpu_s)
    };
    Some(at(last.t)? - at(first.t - first.length_s)?)
}

fn littles_law(plan: &Plan, all: &Total) -> Option<LittlesLaw> {
    let latency = all.latency_us.as_ref()?;
    let users = f64::from(plan.users) * UserGroup::ALL.len() as f64;
    let product = all.tps_mean * latency.mean / 1e6;
    Some(LittlesLaw {
        users,
        tps_x_latency: round2(product),
        error_pct: round2((product - users) / users * 100.0),
    })
}

fn phases(plan: &Plan, preflight: &Preflight, seen: &Seen) -> Vec<Phase> {
    let warmup = plan.timing.warmup.as_secs_f64().min(seen.load_s);
    let steady_end = plan.timing.duration.as_secs_f64().min(seen.load_s);
    let phase =
        |name, from_s: f64, to_s: f64| Phase { name, from_s: round3(from_s), to_s: round3(to_s) };
    let mut phases = vec![phase(PhaseName::First, -preflight.took.as_secs_f64(), 0.0)];
    if warmup > 0.0 {
        phases.push(phase(PhaseName::Warmup, 0.0, warmup));
    }
    if seen.series.steady_s > 0.0 {
        phases.push(phase(PhaseName::Steady, warmup, steady_end));
    }
    if seen.watched_s > steady_end {
        phases.push(phase(PhaseName::Cooldown, steady_end, seen.watched_s));
    }
    phases
}

fn notes(
    plan: &Plan,
    seen: &Seen,
    facts: &RunFacts,
    totals: &Totals,
    shared_host: bool,
) -> Vec<String> {
    let mut notes = vec![
        "Closed model: each user sends its next request when the last one is answered. While the service stalls, \
         no requests are sent that would have met the stall, so the percentiles understate what an open stream of \
         clients would see (co-ordinated omission); they are not corrected."
            .to_owned(),
        "Latency is the whole exchange, to the last byte of the answer, in the steady phase; counts and errors are of \
         the whole load. First requests were made on fresh connections before the load."
            .to_owned(),
        format!("{} operations were recorded in the history; as long as the service keeps them, it grows by them.", facts.operations),
    ];
    if shared_host {
        notes.push(
            "Generator and service share the machine; each takes CPU from the other.".to_owned(),
        );
    }
    if totals.host_saturated_pct > 0.0 {
        notes.push(format!(
            "The host had no CPU left in {} % of the steady intervals; the throughput is that of host, generator and \
             service together.",
            totals.host_saturated_pct
        ));
    }
    if seen.resources.server.is_empty() {
        notes.push(
            "The service's process was not sampled: give --pid, or a target with /metrics."
                .to_owned(),
        );
    }
    for (group, users) in UserGroup::ALL.into_iter().zip(facts.users_started) {
        if users != plan.users as usize {
            notes.push(format!("Group {} had {users} users, not {}.", group.name(), plan.users));
        }
    }
    notes.extend(facts.notes.iter().cloned());
    notes
}

fn per_second(count: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { round2(count as f64 / seconds) } else { 0.0 }
}

/// A moment as RFC 3339 with milliseconds.
fn to_millis(moment: jiff::Timestamp) -> String {
    moment.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
