//! Figures before and after.

use super::Table;
use crate::measure::record::*;
use crate::units::{Bytes, Micros, PerSecond};

/// A run beside earlier ones.
pub fn comparison(baseline: &Baseline) -> Table {
    let note = format!(
        "Against {}. A figure is worse or better only if the 95 % interval of its change excludes zero and the change \
         is larger than the floor.",
        baseline.ids.join(", ")
    );
    let mut table = Table::new(
        "Beside the baseline",
        note,
        &["endpoint", "figure", "before", "after", "change", "95 %", "floor", "result"],
    );
    for row in &baseline.rows {
        let interval = row.ci_low.zip(row.ci_high);
        table.row(vec![
            row.endpoint.clone(),
            row.metric.clone(),
            figure(&row.metric, row.before),
            figure(&row.metric, row.after),
            format!("{:+.1} %", row.change_pct),
            interval.map_or("–".to_owned(), |(low, high)| format!("{low:+.1} to {high:+.1} %")),
            format!("{} %", row.floor_pct),
            match row.result {
                Change::Regression => "WORSE",
                Change::Improvement => "better",
                Change::Noise => "noise",
            }
            .to_owned(),
        ]);
    }
    table
}

fn figure(metric: &str, value: f64) -> String {
    match metric {
        "tps" => format!("{}/s", PerSecond(value)),
        "rss_after" => Bytes(value).to_string(),
        _ => Micros(value).to_string(),
    }
}
