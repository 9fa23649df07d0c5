//! MariaDB.
//!
//! Its texts compare without case and without blanks at the end; keys do neither. So each comparison is
//! written twice: once for the index, once exactly.

use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::{SignedDuration, Timestamp};
use pdp_onap::history::{
    Admission, HistoryError, Listing, Operation, OperationKey, PERMITTED, Permit, Progress,
    Question, Reply, Window,
};
use sqlx::mysql::{MySqlArguments, MySqlConnectOptions, MySqlPoolOptions, MySqlRow};
use sqlx::query::{Query, QueryScalar};
use sqlx::{AssertSqlSafe, Connection, Executor, MySql, MySqlPool, QueryBuilder, Row};

use super::{BLOCK, IDLE, Ids, SqlSettings, attempt, failed, from_micros, lock_text, micros};
use crate::asynchronous::{AsyncHistory, Later};

const SCHEMA: &str = include_str!("schema/mariadb.sql");
/// Rows that keys are spread over when they are locked.
const BUCKETS: u64 = 1024;
/// The server gave up a transaction that waited for another in a circle.
const DEADLOCK: &str = "40001";

/// Rows of a key that count; six texts are bound.
const COUNTED: &str = "FROM operationshistory WHERE actor = ? AND operation = ? AND target = ? \
    AND BINARY CONVERT(actor USING utf8mb4) = ? AND BINARY CONVERT(operation USING utf8mb4) = ? \
    AND BINARY CONVERT(target USING utf8mb4) = ?";

const LAST: &str = "SELECT CONVERT(outcome USING utf8mb4) FROM operationshistory \
    WHERE closedLoopName = ? AND BINARY CONVERT(closedLoopName USING utf8mb4) = ? \
    AND starttime IS NOT NULL ORDER BY starttime DESC, id DESC LIMIT 1";

const COLUMNS: &str = "closedLoopName, requestId, subrequestId, actor, operation, target, outcome, \
    message, starttime, endtime";
const VALUES: &str = "?, ?, ?, ?, ?, ?, ?, ?, FROM_UNIXTIME(? * 0.000001), \
    FROM_UNIXTIME(? * 0.000001)";

const LIST: &str = "SELECT CAST(id AS SIGNED), closedLoopName, requestId, subrequestId, actor, \
    operation, target, outcome, message, CAST(UNIX_TIMESTAMP(starttime) * 1000000 AS SIGNED), \
    CAST(UNIX_TIMESTAMP(endtime) * 1000000 AS SIGNED) FROM operationshistory WHERE true";

/// The history in a MariaDB database.
#[derive(Debug)]
pub struct MariaDbHistory {
    pool: MySqlPool,
    ids: Ids,
    table: Arc<Table>,
}

/// What is known about the table, shared by all that ask it.
#[derive(Debug, Default)]
pub struct Table {
    whole_seconds: AtomicBool,
    own_ids: AtomicBool,
}

/// What there is to know about the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Form {
    /// `endtime` keeps whole seconds: an end was cut off to the second before it, and so is the
    /// beginning of a window.
    whole_seconds: bool,
    /// The table numbers its rows itself.
    own_ids: bool,
}

