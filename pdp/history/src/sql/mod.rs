//! ONAP's table `operationshistory`, shared with whoever else writes it.
//!
//! Rows of others count as soon as they are committed; rows without end never do. Each window ends at
//! the time of the database, so that replicas agree whatever their own clocks say. Indexes can be used
//! because that time is fixed when a statement begins (`statement_timestamp()`, `NOW(6)`): a statement
//! that counts under a lock begins after the lock was got.

pub mod mariadb;
pub mod postgres;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use pdp_onap::history::{HistoryError, OperationKey};

/// Ids that are taken from the sequence at a time, as ONAP's own writers take them.
const BLOCK: i64 = 50;
/// A connection that lay idle for this long is tried before it is used.
const IDLE: Duration = Duration::from_secs(5);
/// How often a call is tried where connections turn out to be dead: each attempt removes one from the
/// pool.
const ATTEMPTS: u32 = 4;

/// How a database is used.
#[derive(Clone, Debug)]
pub struct SqlSettings {
    /// Where it is, with user, password and TLS options.
    pub url: String,
    /// Connections at the same time, at most.
    pub connections: u32,
    /// How long to wait for a connection.
    pub patience: Duration,
    /// The time zone that the columns' times are in, where their type does not say: `UTC`,
    /// `Europe/Berlin`, `+02:00`.
    pub time_zone: String,
    /// Create the tables where they are missing.
    pub create_schema: bool,
}

impl SqlSettings {
    /// The time zone, which becomes a part of statements.
    fn zone(&self) -> Result<&str, HistoryError> {
        let zone = self.time_zone.as_str();
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '+' | '-' | ':');
        if zone.is_empty() || !zone.chars().all(plain) {
            return Err(HistoryError::Refused(format!("`{zone}` is no name of a time zone")));
        }
        Ok(zone)
    }
}

/// Ids that were taken from the sequence and not yet used.
#[derive(Debug, Default)]
struct Ids {
    left: Mutex<std::ops::Range<i64>>,
}

impl Ids {
    fn next(&self) -> Option<i64> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner).next()
    }

    /// Takes in the block that ends with `last`, and uses one of it.
    fn take(&self, last: i64) -> i64 {
        let mut block = last - BLOCK + 1..last + 1;
        let first = block.next().unwrap_or(last);
        *self.left.lock().unwrap_or_else(PoisonError::into_inner) = block;
        first
    }
}

/// What the history says of an error of the database.
fn failed(error: &sqlx::Error) -> HistoryError {
    match error {
        sqlx::Error::Database(error) => HistoryError::Refused(error.message().to_owned()),
        sqlx::Error::PoolTimedOut => HistoryError::Timeout("every connection is busy".into()),
        other => HistoryError::Unavailable(other.to_string()),
    }
}

/// Whether the connection was to blame, so that another one may do better.
fn connection_lost(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::WorkerCrashed => true,
        // The server is shutting down or has ended the session.
        sqlx::Error::Database(error) => {
            error.code().is_some_and(|code| code.starts_with("57P") || code.starts_with("08"))
        }
        _ => false,
    }
}

/// The error of a statement that met a server which is going or not yet there.
fn unavailable(error: &sqlx::Error) -> HistoryError {
    if connection_lost(error) {
        HistoryError::Unavailable(error.to_string())
    } else {
        failed(error)
    }
}

/// Tries again where a connection turned out to be dead. What is tried must be safe to do twice.
macro_rules! attempt {
    ($call:expr) => {{
        let mut attempts = 1;
        loop {
            match $call.await {
                Err(error)
                    if attempts < $crate::sql::ATTEMPTS && $crate::sql::connection_lost(&error) =>
                {
                    attempts += 1;
                }
                other => break other.map_err(|error| $crate::sql::unavailable(&error)),
            }
        }
    }};
}
use attempt;

/// A text that two keys have in common only if they are the same key.
fn lock_text(key: OperationKey<'_>) -> String {
    format!(
        "{}:{}|{}:{}|{}",
        key.actor.len(),
        key.actor,
        key.operation.len(),
        key.operation,
        key.target
    )
}

/// Microseconds since 1970.
fn micros(time: Timestamp) -> i64 {
    time.as_microsecond()
}

fn from_micros(micros: Option<i64>) -> Option<Timestamp> {
    micros.and_then(|micros| Timestamp::from_microsecond(micros).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_used_up_before_the_next_is_taken() {
        let ids = Ids::default();
        assert_eq!(ids.next(), None);
        assert_eq!(ids.take(51), 2);
        let rest: Vec<i64> = std::iter::from_fn(|| ids.next()).collect();
        assert_eq!((rest.len(), rest.first(), rest.last()), (49, Some(&3), Some(&51)));
    }

    #[test]
    fn keys_that_read_alike_are_locked_apart() {
        let key = |actor, operation| OperationKey { actor, operation, target: "t" };
        assert_ne!(lock_text(key("a|1", "b")), lock_text(key("a", "1|b")));
        assert_eq!(lock_text(key("a", "b")), lock_text(key("a", "b")));
    }

    #[test]
    fn a_time_zone_cannot_smuggle_a_statement_in() {
        let settings = |zone: &str| SqlSettings {
            url: String::new(),
            connections: 1,
            patience: Duration::ZERO,
            time_zone: zone.into(),
            create_schema: false,
        };
        for (zone, right) in [("UTC", true), ("Europe/Berlin", true), ("+02:00", true)]
            .into_iter()
            .chain([("", false), ("'; DROP TABLE x", false)])
        {
            assert_eq!(settings(zone).zone().is_ok(), right, "{zone}");
        }
    }
}
