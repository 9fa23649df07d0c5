//! The suite against services that are known to be good or bad.

mod stub;
mod temp_smoke;
