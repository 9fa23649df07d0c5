//! Leaks and drift on series with known answers.

use super::*;
use crate::verdict::stats::synthetic::noise;

#[test]
fn flat_noise_is_no_leak() {
    for seed in 0..10 {
        let mut noise = noise(seed);
        let record = with_memory(3600.0, |_| 50.0 * MIB + 0.5 * MIB * noise());
        check(&record, "leak=none", "leak-memory", Pass);
    }
}

#[test]
fn a_slow_leak_of_one_kibibyte_a_second_is_found_in_noise() {
    for seed in 0..10 {
        let mut noise = noise(seed);
        let record = with_memory(3600.0, |t| 50.0 * MIB + 1024.0 * t + 0.2 * MIB * noise());
        check(&record, "leak=none", "leak-memory", Fail);
    }
}

#[test]
fn a_leak_of_eight_kibibytes_a_minute_is_found_in_the_allocators_exact_figures() {
    let mut noise = noise(5);
    let mut record = with_memory(900.0, |_| 50.0 * MIB);
    for sample in &mut record.resources.server {
        let allocated = 20.0 * MIB + 8.0 * 1024.0 / 60.0 * sample.t + 2048.0 * noise();
        sample.heap = Some(Heap { allocated: Some(allocated as i64), ..Heap::default() });
    }
    let verdict = judged(&record, "leak=none", "leak-memory");
    assert_eq!(verdict.result, Fail, "{verdict:?}");
    assert!(verdict.why.starts_with("allocated memory grows"), "{}", verdict.why);
    assert!(verdict.observed.contains("bytes per request"), "{}", verdict.observed);
}

#[test]
fn growth_that_stops_is_a_step_and_no_leak() {
    let mut noise = noise(1);
    let record = with_memory(3600.0, |t| 40.0 * MIB + t.min(1800.0) * 8192.0 + 0.1 * MIB * noise());
    let verdict = judged(&record, "leak=none", "leak-memory");
    assert_eq!(verdict.result, Pass, "{verdict:?}");
    assert!(verdict.why.contains("took a step"), "{}", verdict.why);
    let record = with_memory(3600.0, |t| if t < 1200.0 { 40.0 * MIB } else { 48.0 * MIB });
    let verdict = judged(&record, "leak=none", "leak-memory");
    assert_eq!(verdict.result, Pass, "{verdict:?}");
    assert!(verdict.why.contains("took a step"), "{}", verdict.why);
}

#[test]
fn a_saw_tooth_is_no_leak() {
    let mut noise = noise(2);
    let record =
        with_memory(3600.0, |t| 40.0 * MIB + (t % 240.0) / 240.0 * 8.0 * MIB + 0.1 * MIB * noise());
    check(&record, "leak=none", "leak-memory", Pass);
}

#[test]
fn a_warm_up_curve_is_no_leak() {
    let mut noise = noise(3);
    let record = with_memory(6000.0, |t| {
        30.0 * MIB + 20.0 * MIB * (1.0 - (-t / 300.0).exp()) + 0.1 * MIB * noise()
    });
    check(&record, "leak=none", "leak-memory", Pass);
}

#[test]
fn a_tolerance_can_be_written_down() {
    let record = with_memory(3600.0, |t| 50.0 * MIB + 1024.0 * t);
    check(&record, "leak<100KiB/min", "leak-memory", Pass);
    check(&record, "leak<50KiB/min", "leak-memory", Fail);
}

#[test]
fn descriptors_and_threads_leak_too() {
    let mut record = with_memory(1800.0, |_| MIB);
    for sample in &mut record.resources.server {
        sample.fds = Some(40 + (sample.t / 60.0) as i64);
    }
    check(&record, "leak=none", "leak-descriptors", Fail);
    check(&record, "leak=none", "leak-threads", Pass);
    assert_eq!(
        exit::code(&judge(&record, &parse::parse("leak=none").expect("a rule"))),
        exit::LEAK
    );
}

#[test]
fn too_short_a_run_is_skipped_and_does_not_fail() {
    let record = with_memory(600.0, |t| MIB * t);
    check(&record, "leak=none", "leak-memory", Skip);
    check(&record, "drift<20%", "drift-p99", Skip);
    check(&record, "tps_drift<5%", "drift-tps", Skip);
    let rules = parse::parse(rules::DEFAULT).expect("the defaults");
    assert_eq!(exit::code(&judge(&record, &rules)), exit::PASS);
}

#[test]
fn rising_latency_is_drift_and_noise_is_not() {
    let rising = |slope: f64, shake: f64, seed: u64| {
        let mut noise = noise(seed);
        let mut record = clean(3600.0);
        for row in &mut record.intervals {
            let factor = 1.0 + slope * row.t / 3600.0 + shake * noise();
            row.decisions.p50 = (200.0 * factor) as u64;
            row.decisions.p99 = (900.0 * factor) as u64;
        }
        record
    };
    check(&rising(0.5, 0.1, 1), "drift<20%", "drift-p99", Fail);
    check(&rising(0.5, 0.1, 1), "drift<20%", "drift-p50", Fail);
    check(&rising(0.1, 0.1, 2), "drift<20%", "drift-p99", Pass);
    check(&rising(0.0, 0.3, 3), "drift<20%", "drift-p99", Pass);
}

#[test]
fn falling_throughput_is_drift() {
    let mut record = clean(3600.0);
    for row in &mut record.intervals {
        row.decisions.n = 500 - (row.t / 40.0) as u64;
    }
    check(&record, "tps_drift<10%", "drift-tps", Fail);
    check(&record, "tps_drift<30%", "drift-tps", Pass);
    check(&record, "tps_drift<10% for all", "drift-tps", Pass);
}

#[test]
fn a_trend_can_be_judged_on_less_than_ten_minutes() {
    let leaking = with_memory(120.0, |t| 50.0 * MIB + 100.0 * 1024.0 * t);
    check(&leaking, "leak < 1MiB/min", "leak-memory", Skip);
    check(&leaking, "leak < 1MiB/min over 60s", "leak-memory", Fail);
    check(&leaking, "leak < 8MiB/min over 60s", "leak-memory", Pass);
    check(&leaking, "leak = none over 61s", "leak-memory", Skip);
    check(&leaking, "leak = none over 30s", "leak-memory", Fail);
}
