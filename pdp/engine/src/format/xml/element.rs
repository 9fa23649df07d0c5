//! Elements as a schema orders them: which children in which order, which attributes.
//!
//! A reader descends over [`Elements`]: for each element it takes the attributes, then the children,
//! each checked against a table. Problems that leave the structure intact are collected and reading
//! goes on with a stand-in; a document that is not well-formed, or too many problems, stop it.

use std::borrow::Cow;

use super::scan::{Attribute, Scanner, Tag, Token};
use super::text;
use crate::error::{Position, ReadError, code};
use crate::format::cursor::{Lines, ReadLimits, alternatives, nearest, quoted};

/// Reading cannot go on; the reason is the last of the problems.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop;

/// One place in the sequence of children.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    names: &'static [&'static str],
    required: bool,
    many: bool,
}

impl Slot {
    /// One of the names, exactly once.
    pub(crate) const fn one(names: &'static [&'static str]) -> Self {
        Self { names, required: true, many: false }
    }

    /// One of the names, at most once.
    pub(crate) const fn optional(names: &'static [&'static str]) -> Self {
        Self { names, required: false, many: false }
    }

    /// Any number of the names, in any mix.
    pub(crate) const fn any(names: &'static [&'static str]) -> Self {
        Self { names, required: false, many: true }
    }

    /// The names in any mix, at least one.
    pub(crate) const fn some(names: &'static [&'static str]) -> Self {
        Self { names, required: true, many: true }
    }
}

/// An element and the sequence of its children.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    name: &'static str,
    slots: &'static [Slot],
}

impl Shape {
    /// The element `name` with these children.
    pub(crate) const fn new(name: &'static str, slots: &'static [Slot]) -> Self {
        Self { name, slots }
    }
}

/// How far the children of one element have come.
#[derive(Debug)]
pub(crate) struct Children {
    parent: &'static str,
    slots: &'static [Slot],
    at: usize,
    seen: u32,
    /// Places whose element was misspelt.
    excused: u32,
    last: &'static str,
    offset: usize,
}

