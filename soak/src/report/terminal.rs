//! The report on a terminal.

use std::fmt::{self, Write};

use super::tables;
use crate::measure::record::*;
use crate::units::{Bytes, BytesDelta, Count, Micros, PerSecond, Seconds};

/// The whole report as text, ending in the verdict line.
pub fn render(record: &RunRecord) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write_all(record, &mut text);
    text.push_str(&super::verdict_line(record));
    text.push('\n');
    text
}

fn write_all(record: &RunRecord, out: &mut String) -> fmt::Result {
    head(record, out)?;
    endpoints(record, out)?;
    trouble(record, out)?;
    for row in &record.groups {
        writeln!(out, "{}", tables::group_line(row))?;
    }
    for table in tables::of_mode(record).iter().filter(|table| !table.is_long) {
        draw(table, out)?;
    }
    resources(record, out)?;
    verdicts(record, out)?;
    for note in &record.run.notes {
        writeln!(out, "note: {note}")?;
    }
    writeln!(out)
}

fn head(record: &RunRecord, out: &mut String) -> fmt::Result {
    let (run, totals) = (&record.run, &record.totals);
    writeln!(out, "Run {} on {}, seed {}", run.id, record.target.url, run.seed)?;
    writeln!(
        out,
        "{} of {} planned ({}); {} model, {}, keep-alive {}",
        Seconds(run.actual_s),
        Seconds(run.planned_s),
        run.end_reason.lines().next().unwrap_or_default(),
        run.workload.model,
        users(&run.workload),
        if run.workload.keep_alive { "on" } else { "off" },
    )?;
    let slowest = totals.all.slowest.as_ref().map_or("none".to_owned(), |slowest| {
        format!("{} ({}, by {})", Micros(slowest.us as f64), slowest.endpoint, Seconds(slowest.t))
    });
    writeln!(
        out,
        "{} requests, {} errors, {} wrong decisions; slowest {slowest}\n",
        Count(totals.all.count),
        Count(totals.all.failed),
        Count(totals.all.wrong)
    )
}

fn users(workload: &Workload) -> String {
    let (users, groups) = (workload.users_per_group, workload.groups.len());
    let plural = if users == 1 { "" } else { "s" };
    match groups {
        1 => format!("{users} user{plural} at most"),
        _ => format!("{users} user{plural} in each of {groups} groups"),
    }
}

/// A table with its columns as wide as they must be.
fn draw(table: &tables::Table, out: &mut String) -> fmt::Result {
    let width = |column: usize| {
        let cells =
            table.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.max().unwrap_or(0).max(table.columns[column].chars().count())
    };
    let widths: Vec<usize> = (0..table.columns.len()).map(width).collect();
    writeln!(out, "{}", table.title)?;
    for row in std::iter::once(&table.columns).chain(&table.rows) {
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            if column == 0 {
                write!(out, "  {cell:<width$}")?;
            } else {
                write!(out, "  {cell:>width$}")?;
            }
        }
        writeln!(out)?;
    }
    if !table.note.is_empty() {
        writeln!(out, "  {}", table.note)?;
    }
    writeln!(out)
}

/// What `compare` prints.
pub fn comparison(baseline: &Baseline, after: &RunRecord, verdict: &Verdict) -> String {
    let mut text = format!("Run {}\n", after.run.id);
    // Writing to a string does not fail.
    let _ = draw(&tables::comparison(baseline), &mut text);
    let word = if verdict.result == VerdictResult::Fail { "FAIL" } else { "PASS" };
    let _ = writeln!(
        text,
        "SOAK {word} compared={} {} reason={}",
        baseline.rows.len(),
        verdict.observed.replace(',', ""),
        verdict.why
    );
    text
}

fn endpoints(record: &RunRecord, out: &mut String) -> fmt::Result {
    writeln!(
        out,
        "{:<17} {:>11} {:>7} {:>6} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "endpoint",
        "requests",
        "errors",
        "wrong",
        "per s",
        "first",
        "mean",
        "p50",
        "p90",
        "p99",
        "p99.9",
        "max"
    )?;
    for endpoint in &record.endpoints {
        let total = Total {
            count: endpoint.count,
            failed: endpoint.failed,
            wrong: endpoint.wrong,
            tps_mean: endpoint.tps_mean,
            latency_us: endpoint.latency_us.clone(),
            ..Total::default()
        };
        row(&endpoint.name, &total, endpoint.first_us, out)?;
    }
    let totals = &record.totals;
    for (name, total) in [
        ("decisions", &totals.decisions),
        ("probes", &totals.probes),
        ("all requests", &totals.all),
    ] {
        row(name, total, None, out)?;
    }
    if let Some(law) = &totals.littles_law {
        writeln!(
            out,
            "Little's law: {} users, throughput x latency = {} ({:+.1} %: time the users spend in the generator)",
            law.users, law.tps_x_latency, law.error_pct
        )?;
    }
    writeln!(out)
}

fn row(name: &str, total: &Total, first_us: Option<u64>, out: &mut String) -> fmt::Result {
    let dash = || "-".to_owned();
    let first = first_us.map_or_else(dash, |us| Micros(us as f64).to_string());
    write!(
        out,
        "{name:<17} {:>11} {:>7} {:>6} {:>8} {first:>9}",
        Count(total.count),
        Count(total.failed),
        Count(total.wrong),
        PerSecond(total.tps_mean)
    )?;
    let figures = total.latency_us.as_ref().map(|latency| {
        [
            latency.mean,
            latency.p50 as f64,
            latency.p90 as f64,
            latency.p99 as f64,
            latency.p999 as f64,
            latency.max as f64,
        ]
    });
    for place in 0..6 {
        let text = figures.map_or_else(dash, |figures| Micros(figures[place]).to_string());
        write!(out, " {text:>9}")?;
    }
    writeln!(out)
}

