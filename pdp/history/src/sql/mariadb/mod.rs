//! MariaDB.
//!
//! Its texts compare without case and without blanks at the end; keys do neither. So each comparison is
//! written twice: once for the index, once exactly.

mod rows;
mod table;

use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

use jiff::SignedDuration;
use pdp_onap::history::{
    HistoryError, Listing, Operation, OperationKey, PERMITTED, Permit, Window,
};
use sqlx::mysql::{MySqlArguments, MySqlConnectOptions, MySqlConnection};
use sqlx::query::QueryScalar;
use sqlx::{AssertSqlSafe, Executor, MySql};

use table::Form;
pub use table::Table;

use super::history::{Dialect, SqlHistory};
use super::{BLOCK, NO_SEQUENCE, SqlSettings, failed, lock_text};

const SCHEMA: &str = include_str!("../schema/mariadb.sql");
/// Rows that keys are spread over when they are locked.
const BUCKETS: u64 = 1024;

/// Rows that can count; six texts are bound.
const OF_KEY: &str = "FROM operationshistory WHERE actor = ? AND operation = ? AND target = ? \
    AND BINARY CONVERT(actor USING utf8mb4) = ? AND BINARY CONVERT(operation USING utf8mb4) = ? \
    AND BINARY CONVERT(target USING utf8mb4) = ?";

const LAST: &str = "SELECT CONVERT(outcome USING utf8mb4) FROM operationshistory \
    WHERE closedLoopName = ? AND BINARY CONVERT(closedLoopName USING utf8mb4) = ? \
    AND starttime IS NOT NULL ORDER BY starttime DESC, id DESC LIMIT 1";

/// The history in a MariaDB database.
pub type MariaDbHistory = SqlHistory<MariaDbDialect>;

/// MariaDB's statements.
#[derive(Debug)]
pub struct MariaDbDialect {
    table: Arc<Table>,
}

impl MariaDbHistory {
    /// Prepares a pool; nothing is connected yet. What [`Self::check`] of any history finds out about the
    /// table is known to all that share `table`. Must be called within a runtime.
    ///
    /// # Errors
    /// The address or a setting cannot be used.
    pub fn new(settings: &SqlSettings, table: Arc<Table>) -> Result<Self, HistoryError> {
        let zone = match settings.zone()? {
            "UTC" => "+00:00".to_owned(),
            zone => zone.to_owned(),
        };
        let options = MySqlConnectOptions::from_str(&settings.url)
            .map_err(|error| HistoryError::Refused(error.to_string()))?
            .timezone(zone);
        let pool = super::connection::pool(settings)
            .after_connect(|connection: &mut MySqlConnection, _| {
                Box::pin(async move {
                    let level = "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED";
                    connection.execute(level).await.map(drop)
                })
            })
            .connect_lazy_with(options);
        Ok(Self::with(pool, MariaDbDialect { table }))
    }

    /// Connects and looks at the table, which is created first where the settings say so; what is odd
    /// about it comes back.
    ///
    /// # Errors
    /// The database cannot be reached, or the table is not there.
    pub async fn check(&self, create_schema: bool) -> Result<Vec<String>, HistoryError> {
        if create_schema {
            sqlx::raw_sql(SCHEMA).execute(&self.pool).await.map_err(|error| failed(&error))?;
        }
        self.dialect.table.look(&self.pool).await
    }
}

type Scalar<'q, T> = QueryScalar<'q, MySql, T, MySqlArguments>;

fn bind_key<'q, T>(query: Scalar<'q, T>, key: OperationKey<'q>) -> Scalar<'q, T> {
    let OperationKey { actor, operation, target } = key;
    let query = query.bind(actor).bind(operation).bind(target);
    query.bind(actor).bind(operation).bind(target)
}

