//! The JSON profile of XACML 3.0, versions 1.0 and 1.1: requests and responses. Policies have no
//! JSON form in 3.0.

mod category;
mod names;
mod notice;
pub mod request;
mod request_writer;
pub mod response;
mod response_reader;
mod status;
mod value;
mod write;

pub use names::{AsWritten, ShortIds};
