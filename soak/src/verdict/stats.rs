//! Slopes that outliers do not move, with their uncertainty.
//!
//! The slope is Theil and Sen's: the median of the slopes between all pairs of points. Its 95 %
//! interval comes from the variance of Mann and Kendall's statistic by Sen's rank method (P. K. Sen,
//! "Estimates of the regression coefficient based on Kendall's tau", 1968); neighbouring samples of
//! a process resemble each other, so the variance is widened for autocorrelation as by K. H. Hamed
//! and A. R. Rao, "A modified Mann-Kendall trend test for autocorrelated data", 1998.

/// A point of a series: time in seconds, value.
pub type Point = (f64, f64);

/// A slope per second with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// The median of all pairs' slopes.
    pub median: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// The ordinary least squares slope, for comparison only.
    pub least_squares: f64,
}

/// The median; `None` of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}

/// At most `most` points: the medians of equal stretches of time. Fewer points stay as they are.
pub fn thin(points: &[Point], most: usize) -> Vec<Point> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return Vec::new();
    };
    if points.len() <= most {
        return points.to_vec();
    }
    let width = (last.0 - first.0) / most as f64;
    let mut bins: Vec<Vec<Point>> = vec![Vec::new(); most];
    for point in points {
        let bin = ((point.0 - first.0) / width) as usize;
        bins[bin.min(most - 1)].push(*point);
    }
    bins.into_iter()
        .filter_map(|bin| {
            let (times, values): (Vec<f64>, Vec<f64>) = bin.into_iter().unzip();
            Some((median(&times)?, median(&values)?))
        })
        .collect()
}

/// The slope of a series; `None` with fewer than four points or no length of time.
pub fn theil_sen(points: &[Point]) -> Option<Slope> {
    let n = points.len();
    if n < 4 {
        return None;
    }
    let mut slopes = Vec::with_capacity(n * (n - 1) / 2);
    for (i, a) in points.iter().enumerate() {
        for b in &points[i + 1..] {
            if b.0 > a.0 {
                slopes.push((b.1 - a.1) / (b.0 - a.0));
            }
        }
    }
    slopes.sort_by(f64::total_cmp);
    let middle = median(&slopes)?;
    let residuals: Vec<f64> = points.iter().map(|(t, v)| v - middle * t).collect();
    let count = n as f64;
    let variance =
        count * (count - 1.0) * (2.0 * count + 5.0) / 18.0 * autocorrelation_factor(&residuals);
    let reach = 1.96 * variance.sqrt();
    let pairs = slopes.len() as f64;
    // Ranks of the interval's ends, kept within the slopes there are.
    let low = (((pairs - reach) / 2.0).floor().max(0.0)) as usize;
    let high = (((pairs + reach) / 2.0).ceil() as usize).min(slopes.len() - 1);
    Some(Slope {
        median: middle,
        low: slopes[low],
        high: slopes[high],
        least_squares: least_squares(points),
    })
}

/// How much wider the variance is because neighbours resemble each other; at least 1.
fn autocorrelation_factor(residuals: &[f64]) -> f64 {
    let ranks = ranks(residuals);
    let n = ranks.len() as f64;
    let mean = ranks.iter().sum::<f64>() / n;
    let spread: f64 = ranks.iter().map(|rank| (rank - mean).powi(2)).sum();
    if spread == 0.0 {
        return 1.0;
    }
    let significant = 1.96 / n.sqrt();
    let mut sum = 0.0;
    for lag in 1..=ranks.len() / 4 {
        let shared: f64 =
            ranks.iter().zip(&ranks[lag..]).map(|(a, b)| (a - mean) * (b - mean)).sum();
        let correlation = shared / spread;
        if correlation.abs() > significant {
            let k = lag as f64;
            sum += (n - k) * (n - k - 1.0) * (n - k - 2.0) * correlation;
        }
    }
    (1.0 + 2.0 / (n * (n - 1.0) * (n - 2.0)) * sum).max(1.0)
}

