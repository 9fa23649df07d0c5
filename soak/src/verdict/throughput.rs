//! Requests per second of the steady phase.

use super::rules::Rule;
use super::{Case, exit};
use crate::measure::record::{PhaseName, RunRecord, Verdict};

pub(super) fn judge(record: &RunRecord, rule: &Rule) -> Verdict {
    let case = Case::of(rule, "throughput", exit::RULE);
    if record.phase(PhaseName::Steady).is_none() {
        return case.without_samples("the run has no steady phase");
    }
    let tps = super::latency::covered(record, rule.scope).map(|(_, stats)| stats.tps_mean).sum();
    case.compare(rule, &format!("throughput of {}", rule.scope), tps)
}