impl Children {
    /// The children of `tag`, an element of this shape.
    pub(crate) fn of(tag: &Tag<'_>, shape: Shape) -> Self {
        Self {
            parent: shape.name,
            slots: shape.slots,
            at: 0,
            seen: 0,
            excused: 0,
            last: "",
            offset: tag.offset,
        }
    }
}

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

    fn accept(&mut self, tag: &Tag<'i>, children: &mut Children) -> Result<bool, Stop> {
        let Children { parent, slots, at, .. } = *children;
        let from = slots.iter().skip(at).position(|slot| slot.names.contains(&tag.local));
        if let Some(ahead) = from {
            let index = at + ahead;
            let bit = 1 << index;
            if children.seen & bit != 0 && !slots[index].many {
                let message = match slots[index].names {
                    [_] => format!("`{parent}` takes one `{}`; this is a second one", tag.local),
                    names => format!(
                        "`{parent}` takes one of {}; this is a second one",
                        alternatives(names)
                    ),
                };
                self.problem(tag.offset, code::XML_ELEMENT, message)?;
            }
            children.seen |= bit;
            children.at = index;
            let named = slots[index].names.iter().find(|name| **name == tag.local);
            children.last = named.copied().unwrap_or_default();
            return Ok(true);
        }
        if let Some(earlier) =
            slots[..at.min(slots.len())].iter().position(|slot| slot.names.contains(&tag.local))
        {
            let bit = 1 << earlier;
            let message = if children.seen & bit != 0 && !slots[earlier].many {
                format!("`{parent}` takes one `{}`; this is a second one", tag.local)
            } else {
                format!("`{}` must stand before `{}` in `{parent}`", tag.local, children.last)
            };
            self.problem(tag.offset, code::XML_ELEMENT, message)?;
            children.seen |= bit;
            return Ok(true);
        }
        // A misspelt child is not reported as missing as well.
        let here = || slots.iter().flat_map(|slot| slot.names.iter().copied());
        if let Some(meant) = nearest(tag.local, here()) {
            let slot = slots.iter().position(|slot| slot.names.contains(&meant));
            children.excused |= slot.map_or(0, |slot| 1 << slot);
        }
        let message = self.unknown_element(tag, parent, slots);
        self.problem(tag.offset, code::XML_ELEMENT, message)?;
        Ok(false)
    }

    #[cold]
    fn unknown_element(&self, tag: &Tag<'i>, parent: &str, slots: &[Slot]) -> String {
        let Vocabulary { format, elements, .. } = *self.vocabulary;
        let here = || slots.iter().flat_map(|slot| slot.names.iter().copied());
        if elements.contains(&tag.local) {
            return if slots.is_empty() {
                format!("`{parent}` holds no elements, and no `{}`", tag.local)
            } else {
                format!("`{}` has no place in `{parent}`", tag.local)
            };
        }
        let close =
            nearest(tag.local, here()).or_else(|| nearest(tag.local, elements.iter().copied()));
        match close {
            Some(name) => {
                format!("{format} has no element {}; did you mean `{name}`?", quoted(tag.local))
            }
            None => format!("{format} has no element {}", quoted(tag.local)),
        }
    }

    fn missing(&mut self, children: &Children) -> Result<(), Stop> {
        for (index, slot) in children.slots.iter().enumerate() {
            if slot.required && (children.seen | children.excused) & (1 << index) == 0 {
                let message = format!(
                    "`{}` needs {}",
                    children.parent,
                    match slot.names {
                        [name] if slot.many => format!("at least one `{name}`"),
                        [name] => format!("{} `{name}`", article(name)),
                        names => format!("one of {}", alternatives(names)),
                    }
                );
                self.problem(children.offset, code::XML_ELEMENT, message)?;
            }
        }
        Ok(())
    }

    /// The attributes of the element that has just begun, by name. Others are refused.
    pub(crate) fn attributes<const N: usize>(
        &mut self,
        tag: &Tag<'i>,
        known: &[&'static str; N],
    ) -> Result<[Option<Attribute<'i>>; N], Stop> {
        let mut found = [None; N];
        for index in 0..self.scanner.attributes().len() {
            let attribute = self.scanner.attributes()[index];
            match known.iter().position(|name| *name == attribute.name) {
                Some(place) => found[place] = Some(attribute),
                None => {
                    // A misspelt attribute stands for the one that was meant: one mistake, one problem.
                    let meant = self.unknown_attribute(tag, &attribute, known)?;
                    let place =
                        meant.and_then(|meant| known.iter().position(|name| *name == meant));
                    if let Some(place) = place {
                        found[place].get_or_insert(attribute);
                    }
                }
            }
        }
        Ok(found)
    }

    /// The attributes of an element that may have others, which are passed over.
    pub(crate) fn open_attributes<const N: usize>(
        &self,
        known: &[&'static str; N],
    ) -> [Option<Attribute<'i>>; N] {
        let mut found = [None; N];
        for attribute in self.scanner.attributes() {
            if let Some(place) = known.iter().position(|name| *name == attribute.name) {
                found[place] = Some(*attribute);
            }
        }
        found
    }

    #[cold]
    fn unknown_attribute(
        &mut self,
        tag: &Tag<'i>,
        attribute: &Attribute<'i>,
        known: &[&'static str],
    ) -> Result<Option<&'static str>, Stop> {
        const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";
        let hint = attribute.name.split_once(':');
        if let Some((_, local)) = hint
            && matches!(local, "schemaLocation" | "noNamespaceSchemaLocation")
            && self.scanner.attribute_namespace(attribute) == INSTANCE
        {
            return Ok(None);
        }
        let mut message = format!("`{}` has no attribute {}", tag.local, quoted(attribute.name));
        let mistaken = self.vocabulary.mistaken_attributes;
        let mut meant = None;
        if let Some((_, instead)) = mistaken.iter().find(|(name, _)| *name == attribute.name) {
            message.push_str("; ");
            message.push_str(instead);
        } else if let Some(name) = nearest(attribute.name, known.iter().copied()) {
            message.push_str(&format!("; did you mean `{name}`?"));
            meant = Some(name);
        }
        self.problem(attribute.offset, code::XML_ATTRIBUTE, message)?;
        Ok(meant)
    }

    /// An attribute that must be there.
    pub(crate) fn required(
        &mut self,
        tag: &Tag<'i>,
        name: &'static str,
        attribute: Option<Attribute<'i>>,
    ) -> Result<Option<Attribute<'i>>, Stop> {
        if attribute.is_none() {
            let message = format!("`{}` needs the attribute `{name}`", tag.local);
            self.problem(tag.offset, code::XML_ATTRIBUTE, message)?;
        }
        Ok(attribute)
    }

    /// An identifier that must be there, blanks collapsed; empty as a stand-in.
    pub(crate) fn required_uri(
        &mut self,
        tag: &Tag<'i>,
        name: &'static str,
        attribute: Option<Attribute<'i>>,
    ) -> Result<Cow<'i, str>, Stop> {
        Ok(match self.required(tag, name, attribute)? {
            Some(attribute) => attribute.uri(),
            None => Cow::Borrowed(""),
        })
    }

    /// A text that must be there; empty as a stand-in.
    pub(crate) fn required_text(
        &mut self,
        tag: &Tag<'i>,
        name: &'static str,
        attribute: Option<Attribute<'i>>,
    ) -> Result<Cow<'i, str>, Stop> {
        Ok(match self.required(tag, name, attribute)? {
            Some(attribute) => attribute.value(),
            None => Cow::Borrowed(""),
        })
    }

    /// A boolean that must be there; false as a stand-in.
    pub(crate) fn required_boolean(
        &mut self,
        tag: &Tag<'i>,
        name: &'static str,
        attribute: Option<Attribute<'i>>,
    ) -> Result<bool, Stop> {
        let Some(attribute) = self.required(tag, name, attribute)? else { return Ok(false) };
        match attribute.uri().as_ref() {
            "true" | "1" => Ok(true),
            "false" | "0" => Ok(false),
            other => {
                let message =
                    format!("`{name}` is {}; expected true, false, 1 or 0", quoted(other));
                self.problem(attribute.offset, code::VALUE, message)?;
                Ok(false)
            }
        }
    }

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

fn article(name: &str) -> &'static str {
    if name.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" }
}

impl<'i> Attribute<'i> {
    /// Its value, normalised.
    pub(crate) fn value(&self) -> Cow<'i, str> {
        // The scanner has checked the references.
        text::attribute(self.raw).unwrap_or(Cow::Borrowed(self.raw))
    }

    /// Its value as an identifier, number or boolean: blanks collapsed.
    pub(crate) fn uri(&self) -> Cow<'i, str> {
        text::collapse(self.value())
    }
}
