//! Rules: what they can look at and how they compare. Their text is read by [`parse`].
//!
//! [`parse`]: super::parse::parse

use std::fmt;

use crate::measure::endpoint::{Endpoint, Kind};
use crate::measure::record::PhaseName;
use crate::units::{Bytes, BytesDelta, Count, Micros, PerSecond, three_digits};

/// What holds when no rules file is given.
pub const DEFAULT: &str = "\
# The rules that hold when no --rules file is given. A copy of this is a good start for one of your own.
# METRIC OP VALUE [for SCOPE]: times in us, ms, s; sizes in B, KiB, MiB, GiB; rates in %.
# Scopes: all, decisions, probes, or an endpoint such as guard-frequency.
# Latency and throughput are judged on the steady phase, errors on the whole load, unless `during warmup` or
# `during steady` follows. Leak and drift need ten minutes, unless `over TIME` follows.

error-rate < 0.1%
leak = none
drift < 20%
tps_drift < 10%

# More that one may ask for:
#   p99 < 5ms for decisions        max < 1s            avg < 2ms for monitoring
#   tps >= 2000 for decisions      errors <= 0         first < 250ms
#   rss_delta < 16MiB              fds_delta <= 2      threads_delta <= 0
#   cpu_per_request < 200us        leak < 16KiB/min     p99 < 50ms during warmup
#   leak < 1MiB/min over 2m        error-rate < 1% for probes during steady
";

/// Leaks and drift need so much of a run, unless a rule says otherwise.
pub const TREND_S: f64 = 600.0;

/// What a rule looks at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Metric {
    /// A latency percentile, 0 to 100.
    Percentile(f64),
    /// Mean latency.
    Average,
    /// The slowest request of the steady phase.
    Max,
    /// The very first request, with its connection set-up.
    First,
    /// Failed requests in percent of all.
    ErrorRate,
    /// Failed requests.
    Errors,
    /// Requests per second.
    Tps,
    /// Growth of resident memory from before to after.
    RssDelta,
    /// Growth in open descriptors.
    FdsDelta,
    /// Growth in threads.
    ThreadsDelta,
    /// CPU time of the service for one request.
    CpuPerRequest,
    /// Steady growth of memory, descriptors or threads.
    Leak,
    /// Latency that rises through the run.
    Drift,
    /// Throughput that falls through the run.
    TpsDrift,
}

/// How a figure is compared with its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    More,
    /// `>=`
    AtLeast,
    /// `=`
    Equal,
}

impl Op {
    /// Whether `observed OP limit` is true.
    pub fn holds(self, observed: f64, limit: f64) -> bool {
        match self {
            Self::Less => observed < limit,
            Self::AtMost => observed <= limit,
            Self::More => observed > limit,
            Self::AtLeast => observed >= limit,
            Self::Equal => observed == limit,
        }
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::More => ">",
            Self::AtLeast => ">=",
            Self::Equal => "=",
        })
    }
}

/// Which requests a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Every endpoint.
    All,
    /// The decisions together.
    Decisions,
    /// The probes together.
    Probes,
    /// One endpoint.
    Endpoint(Endpoint),
}

impl Scope {
    /// Whether an endpoint belongs to it.
    pub fn covers(self, endpoint: Endpoint) -> bool {
        match self {
            Self::All => true,
            Self::Decisions => endpoint.kind() == Kind::Decision,
            Self::Probes => endpoint.kind() == Kind::Probe,
            Self::Endpoint(one) => one == endpoint,
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::All => "all requests",
            Self::Decisions => "decisions",
            Self::Probes => "probes",
            Self::Endpoint(endpoint) => endpoint.name(),
        })
    }
}

/// One rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// As it was written.
    pub text: String,
    /// What it looks at.
    pub metric: Metric,
    /// How it compares.
    pub op: Op,
    /// The limit: microseconds, bytes, percent, requests per second or a count; for a leak, bytes
    /// per minute.
    pub limit: f64,
    /// Which requests.
    pub scope: Scope,
    /// The part of the run, where it is not the metric's own.
    pub phase: Option<PhaseName>,
    /// A trend is judged from so much of the run on, in seconds.
    pub over_s: f64,
}

impl Rule {
    /// What the rule is about, in words.
    pub fn about(&self) -> String {
        match self.phase {
            Some(PhaseName::Warmup) => format!("{} during the warm-up", self.scope),
            Some(_) => format!("{} during the steady phase", self.scope),
            None => self.scope.to_string(),
        }
    }

    /// The limit with its operator.
    pub fn limit_text(&self) -> String {
        match self.metric {
            Metric::Leak if self.op == Op::Equal => "none".to_owned(),
            Metric::Leak => format!("{} {}/min", self.op, Bytes(self.limit)),
            Metric::Errors | Metric::FdsDelta | Metric::ThreadsDelta => {
                format!("{} {}", self.op, self.limit)
            }
            Metric::RssDelta => format!("{} {}", self.op, Bytes(self.limit)),
            Metric::ErrorRate | Metric::Drift | Metric::TpsDrift => {
                format!("{} {} %", self.op, self.limit)
            }
            _ => format!("{} {}", self.op, self.show(self.limit)),
        }
    }

    /// A figure in the unit of this rule.
    pub fn show(&self, value: f64) -> String {
        match self.metric {
            Metric::Percentile(_)
            | Metric::Average
            | Metric::Max
            | Metric::First
            | Metric::CpuPerRequest => Micros(value).to_string(),
            Metric::ErrorRate => format!("{value:.3} %"),
            Metric::Drift | Metric::TpsDrift => format!("{value:+.1} %"),
            Metric::Errors => Count(value as u64).to_string(),
            Metric::Tps => format!("{}/s", PerSecond(value)),
            Metric::RssDelta => BytesDelta(value as i64).to_string(),
            Metric::FdsDelta | Metric::ThreadsDelta => format!("{value:+.0}"),
            Metric::Leak => format!("{} B/min", three_digits(value)),
        }
    }
}
