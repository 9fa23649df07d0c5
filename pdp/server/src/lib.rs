//! The policy decision service: sockets, files, signals, configuration, telemetry.
//!
//! The engine decides and `pdp-onap` translates; this crate joins them to the world. Read in this
//! order:
//!
//! | module | question it answers |
//! |---|---|
//! | [`cli`] | what can be asked of `pdp` at a terminal? |
//! | [`config`] | what can the service be told? |
//! | [`document`] | what does a file that people write say, and where? |
//! | [`app`] | how are the parts joined, started and stopped? |
//! | `stamp` | has a file changed? |
//! | [`store`] | how do files become programs, and programs the current snapshot? |
//! | [`administration`] | how are policies created and deployed while the service runs? |
//! | [`decide`] | how does a request become a decision? |
//! | [`suppliers`] | who supplies attributes that the request lacks? |
//! | [`rounds`] | how is a decision taken again once more is known? |
//! | [`history`] | which operations history does the configuration name? |
//! | `operation` | which reported operations are taken? |
//! | `explained` | how is a decision told with the way that led to it? |
//! | [`several`] | how does one XACML request become several decisions? |
//! | [`conformance`] | does the engine pass suites of tests? |
//! | [`rest`] | which paths are there, and what do they answer? |
//! | [`tls`] | how does the service prove who it is? |
//! | [`telemetry`] | what is counted, logged and traced? |
//! | `priority` | whose work waits for decisions? |
//! | `quote` | how much of what was sent is repeated in a message? |
//! | [`failure`] | how does a command end when it cannot go on? |

pub mod administration;
pub mod app;
pub mod cli;
pub mod config;
pub mod conformance;
pub mod decide;
pub mod document;
mod explained;
pub mod failure;
pub mod history;
mod operation;
mod priority;
mod quote;
pub mod rest;
pub mod rounds;
pub mod several;
mod stamp;
pub mod state;
pub mod store;
pub mod suppliers;
pub mod telemetry;
pub mod tls;
