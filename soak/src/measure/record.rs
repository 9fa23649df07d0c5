//! The one record of a run: what `report.json` holds, and all that any report may read.
//!
//! Latencies are in microseconds, sizes in bytes, times since the start of the load in seconds.
//! The published description is `report/schema.json`.

use serde::{Deserialize, Serialize};

pub use super::figures::*;
pub use super::tables::*;
pub use super::usage::*;

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
