//! What is said about the service while it runs: log lines, counters, metrics, decisions and traces.
//!
//! Counters belong to one worker thread each and are summed when somebody asks, so that counting
//! shares nothing between workers.

mod allocator;
mod counters;
mod decision_log;
mod histogram;
mod logging;
mod metrics;
mod outbox;
mod traces;

pub use allocator::{allocated_here, allocations, give_back, resident_bytes};
pub use counters::{Cause, Counters, DecisionCounts, Deployments, LookUp, Totals, Workers};
pub use decision_log::{Applied, DecisionLog, Entry};
pub use histogram::{DECISION_BOUNDS, Histogram, REQUEST_BOUNDS};
pub use logging::{dropped_log_lines, start as start_logging};
pub use metrics::{Exposition, Gauges};
pub use traces::{Answered, Decided, Parent, SpanCounts, SpanId, TraceId, Traced, Traces};
