//! The SQLite file behind the embedded history.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use pdp_onap::history::Operation;
use rusqlite::{Connection, ErrorCode, OptionalExtension, Row, Statement, params};
use thiserror::Error;

use super::log::Log;
use super::rows::{self, Sum};
use crate::clock::Anchor;
use crate::windows::nanos;

/// Marks a file as ours.
const APPLICATION_ID: i64 = 0x7064_7068;
/// The form of the tables; a later one comes with the way from this one.
const VERSION: i64 = 2;

/// How long to wait for a process that is about to end.
const PATIENCE: Duration = Duration::from_millis(500);

const SCHEMA: &str = "
CREATE TABLE operation(
  id INTEGER PRIMARY KEY, closed_loop_name TEXT, request_id TEXT, subrequest_id TEXT, actor TEXT,
  operation TEXT, target TEXT, start_ns INTEGER, outcome TEXT, message TEXT, end_ns INTEGER,
  sum INTEGER
) STRICT;
CREATE INDEX operation_age ON operation(coalesce(end_ns, start_ns));
CREATE TABLE clock(
  only INTEGER PRIMARY KEY CHECK (only = 1), boot TEXT, booted_ns INTEGER NOT NULL,
  latest_ns INTEGER NOT NULL, sum INTEGER
) STRICT;
";
/// From the first form to the second: sums of what is written from here on.
const SUMS: &str = "
ALTER TABLE operation ADD COLUMN sum INTEGER;
ALTER TABLE clock ADD COLUMN sum INTEGER;
";

/// Why the file cannot be used.
#[derive(Debug, Error)]
pub enum FileError {
    /// It is damaged, or something else.
    #[error("the operations history is damaged: {reason}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        reason: String,
    },
    /// Another process has it.
    #[error("the operations history is in use by another process")]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// It was written by a later version.
    #[error("the operations history has form {found}, this version knows {VERSION}")]
    Newer {
        /// The file.
        path: PathBuf,
        /// The form that it has.
        found: i64,
    },
    /// It cannot be read or written.
    #[error("the operations history cannot be opened: {reason}")]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        reason: String,
    },
}

impl FileError {
    /// The file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Damaged { path, .. }
            | Self::InUse { path }
            | Self::Newer { path, .. }
            | Self::Unusable { path, .. } => path,
        }
    }

    /// What to do about it.
    pub fn way_out(&self) -> &'static str {
        match self {
            Self::Damaged { .. } => {
                "keep the file with those beside it that begin with its name, move them away and \
                 start: counting begins anew; `sqlite3 FILE .recover` saves the rows that can be \
                 read, `pdp history import` takes them"
            }
            Self::InUse { .. } => "give each process a folder of its own with --state",
            Self::Newer { .. } => "start the version that wrote it, or move the file away",
            Self::Unusable { .. } => "may this user write the folder, and has the disk room?",
        }
    }

    fn of(path: &Path, error: &rusqlite::Error) -> Self {
        let (path, reason) = (path.to_owned(), error.to_string());
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                Self::Damaged { path, reason }
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::InUse { path },
            _ => Self::Unusable { path, reason },
        }
    }
}

/// The open file.
#[derive(Debug)]
pub(super) struct File {
    pub(super) connection: Connection,
    path: PathBuf,
    /// The last commit of its log is not whole.
    pub(super) torn: bool,
}

impl File {
    /// Opens or creates the file, for this process alone.
    pub(super) fn open(path: &Path) -> Result<Self, FileError> {
        let fault = |error: rusqlite::Error| FileError::of(path, &error);
        let connection = Connection::open(path).map_err(fault)?;
        connection.busy_timeout(PATIENCE).map_err(fault)?;
        let mut file = Self { connection, path: path.to_owned(), torn: false };
        file.prepare().map_err(fault)??;
        Ok(file)
    }

