//! The record of a run out of what was seen.

use super::journey::Journey;
use super::notes::notes;
use super::steps::cpu_of;
use super::tables;
use crate::measure::endpoint::{Endpoint, Kind};
use crate::measure::histogram::{Latencies, round2};
use crate::measure::record::*;
use crate::measure::series::round3;
use crate::plan::{Leg, Mode, Plan};
use crate::sampler::host::{HostReader, usable_cores};
use crate::scenario::Subject;
use crate::target::Target as Service;
use crate::target::preflight::Preflight;
use crate::verdict::{self, knee, validity};

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

pub(super) fn record(plan: &Plan, journey: Journey<'_>) -> RunRecord {
    let ended = jiff::Timestamp::now();
    let monotonic = journey.monotonic.elapsed();
    let endpoints = endpoints(plan, &journey);
    let totals = totals(plan, &journey, &endpoints);
    let wall_ms = ended.duration_since(journey.began).as_millis_f64();
    let (mut matrix, mut fairness) = (Vec::new(), Vec::new());
    if plan.mode == Mode::Matrix {
        (matrix, fairness) = tables::matrix(&journey.outcomes);
    }
    let only = |mode| plan.mode == mode;
    let steps: Vec<Step> = journey.outcomes.iter().map(|outcome| outcome.step.clone()).collect();
    let several = plan.legs().count() > 1;
    let rate = plan.legs().next().and_then(|leg| leg.pace).zip(journey.outcomes.first());
    let mut record = RunRecord {
        schema: SCHEMA.to_owned(),
        result: RunResult::Fail,
        reason: String::new(),
        exit_code: 0,
        run: Run {
            id: format!(
                "{}-{}-{}",
                plan.mode.name(),
                journey.began.strftime("%Y%m%dT%H%M%SZ"),
                journey.tag
            ),
            mode: plan.mode.name().to_owned(),
            started: to_millis(journey.began),
            ended: to_millis(ended),
            planned_s: planned_s(plan, &journey),
            actual_s: round3(journey.load_s),
            end_reason: journey.end_reason.clone(),
            seed: plan.seed,
            command: plan.command.clone(),
            versions: Versions {
                soak: env!("CARGO_PKG_VERSION").to_owned(),
                goose: env!("SOAK_GOOSE").to_owned(),
                rustc: env!("SOAK_RUSTC").to_owned(),
                target: journey.preflight.version.clone(),
            },
            workload: workload(plan, &journey),
            clock_drift_ms: round2(wall_ms - monotonic.as_secs_f64() * 1e3),
            notes: notes(plan, &journey, &totals),
        },
        host: Host {
            generator_shares_host: journey.generator_shares_host,
            ..HostReader::new().describe()
        },
        target: journey.description.clone().unwrap_or_else(no_target),
        phases: phases(plan, &journey),
        totals,
        groups: tables::groups(&journey.outcomes),
        knee: only(Mode::Ramp).then(|| knee::find(&steps, usable_cores())),
        steps: if several { steps } else { Vec::new() },
        matrix,
        fairness,
        secure: if only(Mode::Secure) { tables::secure(&journey.outcomes) } else { Vec::new() },
        methods: if only(Mode::Mix) { tables::methods(&endpoints) } else { Vec::new() },
        rate: rate.map(|(pace, outcome)| {
            let planned_s = plan.duration().as_secs_f64();
            let mut corrected = Latencies::default();
            journey.series.tallies.iter().for_each(|tally| corrected.add(&tally.corrected));
            tables::rate(pace, planned_s, outcome, corrected.stats())
        }),
        baseline: None,
        endpoints,
        verdicts: Vec::new(),
        resources: journey.resources,
        heatmap: journey.series.heatmap(),
        intervals: journey.series.intervals,
    };
    verdict::settle(&mut record, &plan.output.rules, &plan.output.baselines, plan.output.force);
    record
}

/// A load that is measured in requests is as long as they take.
fn planned_s(plan: &Plan, journey: &Journey<'_>) -> f64 {
    if journey.end_reason == validity::ALL_REQUESTS {
        round3(journey.load_s)
    } else {
        plan.duration().as_secs_f64()
    }
}

/// There is always a first service; without one there is no record.
fn no_target() -> Target {
    Target {
        url: String::new(),
        scheme: String::new(),
        pid: None,
        version: None,
        features: Vec::new(),
    }
}

/// Users at once in the largest load.
fn most_users(plan: &Plan) -> u32 {
    plan.legs().map(Leg::users).max().unwrap_or_default()
}

