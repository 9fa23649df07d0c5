//! What is administered, in a SQLite database of the state folder.
//!
//! A call is one transaction, on the disk before it returns (write-ahead log, synchronous FULL): a
//! process that is killed between any two instructions finds each call done or not begun.

mod file;
mod rows;

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Transaction, params, params_from_iter};

use super::document::same;
use crate::store::{Document, Key};

use rows::kept;
pub use rows::{Deployment, Kept, KeptType};

/// The database did not do what was asked; nothing has changed.
#[derive(Debug, thiserror::Error)]
pub(super) enum DatabaseError {
    /// SQLite says why.
    #[error("the state cannot be read or written: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// What is deployed is not kept.
    #[error(
        "policy `{name}` version {version} is deployed, but not among the policies that are kept"
    )]
    Lost { name: String, version: String },
}

impl DatabaseError {
    /// Whether rows that refer to others are in the way, or are missing.
    pub(super) fn is_referred_to(&self) -> bool {
        let Self::Sqlite(error) = self else { return false };
        error.sqlite_error_code() == Some(rusqlite::ErrorCode::ConstraintViolation)
    }
}

/// The database.
#[derive(Debug)]
pub(super) struct Database {
    // Administration is rare and in order; decisions never come here.
    connection: Mutex<Connection>,
    /// None: it is in memory.
    file: Option<PathBuf>,
}

impl Database {
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
                Some(content) if same(&content, &one.content) => {}
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
                Some(content) if same(&content, &one.content) => {}
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
        let mut statement = connection.prepare_cached(&of_name(
            "SELECT name, version, type, type_version, content FROM policy",
            name,
            "name",
        ))?;
        let rows = statement.query_map(params_from_iter(name), kept)?;
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

    /// Whether policies are deployed.
    ///
    /// # Errors
    /// The database failed.
    pub(super) fn has_deployments(&self) -> Result<bool, DatabaseError> {
        let any = "SELECT EXISTS (SELECT 1 FROM deployment)";
        Ok(self.lock().query_row(any, [], |row| row.get(0))?)
    }

    /// Hands over the deployed policies, in the order of their deployment, so many at a time.
    ///
    /// # Errors
    /// The database failed.
    pub(super) fn deployed(
        &self,
        at_a_time: usize,
        mut take: impl FnMut(Vec<Document>),
    ) -> Result<(), DatabaseError> {
        let connection = self.lock();
        let mut statement = connection.prepare(
            // One that is not kept would be left out in silence by an inner join.
            "SELECT name, version, content FROM deployment LEFT JOIN policy USING (name, version)
             ORDER BY sequence",
        )?;
        let mut rows = statement.query([])?;
        let mut some = Vec::with_capacity(at_a_time);
        while let Some(row) = rows.next()? {
            let (name, version): (String, String) = (row.get(0)?, row.get(1)?);
            let Some(content) = row.get(2)? else {
                return Err(DatabaseError::Lost { name, version });
            };
            some.push(Document { name, version, content });
            if some.len() == at_a_time {
                take(std::mem::replace(&mut some, Vec::with_capacity(at_a_time)));
            }
        }
        take(some);
        Ok(())
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
        let mut statement = connection.prepare_cached(&of_name(
            "SELECT name, version, type, type_version FROM deployment JOIN policy USING (name, version)",
            name,
            "sequence",
        ))?;
        let rows = statement.query_map(params_from_iter(name), |row| {
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

/// `select` for the rows of a name, or for all: a condition that allowed for both would use no index, and
/// each policy that is deployed would cost a look at every other.
fn of_name(select: &str, name: Option<&str>, order: &str) -> String {
    let condition = if name.is_some() { "WHERE name = ?1" } else { "" };
    format!("{select} {condition} ORDER BY {order}")
}
