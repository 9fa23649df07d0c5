//! Why something is not administered; nothing has changed then.

use thiserror::Error;

use super::database::DatabaseError;
use crate::store::{Problem, Refusal};

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

impl AdministrationError {
    /// What was sent cannot be used, for all these reasons.
    pub(super) fn not_acceptable(details: Vec<String>) -> Self {
        let message = match details.as_slice() {
            [one] => one.clone(),
            _ => format!("nothing was created: {} problems", details.len()),
        };
        Self::NotAcceptable { message, details: first(details) }
    }
}

impl From<DatabaseError> for AdministrationError {
    fn from(error: DatabaseError) -> Self {
        tracing::error!("{error}");
        Self::State(error.to_string())
    }
}

/// An answer names so many reasons and no more: a document may be wrong in a hundred thousand places.
const NAMED: usize = 100;

/// The first ones, and how many there are beside.
fn first(mut all: Vec<String>) -> Vec<String> {
    let more = all.len().saturating_sub(NAMED);
    if more > 0 {
        all.truncate(NAMED);
        all.push(format!("and {more} more"));
    }
    all
}

fn summary(what: &str, problems: &[Problem]) -> String {
    match problems {
        [one] => detail(one),
        _ => format!("nothing was {what}: {} problems", problems.len()),
    }
}

/// A problem with its place, where it has one in what was sent: policies are kept in other words.
pub(super) fn detail(problem: &Problem) -> String {
    if problem.policy.is_empty() && problem.position.line > 0 {
        format!("{}: {}", problem.position, problem.message)
    } else {
        problem.message.clone()
    }
}

pub(super) fn not_acceptable(problems: &[Problem]) -> AdministrationError {
    AdministrationError::not_acceptable(problems.iter().map(detail).collect())
}

pub(super) fn exists(what: &[String]) -> AdministrationError {
    AdministrationError::Conflict(format!(
        "{} exists already with other content: give it another version",
        first(what.to_vec()).join(", ")
    ))
}

pub(super) fn refused(what: &str, refusal: Refusal<DatabaseError>) -> AdministrationError {
    match refusal {
        Refusal::Policies(problems) => AdministrationError::Undeployable {
            message: summary(what, &problems),
            details: first(problems.iter().map(|problem| problem.message.clone()).collect()),
        },
        Refusal::Taken(problems) => AdministrationError::Conflict(summary(what, &problems)),
        Refusal::Needed(policies) => {
            let names = policies.iter().map(|one| format!("{}:{}", one.id, one.version));
            let names: Vec<String> = names.collect();
            AdministrationError::Conflict(format!(
                "policies refer to it and could not decide any more: {}",
                first(names).join(", ")
            ))
        }
        Refusal::Commit(error) if error.is_referred_to() => AdministrationError::NotFound(
            "a policy was deleted while it was to be deployed".to_owned(),
        ),
        Refusal::Commit(error) => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_names_a_hundred_reasons_and_counts_the_rest() {
        let all = |count: usize| (0..count).map(|at| at.to_string()).collect::<Vec<_>>();
        assert_eq!(first(all(NAMED)), all(NAMED));
        let cut = first(all(NAMED + 7));
        assert_eq!((cut.len(), cut[NAMED].as_str()), (NAMED + 1, "and 7 more"));
        let error = AdministrationError::not_acceptable(all(NAMED + 7));
        assert_eq!(error.to_string(), "nothing was created: 107 problems");
    }
}
