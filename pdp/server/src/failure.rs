//! Why a command ends, for the person at the terminal and the script behind it.

use std::fmt;
use std::path::Path;

/// How a process ends; the numbers are a contract with scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Nobody reads the output any more; nothing is reported.
    Quiet = 0,
    /// The command line or the configuration is wrong.
    Usage = 2,
    /// Something outside cannot be bound, opened or connected.
    Environment = 3,
    /// Policies were refused.
    Policies = 4,
    /// The request was refused.
    Request = 5,
}

/// Printed as `error: what (where)` and a line with a hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    /// What went wrong, in the user's words.
    pub what: String,
    /// Where: a file with line and column, a key, an address.
    pub place: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Failure {
    /// The command line or the configuration is wrong.
    pub fn usage(what: impl Into<String>) -> Self {
        Self::new(Exit::Usage, what)
    }

    /// Something outside cannot be bound, opened or connected.
    pub fn environment(what: impl Into<String>) -> Self {
        Self::new(Exit::Environment, what)
    }

    /// Policies were refused.
    pub fn policies(what: impl Into<String>) -> Self {
        Self::new(Exit::Policies, what)
    }

    /// So many policies were refused.
    pub fn refused(count: usize) -> Self {
        Self::policies(match count {
            1 => "a policy was refused".to_owned(),
            count => format!("{count} policies were refused"),
        })
    }

    /// The request was refused.
    pub fn request(what: impl Into<String>) -> Self {
        Self::new(Exit::Request, what)
    }

    /// Nobody reads the output any more.
    pub fn quiet() -> Self {
        Self::new(Exit::Quiet, "nobody reads the output any more")
    }

    fn new(exit: Exit, what: impl Into<String>) -> Self {
        Self { exit, what: what.into(), place: None, hint: None }
    }

    /// Says where.
    #[must_use]
    pub fn at(self, place: impl fmt::Display) -> Self {
        Self { place: Some(place.to_string()), ..self }
    }

    /// Says in which file.
    #[must_use]
    pub fn in_file(self, path: &Path) -> Self {
        self.at(path.display())
    }

    /// Says, behind the file, which setting names it.
    #[must_use]
    pub fn named_by(self, setting: &str) -> Self {
        let place = match &self.place {
            Some(place) => format!("{place}, setting {setting}"),
            None => format!("setting {setting}"),
        };
        self.at(place)
    }

    /// Says what to do.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// So many of something, in words: `1 policy`, `2 policies`.
pub(crate) fn counted<N>(count: N, one: &str, many: &str) -> String
where
    N: fmt::Display + PartialEq + From<u8>,
{
    let word = if count == N::from(1) { one } else { many };
    format!("{count} {word}")
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        if let Some(place) = &self.place {
            write!(f, " ({place})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}
