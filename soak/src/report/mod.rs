//! Reports. Each reads the run record and nothing else.

pub mod html;
pub mod json;
pub mod junit;
pub mod progress;
pub mod tables;
pub mod terminal;

#[cfg(test)]
mod size;

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
        one_line(&record.reason)
    )
}

/// A text of several lines as one, with nothing left out.
pub fn one_line(text: &str) -> String {
    let lines: Vec<&str> =
        text.split(char::is_control).map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_of_many_lines_is_told_whole_in_one() {
        let told = one_line("it ended (exit status 7):\n  | a\r\n  | b\n after 6 s (and 2 more)\n");
        assert_eq!(told, "it ended (exit status 7): | a | b after 6 s (and 2 more)");
    }
}
