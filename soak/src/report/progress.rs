//! What a person sees while the load runs: a block that is written anew on a terminal, otherwise a
//! line per interval with running totals (Tot) and the interval's own figures (Buc).
//!
//! Progress goes to standard error; standard output is for results.

use std::io::{IsTerminal, Write, stderr};

use crate::measure::record::{PhaseName, ProcessSample};
use crate::measure::series::Series;
use crate::plan::Plan;
use crate::units::{Bytes, BytesDelta, Count, Micros, PerSecond, Seconds};

/// The state of the run at an interval's end.
#[derive(Debug)]
pub struct Live<'a> {
    /// All intervals so far.
    pub series: &'a Series,
    /// The service's samples so far.
    pub server: &'a [ProcessSample],
    /// The service before the load.
    pub before: Option<&'a ProcessSample>,
    /// Cores that the service used in this interval.
    pub cores_used: Option<f64>,
    /// Cores that the generator used in this interval.
    pub generator_cores: f64,
}

/// How progress is shown.
#[derive(Clone, Debug)]
pub struct Progress {
    style: Style,
    planned_s: f64,
    lines_shown: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Nothing,
    Lines,
    Block,
}

/// The line form repeats its header after so many lines.
const HEADER_EVERY: usize = 40;

impl Progress {
    /// As the plan and standard error allow.
    pub fn new(plan: &Plan) -> Self {
        let style = match (plan.output.quiet, stderr().is_terminal()) {
            (true, _) => Style::Nothing,
            (false, true) => Style::Block,
            (false, false) => Style::Lines,
        };
        Self { style, planned_s: plan.duration().as_secs_f64(), lines_shown: 0 }
    }

    /// Shows the interval that has just ended.
    pub fn show(&mut self, live: &Live<'_>) {
        let text = match self.style {
            Style::Nothing => return,
            Style::Lines => self.line(live),
            Style::Block => self.block(live),
        };
        // Nobody may be reading; the run goes on.
        let _ = stderr().write_all(text.as_bytes());
    }

    /// Leaves the terminal as it should be.
    pub fn finish(&mut self) {
        if self.style == Style::Block && self.lines_shown > 0 {
            let _ = stderr().write_all(b"\n");
        }
        self.lines_shown = 0;
    }

    fn line(&mut self, live: &Live<'_>) -> String {
        let Some(row) = live.series.intervals.last() else {
            return String::new();
        };
        let mut text = String::new();
        if self.lines_shown.is_multiple_of(HEADER_EVERY) {
            text.push_str(&format!(
                "{:>8} {:>10} {:>7} {:>7} {:>8} {:>9} | {:>8} {:>7} {:>7} {:>8} {:>9} | {:>6} {:>5} {:>9}  (times in us)\n",
                "Time", "TotXact", "TotMin", "TotAvg", "TotMax", "TotTPM", "BucXact", "BucMin", "BucAvg", "BucMax",
                "BucTPM", "Errors", "Wrong", "RSS"
            ));
        }
        self.lines_shown += 1;
        let (tot, buc) = (&row.tot, &row.buc);
        let rss = live.server.last().and_then(|sample| sample.rss);
        let rss = rss.map_or("-".to_owned(), |rss| Bytes(rss as f64).to_string());
        let mark = match (row.phase, row.generator_limited) {
            (PhaseName::Warmup, _) => "  warm-up",
            (_, true) => "  generator limited",
            _ => "",
        };
        text.push_str(&format!(
            "{:>8} {:>10} {:>7} {:>7} {:>8} {:>9} | {:>8} {:>7} {:>7} {:>8} {:>9} | {:>6} {:>5} {:>9}{mark}\n",
            Seconds(row.t), tot.n, tot.min, tot.avg, tot.max, tot.tpm, buc.n, buc.min, buc.avg, buc.max, buc.tpm,
            row.errors, row.wrong, rss
        ));
        text
    }

