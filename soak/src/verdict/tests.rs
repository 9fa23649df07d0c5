//! Verdicts on synthetic runs with known answers.

mod trends;

use std::collections::BTreeMap;

use super::*;
use crate::measure::endpoint::{Endpoint, Kind};
use crate::measure::histogram::Latencies;
use crate::measure::record::*;

/// A run without any blemish, to be spoilt by a test.
pub(crate) fn clean(length_s: f64) -> RunRecord {
    let endpoints: Vec<EndpointStats> = Endpoint::ALL.into_iter().map(endpoint).collect();
    let total = Total { count: 6000, ok: 6000, tps_mean: 100.0, ..Total::default() };
    let interval_s = if length_s <= 600.0 { 1.0 } else { 5.0 };
    let count = (length_s / interval_s) as usize;
    RunRecord {
        schema: SCHEMA.to_owned(),
        result: RunResult::Fail,
        reason: String::new(),
        exit_code: 0,
        run: Run {
            id: "synthetic".to_owned(),
            mode: "s3p".to_owned(),
            started: "2026-01-01T00:00:00Z".to_owned(),
            ended: "2026-01-01T01:00:00Z".to_owned(),
            planned_s: length_s,
            actual_s: length_s,
            end_reason: validity::PLANNED.to_owned(),
            seed: 1,
            command: vec!["soak".to_owned()],
            versions: Versions {
                soak: "0".to_owned(),
                goose: "0".to_owned(),
                rustc: "0".to_owned(),
                target: None,
            },
            workload: Workload {
                model: "closed".to_owned(),
                users_per_group: 10,
                groups: Vec::new(),
                think_time_ms: 0,
                keep_alive: true,
                timeout_s: 10.0,
                interval_s,
                subject: None,
            },
            clock_drift_ms: 0.0,
            notes: Vec::new(),
        },
        host: Host::default(),
        target: Target {
            url: "http://127.0.0.1/".to_owned(),
            scheme: "http".to_owned(),
            pid: None,
            version: None,
            features: Vec::new(),
        },
        phases: vec![Phase { name: PhaseName::Steady, from_s: 0.0, to_s: length_s }],
        totals: Totals {
            all: total.clone(),
            decisions: total.clone(),
            probes: total,
            cpu_us_per_request: Some(120.0),
            generator_cpu_us_per_request: Some(60.0),
            littles_law: None,
            generator_limited_pct: 0.0,
            host_saturated_pct: 0.0,
        },
        endpoints,
        verdicts: Vec::new(),
        groups: Vec::new(),
        steps: Vec::new(),
        knee: None,
        matrix: Vec::new(),
        fairness: Vec::new(),
        secure: Vec::new(),
        methods: Vec::new(),
        rate: None,
        baseline: None,
        resources: Resources {
            source: Source::Procfs,
            delta: Some(ProcessSample {
                rss: Some(1 << 20),
                fds: Some(0),
                threads: Some(0),
                ..Default::default()
            }),
            ..Resources::default()
        },
        heatmap: None,
        intervals: (1..=count).map(|i| interval(i as f64 * interval_s, interval_s)).collect(),
    }
}

fn endpoint(endpoint: Endpoint) -> EndpointStats {
    let mut times = Latencies::default();
    (1..=1000).for_each(|us| times.record(us));
    EndpointStats {
        name: endpoint.name().to_owned(),
        method: endpoint.method().to_owned(),
        path: format!("/{}", endpoint.path()),
        kind: endpoint.kind(),
        count: 1000,
        ok: 1000,
        failed: 0,
        wrong: 0,
        errors: Vec::new(),
        wrong_samples: Vec::new(),
        status: BTreeMap::from([("200".to_owned(), 1000)]),
        bytes_in: 0,
        bytes_out: 0,
        tps_mean: 100.0,
        first_us: Some(5000),
        slowest: None,
        latency_us: times.stats(),
        ttfb_us: None,
        connect_us: None,
        tls_us: None,
        corrected_us: None,
        warmup: None,
        steady: None,
        histogram: times.encode(),
    }
}

fn interval(t: f64, length_s: f64) -> Interval {
    let bucket = Bucket { n: 500, p50: 200, p99: 900, ..Bucket::default() };
    Interval {
        t,
        length_s,
        phase: PhaseName::Steady,
        users: 30,
        errors: 0,
        wrong: 0,
        generator_limited: false,
        host_saturated: false,
        tot: Running::default(),
        buc: bucket.clone(),
        decisions: bucket,
        endpoints: BTreeMap::new(),
    }
}

