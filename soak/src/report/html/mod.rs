//! stub

use crate::measure::record::RunRecord;

/// The page.
pub fn render(record: &RunRecord) -> String {
    record.run.id.clone()
}
