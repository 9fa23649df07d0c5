//! No decision may contradict the expected one, and there must be decisions at all.

use super::{Case, exit};
use crate::measure::record::{RunRecord, Verdict, VerdictResult};
use crate::units::Count;

pub(super) fn judge(record: &RunRecord) -> Verdict {
    let decisions = &record.totals.decisions;
    let case = Case {
        id: "wrong-decisions",
        rule: "wrong decisions = 0",
        limit: "= 0".to_owned(),
        exit_code: exit::WRONG,
    };
    if decisions.ok + decisions.wrong == 0 {
        let why = "no decision was answered";
        return Case { exit_code: exit::RULE, ..case }.settle(
            VerdictResult::Fail,
            "no decisions",
            why,
        );
    }
    match decisions.wrong {
        0 => case.settle(
            VerdictResult::Pass,
            "0",
            format!("{} decisions answered as expected", Count(decisions.ok)),
        ),
        wrong => {
            let samples =
                record.endpoints.iter().flat_map(|endpoint| endpoint.wrong_samples.first());
            let example = samples.into_iter().next().cloned().unwrap_or_default();
            let noun = if wrong == 1 { "wrong decision" } else { "wrong decisions" };
            case.settle(
                VerdictResult::Fail,
                Count(wrong).to_string(),
                format!("{} {noun}: {example}", Count(wrong)),
            )
        }
    }
}
