//! Regular expressions in the dialect of XPath `matches()` (XACML 3.0 appendix A.3.13).

/// A regular expression, ready to match.
#[derive(Clone, Debug)]
pub struct Pattern {
    regex: regex::Regex,
}

impl Pattern {
    /// Builds a pattern.
    ///
    /// # Errors
    /// The text is not a regular expression of the dialect, or its compiled form exceeds the limit.
    pub fn new(text: &str) -> Result<Self, String> {
        regex::Regex::new(text).map(|regex| Self { regex }).map_err(|error| error.to_string())
    }

    /// Whether the pattern matches anywhere in `text`.
    pub fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}
