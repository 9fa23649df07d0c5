//! Starts the service and talks to it.

mod http;
mod policy;
mod process;
mod tool;

pub use http::{Reply, exchange};
pub use policy::{FREQUENCY, MIN_MAX, MONITORING, guard_request};
pub use process::{Finished, Folder, Server, eventually, run, run_with_input};
pub use tool::{Running, quiet_ports, tool};

pub const DECISION: &str = "/policy/pdpx/v1/decision";
pub const XACML: &str = "/policy/pdpx/v1/xacml";
pub const HEALTH: &str = "/policy/pdpx/v1/healthcheck";
pub const STATISTICS: &str = "/policy/pdpx/v1/statistics";
pub const OPERATIONS: &str = "/policy/pdpx/v1/operations";
