//! The backends against the contract, and against a model that cannot be wrong.

mod damage;
mod embedded;
mod foreign;
mod memory;
mod servers;
mod shared;
mod tls;
