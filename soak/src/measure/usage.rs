//! What the service, the generator and the host used, as the record keeps it.

use serde::{Deserialize, Serialize};

use super::record::LatencyStats;

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
