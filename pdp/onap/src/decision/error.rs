//! Why a decision request gets no decision.

use thiserror::Error;

/// Why a decision request gets no decision, by what the caller is told.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DecisionError {
    /// It cannot be read. ONAP answers 400 with `errorDetails`.
    #[error("Invalid request: {0}")]
    Malformed(String),
    /// It was read, but a value in it cannot be used. 400 with an `ErrorResponse`.
    #[error("{0}")]
    Invalid(String),
    /// No application answers its action. 400 with an `ErrorResponse`.
    #[error("No application for action {0}")]
    UnknownAction(String),
    /// The application cannot turn it into a request of its own. ONAP answers 200 with status `error`.
    #[error("{0}")]
    Conversion(String),
}
