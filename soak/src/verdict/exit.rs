//! Exit codes: the verdict as a number.

use crate::measure::record::{Verdict, VerdictResult};

/// All rules passed.
pub const PASS: u8 = 0;
/// A latency, throughput or error rule failed.
pub const RULE: u8 = 1;
/// Wrong command line or configuration; nothing was sent.
pub const USAGE: u8 = 2;
/// The target is not reachable or lacks the policies.
pub const TARGET: u8 = 3;
/// A response contradicted the expected decision.
pub const WRONG: u8 = 4;
/// A leak or drift verdict failed.
pub const LEAK: u8 = 5;
/// A regression against the baseline.
pub const REGRESSION: u8 = 6;
/// The run itself is not valid.
pub const INVALID: u8 = 7;
/// Interrupted; the report is written all the same.
pub const INTERRUPTED: u8 = 130;

/// When several apply, the first of these is the exit code.
const PRECEDENCE: [u8; 8] = [INTERRUPTED, USAGE, TARGET, INVALID, WRONG, RULE, LEAK, REGRESSION];

/// The exit code of a set of verdicts.
pub fn code(verdicts: &[Verdict]) -> u8 {
    let failed = |code: &u8| {
        verdicts
            .iter()
            .any(|verdict| verdict.result == VerdictResult::Fail && verdict.exit_code == *code)
    };
    PRECEDENCE.into_iter().find(failed).unwrap_or(PASS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(exit_code: u8, result: VerdictResult) -> Verdict {
        let text = String::new;
        Verdict {
            id: text(),
            rule: text(),
            observed: text(),
            limit: text(),
            result,
            why: text(),
            exit_code,
        }
    }

    #[test]
    fn the_gravest_failure_names_the_code() {
        let fail = |codes: &[u8]| {
            let verdicts: Vec<Verdict> =
                codes.iter().map(|code| verdict(*code, VerdictResult::Fail)).collect();
            code(&verdicts)
        };
        assert_eq!(fail(&[]), PASS);
        assert_eq!(fail(&[LEAK, RULE]), RULE);
        assert_eq!(fail(&[REGRESSION, LEAK]), LEAK);
        assert_eq!(fail(&[RULE, WRONG, LEAK]), WRONG);
        assert_eq!(fail(&[WRONG, INVALID]), INVALID);
        assert_eq!(fail(&[WRONG, INTERRUPTED]), INTERRUPTED);
    }

    #[test]
    fn what_passes_or_is_skipped_has_no_say() {
        assert_eq!(
            code(&[verdict(WRONG, VerdictResult::Pass), verdict(LEAK, VerdictResult::Skip)]),
            PASS
        );
    }
}
