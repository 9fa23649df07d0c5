//! The reports of a long run stay small: a record of 6000 s with all that a run keeps.

use super::{html, json};
use crate::measure::endpoint::Endpoint;
use crate::measure::record::*;
use crate::measure::recorder::{Outcome, Sample, Tally};
use crate::measure::series::{Edge, Series, round3};
use crate::plan::Mode;
use crate::scenario::Activity;
use crate::timing::Timing;
use crate::verdict::stats::synthetic::noise;
use crate::verdict::tests::clean;

const LENGTH_S: u64 = 6000;

/// The endpoints of the published plan.
fn endpoints() -> Vec<Endpoint> {
    let groups = [Activity::Health, Activity::Statistics, Activity::Decisions];
    groups.iter().flat_map(|group| group.endpoints().iter().copied()).collect()
}

/// A run as long as the published one, with times and samples that differ from row to row.
fn long_run() -> RunRecord {
    let mut record = clean(LENGTH_S as f64);
    let timing = Timing::of(std::time::Duration::from_secs(LENGTH_S));
    let interval_s = timing.interval.as_secs_f64();
    let (mut series, mut noise) = (Series::default(), noise(7));
    for row in 1..=(LENGTH_S as f64 / interval_s) as usize {
        let mut tallies: [Tally; Endpoint::COUNT] = Default::default();
        for endpoint in endpoints() {
            for _ in 0..300 {
                let us = (1300.0 * (1.0 + noise().abs()).powi(4)) as u64;
                let sample =
                    Sample { us, status: Some(200), outcome: Outcome::Ok, ..Sample::default() };
                tallies[endpoint.index()].record(sample);
            }
        }
        let t = row as f64 * interval_s + 0.001 * noise();
        let phase = timing.phase(t);
        series.push(
            &tallies,
            Edge {
                t,
                length_s: interval_s,
                phase,
                users: 30,
                generator_limited: false,
                host_saturated: true,
            },
        );
        let t = round3(t);
        record.resources.server.push(process(t, row, &mut noise));
        record.resources.generator.push(ProcessSample {
            t,
            cpu_s: Some(row as f64 * 4.87),
            rss: Some(31_457_280 + row as i64 * 4096),
            fds: Some(48),
            threads: Some(6),
            ..ProcessSample::default()
        });
        record.resources.host.push(HostSample {
            t,
            busy_pct: vec![99.0 + 0.9 * noise(), 98.4],
            mem_available: 23_456_789_504 - row as i64 * 40_960,
            mem_free: 9_876_543_488 - row as i64 * 4096,
            buffers: 123_456_789,
            cached: 12_345_678_848 + row as i64 * 8192,
            disk_read_per_s: 4096,
            disk_write_per_s: (1_234_567.0 * noise().abs()) as i64,
            tcp_in_use: Some(66),
            tcp_time_wait: Some(12_345),
        });
        if !row.is_multiple_of(3) {
            continue;
        }
        record.resources.cgroup.push(CgroupSample {
            t,
            version: 2,
            cpu_s: Some(row as f64 * 9.123_456),
            cpu_user_s: Some(row as f64 * 6.123_456),
            cpu_system_s: Some(row as f64 * 3.123_456),
            throttled: Some(0),
            throttled_s: Some(0.0),
            memory: Some(45_678_592 + row as i64 * 4096),
            memory_peak: Some(56_789_012),
            anon: Some(34_567_890),
            file: Some(1_234_567),
            kernel: Some(2_345_678),
            io_read: Some(4096),
            io_write: Some(row as i64 * 4096),
            cpu_pressure_s: Some(row as f64 * 1.234_567),
            memory_pressure_s: Some(0.0),
        });
    }
    record.run.mode = Mode::S3p.name().to_owned();
    let asked = endpoints();
    record.endpoints.retain(|row| asked.iter().any(|endpoint| endpoint.name() == row.name));
    record.heatmap = series.heatmap();
    record.intervals = series.intervals;
    let resources = &mut record.resources;
    (resources.before, resources.after) =
        (resources.server.first().cloned(), resources.server.last().cloned());
    let rules = crate::verdict::parse::parse(crate::verdict::rules::DEFAULT).expect("the defaults");
    crate::verdict::settle(&mut record, &rules, &[], false);
    record
}

fn process(t: f64, row: usize, noise: &mut impl FnMut() -> f64) -> ProcessSample {
    let n = row as i64;
    let deep = row.is_multiple_of(3);
    ProcessSample {
        t,
        cpu_s: Some(round3(row as f64 * 4.01)),
        cpu_user_s: Some(round3(row as f64 * 2.5)),
        cpu_system_s: Some(round3(row as f64 * 1.51)),
        rss: Some(36_700_160 + (100.0 * noise()) as i64 * 4096),
        rss_peak: Some(40_700_160),
        pss: deep.then_some(33_333_248),
        private_dirty: deep.then_some(22_222_848),
        file: Some(12_345_344),
        anon: Some(24_354_816),
        swap: Some(0),
        heap: Some(Heap {
            allocated: Some(14_680_064 + (1e5 * noise()) as i64),
            active: Some(16_680_064),
            resident: Some(21_680_064),
            mapped: None,
            retained: Some(41_680_064),
        }),
        faults: Some(Faults { min: 12_345 + n * 3, maj: 7 }),
        fds: Some(87),
        sockets: Some(62),
        tcp: deep.then_some(TcpStates { established: 60, close_wait: 0, listen: 1, other: 1 }),
        threads: Some(9),
        ctx: Some(ContextSwitches { vol: n * 81_234, invol: n * 1234 }),
        run_delay_ns: Some(n * 412_345_678),
        io: Some(Io { read: 0, write: n * 4096 }),
    }
}

#[test]
fn the_reports_of_six_thousand_seconds_are_small() {
    let record = long_run();
    let mut data = Vec::new();
    json::write(&record, &mut data).expect("a vector takes anything");
    let page = html::render(&record);
    let parts = [
        ("intervals", serde_json::to_vec(&record.intervals)),
        ("service", serde_json::to_vec(&record.resources.server)),
        ("generator", serde_json::to_vec(&record.resources.generator)),
        ("host", serde_json::to_vec(&record.resources.host)),
        ("control group", serde_json::to_vec(&record.resources.cgroup)),
        ("heatmap", serde_json::to_vec(&record.heatmap)),
    ]
    .map(|(name, part)| (name, part.expect("it can be written").len()));
    assert!(page.len() < 1_000_000, "report.html: {} bytes", page.len());
    assert!(
        data.len() + page.len() < 2_000_000,
        "report.json {} and report.html {} bytes: {parts:?}",
        data.len(),
        page.len()
    );
    let text = String::from_utf8(data).expect("JSON is UTF-8");
    let again = json::read(&text).expect("our own report");
    assert_eq!(html::render(&again), page, "everything on the page is in the data");
}
