//! What the service used: differences from before to after, and CPU time per request.

use super::rules::{Metric, Rule};
use super::{Case, exit};
use crate::measure::record::{RunRecord, Verdict};

pub(super) fn judge(record: &RunRecord, rule: &Rule) -> Verdict {
    let delta = record.resources.delta.as_ref();
    let int = |value: Option<i64>| value.map(|value| value as f64);
    let (name, observed, exit_code) = match rule.metric {
        Metric::RssDelta => {
            ("growth of resident memory", int(delta.and_then(|delta| delta.rss)), exit::LEAK)
        }
        Metric::FdsDelta => {
            ("growth in descriptors", int(delta.and_then(|delta| delta.fds)), exit::LEAK)
        }
        Metric::ThreadsDelta => {
            ("growth in threads", int(delta.and_then(|delta| delta.threads)), exit::LEAK)
        }
        _ => ("CPU time per request", record.totals.cpu_us_per_request, exit::RULE),
    };
    let case = Case::of(rule, "resources", exit_code);
    match observed {
        Some(value) => case.compare(rule, name, value),
        None => case.without_samples(
            "the service's process could not be sampled; give --pid, or a target with /metrics",
        ),
    }
}
