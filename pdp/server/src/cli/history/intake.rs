//! Which rows of a file are recorded: those that the service takes where operations are reported.

use std::path::Path;

use jiff::Timestamp;
use pdp_onap::history::Operation;

use crate::failure::{Failure, counted};
use crate::operation;

const UNSEEN: &str = "nobody would miss the row: leave it out, or let --skip-unseen leave out all that no policy could ever see";

/// A row with its line, or why it cannot be read.
type Row = Result<(u64, Operation), Failure>;

/// Looks at the rows of a file, one after another.
#[derive(Debug)]
pub(super) struct Intake<'f> {
    file: &'f Path,
    now: Timestamp,
    skip_unseen: bool,
    skipped: usize,
}

impl<'f> Intake<'f> {
    pub(super) fn of(file: &'f Path, skip_unseen: bool) -> Self {
        Self { file, now: Timestamp::now(), skip_unseen, skipped: 0 }
    }

    /// The row as it is to be recorded; nothing where it is to be left out.
    pub(super) fn take(&mut self, row: Row) -> Option<Row> {
        let (line, row) = match row {
            Ok(row) => row,
            Err(failure) => return Some(Err(failure)),
        };
        let unseen = operation::seen(&row).is_err();
        if unseen && self.skip_unseen {
            self.skipped += 1;
            return None;
        }
        Some(match operation::check(&row, self.now) {
            Ok(()) => Ok((line, row)),
            Err(what) => {
                let failure = Failure::usage(format!("not an operation to record: {what}"))
                    .at(format!("{}:{line}", self.file.display()));
                Err(if unseen { failure.hint(UNSEEN) } else { failure })
            }
        })
    }

    /// How many rows were left out, in words; nothing where all were taken.
    pub(super) fn remark(&self) -> Option<String> {
        let rows = counted(self.skipped, "row", "rows");
        (self.skipped > 0)
            .then(|| format!("{rows} left out, which no policy could ever see (--skip-unseen)"))
    }
}
