//! Why something is not administered; nothing has changed then.

use thiserror::Error;

use super::database::DatabaseError;

/// Why a call was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum AdministrationError {
    /// The body cannot be read, or does not say what to do.
    #[error("{0}")]
    Malformed(String),
    /// What is named is not there.
    #[error("{0}")]
    NotFound(String),
    /// What is there stands against it.
    #[error("{0}")]
    Conflict(String),
    /// What was read cannot be used.
    #[error("{message}")]
    NotAcceptable {
        /// What was refused.
        message: String,
        /// Everything that is wrong with it.
        details: Vec<String>,
    },
    /// A policy cannot be deployed or undeployed.
    #[error("{message}")]
    Undeployable {
        /// What was refused.
        message: String,
        /// Everything that is wrong with it.
        details: Vec<String>,
    },
    /// The state folder failed.
    #[error("{0}")]
    State(String),
}

impl From<DatabaseError> for AdministrationError {
    fn from(error: DatabaseError) -> Self {
        tracing::error!("{error}");
        Self::State(error.to_string())
    }
}
