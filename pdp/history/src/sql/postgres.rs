//! PostgreSQL.

use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use pdp_onap::history::{
    HistoryError, Listing, Operation, OperationKey, PERMITTED, Permit, Window,
};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Executor, Postgres, QueryBuilder};

use super::history::{Dialect, SqlHistory};
use super::{BLOCK, NO_INDEX, NO_SEQUENCE, NO_TABLE, SqlSettings, failed, lock_text, micros};

const SCHEMA: &str = include_str!("schema/postgres.sql");

const COUNT: &str = "SELECT count(*) FROM operationshistory WHERE outcome <> 'Failure_Guard' \
    AND actor = $1 AND operation = $2 AND target = $3 \
    AND endtime >= statement_timestamp() - make_interval(secs => $4) \
    AND endtime <= statement_timestamp()";

const COUNTS: &str = "SELECT (SELECT count(*) FROM operationshistory \
    WHERE outcome <> 'Failure_Guard' AND actor = $1 AND operation = $2 AND target = $3 \
    AND endtime >= (SELECT clock_timestamp()) - make_interval(secs => length) \
    AND endtime <= (SELECT clock_timestamp())) \
    FROM unnest($4::float8[]) WITH ORDINALITY AS windows(length, number) ORDER BY number";

const LAST: &str = "SELECT outcome FROM operationshistory WHERE closedLoopName = $1 \
    AND starttime IS NOT NULL ORDER BY starttime DESC, id DESC LIMIT 1";

const PERMITTED_BEFORE: &str = "SELECT EXISTS (SELECT FROM operationshistory WHERE requestId = $1 \
    AND actor = $2 AND operation = $3 AND target = $4 AND outcome = $5)";

const INSERT: &str = "INSERT INTO operationshistory (id, closedLoopName, requestId, subrequestId, \
    actor, operation, target, outcome, message, starttime, endtime) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, \
    timestamptz 'epoch' + $10::float8 * interval '1 microsecond', \
    timestamptz 'epoch' + $11::float8 * interval '1 microsecond') ON CONFLICT (id) DO NOTHING";

const INSERT_PERMIT: &str = "INSERT INTO operationshistory (id, requestId, actor, operation, target, \
    outcome, starttime, endtime) SELECT $1, $2, $3, $4, $5, $6, now, now \
    FROM clock_timestamp() AS now";

const LIST: &str = "SELECT id, closedLoopName, requestId, subrequestId, actor, operation, target, \
    outcome, message, (extract(epoch FROM starttime::timestamptz) * 1000000)::bigint, \
    (extract(epoch FROM endtime::timestamptz) * 1000000)::bigint FROM operationshistory WHERE true";

/// The history in a PostgreSQL database.
pub type PostgresHistory = SqlHistory<PostgresDialect>;

/// PostgreSQL's statements.
#[derive(Clone, Copy, Debug)]
pub struct PostgresDialect;

impl PostgresHistory {
    /// Prepares a pool; nothing is connected yet. Must be called within a runtime.
    ///
    /// # Errors
    /// The address or a setting cannot be used.
    pub fn new(settings: &SqlSettings) -> Result<Self, HistoryError> {
        let options = PgConnectOptions::from_str(&settings.url)
            .map_err(|error| HistoryError::Refused(error.to_string()))?
            .application_name("pdp");
        // The driver asks for UTC itself, past any option of the address.
        let zone = format!("SET TimeZone TO '{}'", named(settings.zone()?));
        let pool = super::connection::pool(settings)
            .after_connect(move |connection: &mut PgConnection, _| {
                let zone = AssertSqlSafe(zone.clone());
                Box::pin(async move { connection.execute(zone).await.map(drop) })
            })
            .connect_lazy_with(options);
        Ok(Self::with(pool, PostgresDialect))
    }

    /// Connects and looks at the tables, which are created first where the settings say so; what is
    /// odd about them comes back.
    ///
    /// # Errors
    /// The database cannot be reached, or the tables are not there.
    pub async fn check(&self, create_schema: bool) -> Result<Vec<String>, HistoryError> {
        let fault = |error: sqlx::Error| failed(&error);
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
            return Err(HistoryError::Refused(NO_TABLE.into()));
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
            warnings.push(NO_INDEX.into());
        }
        Ok(warnings)
    }
}

