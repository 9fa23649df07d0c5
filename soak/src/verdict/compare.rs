//! This run beside earlier ones: which figures got worse by more than noise.
//!
//! Each run is told by its steady intervals. A bootstrap over blocks of them (R. Liu and K. Singh,
//! "Moving blocks jackknife and bootstrap capture weak dependence", 1992) gives the 95 % interval of
//! the change. A figure is worse only if that interval excludes zero and the change exceeds a floor;
//! where several earlier runs are given, also only if it exceeds their own spread.

use super::{Case, exit};
use crate::measure::record::*;
use crate::scenario::rng::Rng;
use crate::units::three_digits;
use crate::verdict::stats::median;

const ROUNDS: usize = 400;
/// Neighbouring intervals that are drawn together.
const BLOCK: usize = 5;
/// With fewer intervals than this a bootstrap says nothing.
const FEWEST: usize = 10;

/// A figure of one run.
#[derive(Clone, Debug)]
struct Figure {
    value: f64,
    /// Per interval, where it is known so finely.
    samples: Vec<f64>,
}

/// How a figure is compared.
#[derive(Clone, Copy)]
struct Kind {
    metric: &'static str,
    floor_pct: f64,
    /// Whether more is better.
    more_is_better: bool,
}

/// Compares a run with earlier ones. Without rows the verdict says why they cannot be compared.
pub fn judge(before: &[RunRecord], after: &RunRecord, force: bool) -> (Option<Baseline>, Verdict) {
    let case = Case {
        id: "baseline",
        rule: "no regression against the baseline",
        limit: "none beyond noise".to_owned(),
        exit_code: exit::REGRESSION,
    };
    if let Some(difference) = before.iter().find_map(|run| difference(run, after))
        && !force
    {
        let why =
            format!("the runs are not alike: {difference}; --force compares them all the same");
        let case = Case { exit_code: exit::USAGE, ..case };
        return (None, case.settle(VerdictResult::Fail, "not alike", why));
    }
    let rows = rows(before, after);
    let worse: Vec<&BaselineRow> =
        rows.iter().filter(|row| row.result == Change::Regression).collect();
    let better = rows.iter().filter(|row| row.result == Change::Improvement).count();
    let observed = format!("{} worse, {better} better of {}", worse.len(), rows.len());
    let verdict =
        match worse.iter().max_by(|a, b| a.change_pct.abs().total_cmp(&b.change_pct.abs())) {
            None => case.settle(VerdictResult::Pass, observed, "no figure is worse beyond noise"),
            Some(worst) => {
                let why = format!(
                    "{} of {} went from {} to {} ({:+.1} %)",
                    worst.metric,
                    worst.endpoint,
                    three_digits(worst.before),
                    three_digits(worst.after),
                    worst.change_pct
                );
                case.settle(VerdictResult::Fail, observed, why)
            }
        };
    let ids = before.iter().map(|run| run.run.id.clone()).collect();
    (Some(Baseline { ids, rows }), verdict)
}

/// In what two runs are not alike, if anything.
fn difference(before: &RunRecord, after: &RunRecord) -> Option<String> {
    let load = |run: &RunRecord| {
        let workload = &run.run.workload;
        let groups =
            workload.groups.iter().map(|g| format!("{} {}", g.users, g.endpoints.join("+")));
        format!(
            "{} users: {}; keep-alive {}",
            workload.model,
            groups.collect::<Vec<_>>().join(", "),
            workload.keep_alive
        )
    };
    let host = |run: &RunRecord| format!("{} with {} cores", run.host.cpu_model, run.host.cores);
    let pairs = [
        ("mode", before.run.mode.clone(), after.run.mode.clone()),
        ("load", load(before), load(after)),
        ("machine", host(before), host(after)),
    ];
    let (what, a, b) = pairs.into_iter().find(|(_, a, b)| a != b)?;
    Some(format!("{what} `{a}` against `{b}`"))
}

