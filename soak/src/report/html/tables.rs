//! The page's tables.

use maud::{Markup, html};

use crate::measure::endpoint::Kind;
use crate::measure::record::*;
use crate::report::terminal::resource_rows;
use crate::units::{Bytes, Count, Micros, PerSecond, Seconds};

pub(super) fn verdicts(record: &RunRecord) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Rules" { table {
            thead { tr { th { "Result" } th { "Rule" } th { "Observed" } th { "Limit" } th { "Why" } } }
            tbody {
                @for verdict in &record.verdicts {
                    tr {
                        td { (badge(verdict.result)) }
                        td { code { (verdict.rule) } }
                        td { (verdict.observed) }
                        td.nowrap { (verdict.limit) }
                        td { (verdict.why) }
                    }
                }
            }
        } }
    }
}

fn badge(result: VerdictResult) -> Markup {
    let (class, word) = match result {
        VerdictResult::Pass => ("badge good", "✓ pass"),
        VerdictResult::Fail => ("badge bad", "✗ FAIL"),
        VerdictResult::Skip => ("badge", "– skip"),
    };
    html! { span class=(class) { (word) } }
}

pub(super) fn endpoints(record: &RunRecord) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Endpoints" { table.figures {
            thead { tr {
                th scope="col" { "Endpoint" }
                @for name in ["Requests", "Errors", "Wrong", "Per second", "First", "Mean", "p50", "p90", "p99", "p99.9", "Max"] {
                    th scope="col" { (name) }
                }
            } }
            tbody {
                @for endpoint in &record.endpoints {
                    tr {
                        th scope="row" { (endpoint.name) @if endpoint.kind == Kind::Probe { " " span.dim { "probe" } } }
                        (figures(endpoint.count, endpoint.failed, endpoint.wrong, endpoint.tps_mean, endpoint.first_us, endpoint.latency_us.as_ref()))
                    }
                }
            }
            tfoot {
                @for (name, total) in [
                    ("Decisions", &record.totals.decisions), ("Probes", &record.totals.probes), ("All requests", &record.totals.all),
                ] {
                    tr {
                        th scope="row" { (name) }
                        (figures(total.count, total.failed, total.wrong, total.tps_mean, None, total.latency_us.as_ref()))
                    }
                }
            }
        } }
        p.dim {
            "Counts, errors and wrong decisions are of the whole load; rates and times of the steady phase. "
            "First is the first request of all, on a fresh connection, before the load."
        }
    }
}

fn figures(
    count: u64,
    failed: u64,
    wrong: u64,
    tps: f64,
    first: Option<u64>,
    latency: Option<&LatencyStats>,
) -> Markup {
    let time = |us: Option<f64>| us.map_or("–".to_owned(), |us| Micros(us).to_string());
    let mark = |count: u64| if count > 0 { "hot" } else { "" };
    html! {
        td { (Count(count)) }
        td class=(mark(failed)) { (Count(failed)) }
        td class=(mark(wrong)) { (Count(wrong)) }
        td { (PerSecond(tps)) }
        td { (time(first.map(|us| us as f64))) }
        @for us in [
            latency.map(|l| l.mean), latency.map(|l| l.p50 as f64), latency.map(|l| l.p90 as f64),
            latency.map(|l| l.p99 as f64), latency.map(|l| l.p999 as f64), latency.map(|l| l.max as f64),
        ] {
            td { (time(us)) }
        }
    }
}

/// Errors and wrong decisions in words, if there are any.
pub(super) fn trouble(record: &RunRecord) -> Markup {
    let any = record
        .endpoints
        .iter()
        .any(|endpoint| !endpoint.errors.is_empty() || !endpoint.wrong_samples.is_empty());
    if !any {
        return html! {};
    }
    html! {
        h3 { "What went wrong" }
        div.scroll tabindex="0" role="region" aria-label="What went wrong" { table {
            thead { tr { th { "Endpoint" } th { "What" } th { "Count" } th { "For example" } } }
            tbody {
                @for endpoint in &record.endpoints {
                    @for error in &endpoint.errors {
                        tr { td { (endpoint.name) } td { (error.class) } td.number { (Count(error.count)) } td { (error.sample) } }
                    }
                    @if endpoint.wrong > 0 {
                        tr {
                            td { (endpoint.name) }
                            td { "wrong decision" }
                            td.number { (Count(endpoint.wrong)) }
                            td { (endpoint.wrong_samples.first().map(String::as_str).unwrap_or_default()) }
                        }
                    }
                }
            }
        } }
    }
}

