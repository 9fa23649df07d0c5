//! PostgreSQL.

use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use pdp_onap::history::{
    Admission, HistoryError, Listing, Operation, OperationKey, PERMITTED, Permit, Progress,
    Question, Reply, Window,
};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions, PgRow};
use sqlx::{Connection, PgPool, Postgres, QueryBuilder, Row};

use super::{BLOCK, IDLE, Ids, SqlSettings, attempt, failed, from_micros, lock_text, micros};
use crate::asynchronous::{AsyncHistory, Later};

const SCHEMA: &str = include_str!("schema/postgres.sql");

const COUNT: &str = "SELECT count(*) FROM operationshistory WHERE outcome <> 'Failure_Guard' \
    AND actor = $1 AND operation = $2 AND target = $3 \
    AND endtime >= statement_timestamp() - make_interval(secs => $4) \
    AND endtime <= statement_timestamp()";

const COUNTS: &str = "SELECT (SELECT count(*) FROM operationshistory \
    WHERE outcome <> 'Failure_Guard' AND actor = $1 AND operation = $2 AND target = $3 \
    AND endtime >= statement_timestamp() - make_interval(secs => length) \
    AND endtime <= statement_timestamp()) \
    FROM unnest($4::float8[]) WITH ORDINALITY AS windows(length, number) ORDER BY number";

const LAST: &str = "SELECT outcome FROM operationshistory WHERE closedLoopName = $1 \
    AND starttime IS NOT NULL ORDER BY starttime DESC, id DESC LIMIT 1";

const KNOWN: &str = "SELECT id FROM operationshistory WHERE requestId = $1 AND actor = $2 \
    AND operation = $3 AND target = $4 AND outcome = $5 LIMIT 1";

const INSERT: &str = "INSERT INTO operationshistory (id, closedLoopName, requestId, subrequestId, \
    actor, operation, target, outcome, message, starttime, endtime) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, \
    timestamptz 'epoch' + $10::float8 * interval '1 microsecond', \
    timestamptz 'epoch' + $11::float8 * interval '1 microsecond') ON CONFLICT (id) DO NOTHING";

const INSERT_NOW: &str = "INSERT INTO operationshistory (id, requestId, actor, operation, target, \
    outcome, starttime, endtime) \
    VALUES ($1, $2, $3, $4, $5, $6, statement_timestamp(), statement_timestamp())";

const LIST: &str = "SELECT id, closedLoopName, requestId, subrequestId, actor, operation, target, \
    outcome, message, (extract(epoch FROM starttime::timestamptz) * 1000000)::bigint, \
    (extract(epoch FROM endtime::timestamptz) * 1000000)::bigint FROM operationshistory WHERE true";

/// The history in a PostgreSQL database.
#[derive(Debug)]
pub struct PostgresHistory {
    pool: PgPool,
    ids: Ids,
}

impl PostgresHistory {
    /// Prepares a pool; nothing is connected yet. Must be called within a runtime.
    ///
    /// # Errors
    /// The address or a setting cannot be used.
    pub fn new(settings: &SqlSettings) -> Result<Self, HistoryError> {
        let options = PgConnectOptions::from_str(&settings.url)
            .map_err(|error| HistoryError::Refused(error.to_string()))?
            .application_name("pdp")
            .options([("TimeZone", settings.zone()?)]);
        let pool = PgPoolOptions::new()
            .max_connections(settings.connections)
            .acquire_timeout(settings.patience)
            .test_before_acquire(false)
            .before_acquire(|connection, about| {
                Box::pin(async move {
                    if about.idle_for > IDLE {
                        connection.ping().await?;
                    }
                    Ok(true)
                })
            })
            .connect_lazy_with(options);
        Ok(Self { pool, ids: Ids::default() })
    }

