//! Why a text is not a value of a data type.

use thiserror::Error;

use super::DataType;

/// Why a text is not a value of a data type.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{text}` is not {article} {data_type}: {reason}")]
pub struct ValueError {
    /// The text, cut to a readable length.
    pub text: String,
    /// The short name of the data type.
    pub data_type: &'static str,
    /// `a` or `an`.
    pub article: &'static str,
    /// What was expected.
    pub reason: String,
}

/// How many characters of a text a message repeats.
const SHOWN: usize = 60;

impl ValueError {
    /// An error about `text`, which is cut to a readable length.
    #[cold]
    pub fn new(data_type: DataType, text: &str, reason: impl Into<String>) -> Self {
        Self {
            text: shorten(text),
            data_type: data_type.short_name(),
            article: data_type.article(),
            reason: reason.into(),
        }
    }
}

/// The beginning of a text that is too long to be repeated in a message.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

/// What the parsers of single types return: the reason alone; the caller knows text and type.
pub(super) type Parsed<T> = Result<T, Reason>;

/// A reason, mostly a constant.
pub(super) type Reason = std::borrow::Cow<'static, str>;
