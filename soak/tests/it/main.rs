//! The suite against services that are known to be good or bad.

mod bad_input;
mod faults;
mod interrupted;
mod modes;
mod page;
mod report_files;
mod spawned;
mod stub;
mod support;
