//! Line plots as inline SVG, each with its data in a table beneath.

use maud::{Markup, html};

use crate::units::Seconds;
use crate::verdict::stats::{Point, median};

pub(super) const WIDTH: f64 = 920.0;
pub(super) const HEIGHT: f64 = 270.0;
pub(super) const LEFT: f64 = 74.0;
pub(super) const RIGHT: f64 = 12.0;
pub(super) const TOP: f64 = 12.0;
pub(super) const BOTTOM: f64 = 30.0;
/// More rows than this are folded together in the table beneath a plot.
const MOST_ROWS: usize = 120;

/// How neighbours are folded together where there are too many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    /// The middle one speaks for all.
    Median,
    /// The largest one must not be lost.
    Max,
}

/// One line of a plot.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) name: String,
    pub(super) points: Vec<Point>,
    pub(super) fold: Fold,
}

/// A stretch of time that is set apart.
#[derive(Clone, Debug)]
pub(super) struct Shade {
    pub(super) class: &'static str,
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) name: &'static str,
}

/// What goes to the right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    /// Seconds since the start.
    Time,
    /// Nines of a percentile.
    Nines,
}

impl Axis {
    pub(super) fn ticks(self, until: f64) -> Vec<f64> {
        let step = match self {
            Self::Time => time_step(until),
            Self::Nines => 1.0,
        };
        (0..=(until / step).floor() as usize).map(|i| i as f64 * step).collect()
    }

    pub(super) fn show(self, value: f64) -> String {
        match self {
            Self::Time => Seconds(value).to_string(),
            Self::Nines => super::percentiles::name(value),
        }
    }
}

/// A plot, most often over time.
#[derive(Debug)]
pub(super) struct Plot {
    pub(super) title: &'static str,
    pub(super) caption: String,
    pub(super) log: bool,
    pub(super) show: fn(f64) -> String,
    /// 1024 where values are bytes, else 10: ticks fall on round numbers of it.
    pub(super) base: f64,
    pub(super) lines: Vec<Line>,
    pub(super) shades: Vec<Shade>,
    pub(super) until: f64,
    pub(super) axis: Axis,
}

impl Plot {
    pub(super) fn render(&self) -> Markup {
        let drawn: Vec<(usize, &Line)> =
            self.lines.iter().filter(|line| !line.points.is_empty()).enumerate().collect();
        if drawn.is_empty() {
            return html! {};
        }
        let scale = Scale::of(self);
        html! {
            figure {
                figcaption {
                    h3 { (self.title) }
                    p.dim { (self.caption) }
                    ul.legend aria-hidden="true" {
                        @for (place, line) in &drawn {
                            li {
                                svg width="34" height="10" { line class={ "line s" (place) } x1="1" y1="5" x2="33" y2="5" {} }
                                (line.name)
                            }
                        }
                        @for name in self.shade_names() { li { span class={ "swatch " (name.0) } {} (name.1) } }
                    }
                }
                svg.plot viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label={ (self.title) "; the data is in the table beneath" } {
                    @for shade in &self.shades { (scale.shade(shade)) }
                    @for (y, text) in scale.y_ticks(self) {
                        line.grid x1=(LEFT) x2=(WIDTH - RIGHT) y1=(r(y)) y2=(r(y)) {}
                        text.y x=(LEFT - 8.0) y=(r(y + 4.0)) { (text) }
                    }
                    @for value in self.axis.ticks(self.until) { (x_label(scale.x(value), &self.axis.show(value))) }
                    line.axis x1=(LEFT) x2=(WIDTH - RIGHT) y1=(HEIGHT - BOTTOM) y2=(HEIGHT - BOTTOM) {}
                    @for (place, line) in &drawn { polyline class={ "line s" (place) } points=(scale.points(&line.points)) {} }
                }
                (self.table(&drawn))
            }
        }
    }

