//! The knee of a ramp: the load after which throughput stops growing, and what is the limit there.
//!
//! Throughput over users is fitted by the universal scalability law (N. J. Gunther, "A General Theory
//! of Computational Scalability Based on Rational Functions", 2008):
//! X(N) = x N / (1 + a (N - 1) + b N (N - 1)), with the contention a and the coherence b.

use crate::measure::histogram::round2;
use crate::measure::record::{Knee, Step};

/// The knee is the first load whose fitted throughput is so much of the highest.
const FLAT: f64 = 0.95;
/// The generator is the limit from this share of the cores.
const GENERATOR_SHARE: f64 = 0.85;
/// A host with less idle than this share of its cores has nothing left to give.
const HOST_IDLE: f64 = 0.03;
/// A service that uses so much of the cores is limited by them.
const SERVICE_SHARE: f64 = 0.9;

/// The law with its three parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    /// Throughput of one user.
    pub of_one: f64,
    /// Contention: what users queue for.
    pub contention: f64,
    /// Coherence: what users keep in step with each other.
    pub coherence: f64,
}

impl Law {
    /// Throughput with `n` users.
    pub fn at(&self, n: f64) -> f64 {
        self.of_one * n / (1.0 + self.contention * (n - 1.0) + self.coherence * n * (n - 1.0))
    }
}

/// Fits the law to users and throughputs by least squares of the relative error of `N/X`, which is
/// linear in the parameters; none of them may be below zero. `None` with fewer than three points.
pub fn fit(points: &[(f64, f64)]) -> Option<Law> {
    let points: Vec<(f64, f64)> = points.iter().copied().filter(|(_, x)| *x > 0.0).collect();
    if points.len() < 3 {
        return None;
    }
    // N/X = c0 + c1 (N-1) + c2 N(N-1), each row weighted by X/N.
    let rows: Vec<[f64; 3]> =
        points.iter().map(|(n, x)| [1.0, n - 1.0, n * (n - 1.0)].map(|v| v * x / n)).collect();
    // A term that would be negative is left out.
    let choices =
        [[true, true, true], [true, true, false], [true, false, true], [true, false, false]];
    let mut best: Option<([f64; 3], f64)> = None;
    for choice in choices {
        let Some(solution) = least_squares(&rows, choice) else { continue };
        if solution[0] <= 0.0 || solution[1] < 0.0 || solution[2] < 0.0 {
            continue;
        }
        let error: f64 = rows
            .iter()
            .map(|row| {
                let value: f64 = row.iter().zip(solution).map(|(a, c)| a * c).sum();
                (value - 1.0).powi(2)
            })
            .sum();
        if best.as_ref().is_none_or(|(_, least)| error < *least) {
            best = Some((solution, error));
        }
    }
    let ([c0, c1, c2], _) = best?;
    Some(Law { of_one: 1.0 / c0, contention: c1 / c0, coherence: c2 / c0 })
}

/// Solves the normal equations over the chosen columns against a right side of ones.
fn least_squares(rows: &[[f64; 3]], choice: [bool; 3]) -> Option<[f64; 3]> {
    let columns: Vec<usize> = (0..3).filter(|column| choice[*column]).collect();
    let size = columns.len();
    let mut matrix = vec![vec![0.0; size + 1]; size];
    for row in rows {
        for (i, a) in columns.iter().enumerate() {
            for (j, b) in columns.iter().enumerate() {
                matrix[i][j] += row[*a] * row[*b];
            }
            matrix[i][size] += row[*a];
        }
    }
    for pivot in 0..size {
        let best = (pivot..size)
            .max_by(|a, b| matrix[*a][pivot].abs().total_cmp(&matrix[*b][pivot].abs()))?;
        matrix.swap(pivot, best);
        if matrix[pivot][pivot].abs() < 1e-12 {
            return None;
        }
        let above = matrix[pivot].clone();
        for (row, cells) in matrix.iter_mut().enumerate() {
            if row != pivot {
                let factor = cells[pivot] / above[pivot];
                cells.iter_mut().zip(&above).skip(pivot).for_each(|(cell, a)| *cell -= factor * a);
            }
        }
    }
    let mut solution = [0.0; 3];
    for (place, column) in columns.iter().enumerate() {
        solution[*column] = matrix[place][size] / matrix[place][place];
    }
    Some(solution)
}

/// The knee of the steps; `cores` is what generator and host may use.
pub fn find(steps: &[Step], cores: usize) -> Knee {
    let points: Vec<(f64, f64)> =
        steps.iter().map(|step| (step.users as f64, step.tps)).filter(|(_, x)| *x > 0.0).collect();
    let measured_best = points.iter().map(|(_, x)| *x).fold(0.0, f64::max);
    let Some(law) = fit(&points) else {
        return Knee {
            users: None,
            tps: measured_best,
            limit: "unknown".to_owned(),
            why: "a fit needs three steps that answered".to_owned(),
            tps_of_one: points.first().map_or(0.0, |(_, x)| *x),
            contention: 0.0,
            coherence: 0.0,
            fit_error_pct: 0.0,
        };
    };
    let highest = points.iter().map(|(n, _)| law.at(*n)).fold(0.0, f64::max);
    let knee = steps.iter().find(|step| law.at(step.users as f64) >= FLAT * highest);
    let last = steps.last().map_or(0, |step| step.users);
    // At the last step there is nothing after it that would show that throughput stops growing.
    let knee = knee.filter(|step| step.users < last);
    let error = points.iter().map(|(n, x)| ((law.at(*n) - x) / x).abs()).sum::<f64>();
    let (limit, why) = match knee {
        Some(_) => limit(steps, law, highest, cores),
        None => ("not reached".to_owned(), "throughput still grows at the last step".to_owned()),
    };
    Knee {
        users: knee.map(|step| step.users),
        tps: round2(knee.map_or(highest, |step| law.at(step.users as f64))),
        limit,
        why,
        tps_of_one: round2(law.of_one),
        contention: (law.contention * 1e5).round() / 1e5,
        coherence: (law.coherence * 1e5).round() / 1e5,
        fit_error_pct: round2(error * 100.0 / points.len() as f64),
    }
}

