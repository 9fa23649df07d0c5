//! The tables of single modes out of what each load came to.

use super::steps::Outcome;
use crate::measure::histogram::round2;
use crate::measure::record::*;
use crate::measure::series::round3;

/// The timed groups of mode `groups`.
pub(super) fn groups(outcomes: &[Outcome]) -> Vec<GroupRow> {
    let laps = outcomes.iter().flat_map(|outcome| &outcome.laps);
    laps.map(|lap| {
        let ms = lap.took.as_secs_f64() * 1e3;
        GroupRow {
            client: lap.client.clone(),
            from: lap.from,
            to: lap.to,
            ms: round3(ms),
            ms_per_request: round3(ms / (lap.to - lap.from + 1) as f64),
        }
    })
    .collect()
}

/// A row for each virtual client and number of threads.
pub(super) fn matrix(outcomes: &[Outcome]) -> (Vec<MatrixRow>, Vec<Fairness>) {
    let (mut rows, mut fairness) = (Vec::new(), Vec::new());
    for outcome in outcomes {
        let clients = outcome.teams.len().max(1) as u64;
        let threads = outcome.step.users / clients;
        let per_minute = |requests: u64| {
            let seconds = outcome.step.measured_s;
            if seconds > 0.0 { round2(requests as f64 * 60.0 / seconds) } else { 0.0 }
        };
        let counts: Vec<u64> = outcome.teams.iter().map(|(_, _, steady)| *steady).collect();
        for (name, _, steady) in &outcome.teams {
            rows.push(MatrixRow {
                client: name.clone(),
                threads,
                requests: *steady,
                per_minute: per_minute(*steady),
            });
        }
        fairness.push(Fairness {
            threads,
            per_minute: per_minute(counts.iter().sum()),
            lowest_to_highest: lowest_to_highest(&counts),
            jain: jain(&counts),
        });
    }
    (rows, fairness)
}

fn lowest_to_highest(counts: &[u64]) -> f64 {
    match (counts.iter().min(), counts.iter().max()) {
        (Some(low), Some(high)) if *high > 0 => round3(*low as f64 / *high as f64),
        _ => 0.0,
    }
}

/// Jain's index: 1 if all get the same, 1/n if one gets everything.
fn jain(counts: &[u64]) -> f64 {
    let sum: f64 = counts.iter().map(|count| *count as f64).sum();
    let squares: f64 = counts.iter().map(|count| (*count as f64).powi(2)).sum();
    if squares > 0.0 { round3(sum * sum / (counts.len() as f64 * squares)) } else { 0.0 }
}

/// What each way to speak to the service costs beside the first one, kept connections with kept ones
/// and new ones with new ones.
pub(super) fn secure(outcomes: &[Outcome]) -> Vec<SecureRow> {
    let plainest = |keep_alive: bool| {
        outcomes.iter().find(|outcome| outcome.keep_alive == keep_alive && !outcome.credentials)
    };
    outcomes
        .iter()
        .map(|outcome| {
            let base = plainest(outcome.keep_alive);
            let ratio = |value: fn(&Outcome) -> Option<f64>| {
                let (ours, theirs) = (value(outcome)?, value(base?)?);
                (theirs > 0.0).then(|| round3(ours / theirs))
            };
            SecureRow {
                transport: outcome.station.clone(),
                credentials: outcome.credentials,
                connection: if outcome.keep_alive { "kept" } else { "new" }.to_owned(),
                refusals: outcome.refusals.clone(),
                first_us: outcome.step.first_us,
                requests: outcome.step.requests,
                tps: outcome.step.tps,
                latency_us: outcome.times.stats(),
                connect_us: outcome.connect.clone(),
                tls_us: outcome.tls.clone(),
                cpu_us_per_request: outcome.step.cpu_us_per_request,
                time_ratio: ratio(|outcome| Some(outcome.times.mean_us())),
                first_ratio: ratio(|outcome| outcome.step.first_us.map(|us| us as f64)),
                tps_ratio: ratio(|outcome| Some(outcome.step.tps)),
            }
        })
        .collect()
}

/// Requests by method; what has none of the known ones is `other`, so that the rows add up.
pub(super) fn methods(endpoints: &[EndpointStats]) -> Vec<MethodCount> {
    let known = ["GET", "POST", "PUT", "DELETE"];
    let count = |wanted: &dyn Fn(&str) -> bool| {
        endpoints.iter().filter(|row| wanted(&row.method)).map(|row| row.count).sum()
    };
    let mut rows: Vec<MethodCount> = known
        .iter()
        .map(|method| MethodCount {
            method: (*method).to_owned(),
            count: count(&|given| given == *method),
        })
        .collect();
    rows.push(MethodCount {
        method: "other".to_owned(),
        count: count(&|given| !known.contains(&given)),
    });
    rows
}

/// The figures of an open stream.
pub(super) fn rate(
    pace: f64,
    planned_s: f64,
    outcome: &Outcome,
    corrected: Option<LatencyStats>,
) -> RateFigures {
    RateFigures {
        asked_tps: round2(pace),
        answered_tps: outcome.step.tps,
        connections: outcome.step.users,
        intended: (pace * planned_s).floor() as u64,
        not_sent: outcome.not_sent,
        uncorrected_us: outcome.times.stats(),
        corrected_us: corrected,
        scheduler_lag_us: outcome.lag.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fairness_tells_even_from_uneven() {
        // The first report's cells: one client gets a third of what the others get.
        assert_eq!(lowest_to_highest(&[1739, 1545, 596]), 0.343);
        assert_eq!(jain(&[1739, 1545, 596]), 0.87);
        assert_eq!((jain(&[5, 5, 5]), jain(&[9, 0, 0]), jain(&[])), (1.0, 0.333, 0.0));
    }
}
