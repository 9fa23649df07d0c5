//! Elements as a schema orders them: which children in which order, which attributes.
//!
//! A reader descends over [`Elements`]: for each element it takes the attributes, then the children,
//! each checked against a table. Problems that leave the structure intact are collected and reading
//! goes on with a stand-in; a document that is not well-formed, or too many problems, stop it.

mod attributes;
mod content;
mod sequence;

pub(crate) use sequence::{Children, Shape, Slot};

use std::borrow::Cow;

use super::scan::{Scanner, Tag, Token};
use super::text;
use crate::error::{Position, ReadError, code};
use crate::format::cursor::{Lines, ReadLimits, alternatives, quoted};

/// Reading cannot go on; the reason is the last of the problems.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop;

/// What a format's elements are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vocabulary {
    /// What the documents are called in messages.
    pub(crate) format: &'static str,
    /// The namespace.
    pub(crate) namespace: &'static str,
    /// Every element name, to tell a misplaced element from an unknown one.
    pub(crate) elements: &'static [&'static str],
    /// Namespaces that people use by mistake, with what they are.
    pub(crate) mistaken: &'static [(&'static str, &'static str)],
    /// Attribute names that people use by mistake, with what to write.
    pub(crate) mistaken_attributes: &'static [(&'static str, &'static str)],
}

/// See the module.
pub(crate) struct Elements<'i> {
    pub(crate) scanner: Scanner<'i>,
    lines: Lines<'i>,
    vocabulary: &'static Vocabulary,
    problems: Vec<ReadError>,
    copied: usize,
}

impl<'i> Elements<'i> {
    pub(crate) fn new(
        source: &'i str,
        limits: &ReadLimits,
        vocabulary: &'static Vocabulary,
    ) -> Self {
        Self {
            scanner: Scanner::new(source, limits),
            lines: Lines::new(source),
            vocabulary,
            problems: Vec::new(),
            copied: 0,
        }
    }

    /// What was read, or the problems by place.
    pub(crate) fn finish<T>(mut self, read: Result<T, Stop>) -> Result<T, Vec<ReadError>> {
        match read {
            Ok(value) if self.problems.is_empty() => Ok(value),
            _ => {
                self.problems.sort_by_key(|problem| match &problem.place {
                    crate::error::Place::Position(position) => *position,
                    crate::error::Place::Pointer(_) => Position::default(),
                });
                Err(self.problems)
            }
        }
    }

    /// Counts what is copied from the scope of an element into what is read from it. A short element
    /// may repeat long declarations, so that the document's own size is no bound for the sum.
    pub(crate) fn count_copied(&mut self, offset: usize, bytes: usize) -> Result<(), Stop> {
        self.copied += bytes;
        let limit = self.scanner.limits().bytes;
        if self.copied <= limit {
            return Ok(());
        }
        let message =
            format!("namespaces repeated for XPath and Content exceed the limit `bytes`, {limit}");
        self.problem(offset, code::LIMIT, message)?;
        Err(Stop)
    }

    /// The prefixes in scope with their namespaces, for an XPath expression. The default namespace is
    /// left out: XPath 1.0 never uses it.
    pub(crate) fn prefixes(&mut self, tag: &Tag<'i>) -> Result<Vec<(&'i str, Cow<'i, str>)>, Stop> {
        const PER_PREFIX: usize = 16;
        let prefixes: Vec<_> = self
            .scanner
            .in_scope()
            .filter(|(prefix, _)| !prefix.is_empty())
            .map(|(prefix, uri)| (prefix, uri.clone()))
            .collect();
        let bytes =
            prefixes.iter().map(|(prefix, uri)| prefix.len() + uri.len() + PER_PREFIX).sum();
        self.count_copied(tag.offset, bytes)?;
        Ok(prefixes)
    }

    pub(crate) fn position(&mut self, offset: usize) -> Position {
        self.lines.at(offset)
    }

    /// Notes a problem; stops reading if that was one too many.
    #[cold]
    pub(crate) fn problem(
        &mut self,
        offset: usize,
        code: &'static str,
        message: impl Into<String>,
    ) -> Result<(), Stop> {
        let position = self.lines.at(offset);
        self.problems.push(ReadError::at(position, code, message));
        if self.problems.len() >= self.scanner.limits().problems { Err(Stop) } else { Ok(()) }
    }

    /// How many problems there are so far.
    pub(crate) fn problems(&self) -> usize {
        self.problems.len()
    }