fn rows(before: &[RunRecord], after: &RunRecord) -> Vec<BaselineRow> {
    let mut rows = Vec::new();
    let mut row = |endpoint: &str, kind: Kind, figure: &dyn Fn(&RunRecord) -> Option<Figure>| {
        let earlier: Vec<Figure> = before.iter().filter_map(figure).collect();
        if let Some(now) = figure(after) {
            rows.extend(compare(endpoint, kind, &earlier, &now));
        }
    };
    const TPS: Kind = Kind { metric: "tps", floor_pct: 5.0, more_is_better: true };
    const P50: Kind = Kind { metric: "p50_us", floor_pct: 10.0, more_is_better: false };
    const P99: Kind = Kind { metric: "p99_us", floor_pct: 15.0, more_is_better: false };
    const CPU: Kind = Kind { metric: "cpu_us_per_request", floor_pct: 5.0, more_is_better: false };
    const RSS: Kind = Kind { metric: "rss_after", floor_pct: 10.0, more_is_better: false };
    const FIRST: Kind = Kind { metric: "first_us", floor_pct: 50.0, more_is_better: false };
    row("all", TPS, &|run| rate(run, |row| Some(&row.buc)));
    row("decisions", TPS, &|run| rate(run, |row| Some(&row.decisions)));
    for endpoint in &after.endpoints {
        let name = endpoint.name.as_str();
        row(name, TPS, &|run| rate(run, |row| row.endpoints.get(name)));
        row(name, P50, &|run| time(run, name, |stats| stats.p50, |bucket| bucket.p50));
        row(name, P99, &|run| time(run, name, |stats| stats.p99, |bucket| bucket.p99));
        row(name, FIRST, &|run| {
            let stats = run.endpoints.iter().find(|stats| stats.name == name)?;
            Some(Figure { value: stats.first_us? as f64, samples: Vec::new() })
        });
    }
    row("all", CPU, &cpu);
    row("service", RSS, &|run| {
        let rss = run.resources.after.as_ref()?.rss?;
        Some(Figure { value: rss as f64, samples: Vec::new() })
    });
    rows
}

fn rate<'a>(
    run: &'a RunRecord,
    bucket: impl Fn(&'a Interval) -> Option<&'a Bucket>,
) -> Option<Figure> {
    let samples: Vec<f64> = run
        .steady()
        .filter(|row| row.length_s > 0.0)
        .map(|row| bucket(row).map_or(0.0, |bucket| bucket.n as f64 / row.length_s))
        .collect();
    let mean = samples.iter().sum::<f64>() / samples.len().max(1) as f64;
    (mean > 0.0).then_some(Figure { value: mean, samples })
}

fn time(
    run: &RunRecord,
    name: &str,
    whole: fn(&LatencyStats) -> u64,
    part: fn(&Bucket) -> u64,
) -> Option<Figure> {
    let stats = run.endpoints.iter().find(|stats| stats.name == name)?;
    let buckets = run.steady().filter_map(|row| row.endpoints.get(name));
    Some(Figure {
        value: whole(stats.latency_us.as_ref()?) as f64,
        samples: buckets.map(|bucket| part(bucket) as f64).collect(),
    })
}

fn cpu(run: &RunRecord) -> Option<Figure> {
    let value = run.totals.cpu_us_per_request?;
    let samples = run
        .resources
        .server
        .windows(2)
        .filter_map(|pair| {
            let row = run.steady().find(|row| (row.t - pair[1].t).abs() < 0.05)?;
            let cpu = pair[1].cpu_s? - pair[0].cpu_s?;
            (row.buc.n > 0).then(|| cpu * 1e6 / row.buc.n as f64)
        })
        .collect();
    Some(Figure { value, samples })
}

fn compare(endpoint: &str, kind: Kind, before: &[Figure], after: &Figure) -> Option<BaselineRow> {
    let earlier: Vec<f64> = before.iter().map(|figure| figure.value).collect();
    let base = median(&earlier)?;
    if base <= 0.0 {
        return None;
    }
    let change_pct = (after.value - base) / base * 100.0;
    let samples: Vec<f64> = before.iter().flat_map(|figure| figure.samples.clone()).collect();
    let interval = bootstrap(&samples, &after.samples);
    // How far earlier runs lie apart is noise that no single run can know of.
    let spread =
        earlier.iter().map(|value| ((value - base) / base * 100.0).abs()).fold(0.0, f64::max);
    let beyond =
        change_pct.abs() > kind.floor_pct && (before.len() < 3 || change_pct.abs() > spread);
    let significant = match interval {
        Some((low, high)) => low > 0.0 || high < 0.0,
        // A single figure is told from noise by earlier runs alone.
        None => before.len() >= 3,
    };
    let worse = if kind.more_is_better { change_pct < 0.0 } else { change_pct > 0.0 };
    let result = match (beyond && significant, worse) {
        (false, _) => Change::Noise,
        (true, true) => Change::Regression,
        (true, false) => Change::Improvement,
    };
    let tenth = |value: f64| (value * 10.0).round() / 10.0;
    Some(BaselineRow {
        endpoint: endpoint.to_owned(),
        metric: kind.metric.to_owned(),
        before: base,
        after: after.value,
        change_pct: tenth(change_pct),
        ci_low: interval.map(|(low, _)| tenth(low)),
        ci_high: interval.map(|(_, high)| tenth(high)),
        floor_pct: kind.floor_pct,
        significant,
        result,
    })
}

