//! The parts of the record that belong to single modes: the tables of the reports they repeat.

use serde::{Deserialize, Serialize};

use super::record::LatencyStats;

/// Mode `groups`: requests timed together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct GroupRow {
    pub client: String,
    pub from: u64,
    pub to: u64,
    pub ms: f64,
    pub ms_per_request: f64,
}

/// One stretch of load among several.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct Step {
    pub label: String,
    pub users: u64,
    pub from_s: f64,
    pub to_s: f64,
    pub measured_s: f64,
    pub requests: u64,
    pub errors: u64,
    pub wrong: u64,
    pub delay_ms: f64,
    pub tps: f64,
    pub tps_by_littles_law: f64,
    pub p50_us: u64,
    pub p99_us: u64,
    pub max_us: u64,
    pub spread_pct: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_us: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idle_cpu_pct: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_cpu: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generator_cpu: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_us_per_request: Option<f64>,
    pub generator_limited_pct: f64,
}

/// Mode `ramp`: where throughput stops growing, by the universal scalability law.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct Knee {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub users: Option<u64>,
    pub tps: f64,
    pub limit: String,
    pub why: String,
    pub tps_of_one: f64,
    pub contention: f64,
    pub coherence: f64,
    pub fit_error_pct: f64,
}

/// Mode `matrix`: what one virtual client got done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct MatrixRow {
    pub client: String,
    pub threads: u64,
    pub requests: u64,
    pub per_minute: f64,
}

/// Mode `matrix`: how evenly the clients were served.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct Fairness {
    pub threads: u64,
    pub per_minute: f64,
    pub lowest_to_highest: f64,
    pub jain: f64,
}

/// Mode `secure`: one way to speak to the service, beside the plainest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct SecureRow {
    pub transport: String,
    pub credentials: bool,
    pub connection: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusals: Option<Refusals>,
    pub first_us: Option<u64>,
    pub requests: u64,
    pub tps: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency_us: Option<LatencyStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub connect_us: Option<LatencyStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_us: Option<LatencyStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_us_per_request: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tps_ratio: Option<f64>,
}

/// The status with which others were answered where credentials are asked for, 0 for none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct Refusals {
    pub missing: u16,
    pub wrong: u16,
}

/// Requests by method; the rows add up to all requests.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct MethodCount {
    pub method: String,
    pub count: u64,
}

/// Mode `rate`: an open stream of requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct RateFigures {
    pub asked_tps: f64,
    pub answered_tps: f64,
    pub connections: u64,
    pub intended: u64,
    pub not_sent: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncorrected_us: Option<LatencyStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub corrected_us: Option<LatencyStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduler_lag_us: Option<LatencyStats>,
}

/// This run beside earlier ones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct Baseline {
    pub ids: Vec<String>,
    pub rows: Vec<BaselineRow>,
}

/// One figure before and after.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct BaselineRow {
    pub endpoint: String,
    pub metric: String,
    pub before: f64,
    pub after: f64,
    pub change_pct: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci_low: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci_high: Option<f64>,
    pub floor_pct: f64,
    pub significant: bool,
    pub result: Change,
}

/// What a difference amounts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "see schema.json")]
pub enum Change {
    Regression,
    Improvement,
    Noise,
}