/// Gives every interval of the monitoring endpoint a median and a 99th percentile, and the whole run theirs.
pub(crate) fn set_times(record: &mut RunRecord, mut times: impl FnMut(f64) -> (u64, u64)) {
    let name = Endpoint::Monitoring.name();
    let mut all = Vec::new();
    for row in &mut record.intervals {
        let (p50, p99) = times(row.t);
        let bucket = Bucket { p50, p99, ..row.buc.clone() };
        row.endpoints.insert(name.to_owned(), bucket);
        all.push((p50, p99));
    }
    all.sort_unstable();
    let (p50, p99) = all[all.len() / 2];
    let stats = record.endpoints.iter_mut().find(|stats| stats.name == name).expect("it is there");
    let latency = stats.latency_us.as_mut().expect("it has times");
    (latency.p50, latency.p99) = (p50, p99);
}

/// A run whose anonymous memory follows `bytes` of the time.
fn with_memory(length_s: f64, mut bytes: impl FnMut(f64) -> f64) -> RunRecord {
    let mut record = clean(length_s);
    record.resources.server = record
        .intervals
        .iter()
        .map(|row| ProcessSample {
            t: row.t,
            anon: Some(bytes(row.t) as i64),
            fds: Some(40),
            threads: Some(6),
            ..Default::default()
        })
        .collect();
    record
}

fn judged(record: &RunRecord, rule: &str, id: &str) -> Verdict {
    let rules = parse::parse(rule).expect(rule);
    judge(record, &rules).into_iter().find(|verdict| verdict.id == id).expect(id)
}

/// Judges one rule and says what became of it.
fn check(record: &RunRecord, rule: &str, id: &str, expected: VerdictResult) {
    let verdict = judged(record, rule, id);
    assert_eq!(verdict.result, expected, "{rule}: {verdict:?}");
}

use VerdictResult::{Fail, Pass, Skip};

const MIB: f64 = 1048576.0;

#[test]
fn latency_rules_are_judged_on_the_histograms() {
    let record = clean(60.0);
    check(&record, "p99<=990us for decisions", "latency", Pass);
    check(&record, "p99<990us for decisions", "latency", Fail);
    check(&record, "p97<0.98ms", "latency", Pass);
    check(&record, "avg<501us for monitoring", "latency", Pass);
    check(&record, "max<1ms", "latency", Fail);
    check(&record, "first<=5ms", "latency", Pass);
}

#[test]
fn throughput_and_errors_are_judged_by_scope() {
    let mut record = clean(60.0);
    let decisions = Endpoint::ALL.iter().filter(|one| one.kind() == Kind::Decision).count() * 100;
    check(&record, &format!("tps>={decisions} for decisions"), "throughput", Pass);
    check(&record, &format!("tps>{decisions} for decisions"), "throughput", Fail);
    record.endpoints[Endpoint::Monitoring.index()].failed = 2;
    check(&record, "error-rate<0.1%", "errors", Pass);
    check(&record, "error-rate<0.1% for decisions", "errors", Pass);
    check(&record, "error-rate<0.1% for monitoring", "errors", Fail);
    check(&record, "errors<=0 for probes", "errors", Pass);
}

#[test]
fn phases_are_judged_apart() {
    let mut record = clean(60.0);
    check(&record, "p99<1s during warmup", "latency", Fail);
    assert!(judged(&record, "tps>1 during warmup", "throughput").why.contains("no such phase"));
    let mut slow = Latencies::default();
    (1..=100).for_each(|ms| slow.record(ms * 1000));
    record.phases.push(Phase { name: PhaseName::Warmup, from_s: 0.0, to_s: 6.0 });
    let row = &mut record.endpoints[Endpoint::Monitoring.index()];
    (row.count, row.failed) = (1100, 11);
    row.warmup = Some(PhaseStats {
        count: 100,
        failed: 10,
        tps_mean: 16.0,
        latency_us: slow.stats(),
        histogram: Some(slow.encode()),
    });
    row.steady =
        Some(PhaseStats { count: 1000, failed: 1, tps_mean: 100.0, ..PhaseStats::default() });
    check(&record, "p99<1ms for monitoring", "latency", Pass);
    check(&record, "p99<1ms for monitoring during steady", "latency", Pass);
    check(&record, "p99<1ms for monitoring during warmup", "latency", Fail);
    check(&record, "p99<101ms for monitoring during warmup", "latency", Pass);
    check(&record, "max<=100ms during warmup", "latency", Pass);
    check(&record, "tps>=16 for monitoring during warmup", "throughput", Pass);
    check(&record, "tps>16 for monitoring during warmup", "throughput", Fail);
    check(&record, "error-rate<=1% for monitoring", "errors", Pass);
    check(&record, "error-rate<=1% for monitoring during warmup", "errors", Fail);
    check(&record, "errors<=1 for monitoring during steady", "errors", Pass);
    let why = judged(&record, "errors<=1 for monitoring during warmup", "errors").why;
    assert_eq!(why, "errors of monitoring during the warm-up is 10, not <= 1");
}

