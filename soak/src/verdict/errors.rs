//! Failed requests, counted over the whole load.

use super::rules::{Metric, Rule};
use super::{Case, exit};
use crate::measure::record::{RunRecord, Verdict};

pub(super) fn judge(record: &RunRecord, rule: &Rule) -> Verdict {
    let (mut count, mut failed) = (0, 0);
    for (_, stats) in super::latency::covered(record, rule.scope) {
        let (all, bad, _) = stats.counts(rule.phase);
        count += all;
        failed += bad;
    }
    let case = Case::of(rule, "errors", exit::RULE);
    let scope = rule.about();
    if count == 0 {
        return case.without_samples(&format!("there were no requests in {scope}"));
    }
    match rule.metric {
        Metric::Errors => case.compare(rule, &format!("errors of {scope}"), failed as f64),
        _ => {
            let rate = failed as f64 * 100.0 / count as f64;
            case.compare(rule, &format!("error rate of {scope}"), rate)
        }
    }
}
