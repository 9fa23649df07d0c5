//! The curve of percentiles: to the right ever rarer requests, one more nine with each step.

use maud::{Markup, html};

use super::plot::{Axis, Fold, Line, Plot};
use crate::measure::histogram;
use crate::measure::record::{EndpointStats, RunRecord};
use crate::units::Micros;
use crate::verdict::stats::Point;

/// Points of the curve for each nine.
const PER_NINE: usize = 8;

/// A curve for each endpoint, over the axis of 1 / (1 - q).
pub(super) fn render(record: &RunRecord) -> Markup {
    let lines: Vec<Line> = record
        .endpoints
        .iter()
        .map(|endpoint| Line {
            name: endpoint.name.clone(),
            points: curve(endpoint),
            fold: Fold::Max,
        })
        .collect();
    let until = lines.iter().flat_map(|line| &line.points).map(|point| point.0);
    let until = until.fold(1.0, f64::max).ceil();
    html! {
        (Plot {
            title: "Latency by percentile",
            caption: "Steady phase, whole exchange; each step to the right is one request in ten times as many; \
                      logarithmic axes. A curve ends where one request stands for all that are left."
                .to_owned(),
            log: true,
            show: |us| Micros(us).to_string(),
            base: 10.0,
            lines,
            shades: Vec::new(),
            until,
            axis: Axis::Nines,
        }
        .render())
    }
}

/// Nines and times, up to the rarest that so many requests can tell.
fn curve(endpoint: &EndpointStats) -> Vec<Point> {
    let Some(times) = endpoint.latency_us.as_ref().and(histogram::decode(&endpoint.histogram))
    else {
        return Vec::new();
    };
    let rarest = (times.len() as f64).log10();
    let mut points: Vec<Point> = (0..)
        .map(|place| place as f64 / PER_NINE as f64)
        .take_while(|nines| *nines < rarest)
        .map(|nines| (nines, times.value_at_quantile(1.0 - 10_f64.powf(-nines)) as f64))
        .collect();
    points.push((rarest, times.max() as f64));
    points
}

/// `0` as `0 %`, `2` as `99 %`, `2.5` as `99.7 %`.
pub(super) fn name(nines: f64) -> String {
    let rest = 10_f64.powf(2.0 - nines);
    let needed = if nines.fract() == 0.0 { nines - 2.0 } else { nines.ceil() - 1.0 };
    let digits = needed.max(0.0) as usize;
    format!("{:.digits$} %", 100.0 - rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_named_with_as_many_nines_as_it_takes() {
        assert_eq!(
            [0.0, 1.0, 2.0, 3.0, 5.0].map(name),
            ["0 %", "90 %", "99 %", "99.9 %", "99.999 %"]
        );
        assert_eq!(name(2.5), "99.68 %");
    }

    #[test]
    fn a_curve_rises_to_the_slowest_request() {
        let record = crate::verdict::tests::clean(60.0);
        let points = curve(&record.endpoints[0]);
        assert!(points.windows(2).all(|pair| pair[0].1 <= pair[1].1 && pair[0].0 < pair[1].0));
        assert_eq!(points.last().map(|point| point.1), Some(1000.0));
        assert!(render(&record).into_string().contains("99.9 %"));
    }
}
