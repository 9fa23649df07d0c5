//! Rows as they are written and listed.

use pdp_onap::history::{Listing, Operation};
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, MySql, QueryBuilder};

use crate::sql::{micros, operation};

const COLUMNS: &str = "closedLoopName, requestId, subrequestId, actor, operation, target, outcome, \
    message, starttime, endtime";
const VALUES: &str = "?, ?, ?, ?, ?, ?, ?, ?, FROM_UNIXTIME(? * 0.000001), \
    FROM_UNIXTIME(? * 0.000001)";

const LIST: &str = "SELECT CAST(id AS SIGNED), closedLoopName, requestId, subrequestId, actor, \
    operation, target, outcome, message, CAST(UNIX_TIMESTAMP(starttime) * 1000000 AS SIGNED), \
    CAST(UNIX_TIMESTAMP(endtime) * 1000000 AS SIGNED) FROM operationshistory WHERE true";

/// The times that a TIMESTAMP holds, in microseconds since 1970; any other would become none at all.
const TIMES: std::ops::RangeInclusive<i64> = 1_000_000..=2_147_483_647_999_999;

/// Adds a row; one whose id is there is left alone.
pub(super) async fn insert(
    on: &mut MySqlConnection,
    id: Option<i64>,
    row: &Operation,
) -> sqlx::Result<()> {
    let times = [row.start_time.map(micros), row.end_time.map(micros)];
    if times.iter().flatten().any(|time| !TIMES.contains(time)) {
        let reason = "a TIMESTAMP of this database holds the years 1970 to 2038";
        return Err(sqlx::Error::Configuration(reason.into()));
    }
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
        .bind(times[0])
        .bind(times[1])
        .execute(on)
        .await?;
    Ok(())
}

/// Rows that are asked for, the latest first.
pub(super) async fn listed(
    on: &mut MySqlConnection,
    listing: &Listing<'_>,
) -> sqlx::Result<Vec<Operation>> {
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
    query.build().fetch_all(on).await?.iter().map(operation).collect()
}

/// The rows after a number, in the order of their numbers.
pub(super) async fn page(
    on: &mut MySqlConnection,
    after: i64,
    limit: i64,
) -> sqlx::Result<Vec<Operation>> {
    let mut query: QueryBuilder<MySql> = QueryBuilder::new(LIST);
    query.push(" AND id > ").push_bind(after).push(" ORDER BY id LIMIT ").push_bind(limit);
    query.build().fetch_all(on).await?.iter().map(operation).collect()
}
