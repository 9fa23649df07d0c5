//! What is wrong with a file of policies, and where.

use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pdp_engine::error::{Diagnostic, Place, Position, ReadError, Severity};
use serde::Serialize;

/// One problem; printed as `file:line:col: severity: message [code]`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Problem {
    /// The file.
    pub file: Arc<Path>,
    /// Where in it.
    pub position: Position,
    /// How bad.
    pub severity: Severity,
    /// A code that never changes.
    pub code: &'static str,
    /// What, and what was expected.
    pub message: String,
    /// The policy that it is about; empty where it is about the file.
    pub policy: String,
}

impl Problem {
    /// A problem of a whole file.
    pub fn of_file(
        file: &Arc<Path>,
        severity: Severity,
        code: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self {
            file: Arc::clone(file),
            position: Position::new(1, 1),
            severity,
            code,
            message: message.into(),
            policy: String::new(),
        }
    }

    /// What a reader refused.
    pub fn of_read(file: &Arc<Path>, error: ReadError) -> Self {
        let (position, message) = match error.place {
            Place::Position(position) => (position, error.message),
            Place::Pointer(pointer) => {
                (Position::default(), format!("at {pointer}: {}", error.message))
            }
        };
        Self {
            position: shown(position),
            ..Self::of_file(file, Severity::Error, error.code, message)
        }
    }

    /// What the translation or the compiler found.
    pub fn of_diagnostic(file: &Arc<Path>, diagnostic: Diagnostic) -> Self {
        Self {
            file: Arc::clone(file),
            position: shown(diagnostic.position),
            severity: diagnostic.severity,
            code: diagnostic.code,
            message: diagnostic.message,
            policy: diagnostic.policy,
        }
    }
}

fn shown(position: Position) -> Position {
    Position::new(position.line.max(1), position.column.max(1))
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}: {}: {} [{}]",
            self.file.display(),
            self.position,
            self.severity,
            self.message,
            self.code
        )
    }
}

/// A problem as JSON.
#[derive(Serialize)]
struct Wire<'a> {
    file: PathBuf,
    line: u32,
    column: u32,
    severity: String,
    code: &'static str,
    message: &'a str,
    policy: &'a str,
}

impl Serialize for Problem {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Wire {
            file: self.file.to_path_buf(),
            line: self.position.line,
            column: self.position.column,
            severity: self.severity.to_string(),
            code: self.code,
            message: &self.message,
            policy: &self.policy,
        }
        .serialize(serializer)
    }
}

/// Everything that was found, in the order of files and places.
#[derive(Clone, Debug, Default)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// Adds one.
    pub fn push(&mut self, problem: Problem) {
        self.0.push(problem);
    }

    /// Adds many.
    pub fn extend(&mut self, problems: impl IntoIterator<Item = Problem>) {
        self.0.extend(problems);
    }

    /// Puts them in the order of files and places, each once.
    pub fn sort(&mut self) {
        let mut seen = HashSet::with_capacity(self.0.len());
        self.0.retain(|problem| seen.insert(problem.clone()));
        self.0.sort_by(|a, b| (&a.file, a.position).cmp(&(&b.file, b.position)));
    }

    /// All of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Problem> {
        self.0.iter()
    }

    /// How many are of this severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.0.iter().filter(|problem| problem.severity == severity).count()
    }
}