    fn prepare(&mut self) -> rusqlite::Result<Result<(), FileError>> {
        let to = &self.connection;
        // Locked as a whole, so that no memory is shared with other processes; a commit returns when
        // it is on the disk; the log is emptied when we say, never while someone waits for a commit.
        to.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
        let mode: String =
            to.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
        if !mode.eq_ignore_ascii_case("wal") {
            let reason = format!("the file system has no write-ahead log (journal mode {mode})");
            return Ok(Err(FileError::Unusable { path: self.path.clone(), reason }));
        }
        to.pragma_update(None, "synchronous", "FULL")?;
        to.pragma_update(None, "wal_autocheckpoint", 0)?;
        to.execute_batch("BEGIN EXCLUSIVE")?;
        // Now that no other process writes it.
        match Log::read(&self.path) {
            Ok(Log::Whole) => {}
            Ok(Log::Torn) => self.torn = true,
            Ok(Log::Damaged) => return Ok(Err(self.damaged("its log is not what was written"))),
            Err(error) => {
                let reason = format!("its log cannot be read: {error}");
                return Ok(Err(FileError::Unusable { path: self.path.clone(), reason }));
            }
        }
        let pragma = |name: &str| to.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        let (version, application) = (pragma("user_version")?, pragma("application_id")?);
        if version == 0 && application == 0 {
            let tables: i64 =
                to.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
            if tables > 0 {
                return Ok(Err(self.damaged("it is a database of something else")));
            }
            to.execute_batch(SCHEMA)?;
            to.pragma_update(None, "application_id", APPLICATION_ID)?;
            to.pragma_update(None, "user_version", VERSION)?;
        } else if application != APPLICATION_ID {
            return Ok(Err(self.damaged("it is a database of something else")));
        } else if version > VERSION {
            return Ok(Err(FileError::Newer { path: self.path.clone(), found: version }));
        } else if version < VERSION {
            to.execute_batch(SUMS)?;
            to.pragma_update(None, "user_version", VERSION)?;
        }
        to.execute_batch("COMMIT")?;
        let check: String = to.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
        if check != "ok" {
            return Ok(Err(self.damaged(check)));
        }
        Ok(Ok(()))
    }

    /// What was kept of the clock.
    pub(super) fn anchor(&self) -> Result<Option<Anchor>, FileError> {
        let read = |row: &Row<'_>| {
            let (boot, booted, latest) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let whole = row.get::<_, Option<i64>>(3)?;
            let whole = whole.is_none_or(|kept| kept == clock_sum(&boot, booted, latest));
            let anchor = Anchor { boot, booted: timestamp(booted), latest: timestamp(latest) };
            Ok(whole.then_some(anchor))
        };
        let kept = self
            .connection
            .query_row("SELECT boot, booted_ns, latest_ns, sum FROM clock", [], read)
            .optional()
            .map_err(|error| FileError::of(&self.path, &error))?;
        match kept {
            Some(None) => Err(self.damaged("its clock is not what was written")),
            Some(anchor) => Ok(anchor),
            None => Ok(None),
        }
    }

    fn damaged(&self, reason: impl Into<String>) -> FileError {
        FileError::Damaged { path: self.path.clone(), reason: reason.into() }
    }

    /// Keeps what is to be known of the clock.
    pub(super) fn keep_anchor(&self, anchor: &Anchor) -> rusqlite::Result<()> {
        let (booted, latest) = (nanos(anchor.booted), nanos(anchor.latest));
        self.connection.execute(
            "INSERT OR REPLACE INTO clock VALUES (1, ?1, ?2, ?3, ?4)",
            params![anchor.boot, booted, latest, clock_sum(&anchor.boot, booted, latest)],
        )?;
        Ok(())
    }

    /// Hands every row to `take`, in the order of their numbers.
    pub(super) fn each<E>(
        &self,
        mut take: impl FnMut(Operation) -> Result<(), E>,
    ) -> Result<Result<(), E>, FileError> {
        let fault = |error: rusqlite::Error| FileError::of(&self.path, &error);
        let mut all = self.connection.prepare(rows::SELECT).map_err(fault)?;
        let mut rows = all.query([]).map_err(fault)?;
        while let Some(row) = rows.next().map_err(fault)? {
            let (row, whole) = rows::read(row).map_err(fault)?;
            if !whole {
                let number = row.id.unwrap_or_default();
                return Err(self.damaged(format!("the row {number} is not what was written")));
            }
            if let Err(error) = take(row) {
                return Ok(Err(error));
            }
        }
        Ok(Ok(()))
    }

    /// The statement that [`rows::insert`] runs.
    pub(super) fn inserting(&self) -> rusqlite::Result<Statement<'_>> {
        self.connection.prepare(rows::INSERT)
    }

    /// Removes at most `limit` rows that ended before a time, and says how many those were.
    pub(super) fn prune(&self, before: i64, limit: u32) -> rusqlite::Result<usize> {
        self.connection.execute(
            "DELETE FROM operation WHERE id IN (SELECT id FROM operation \
             WHERE coalesce(end_ns, start_ns) < ? LIMIT ?)",
            params![before, limit],
        )
    }

    /// Moves the log into the file; true when all of it has been moved, so that the log begins anew.
    pub(super) fn checkpoint(&self) -> rusqlite::Result<bool> {
        self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| {
            Ok(row.get::<_, i64>(1)? == row.get::<_, i64>(2)?)
        })
    }
}

fn clock_sum(boot: &Option<String>, booted: i64, latest: i64) -> i64 {
    let mut sum = Sum::default();
    sum.text(boot.as_deref());
    sum.number(Some(booted));
    sum.number(Some(latest));
    sum.value()
}

pub(super) fn timestamp(nanos: i64) -> Timestamp {
    Timestamp::from_nanosecond(nanos.into()).expect("64 bits of nanoseconds are within range")
}