fn workload(plan: &Plan, journey: &Journey<'_>) -> Workload {
    let largest = plan.legs().zip(&journey.outcomes).max_by_key(|(leg, _)| leg.users());
    let mut groups = Vec::new();
    if let Some((leg, outcome)) = largest {
        for (cohort, (_, started, _)) in leg.cohorts.iter().zip(&outcome.teams) {
            let endpoints = cohort.activity.endpoints().iter();
            groups.push(Group {
                name: cohort.name.clone(),
                users: *started as u64,
                endpoints: endpoints.map(|endpoint| endpoint.name().to_owned()).collect(),
            });
        }
    }
    let first = &plan.stations[0];
    Workload {
        model: if plan.mode == Mode::Rate { "open" } else { "closed" }.to_owned(),
        users_per_group: groups.iter().map(|group| group.users).max().unwrap_or_default(),
        groups,
        think_time_ms: 0,
        keep_alive: first.client.keep_alive,
        timeout_s: first.client.timeout.as_secs_f64(),
        interval_s: first.legs[0].timing.interval.as_secs_f64(),
        subject: plan.subject.map(|subject| {
            match subject {
                Subject::Guard => "guard",
                Subject::Mapping => "mapping",
            }
            .to_owned()
        }),
    }
}

fn endpoints(plan: &Plan, journey: &Journey<'_>) -> Vec<EndpointStats> {
    let (preflight, series) = (&journey.preflight, &journey.series);
    let asked = |endpoint: &Endpoint| plan.stations.iter().any(|station| station.asks(*endpoint));
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
            connect_us: tally.connect.stats(),
            tls_us: tally.tls.stats(),
            corrected_us: tally.corrected.stats(),
            warmup: (series.warmup[place].count() > 0).then(|| PhaseStats {
                count: series.warmup[place].count(),
                failed: series.warmup[place].failed,
                tps_mean: per_second(series.warmup[place].count(), series.warmup_s),
                latency_us: series.warmup[place].latencies.stats(),
                histogram: Some(series.warmup[place].latencies.encode()),
            }),
            steady: (series.steady_counts[place] > 0).then(|| PhaseStats {
                count: series.steady_counts[place],
                failed: series.steady_failed[place],
                tps_mean: per_second(series.steady_counts[place], series.steady_s),
                ..PhaseStats::default()
            }),
            histogram: tally.latencies.encode(),
        }
    };
    Endpoint::ALL.into_iter().filter(asked).map(stats).collect()
}

fn totals(plan: &Plan, journey: &Journey<'_>, endpoints: &[EndpointStats]) -> Totals {
    let (series, resources) = (&journey.series, &journey.resources);
    let total = |kind: Option<Kind>| {
        let mut total = Total::default();
        let (mut times, mut steady) = (Latencies::default(), 0);
        for stats in endpoints {
            let Some(endpoint) = Endpoint::named(&stats.name) else { continue };
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
    let cpu = |samples: &[ProcessSample]| {
        let (cpu_s, _, requests) = cpu_of(samples, &steady)?;
        (requests > 0).then(|| round2(cpu_s * 1e6 / requests as f64))
    };
    Totals {
        decisions: total(Some(Kind::Decision)),
        probes: total(Some(Kind::Probe)),
        cpu_us_per_request: cpu(&resources.server),
        generator_cpu_us_per_request: cpu(&resources.generator),
        littles_law: littles_law(plan, &all),
        generator_limited_pct: share(|interval| interval.generator_limited),
        host_saturated_pct: share(|interval| interval.host_saturated),
        all,
    }
}

fn littles_law(plan: &Plan, all: &Total) -> Option<LittlesLaw> {
    let latency = all.latency_us.as_ref()?;
    // Where users change from step to step, each step has its own check.
    if plan.mode == Mode::Rate || plan.legs().count() > 1 {
        return None;
    }
    let users = f64::from(most_users(plan));
    let product = all.tps_mean * latency.mean / 1e6;
    Some(LittlesLaw {
        users,
        tps_x_latency: round2(product),
        error_pct: round2((product - users) / users * 100.0),
    })
}

fn phases(plan: &Plan, journey: &Journey<'_>) -> Vec<Phase> {
    let phase =
        |name, from_s: f64, to_s: f64| Phase { name, from_s: round3(from_s), to_s: round3(to_s) };
    let mut phases = vec![phase(PhaseName::First, -journey.preflight.took.as_secs_f64(), 0.0)];
    let mut end = 0.0;
    for (leg, outcome) in plan.legs().zip(&journey.outcomes) {
        let (from, to) = (outcome.step.from_s, outcome.step.to_s);
        let warm = (from + leg.timing.warmup.as_secs_f64()).min(to);
        end = (from + leg.timing.duration.as_secs_f64()).min(to);
        if warm > from {
            phases.push(phase(PhaseName::Warmup, from, warm));
        }
        if outcome.step.measured_s > 0.0 {
            phases.push(phase(PhaseName::Steady, warm, end));
        }
    }
    if journey.watched_s > end {
        phases.push(phase(PhaseName::Cooldown, end, journey.watched_s));
    }
    phases
}

fn per_second(count: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { round2(count as f64 / seconds) } else { 0.0 }
}

/// A moment as RFC 3339 with milliseconds.
fn to_millis(moment: jiff::Timestamp) -> String {
    moment.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