    /// Connects and looks at the tables, which are created first where the settings say so; what is
    /// odd about them comes back.
    ///
    /// # Errors
    /// The database cannot be reached, or the tables are not there.
    pub async fn check(&self, create_schema: bool) -> Result<Vec<String>, HistoryError> {
        let fault = |error: sqlx::Error| super::unavailable(&error);
        if create_schema {
            sqlx::raw_sql(SCHEMA).execute(&self.pool).await.map_err(fault)?;
        }
        let columns: Vec<(String, String, Option<i32>)> = sqlx::query_as(
            "SELECT column_name::text, data_type::text, datetime_precision::int4 \
             FROM information_schema.columns \
             WHERE table_name = 'operationshistory' AND table_schema = ANY (current_schemas(false))",
        )
        .fetch_all(&self.pool)
        .await
        .map_err(fault)?;
        if columns.is_empty() {
            return Err(HistoryError::Refused(
                "there is no table `operationshistory`: run ONAP's migration, or set \
                 history.create_schema"
                    .into(),
            ));
        }
        let mut warnings = Vec::new();
        for (name, data_type, precision) in &columns {
            if name == "endtime" && precision.is_some_and(|digits| digits < 6) {
                warnings.push(format!(
                    "the column `endtime` ({data_type}) keeps {} digits of a second: windows are as \
                     exact as that",
                    precision.unwrap_or_default()
                ));
            }
        }
        let indexes: Vec<String> = sqlx::query_scalar(
            "SELECT indexdef::text FROM pg_indexes WHERE tablename = 'operationshistory'",
        )
        .fetch_all(&self.pool)
        .await
        .map_err(fault)?;
        let serves = |definition: &String| {
            ["actor", "operation", "target"].iter().all(|column| definition.contains(column))
        };
        if !indexes.iter().any(serves) {
            warnings.push(
                "no index begins with actor, operation and target: each count reads the whole table; \
                 CREATE INDEX operationshistory_target_index ON operationshistory (target, \
                 operation, actor, endtime)"
                    .into(),
            );
        }
        Ok(warnings)
    }

    async fn next_id(&self) -> Result<i64, sqlx::Error> {
        if let Some(id) = self.ids.next() {
            return Ok(id);
        }
        let last: Option<i64> = sqlx::query_scalar(
            "UPDATE ophistory_id_sequence SET SEQ_COUNT = SEQ_COUNT + $1 \
             WHERE SEQ_NAME = 'SEQ_GEN' RETURNING SEQ_COUNT",
        )
        .bind(BLOCK)
        .fetch_optional(&self.pool)
        .await?;
        let last = last.ok_or_else(|| {
            sqlx::Error::Configuration(
                "the table `ophistory_id_sequence` has no row SEQ_GEN".into(),
            )
        })?;
        Ok(self.ids.take(last))
    }

    async fn count(&self, key: OperationKey<'_>, window: Window) -> Result<u64, HistoryError> {
        let count: i64 = attempt!(
            sqlx::query_scalar(COUNT)
                .bind(key.actor)
                .bind(key.operation)
                .bind(key.target)
                .bind(seconds(window))
                .fetch_one(&self.pool)
        )?;
        Ok(u64::try_from(count).unwrap_or_default())
    }

    async fn last(&self, name: &str) -> Result<Option<Progress>, HistoryError> {
        let last: Option<Option<String>> =
            attempt!(sqlx::query_scalar(LAST).bind(name).fetch_optional(&self.pool))?;
        Ok(last.map(|outcome| Progress::of_outcome(outcome.as_deref())))
    }

    async fn insert(&self, row: Operation) -> Result<(), HistoryError> {
        // The id makes it safe to try again: what is there already is left alone.
        let id = attempt!(self.next_id())?;
        attempt!(
            sqlx::query(INSERT)
                .bind(id)
                .bind(row.closed_loop_name.as_deref())
                .bind(row.request_id.as_deref())
                .bind(row.subrequest_id.as_deref())
                .bind(row.actor.as_deref())
                .bind(row.operation.as_deref())
                .bind(row.target.as_deref())
                .bind(row.outcome.as_deref())
                .bind(row.message.as_deref())
                .bind(row.start_time.map(float_micros))
                .bind(row.end_time.map(float_micros))
                .execute(&self.pool)
        )?;
        Ok(())
    }