/// Ranks from 1, ties sharing the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let mut ranks = vec![0.0; values.len()];
    let mut from = 0;
    while from < order.len() {
        let mut to = from;
        while to + 1 < order.len() && values[order[to + 1]] == values[order[from]] {
            to += 1;
        }
        let shared = (from + to) as f64 / 2.0 + 1.0;
        order[from..=to].iter().for_each(|place| ranks[*place] = shared);
        from = to + 1;
    }
    ranks
}

fn least_squares(points: &[Point]) -> f64 {
    let n = points.len() as f64;
    let mean_t = points.iter().map(|point| point.0).sum::<f64>() / n;
    let mean_v = points.iter().map(|point| point.1).sum::<f64>() / n;
    let (mut over, mut under) = (0.0, 0.0);
    for (t, v) in points {
        over += (t - mean_t) * (v - mean_v);
        under += (t - mean_t).powi(2);
    }
    if under == 0.0 { 0.0 } else { over / under }
}

/// Series with known answers, the same on every run.
#[cfg(test)]
pub(crate) mod synthetic {
    use super::Point;

    /// Noise of a linear congruential generator, from -1 to 1.
    pub(crate) fn noise(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / (1_u64 << 30) as f64 - 1.0
        }
    }

    /// `value` of the time, sampled every `step_s` seconds up to `length_s`.
    pub(crate) fn series(
        length_s: f64,
        step_s: f64,
        mut value: impl FnMut(f64) -> f64,
    ) -> Vec<Point> {
        (0..(length_s / step_s) as usize)
            .map(|i| i as f64 * step_s)
            .map(|t| (t, value(t)))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::synthetic::{noise, series};
    use super::*;

    #[test]
    fn medians_of_few_and_many() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[5.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }

    #[test]
    fn thinning_keeps_the_shape_and_drops_the_spikes() {
        let points = series(1000.0, 1.0, |t| if t as u64 % 50 == 7 { 1e9 } else { 2.0 * t });
        let thin = thin(&points, 100);
        assert_eq!(thin.len(), 100);
        for (t, v) in &thin {
            assert!((v - 2.0 * t).abs() < 12.0, "{t} {v}");
        }
    }

    #[test]
    fn a_straight_line_has_its_slope_and_no_doubt() {
        let slope = theil_sen(&series(100.0, 1.0, |t| 3.0 * t + 7.0)).expect("100 points");
        assert!(
            (slope.median - 3.0).abs() < 1e-9 && (slope.least_squares - 3.0).abs() < 1e-9,
            "{slope:?}"
        );
        assert!((slope.high - slope.low).abs() < 1e-9, "{slope:?}");
    }

    #[test]
    fn one_outlier_moves_least_squares_but_not_the_median_slope() {
        let points: Vec<Point> =
            (1..=7).map(|i| (i as f64, if i == 7 { 100.0 } else { i as f64 })).collect();
        let slope = theil_sen(&points).expect("seven points");
        assert_eq!(slope.median, 1.0);
        assert!(slope.least_squares > 10.0, "{slope:?}");
    }

    #[test]
    fn noise_alone_has_zero_inside_its_interval_nearly_always() {
        let mut outside = 0;
        for seed in 0..200 {
            let mut noise = noise(seed);
            let slope = theil_sen(&series(120.0, 1.0, |_| noise())).expect("120 points");
            outside += usize::from(slope.low > 0.0 || slope.high < 0.0);
        }
        // 95 % of the time it should be inside: 10 of 200 expected, 25 are out of the question.
        assert!(outside < 25, "{outside} of 200");
    }

    #[test]
    fn neighbours_that_resemble_each_other_widen_the_interval() {
        let mut false_alarms = 0;
        for seed in 0..200 {
            let mut noise = noise(seed);
            let mut value = 0.0;
            let slope = theil_sen(&series(120.0, 1.0, |_| {
                value = 0.7 * value + noise();
                value
            }))
            .expect("120 points");
            false_alarms += usize::from(slope.low > 0.0 || slope.high < 0.0);
        }
        assert!(false_alarms < 50, "{false_alarms} of 200; without the correction it is far more");
    }

    #[test]
    fn too_few_points_have_no_slope() {
        assert_eq!(theil_sen(&[(0.0, 1.0), (1.0, 2.0), (2.0, 3.0)]), None);
    }
}
