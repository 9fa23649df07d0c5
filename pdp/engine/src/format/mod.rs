//! Wire formats: one folder each, with the same file names: `policy`, `request`, `response`.
//!
//! Readers turn bytes into the model, or drive a [`RequestSink`](crate::model::RequestSink) straight
//! from the bytes; writers turn answers into bytes. They know nothing of programs and decisions. What
//! a reader refuses is a [`ReadError`](crate::error::ReadError) with its place.
//!
//! | module | what |
//! |---|---|
//! | [`cursor`] | what readers share: limits, places, the nearest known name |
//! | [`detect`] | media type or first bytes to format |
//! | [`xacml3_json`] | XACML 3.0 requests and responses in JSON |
//! | [`xacml3_xml`] | XACML 3.0 policies, requests and responses in XML |

pub mod cursor;
pub mod detect;
mod json;
pub mod xacml3_json;
pub mod xacml3_xml;
mod xml;