pub(super) fn resources(record: &RunRecord) -> Markup {
    let resources = &record.resources;
    let (Some(before), Some(after), Some(delta)) =
        (&resources.before, &resources.after, &resources.delta)
    else {
        return html! { p { "The service's process was not sampled: give --pid, or a target with /metrics." } };
    };
    let cpu =
        |value: Option<f64>| value.map_or("not known".to_owned(), |us| Micros(us).to_string());
    html! {
        div.scroll tabindex="0" role="region" aria-label="The service before and after" { table.figures {
            thead { tr { th { "" } th scope="col" { "Before" } th scope="col" { "After" } th scope="col" { "Change" } } }
            tbody {
                @for [name, before, after, change] in resource_rows(before, after, delta) {
                    tr { th scope="row" { (name) } td { (before) } td { (after) } td { (change) } }
                }
            }
        } }
        p {
            "CPU time per request in the steady phase: service " strong { (cpu(record.totals.cpu_us_per_request)) }
            ", generator " strong { (cpu(record.totals.generator_cpu_us_per_request)) } "."
        }
    }
}

pub(super) fn environment(record: &RunRecord) -> Markup {
    let (run, host, target) = (&record.run, &record.host, &record.target);
    let groups: Vec<String> = run
        .workload
        .groups
        .iter()
        .map(|group| {
            format!("{} ({} users: {})", group.name, group.users, group.endpoints.join(", "))
        })
        .collect();
    let limits = [
        host.cgroup_limits.cpu_cores.map(|cores| format!("{cores} cores")),
        host.cgroup_limits.memory.map(|bytes| Bytes(bytes as f64).to_string()),
    ];
    let limits: Vec<String> = limits.into_iter().flatten().collect();
    let pid = target.pid.map_or(String::new(), |pid| format!(", process {pid}"));
    let law = run_law(record);
    let rows = [
        ("Run", format!("{}, {} to {}", run.id, run.started, run.ended)),
        ("Command", run.command.join(" ")),
        ("Seed", run.seed.to_string()),
        (
            "Length",
            format!(
                "{} of {} planned: {}",
                Seconds(run.actual_s),
                Seconds(run.planned_s),
                run.end_reason
            ),
        ),
        ("Groups", groups.join("; ")),
        (
            "Load",
            format!(
                "{} model, no think time, keep-alive {}, timeout {}, intervals of {}",
                run.workload.model,
                if run.workload.keep_alive { "on" } else { "off" },
                Seconds(run.workload.timeout_s),
                Seconds(run.workload.interval_s)
            ),
        ),
        ("Little's law", law),
        (
            "Target",
            format!(
                "{}{pid}, version {}",
                target.url,
                target.version.as_deref().unwrap_or("not told")
            ),
        ),
        (
            "Host",
            format!(
                "{}, {} usable cores, {} memory, Linux {}{}",
                host.cpu_model,
                host.cores,
                Bytes(host.mem_total as f64),
                host.kernel,
                if host.generator_shares_host { ", shared by generator and service" } else { "" }
            ),
        ),
        ("Limits", if limits.is_empty() { "none set".to_owned() } else { limits.join(", ") }),
        (
            "Clock",
            format!(
                "wall clock and monotonic clock differ by {:+.1} ms over the run",
                run.clock_drift_ms
            ),
        ),
        (
            "Versions",
            format!(
                "soak {}, goose {}, {}",
                run.versions.soak, run.versions.goose, run.versions.rustc
            ),
        ),
    ];
    html! {
        div.scroll tabindex="0" role="region" aria-label="Environment" { table {
            tbody { @for (name, text) in rows { tr { th scope="row" { (name) } td { (text) } } } }
        } }
    }
}

fn run_law(record: &RunRecord) -> String {
    match &record.totals.littles_law {
        Some(law) => format!(
            "{} users, throughput x latency = {} ({:+.1} %); the difference is time that users spend in the generator",
            law.users, law.tps_x_latency, law.error_pct
        ),
        None => "no steady phase to check".to_owned(),
    }
}
