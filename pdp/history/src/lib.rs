//! Backends that answer the operations-history port of [`pdp_onap::history`].
//!
//! | module | backend |
//! |---|---|
//! | [`memory`] | in the process, bounded, forgotten when it ends |
//! | [`embedded`] | in the process, every record in a file before it is acknowledged |
//! | [`sql`] | ONAP's table in PostgreSQL or MariaDB, shared with other writers |
//! | [`redis`] | Redis or Valkey, shared by many replicas |
//!
//! [`connect`] picks one of the shared ones by its address, [`breaker`] keeps callers from waiting for
//! one that does not answer, [`cache`] spares questions, and [`blocking`] is for callers who may wait. [`asynchronous`] is how a service asks any of them, [`contract`] the suite that every backend
//! passes, [`clock`] the time that windows are measured on where the store has none of its own.

pub mod asynchronous;
pub mod blocking;
pub mod breaker;
pub mod cache;
pub mod clock;
pub mod connect;
pub mod contract;
pub mod embedded;
mod key;
pub mod memory;
pub mod redis;
mod series;
pub mod sql;
mod windows;

pub use asynchronous::AsyncHistory;
pub use clock::{AnchoredClock, Clock};
pub use embedded::EmbeddedHistory;
pub use memory::{MemoryHistory, Settings};
