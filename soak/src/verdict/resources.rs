//! What the service used: differences from before to after, and CPU time per request.

use super::rules::{Metric, Rule};
use super::{Case, exit};
use crate::measure::record::{Resources, RunRecord, Source, Verdict};

/// CPU time told in whole seconds is worth judging from so many on: it is then right to 10 %.
const ENOUGH_WHOLE_SECONDS: f64 = 10.0;

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
    if rule.metric == Metric::CpuPerRequest
        && let Some(used) = too_coarse(&record.resources)
    {
        return case.skip(format!(
            "{} could not be judged: the metrics page gives CPU time in whole seconds, and the service used {used} s; \
             make a longer run, or give --pid",
            rule.text
        ));
    }
    match observed {
        Some(value) => case.compare(rule, name, value),
        None => case.without_samples(
            "the service's process could not be sampled; give --pid, or a target with /metrics",
        ),
    }
}

/// The CPU time used, if it is known in whole seconds alone and there are too few of them.
fn too_coarse(resources: &Resources) -> Option<f64> {
    if resources.source != Source::Metrics {
        return None;
    }
    let known = || resources.server.iter().filter_map(|sample| sample.cpu_s);
    let used = known().next_back()? - known().next()?;
    (known().all(|seconds| seconds.fract() == 0.0) && used < ENOUGH_WHOLE_SECONDS).then_some(used)
}
