//! ONAP's table `operationshistory`, shared with whoever else writes it.
//!
//! Rows of others count as soon as they are committed; rows without end never do. Each window ends at
//! the time of the database, so that replicas agree whatever their own clocks say.
//!
//! A count under a lock must see every row that an earlier holder of the lock wrote, so that its window
//! has to end after the lock was got. On PostgreSQL it ends at `clock_timestamp()`, read once by a
//! sub-select, which leaves the index usable. MariaDB has no such form of `SYSDATE(6)`: it would be
//! read for each row, and each count would go through all rows of the key. There a window ends at
//! `NOW(6)`, the beginning of a statement that begins after the lock was got, and rows end at
//! `SYSDATE(6)`.

mod connection;
mod history;
pub mod mariadb;
pub mod postgres;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use pdp_onap::history::{HistoryError, Operation, OperationKey};
use sqlx::{ColumnIndex, Decode, Row, Type};

pub use history::{Connected, Dialect, SqlHistory};

/// Ids that are taken from the sequence at a time, as ONAP's own writers take them.
const BLOCK: i64 = 50;

const NO_TABLE: &str =
    "there is no table `operationshistory`: run ONAP's migration, or set history.create_schema";
const NO_INDEX: &str = "no index begins with actor, operation and target: each count reads the whole \
    table; CREATE INDEX operationshistory_target_index ON operationshistory (target, operation, \
    actor, endtime)";
const NO_SEQUENCE: &str = "the table `ophistory_id_sequence` has no row SEQ_GEN";

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
        error if connection_lost(error) => HistoryError::Unavailable(error.to_string()),
        sqlx::Error::Database(error) => HistoryError::Refused(error.message().to_owned()),
        sqlx::Error::Configuration(reason) => HistoryError::Refused(reason.to_string()),
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

/// Whether the server gave the transaction up, so that nothing of it has happened.
fn rolled_back(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Database(error)
        if error.code().is_some_and(|code| matches!(&*code, "40001" | "40P01")))
}

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

/// The operation of a row: its columns in the table's order, times in microseconds at the end.
fn operation<R>(row: &R) -> Result<Operation, sqlx::Error>
where
    R: Row,
    usize: ColumnIndex<R>,
    i64: for<'r> Decode<'r, R::Database> + Type<R::Database>,
    String: for<'r> Decode<'r, R::Database> + Type<R::Database>,
{
    Ok(Operation {
        id: row.try_get(0)?,
        closed_loop_name: row.try_get(1)?,
        request_id: row.try_get(2)?,
        subrequest_id: row.try_get(3)?,
        actor: row.try_get(4)?,
        operation: row.try_get(5)?,
        target: row.try_get(6)?,
        outcome: row.try_get(7)?,
        message: row.try_get(8)?,
        start_time: from_micros(row.try_get(9)?),
        end_time: from_micros(row.try_get(10)?),
    })
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
