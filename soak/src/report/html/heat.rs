//! The heatmap: time to the right, latency upwards, the darker the more decisions.

use maud::{Markup, html};

use super::grid::{self, Axes};
use crate::measure::record::{Heatmap, RunRecord};
use crate::units::{Count, Micros, Seconds};

/// Shades that can be told apart.
const SHADES: usize = 6;
/// The table beneath has no more rows than this.
const MOST_ROWS: usize = 25;

pub(super) fn render(record: &RunRecord) -> Markup {
    let Some(map) = &record.heatmap else { return html! {} };
    let (Some(end), rows) = (map.columns.last(), map.from_us.len() as f64) else { return html! {} };
    let axes = Axes { until: end.t, rows };
    let most = map.columns.iter().flat_map(|column| &column.counts).max().copied().unwrap_or(1);
    html! {
        figure {
            figcaption {
                h3 { "Heatmap of decision latency" }
                p.dim {
                    "Each cell counts the decisions of a stretch of time that took so long; the shades go from 1 to "
                    (Count(most)) ", each for several times as many as the one before."
                }
                ul.legend aria-hidden="true" {
                    @for shade in 0..SHADES { li { span class={ "swatch heat h" (shade) } {} (at_least(shade, most)) } }
                }
            }
            (grid::frame("Heatmap of decision latency", html! {
                @for shade in 0..SHADES { path class={ "heat h" (shade) } d=(cells(map, axes, shade, most)) {} }
                @for (row, from) in map.from_us.iter().enumerate().filter(|(row, _)| row % 4 == 0) {
                    (axes.y_label(row as f64, &Micros(*from as f64).to_string()))
                }
                (axes.time_labels())
            }))
            (table(map))
        }
    }
}

/// The shade of a count: each of a factor more.
fn shade_of(count: u64, most: u64) -> Option<usize> {
    let share = (count as f64).ln() / (most.max(2) as f64).ln();
    (count > 0).then(|| ((share * SHADES as f64) as usize).min(SHADES - 1))
}

fn at_least(shade: usize, most: u64) -> String {
    let from = (most.max(2) as f64).powf(shade as f64 / SHADES as f64).ceil();
    format!("from {}", Count(from as u64))
}

/// All cells of a shade as one path.
fn cells(map: &Heatmap, axes: Axes, shade: usize, most: u64) -> String {
    let mut path = String::new();
    let mut from = 0.0;
    for column in &map.columns {
        for (row, count) in column.counts.iter().enumerate() {
            if shade_of(*count, most) == Some(shade) {
                path.push_str(&axes.cell(from, column.t, row as f64));
            }
        }
        from = column.t;
    }
    path
}

fn table(map: &Heatmap) -> Markup {
    let step = map.columns.len().div_ceil(MOST_ROWS).max(1);
    html! {
        details {
            summary { "Data of this plot" }
            div.scroll tabindex="0" role="region" aria-label="Data: heatmap of decision latency" { table.figures {
                thead { tr { th scope="col" { "By" } @for from in &map.from_us { th scope="col" { "from " (Micros(*from as f64)) } } } }
                tbody {
                    @for columns in map.columns.chunks(step) {
                        tr {
                            th scope="row" { (Seconds(columns.last().map_or(0.0, |column| column.t))) }
                            @for row in 0..map.from_us.len() {
                                td { (Count(columns.iter().map(|column| column.counts[row]).sum())) }
                            }
                        }
                    }
                }
            } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shades_follow_the_counts_by_factors() {
        assert_eq!(shade_of(0, 1000), None);
        assert_eq!(shade_of(1, 1000), Some(0));
        assert_eq!(shade_of(40, 1000), Some(3));
        assert_eq!(shade_of(1000, 1000), Some(SHADES - 1));
        assert_eq!(shade_of(1, 1), Some(0));
    }
}