    fn shade_names(&self) -> Vec<(&'static str, &'static str)> {
        let mut names: Vec<_> = self.shades.iter().map(|shade| (shade.class, shade.name)).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    fn table(&self, drawn: &[(usize, &Line)]) -> Markup {
        // The lines of a plot are sampled at the same times.
        let times: Vec<f64> = drawn
            .iter()
            .map(|(_, line)| &line.points)
            .max_by_key(|points| points.len())
            .map(|points| points.iter().map(|point| point.0).collect())
            .unwrap_or_default();
        let step = times.len().div_ceil(MOST_ROWS).max(1);
        let ends: Vec<f64> = times.chunks(step).filter_map(|chunk| chunk.last().copied()).collect();
        let folded: Vec<Vec<Option<f64>>> =
            drawn.iter().map(|(_, line)| fold(line, &ends)).collect();
        html! {
            details {
                summary { "Data of this plot" }
                @if step > 1 { p.dim { "Each row folds " (step) " intervals: medians, and the largest of maxima." } }
                div.scroll tabindex="0" role="region" aria-label={ "Data: " (self.title) } { table.figures {
                    thead { tr { th scope="col" { @if self.axis == Axis::Time { "By" } @else { "Percentile" } } @for (_, line) in drawn { th scope="col" { (line.name) } } } }
                    tbody {
                        @for (row, end) in ends.iter().enumerate() {
                            tr {
                                th scope="row" { (self.axis.show(*end)) }
                                @for column in &folded { td { (column[row].map_or("–".to_owned(), self.show)) } }
                            }
                        }
                    }
                } }
            }
        }
    }
}

/// One value per stretch of time that ends at `ends`.
fn fold(line: &Line, ends: &[f64]) -> Vec<Option<f64>> {
    let mut points = line.points.iter().peekable();
    ends.iter()
        .map(|end| {
            let mut values = Vec::new();
            while let Some((_, value)) = points.next_if(|point| point.0 <= *end) {
                values.push(*value);
            }
            match line.fold {
                Fold::Median => median(&values),
                Fold::Max => values.into_iter().reduce(f64::max),
            }
        })
        .collect()
}

struct Scale {
    until: f64,
    low: f64,
    high: f64,
    log: bool,
}

impl Scale {
    fn of(plot: &Plot) -> Self {
        let values = || plot.lines.iter().flat_map(|line| &line.points).map(|point| point.1);
        let high = values().fold(0.0, f64::max);
        if plot.log {
            let low = values().filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
            let low = if low.is_finite() { low } else { 1.0 };
            let (low, high) = (
                10_f64.powf(low.log10().floor()),
                10_f64.powf(high.max(low * 1.01).log10().ceil()),
            );
            Self { until: plot.until, low, high, log: true }
        } else {
            let step = nice_step(high.max(1e-9) / 5.0, plot.base);
            Self {
                until: plot.until,
                low: 0.0,
                high: (high / step).ceil().max(1.0) * step,
                log: false,
            }
        }
    }

    fn x(&self, t: f64) -> f64 {
        LEFT + (t / self.until).clamp(0.0, 1.0) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        let share = if self.log {
            (value.max(self.low) / self.low).log10() / (self.high / self.low).log10()
        } else {
            value / self.high
        };
        HEIGHT - BOTTOM - share.clamp(0.0, 1.0) * (HEIGHT - TOP - BOTTOM)
    }

    fn points(&self, points: &[Point]) -> String {
        let pairs: Vec<String> = points
            .iter()
            .map(|(t, value)| format!("{},{}", r(self.x(*t)), r(self.y(*value))))
            .collect();
        pairs.join(" ")
    }

    fn shade(&self, shade: &Shade) -> Markup {
        let (from, to) = (self.x(shade.from), self.x(shade.to));
        html! {
            rect class={ "shade " (shade.class) } x=(r(from)) y=(TOP) width=(r((to - from).max(1.0))) height=(HEIGHT - TOP - BOTTOM) {
                title { (shade.name) }
            }
        }
    }

