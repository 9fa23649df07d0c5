//! Rows in the file, each with a sum over what it says, so that a changed byte is found.

use pdp_onap::history::Operation;
use rusqlite::{Row, Statement, params};

use super::file::timestamp;
use crate::windows::nanos;

pub(super) const SELECT: &str = "SELECT id, closed_loop_name, request_id, subrequest_id, actor, \
    operation, target, start_ns, outcome, message, end_ns, sum FROM operation ORDER BY id";
pub(super) const INSERT: &str = "INSERT INTO operation (id, closed_loop_name, request_id, \
    subrequest_id, actor, operation, target, start_ns, outcome, message, end_ns, sum) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/// A sum over values in their order.
#[derive(Debug, Default)]
pub(super) struct Sum(crc32fast::Hasher);

impl Sum {
    pub(super) fn text(&mut self, text: Option<&str>) {
        self.number(text.map(|text| i64::try_from(text.len()).unwrap_or(i64::MAX)));
        self.0.update(text.unwrap_or_default().as_bytes());
    }

    pub(super) fn number(&mut self, number: Option<i64>) {
        self.0.update(&[u8::from(number.is_some())]);
        self.0.update(&number.unwrap_or_default().to_le_bytes());
    }

    pub(super) fn value(self) -> i64 {
        self.0.finalize().into()
    }
}

fn sum(row: &Operation) -> i64 {
    let mut sum = Sum::default();
    sum.number(row.id);
    for text in [
        &row.closed_loop_name,
        &row.request_id,
        &row.subrequest_id,
        &row.actor,
        &row.operation,
        &row.target,
        &row.outcome,
        &row.message,
    ] {
        sum.text(text.as_deref());
    }
    sum.number(row.start_time.map(nanos));
    sum.number(row.end_time.map(nanos));
    sum.value()
}

/// Adds a row that has a number.
pub(super) fn insert(statement: &mut Statement<'_>, row: &Operation) -> rusqlite::Result<()> {
    statement.execute(params![
        row.id,
        row.closed_loop_name,
        row.request_id,
        row.subrequest_id,
        row.actor,
        row.operation,
        row.target,
        row.start_time.map(nanos),
        row.outcome,
        row.message,
        row.end_time.map(nanos),
        sum(row),
    ])?;
    Ok(())
}

/// Reads a row, and whether it is what was written. The first form of the file had no sums.
pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<(Operation, bool)> {
    let operation = Operation {
        id: row.get(0)?,
        closed_loop_name: row.get(1)?,
        request_id: row.get(2)?,
        subrequest_id: row.get(3)?,
        actor: row.get(4)?,
        operation: row.get(5)?,
        target: row.get(6)?,
        start_time: row.get::<_, Option<i64>>(7)?.map(timestamp),
        outcome: row.get(8)?,
        message: row.get(9)?,
        end_time: row.get::<_, Option<i64>>(10)?.map(timestamp),
    };
    let kept: Option<i64> = row.get(11)?;
    let whole = kept.is_none_or(|kept| kept == sum(&operation));
    Ok((operation, whole))
}
