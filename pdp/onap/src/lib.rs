//! ONAP's side of the service, as values: no HTTP, no SQL, no files.
//!
//! | module | question it answers |
//! |---|---|
//! | [`tosca`] | which policies does a TOSCA document hold, and which types are supported? |
//! | [`types`] | what does a policy type say of its policies' properties? |
//! | [`translate`](mod@translate) | how does a TOSCA policy become one of the engine? |
//! | [`decision`] | how does a decision request become one of the engine, and its answer a body? |
//! | [`history`] | what is asked of the operations history? |
//! | [`pip`] | how do policies ask it? |
//! | [`cores`] | how is work done on all cores? |

mod application;
pub mod codes;
pub mod cores;
pub mod decision;
pub mod history;
pub mod ids;
mod iso;
pub mod pip;
mod problem;
pub mod tosca;
pub mod translate;
pub mod types;

pub use application::{APPLICATIONS, Application, ApplicationRow};
pub use problem::Problem;
