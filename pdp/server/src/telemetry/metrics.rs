//! The text that `/metrics` answers.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use pdp_engine::model::Decision;
use pdp_onap::APPLICATIONS;
use prometheus::core::Collector;
use prometheus::proto::{Counter, Gauge, LabelPair, Metric, MetricFamily, MetricType};
use prometheus::{Encoder, TextEncoder};

use super::allocator;
use super::counters::{Cause, Deployments, LookUp, Totals};
use super::histogram::{DECISION_BOUNDS, REQUEST_BOUNDS};
use super::logging::dropped_log_lines;
use crate::rest::{CODES, ENDPOINTS, endpoint_name};

/// The statuses of decisions, by ONAP's spelling.
const STATUSES: [(Decision, &str); 4] = [
    (Decision::Permit, "permit"),
    (Decision::Deny, "deny"),
    (Decision::Indeterminate, "indeterminant"),
    (Decision::NotApplicable, "not_applicable"),
];

/// Everything that is exposed, as it is at one moment.
#[derive(Debug)]
pub struct Exposition<'a> {
    /// The counters of all workers.
    pub totals: &'a Totals,
    /// Deployments since the start.
    pub deployments: &'a Deployments,
    /// Policies that decide.
    pub policies: usize,
    /// Policies that were refused.
    pub refused: usize,
    /// How long the last build took.
    pub build_time: Duration,
    /// How the service stands.
    pub gauges: Gauges,
    /// Lines of the decision log: written, dropped.
    pub decision_log: (u64, u64),
    /// Spans: sent, refused, dropped.
    pub spans: (u64, u64, u64),
}

/// How the service stands at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Gauges {
    /// It wants requests: as `readyz` says.
    pub ready: bool,
    /// Worker threads.
    pub workers: usize,
    /// The certificate's files cannot be used, and an earlier state of them is.
    pub certificate_refused: bool,
}

