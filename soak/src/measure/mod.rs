//! What is measured, and the one record that every report reads.
//!
//! [`recorder`] is written by the users while they run, [`series`] turns it into intervals and
//! phases with constant memory, and [`record`] is the vocabulary of the result.

pub mod endpoint;
mod figures;
mod heat;
pub mod histogram;
pub mod recorder;
pub mod series;
pub mod tables;
pub mod jtl;
pub mod record;
mod usage;
