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
mod class;
mod translate;

use translate::Translated;

/// The longest pattern, in bytes.
pub const MAX_PATTERN: usize = 10_000;

/// The largest compiled form, in bytes.
const MAX_COMPILED: usize = 8 << 20;

/// How many steps back a match with back references may take.
const MAX_BACKTRACKS: usize = 100_000;

/// A regular expression, ready to match. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Pattern {
    matcher: Matcher,
    weight: usize,
}

#[derive(Clone, Debug)]
enum Matcher {
    Linear(regex::Regex),
    Backtracking(Box<fancy_regex::Regex>),
}

impl Pattern {
    /// Builds a pattern.
    ///
    /// # Errors
    /// The text is not a regular expression of the dialect, or exceeds a limit; the message names
    /// the place in the pattern.
    pub fn new(text: &str) -> Result<Self, String> {
        let shown = || crate::value::shorten(text);
        if text.len() > MAX_PATTERN {
            let length = text.len();
            return Err(format!(
                "the regular expression `{}` has {length} bytes, the limit is {MAX_PATTERN}",
                shown()
            ));
        }
        let Translated { regex, weight, back_references } =
            translate::translate(text).map_err(|error| {
                format!(
                    "the regular expression `{}` is wrong at character {}: {}",
                    shown(),
                    error.at + 1,
                    error.reason
                )
            })?;
        let too_large = || {
            format!(
                "the regular expression `{}` needs more than {MAX_COMPILED} bytes when compiled",
                shown()
            )
        };
        let matcher = if back_references {
            fancy_regex::RegexBuilder::new(&regex)
                .backtrack_limit(MAX_BACKTRACKS)
                .delegate_size_limit(MAX_COMPILED)
                .max_prog_size(MAX_COMPILED / 64)
                .build()
                .map(|regex| Matcher::Backtracking(Box::new(regex)))
                .map_err(|_| too_large())?
        } else {
            regex::RegexBuilder::new(&regex)
                .size_limit(MAX_COMPILED)
                .build()
                .map(Matcher::Linear)
                .map_err(|_| too_large())?
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

    /// How many steps of the budget a match against so many bytes costs.
    #[inline]
    pub fn cost(&self, bytes: usize) -> usize {
        bytes.saturating_mul(self.weight) / 256
    }
}

#[cfg(test)]
mod tests;
