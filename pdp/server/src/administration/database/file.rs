//! The file of the database: made whole, checked when it is opened, never put right in silence.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use pdp_history::embedded::log::Log;
use pdp_onap::cores;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::{Database, DatabaseError};
use crate::failure::Failure;

const FILE: &str = "policies.sqlite3";
/// Written into the file's head: `pdpP`.
const APPLICATION: i32 = 0x7064_7050;
const VERSION: i32 = 1;
/// How long one connection waits for another of this process.
const PATIENCE: Duration = Duration::from_secs(5);

const SCHEMA: &str = "
CREATE TABLE policy (
    name TEXT NOT NULL, version TEXT NOT NULL,
    type TEXT NOT NULL, type_version TEXT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (name, version)
) STRICT;
CREATE INDEX policy_by_type ON policy (type, type_version);
CREATE TABLE deployment (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL, version TEXT NOT NULL, since TEXT NOT NULL,
    UNIQUE (name, version),
    FOREIGN KEY (name, version) REFERENCES policy (name, version)
) STRICT;
CREATE TABLE type (
    kind TEXT NOT NULL, name TEXT NOT NULL, version TEXT NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (kind, name, version)
) STRICT;
";

impl Database {
    /// Opens the database of a state folder, or one in memory.
    ///
    /// # Errors
    /// It cannot be opened, is damaged, or was written by a later version.
    pub(in crate::administration) fn open(folder: Option<&Path>) -> Result<Self, Failure> {
        let Some(folder) = folder else {
            let connection = Connection::open_in_memory().and_then(|connection| {
                connection.execute_batch(SCHEMA)?;
                connection.pragma_update(None, "foreign_keys", true)?;
                Ok(connection)
            });
            let connection = connection.map_err(|error| {
                Failure::environment(format!("no database can be made in memory: {error}"))
            })?;
            return Ok(Self { connection: Mutex::new(connection), file: None });
        };
        let path = folder.join(FILE);
        if !path.exists() {
            create(folder, &path)?;
        }
        check_log(&path)?;
        let connection = Connection::open(&path).map_err(|error| {
            Failure::environment(format!("the administered policies cannot be opened: {error}"))
                .in_file(&path)
                .hint("is the folder writable? `--state none` keeps nothing and needs no folder")
        })?;
        careful(&connection).map_err(|error| damaged(&path, &error.to_string()))?;
        is_ours(&connection, &path)?;
        Ok(Self { connection: Mutex::new(connection), file: Some(path) })
    }

    /// Does `work`, which reads, while the whole file is checked; both take as long as the file is. Only then
    /// is the database ready for changes.
    ///
    /// # Errors
    /// The file is damaged, or the work failed.
    pub(in crate::administration) fn check_during<T>(
        &self,
        work: impl FnOnce() -> Result<T, DatabaseError>,
    ) -> Result<T, Failure> {
        let Some(path) = &self.file else {
            return work().map_err(|error| unreadable(Path::new("memory"), &error));
        };
        let (checked, worked) = cores::both(true, || check(path), work);
        checked?;
        let worked = worked.map_err(|error| unreadable(path, &error))?;
        settle(&self.lock()).map_err(|error| damaged(path, &error.to_string()))?;
        Ok(worked)
    }
}

/// Makes the database beside its place and puts it there whole: what has its name is complete.
fn create(folder: &Path, path: &Path) -> Result<(), Failure> {
    let fault = |what: String| {
        Failure::environment(format!("the administered policies cannot be kept: {what}"))
            .in_file(path)
            .hint("is the folder writable? `--state none` keeps nothing and needs no folder")
    };
    let journal = folder.join(format!("{FILE}-wal"));
    if fs::metadata(&journal).is_ok_and(|journal| journal.len() > 0) {
        return Err(Failure::environment("the database is gone, but its journal is there")
            .in_file(path)
            .hint("bring both back from a copy, or give another folder with --state"));
    }
    let aside = folder.join(format!("{FILE}.new"));
    let _ = fs::remove_file(&aside);
    let made = Connection::open(&aside).and_then(|connection| {
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.execute_batch(&format!(
            "BEGIN; {SCHEMA} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}; COMMIT;"
        ))?;
        connection.close().map_err(|(_, error)| error)
    });
    made.map_err(|error| fault(error.to_string()))?;
    fs::rename(&aside, path).map_err(|error| fault(error.to_string()))?;
    let synced = fs::File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(|error| fault(error.to_string()))
}

/// Refuses a write-ahead log that was changed: SQLite would leave out what was answered as kept, and say
/// nothing. Nobody else writes it, since the folder has one owner.
fn check_log(path: &Path) -> Result<(), Failure> {
    match Log::read(path) {
        Ok(Log::Whole) => {}
        Ok(Log::Torn) => tracing::warn!(
            "the last change of the administered policies is not whole and is left out: the power was lost \
             while it was written, before anybody was told that it is kept, or {}-wal was changed since",
            path.display()
        ),
        Ok(Log::Damaged) => {
            return Err(damaged(path, "the log beside it (-wal) is not what was written"));
        }
        Err(error) => return Err(damaged(path, &format!("its log cannot be read: {error}"))),
    }
    Ok(())
}

/// Refuses a database that is not ours.
fn is_ours(connection: &Connection, path: &Path) -> Result<(), Failure> {
    let fault = |error: rusqlite::Error| damaged(path, &error.to_string());
    let number = |pragma: &str| {
        connection.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0)).map_err(fault)
    };
    if number("application_id")? != APPLICATION {
        return Err(damaged(path, "this is not a database of administered policies"));
    }
    match number("user_version")? {
        VERSION => Ok(()),
        other => Err(Failure::environment(format!(
            "the administered policies are in format {other}; this program knows {VERSION}"
        ))
        .in_file(path)
        .hint("start the version that wrote them, or give another folder with --state")),
    }
}

/// Refuses a database that is damaged. Indexes are not held against their tables, which takes three times as long:
/// what is deployed is looked up by them, and one that is not found ends the start.
fn check(path: &Path) -> Result<(), Failure> {
    let verdict = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .and_then(|connection| {
            careful(&connection)?;
            connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0))
        })
        .map_err(|error| damaged(path, &error.to_string()))?;
    if verdict == "ok" { Ok(()) } else { Err(damaged(path, &verdict)) }
}

/// Until everything is known to be well, a connection that ends must not write the log into the file: where
/// the log is damaged that would be lost which the file has.
fn careful(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(PATIENCE)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map(drop)
}

fn unreadable(path: &Path, error: &DatabaseError) -> Failure {
    if matches!(error, DatabaseError::Lost { .. }) {
        return damaged(path, &error.to_string());
    }
    Failure::environment(error.to_string())
        .in_file(path)
        .hint("bring the file back from a copy, or give another folder with --state")
}

fn damaged(path: &Path, what: &str) -> Failure {
    Failure::environment(format!("the administered policies are damaged: {what}"))
        .in_file(path)
        .hint("bring the file back from a copy, or give another folder with --state; nothing was changed")
}

fn settle(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    // The folder has one owner, so that no shared memory is needed.
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(())
}
