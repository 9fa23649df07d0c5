//! The load and the host, as the report on an IDE server told them.

use super::Table;
use crate::measure::record::*;
use crate::units::{Bytes, Count, PerSecond};

pub(super) fn mix(record: &RunRecord) -> Option<Table> {
    if record.methods.is_empty() {
        return None;
    }
    let mut table = Table::new(
        "The load and the host",
        "Page cache is apart from memory that is used: a growing data set is no leak. Rates over a stretch are the \
         highest of any such stretch.",
        &["", "value"],
    );
    let mut row = |name: &str, value: String| table.row(vec![name.to_owned(), value]);
    let methods: Vec<String> =
        record.methods.iter().map(|row| format!("{} {}", row.method, Count(row.count))).collect();
    let sum: u64 = record.methods.iter().map(|row| row.count).sum();
    row("requests", format!("{} = {}", Count(sum), methods.join(" + ")));
    row("rate, mean", format!("{}/s", PerSecond(record.totals.all.tps_mean)));
    for seconds in [120.0, 10.0] {
        if let Some(rate) = best_stretch(record, seconds) {
            row(&format!("rate over {seconds:.0} s"), format!("{}/s", PerSecond(rate)));
        }
    }
    let host = &record.resources.host;
    let peak = host
        .iter()
        .max_by(|a, b| a.busy_pct.iter().sum::<f64>().total_cmp(&b.busy_pct.iter().sum::<f64>()));
    if let Some(peak) = peak {
        let cores: Vec<String> = peak.busy_pct.iter().map(|pct| format!("{pct:.0} %")).collect();
        row("CPU by core at its peak", cores.join(", "));
    }
    let most = |value: fn(&HostSample) -> i64| {
        host.iter()
            .map(value)
            .max()
            .map_or("–".to_owned(), |bytes| Bytes(bytes as f64).to_string())
    };
    row("disk read per second, peak", most(|sample| sample.disk_read_per_s));
    row("disk written per second, peak", most(|sample| sample.disk_write_per_s));
    if let (Some(start), Some(end)) = (host.first(), host.last()) {
        for (name, sample) in [("memory at start", start), ("memory at end", end)] {
            row(
                name,
                format!(
                    "{} free, {} buffers, {} page cache",
                    Bytes(sample.mem_free as f64),
                    Bytes(sample.buffers as f64),
                    Bytes(sample.cached as f64)
                ),
            );
        }
        let grown = |value: fn(&HostSample) -> i64| Bytes((value(end) - value(start)) as f64);
        row("growth of the page cache", grown(|sample| sample.cached).to_string());
    }
    Some(table)
}

/// The highest rate over a stretch of so many seconds, if the run is that long.
fn best_stretch(record: &RunRecord, seconds: f64) -> Option<f64> {
    let rows = &record.intervals;
    let mut best: Option<f64> = None;
    let (mut from, mut n, mut length) = (0, 0, 0.0);
    for row in rows {
        n += row.buc.n;
        length += row.length_s;
        while length - rows[from].length_s >= seconds {
            n -= rows[from].buc.n;
            length -= rows[from].length_s;
            from += 1;
        }
        if length >= seconds - 0.5 {
            best = Some(best.unwrap_or(0.0).max(n as f64 / length));
        }
    }
    best
}
