//! What each fuzz target does with its bytes. No input may panic, take memory or time without bound,
//! or be read as something other than what is written back.
//!
//! Targets that need two texts take them from one input, with a zero byte between.

mod language;
mod policies;
mod requests;

pub use language::{pattern, value, xpath};
pub use policies::{decide, policy_xml, tosca_json, tosca_yaml};
pub use requests::{decision_request, request_json, request_xml, response_json, response_xml};

/// The two texts of an input.
fn two(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = data.iter().position(|byte| *byte == 0)?;
    Some((&data[..at], &data[at + 1..]))
}
