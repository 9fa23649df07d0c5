//! Latency of the steady phase, and the very first requests.

use super::rules::{Metric, Rule, Scope};
use super::{Case, exit};
use crate::measure::endpoint::Endpoint;
use crate::measure::histogram;
use crate::measure::record::{EndpointStats, PhaseName, RunRecord, Verdict};

pub(super) fn judge(record: &RunRecord, rule: &Rule) -> Verdict {
    let case = Case::of(rule, "latency", exit::RULE);
    let about = rule.about();
    let name = match rule.metric {
        Metric::Percentile(percent) => format!("p{percent} of {about}"),
        Metric::Average => format!("average of {about}"),
        Metric::First => format!("first request of {about}"),
        _ => format!("slowest of {about}"),
    };
    match observe(record, rule) {
        Some(us) => case.compare(rule, &name, us),
        None if rule.phase == Some(PhaseName::Warmup) => {
            case.without_samples(&format!("the warm-up has no requests in {}", rule.scope))
        }
        None => {
            case.without_samples(&format!("the steady phase has no requests in {}", rule.scope))
        }
    }
}

/// The endpoints of a scope, as the record has them.
pub(super) fn covered(
    record: &RunRecord,
    scope: Scope,
) -> impl Iterator<Item = (Endpoint, &EndpointStats)> {
    record.endpoints.iter().filter_map(move |stats| {
        let endpoint = Endpoint::ALL.into_iter().find(|endpoint| endpoint.name() == stats.name)?;
        scope.covers(endpoint).then_some((endpoint, stats))
    })
}

fn observe(record: &RunRecord, rule: &Rule) -> Option<f64> {
    let stats = || covered(record, rule.scope).map(|(_, stats)| stats);
    let phase = rule.phase.unwrap_or(PhaseName::Steady);
    let latencies = || stats().filter_map(|stats| stats.times(phase).0);
    match rule.metric {
        Metric::First => stats().filter_map(|stats| stats.first_us).max().map(|us| us as f64),
        Metric::Average => {
            let count: u64 = latencies().map(|latency| latency.count).sum();
            let sum: f64 = latencies().map(|latency| latency.mean * latency.count as f64).sum();
            (count > 0).then(|| sum / count as f64)
        }
        Metric::Percentile(percent) => {
            let mut parts = stats()
                .filter(|stats| stats.times(phase).0.is_some())
                .map(|stats| histogram::decode(stats.times(phase).1?));
            let mut all = parts.next()??;
            all.auto(true);
            for part in parts {
                all.add(part?).ok()?;
            }
            (!all.is_empty()).then(|| all.value_at_quantile((percent * 1e6).round() / 1e8) as f64)
        }
        _ => latencies().map(|latency| latency.max).max().map(|us| us as f64),
    }
}
