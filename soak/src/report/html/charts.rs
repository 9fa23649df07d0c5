//! The plots of a run.

use maud::{Markup, html};

use super::plot::{Axis, Fold, Line, Plot, Shade};
use super::{heat, percentiles};
use crate::measure::record::*;
use crate::units::{Bytes, Micros, PerSecond, three_digits};
use crate::verdict::stats::Point;

pub(super) fn all(record: &RunRecord) -> Markup {
    html! {
        (throughput(record).render())
        (latency(record).render())
        (percentiles::render(record))
        (heat::render(record))
        (memory(record).render())
        (cpu(record).render())
        @if record.run.mode == "mix" {
            (cores_of_host(record).render())
            (disk(record).render())
            (page_cache(record).render())
        }
    }
}

fn of_host(name: &str, record: &RunRecord, value: impl Fn(&HostSample) -> Option<f64>) -> Line {
    let samples = record.resources.host.iter();
    let points = samples.filter_map(|sample| Some((sample.t, value(sample)?))).collect();
    Line { name: name.to_owned(), points, fold: Fold::Median }
}

/// More cores than this are too many lines; the busiest ones are drawn.
const MOST_CORES: usize = 6;

fn cores_of_host(record: &RunRecord) -> Plot {
    let count = record.resources.host.iter().map(|sample| sample.busy_pct.len()).max().unwrap_or(0);
    let busy = |core: usize| -> f64 {
        record.resources.host.iter().filter_map(|sample| sample.busy_pct.get(core)).sum()
    };
    let mut cores: Vec<usize> = (0..count).collect();
    cores.sort_by(|a, b| busy(*b).total_cmp(&busy(*a)));
    cores.truncate(MOST_CORES);
    cores.sort_unstable();
    let lines = cores
        .into_iter()
        .map(|core| {
            of_host(&format!("core {core}"), record, |sample| sample.busy_pct.get(core).copied())
        })
        .collect();
    plot(record, "Host, CPU by core", "Busy time of each core, in per cent.", lines, |percent| {
        format!("{} %", three_digits(percent))
    })
}

fn disk(record: &RunRecord) -> Plot {
    let lines = vec![
        of_host("read", record, |sample| Some(sample.disk_read_per_s as f64)),
        of_host("written", record, |sample| Some(sample.disk_write_per_s as f64)),
    ];
    let caption = "Bytes per second of all disks.";
    Plot {
        base: 1024.0,
        ..plot(record, "Host, disk", caption, lines, |bytes| format!("{}/s", Bytes(bytes)))
    }
}

fn page_cache(record: &RunRecord) -> Plot {
    let lines = vec![
        of_host("free", record, |sample| Some(sample.mem_free as f64)),
        of_host("page cache", record, |sample| Some(sample.cached as f64)),
        of_host("buffers", record, |sample| Some(sample.buffers as f64)),
    ];
    let caption = "Page cache apart from memory that is used: a growing data set is no leak.";
    Plot {
        base: 1024.0,
        ..plot(record, "Host, memory", caption, lines, |bytes| Bytes(bytes).to_string())
    }
}

fn throughput(record: &RunRecord) -> Plot {
    let per_second = |bucket: &Bucket, length_s: f64| bucket.n as f64 / length_s.max(1e-3);
    let mut lines = vec![line("all requests", measured(record), |row| {
        Some(per_second(&row.buc, row.length_s))
    })];
    for endpoint in &record.endpoints {
        let name = endpoint.name.clone();
        let mut drawn = line(&name, measured(record), |row| {
            Some(row.endpoints.get(&name).map_or(0.0, |bucket| per_second(bucket, row.length_s)))
        });
        if endpoint.count == 0 {
            drawn.points.clear();
        }
        lines.push(drawn);
    }
    plot(record, "Throughput", "Requests answered per second, by endpoint.", lines, |value| {
        PerSecond(value).to_string()
    })
}

fn latency(record: &RunRecord) -> Plot {
    let time = |get: fn(&Bucket) -> u64| {
        move |row: &Interval| (row.decisions.n > 0).then(|| get(&row.decisions) as f64)
    };
    let lines = vec![
        line("p50", measured(record), time(|bucket| bucket.p50)),
        line("p99", measured(record), time(|bucket| bucket.p99)),
        Line { fold: Fold::Max, ..line("max", measured(record), time(|bucket| bucket.max)) },
    ];
    let caption = "Decisions, whole exchange, per interval; logarithmic axis.";
    Plot {
        log: true,
        ..plot(record, "Decision latency", caption, lines, |us| Micros(us).to_string())
    }
}

