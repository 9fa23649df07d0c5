//! The one record of a run: what `report.json` holds, and all that any report may read.
//!
//! Latencies are in microseconds, sizes in bytes, times since the start of the load in seconds.
//! The published description is `report/schema.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::endpoint::Kind;
pub use super::tables::*;

/// The name and version of the format.
pub const SCHEMA: &str = "soak-report/1";

/// Everything that is known about one run.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the members are described, with their units, in schema.json")]
pub struct RunRecord {
    pub schema: String,
    pub result: RunResult,
    pub reason: String,
    pub exit_code: u8,
    pub run: Run,
    pub host: Host,
    pub target: Target,
    pub phases: Vec<Phase>,
    pub totals: Totals,
    pub endpoints: Vec<EndpointStats>,
    pub verdicts: Vec<Verdict>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupRow>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub knee: Option<Knee>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matrix: Vec<MatrixRow>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fairness: Vec<Fairness>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secure: Vec<SecureRow>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub methods: Vec<MethodCount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<RateFigures>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Baseline>,
    pub resources: Resources,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heatmap: Option<Heatmap>,
    pub intervals: Vec<Interval>,
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

impl RunRecord {
    /// The phase of that name, if the run came so far.
    pub fn phase(&self, name: PhaseName) -> Option<&Phase> {
        self.phases.iter().find(|phase| phase.name == name)
    }

    /// The intervals of the steady phase.
    pub fn steady(&self) -> impl Iterator<Item = &Interval> {
        self.intervals.iter().filter(|interval| interval.phase == PhaseName::Steady)
    }
}

/// The whole run in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[allow(missing_docs, reason = "see schema.json")]
pub enum RunResult {
    Pass,
    Fail,
}

/// How the run was asked for and how it went.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct Run {
    pub id: String,
    pub mode: String,
    pub started: String,
    pub ended: String,
    pub planned_s: f64,
    pub actual_s: f64,
    pub end_reason: String,
    pub seed: u64,
    pub command: Vec<String>,
    pub versions: Versions,
    pub workload: Workload,
    pub clock_drift_ms: f64,
    pub notes: Vec<String>,
}

/// What produced the figures.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct Versions {
    pub soak: String,
    pub goose: String,
    pub rustc: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// The load that was offered.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct Workload {
    pub model: String,
    pub users_per_group: u64,
    pub groups: Vec<Group>,
    pub think_time_ms: u64,
    pub keep_alive: bool,
    pub timeout_s: f64,
    pub interval_s: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

/// One group of users.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct Group {
    pub name: String,
    pub users: u64,
    pub endpoints: Vec<String>,
}

/// The machine that made the load.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct Host {
    pub cpu_model: String,
    pub cores: u64,
    pub mem_total: i64,
    pub kernel: String,
    pub cgroup_limits: CgroupLimits,
    pub generator_shares_host: bool,
}

/// What the control group grants this process.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct CgroupLimits {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_cores: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<i64>,
}

/// The service under test.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct Target {
    pub url: String,
    pub scheme: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    pub features: Vec<String>,
}

/// A part of the run that is judged by itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct Phase {
    pub name: PhaseName,
    pub from_s: f64,
    pub to_s: f64,
}

/// The parts of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "see schema.json")]
pub enum PhaseName {
    First,
    Warmup,
    Steady,
    Cooldown,
}

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

/// A rule and what became of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct Verdict {
    pub id: String,
    pub rule: String,
    pub observed: String,
    pub limit: String,
    pub result: VerdictResult,
    pub why: String,
    pub exit_code: u8,
}

/// What became of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "see schema.json")]
pub enum VerdictResult {
    Pass,
    Fail,
    Skip,
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

/// What the service, the generator and the host used.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct Resources {
    pub source: Source,
    pub server: Vec<ProcessSample>,
    pub generator: Vec<ProcessSample>,
    pub host: Vec<HostSample>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cgroup: Vec<CgroupSample>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling_us: Option<LatencyStats>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<ProcessSample>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<ProcessSample>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<ProcessSample>,
}

/// Where the service's figures came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs, reason = "see schema.json")]
pub enum Source {
    Procfs,
    Metrics,
    #[default]
    None,
}

/// A process at one moment. What the source does not tell is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct ProcessSample {
    pub t: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_user_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_system_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rss: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rss_peak: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pss: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private_dirty: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anon: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub swap: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heap: Option<Heap>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faults: Option<Faults>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fds: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sockets: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tcp: Option<TcpStates>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threads: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ctx: Option<ContextSwitches>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_delay_ns: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub io: Option<Io>,
}

/// The allocator's own view.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct Heap {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allocated: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resident: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mapped: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retained: Option<i64>,
}

/// TCP connections by state.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct TcpStates {
    pub established: i64,
    pub close_wait: i64,
    pub listen: i64,
    pub other: i64,
}

/// Page faults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct Faults {
    pub min: i64,
    pub maj: i64,
}

/// Context switches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct ContextSwitches {
    pub vol: i64,
    pub invol: i64,
}

/// Bytes that went to and came from storage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct Io {
    pub read: i64,
    pub write: i64,
}

/// The host since the sample before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct HostSample {
    pub t: f64,
    pub busy_pct: Vec<f64>,
    pub mem_available: i64,
    #[serde(default)]
    pub mem_free: i64,
    #[serde(default)]
    pub buffers: i64,
    pub cached: i64,
    #[serde(default)]
    pub disk_read_per_s: i64,
    #[serde(default)]
    pub disk_write_per_s: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp_in_use: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tcp_time_wait: Option<i64>,
}

/// A control group at one moment. What it does not tell is absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs, reason = "see schema.json")]
pub struct CgroupSample {
    pub t: f64,
    pub version: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_user_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_system_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throttled: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throttled_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_peak: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anon: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub io_read: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub io_write: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_pressure_s: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_pressure_s: Option<f64>,
}