impl Exposition<'_> {
    /// The text, in the format of Prometheus.
    pub fn text(&self) -> Vec<u8> {
        let process = prometheus::process_collector::ProcessCollector::for_self().collect();
        let threads =
            process.iter().find(|family| family.name() == "process_threads").and_then(|family| {
                family.get_metric().first().map(|metric| metric.get_gauge().get_value())
            });
        let mut families = process;
        families.extend(self.onap(threads.unwrap_or_default()));
        families.extend(self.ours());
        families.retain(|family| !family.get_metric().is_empty());
        let mut out = Vec::with_capacity(16 << 10);
        TextEncoder::new().encode(&families, &mut out).expect("metrics are written to memory");
        out
    }

    fn onap(&self, threads: f64) -> Vec<MetricFamily> {
        let decisions = APPLICATIONS.iter().flat_map(|row| {
            STATUSES.into_iter().filter_map(|(decision, status)| {
                let count = self.totals.decisions(row.application).of(decision);
                (count > 0)
                    .then(|| counter(count, &[("application", row.name), ("status", status)]))
            })
        });
        let deployments = [
            (&self.deployments.deployed, "deploy", "SUCCESS"),
            (&self.deployments.refused, "deploy", "FAIL"),
            (&self.deployments.undeployed, "undeploy", "SUCCESS"),
            (&self.deployments.undeploy_refused, "undeploy", "FAIL"),
        ];
        let deployments = deployments.into_iter().filter_map(|(count, operation, status)| {
            let count = count.load(Relaxed);
            (count > 0).then(|| counter(count, &[("operation", operation), ("status", status)]))
        });
        vec![
            family(
                "pdpx_policy_decisions_total",
                "The total number of policy decisions.",
                MetricType::COUNTER,
                decisions.collect(),
            ),
            family(
                "pdpx_policy_deployments_total",
                "The total number of policy deployments.",
                MetricType::COUNTER,
                deployments.collect(),
            ),
            family(
                "jvm_threads_current",
                "Threads of this process, under the name that ONAP's checks look for.",
                MetricType::GAUGE,
                vec![gauge(threads, &[])],
            ),
        ]
    }

    #[allow(clippy::cast_precision_loss)] // counts and bytes stay below 52 bits
    fn ours(&self) -> Vec<MetricFamily> {
        let mut requests = Vec::new();
        for (endpoint, codes) in self.totals.requests.iter().enumerate() {
            for (code, took) in CODES.iter().zip(codes).filter(|(_, took)| took.count() > 0) {
                let code = if *code == 0 { "other".into() } else { code.to_string() };
                let name = if endpoint < ENDPOINTS { endpoint_name(endpoint) } else { "other" };
                let labels = [("endpoint", name), ("code", code.as_str())];
                requests.push(histogram(took.proto(REQUEST_BOUNDS), &labels));
            }
        }
        let decisions = APPLICATIONS.iter().filter_map(|row| {
            let took = &self.totals.decisions(row.application).took;
            (took.count() > 0)
                .then(|| histogram(took.proto(DECISION_BOUNDS), &[("application", row.name)]))
        });
        let look_ups = LookUp::ALL.into_iter().filter_map(|result| {
            let took = &self.totals.look_ups[result as usize];
            let labels = [("supplier", "history"), ("result", result.name())];
            (took.count() > 0).then(|| histogram(took.proto(DECISION_BOUNDS), &labels))
        });
        let indeterminate = Cause::ALL
            .into_iter()
            .map(|cause| counter(self.totals.indeterminate(cause), &[("cause", cause.name())]));
        let memory = allocator::bytes()
            .into_iter()
            .map(|(state, bytes)| gauge(bytes as f64, &[("state", state)]));
        let mut families = vec![
            family(
                "pdp_request_duration_seconds",
                "How long requests took, from head to answer.",
                MetricType::HISTOGRAM,
                requests,
            ),
            family(
                "pdp_decision_duration_seconds",
                "How long decisions took, look-ups included.",
                MetricType::HISTOGRAM,
                decisions.collect(),
            ),
            family(
                "pdp_attribute_lookup_duration_seconds",
                "How long attributes outside the request took to look up.",
                MetricType::HISTOGRAM,
                look_ups.collect(),
            ),
            family(
                "pdp_guard_indeterminate_total",
                "Guard decisions that were Indeterminate; the setting guard.indeterminate says what was answered.",
                MetricType::COUNTER,
                indeterminate.collect(),
            ),
            family(
                "pdp_policies",
                "Policies that decide.",
                MetricType::GAUGE,
                vec![gauge(self.policies as f64, &[])],
            ),
            family(
                "pdp_policies_refused",
                "Policies that were refused and do not decide.",
                MetricType::GAUGE,
                vec![gauge(self.refused as f64, &[])],
            ),
            family(
                "pdp_snapshot_build_seconds",
                "How long the last change of the policies took to compile.",
                MetricType::GAUGE,
                vec![gauge(self.build_time.as_secs_f64(), &[])],
            ),
            family(
                "pdp_log_lines_dropped_total",
                "Log lines that could not be written.",
                MetricType::COUNTER,
                vec![counter(dropped_log_lines(), &[])],
            ),
            family(
                "pdp_allocator_bytes",
                "Memory as the allocator sees it.",
                MetricType::GAUGE,
                memory.collect(),
            ),
            family(
                "pdp_build_info",
                "The version that runs.",
                MetricType::GAUGE,
                vec![gauge(1.0, &[("version", env!("CARGO_PKG_VERSION"))])],
            ),
        ];
        families.extend(self.standing());
        families
    }

    #[allow(clippy::cast_precision_loss)] // counts and seconds stay below 52 bits
    fn standing(&self) -> Vec<MetricFamily> {
        let (written, dropped) = self.decision_log;
        let (sent, refused, lost) = self.spans;
        let one =
            |name, help, value| family(name, help, MetricType::GAUGE, vec![gauge(value, &[])]);
        vec![
            one(
                "pdp_ready",
                "1 while the service wants requests, as readyz says.",
                f64::from(u8::from(self.gauges.ready)),
            ),
            one(
                "pdp_requests_in_flight",
                "Requests that are being answered, this one included.",
                self.totals.in_flight() as f64,
            ),
            one(
                "pdp_certificate_refused",
                "1 while the files of the certificate cannot be used and an earlier one is shown.",
                f64::from(u8::from(self.gauges.certificate_refused)),
            ),
            one("pdp_workers", "Threads that answer requests.", self.gauges.workers as f64),
            one(
                "pdp_last_deployment_timestamp_seconds",
                "When what decides last changed, in seconds since 1970.",
                self.deployments.changed() as f64,
            ),
            family(
                "pdp_decision_errors_total",
                "Requests for decisions that could not be decided at all.",
                MetricType::COUNTER,
                vec![counter(self.totals.errors(), &[])],
            ),
            family(
                "pdp_decision_log_lines_total",
                "Decisions that the decision log has taken or lost.",
                MetricType::COUNTER,
                vec![
                    counter(written, &[("result", "written")]),
                    counter(dropped, &[("result", "dropped")]),
                ],
            ),
            family(
                "pdp_trace_spans_total",
                "Spans that the collector has taken or refused, and those for which there was no room.",
                MetricType::COUNTER,
                vec![
                    counter(sent, &[("result", "sent")]),
                    counter(refused, &[("result", "refused")]),
                    counter(lost, &[("result", "dropped")]),
                ],
            ),
        ]
    }
}

fn family(name: &str, help: &str, kind: MetricType, metrics: Vec<Metric>) -> MetricFamily {
    let mut family = MetricFamily::default();
    family.set_name(name.into());
    family.set_help(help.into());
    family.set_field_type(kind);
    family.set_metric(metrics);
    family
}

fn labelled(labels: &[(&str, &str)]) -> Metric {
    let pairs = labels.iter().map(|(name, value)| {
        let mut pair = LabelPair::default();
        pair.set_name((*name).into());
        pair.set_value((*value).into());
        pair
    });
    Metric::from_label(pairs.collect())
}

#[allow(clippy::cast_precision_loss)] // counts stay below 52 bits
fn counter(count: u64, labels: &[(&str, &str)]) -> Metric {
    let mut value = Counter::default();
    value.set_value(count as f64);
    let mut metric = labelled(labels);
    metric.set_counter(value);
    metric
}

fn gauge(number: f64, labels: &[(&str, &str)]) -> Metric {
    let mut value = Gauge::default();
    value.set_value(number);
    let mut metric = labelled(labels);
    metric.set_gauge(value);
    metric
}

fn histogram(value: prometheus::proto::Histogram, labels: &[(&str, &str)]) -> Metric {
    let mut metric = labelled(labels);
    metric.set_histogram(value);
    metric
}