    async fn admit(&self, permit: Permit<'_>) -> Result<Admission, HistoryError> {
        let id = attempt!(self.next_id())?;
        attempt!(self.admit_as(id, &permit))
    }

    /// One transaction; where it is done again because its end was not heard of, its id is there.
    async fn admit_as(&self, id: i64, permit: &Permit<'_>) -> Result<Admission, sqlx::Error> {
        let key = permit.key;
        let mut work = self.pool.begin_with("BEGIN ISOLATION LEVEL READ COMMITTED").await?;
        sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
            .bind(lock_text(key))
            .execute(&mut *work)
            .await?;
        if let Some(request) = permit.request_id {
            let known: Option<i64> = sqlx::query_scalar(KNOWN)
                .bind(request)
                .bind(key.actor)
                .bind(key.operation)
                .bind(key.target)
                .bind(PERMITTED)
                .fetch_optional(&mut *work)
                .await?;
            if let Some(known) = known {
                work.rollback().await?;
                return Ok(if known == id { Admission::Recorded } else { Admission::Known });
            }
        }
        let lengths: Vec<f64> = permit.limits.iter().map(|(window, _)| seconds(*window)).collect();
        let counts: Vec<i64> = sqlx::query_scalar(COUNTS)
            .bind(key.actor)
            .bind(key.operation)
            .bind(key.target)
            .bind(lengths)
            .fetch_all(&mut *work)
            .await?;
        let counts: Vec<u64> =
            counts.into_iter().map(|count| u64::try_from(count).unwrap_or_default()).collect();
        if counts.iter().zip(permit.limits).any(|(count, (_, limit))| count >= limit) {
            work.rollback().await?;
            return Ok(Admission::Refused(counts));
        }
        sqlx::query(INSERT_NOW)
            .bind(id)
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
        let mut query: QueryBuilder<Postgres> = QueryBuilder::new(LIST);
        for (column, value) in [
            ("actor", listing.actor),
            ("operation", listing.operation),
            ("target", listing.target),
            ("closedLoopName", listing.closed_loop_name),
        ] {
            if let Some(value) = value {
                query.push(format_args!(" AND {column} = ")).push_bind(value.to_owned());
            }
        }
        if let Some(since) = listing.since {
            query
                .push(" AND coalesce(endtime, starttime) >= timestamptz 'epoch' + ")
                .push_bind(float_micros(since))
                .push(" * interval '1 microsecond'");
        }
        query.push(" ORDER BY id DESC LIMIT ");
        query.push_bind(i64::try_from(listing.limit).unwrap_or(i64::MAX));
        let rows = query.build().fetch_all(&self.pool).await.map_err(|e| failed(&e))?;
        rows.iter().map(operation).collect::<Result<_, _>>().map_err(|error| failed(&error))
    }

    async fn forget(&self, age: SignedDuration) -> Result<u64, HistoryError> {
        let done = sqlx::query(
            "DELETE FROM operationshistory WHERE coalesce(endtime, starttime) < \
             statement_timestamp() - make_interval(secs => $1)",
        )
        .bind(age.as_secs_f64())
        .execute(&self.pool)
        .await
        .map_err(|error| failed(&error))?;
        Ok(done.rows_affected())
    }
}

#[allow(clippy::cast_precision_loss)] // windows end at a thousand years
fn seconds(window: Window) -> f64 {
    window.seconds() as f64
}

#[allow(clippy::cast_precision_loss)] // 52 bits of microseconds are 142 years
fn float_micros(time: Timestamp) -> f64 {
    micros(time) as f64
}

fn operation(row: &PgRow) -> Result<Operation, sqlx::Error> {
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

impl AsyncHistory for PostgresHistory {
    fn now(&self) -> Later<'_, Timestamp> {
        Box::pin(async {
            let now: i64 = attempt!(
                sqlx::query_scalar(
                    "SELECT (extract(epoch FROM statement_timestamp()) * 1000000)::bigint"
                )
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