/// A time zone as PostgreSQL names it. A bare offset it takes for one to the west, as POSIX does.
fn named(zone: &str) -> String {
    match (zone.strip_prefix('+'), zone.strip_prefix('-')) {
        (Some(east), _) => format!("<{zone}>-{east}"),
        (_, Some(west)) => format!("<{zone}>+{west}"),
        _ => zone.to_owned(),
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

impl Dialect for PostgresDialect {
    type Db = Postgres;

    const BEGIN: &'static str = "BEGIN ISOLATION LEVEL READ COMMITTED";

    async fn take_ids(&self, on: &mut PgConnection) -> sqlx::Result<i64> {
        let last = sqlx::query_scalar(
            "UPDATE ophistory_id_sequence SET SEQ_COUNT = SEQ_COUNT + $1 \
             WHERE SEQ_NAME = 'SEQ_GEN' RETURNING SEQ_COUNT",
        );
        let last: Option<i64> = last.bind(BLOCK).fetch_optional(on).await?;
        last.ok_or_else(|| sqlx::Error::Configuration(NO_SEQUENCE.into()))
    }

    async fn now(&self, on: &mut PgConnection) -> sqlx::Result<i64> {
        let now = "SELECT (extract(epoch FROM statement_timestamp()) * 1000000)::bigint";
        sqlx::query_scalar(now).fetch_one(on).await
    }

    async fn count(
        &self,
        on: &mut PgConnection,
        key: OperationKey<'_>,
        window: Window,
    ) -> sqlx::Result<i64> {
        let count = sqlx::query_scalar(COUNT).bind(key.actor).bind(key.operation).bind(key.target);
        count.bind(seconds(window)).fetch_one(on).await
    }

    async fn last(
        &self,
        on: &mut PgConnection,
        name: &str,
    ) -> sqlx::Result<Option<Option<String>>> {
        sqlx::query_scalar(LAST).bind(name).fetch_optional(on).await
    }

    async fn insert(
        &self,
        on: &mut PgConnection,
        id: Option<i64>,
        row: &Operation,
    ) -> sqlx::Result<()> {
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
            .execute(on)
            .await?;
        Ok(())
    }

    async fn lock(&self, on: &mut PgConnection, key: OperationKey<'_>) -> sqlx::Result<()> {
        let lock = sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))");
        lock.bind(lock_text(key)).execute(on).await?;
        Ok(())
    }

    async fn has(&self, on: &mut PgConnection, id: i64) -> sqlx::Result<bool> {
        let has = "SELECT EXISTS (SELECT FROM operationshistory WHERE id = $1)";
        sqlx::query_scalar(has).bind(id).fetch_one(on).await
    }

    async fn permitted(
        &self,
        on: &mut PgConnection,
        key: OperationKey<'_>,
        request: &str,
    ) -> sqlx::Result<bool> {
        let permitted = sqlx::query_scalar(PERMITTED_BEFORE).bind(request).bind(key.actor);
        permitted.bind(key.operation).bind(key.target).bind(PERMITTED).fetch_one(on).await
    }

    async fn counts(&self, on: &mut PgConnection, permit: &Permit<'_>) -> sqlx::Result<Vec<i64>> {
        let lengths: Vec<f64> = permit.limits.iter().map(|(window, _)| seconds(*window)).collect();
        let key = permit.key;
        let counts =
            sqlx::query_scalar(COUNTS).bind(key.actor).bind(key.operation).bind(key.target);
        counts.bind(lengths).fetch_all(on).await
    }

    async fn insert_permit(
        &self,
        on: &mut PgConnection,
        id: Option<i64>,
        permit: &Permit<'_>,
    ) -> sqlx::Result<()> {
        let key = permit.key;
        let row = sqlx::query(INSERT_PERMIT).bind(id).bind(permit.request_id).bind(key.actor);
        row.bind(key.operation).bind(key.target).bind(PERMITTED).execute(on).await?;
        Ok(())
    }

    async fn rows(
        &self,
        on: &mut PgConnection,
        listing: &Listing<'_>,
    ) -> sqlx::Result<Vec<Operation>> {
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
        query.build().fetch_all(on).await?.iter().map(super::operation).collect()
    }

    async fn page(
        &self,
        on: &mut PgConnection,
        after: i64,
        limit: i64,
    ) -> sqlx::Result<Vec<Operation>> {
        let mut query: QueryBuilder<Postgres> = QueryBuilder::new(LIST);
        query.push(" AND id > ").push_bind(after).push(" ORDER BY id LIMIT ").push_bind(limit);
        query.build().fetch_all(on).await?.iter().map(super::operation).collect()
    }

    async fn forget(&self, on: &mut PgConnection, age: SignedDuration) -> sqlx::Result<u64> {
        let old = sqlx::query(
            "DELETE FROM operationshistory WHERE coalesce(endtime, starttime) < \
             statement_timestamp() - make_interval(secs => $1)",
        );
        Ok(old.bind(age.as_secs_f64()).execute(on).await?.rows_affected())
    }
}
