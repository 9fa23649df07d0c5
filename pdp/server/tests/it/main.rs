//! The real binary on a free loopback port, one module per behaviour.

#![allow(missing_docs, unreachable_pub)] // one program of tests

#[allow(unused_imports)] // shared with the runner of handed cases
mod support;

mod administration;
mod applications;
mod auth;
mod bench;
mod bind;
mod certificates;
mod check;
mod check_xacml;
mod codes;
mod config;
mod crash;
mod conformance;
mod decide;
mod decision;
mod decision_log;
mod deployments;
mod errors;
mod explain;
mod guard;
mod headers;
mod history;
mod history_files;
mod permits;
#[path = "../../../history/tests/it/servers/mod.rs"]
mod servers;
mod shared_history;
mod json_profile;
mod limits;
mod metrics;
mod new;
mod odd_clocks;
mod openapi;
mod operations;
mod outages;
mod output;
mod policies;
mod policy_tests;
mod policy_types;
mod prometheus;
mod proxy;
mod reload;
mod rest_profile;
mod rolling;
mod schema;
mod shipped;
mod shutdown;
mod state_folder;
mod tidy;
mod tls;
mod traces;
mod xacml;