#[test]
fn resources_are_judged_and_silence_fails() {
    let mut record = clean(60.0);
    check(&record, "rss_delta<=1MiB", "resources", Pass);
    check(&record, "rss_delta<1MiB", "resources", Fail);
    check(&record, "cpu_per_request<200us", "resources", Pass);
    check(&record, "fds_delta<=0", "resources", Pass);
    record.resources.delta = None;
    check(&record, "rss_delta<1GiB", "resources", Fail);
    record.endpoints[Endpoint::Monitoring.index()].latency_us = None;
    check(&record, "p99<1s for monitoring", "latency", Fail);
}

#[test]
fn cpu_time_in_whole_seconds_is_judged_only_where_there_are_enough_of_them() {
    let mut record = clean(60.0);
    let rule = "cpu_per_request<200us";
    let series = |seconds: &[f64]| -> Vec<ProcessSample> {
        let sample = |cpu_s: &f64| ProcessSample { cpu_s: Some(*cpu_s), ..Default::default() };
        seconds.iter().map(sample).collect()
    };
    record.resources.server = series(&[3.0, 4.0, 6.0]);
    check(&record, rule, "resources", Pass);
    record.resources.source = Source::Metrics;
    check(&record, rule, "resources", Skip);
    assert!(judged(&record, rule, "resources").why.contains("could not be judged"));
    record.resources.server = series(&[3.0, 4.25, 6.0]);
    check(&record, rule, "resources", Pass);
    record.resources.server = series(&[3.0, 9.0, 13.0]);
    check(&record, rule, "resources", Pass);
}

#[test]
fn wrong_decisions_outrank_everything_but_an_invalid_run() {
    let mut record = clean(60.0);
    record.totals.decisions.wrong = 2;
    record.endpoints[Endpoint::GuardFrequency.index()].wrong_samples =
        vec!["expected Deny, got Permit".to_owned()];
    settle(&mut record, &parse::parse("p99<1us").expect("a rule"), &[], false);
    assert_eq!((record.exit_code, record.result), (exit::WRONG, RunResult::Fail));
    assert_eq!(record.reason, "2 wrong decisions: expected Deny, got Permit (and 1 more)");
    record.run.clock_drift_ms = -5000.0;
    settle(&mut record, &[], &[], false);
    assert_eq!(record.exit_code, exit::INVALID);
}

#[test]
fn a_run_that_ends_early_does_not_pass() {
    let mut record = clean(60.0);
    record.run.end_reason = "the service ended by itself (exit status 1)".to_owned();
    settle(&mut record, &[], &[], false);
    assert_eq!(record.exit_code, exit::RULE);
    record.run.end_reason = validity::INTERRUPTED.to_owned();
    record.totals.decisions.wrong = 1;
    settle(&mut record, &[], &[], false);
    assert_eq!(record.exit_code, exit::INTERRUPTED);
}

#[test]
fn no_decision_at_all_does_not_pass() {
    let mut record = clean(60.0);
    record.totals.decisions = Total::default();
    settle(&mut record, &[], &[], false);
    assert_eq!(
        (record.exit_code, record.reason.as_str()),
        (exit::RULE, "no decision was answered")
    );
}

#[test]
fn a_generator_at_its_limit_spoils_speed_rules_only() {
    let mut record = clean(60.0);
    record.totals.generator_limited_pct = 40.0;
    settle(&mut record, &parse::parse("error-rate<1%").expect("a rule"), &[], false);
    assert_eq!(record.exit_code, exit::PASS);
    settle(&mut record, &parse::parse("tps>=1").expect("a rule"), &[], false);
    assert_eq!(record.exit_code, exit::INVALID);
}
