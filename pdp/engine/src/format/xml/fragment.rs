//! An element cut out of its document, with the namespaces it needs to stand alone.

use super::element::{Elements, Stop};
use super::scan::{Tag, Token};
use super::{text, write};
use crate::error::code;
use crate::value::Arena;

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
            declarations.extend_from_slice(b" xmlns");
            if !prefix.is_empty() {
                declarations.push(b':');
                declarations.extend_from_slice(prefix.as_bytes());
            }
            declarations.extend_from_slice(b"=\"");
            write::push_escaped_attribute(&mut declarations, uri);
            declarations.push(b'"');
        }
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
