//! Where credentials are asked for, nobody else is let in.

use super::{Case, exit};
use crate::measure::record::{RunRecord, Verdict, VerdictResult};

/// The answer that refuses.
const REFUSED: u16 = 401;

/// Of runs that send credentials; `None` where it was not tried.
pub(super) fn judge(record: &RunRecord) -> Option<Verdict> {
    let tried: Vec<_> =
        record.secure.iter().filter_map(|row| Some((row, row.refusals.as_ref()?))).collect();
    if tried.is_empty() {
        return None;
    }
    let case = Case {
        id: "credentials",
        rule: "missing and wrong credentials are refused",
        limit: format!("status {REFUSED}"),
        exit_code: exit::RULE,
    };
    let answers = tried.iter().flat_map(|(row, refusals)| {
        [("without credentials", refusals.missing), ("with wrong credentials", refusals.wrong)]
            .map(|(how, status)| (row, how, status))
    });
    let let_in = answers.into_iter().find(|(_, _, status)| *status != REFUSED);
    Some(match let_in {
        None => case.settle(VerdictResult::Pass, "refused", "nobody else was let in"),
        Some((row, how, status)) => {
            let answer = match status {
                0 => "no answer".to_owned(),
                status => format!("status {status}"),
            };
            let why = format!(
                "over {}, a request {how} was answered with {answer}, not {REFUSED}",
                row.transport
            );
            case.settle(VerdictResult::Fail, answer, why)
        }
    })
}
