//! Regular expressions in the dialect of XPath `matches()` (XACML 3.0 appendix A.3.13; XQuery
//! functions and operators section 7.6.1; XML Schema part 2 appendix F).
//!
//! A pattern is translated to the syntax of the `regex` crate, whose matching takes time linear in
//! the text. Only a pattern with back references goes to a backtracking matcher, under a limit. What
//! a pattern may hold is bounded before anything is built, so that one that explodes is refused at
//! once. Bounds: [`MAX_PATTERN`] bytes, 10,000 pieces once repetitions are written out, 100 levels
//! of parentheses, 8 MiB of compiled form.
//!
//! Beyond the dialect two things are understood: `(?:…)` groups without capturing, as later editions
//! have it, and a hyphen after a range or a class inside brackets stands for itself.

mod blocks;
mod cache;
mod class;
mod translate;

pub(crate) use cache::{NoPattern, PatternCache};

use std::sync::Arc;

use translate::Translated;

/// The longest pattern, in bytes.
pub const MAX_PATTERN: usize = 10_000;

/// The largest compiled form, in bytes.
const MAX_COMPILED: usize = 8 << 20;

/// How many steps back a match with back references may take.
const MAX_BACKTRACKS: usize = 100_000;

/// The largest compiled form of a pattern that is built during a decision: building takes time.
const MAX_COMPILED_LATE: usize = 1 << 20;

/// A regular expression, ready to match. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Pattern {
    matcher: Matcher,
    weight: usize,
}

#[derive(Clone, Debug)]
enum Matcher {
    Linear(regex::Regex),
    Backtracking(Arc<fancy_regex::Regex>),
}

impl Pattern {
    /// Builds a pattern that a policy holds as a constant.
    ///
    /// # Errors
    /// The text is not a regular expression of the dialect, or exceeds a limit: the place in the
    /// pattern, or limit and value. The message does not repeat the pattern.
    pub fn new(text: &str) -> Result<Self, String> {
        Self::build(text, MAX_COMPILED)
    }

    /// Builds a pattern that was computed during a decision: its compiled form may take 1 MiB.
    ///
    /// # Errors
    /// As [`Pattern::new`].
    pub fn computed(text: &str) -> Result<Self, String> {
        Self::build(text, MAX_COMPILED_LATE)
    }

    fn build(text: &str, max_compiled: usize) -> Result<Self, String> {
        if text.len() > MAX_PATTERN {
            return Err(format!("it has {} bytes, the limit is {MAX_PATTERN}", text.len()));
        }
        let Translated { regex, weight, back_references } = translate::translate(text)
            .map_err(|error| format!("at character {}: {}", error.at + 1, error.reason))?;
        let too_large =
            || format!("its compiled form takes more than the limit of {max_compiled} bytes");
        let matcher = if back_references {
            fancy_regex::RegexBuilder::new(&regex)
                .backtrack_limit(MAX_BACKTRACKS)
                .delegate_size_limit(max_compiled)
                .max_prog_size(max_compiled / 64)
                .build()
                .map(|regex| Matcher::Backtracking(Arc::new(regex)))
                .map_err(|error| match error {
                    fancy_regex::Error::CompileError(_) => too_large(),
                    other => other.to_string(),
                })?
        } else {
            regex::RegexBuilder::new(&regex)
                .size_limit(max_compiled)
                .build()
                .map(Matcher::Linear)
                .map_err(|error| match error {
                regex::Error::CompiledTooBig(_) => too_large(),
                other => other.to_string(),
            })?
        };
        Ok(Self { matcher, weight })
    }

    /// Whether the pattern matches anywhere in `text`.
    ///
    /// # Errors
    /// A pattern with back references needs more steps back than the limit.
    #[inline]
    pub fn try_match(&self, text: &str) -> Result<bool, &'static str> {
        match &self.matcher {
            Matcher::Linear(regex) => Ok(regex.is_match(text)),
            Matcher::Backtracking(regex) => regex.is_match(text).map_err(
                |_| "a regular expression with back references takes more than 100000 steps back",
            ),
        }
    }

    /// How many pieces it has, once repetitions are written out.
    fn weight(&self) -> usize {
        self.weight
    }

    /// How many steps of the budget a match against so many bytes costs.
    #[inline]
    pub fn cost(&self, bytes: usize) -> usize {
        bytes.saturating_mul(self.weight) / 256
    }
}

#[cfg(test)]
mod tests;
