//! What is wrong with a TOSCA policy, for the people who write it.

use std::fmt;

use pdp_engine::error::{Diagnostic, Position, Severity};

/// A problem of one policy, or of the document around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Whether the policy is refused for it.
    pub severity: Severity,
    /// A code that never changes.
    pub code: &'static str,
    /// The policy's name; empty where the document itself is meant.
    pub policy: String,
    /// The way from the policy to what is wrong, such as `properties.timeRange.start_time`.
    pub path: String,
    /// Where in the document.
    pub position: Position,
    /// What is wrong and what was expected.
    pub message: String,
    /// What the ONAP service says in this case; people search for these words.
    pub onap: Option<String>,
}

impl Problem {
    /// A problem for which the policy is refused.
    pub(crate) fn error(
        code: &'static str,
        policy: &str,
        path: impl Into<String>,
        position: Position,
        message: impl Into<String>,
    ) -> Self {
        Self {
            severity: Severity::Error,
            code,
            policy: policy.to_owned(),
            path: path.into(),
            position,
            message: message.into(),
            onap: None,
        }
    }

    /// Adds what the ONAP service says.
    pub(crate) fn onap_says(mut self, says: impl Into<String>) -> Self {
        self.onap = Some(says.into());
        self
    }

    /// Legal, but surely not meant.
    pub(crate) fn warning(mut self) -> Self {
        self.severity = Severity::Warning;
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.policy.is_empty() {
            write!(f, "policy `{}`: ", self.policy)?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        match &self.onap {
            Some(says) => write!(f, " ({says})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Problem {}

impl From<Problem> for Diagnostic {
    fn from(problem: Problem) -> Self {
        Self {
            severity: problem.severity,
            code: problem.code,
            message: problem.to_string(),
            position: problem.position,
            policy: problem.policy,
            document: String::new(),
        }
    }
}

/// The known name that is nearest to `name`, where one is near enough to be meant. What both begin
/// with says nothing, so that long names do not look alike for their common beginning.
pub(crate) fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let name = name.to_lowercase();
    known
        .into_iter()
        .filter_map(|candidate| {
            let lower = candidate.to_lowercase();
            let same = name
                .char_indices()
                .zip(lower.chars())
                .find(|((_, a), b)| a != b)
                .map_or(name.len().min(lower.len()), |((at, _), _)| at);
            let (rest, meant) = (name.get(same..)?, lower.get(same..)?);
            let distance = strsim::damerau_levenshtein(rest, meant);
            (distance <= 1 + candidate.len().min(8) / 4).then_some((distance, candidate))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// `, did you mean ...?` where a known name is near.
pub(crate) fn did_you_mean<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    nearest(name, known)
        .map_or_else(String::new, |candidate| format!(", did you mean `{candidate}`?"))
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let known = ["start_time", "end_time", "timeWindow", "guard.common.MinMax", "policies"];
        for (name, expected) in [
            ("startTime", Some("start_time")),
            ("timewindow", Some("timeWindow")),
            ("timeWindwo", Some("timeWindow")),
            ("guard.common.MinMx", Some("guard.common.MinMax")),
            ("guard.common.Unknown", None),
            ("policy", Some("policies")),
            ("limit", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, known), expected, "{name}");
        }
    }
}
