//! The S3P soak suite for a policy decision service: load, measure, judge, report.
//!
//! The modules follow a run from left to right: [`options`] reads the command line, [`plan`]
//! settles it with its [`timing`], [`run`] drives the load ([`scenario`], [`oracle`]) against a [`target`] while
//! [`sampler`] and [`measure`] watch, [`verdict`] judges the one record that results, and
//! [`report`] shows it. [`units`] is the only place that prints a unit.
//!
//! The suite speaks HTTP to the service and shares no code with it: a parser used on both sides
//! would hide its own faults.

pub mod options;
pub mod plan;
pub mod timing;
pub mod run;
pub mod scenario;
pub mod oracle;
pub mod target;
pub mod sampler;
pub mod measure;
pub mod verdict;
pub mod report;
pub mod units;

mod command;

pub use command::main;
