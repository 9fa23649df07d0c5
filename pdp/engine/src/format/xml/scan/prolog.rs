//! What stands around the root element, and what quick-xml refuses.

use quick_xml::Error;

use super::Scanner;
use crate::error::{ReadError, code};
use crate::format::cursor::quoted;

impl Scanner<'_> {
    pub(super) fn declaration(&self, written: &str, start: usize) -> Result<(), ReadError> {
        if start != 0 {
            return Err(self.error(
                start,
                code::XML_SYNTAX,
                "the XML declaration must stand at the very start of the document",
            ));
        }
        let inner = written.trim_start_matches("<?xml").trim_end_matches("?>");
        let pseudo = |name: &str| {
            let (_, after) = inner.split_once(name)?;
            let after = after.trim_start().strip_prefix('=')?.trim_start();
            let quote = after.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
            after[1..].split_once(quote).map(|(value, _)| value)
        };
        match pseudo("version") {
            Some("1.0") => {}
            Some(version) => {
                return Err(self.error(
                    start,
                    code::XML_SYNTAX,
                    format!("XML version {} is not read; 1.0 is", quoted(version)),
                ));
            }
            None => {
                return Err(self.error(
                    start,
                    code::XML_SYNTAX,
                    "the XML declaration must name its version, 1.0",
                ));
            }
        }
        match pseudo("encoding") {
            Some(encoding)
                if !["utf-8", "utf8", "us-ascii", "ascii", "utf-16", "utf-16le", "utf-16be"]
                    .iter()
                    .any(|known| known.eq_ignore_ascii_case(encoding)) =>
            {
                Err(self.error(
                    start,
                    code::XML_ENCODING,
                    format!(
                        "the encoding {} is not read; save the document as UTF-8",
                        quoted(encoding)
                    ),
                ))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn check_outside(&self, written: &str, start: usize) -> Result<(), ReadError> {
        match written.bytes().position(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
            None => Ok(()),
            Some(at) => Err(self.outside(start + at)),
        }
    }

    pub(super) fn outside(&self, offset: usize) -> ReadError {
        self.error(offset, code::XML_SYNTAX, "text may not stand outside the root element")
    }

    pub(super) fn unfinished(&self) -> Option<String> {
        if !self.root_seen {
            return Some("the document is empty".to_owned());
        }
        self.open.last().map(|(name, _)| format!("the document ends before `</{name}>`"))
    }

    #[cold]
    pub(super) fn syntax(&self, error: &Error) -> ReadError {
        use quick_xml::errors::{IllFormedError, SyntaxError};
        let message = match error {
            Error::Syntax(SyntaxError::UnclosedTag) => {
                "the tag does not end: `>` is missing".into()
            }
            Error::Syntax(
                SyntaxError::UnclosedSingleQuotedAttributeValue
                | SyntaxError::UnclosedDoubleQuotedAttributeValue,
            ) => "the tag does not end: a quote is missing".into(),
            Error::Syntax(SyntaxError::UnclosedComment) => "the comment does not end".into(),
            Error::Syntax(SyntaxError::UnclosedCData) => "the CDATA section does not end".into(),
            Error::Syntax(SyntaxError::UnclosedDoctype) => {
                "a document type declaration is not read; remove `<!DOCTYPE …>`".into()
            }
            Error::Syntax(SyntaxError::InvalidBangMarkup) => "`<!` starts nothing known".into(),
            Error::Syntax(_) => "the processing instruction does not end".into(),
            Error::IllFormed(IllFormedError::MismatchedEndTag { expected, found }) => {
                format!("`</{}>` was expected here, not `</{}>`", expected, found)
            }
            Error::IllFormed(IllFormedError::UnmatchedEndTag(found)) => {
                format!("`</{found}>` ends nothing that is open")
            }
            Error::IllFormed(IllFormedError::UnclosedReference) => {
                "`&` starts a reference that `;` does not end; write `&amp;` for the character"
                    .into()
            }
            Error::IllFormed(IllFormedError::DoubleHyphenInComment) => {
                "`--` may not stand in a comment".into()
            }
            other => other.to_string(),
        };
        let code = match error {
            Error::Syntax(SyntaxError::UnclosedDoctype) => code::XML_DTD,
            Error::IllFormed(IllFormedError::MissingDoctypeName) => code::XML_DTD,
            _ => code::XML_SYNTAX,
        };
        let offset = usize::try_from(self.reader.error_position()).unwrap_or(usize::MAX);
        self.error(offset, code, message)
    }
}
