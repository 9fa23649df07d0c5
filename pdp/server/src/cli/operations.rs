//! Operations from a file into a history of this process.

use std::fs;
use std::path::Path;

use jiff::Timestamp;
use pdp_history::{AnchoredClock, MemoryHistory};
use pdp_onap::history::{HistoryError, Operation, OperationHistory};

use crate::config::History;
use crate::failure::Failure;
use crate::history as histories;
use crate::operation;
use crate::store::Snapshot;

/// A history that holds the operations of `file`: one JSON object a line, its members the columns of
/// the history's table. Empty without a file. Windows end now, or at the time that is given.
pub(super) fn history(
    file: Option<&Path>,
    now: Option<Timestamp>,
    snapshot: &Snapshot,
) -> Result<MemoryHistory, Failure> {
    let history = empty(now, snapshot);
    let Some(path) = file else { return Ok(history) };
    let text = fs::read_to_string(path).map_err(|error| {
        Failure::usage(format!("the operations cannot be read: {error}")).in_file(path)
    })?;
    for (line, number) in text.lines().zip(1..) {
        if line.trim().is_empty() {
            continue;
        }
        let operation = operation::of_json(line.as_bytes()).map_err(|wrong| {
            Failure::usage(format!("not an operation: {}", wrong.what))
                .at(format!("{}:{number}:{}", path.display(), wrong.column))
                .hint("members: actor, operation, target, closedLoopName, requestId, starttime, endtime, outcome")
        })?;
        history.record(operation).map_err(|error| {
            Failure::usage(error.to_string()).at(format!("{}:{number}", path.display()))
        })?;
    }
    Ok(history)
}

/// A history that holds these operations.
///
/// # Errors
/// An operation is one that no history takes.
pub(super) fn history_of(
    operations: Vec<Operation>,
    now: Option<Timestamp>,
    snapshot: &Snapshot,
) -> Result<MemoryHistory, HistoryError> {
    let history = empty(now, snapshot);
    operations.into_iter().try_for_each(|operation| history.record(operation))?;
    Ok(history)
}

fn empty(now: Option<Timestamp>, snapshot: &Snapshot) -> MemoryHistory {
    let clock = now.map_or_else(AnchoredClock::start, AnchoredClock::at);
    let history = histories::memory(&History::default(), clock);
    history.count_at_least(snapshot.counts_to);
    history
}
