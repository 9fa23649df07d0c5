//! The backends against the contract, and against a model that cannot be wrong.

mod memory;