    fn y_ticks(&self, plot: &Plot) -> Vec<(f64, String)> {
        let mut ticks = Vec::new();
        if self.log {
            let mut value = self.low;
            while value <= self.high * 1.001 {
                ticks.push((self.y(value), (plot.show)(value)));
                value *= 10.0;
            }
        } else {
            let step = nice_step(self.high / 5.0, plot.base);
            let steps = (self.high / step).round() as usize;
            for i in 0..=steps {
                let value = i as f64 * step;
                let text = if i == 0 { "0".to_owned() } else { (plot.show)(value) };
                ticks.push((self.y(value), text));
            }
        }
        ticks
    }
}

/// A round time, of which at most ten fit.
fn time_step(until: f64) -> f64 {
    const STEPS: [f64; 16] = [
        1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0,
        21600.0, 86400.0,
    ];
    STEPS.into_iter().find(|step| until / step <= 10.0).unwrap_or(until / 10.0)
}

pub(super) fn x_label(x: f64, text: &str) -> Markup {
    html! {
        line.tick x1=(r(x)) x2=(r(x)) y1=(HEIGHT - BOTTOM) y2=(HEIGHT - BOTTOM + 5.0) {}
        text.x x=(r(x)) y=(HEIGHT - 8.0) { (text) }
    }
}

/// The next of 1, 2, 5 times a power of the base (for bytes: of ten within a power of 1024).
fn nice_step(raw: f64, base: f64) -> f64 {
    let unit = if base > 10.0 { base.powf(raw.max(1.0).log(base).floor()) } else { 1.0 };
    let scaled = raw / unit;
    let power = 10_f64.powf(scaled.log10().floor());
    let digit = scaled / power;
    let nice =
        [1.0, 2.0, 5.0, 10.0].into_iter().find(|step| digit <= step * 1.0001).unwrap_or(10.0);
    nice * power * unit
}

/// A tenth of a pixel is fine enough.
pub(super) fn r(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(points: Vec<Point>, log: bool) -> Plot {
        Plot {
            title: "Test",
            caption: String::new(),
            log,
            show: |value| format!("{value:.0}"),
            base: 10.0,
            lines: vec![Line { name: "a <b>".to_owned(), points, fold: Fold::Max }],
            shades: vec![Shade { class: "warmup", from: 0.0, to: 5.0, name: "warm-up" }],
            until: 100.0,
            axis: Axis::Time,
        }
    }

    #[test]
    fn a_plot_has_a_line_its_shade_and_its_data() {
        let text = plot(vec![(50.0, 10.0), (100.0, 30.0)], false).render().into_string();
        assert!(text.contains("<polyline class=\"line s0\" points=\"491,"), "{text}");
        assert!(text.contains("warm-up") && text.contains("<summary>Data of this plot"), "{text}");
        assert!(text.contains("a &lt;b&gt;") && !text.contains("a <b>"), "{text}");
    }

    #[test]
    fn nothing_to_draw_draws_nothing() {
        assert_eq!(plot(Vec::new(), false).render().into_string(), "");
    }

    #[test]
    fn long_series_fold_and_keep_their_peaks() {
        let points: Vec<Point> =
            (1..=1200).map(|i| (i as f64, if i == 777 { 999.0 } else { 1.0 })).collect();
        let text = plot(points, true).render().into_string();
        assert!(text.contains("Each row folds 10 intervals"));
        assert_eq!(text.matches("<td>999</td>").count(), 1);
    }

    #[test]
    fn steps_are_round() {
        assert_eq!(nice_step(0.7, 10.0), 1.0);
        assert_eq!(nice_step(1400.0, 10.0), 2000.0);
        assert_eq!(nice_step(3.0 * 1024.0 * 1024.0, 1024.0), 5.0 * 1024.0 * 1024.0);
    }
}
