//! The figures of a run: endpoints, totals, intervals.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::endpoint::Kind;
use super::record::PhaseName;

/// Latency figures in microseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct LatencyStats {
    pub count: u64,
    pub min: u64,
    pub mean: f64,
    pub stdev: f64,
    pub p50: u64,
    pub p75: u64,
    pub p90: u64,
    pub p95: u64,
    pub p99: u64,
    pub p999: u64,
    pub p9999: u64,
    pub max: u64,
}

/// One endpoint's figures.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct EndpointStats {
    pub name: String,
    pub method: String,
    pub path: String,
    pub kind: Kind,
    pub count: u64,
    pub ok: u64,
    pub failed: u64,
    pub wrong: u64,
    pub errors: Vec<ErrorClass>,
    pub wrong_samples: Vec<String>,
    pub status: BTreeMap<String, u64>,
    pub bytes_in: u64,
    pub bytes_out: u64,
    pub tps_mean: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_us: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slowest: Option<Slowest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_us: Option<LatencyStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttfb_us: Option<LatencyStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connect_us: Option<LatencyStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_us: Option<LatencyStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corrected_us: Option<LatencyStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warmup: Option<PhaseStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steady: Option<PhaseStats>,
    pub histogram: String,
}

/// One endpoint's figures in one phase; those of the steady phase's times are the endpoint's own.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct PhaseStats {
    pub count: u64,
    pub failed: u64,
    pub tps_mean: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_us: Option<LatencyStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub histogram: Option<String>,
}

/// Errors of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct ErrorClass {
    pub class: String,
    pub count: u64,
    pub sample: String,
}

/// The slowest request of a set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct Slowest {
    pub endpoint: String,
    pub us: u64,
    pub t: f64,
}

/// The run's sums.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct Totals {
    pub all: Total,
    pub decisions: Total,
    pub probes: Total,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_us_per_request: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generator_cpu_us_per_request: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub littles_law: Option<LittlesLaw>,
    pub generator_limited_pct: f64,
    pub host_saturated_pct: f64,
}

/// The sums over a set of endpoints.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct Total {
    pub count: u64,
    pub ok: u64,
    pub failed: u64,
    pub wrong: u64,
    pub tps_mean: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slowest: Option<Slowest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_us: Option<LatencyStats>,
}

/// Users against throughput times time in system.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct LittlesLaw {
    pub users: f64,
    pub tps_x_latency: f64,
    pub error_pct: f64,
}

/// One interval of the run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct Interval {
    pub t: f64,
    pub length_s: f64,
    pub phase: PhaseName,
    pub users: u64,
    pub errors: u64,
    pub wrong: u64,
    pub generator_limited: bool,
    pub host_saturated: bool,
    pub tot: Running,
    pub buc: Bucket,
    pub decisions: Bucket,
    pub endpoints: BTreeMap<String, Bucket>,
}

/// Counts and times since the start of the load.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct Running {
    pub n: u64,
    pub min: u64,
    pub avg: u64,
    pub max: u64,
    pub tpm: u64,
}

/// Counts and times of one interval.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct Bucket {
    pub n: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub errors: u64,
    pub min: u64,
    pub avg: u64,
    pub max: u64,
    pub tpm: u64,
    pub p50: u64,
    pub p99: u64,
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}

impl EndpointStats {
    /// The times of a phase, and their histogram.
    pub fn times(&self, phase: PhaseName) -> (Option<&LatencyStats>, Option<&str>) {
        match (phase, &self.warmup) {
            (PhaseName::Warmup, Some(warmup)) => {
                (warmup.latency_us.as_ref(), warmup.histogram.as_deref())
            }
            (PhaseName::Warmup, None) => (None, None),
            _ => (self.latency_us.as_ref(), Some(&self.histogram)),
        }
    }

    /// Requests, failures and requests per second of a phase; without one, of the whole load, at the rate
    /// of the steady phase.
    pub fn counts(&self, phase: Option<PhaseName>) -> (u64, u64, f64) {
        let of = |stats: &Option<PhaseStats>| {
            stats.as_ref().map_or((0, 0, 0.0), |stats| (stats.count, stats.failed, stats.tps_mean))
        };
        match phase {
            Some(PhaseName::Warmup) => of(&self.warmup),
            Some(PhaseName::Steady) => of(&self.steady),
            _ => (self.count, self.failed, self.tps_mean),
        }
    }
}

/// How many decisions took how long, over time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct Heatmap {
    pub from_us: Vec<u64>,
    pub below_us: u64,
    pub columns: Vec<HeatColumn>,
}

/// One stretch of time of a heatmap.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct HeatColumn {
    pub t: f64,
    pub counts: Vec<u64>,
}
