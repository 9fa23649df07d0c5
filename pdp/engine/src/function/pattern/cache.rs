//! Regular expressions that were computed lately: building one takes far longer than matching.

use std::sync::Arc;

use super::Pattern;
use crate::function::Budget;

/// How many are kept. Each may take 1 MiB, and the matcher's working memory beside it.
const KEPT: usize = 16;

/// Steps that building takes for each byte of the text and each piece of the pattern.
const STEPS_A_PIECE: usize = 8;

/// Why there is no pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoPattern {
    /// The text is no regular expression, or goes beyond a limit: the reason.
    Bad(String),
    /// The budget is spent.
    Spent,
}

/// A few patterns, the one used last at the end.
///
/// A decision pays for a pattern when it first uses it, whether it is here already or not, so that
/// what a decision costs does not depend on the decisions before it.
#[derive(Debug, Default)]
pub(crate) struct PatternCache {
    round: u64,
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    text: Box<str>,
    pattern: Arc<Pattern>,
    /// The round in which it was paid for last.
    paid: u64,
}

impl PatternCache {
    /// Another evaluation begins, with a budget of its own.
    pub(crate) fn begin_round(&mut self) {
        self.round += 1;
    }

    /// The pattern of a text, built if it is not here.
    pub(crate) fn get(&mut self, text: &str, budget: &Budget) -> Result<Arc<Pattern>, NoPattern> {
        let at = self.entries.iter().rposition(|entry| *entry.text == *text);
        let mut entry = match at {
            Some(at) => self.entries.remove(at),
            None => {
                pay(budget, text.len())?;
                let pattern = Arc::new(Pattern::computed(text).map_err(NoPattern::Bad)?);
                if self.entries.len() == KEPT {
                    self.entries.remove(0);
                }
                Entry { text: text.into(), pattern, paid: 0 }
            }
        };
        let pieces = entry.pattern.weight();
        if entry.paid != self.round {
            pay(budget, if at.is_some() { text.len() + pieces } else { pieces })?;
            entry.paid = self.round;
        }
        let pattern = Arc::clone(&entry.pattern);
        self.entries.push(entry);
        Ok(pattern)
    }
}

fn pay(budget: &Budget, pieces: usize) -> Result<(), NoPattern> {
    let steps = pieces.saturating_mul(STEPS_A_PIECE);
    if budget.spend(steps as u64) { Ok(()) } else { Err(NoPattern::Spent) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(cache: &mut PatternCache, text: &str) -> u64 {
        let budget = Budget::new(1_000_000);
        cache.get(text, &budget).expect("a pattern");
        budget.limit() - budget.left()
    }

    #[test]
    fn a_pattern_costs_the_same_whether_it_is_there_or_not() {
        let mut cache = PatternCache::default();
        cache.begin_round();
        let built = cost(&mut cache, "a+b{2,3}");
        assert!(built > 0);
        assert_eq!(cost(&mut cache, "a+b{2,3}"), 0, "a round pays once");
        cache.begin_round();
        assert_eq!(cost(&mut cache, "a+b{2,3}"), built);
    }

    #[test]
    fn the_least_lately_used_makes_room() {
        let mut cache = PatternCache::default();
        cache.begin_round();
        for number in 0..KEPT {
            cost(&mut cache, &format!("x{number}"));
        }
        assert_eq!(cost(&mut cache, "x0"), 0);
        assert!(cost(&mut cache, "another") > 0);
        assert_eq!(cost(&mut cache, "x0"), 0, "it was used after the others");
        assert!(cost(&mut cache, "x1") > 0, "it was not");
        assert_eq!(cache.entries.len(), KEPT);
    }

    #[test]
    fn bad_patterns_and_spent_budgets_are_told_apart() {
        let mut cache = PatternCache::default();
        cache.begin_round();
        let bad = cache.get("(", &Budget::new(1000));
        assert!(matches!(bad, Err(NoPattern::Bad(_))), "{bad:?}");
        let spent = cache.get("a{1000}", &Budget::new(100));
        assert!(matches!(spent, Err(NoPattern::Spent)), "{spent:?}");
    }
}
