//! Rows that can be listed: a stream of the latest. Counts do not need them.

use std::collections::HashMap;

use jiff::Timestamp;
use pdp_onap::history::{HistoryError, Listing, Operation};

use super::{RedisHistory, failed};

/// Rows that can be listed; counts do not need them.
const ROWS: usize = 100_000;
/// Rows that are read at a time where few of many are asked for.
const PAGE: usize = 1_000;
const STREAM: &str = "pdp:rows";

impl RedisHistory {
    /// Adds a row to those that can be listed.
    pub(super) async fn keep(&self, row: &Operation) -> Result<(), HistoryError> {
        let mut to = self.connection.clone();
        let mut command = redis::cmd("XADD");
        command.arg(STREAM).arg("MAXLEN").arg("~").arg(ROWS).arg("*");
        for (name, text) in texts(row) {
            if let Some(text) = text {
                command.arg(name).arg(text);
            }
        }
        for (name, time) in [("starttime", row.start_time), ("endtime", row.end_time)] {
            if let Some(time) = time {
                command.arg(name).arg(time.as_microsecond());
            }
        }
        // A stream's entry has at least one field.
        command.arg("v").arg(1);
        let added: Result<String, _> = command.query_async(&mut to).await;
        added.map(drop).map_err(|error| failed(&error))
    }

    /// Rows that are asked for, the latest first.
    pub(super) async fn rows(&self, listing: Listing<'_>) -> Result<Vec<Operation>, HistoryError> {
        let mut to = self.connection.clone();
        let mut found = Vec::new();
        let mut until = "+".to_owned();
        while found.len() < listing.limit {
            let page: Result<Vec<Entry>, _> = redis::cmd("XREVRANGE")
                .arg(STREAM)
                .arg(&until)
                .arg("-")
                .arg("COUNT")
                .arg(PAGE)
                .query_async(&mut to)
                .await;
            let page = page.map_err(|error| failed(&error))?;
            let Some((oldest, _)) = page.last() else { break };
            until = format!("({oldest}");
            let last = page.len() < PAGE;
            let rows = page.iter().map(|(_, fields)| operation(fields));
            found
                .extend(rows.filter(|row| listing.includes(row)).take(listing.limit - found.len()));
            if last {
                break;
            }
        }
        Ok(found)
    }

    /// The rows after a place, in the order in which they were recorded, and the place after them; none:
    /// there are no more.
    ///
    /// # Errors
    /// Redis does not answer, or refuses.
    pub async fn page(
        &self,
        after: Option<&str>,
    ) -> Result<(Vec<Operation>, Option<String>), HistoryError> {
        let mut to = self.connection.clone();
        let from = after.map_or_else(|| "-".to_owned(), |after| format!("({after}"));
        let page: Result<Vec<Entry>, _> = redis::cmd("XRANGE")
            .arg(STREAM)
            .arg(from)
            .arg("+")
            .arg("COUNT")
            .arg(PAGE)
            .query_async(&mut to)
            .await;
        let page = page.map_err(|error| failed(&error))?;
        let rows = page.iter().map(|(_, fields)| operation(fields)).collect();
        Ok((rows, page.into_iter().last().map(|(id, _)| id)))
    }

    /// How many rows were recorded and are not listed any more.
    ///
    /// # Errors
    /// Redis does not answer, or refuses.
    pub async fn dropped(&self) -> Result<u64, HistoryError> {
        let mut to = self.connection.clone();
        let about: Result<HashMap<String, redis::Value>, _> =
            redis::cmd("XINFO").arg("STREAM").arg(STREAM).query_async(&mut to).await;
        match about {
            Ok(about) => {
                let number = |name: &str| match about.get(name) {
                    Some(redis::Value::Int(number)) => u64::try_from(*number).unwrap_or_default(),
                    _ => 0,
                };
                Ok(number("entries-added").saturating_sub(number("length")))
            }
            // No row has been recorded yet.
            Err(error) if matches!(failed(&error), HistoryError::Refused(_)) => Ok(0),
            Err(error) => Err(failed(&error)),
        }
    }
}

/// An entry of a stream: its id, and names with values.
type Entry = (String, Vec<(String, String)>);

fn texts(row: &Operation) -> [(&'static str, Option<&str>); 8] {
    [
        ("closedLoopName", row.closed_loop_name.as_deref()),
        ("requestId", row.request_id.as_deref()),
        ("subrequestId", row.subrequest_id.as_deref()),
        ("actor", row.actor.as_deref()),
        ("operation", row.operation.as_deref()),
        ("target", row.target.as_deref()),
        ("outcome", row.outcome.as_deref()),
        ("message", row.message.as_deref()),
    ]
}

fn operation(fields: &[(String, String)]) -> Operation {
    let text =
        |name: &str| fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    let time = |name: &str| {
        let micros = text(name)?.parse().ok()?;
        Timestamp::from_microsecond(micros).ok()
    };
    Operation {
        id: None,
        closed_loop_name: text("closedLoopName"),
        request_id: text("requestId"),
        subrequest_id: text("subrequestId"),
        actor: text("actor"),
        operation: text("operation"),
        target: text("target"),
        start_time: time("starttime"),
        outcome: text("outcome"),
        message: text("message"),
        end_time: time("endtime"),
    }
}
