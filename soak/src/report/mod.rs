//! Reports. Each reads the run record and nothing else.

pub mod html;
pub mod json;
pub mod progress;
pub mod terminal;

use crate::measure::record::{RunRecord, RunResult};
use crate::units::BytesDelta;

/// The one line that a script looks for.
pub fn verdict_line(record: &RunRecord) -> String {
    let decisions = &record.totals.decisions;
    let word = match record.result {
        RunResult::Pass => "PASS",
        RunResult::Fail => "FAIL",
    };
    let p99 = decisions
        .latency_us
        .as_ref()
        .map_or("n/a".to_owned(), |latency| format!("{}us", latency.p99));
    let rss = record.resources.delta.as_ref().and_then(|delta| delta.rss);
    let rss = rss.map_or("n/a".to_owned(), |bytes| BytesDelta(bytes).to_string());
    format!(
        "SOAK {word} decisions={} tps={:.1} p99={p99} errors={} rss_delta={rss} reason={}",
        decisions.count,
        decisions.tps_mean,
        record.totals.all.failed,
        record.reason.lines().next().unwrap_or_default()
    )
}
