//! A grid of cells on a drawing of the size of all plots.

use maud::{Markup, html};

use super::plot::{Axis, BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, r, x_label};

/// A drawing of the size of all plots, with the axis beneath.
pub(super) fn frame(title: &str, content: Markup) -> Markup {
    html! {
        svg.plot viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label={ (title) "; the data is in the table beneath" } {
            (content)
            line.axis x1=(LEFT) x2=(WIDTH - RIGHT) y1=(HEIGHT - BOTTOM) y2=(HEIGHT - BOTTOM) {}
        }
    }
}

/// The places of a grid: time to the right, rows upwards.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axes {
    pub(super) until: f64,
    pub(super) rows: f64,
}

impl Axes {
    fn x(self, t: f64) -> f64 {
        LEFT + (t / self.until.max(1e-9)).clamp(0.0, 1.0) * (WIDTH - LEFT - RIGHT)
    }

    fn y(self, row: f64) -> f64 {
        HEIGHT - BOTTOM - row / self.rows * (HEIGHT - TOP - BOTTOM)
    }

    /// A cell as a piece of a path.
    pub(super) fn cell(self, from: f64, to: f64, row: f64) -> String {
        let (left, right) = (r(self.x(from)), r(self.x(to)));
        let (top, bottom) = (r(self.y(row + 1.0)), r(self.y(row)));
        format!("M{left} {top}H{right}V{bottom}H{left}z")
    }

    pub(super) fn y_label(self, row: f64, text: &str) -> Markup {
        html! { text.y x=(LEFT - 8.0) y=(r(self.y(row) + 4.0)) { (text) } }
    }

    pub(super) fn time_labels(self) -> Markup {
        html! {
            @for t in Axis::Time.ticks(self.until) { (x_label(self.x(t), &Axis::Time.show(t))) }
        }
    }
}
