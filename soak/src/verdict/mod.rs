//! Verdicts: the rules of a run against its record, and the exit code that follows.
//!
//! Everything here reads the record alone, so a stored run can be judged again. Each kind of rule
//! has a file; [`judge`] is the list.

pub mod compare;
pub mod exit;
pub mod knee;
pub mod parse;
pub mod rules;
pub mod stats;
pub mod validity;

mod correctness;
mod drift;
mod errors;
mod latency;
mod leak;
mod limits;
mod refusals;
mod resources;
mod throughput;

use crate::measure::record::{RunRecord, RunResult, Verdict, VerdictResult};
use rules::{Metric, Rule};

/// Judges a record: what always holds first, then the rules in the order given.
pub fn judge(record: &RunRecord, rules: &[Rule]) -> Vec<Verdict> {
    let mut verdicts =
        vec![correctness::judge(record), validity::complete(record), validity::clock(record)];
    verdicts.push(validity::generator(record, rules));
    verdicts.extend(validity::schedule(record));
    verdicts.extend(throughput::kept(record));
    verdicts.extend(refusals::judge(record));
    for rule in rules {
        match rule.metric {
            Metric::Percentile(_) | Metric::Average | Metric::Max | Metric::First => {
                verdicts.push(latency::judge(record, rule));
            }
            Metric::ErrorRate | Metric::Errors => verdicts.push(errors::judge(record, rule)),
            Metric::Tps => verdicts.push(throughput::judge(record, rule)),
            Metric::RssDelta | Metric::FdsDelta | Metric::ThreadsDelta | Metric::CpuPerRequest => {
                verdicts.push(resources::judge(record, rule));
            }
            Metric::Leak => verdicts.extend(leak::judge(record, rule)),
            Metric::Drift => verdicts.extend(drift::judge(record, rule)),
            Metric::TpsDrift => verdicts.push(drift::judge_throughput(record, rule)),
        }
    }
    verdicts
}

/// Writes verdicts, result, reason and exit code into the record, and how it compares with earlier runs.
pub fn settle(record: &mut RunRecord, rules: &[Rule], baselines: &[RunRecord], force: bool) {
    record.verdicts = judge(record, rules);
    if !baselines.is_empty() {
        let (rows, verdict) = compare::judge(baselines, record, force);
        record.baseline = rows;
        record.verdicts.push(verdict);
    }
    record.exit_code = exit::code(&record.verdicts);
    record.result = if record.exit_code == exit::PASS { RunResult::Pass } else { RunResult::Fail };
    record.reason = reason(&record.verdicts, record.exit_code);
}

/// The run in one phrase: the failure that decided, and how many more there are.
fn reason(verdicts: &[Verdict], code: u8) -> String {
    let failed: Vec<&Verdict> =
        verdicts.iter().filter(|verdict| verdict.result == VerdictResult::Fail).collect();
    let Some(first) = failed.iter().find(|verdict| verdict.exit_code == code) else {
        let skipped =
            verdicts.iter().filter(|verdict| verdict.result == VerdictResult::Skip).count();
        return match skipped {
            0 => "every rule passed".to_owned(),
            1 => "every rule passed, 1 could not be judged".to_owned(),
            _ => format!("every rule passed, {skipped} could not be judged"),
        };
    };
    match failed.len() {
        1 => first.why.clone(),
        more => format!("{} (and {} more)", first.why, more - 1),
    }
}

/// A verdict on `rule` in the making.
struct Case<'a> {
    id: &'a str,
    rule: &'a str,
    limit: String,
    exit_code: u8,
}

impl<'a> Case<'a> {
    fn of(rule: &'a Rule, id: &'a str, exit_code: u8) -> Self {
        Self { id, rule: &rule.text, limit: rule.limit_text(), exit_code }
    }

    fn settle(
        self,
        result: VerdictResult,
        observed: impl Into<String>,
        why: impl Into<String>,
    ) -> Verdict {
        Verdict {
            id: self.id.to_owned(),
            rule: self.rule.to_owned(),
            observed: observed.into(),
            limit: self.limit,
            result,
            why: why.into(),
            exit_code: self.exit_code,
        }
    }

    /// Compares a figure with the rule's limit.
    fn compare(self, rule: &Rule, name: &str, observed: f64) -> Verdict {
        let shown = rule.show(observed);
        if rule.op.holds(observed, rule.limit) {
            let why = format!("{name} is {shown}, as asked ({})", self.limit);
            self.settle(VerdictResult::Pass, shown, why)
        } else {
            let why = format!("{name} is {shown}, not {}", self.limit);
            self.settle(VerdictResult::Fail, shown, why)
        }
    }

    /// A rule without samples fails: silence must not pass for health.
    fn without_samples(self, what: &str) -> Verdict {
        let why = format!("{} cannot be judged: {what}", self.rule);
        self.settle(VerdictResult::Fail, "nothing", why)
    }

    /// A verdict that needs a longer run.
    fn skip(self, why: impl Into<String>) -> Verdict {
        self.settle(VerdictResult::Skip, "not judged", why)
    }
}

#[cfg(test)]
pub(crate) mod tests;