impl Form {
    /// The condition that an end lies in a window; its length is bound.
    const fn window(self) -> &'static str {
        if self.whole_seconds {
            " AND endtime >= FROM_UNIXTIME(FLOOR(UNIX_TIMESTAMP(NOW(6)) - ?)) AND endtime <= NOW(6)"
        } else {
            " AND endtime >= NOW(6) - INTERVAL ? SECOND AND endtime <= NOW(6)"
        }
    }
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
        let pool = MySqlPoolOptions::new()
            .max_connections(settings.connections)
            .acquire_timeout(settings.patience)
            .test_before_acquire(false)
            .after_connect(|connection, _| {
                Box::pin(async move {
                    connection
                        .execute("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
                        .await?;
                    Ok(())
                })
            })
            .before_acquire(|connection, about| {
                Box::pin(async move {
                    if about.idle_for > IDLE {
                        connection.ping().await?;
                    }
                    Ok(true)
                })
            })
            .connect_lazy_with(options);
        Ok(Self { pool, ids: Ids::default(), table })
    }

    fn form(&self) -> Form {
        Form {
            whole_seconds: self.table.whole_seconds.load(Ordering::Relaxed),
            own_ids: self.table.own_ids.load(Ordering::Relaxed),
        }
    }

    /// Connects and looks at the table, which is created first where the settings say so; what is odd
    /// about it comes back.
    ///
    /// # Errors
    /// The database cannot be reached, or the table is not there.
    pub async fn check(&self, create_schema: bool) -> Result<Vec<String>, HistoryError> {
        let fault = |error: sqlx::Error| super::unavailable(&error);
        if create_schema {
            sqlx::raw_sql(SCHEMA).execute(&self.pool).await.map_err(fault)?;
        }
        let mut warnings = Vec::new();
        let form = self.look(&mut warnings).await.map_err(fault)?.ok_or_else(|| {
            HistoryError::Refused(
                "there is no table `operationshistory`: run ONAP's migration, or set \
                 history.create_schema"
                    .into(),
            )
        })?;
        self.table.whole_seconds.store(form.whole_seconds, Ordering::Relaxed);
        self.table.own_ids.store(form.own_ids, Ordering::Relaxed);
        let indexed: i64 = sqlx::query_scalar(
            "SELECT CAST(count(DISTINCT column_name) AS SIGNED) FROM information_schema.statistics \
             WHERE table_schema = DATABASE() AND table_name = 'operationshistory' \
             AND column_name IN ('actor', 'operation', 'target') AND seq_in_index <= 3",
        )
        .fetch_one(&self.pool)
        .await
        .map_err(fault)?;
        if indexed < 3 {
            warnings.push(
                "no index begins with actor, operation and target: each count reads the whole table; \
                 CREATE INDEX operationshistory_target_index ON operationshistory (target, \
                 operation, actor, endtime)"
                    .into(),
            );
        }
        Ok(warnings)
    }

    /// Looks at the columns; none: there is no such table.
    async fn look(&self, warnings: &mut Vec<String>) -> Result<Option<Form>, sqlx::Error> {
        let columns: Vec<(String, String, Option<i64>, String)> = sqlx::query_as(
            "SELECT CONVERT(LOWER(column_name) USING utf8mb4), \
             CONVERT(LOWER(data_type) USING utf8mb4), CAST(datetime_precision AS SIGNED), \
             CONVERT(LOWER(extra) USING utf8mb4) FROM information_schema.columns \
             WHERE table_schema = DATABASE() AND table_name = 'operationshistory'",
        )
        .fetch_all(&self.pool)
        .await?;
        if columns.is_empty() {
            return Ok(None);
        }
        let mut form = Form::default();
        for (name, data_type, precision, extra) in columns {
            if name == "endtime" && precision == Some(0) {
                form.whole_seconds = true;
                warnings.push(
                    "the column `endtime` keeps whole seconds: a window begins at the whole second \
                     before it, so that it never counts too little; ALTER TABLE operationshistory \
                     MODIFY endtime TIMESTAMP(6) NULL"
                        .into(),
                );
            }
            if name == "endtime" && data_type == "datetime" {
                warnings.push(
                    "the column `endtime` is a DATETIME, which knows no time zone: \
                     history.time_zone must name the one that its writers use"
                        .into(),
                );
            }
            form.own_ids |= name == "id" && extra.contains("auto_increment");
        }
        Ok(Some(form))
    }

    async fn next_id(&self) -> Result<i64, sqlx::Error> {
        if let Some(id) = self.ids.next() {
            return Ok(id);
        }
        // LAST_INSERT_ID with a value hands it to this connection alone.
        let done = sqlx::query(
            "UPDATE ophistory_id_sequence SET SEQ_COUNT = LAST_INSERT_ID(SEQ_COUNT + ?) \
             WHERE SEQ_NAME = 'SEQ_GEN'",
        )
        .bind(BLOCK)
        .execute(&self.pool)
        .await?;
        if done.rows_affected() == 0 {
            return Err(sqlx::Error::Configuration(
                "the table `ophistory_id_sequence` has no row SEQ_GEN".into(),
            ));
        }
        Ok(self.ids.take(i64::try_from(done.last_insert_id()).unwrap_or(i64::MAX)))
    }

    /// The id for a new row; none where the table numbers its rows.
    async fn id(&self) -> Result<Option<i64>, HistoryError> {
        if self.form().own_ids {
            return Ok(None);
        }
        attempt!(self.next_id()).map(Some)
    }

    async fn count(&self, key: OperationKey<'_>, window: Window) -> Result<u64, HistoryError> {
        let count = attempt!(counting(self.form(), key, window).fetch_one(&self.pool))?;
        Ok(u64::try_from(count).unwrap_or_default())
    }

    async fn last(&self, name: &str) -> Result<Option<Progress>, HistoryError> {
        let last: Option<Option<String>> =
            attempt!(sqlx::query_scalar(LAST).bind(name).bind(name).fetch_optional(&self.pool))?;
        Ok(last.map(|outcome| Progress::of_outcome(outcome.as_deref())))
    }

    async fn insert(&self, row: Operation) -> Result<(), HistoryError> {
        match self.id().await? {
            // The id makes it safe to try again: what is there already is left alone.
            Some(id) => attempt!(inserting(Some(id), &row).execute(&self.pool))?,
            None => inserting(None, &row)
                .execute(&self.pool)
                .await
                .map_err(|error| super::unavailable(&error))?,
        };
        Ok(())
    }

    async fn admit(&self, permit: Permit<'_>) -> Result<Admission, HistoryError> {
        let id = self.id().await?;
        let mut attempts = 1;
        loop {
            match self.admit_as(id, &permit).await {
                // Rolled back by the server: nothing of it has happened.
                Err(sqlx::Error::Database(error))
                    if attempts < super::ATTEMPTS && error.code().as_deref() == Some(DEADLOCK) =>
                {
                    attempts += 1;
                }
                // Without an id of its own, a row that may be there cannot be told from another.
                Err(error)
                    if attempts < super::ATTEMPTS
                        && id.is_some()
                        && super::connection_lost(&error) =>
                {
                    attempts += 1;
                }
                Err(error) if is_missing_lock(&error) => {
                    return Err(HistoryError::Refused(
                        "the table `pdp_permit_lock` is missing: CREATE TABLE pdp_permit_lock \
                         (bucket INT NOT NULL, PRIMARY KEY (bucket)), or set history.create_schema"
                            .into(),
                    ));
                }
                other => return other.map_err(|error| super::unavailable(&error)),
            }
        }
    }

    async fn admit_as(
        &self,
        id: Option<i64>,
        permit: &Permit<'_>,
    ) -> Result<Admission, sqlx::Error> {
        let key = permit.key;
        let form = self.form();
        let mut work = self.pool.begin().await?;
        // The row is locked whether it was there or not.
        sqlx::query(
            "INSERT INTO pdp_permit_lock (bucket) VALUES (?) ON DUPLICATE KEY UPDATE bucket = bucket",
        )
        .bind(bucket(key))
        .execute(&mut *work)
        .await?;
        if let Some(request) = permit.request_id {
            let known = AssertSqlSafe(format!(
                "SELECT CAST(id AS SIGNED) {COUNTED} AND outcome = ? AND requestId = ? LIMIT 1"
            ));
            let known: Option<i64> = bind_key(sqlx::query_scalar(known), key)
                .bind(PERMITTED)
                .bind(request)
                .fetch_optional(&mut *work)
                .await?;
            if let Some(known) = known {
                work.rollback().await?;
                let ours = Some(known) == id;
                return Ok(if ours { Admission::Recorded } else { Admission::Known });
            }
        }
        let mut counts = Vec::with_capacity(permit.limits.len());
        for (window, _) in permit.limits {
            let count = counting(form, key, *window).fetch_one(&mut *work).await?;
            counts.push(u64::try_from(count).unwrap_or_default());
        }
        if counts.iter().zip(permit.limits).any(|(count, (_, limit))| count >= limit) {
            work.rollback().await?;
            return Ok(Admission::Refused(counts));
        }
        let (column, value) = if id.is_some() { ("id, ", "?, ") } else { ("", "") };
        let statement = AssertSqlSafe(format!(
            "INSERT INTO operationshistory ({column}closedLoopName, requestId, actor, operation, \
             target, outcome, starttime, endtime) VALUES ({value}{}, ?, ?, ?, ?, ?, NOW(6), NOW(6))",
            // The older form of the table wants a loop in every row.
            if form.own_ids { "''" } else { "NULL" }
        ));
        let mut statement = sqlx::query(statement);
        if let Some(id) = id {
            statement = statement.bind(id);
        }
        statement
            .bind(permit.request_id)
            .bind(key.actor)
            .bind(key.operation)
            .bind(key.target)
            .bind(PERMITTED)
            .execute(&mut *work)
            .await?;
        work.commit().await?;
        Ok(Admission::Recorded)
    }

    async fn rows(&self, listing: Listing<'_>) -> Result<Vec<Operation>, HistoryError> {
        let mut query: QueryBuilder<MySql> = QueryBuilder::new(LIST);
        for (column, value) in [
            ("actor", listing.actor),
            ("operation", listing.operation),
            ("target", listing.target),
            ("closedLoopName", listing.closed_loop_name),
        ] {
            if let Some(value) = value {
                query.push(format_args!(" AND {column} = ")).push_bind(value.to_owned());
                query.push(format_args!(" AND BINARY CONVERT({column} USING utf8mb4) = "));
                query.push_bind(value.to_owned());
            }
        }
        if let Some(since) = listing.since {
            query
                .push(" AND COALESCE(endtime, starttime) >= FROM_UNIXTIME(")
                .push_bind(micros(since))
                .push(" * 0.000001)");
        }
        query.push(" ORDER BY id DESC LIMIT ");
        query.push_bind(i64::try_from(listing.limit).unwrap_or(i64::MAX));
        let rows = query.build().fetch_all(&self.pool).await.map_err(|e| failed(&e))?;
        rows.iter().map(operation).collect::<Result<_, _>>().map_err(|error| failed(&error))
    }

    async fn forget(&self, age: SignedDuration) -> Result<u64, HistoryError> {
        let done = sqlx::query(
            "DELETE FROM operationshistory WHERE COALESCE(endtime, starttime) < \
             NOW(6) - INTERVAL ? SECOND",
        )
        .bind(age.as_secs())
        .execute(&self.pool)
        .await
        .map_err(|error| failed(&error))?;
        Ok(done.rows_affected())
    }
}