/// What stands in the way of more, over the steps on the flat part of the curve.
fn limit(steps: &[Step], law: Law, highest: f64, cores: usize) -> (String, String) {
    let flat: Vec<&Step> =
        steps.iter().filter(|step| law.at(step.users as f64) >= FLAT * highest).collect();
    let mean = |value: fn(&Step) -> Option<f64>| {
        let values: Vec<f64> = flat.iter().filter_map(|step| value(step)).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    let cores = cores as f64;
    let generator = mean(|step| step.generator_cpu).map(|used| used / cores);
    let server = mean(|step| step.server_cpu).map(|used| used / cores);
    let idle = mean(|step| step.idle_cpu_pct).map(|pct| pct / 100.0 / cores);
    let percent = |share: Option<f64>| format!("{:.0} %", share.unwrap_or_default() * 100.0);
    if generator.is_some_and(|share| share > GENERATOR_SHARE) {
        ("generator".to_owned(), format!("it used {} of its {cores} cores", percent(generator)))
    } else if server.is_some_and(|share| share > SERVICE_SHARE) {
        ("service".to_owned(), format!("its CPU: it used {} of {cores} cores", percent(server)))
    } else if idle.is_some_and(|share| share < HOST_IDLE) {
        let why = format!(
            "its CPU: {} of {cores} cores idle, shared by service ({}) and generator ({})",
            percent(idle),
            percent(server),
            percent(generator)
        );
        ("host".to_owned(), why)
    } else {
        let why = format!(
            "not its CPU ({} of {cores} cores): locks, connections or waiting for something else",
            server.map_or("unknown".to_owned(), |share| percent(Some(share)))
        );
        ("service".to_owned(), why)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(rows: &[(u64, f64)]) -> Vec<Step> {
        rows.iter()
            .map(|(users, tps)| Step {
                users: *users,
                tps: *tps,
                idle_cpu_pct: Some(80.0),
                server_cpu: Some(1.0),
                generator_cpu: Some(0.3),
                ..Step::default()
            })
            .collect()
    }

    /// The published client ramp, with throughput as measured there.
    const PUBLISHED: [(u64, f64); 6] =
        [(1, 28.0), (2, 42.5), (3, 48.0), (4, 50.0), (5, 49.0), (6, 49.5)];

    #[test]
    fn the_published_ramp_has_its_knee_at_three_to_four_clients() {
        let knee = find(&steps(&PUBLISHED), 4);
        assert!(matches!(knee.users, Some(3 | 4)), "{knee:?}");
        assert!((46.0..51.0).contains(&knee.tps) && knee.fit_error_pct < 3.0, "{knee:?}");
        assert_eq!(knee.limit, "service", "{knee:?}");
        assert!(knee.why.contains("not its CPU"), "{knee:?}");
    }

    #[test]
    fn a_law_is_found_again_in_its_own_points() {
        let law = Law { of_one: 1000.0, contention: 0.05, coherence: 0.002 };
        let points: Vec<(f64, f64)> = (1..=20).map(f64::from).map(|n| (n, law.at(n))).collect();
        let found = fit(&points).expect("twenty points");
        assert!((found.of_one - 1000.0).abs() < 0.1, "{found:?}");
        assert!((found.contention - 0.05).abs() < 1e-6 && (found.coherence - 0.002).abs() < 1e-7);
    }

    #[test]
    fn a_line_has_no_knee_and_too_few_steps_no_fit() {
        let knee = find(&steps(&[(1, 100.0), (2, 200.0), (3, 300.0), (4, 400.0)]), 2);
        assert_eq!((knee.users, knee.limit.as_str()), (None, "not reached"));
        assert_eq!(find(&steps(&[(1, 100.0), (2, 150.0)]), 2).limit, "unknown");
        assert_eq!(find(&[], 2).users, None);
    }

    #[test]
    fn what_is_busy_is_the_limit() {
        let limit = |change: fn(&mut Step)| {
            let mut steps = steps(&PUBLISHED);
            steps.iter_mut().for_each(change);
            find(&steps, 4).limit
        };
        assert_eq!(limit(|step| step.generator_cpu = Some(3.6)), "generator");
        assert_eq!(limit(|step| step.server_cpu = Some(3.9)), "service");
        assert_eq!(limit(|step| step.idle_cpu_pct = Some(5.0)), "host");
    }
}