    /// The places of the problems after so many.
    pub(crate) fn places_since(&self, problems: usize) -> Vec<Position> {
        let place = |problem: &ReadError| match problem.place {
            crate::error::Place::Position(position) => Some(position),
            crate::error::Place::Pointer(_) => None,
        };
        self.problems.iter().skip(problems).filter_map(place).collect()
    }

    #[cold]
    fn fatal(&mut self, error: ReadError) -> Stop {
        self.problems.push(error);
        Stop
    }

    pub(crate) fn token(&mut self) -> Result<Token<'i>, Stop> {
        match self.scanner.next() {
            Ok(token) => Ok(token),
            Err(error) => Err(self.fatal(error)),
        }
    }

    /// Passes over the rest of the element that has just begun.
    pub(crate) fn skip(&mut self) -> Result<(), Stop> {
        self.scanner.skip().map_err(|error| self.fatal(error))
    }

    /// The root element, which must be one of `names`.
    pub(crate) fn root(&mut self, names: &[&'static str]) -> Result<Tag<'i>, Stop> {
        let tag = loop {
            match self.token()? {
                Token::Start(tag) => break tag,
                Token::Eof => return Err(self.nothing()),
                _ => {}
            }
        };
        if !self.check_namespace(&tag)? {
            return Err(Stop);
        }
        if !names.contains(&tag.local) {
            let expected = alternatives(names);
            self.problem(
                tag.offset,
                code::XML_ELEMENT,
                format!("the root element is {}; expected {expected}", quoted(tag.name)),
            )?;
            return Err(Stop);
        }
        Ok(tag)
    }

    fn nothing(&mut self) -> Stop {
        self.fatal(ReadError::at(Position::new(1, 1), code::XML_SYNTAX, "the document is empty"))
    }

    fn check_namespace(&mut self, tag: &Tag<'i>) -> Result<bool, Stop> {
        let Vocabulary { format, namespace, mistaken, .. } = *self.vocabulary;
        let found = self.scanner.namespace(tag);
        if found == namespace {
            return Ok(true);
        }
        let message = match mistaken.iter().find(|(mistaken, _)| *mistaken == found) {
            Some((_, what)) => {
                format!("{} is in the namespace of {what}; expected {namespace}", quoted(tag.name))
            }
            None if found.is_empty() => format!(
                "{} is in no namespace; {format} documents declare xmlns=\"{namespace}\"",
                quoted(tag.name)
            ),
            None => format!(
                "{} is in the namespace {}; expected {namespace}",
                quoted(tag.name),
                quoted(found)
            ),
        };
        self.problem(tag.offset, code::XML_NAMESPACE, message)?;
        Ok(false)
    }

    /// After the root element nothing but comments may follow.
    pub(crate) fn end(&mut self) -> Result<(), Stop> {
        match self.token()? {
            Token::Eof => Ok(()),
            // The scanner refuses all else after the root element.
            _ => Err(Stop),
        }
    }

    /// The next child that the table allows, in whatever order; none at the end of the parent.
    pub(crate) fn child(&mut self, children: &mut Children) -> Result<Option<Tag<'i>>, Stop> {
        loop {
            let offset = self.scanner.offset();
            match self.token()? {
                Token::Start(tag) => {
                    if self.check_namespace(&tag)? && self.accept(&tag, children)? {
                        return Ok(Some(tag));
                    }
                    self.skip()?;
                }
                Token::End => {
                    self.missing(children)?;
                    return Ok(None);
                }
                Token::Text(written) if text::is_blank(written) => {}
                Token::Text(written) => {
                    let blanks = written.len() - written.trim_ascii_start().len();
                    self.stray_text(offset + blanks, children.parent)?;
                }
                Token::Character(' ' | '\t' | '\n' | '\r') => {}
                Token::Character(_) => self.stray_text(offset, children.parent)?,
                Token::Eof => return Err(Stop),
            }
        }
    }

    /// The element ends without children.
    pub(crate) fn leaf(&mut self, tag: &Tag<'i>, name: &'static str) -> Result<(), Stop> {
        let mut children = Children::of(tag, Shape::new(name, &[]));
        while self.child(&mut children)?.is_some() {}
        Ok(())
    }

    #[cold]
    fn stray_text(&mut self, offset: usize, parent: &str) -> Result<(), Stop> {
        self.problem(offset, code::XML_TEXT, format!("`{parent}` holds elements, not text"))
    }
}