fn counting(
    form: Form,
    key: OperationKey<'_>,
    window: Window,
) -> QueryScalar<'_, MySql, i64, MySqlArguments> {
    let statement = AssertSqlSafe(format!(
        "SELECT count(*) {COUNTED} AND BINARY outcome <> 'Failure_Guard'{}",
        form.window()
    ));
    bind_key(sqlx::query_scalar(statement), key).bind(window.seconds())
}

fn bind_key<'q>(
    query: QueryScalar<'q, MySql, i64, MySqlArguments>,
    key: OperationKey<'q>,
) -> QueryScalar<'q, MySql, i64, MySqlArguments> {
    let OperationKey { actor, operation, target } = key;
    let query = query.bind(actor).bind(operation).bind(target);
    query.bind(actor).bind(operation).bind(target)
}

fn inserting(id: Option<i64>, row: &Operation) -> Query<'_, MySql, MySqlArguments> {
    let statement = match id {
        // Not IGNORE, which would cut a text that is too long without a word.
        Some(_) => format!(
            "INSERT INTO operationshistory (id, {COLUMNS}) VALUES (?, {VALUES}) \
             ON DUPLICATE KEY UPDATE id = id"
        ),
        None => format!("INSERT INTO operationshistory ({COLUMNS}) VALUES ({VALUES})"),
    };
    let mut query = sqlx::query(AssertSqlSafe(statement));
    if let Some(id) = id {
        query = query.bind(id);
    }
    query
        .bind(row.closed_loop_name.as_deref())
        .bind(row.request_id.as_deref())
        .bind(row.subrequest_id.as_deref())
        .bind(row.actor.as_deref())
        .bind(row.operation.as_deref())
        .bind(row.target.as_deref())
        .bind(row.outcome.as_deref())
        .bind(row.message.as_deref())
        .bind(row.start_time.map(micros))
        .bind(row.end_time.map(micros))
}