    fn block(&mut self, live: &Live<'_>) -> String {
        let Some(row) = live.series.intervals.last() else {
            return String::new();
        };
        let intervals = &live.series.intervals;
        let (errors, wrong) =
            intervals.iter().fold((0, 0), |(e, w), row| (e + row.errors, w + row.wrong));
        let now = row.buc.n as f64 / row.length_s.max(1e-3);
        let mean = row.tot.n as f64 / row.t.max(1e-3);
        let decisions = row.decisions.n as f64 / row.length_s.max(1e-3);
        let left = (self.planned_s - row.t).max(0.0);
        let done = ((row.t / self.planned_s).clamp(0.0, 1.0) * 30.0).round() as usize;
        let bar = format!("{}{}", "#".repeat(done), ".".repeat(30 - done));
        let phase = match row.phase {
            PhaseName::Warmup => "warm-up",
            _ if row.generator_limited => "generator limited",
            _ => "steady",
        };
        let mut lines = vec![
            format!(
                "  [{bar}] {} of {}, {} left, {phase}",
                Seconds(row.t),
                Seconds(self.planned_s),
                Seconds(left)
            ),
            format!(
                "  requests  {:>12}  now {:>8}/s  mean {:>8}/s  decisions now {:>8}/s",
                Count(row.tot.n),
                PerSecond(now),
                PerSecond(mean),
                PerSecond(decisions)
            ),
            format!(
                "  latency   p50 {:>9}  p99 {:>9}  max {:>9}  (decisions, this interval)",
                Micros(row.decisions.p50 as f64),
                Micros(row.decisions.p99 as f64),
                Micros(row.decisions.max as f64)
            ),
            format!("  errors    {:>12}  wrong decisions {}", Count(errors), Count(wrong)),
        ];
        lines.push(match live.server.last() {
            Some(sample) => {
                let cores = live.cores_used.map_or("-".to_owned(), |cores| format!("{cores:.2}"));
                let rss = sample.rss.map_or("-".to_owned(), |rss| Bytes(rss as f64).to_string());
                let grown = sample.rss.zip(live.before.and_then(|before| before.rss));
                let grown = grown.map_or(String::new(), |(now, before)| {
                    format!(" ({})", BytesDelta(now - before))
                });
                format!(
                    "  service   {cores} cores, RSS {rss}{grown}   generator {:.2} cores",
                    live.generator_cores
                )
            }
            None => {
                format!("  service   not sampled   generator {:.2} cores", live.generator_cores)
            }
        });
        // Up over the lines of last time, then each line cleared and written anew.
        let mut text = if self.lines_shown > 0 {
            format!("\x1b[{}A", self.lines_shown)
        } else {
            String::new()
        };
        self.lines_shown = lines.len();
        for line in lines {
            text.push_str("\r\x1b[2K");
            text.push_str(&line);
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::endpoint::Endpoint;
    use crate::measure::recorder::{Outcome, Sample, Tally};
    use crate::measure::series::Edge;

    fn series(rows: usize) -> Series {
        let mut series = Series::default();
        for row in 0..rows {
            let mut tallies: [Tally; Endpoint::COUNT] = Default::default();
            let sample = Sample {
                us: 400,
                ttfb_us: None,
                status: Some(200),
                bytes_in: 1,
                bytes_out: 1,
                outcome: Outcome::Ok,
                ..Sample::default()
            };
            tallies[Endpoint::Monitoring.index()].record(sample);
            let edge = Edge {
                t: (row + 1) as f64,
                length_s: 1.0,
                phase: PhaseName::Steady,
                users: 3,
                generator_limited: false,
                host_saturated: false,
            };
            series.push(&tallies, edge);
        }
        series
    }

    fn live(series: &Series) -> Live<'_> {
        Live { series, server: &[], before: None, cores_used: None, generator_cores: 0.5 }
    }

    #[test]
    fn lines_have_the_ten_columns_and_a_header_now_and_then() {
        let series = series(1);
        let mut progress = Progress { style: Style::Lines, planned_s: 60.0, lines_shown: 0 };
        let first = progress.line(&live(&series));
        assert!(first.contains("TotXact") && first.contains("BucTPM"), "{first}");
        assert!(first.contains(" 400 "), "{first}");
        assert_eq!(progress.line(&live(&series)).lines().count(), 1);
    }

    #[test]
    fn the_block_overwrites_itself() {
        let series = series(2);
        let mut progress = Progress { style: Style::Block, planned_s: 60.0, lines_shown: 0 };
        let first = progress.block(&live(&series));
        let lines = first.lines().count();
        assert!(!first.contains('A') || !first.starts_with("\x1b["), "{first:?}");
        assert!(progress.block(&live(&series)).starts_with(&format!("\x1b[{lines}A")));
    }
}
