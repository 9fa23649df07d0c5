//! An element cut out of its document, with the namespaces it needs to stand alone.

use super::element::{Elements, Stop};
use super::scan::{Scanner, Tag, Token};
use super::{decode, text, write};
use crate::error::{ReadError, code};
use crate::format::cursor::ReadLimits;
use crate::value::Arena;

/// The root element of a document, without the XML declaration and what else stands around it.
pub(crate) fn root_element<'i>(
    bytes: &'i [u8],
    limits: &ReadLimits,
    arena: &'i Arena,
) -> Result<&'i str, ReadError> {
    let source = match decode(bytes, limits)? {
        std::borrow::Cow::Borrowed(text) => text,
        std::borrow::Cow::Owned(text) => arena.alloc_str(&text),
    };
    let mut scanner = Scanner::new(source, limits);
    let mut element = "";
    loop {
        match scanner.next()? {
            Token::Start(tag) => {
                scanner.skip()?;
                element = &source[tag.offset..scanner.offset()];
            }
            Token::Eof => return Ok(element),
            _ => {}
        }
    }
}

impl<'i> Elements<'i> {
    /// The one element that `parent`, which has just begun, holds; none where it holds nothing.
    pub(crate) fn fragment(
        &mut self,
        parent: &Tag<'i>,
        arena: &'i Arena,
    ) -> Result<Option<&'i str>, Stop> {
        let mut found = None;
        loop {
            let offset = self.scanner.offset();
            match self.token()? {
                Token::Start(tag) => {
                    if found.is_some() {
                        let message =
                            format!("`{}` holds one element; this is a second one", parent.local);
                        self.problem(tag.offset, code::XML_ELEMENT, message)?;
                    }
                    found = Some(self.element(&tag, arena)?);
                }
                Token::Text(written) if text::is_blank(written) => {}
                Token::Character(' ' | '\t' | '\n' | '\r') => {}
                Token::Text(_) | Token::Character(_) => {
                    let message = format!("`{}` holds one element and no text", parent.local);
                    self.problem(offset, code::XML_TEXT, message)?;
                }
                Token::End => return Ok(found),
                Token::Eof => return Err(Stop),
            }
        }
    }

    /// The text of the element that has just begun.
    fn element(&mut self, tag: &Tag<'i>, arena: &'i Arena) -> Result<&'i str, Stop> {
        let mut declarations = Vec::new();
        for (prefix, uri) in self.scanner.outer_scope() {
            write::push_declaration(&mut declarations, prefix, uri);
        }
        self.count_copied(tag.offset, declarations.len())?;
        let source = self.scanner.source();
        self.skip()?;
        let end = self.scanner.offset();
        let limit = self.scanner.limits().text;
        if end - tag.offset > limit {
            let message = format!(
                "the element {} has {} bytes; the limit `text` is {limit}",
                tag.name,
                end - tag.offset
            );
            self.problem(tag.offset, code::LIMIT, message)?;
        }
        let written = &source[tag.offset..end];
        if declarations.is_empty() {
            return Ok(written);
        }
        let declarations = String::from_utf8_lossy(&declarations);
        let (name, rest) = written.split_at(1 + tag.name.len());
        let mut text = bumpalo::collections::String::with_capacity_in(
            written.len() + declarations.len(),
            arena,
        );
        text.push_str(name);
        text.push_str(&declarations);
        text.push_str(rest);
        Ok(text.into_bump_str())
    }
}
