//! `report.html`: one page in one file. The verdict comes first, then what it rests on.
//!
//! The page needs no network, no script and no colour: lines differ by dashes as well, every plot has
//! its data in a table beneath, and it prints.

mod charts;
mod grid;
mod heat;
mod modes;
mod percentiles;
mod plot;
mod tables;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::measure::record::{RunRecord, RunResult};
use crate::units::{Bytes, Count, Micros, PerSecond, Seconds};

const STYLE: &str = include_str!("style.css");

/// The page.
pub fn render(record: &RunRecord) -> String {
    let word = word(record);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { "Soak " (word) ": " (record.run.id) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                (banner(record))
                main {
                    section aria-labelledby="rules" { h2 id="rules" { "Rules" } (tables::verdicts(record)) }
                    section aria-labelledby="endpoints" {
                        h2 id="endpoints" { "Endpoints" }
                        (tables::endpoints(record))
                        (tables::trouble(record))
                    }
                    @let own = modes::of_mode(record);
                    @if let Some(own) = own {
                        section aria-labelledby="mode" { h2 id="mode" { "Mode " (record.run.mode) } (own) }
                    }
                    section aria-labelledby="time" {
                        h2 id="time" { "Over time" }
                        (charts::all(record))
                    }
                    section aria-labelledby="resources" { h2 id="resources" { "The service before and after" } (tables::resources(record)) }
                    section aria-labelledby="environment" { h2 id="environment" { "Environment" } (tables::environment(record)) }
                    section aria-labelledby="notes" {
                        h2 id="notes" { "Notes" }
                        ul { @for note in &record.run.notes { li { (note) } } }
                    }
                }
                footer { "Made by soak " (record.run.versions.soak) " from report.json, which holds every figure of this page." }
            }
        }
    }
    .into_string()
}

fn word(record: &RunRecord) -> &'static str {
    match record.result {
        RunResult::Pass => "PASS",
        RunResult::Fail => "FAIL",
    }
}

fn banner(record: &RunRecord) -> Markup {
    let (run, all, decisions) = (&record.run, &record.totals.all, &record.totals.decisions);
    let class = if record.result == RunResult::Pass { "banner pass" } else { "banner fail" };
    let p99 = decisions
        .latency_us
        .as_ref()
        .map_or("n/a".to_owned(), |latency| Micros(latency.p99 as f64).to_string());
    let (slowest, slowest_where) = match &all.slowest {
        Some(slowest) => (
            Micros(slowest.us as f64).to_string(),
            format!("{}, by {}", slowest.endpoint, Seconds(slowest.t)),
        ),
        None => ("n/a".to_owned(), String::new()),
    };
    let length = format!("of {} planned", Seconds(run.planned_s));
    html! {
        header class=(class) {
            p.kind { "Soak report, mode " (run.mode) }
            h1 { (word(record)) }
            p.reason { (record.reason) }
            dl.tiles {
                (tile("Length", &Seconds(run.actual_s).to_string(), &length))
                (tile("Requests", &Count(all.count).to_string(), &format!("{}/s in all", PerSecond(all.tps_mean))))
                (tile("Errors", &Count(all.failed).to_string(), &share(all.failed, all.count)))
                (tile("Wrong decisions", &Count(all.wrong).to_string(), &format!("of {} decisions", Count(decisions.count))))
                (tile("Decisions", &format!("{}/s", PerSecond(decisions.tps_mean)), "apart from probes"))
                (tile("Decision p99", &p99, "steady phase"))
                (tile("Slowest request", &slowest, &slowest_where))
                (tile("Service memory", &memory(record).0, &memory(record).1))
            }
            p.when { (record.target.url) " · " (run.started.split('.').next().unwrap_or_default()) "Z · exit code " (record.exit_code) }
        }
    }
}

fn tile(name: &str, value: &str, beneath: &str) -> Markup {
    html! { div { dt { (name) } dd { (value) span { (beneath) } } } }
}

fn share(part: u64, whole: u64) -> String {
    if whole == 0 {
        "of no requests".to_owned()
    } else {
        format!("{:.3} % of requests", part as f64 * 100.0 / whole as f64)
    }
}

fn memory(record: &RunRecord) -> (String, String) {
    let resources = &record.resources;
    let rss = |sample: &Option<crate::measure::record::ProcessSample>| {
        sample.as_ref().and_then(|sample| sample.rss)
    };
    match (rss(&resources.after), rss(&resources.delta)) {
        (Some(after), Some(delta)) => {
            let sign = if delta >= 0 { "+" } else { "" };
            (
                Bytes(after as f64).to_string(),
                format!("RSS, {sign}{} in the run", Bytes(delta as f64)),
            )
        }
        _ => ("n/a".to_owned(), "not sampled".to_owned()),
    }
}
