//! `pdp bench`: measure decisions in this process.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use jiff::Timestamp;
use pdp_engine::context::Limits;
use pdp_onap::decision::DecisionRequest;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{ask, decide, operations, print};
use crate::config::{WhenIndeterminate, Xacml};
use crate::decide::{Desk, Setting};
use crate::failure::Failure;
use crate::telemetry;

const EXAMPLES: &str = "\
Examples:
  pdp bench --policies policies/ --request request.json
  pdp bench --policies policies/ --request requests.json --seconds 10 --json

A request file may hold a JSON list of requests, which are asked in turn. Measured is what lies
between the read request and the decision, on one thread. Percentiles are over batches of 16
decisions, so that reading the clock does not count.";

/// Decisions between two readings of the clock.
const BATCH: u32 = 16;
/// The share of the time that is for warming up.
const WARM_UP: u32 = 5;

/// Measure decisions in this process
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Bench {
    /// A file or folder with policies
    #[arg(long, required = true, value_name = "PATH")]
    policies: Vec<PathBuf>,
    /// The request, or a JSON list of requests
    #[arg(long, value_name = "FILE")]
    request: PathBuf,
    /// Operations that were run before: JSON lines with the columns of the history's table
    #[arg(long, value_name = "FILE")]
    operations: Option<PathBuf>,
    /// How long to measure
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What was measured; the members are a contract.
#[derive(Debug, Serialize)]
struct Report {
    policies: usize,
    load_ms: u128,
    ns_per_decision: Percentiles,
    decisions_per_s: u64,
    allocations_per_decision: f64,
    rss_bytes: u64,
}

#[derive(Debug, Serialize)]
struct Percentiles {
    p50: f64,
    p99: f64,
    mean: f64,
}

impl Bench {
    pub(super) fn run(self) -> Result<ExitCode, Failure> {
        let started = Instant::now();
        let snapshot = decide::load(&self.policies, &Xacml::default())?;
        let load_ms = started.elapsed().as_millis();
        let history = operations::history(self.operations.as_deref(), None, &snapshot)?;
        let bytes = ask::read(&self.request)?;
        let refused = |error: &dyn std::fmt::Display| {
            Failure::request(error.to_string()).in_file(&self.request)
        };
        let bodies = bodies(&bytes).map_err(|error| refused(&error))?;
        let requests = bodies
            .iter()
            .map(|body| DecisionRequest::from_json(body.as_bytes()))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| refused(&error))?;
        let setting = Setting {
            snapshot: &snapshot,
            history: Some(&history),
            limits: &Limits::default(),
            indeterminate: WhenIndeterminate::default(),
            counters: None,
            now: Some(Timestamp::now()),
        };
        let mut run = Run { desk: Desk::default(), setting, requests: &requests, next: 0 };
        for _ in &requests {
            run.decide().map_err(|error| refused(&error))?;
        }
        let whole = Duration::from_secs(self.seconds);
        run.measure(whole / WARM_UP, &mut Batches::default()).map_err(|error| refused(&error))?;
        let mut batches = Batches::default();
        let before = (telemetry::allocations(), telemetry::allocated_here());
        run.measure(whole, &mut batches).map_err(|error| refused(&error))?;
        let allocations = match telemetry::allocated_here() - before.1 {
            0 => 0,
            _ => (telemetry::allocations() - before.0).max(1),
        };
        let report = report(&batches, allocations, snapshot.policies.len(), load_ms);
        if self.json {
            print::line(serde_json::to_string(&report).expect("figures are plain data"))?;
        } else {
            show(&report)?;
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// The requests of a file: one, or a list.
fn bodies(bytes: &[u8]) -> serde_json::Result<Vec<String>> {
    if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[') {
        let list: Vec<Box<RawValue>> = serde_json::from_slice(bytes)?;
        return Ok(list.into_iter().map(|body| body.get().to_owned()).collect());
    }
    serde_json::from_slice::<Value>(bytes)?;
    Ok(vec![String::from_utf8_lossy(bytes).into_owned()])
}

struct Run<'r> {
    desk: Desk,
    setting: Setting<'r>,
    requests: &'r [DecisionRequest<'r>],
    next: usize,
}

impl Run<'_> {
    fn decide(&mut self) -> Result<(), pdp_onap::decision::DecisionError> {
        let request = &self.requests[self.next];
        self.next = if self.next + 1 == self.requests.len() { 0 } else { self.next + 1 };
        std::hint::black_box(self.desk.onap_decision(&self.setting, request)?);
        Ok(())
    }

    /// Decides for so long and adds how long each batch took.
    fn measure(
        &mut self,
        whole: Duration,
        batches: &mut Batches,
    ) -> Result<(), pdp_onap::decision::DecisionError> {
        let started = Instant::now();
        let mut before = started;
        while before - started < whole {
            for _ in 0..BATCH {
                self.decide()?;
            }
            let now = Instant::now();
            batches.add(now - before);
            before = now;
        }
        Ok(())
    }
}

/// Counts of batches by their time, one cell per nanosecond up to a bound: adding allocates nothing.
struct Batches {
    cells: Vec<u32>,
    count: u64,
    total: Duration,
}

/// Beyond this many nanoseconds batches are one cell.
const LONGEST: usize = 1 << 20;

impl Default for Batches {
    fn default() -> Self {
        Self { cells: vec![0; LONGEST + 1], count: 0, total: Duration::ZERO }
    }
}

impl Batches {
    fn add(&mut self, took: Duration) {
        let cell = usize::try_from(took.as_nanos()).unwrap_or(LONGEST).min(LONGEST);
        self.cells[cell] += 1;
        self.count += 1;
        self.total += took;
    }

    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    fn percentile(&self, share: f64) -> f64 {
        let wanted = (self.count as f64 * share).ceil() as u64;
        let mut seen = 0;
        for (nanos, count) in self.cells.iter().enumerate() {
            seen += u64::from(*count);
            if seen >= wanted {
                return nanos as f64 / f64::from(BATCH);
            }
        }
        LONGEST as f64 / f64::from(BATCH)
    }
}

#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn report(batches: &Batches, allocations: u64, policies: usize, load_ms: u128) -> Report {
    let decisions = (batches.count * u64::from(BATCH)) as f64;
    let seconds = batches.total.as_secs_f64();
    let rounded = |number: f64| (number * 10.0).round() / 10.0;
    Report {
        policies,
        load_ms,
        ns_per_decision: Percentiles {
            p50: rounded(batches.percentile(0.50)),
            p99: rounded(batches.percentile(0.99)),
            mean: rounded(seconds * 1e9 / decisions),
        },
        decisions_per_s: (decisions / seconds) as u64,
        allocations_per_decision: (allocations as f64 / decisions * 1e3).round() / 1e3,
        rss_bytes: telemetry::resident_bytes(),
    }
}

fn show(report: &Report) -> Result<(), Failure> {
    let Percentiles { p50, p99, mean } = report.ns_per_decision;
    let lines = format_args!(
        "policies                 {}
loaded in                {} ms
per decision             {p50} ns median, {p99} ns p99, {mean} ns mean
decisions per second     {}
allocations per decision {}
resident memory          {} bytes",
        report.policies,
        report.load_ms,
        report.decisions_per_s,
        report.allocations_per_decision,
        report.rss_bytes
    )
    .to_string();
    print::line(lines)
}
