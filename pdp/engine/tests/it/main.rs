//! What the engine does, seen from outside: one module per behaviour.

#![allow(clippy::unwrap_used)] // a test that cannot go on fails

mod access_permitted;
mod allocations;
mod combining;
mod deployment;
mod expected;
mod formats;
mod function_corners;
mod functions;
mod indexed_and_plain;
mod limits;
mod listing;
mod many;
mod multiple;
mod pending;
mod references_and_variables;
mod round_trips;
mod statuses;
mod support;
mod values;
mod warnings;
mod xacml;
mod xacml3_policy;
mod xpath;
