//! The operations history: the port that backends answer.
//!
//! The questions are values ([`Question`]), so a backend that answers at once implements
//! [`OperationHistory`] and one behind a network may take the same questions and answer later.

use std::fmt;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A row of the history; the fields are the columns of ONAP's table `operationshistory`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Operation {
    /// The number of the row, where the backend numbers its rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<i64>,
    /// The control loop that ran it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_loop_name: Option<String>,
    /// The request that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The part of that request.
    #[serde(rename = "subrequestId", skip_serializing_if = "Option::is_none")]
    pub subrequest_id: Option<String>,
    /// Who ran it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// What was run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// On what.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// When it began.
    #[serde(rename = "starttime", skip_serializing_if = "Option::is_none")]
    pub start_time: Option<Timestamp>,
    /// How it ended, or `Started`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    /// What was noted about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// When it ended. Without it the row is in no window.
    #[serde(rename = "endtime", skip_serializing_if = "Option::is_none")]
    pub end_time: Option<Timestamp>,
}

/// The outcome of operations that a guard refused; these never count.
pub const REFUSED: &str = "Failure_Guard";
/// The outcome of rows that stand for a Permit that the service itself recorded.
pub const PERMITTED: &str = "Permitted";

impl Operation {
    /// What counts say of this row: its key and the end of the operation. None where the row never
    /// counts: it was refused, has no outcome, has not ended, or lacks a part of the key.
    pub fn counted(&self) -> Option<(OperationKey<'_>, Timestamp)> {
        let outcome = self.outcome.as_deref()?;
        if outcome == REFUSED {
            return None;
        }
        let key = OperationKey {
            actor: self.actor.as_deref()?,
            operation: self.operation.as_deref()?,
            target: self.target.as_deref()?,
        };
        Some((key, self.end_time?))
    }
}

/// What operations are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OperationKey<'a> {
    /// Who.
    pub actor: &'a str,
    /// What.
    pub operation: &'a str,
    /// On what.
    pub target: &'a str,
}

/// A length of time that ends now. Months are 30 days and years 365, so that a window has one length
/// in every backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Window {
    seconds: i64,
}

/// The units of windows and their lengths in seconds.
const UNITS: &[(&str, i64)] = &[
    ("second", 1),
    ("minute", 60),
    ("hour", 3_600),
    ("day", 86_400),
    ("week", 604_800),
    ("month", 2_592_000),
    ("year", 31_536_000),
];

impl Window {
    /// The longest window: 1,000 years.
    const LONGEST: i64 = 31_536_000_000;

    /// A number of units; the unit's name may be in upper or lower case.
    ///
    /// # Errors
    /// The unit is not known, or the number is not positive or too large.
    pub fn new(number: i64, unit: &str) -> Result<Self, WindowError> {
        let (_, length) = UNITS
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(unit))
            .ok_or_else(|| WindowError::Unit(unit.to_owned()))?;
        number
            .checked_mul(*length)
            .filter(|seconds| (1..=Self::LONGEST).contains(seconds))
            .map(|seconds| Self { seconds })
            .ok_or(WindowError::Number(number))
    }

    /// A number of seconds.
    pub fn of_seconds(seconds: i64) -> Option<Self> {
        (1..=Self::LONGEST).contains(&seconds).then_some(Self { seconds })
    }

    /// Its length in seconds.
    pub fn seconds(self) -> i64 {
        self.seconds
    }

    /// When it began.
    pub fn start(self, now: Timestamp) -> Timestamp {
        now.checked_sub(SignedDuration::from_secs(self.seconds)).unwrap_or(Timestamp::MIN)
    }

    /// The names of the units.
    pub fn units() -> impl Iterator<Item = &'static str> {
        UNITS.iter().map(|(name, _)| *name)
    }
}

/// Why there is no such window.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WindowError {
    /// The unit.
    #[error("`{0}` is no unit of time: expected second, minute, hour, day, week, month or year")]
    Unit(String),
    /// The number.
    #[error(
        "a window of {0} is not possible: expected a number from 1 on, and at most 1,000 years"
    )]
    Number(i64),
}

/// How the last operation of a control loop stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Progress {
    /// It was started and no end is known.
    InProgress,
    /// It ended, in whatever way.
    Complete,
}

impl Progress {
    /// What a row's outcome says.
    pub fn of_outcome(outcome: Option<&str>) -> Self {
        match outcome {
            Some(outcome) if outcome.eq_ignore_ascii_case("Started") => Self::InProgress,
            _ => Self::Complete,
        }
    }

    /// The word for it in policies.
    pub const fn name(self) -> &'static str {
        match self {
            Self::InProgress => "In_Progress",
            Self::Complete => "Complete",
        }
    }
}

/// A question that a decision asks the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Question<'a> {
    /// How many operations of the key ended within the window?
    Count(OperationKey<'a>, Window),
    /// How does the last operation of this control loop stand?
    LastOutcome(&'a str),
    /// Is a Permit of this key recorded for the request of this id?
    Permitted(OperationKey<'a>, &'a str),
}

/// The answer to a [`Question`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// So many.
    Count(u64),
    /// That is how it stands; none: the loop has run no operation.
    LastOutcome(Option<Progress>),
    /// Whether it is.
    Permitted(bool),
}