fn counting(form: Form, key: OperationKey<'_>, window: Window) -> Scalar<'_, i64> {
    let statement = AssertSqlSafe(format!(
        "SELECT count(*) {OF_KEY} AND BINARY outcome <> 'Failure_Guard'{}",
        form.window()
    ));
    bind_key(sqlx::query_scalar(statement), key).bind(window.seconds())
}

fn bucket(key: OperationKey<'_>) -> i64 {
    // The same in every replica: a hash with fixed keys.
    #[allow(deprecated)]
    let mut hasher = std::hash::SipHasher::new();
    lock_text(key).hash(&mut hasher);
    i64::try_from(hasher.finish() % BUCKETS).unwrap_or_default()
}

impl Dialect for MariaDbDialect {
    type Db = MySql;

    fn numbers_rows(&self) -> bool {
        self.table.form().own_ids
    }

    fn explain(&self, error: &sqlx::Error) -> HistoryError {
        match error {
            sqlx::Error::Database(error)
                if error.code().as_deref() == Some("42S02")
                    && error.message().contains("pdp_permit_lock") =>
            {
                HistoryError::Refused(
                    "the table `pdp_permit_lock` is missing: CREATE TABLE pdp_permit_lock \
                     (bucket INT NOT NULL, PRIMARY KEY (bucket)), or set history.create_schema"
                        .into(),
                )
            }
            other => failed(other),
        }
    }

    async fn take_ids(&self, on: &mut MySqlConnection) -> sqlx::Result<i64> {
        // LAST_INSERT_ID with a value hands it to this connection alone.
        let taken = sqlx::query(
            "UPDATE ophistory_id_sequence SET SEQ_COUNT = LAST_INSERT_ID(SEQ_COUNT + ?) \
             WHERE SEQ_NAME = 'SEQ_GEN'",
        );
        let taken = taken.bind(BLOCK).execute(on).await?;
        if taken.rows_affected() == 0 {
            return Err(sqlx::Error::Configuration(NO_SEQUENCE.into()));
        }
        Ok(i64::try_from(taken.last_insert_id()).unwrap_or(i64::MAX))
    }

    async fn now(&self, on: &mut MySqlConnection) -> sqlx::Result<i64> {
        let now = "SELECT CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)";
        sqlx::query_scalar(now).fetch_one(on).await
    }

    async fn count(
        &self,
        on: &mut MySqlConnection,
        key: OperationKey<'_>,
        window: Window,
    ) -> sqlx::Result<i64> {
        counting(self.table.form(), key, window).fetch_one(on).await
    }

    async fn last(
        &self,
        on: &mut MySqlConnection,
        name: &str,
    ) -> sqlx::Result<Option<Option<String>>> {
        sqlx::query_scalar(LAST).bind(name).bind(name).fetch_optional(on).await
    }

    async fn insert(
        &self,
        on: &mut MySqlConnection,
        id: Option<i64>,
        row: &Operation,
    ) -> sqlx::Result<()> {
        rows::insert(on, id, row).await
    }

    const BEGIN: &'static str = "START TRANSACTION";

    async fn lock(&self, on: &mut MySqlConnection, key: OperationKey<'_>) -> sqlx::Result<()> {
        // The row is locked whether it was there or not.
        let lock = sqlx::query(
            "INSERT INTO pdp_permit_lock (bucket) VALUES (?) ON DUPLICATE KEY UPDATE bucket = bucket",
        );
        lock.bind(bucket(key)).execute(on).await?;
        Ok(())
    }

    async fn has(&self, on: &mut MySqlConnection, id: i64) -> sqlx::Result<bool> {
        let has = sqlx::query("SELECT 1 FROM operationshistory WHERE id = ?").bind(id);
        Ok(has.fetch_optional(on).await?.is_some())
    }

    async fn permitted(
        &self,
        on: &mut MySqlConnection,
        key: OperationKey<'_>,
        request: &str,
    ) -> sqlx::Result<bool> {
        let statement = AssertSqlSafe(format!(
            "SELECT 1 {OF_KEY} AND outcome = ? AND requestId = ? \
             AND BINARY CONVERT(requestId USING utf8mb4) = ? LIMIT 1"
        ));
        let known: Scalar<'_, i64> = bind_key(sqlx::query_scalar(statement), key);
        let known = known.bind(PERMITTED).bind(request).bind(request);
        Ok(known.fetch_optional(on).await?.is_some())
    }

    async fn counts(
        &self,
        on: &mut MySqlConnection,
        permit: &Permit<'_>,
    ) -> sqlx::Result<Vec<i64>> {
        let mut counts = Vec::with_capacity(permit.limits.len());
        for (window, _) in permit.limits {
            counts
                .push(counting(self.table.form(), permit.key, *window).fetch_one(&mut *on).await?);
        }
        Ok(counts)
    }

    async fn insert_permit(
        &self,
        on: &mut MySqlConnection,
        id: Option<i64>,
        permit: &Permit<'_>,
    ) -> sqlx::Result<()> {
        let (column, value) = if id.is_some() { ("id, ", "?, ") } else { ("", "") };
        let statement = AssertSqlSafe(format!(
            "INSERT INTO operationshistory ({column}closedLoopName, requestId, actor, operation, \
             target, outcome, starttime, endtime) \
             VALUES ({value}{}, ?, ?, ?, ?, ?, SYSDATE(6), SYSDATE(6))",
            // The older form of the table wants a loop in every row.
            if self.table.form().own_ids { "''" } else { "NULL" }
        ));
        let mut row = sqlx::query(statement);
        if let Some(id) = id {
            row = row.bind(id);
        }
        let key = permit.key;
        // So it does a request.
        let request = permit.request_id.or(id.is_none().then_some(""));
        let row = row.bind(request).bind(key.actor).bind(key.operation);
        row.bind(key.target).bind(PERMITTED).execute(on).await?;
        Ok(())
    }

    async fn rows(
        &self,
        on: &mut MySqlConnection,
        listing: &Listing<'_>,
    ) -> sqlx::Result<Vec<Operation>> {
        rows::listed(on, listing).await
    }

    async fn page(
        &self,
        on: &mut MySqlConnection,
        after: i64,
        limit: i64,
    ) -> sqlx::Result<Vec<Operation>> {
        rows::page(on, after, limit).await
    }

    async fn forget(&self, on: &mut MySqlConnection, age: SignedDuration) -> sqlx::Result<u64> {
        let old = sqlx::query(
            "DELETE FROM operationshistory WHERE COALESCE(endtime, starttime) < \
             NOW(6) - INTERVAL ? SECOND",
        );
        Ok(old.bind(age.as_secs()).execute(on).await?.rows_affected())
    }
}