fn memory(record: &RunRecord) -> Plot {
    let lines = vec![
        sampled("resident (RSS)", &record.resources.server, |sample| sample.rss),
        sampled("anonymous", &record.resources.server, |sample| sample.anon),
        sampled("allocated (allocator)", &record.resources.server, |sample| {
            sample.heap.as_ref()?.allocated
        }),
        sampled("generator's RSS", &record.resources.generator, |sample| sample.rss),
    ];
    let leak = record.verdicts.iter().find(|verdict| verdict.id == "leak-memory");
    let slope = leak.map_or(String::new(), |verdict| format!(" Leak verdict: {}.", verdict.why));
    let caption = format!("The service's process and the generator's.{slope}");
    Plot {
        base: 1024.0,
        caption,
        ..plot(record, "Memory", "", lines, |bytes| Bytes(bytes).to_string())
    }
}

fn cpu(record: &RunRecord) -> Plot {
    let host: Vec<Point> = record
        .resources
        .host
        .iter()
        .map(|sample| (sample.t, sample.busy_pct.iter().sum::<f64>() / 100.0))
        .collect();
    let lines = vec![
        Line {
            name: "service".to_owned(),
            points: cores(&record.resources.server),
            fold: Fold::Median,
        },
        Line {
            name: "generator".to_owned(),
            points: cores(&record.resources.generator),
            fold: Fold::Median,
        },
        Line { name: "host, all processes".to_owned(), points: host, fold: Fold::Median },
    ];
    let caption = format!("Cores in use; {} can be used.", record.host.cores);
    Plot { caption, ..plot(record, "CPU", "", lines, three_digits) }
}

fn plot(
    record: &RunRecord,
    title: &'static str,
    caption: &str,
    lines: Vec<Line>,
    show: fn(f64) -> String,
) -> Plot {
    let until =
        record.intervals.iter().map(|row| row.t).chain(record.resources.server.iter().map(|s| s.t));
    Plot {
        title,
        caption: caption.to_owned(),
        log: false,
        show,
        base: 10.0,
        lines,
        shades: shades(record),
        until: until.fold(1e-3, f64::max),
        axis: Axis::Time,
    }
}

fn shades(record: &RunRecord) -> Vec<Shade> {
    let mut shades = Vec::new();
    for phase in &record.phases {
        let name = match phase.name {
            PhaseName::Warmup => "warm-up, not judged",
            PhaseName::Cooldown if phase.to_s - phase.from_s > 1.0 => "after the load",
            _ => continue,
        };
        shades.push(Shade { class: "apart", from: phase.from_s, to: phase.to_s, name });
    }
    for row in record.intervals.iter().filter(|row| row.generator_limited) {
        shades.push(Shade {
            class: "limited",
            from: row.t - row.length_s,
            to: row.t,
            name: "generator limited",
        });
    }
    for row in record.intervals.iter().filter(|row| row.errors + row.wrong > 0) {
        shades.push(Shade {
            class: "errors",
            from: row.t - row.length_s,
            to: row.t,
            name: "errors or wrong decisions",
        });
    }
    shades
}

/// The intervals of the load; the sliver after its planned end would only draw a spike.
fn measured(record: &RunRecord) -> impl Iterator<Item = &Interval> {
    record.intervals.iter().filter(|row| row.phase != PhaseName::Cooldown)
}

fn line<'a>(
    name: &str,
    rows: impl Iterator<Item = &'a Interval>,
    value: impl Fn(&Interval) -> Option<f64>,
) -> Line {
    let points = rows.filter_map(|row| Some((row.t, value(row)?))).collect();
    Line { name: name.to_owned(), points, fold: Fold::Median }
}

fn sampled(
    name: &str,
    samples: &[ProcessSample],
    value: impl Fn(&ProcessSample) -> Option<i64>,
) -> Line {
    let points =
        samples.iter().filter_map(|sample| Some((sample.t, value(sample)? as f64))).collect();
    Line { name: name.to_owned(), points, fold: Fold::Median }
}

/// CPU seconds per second between neighbouring samples.
fn cores(samples: &[ProcessSample]) -> Vec<Point> {
    samples
        .windows(2)
        .filter_map(|pair| {
            let passed = pair[1].t - pair[0].t;
            // Two samples in one moment divide by next to nothing.
            (passed > 0.2).then_some((pair[1].t, (pair[1].cpu_s? - pair[0].cpu_s?) / passed))
        })
        .collect()
}