/// A Permit that is to be recorded, unless a limit has been reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permit<'a> {
    /// What was permitted.
    pub key: OperationKey<'a>,
    /// The request that it was permitted to. A Permit of the same request and key is recorded once.
    pub request_id: Option<&'a str>,
    /// The limits that must hold: fewer operations than the number within the window.
    pub limits: &'a [(Window, u64)],
}

impl Permit<'_> {
    /// The row that stands for it: begun and ended at `now`, of no control loop.
    pub fn row(&self, now: Timestamp) -> Operation {
        Operation {
            request_id: self.request_id.map(str::to_owned),
            actor: Some(self.key.actor.to_owned()),
            operation: Some(self.key.operation.to_owned()),
            target: Some(self.key.target.to_owned()),
            start_time: Some(now),
            outcome: Some(PERMITTED.to_owned()),
            end_time: Some(now),
            ..Operation::default()
        }
    }
}

/// What came of recording a [`Permit`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It is recorded.
    Recorded,
    /// It was recorded before, by a request of the same id.
    Known,
    /// A limit has been reached, nothing was recorded: how many operations there are in each window.
    Refused(Vec<u64>),
}

/// Which rows to list. What is absent excludes nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Listing<'a> {
    /// Of this actor.
    pub actor: Option<&'a str>,
    /// Of this operation.
    pub operation: Option<&'a str>,
    /// On this target.
    pub target: Option<&'a str>,
    /// Of this control loop.
    pub closed_loop_name: Option<&'a str>,
    /// Ended at this time or later; a row without end is taken by its beginning.
    pub since: Option<Timestamp>,
    /// At most so many, the latest recorded first.
    pub limit: usize,
}

impl Listing<'_> {
    /// Whether a row is asked for.
    pub fn includes(&self, row: &Operation) -> bool {
        let equal = |asked: Option<&str>, has: &Option<String>| {
            asked.is_none_or(|asked| has.as_deref() == Some(asked))
        };
        equal(self.actor, &row.actor)
            && equal(self.operation, &row.operation)
            && equal(self.target, &row.target)
            && equal(self.closed_loop_name, &row.closed_loop_name)
            && self.since.is_none_or(|since| {
                row.end_time.or(row.start_time).is_some_and(|time| time >= since)
            })
    }
}

/// Why the history gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HistoryError {
    /// It cannot be reached.
    #[error("the operations history is not available: {0}")]
    Unavailable(String),
    /// It took too long.
    #[error("the operations history gave no answer in time: {0}")]
    Timeout(String),
    /// It was reached and said no.
    #[error("the operations history refused: {0}")]
    Refused(String),
}

/// A history that answers at once. May lock, but never waits for a network.
pub trait OperationHistory: Send + Sync + fmt::Debug {
    /// The time by the history's own clock, on which windows are measured.
    fn now(&self) -> Timestamp;

    /// Records an operation.
    ///
    /// # Errors
    /// It was not recorded.
    fn record(&self, operation: Operation) -> Result<(), HistoryError>;

    /// Records a Permit if all its limits hold, as one step that no other record comes between.
    ///
    /// # Errors
    /// It was not recorded, or this history has no such step.
    fn record_if(&self, _permit: &Permit<'_>) -> Result<Admission, HistoryError> {
        Err(HistoryError::Refused("it cannot record a Permit together with its limits".into()))
    }

    /// How many operations ended from the beginning of the window to `now`, both included.
    ///
    /// # Errors
    /// It could not be found out.
    fn count_recent(
        &self,
        key: OperationKey<'_>,
        window: Window,
        now: Timestamp,
    ) -> Result<u64, HistoryError>;

    /// How the operation of a control loop stands that was started last.
    ///
    /// # Errors
    /// It could not be found out.
    fn last_outcome(&self, closed_loop_name: &str) -> Result<Option<Progress>, HistoryError>;

    /// Whether a Permit of the key is recorded for a request.
    ///
    /// # Errors
    /// It could not be found out, or this history records no Permits.
    fn permitted(&self, _key: OperationKey<'_>, _request_id: &str) -> Result<bool, HistoryError> {
        Err(HistoryError::Refused("it does not record Permits".into()))
    }

    /// The rows that are asked for, the latest recorded first.
    ///
    /// # Errors
    /// They could not be read.
    fn list(&self, listing: &Listing<'_>) -> Result<Vec<Operation>, HistoryError>;

    /// Forgets what ended before a time, and says how much that was.
    ///
    /// # Errors
    /// It could not be done.
    fn prune(&self, before: Timestamp) -> Result<u64, HistoryError>;

    /// Answers a question that a decision asks.
    ///
    /// # Errors
    /// It could not be found out.
    fn answer(&self, question: Question<'_>, now: Timestamp) -> Result<Reply, HistoryError> {
        match question {
            Question::Count(key, window) => self.count_recent(key, window, now).map(Reply::Count),
            Question::LastOutcome(name) => self.last_outcome(name).map(Reply::LastOutcome),
            Question::Permitted(key, id) => self.permitted(key, id).map(Reply::Permitted),
        }
    }
}