fn trouble(record: &RunRecord, out: &mut String) -> fmt::Result {
    let mut any = false;
    for endpoint in &record.endpoints {
        for error in &endpoint.errors {
            writeln!(
                out,
                "error: {} {} x {}: {}",
                endpoint.name,
                Count(error.count),
                error.class,
                error.sample
            )?;
            any = true;
        }
        for sample in &endpoint.wrong_samples {
            writeln!(out, "wrong: {}: {sample}", endpoint.name)?;
            any = true;
        }
    }
    if any { writeln!(out) } else { Ok(()) }
}

fn resources(record: &RunRecord, out: &mut String) -> fmt::Result {
    let resources = &record.resources;
    let (Some(before), Some(after), Some(delta)) =
        (&resources.before, &resources.after, &resources.delta)
    else {
        return writeln!(out, "service process: not sampled\n");
    };
    writeln!(out, "{:<26} {:>14} {:>14} {:>14}", "service process", "before", "after", "change")?;
    for [name, before, after, change] in resource_rows(before, after, delta) {
        writeln!(out, "{name:<26} {before:>14} {after:>14} {change:>14}")?;
    }
    let cpu =
        |value: Option<f64>| value.map_or("not known".to_owned(), |us| Micros(us).to_string());
    writeln!(
        out,
        "CPU per request: service {}, generator {}\n",
        cpu(record.totals.cpu_us_per_request),
        cpu(record.totals.generator_cpu_us_per_request)
    )
}

/// Name, before, after, change of all that is known of a process.
pub(super) fn resource_rows(
    before: &ProcessSample,
    after: &ProcessSample,
    delta: &ProcessSample,
) -> Vec<[String; 4]> {
    let mut rows = Vec::new();
    let mut add = |name: &str,
                   get: &dyn Fn(&ProcessSample) -> Option<f64>,
                   show: &dyn Fn(f64, bool) -> String| {
        if let (Some(a), Some(b), Some(change)) = (get(before), get(after), get(delta)) {
            rows.push([name.to_owned(), show(a, false), show(b, false), show(change, true)]);
        }
    };
    let int = |value: Option<i64>| value.map(|value| value as f64);
    let size = |value: f64, change: bool| {
        if change { BytesDelta(value as i64).to_string() } else { Bytes(value).to_string() }
    };
    let count = |value: f64, change: bool| {
        if change { format!("{value:+.0}") } else { Count(value as u64).to_string() }
    };
    let seconds = |value: f64, change: bool| {
        if change { format!("{value:+.2} s") } else { format!("{value:.2} s") }
    };
    let millis = |value: f64, change: bool| seconds(value / 1e9, change);

    add("CPU time", &|s| s.cpu_s, &seconds);
    add("  user", &|s| s.cpu_user_s, &seconds);
    add("  system", &|s| s.cpu_system_s, &seconds);
    add("waiting for a CPU", &|s| int(s.run_delay_ns), &millis);
    add("resident memory (RSS)", &|s| int(s.rss), &size);
    add("proportional share (PSS)", &|s| int(s.pss), &size);
    add("anonymous memory", &|s| int(s.anon), &size);
    add("allocated (allocator)", &|s| int(s.heap.as_ref().and_then(|heap| heap.allocated)), &size);
    add("resident (allocator)", &|s| int(s.heap.as_ref().and_then(|heap| heap.resident)), &size);
    add("swap", &|s| int(s.swap), &size);
    add("open descriptors", &|s| int(s.fds), &count);
    add("sockets", &|s| int(s.sockets), &count);
    add("  TCP, established", &|s| s.tcp.as_ref().map(|tcp| tcp.established as f64), &count);
    add("  TCP, closed by the peer", &|s| s.tcp.as_ref().map(|tcp| tcp.close_wait as f64), &count);
    add("threads", &|s| int(s.threads), &count);
    add("context switches, own will", &|s| s.ctx.as_ref().map(|ctx| ctx.vol as f64), &count);
    add("context switches, forced", &|s| s.ctx.as_ref().map(|ctx| ctx.invol as f64), &count);
    add("page faults, minor", &|s| s.faults.as_ref().map(|faults| faults.min as f64), &count);
    add("page faults, major", &|s| s.faults.as_ref().map(|faults| faults.maj as f64), &count);
    add("read from storage", &|s| s.io.as_ref().map(|io| io.read as f64), &size);
    add("written to storage", &|s| s.io.as_ref().map(|io| io.write as f64), &size);
    if let Some(peak) = after.rss_peak {
        rows.push([
            "peak of RSS".to_owned(),
            String::new(),
            Bytes(peak as f64).to_string(),
            String::new(),
        ]);
    }
    rows
}

fn verdicts(record: &RunRecord, out: &mut String) -> fmt::Result {
    for verdict in &record.verdicts {
        let word = match verdict.result {
            VerdictResult::Pass => "pass",
            VerdictResult::Fail => "FAIL",
            VerdictResult::Skip => "skip",
        };
        writeln!(out, "{word}  {:<28} {}", verdict.rule, verdict.why)?;
    }
    writeln!(out)
}
