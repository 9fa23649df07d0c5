//! The generator's memory does not grow with the length of a run beyond the rows of its report.

use soak::measure::endpoint::Endpoint;
use soak::measure::record::PhaseName;
use soak::measure::recorder::{Outcome, Recorder, Sample, Tally};
use soak::measure::series::{Edge, Series};
use soak::timing::Timing;

/// Bytes that this thread has asked for and not given back.
fn held() -> i64 {
    use tikv_jemalloc_ctl::thread::{allocatedp, deallocatedp};
    let asked = allocatedp::read().expect("the allocator counts").get();
    let given_back = deallocatedp::read().expect("the allocator counts").get();
    asked as i64 - given_back as i64
}

/// What recording and keeping so many intervals costs, with requests of all endpoints, errors and wrong
/// decisions in each.
fn cost(intervals: u64) -> i64 {
    let before = held();
    let recorder = Recorder::new(None);
    let mut series = Series::default();
    let mut tallies: [Tally; Endpoint::COUNT] = Default::default();
    for interval in 1..=intervals {
        for (number, endpoint) in Endpoint::ALL.into_iter().enumerate() {
            for turn in 0..20_u64 {
                let us = 50 + (interval * 7919 + turn * 104_729 + number as u64) % 400_000;
                let outcome = match turn {
                    0 => Outcome::Wrong(format!("expected Deny, got Permit in {interval}")),
                    1 => Outcome::Failed {
                        class: format!("status {}", 500 + interval % 90),
                        sample: format!("in interval {interval}"),
                    },
                    _ => Outcome::Ok,
                };
                let status = Some(200);
                let sample =
                    Sample { us, ttfb_us: Some(us / 2), status, outcome, ..Sample::default() };
                recorder.record(endpoint, "user", sample);
            }
        }
        tallies.iter_mut().for_each(Tally::reset);
        recorder.take(&mut tallies);
        let phase = if interval < 7 { PhaseName::Warmup } else { PhaseName::Steady };
        let t = interval as f64;
        series.push(
            &tallies,
            Edge {
                t,
                length_s: 1.0,
                phase,
                users: 30,
                generator_limited: false,
                host_saturated: false,
            },
        );
    }
    assert_eq!(series.intervals.len() as u64, intervals);
    held() - before
}

#[test]
fn a_run_of_days_costs_no_more_memory_than_one_of_an_hour() {
    // However long the run, there are no more intervals than this.
    let most = |hours: u64| {
        let timing = Timing::of(std::time::Duration::from_secs(hours * 3600));
        hours * 3600 / timing.interval.as_secs()
    };
    assert!(most(72) <= 600 && most(1) <= 600, "{} {}", most(72), most(1));
    // Every hundred of them costs the same, and all of them a few megabytes.
    let costs = [100, 200, 600].map(cost);
    assert!(costs[2] < 20 << 20, "{costs:?}");
    let (first, next) = (costs[1] - costs[0], (costs[2] - costs[1]) / 4);
    assert!(next < first * 3 / 2 + (64 << 10), "{costs:?}");
}
