//! Backends that answer the operations-history port of [`pdp_onap::history`].
//!
//! | module | backend |
//! |---|---|
//! | [`memory`] | in the process, bounded, forgotten when it ends |
//!
//! [`contract`] is the suite that every backend passes, [`clock`] the time they measure windows on.

pub mod clock;
pub mod contract;
mod key;
pub mod memory;
mod series;

pub use clock::{AnchoredClock, Clock};
pub use memory::{MemoryHistory, Settings};
