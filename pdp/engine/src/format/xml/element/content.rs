//! The text of an element.

use std::borrow::Cow;

use super::{Elements, Stop};
use crate::error::code;
use crate::format::xml::scan::{Tag, Token};
use crate::format::xml::text;

impl<'i> Elements<'i> {
    /// The text of the element that has just begun, to its end: line ends normalised, CDATA and
    /// references joined. Elements within are refused.
    pub(crate) fn text(&mut self, tag: &Tag<'i>) -> Result<Cow<'i, str>, Stop> {
        let (text, element) = self.content(tag)?;
        if let Some(offset) = element {
            let message = format!("`{}` holds text, not elements", tag.local);
            self.problem(offset, code::XML_ELEMENT, message)?;
        }
        Ok(text)
    }

    /// Like [`Elements::text`], but content with elements is given as it is written.
    pub(crate) fn mixed(&mut self, tag: &Tag<'i>) -> Result<Cow<'i, str>, Stop> {
        Ok(self.content(tag)?.0)
    }

    /// The content, and where its first element stands.
    fn content(&mut self, tag: &Tag<'i>) -> Result<(Cow<'i, str>, Option<usize>), Stop> {
        let mut content = Cow::Borrowed("");
        let mut element = None;
        loop {
            let offset = self.scanner.offset();
            match self.token()? {
                Token::Text(written) if content.is_empty() => content = text::line_ends(written),
                Token::Text(written) => text::push_line_ends(content.to_mut(), written),
                Token::Character(character) => content.to_mut().push(character),
                Token::Start(_) => {
                    element.get_or_insert(offset);
                    self.skip()?;
                }
                Token::End if element.is_some() => {
                    let end = self.start_of_end(offset);
                    content = text::line_ends(&self.scanner.source()[tag.end..end]);
                    self.check_text(tag, content.len())?;
                    return Ok((content, element));
                }
                Token::End => {
                    self.check_text(tag, content.len())?;
                    return Ok((content, None));
                }
                Token::Eof => return Err(Stop),
            }
        }
    }

    /// Where the end tag that was just read begins: the scanner passes over comments before it.
    fn start_of_end(&self, from: usize) -> usize {
        let end = self.scanner.offset();
        let passed = &self.scanner.source().as_bytes()[from..end];
        memchr::memrchr(b'<', passed).map_or(end, |at| from + at)
    }

    fn check_text(&mut self, tag: &Tag<'i>, length: usize) -> Result<(), Stop> {
        let limit = self.scanner.limits().text;
        if length <= limit {
            return Ok(());
        }
        let message =
            format!("the text of `{}` has {length} bytes; the limit `text` is {limit}", tag.local);
        self.problem(tag.offset, code::LIMIT, message)
    }
}