fn bucket(key: OperationKey<'_>) -> i64 {
    // The same in every replica: a hash with fixed keys.
    #[allow(deprecated)]
    let mut hasher = std::hash::SipHasher::new();
    lock_text(key).hash(&mut hasher);
    i64::try_from(hasher.finish() % BUCKETS).unwrap_or_default()
}

fn is_missing_lock(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Database(error)
        if error.code().as_deref() == Some("42S02") && error.message().contains("pdp_permit_lock"))
}

fn operation(row: &MySqlRow) -> Result<Operation, sqlx::Error> {
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

impl AsyncHistory for MariaDbHistory {
    fn now(&self) -> Later<'_, Timestamp> {
        Box::pin(async {
            let now: i64 = attempt!(
                sqlx::query_scalar("SELECT CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)")
                    .fetch_one(&self.pool)
            )?;
            Ok(from_micros(Some(now)).unwrap_or_default())
        })
    }

    fn answer<'a>(&'a self, question: Question<'a>) -> Later<'a, Reply> {
        Box::pin(async move {
            match question {
                Question::Count(key, window) => self.count(key, window).await.map(Reply::Count),
                Question::LastOutcome(name) => self.last(name).await.map(Reply::LastOutcome),
            }
        })
    }

    fn record(&self, operation: Operation) -> Later<'_, ()> {
        Box::pin(self.insert(operation))
    }

    fn record_if<'a>(&'a self, permit: Permit<'a>) -> Later<'a, Admission> {
        Box::pin(self.admit(permit))
    }

    fn list<'a>(&'a self, listing: Listing<'a>) -> Later<'a, Vec<Operation>> {
        Box::pin(self.rows(listing))
    }

    fn prune(&self, age: SignedDuration) -> Later<'_, u64> {
        Box::pin(self.forget(age))
    }
}
