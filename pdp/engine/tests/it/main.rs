//! What the engine does, seen from outside: one module per behaviour.

#![allow(clippy::unwrap_used)] // a test that cannot go on fails

mod access_permitted;
mod allocations;
mod deployment;
mod formats;
mod functions;
mod indexed_and_plain;
mod limits;
mod listing;
mod multiple;
mod pending;
mod round_trips;
mod support;
mod warnings;
mod xacml;
mod xacml3_policy;
mod xpath;
