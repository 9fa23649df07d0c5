//! What went wrong, and where: refusals of readers, diagnostics of the compiler.

pub mod code;

use std::fmt;

use thiserror::Error;

/// A place in a text, counted from 1. Columns count characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The line; 0 where the place is unknown (a policy that was not read from a text).
    pub line: u32,
    /// The column.
    pub column: u32,
}

impl Position {
    /// A place.
    pub const fn new(line: u32, column: u32) -> Self {
        Self { line, column }
    }

    /// The place of a byte offset.
    pub fn of_offset(text: &[u8], offset: usize) -> Self {
        let before = &text[..offset.min(text.len())];
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        // UTF-8 continuation bytes do not start a character.
        let column = before[line_start..].iter().filter(|byte| **byte & 0xC0 != 0x80).count() + 1;
        Self::new(
            u32::try_from(line).unwrap_or(u32::MAX),
            u32::try_from(column).unwrap_or(u32::MAX),
        )
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Where in a document: by line and column (XML, YAML) or by JSON pointer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Line and column.
    Position(Position),
    /// An RFC 6901 pointer.
    Pointer(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Position(position) => position.fmt(f),
            Self::Pointer(pointer) if pointer.is_empty() => f.write_str("at the top"),
            Self::Pointer(pointer) => write!(f, "at {pointer}"),
        }
    }
}

/// A document could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{place}: {message}")]
pub struct ReadError {
    /// Where.
    pub place: Place,
    /// What, and what was expected.
    pub message: String,
    /// A stable code such as `xml-syntax`, `value`, `limit`.
    pub code: &'static str,
}

impl ReadError {
    /// An error at a line and column.
    #[cold]
    pub fn at(position: Position, code: &'static str, message: impl Into<String>) -> Self {
        Self { place: Place::Position(position), message: message.into(), code }
    }

    /// An error at a JSON pointer.
    #[cold]
    pub fn pointer(
        pointer: impl Into<String>,
        code: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self { place: Place::Pointer(pointer.into()), message: message.into(), code }
    }
}

/// How bad a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Legal, but surely not meant.
    Warning,
    /// The policy cannot be used.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// A problem that compile found in a policy.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{severity}: {message} [{code}]")]
pub struct Diagnostic {
    /// How bad.
    pub severity: Severity,
    /// A code that never changes.
    pub code: &'static str,
    /// What, with the author's words in backticks.
    pub message: String,
    /// Where.
    pub position: Position,
    /// The policy it is in: the outermost, where policies are nested.
    pub policy: String,
    /// The document that the policy was read from, as its owner names it; empty where it has no name.
    pub document: String,
}
