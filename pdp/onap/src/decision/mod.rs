//! Decisions as ONAP asks for them: the request body, what it means to the engine, and the answer.
//!
//! ```
//! use pdp_onap::Application;
//! use pdp_onap::decision::DecisionRequest;
//!
//! let body = br#"{"ONAPName": "DCAE", "action": "configure", "resource": {"policy-id": "onap.restart.tca"}}"#;
//! let request = DecisionRequest::from_json(body)?;
//! assert_eq!(request.application()?, Application::Monitoring);
//! # Ok::<(), pdp_onap::decision::DecisionError>(())
//! ```

mod authorization;
mod error;
mod expected;
mod fields;
mod matchable;
mod node_reader;
mod request;
mod response;
mod sink;
mod vf_count;

pub use authorization::Questions;
pub use error::DecisionError;
pub(crate) use expected::EXPECTED;
pub use matchable::Subscriber;
pub use request::DecisionRequest;
pub use response::{
    Form, GuardIndeterminate, to_yaml, write_decision, write_error_response, write_failure,
    write_invalid_request, write_optimized,
};
