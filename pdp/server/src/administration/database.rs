//! What is administered, in a SQLite database of the state folder.
//!
//! A call is one transaction, on the disk before it returns (write-ahead log, synchronous FULL): a
//! process that is killed between any two instructions finds each call done or not begun.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use crate::failure::Failure;
use crate::store::{Document, Key};

const FILE: &str = "policies.sqlite3";
/// Written into the file's head: `pdpP`.
const APPLICATION: i32 = 0x7064_7050;
const VERSION: i32 = 1;

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

/// A policy as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The name of its type.
    pub type_name: String,
    /// The version of its type.
    pub type_version: String,
    /// The policy as JSON, as answers hold it.
    pub content: String,
}

/// A type as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptType {
    /// `policy` or `data`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The type as JSON.
    pub content: String,
}

/// A deployment as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployment {
    /// The policy's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The name of its type.
    pub type_name: String,
    /// The version of its type.
    pub type_version: String,
}

/// The database did not do what was asked; nothing has changed.
#[derive(Debug, thiserror::Error)]
#[error("the state cannot be read or written: {0}")]
pub(super) struct DatabaseError(#[from] rusqlite::Error);

impl DatabaseError {
    /// Whether rows that refer to others are in the way, or are missing.
    pub(super) fn is_referred_to(&self) -> bool {
        self.0.sqlite_error_code() == Some(rusqlite::ErrorCode::ConstraintViolation)
    }
}

/// The database.
#[derive(Debug)]
pub(super) struct Database {
    // Administration is rare and in order; decisions never come here.
    connection: Mutex<Connection>,
}

impl Database {
    /// Opens the database of a state folder, or one in memory.
    ///
    /// # Errors
    /// It cannot be opened, is damaged, or was written by a later version.
    pub(super) fn open(folder: Option<&Path>) -> Result<Self, Failure> {
        let Some(folder) = folder else {
            let connection = Connection::open_in_memory().and_then(|connection| {
                connection.execute_batch(SCHEMA)?;
                connection.pragma_update(None, "foreign_keys", true)?;
                Ok(connection)
            });
            let connection = connection.map_err(|error| {
                Failure::environment(format!("no database can be made in memory: {error}"))
            })?;
            return Ok(Self { connection: Mutex::new(connection) });
        };
        let path = folder.join(FILE);
        if !path.exists() {
            create(folder, &path)?;
        }
        let fault = |error: rusqlite::Error| damaged(&path, &error.to_string());
        let connection = Connection::open(&path).map_err(|error| {
            Failure::environment(format!("the administered policies cannot be opened: {error}"))
                .in_file(&path)
                .hint("is the folder writable? `--state none` keeps nothing and needs no folder")
        })?;
        check(&connection, &path)?;
        settle(&connection).map_err(fault)?;
        Ok(Self { connection: Mutex::new(connection) })
    }

    fn lock(&self) -> MutexGuard<'_, Connection> {
        // A transaction that was left by a panic is rolled back.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, DatabaseError> {
        let mut connection = self.lock();
        let transaction = connection.transaction()?;
        let result = change(&transaction)?;
        transaction.commit()?;
        Ok(result)
    }

    /// Keeps types and policies, all or none. What is there already with the same content stays.
    /// Returns the names of those that are there with other content; then nothing is kept.
    ///
    /// # Errors
    /// The database failed.
    pub(super) fn create(
        &self,
        types: &[KeptType],
        policies: &[Kept],
    ) -> Result<Vec<String>, DatabaseError> {
        let mut connection = self.lock();
        let transaction = connection.transaction()?;
        let mut conflicts = Vec::new();
        for one in types {
            let there: Option<String> = transaction
                .prepare_cached(
                    "SELECT content FROM type WHERE kind = ? AND name = ? AND version = ?",
                )?
                .query_row(params![one.kind, one.name, one.version], |row| row.get(0))
                .optional()?;
            match there {
                Some(content) if content == one.content => {}
                Some(_) => {
                    conflicts.push(format!("{} type {}:{}", one.kind, one.name, one.version))
                }
                None => {
                    transaction
                        .prepare_cached("INSERT INTO type VALUES (?, ?, ?, ?)")?
                        .execute(params![one.kind, one.name, one.version, one.content])?;
                }
            }
        }
        for one in policies {
            let there: Option<String> = transaction
                .prepare_cached("SELECT content FROM policy WHERE name = ? AND version = ?")?
                .query_row(params![one.name, one.version], |row| row.get(0))
                .optional()?;
            match there {
                Some(content) if content == one.content => {}
                Some(_) => conflicts.push(format!("policy {}:{}", one.name, one.version)),
                None => {
                    let (kind, version) = (&one.type_name, &one.type_version);
                    transaction
                        .prepare_cached("INSERT INTO policy VALUES (?, ?, ?, ?, ?)")?
                        .execute(params![one.name, one.version, kind, version, one.content])?;
                }
            }
        }
        if conflicts.is_empty() {
            transaction.commit()?;
        }
        Ok(conflicts)
    }

    /// The policies of a name, or all.
    ///
    /// # Errors
    /// The database failed.
    pub(super) fn policies(&self, name: Option<&str>) -> Result<Vec<Kept>, DatabaseError> {
        let connection = self.lock();
        let mut statement = connection.prepare_cached(
            "SELECT name, version, type, type_version, content FROM policy
             WHERE ?1 IS NULL OR name = ?1 ORDER BY name",
        )?;
        let rows = statement.query_map(params![name], kept)?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Forgets a policy. One that is deployed cannot be forgotten.
    ///
    /// # Errors
    /// It is deployed, or the database failed.
    pub(super) fn delete_policy(&self, name: &str, version: &str) -> Result<(), DatabaseError> {
        self.change(|transaction| {
            transaction
                .execute(
                    "DELETE FROM policy WHERE name = ? AND version = ?",
                    params![name, version],
                )
                .map(drop)
        })
    }

    /// The types of a kind and name, or all of the kind.
    ///
    /// # Errors
    /// The database failed.
    pub(super) fn types(
        &self,
        kind: &'static str,
        name: Option<&str>,
    ) -> Result<Vec<KeptType>, DatabaseError> {
        let connection = self.lock();
        let mut statement = connection.prepare_cached(
            "SELECT name, version, content FROM type
             WHERE kind = ?1 AND (?2 IS NULL OR name = ?2) ORDER BY name",
        )?;
        let rows = statement.query_map(params![kind, name], |row| {
            Ok(KeptType { kind, name: row.get(0)?, version: row.get(1)?, content: row.get(2)? })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Forgets a policy type.
    ///
    /// # Errors
    /// The database failed.
    pub(super) fn delete_type(&self, name: &str, version: &str) -> Result<(), DatabaseError> {
        self.change(|transaction| {
            let delete = "DELETE FROM type WHERE kind = 'policy' AND name = ? AND version = ?";
            transaction.execute(delete, params![name, version]).map(drop)
        })
    }

    /// Keeps that policies are deployed, all or none.
    ///
    /// # Errors
    /// One of them is not kept, or the database failed.
    pub(super) fn deploy(&self, policies: &[Document]) -> Result<(), DatabaseError> {
        let since = Timestamp::now().to_string();
        self.change(|transaction| {
            let mut statement = transaction.prepare_cached(
                "INSERT INTO deployment (name, version, since) VALUES (?, ?, ?)
                 ON CONFLICT (name, version) DO NOTHING",
            )?;
            for policy in policies {
                statement.execute(params![policy.name, policy.version, since])?;
            }
            Ok(())
        })
    }

    /// Keeps that policies are no longer deployed, all or none.
    ///
    /// # Errors
    /// The database failed.
    pub(super) fn undeploy(&self, policies: &[(String, String)]) -> Result<(), DatabaseError> {
        self.change(|transaction| {
            let mut statement = transaction
                .prepare_cached("DELETE FROM deployment WHERE name = ? AND version = ?")?;
            for (name, version) in policies {
                statement.execute(params![name, version])?;
            }
            Ok(())
        })
    }

    /// The deployed policies, in the order of their deployment.
    ///
    /// # Errors
    /// The database failed.
    pub(super) fn deployed(&self) -> Result<Vec<Document>, DatabaseError> {
        let connection = self.lock();
        let mut statement = connection.prepare(
            "SELECT name, version, content FROM deployment JOIN policy USING (name, version)
             ORDER BY sequence",
        )?;
        let rows = statement.query_map([], |row| {
            Ok(Document { name: row.get(0)?, version: row.get(1)?, content: row.get(2)? })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Policies by name and version, without those that are not kept.
    ///
    /// # Errors
    /// The database failed.
    pub(super) fn documents(&self, keys: &[Key]) -> Result<Vec<Document>, DatabaseError> {
        let connection = self.lock();
        let mut statement = connection
            .prepare_cached("SELECT content FROM policy WHERE name = ? AND version = ?")?;
        let mut found = Vec::with_capacity(keys.len());
        for (name, version) in keys {
            let content =
                statement.query_row(params![name, version], |row| row.get(0)).optional()?;
            found.extend(content.map(|content| Document {
                name: name.clone(),
                version: version.clone(),
                content,
            }));
        }
        Ok(found)
    }

    /// What is deployed of a name, or everything.
    ///
    /// # Errors
    /// The database failed.
    pub(super) fn deployments(&self, name: Option<&str>) -> Result<Vec<Deployment>, DatabaseError> {
        let connection = self.lock();
        let mut statement = connection.prepare_cached(
            "SELECT name, version, type, type_version FROM deployment JOIN policy USING (name, version)
             WHERE ?1 IS NULL OR name = ?1 ORDER BY sequence",
        )?;
        let rows = statement.query_map(params![name], |row| {
            Ok(Deployment {
                name: row.get(0)?,
                version: row.get(1)?,
                type_name: row.get(2)?,
                type_version: row.get(3)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

fn kept(row: &Row<'_>) -> rusqlite::Result<Kept> {
    Ok(Kept {
        name: row.get(0)?,
        version: row.get(1)?,
        type_name: row.get(2)?,
        type_version: row.get(3)?,
        content: row.get(4)?,
    })
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

/// Refuses a database that is damaged or not ours.
fn check(connection: &Connection, path: &Path) -> Result<(), Failure> {
    let fault = |error: rusqlite::Error| damaged(path, &error.to_string());
    let number = |pragma: &str| {
        connection.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0)).map_err(fault)
    };
    if number("application_id")? != APPLICATION {
        return Err(damaged(path, "this is not a database of administered policies"));
    }
    match number("user_version")? {
        VERSION => {}
        other => {
            return Err(Failure::environment(format!(
                "the administered policies are in format {other}; this program knows {VERSION}"
            ))
            .in_file(path)
            .hint("start the version that wrote them, or give another folder with --state"));
        }
    }
    let verdict: String =
        connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(fault)?;
    if verdict == "ok" { Ok(()) } else { Err(damaged(path, &verdict)) }
}

fn damaged(path: &Path, what: &str) -> Failure {
    Failure::environment(format!("the administered policies are damaged: {what}"))
        .in_file(path)
        .hint("bring the file back from a copy, or give another folder with --state; nothing was changed")
}

fn settle(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_secs(5))?;
    // The folder has one owner, so that no shared memory is needed.
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.set_prepared_statement_cache_capacity(32);
    Ok(())
}
