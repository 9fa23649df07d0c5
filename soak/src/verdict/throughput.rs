//! Requests per second of the steady phase.

use super::rules::Rule;
use super::{Case, exit};
use crate::measure::record::{PhaseName, RunRecord, Verdict, VerdictResult};
use crate::units::PerSecond;

pub(super) fn judge(record: &RunRecord, rule: &Rule) -> Verdict {
    let case = Case::of(rule, "throughput", exit::RULE);
    if record.phase(rule.phase.unwrap_or(PhaseName::Steady)).is_none() {
        return case.without_samples("the run has no such phase");
    }
    let rates = super::latency::covered(record, rule.scope);
    let tps = rates.map(|(_, stats)| stats.counts(rule.phase).2).sum();
    case.compare(rule, &format!("throughput of {}", rule.about()), tps)
}

/// An open stream must be answered at the rate at which it is sent.
pub(super) fn kept(record: &RunRecord) -> Option<Verdict> {
    let rate = record.rate.as_ref()?;
    let case = Case {
        id: "rate-kept",
        rule: "the service keeps up with the rate",
        limit: format!(">= {KEPT_PCT} % of {}/s", PerSecond(rate.asked_tps)),
        exit_code: exit::RULE,
    };
    let share = rate.answered_tps * 100.0 / rate.asked_tps.max(1e-9);
    let observed = format!("{}/s", PerSecond(rate.answered_tps));
    Some(if share >= KEPT_PCT && rate.not_sent == 0 {
        case.settle(VerdictResult::Pass, observed, format!("{share:.1} % of the rate was answered"))
    } else {
        let why = format!(
            "{share:.1} % of the rate was answered ({observed}), {} requests were not sent",
            rate.not_sent
        );
        case.settle(VerdictResult::Fail, observed, why)
    })
}

const KEPT_PCT: f64 = 98.0;