/// The 95 % interval of the change of the median interval, in per cent.
fn bootstrap(before: &[f64], after: &[f64]) -> Option<(f64, f64)> {
    if before.len() < FEWEST || after.len() < FEWEST {
        return None;
    }
    // The same figures give the same verdict.
    let mut rng = Rng::of(1, 0);
    let mut changes: Vec<f64> = (0..ROUNDS)
        .filter_map(|_| {
            let base = median(&redraw(before, &mut rng))?;
            let now = median(&redraw(after, &mut rng))?;
            (base > 0.0).then(|| (now - base) / base * 100.0)
        })
        .collect();
    changes.sort_by(f64::total_cmp);
    let at =
        |share: f64| changes.get((share * (changes.len() as f64 - 1.0)).round() as usize).copied();
    at(0.025).zip(at(0.975))
}

fn redraw(values: &[f64], rng: &mut Rng) -> Vec<f64> {
    let block = BLOCK.min(values.len());
    let starts = (values.len() - block + 1) as u32;
    let mut drawn = Vec::with_capacity(values.len() + block);
    while drawn.len() < values.len() {
        let start = rng.below(starts) as usize;
        drawn.extend_from_slice(&values[start..start + block]);
    }
    drawn.truncate(values.len());
    drawn
}

#[cfg(test)]
mod tests {
    use super::super::tests::{clean, set_times};
    use super::*;
    use crate::verdict::stats::synthetic::noise;

    /// A run whose p50 and p99 wander by a tenth around `us` and four times that.
    fn run(us: f64, seed: u64) -> RunRecord {
        let mut run = clean(600.0);
        let mut noise = noise(seed);
        set_times(&mut run, |_| {
            let wander = 1.0 + 0.1 * noise();
            ((us * wander) as u64, (4.0 * us * wander) as u64)
        });
        run
    }

    fn result(before: &[RunRecord], after: &RunRecord) -> VerdictResult {
        judge(before, after, false).1.result
    }

    #[test]
    fn noise_is_no_regression_and_a_real_one_is_found() {
        for seed in 0..4 {
            let (before, same) = (run(400.0, seed), run(400.0, seed + 100));
            assert_eq!(result(std::slice::from_ref(&before), &same), VerdictResult::Pass, "{seed}");
            let slower = run(520.0, seed + 200);
            let (rows, verdict) = judge(std::slice::from_ref(&before), &slower, false);
            assert_eq!(
                (verdict.result, verdict.exit_code),
                (VerdictResult::Fail, exit::REGRESSION)
            );
            let rows = rows.expect("alike").rows;
            let row = rows
                .iter()
                .find(|row| row.endpoint == "monitoring" && row.metric == "p50_us")
                .expect("a row");
            assert!(row.ci_low > Some(0.0) && row.result == Change::Regression, "{row:?}");
            let (_, verdict) = judge(&[slower], &before, false);
            assert!(
                verdict.result == VerdictResult::Pass && verdict.observed.starts_with("0 worse")
            );
        }
    }

    #[test]
    fn earlier_runs_that_lie_far_apart_excuse_a_change() {
        let before = [run(300.0, 1), run(400.0, 2), run(560.0, 3)];
        assert_eq!(result(&before, &run(520.0, 4)), VerdictResult::Pass);
        assert_eq!(result(&before, &run(900.0, 5)), VerdictResult::Fail);
    }

    #[test]
    fn runs_that_are_not_alike_are_not_compared() {
        let (before, mut after) = (run(400.0, 1), run(400.0, 2));
        after.run.mode = "mix".to_owned();
        let (rows, verdict) = judge(std::slice::from_ref(&before), &after, false);
        assert!(rows.is_none() && verdict.exit_code == exit::USAGE, "{verdict:?}");
        assert!(verdict.why.contains("mode `s3p` against `mix`"), "{}", verdict.why);
        assert!(judge(&[before], &after, true).0.is_some());
    }
}
