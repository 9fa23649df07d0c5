//! Tokens of a document, with namespaces, checked to be well-formed.
//!
//! quick-xml cuts the text into events; what it leaves to its caller is checked here: names,
//! attributes, references, namespaces, one root, and the limits. There is no document type
//! declaration and no entity.

mod attributes;
mod prolog;

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::events::Event;

use super::{name, text};
use crate::error::{Position, ReadError, code};
use crate::format::cursor::{ReadLimits, quoted};

const XML_NAMESPACE: &str = "http://www.w3.org/XML/1998/namespace";
const XMLNS_NAMESPACE: &str = "http://www.w3.org/2000/xmlns/";

/// Prefixes are looked up one by one: more than anyone writes, few enough to keep that cheap.
const MOST_BINDINGS: usize = 64;

/// What the document goes on with. Comments and processing instructions are passed over.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Token<'i> {
    /// An element begins; its attributes are the scanner's until the next token.
    Start(Tag<'i>),
    /// The innermost open element ends.
    End,
    /// Text without references, line ends as written.
    Text(&'i str),
    /// What a reference stands for.
    Character(char),
    /// The document ends.
    Eof,
}

/// The start tag of an element.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag<'i> {
    /// Its name as written.
    pub(crate) name: &'i str,
    /// Its name without prefix.
    pub(crate) local: &'i str,
    /// The byte at which it begins.
    pub(crate) offset: usize,
    /// The byte after it.
    pub(crate) end: usize,
    /// The index of its namespace among the bindings.
    namespace: Option<usize>,
}

/// An attribute that is not a namespace declaration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Attribute<'i> {
    /// Its name as written.
    pub(crate) name: &'i str,
    /// Its value as written, known to hold valid references only.
    pub(crate) raw: &'i str,
    /// The byte at which its name begins.
    pub(crate) offset: usize,
    /// The index of its namespace among the bindings, where it has a prefix.
    namespace: Option<usize>,
}

#[derive(Clone, Debug)]
struct Binding<'i> {
    prefix: &'i str,
    uri: Cow<'i, str>,
}

/// See the module.
pub(crate) struct Scanner<'i> {
    source: &'i str,
    reader: Reader<&'i [u8]>,
    limits: ReadLimits,
    /// Namespace declarations in scope, innermost last. The first is that of `xml`.
    bindings: Vec<Binding<'i>>,
    /// For each open element, its name and how many bindings there were before it.
    open: Vec<(&'i str, usize)>,
    attributes: Vec<Attribute<'i>>,
    /// The element that has just begun is empty: its end is the next token.
    empty: bool,
    root_seen: bool,
    nodes: usize,
}

impl<'i> Scanner<'i> {
    pub(crate) fn new(source: &'i str, limits: &ReadLimits) -> Self {
        let mut reader = Reader::from_str(source);
        reader.config_mut().check_comments = true;
        Self {
            source,
            reader,
            limits: *limits,
            bindings: vec![Binding { prefix: "xml", uri: Cow::Borrowed(XML_NAMESPACE) }],
            open: Vec::with_capacity(16),
            attributes: Vec::with_capacity(8),
            empty: false,
            root_seen: false,
            nodes: 0,
        }
    }

    pub(crate) fn source(&self) -> &'i str {
        self.source
    }

    /// The byte after the last token.
    pub(crate) fn offset(&self) -> usize {
        usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX).min(self.source.len())
    }

    pub(crate) fn limits(&self) -> &ReadLimits {
        &self.limits
    }

    /// The attributes of the element that has just begun.
    pub(crate) fn attributes(&self) -> &[Attribute<'i>] {
        &self.attributes
    }

    /// The namespace of an element that is open; empty where it has none.
    pub(crate) fn namespace(&self, tag: &Tag<'i>) -> &str {
        self.uri(tag.namespace)
    }

    /// The namespace of an attribute of the element that has just begun.
    pub(crate) fn attribute_namespace(&self, attribute: &Attribute<'i>) -> &str {
        self.uri(attribute.namespace)
    }

    fn uri(&self, binding: Option<usize>) -> &str {
        binding.and_then(|index| self.bindings.get(index)).map_or("", |binding| &binding.uri)
    }

    /// Prefix (empty: the default) and namespace of every declaration in scope but that of `xml`,
    /// outermost first. Of two with one prefix the inner one is given.
    pub(crate) fn in_scope(&self) -> impl Iterator<Item = (&'i str, &Cow<'i, str>)> {
        self.bindings.iter().enumerate().skip(1).filter_map(|(index, binding)| {
            let hidden = self.bindings[index + 1..].iter().any(|b| b.prefix == binding.prefix);
            (!hidden && !binding.uri.is_empty()).then_some((binding.prefix, &binding.uri))
        })
    }

    /// Like [`Scanner::in_scope`], without what the element that has just begun declares itself or
    /// hides: what its text lacks once it stands alone.
    pub(crate) fn outer_scope(&self) -> impl Iterator<Item = (&'i str, &Cow<'i, str>)> {
        let own = self.open.last().map_or(0, |(_, bindings)| *bindings);
        self.bindings[..own].iter().enumerate().skip(1).filter_map(|(index, binding)| {
            let hidden = self.bindings[index + 1..].iter().any(|b| b.prefix == binding.prefix);
            (!hidden && !binding.uri.is_empty()).then_some((binding.prefix, &binding.uri))
        })
    }

    #[cold]
    pub(crate) fn error(
        &self,
        offset: usize,
        code: &'static str,
        message: impl Into<String>,
    ) -> ReadError {
        ReadError::at(Position::of_offset(self.source.as_bytes(), offset), code, message)
    }

    /// The next token.
    pub(crate) fn next(&mut self) -> Result<Token<'i>, ReadError> {
        if self.empty {
            self.empty = false;
            self.close();
            return Ok(Token::End);
        }
        if !self.root_seen && self.source.starts_with('\u{FEFF}') {
            // A second byte order mark: quick-xml would pass over it without counting it.
            return Err(self.outside(0));
        }
        loop {
            let start = self.offset();
            let event = match self.reader.read_event() {
                Ok(event) => event,
                Err(error) => return Err(self.syntax(&error)),
            };
            let end = self.offset();
            let source = self.source;
            let written = source.get(start..end).unwrap_or_default();
            match event {
                Event::Start(_) => return self.start(written, start, end, false),
                Event::Empty(_) => return self.start(written, start, end, true),
                Event::End(_) => {
                    self.close();
                    return Ok(Token::End);
                }
                Event::Text(_) if written.is_empty() => {}
                Event::Text(_) => {
                    if self.open.is_empty() {
                        self.check_outside(written, start)?;
                        continue;
                    }
                    if let Some(at) = memchr::memmem::find(written.as_bytes(), b"]]>") {
                        return Err(self.error(
                            start + at,
                            code::XML_SYNTAX,
                            "`]]>` may not stand in text; write `]]&gt;`",
                        ));
                    }
                    return Ok(Token::Text(written));
                }
                Event::CData(_) => {
                    if self.open.is_empty() {
                        return Err(self.outside(start));
                    }
                    let inner = written
                        .strip_prefix("<![CDATA[")
                        .and_then(|rest| rest.strip_suffix("]]>"))
                        .unwrap_or_default();
                    if !inner.is_empty() {
                        return Ok(Token::Text(inner));
                    }
                }
                Event::GeneralRef(_) => {
                    if self.open.is_empty() {
                        return Err(self.outside(start));
                    }
                    let reference = written.trim_start_matches('&').trim_end_matches(';');
                    return match text::resolve(reference) {
                        Ok(character) => Ok(Token::Character(character)),
                        Err(message) => Err(self.error(start, code::XML_SYNTAX, message)),
                    };
                }
                Event::Comment(_) => {
                    // `<!---->` is the empty one.
                    if written.ends_with("--->") && written != "<!---->" {
                        return Err(self.error(
                            start,
                            code::XML_SYNTAX,
                            "a comment may not end with `--->`",
                        ));
                    }
                }
                Event::PI(instruction) => {
                    let target = instruction.target();
                    if !name::is_part(target) || target.eq_ignore_ascii_case("xml") {
                        return Err(self.error(
                            start,
                            code::XML_SYNTAX,
                            format!("{} is no target of a processing instruction", quoted(target)),
                        ));
                    }
                }
                Event::Decl(_) => self.declaration(written, start)?,
                Event::DocType(_) => {
                    return Err(self.error(
                        start,
                        code::XML_DTD,
                        "a document type declaration is not read; remove `<!DOCTYPE …>`",
                    ));
                }
                Event::Eof => {
                    return if let Some(message) = self.unfinished() {
                        Err(self.error(self.source.len(), code::XML_SYNTAX, message))
                    } else {
                        Ok(Token::Eof)
                    };
                }
            }
        }
    }

    /// Passes over the rest of the innermost open element.
    pub(crate) fn skip(&mut self) -> Result<(), ReadError> {
        let depth = self.open.len();
        while self.open.len() >= depth {
            self.next()?;
        }
        Ok(())
    }

    fn close(&mut self) {
        if let Some((_, bindings)) = self.open.pop() {
            self.bindings.truncate(bindings);
        }
        self.attributes.clear();
    }

    fn start(
        &mut self,
        written: &'i str,
        start: usize,
        end: usize,
        empty: bool,
    ) -> Result<Token<'i>, ReadError> {
        if self.open.is_empty() && self.root_seen {
            return Err(self.error(
                start,
                code::XML_SYNTAX,
                "a document has one root element; this is a second one",
            ));
        }
        self.root_seen = true;
        if self.open.len() >= self.limits.deepest() {
            return Err(self.error(
                start,
                code::LIMIT,
                format!(
                    "elements within each other go deeper than the limit `depth`, {}",
                    self.limits.deepest()
                ),
            ));
        }
        let inner = &written[1..written.len() - if empty { 2 } else { 1 }];
        if let Some(at) = memchr::memchr(b'<', inner.as_bytes()) {
            return Err(self.error(
                start + 1 + at,
                code::XML_SYNTAX,
                "`<` may not stand in a tag: `>` is missing, or `&lt;` is meant",
            ));
        }
        let name_end = inner
            .bytes()
            .position(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
            .unwrap_or(inner.len());
        let element = &inner[..name_end];
        let Some((prefix, local)) = name::split(element) else {
            return Err(self.error(
                start,
                code::XML_SYNTAX,
                format!("{} is not the name of an element", quoted(element)),
            ));
        };
        self.open.push((element, self.bindings.len()));
        self.empty = empty;
        self.attributes.clear();
        if name_end < inner.len() {
            self.read_attributes(inner, name_end, start + 1)?;
        }
        self.count_nodes(1 + self.attributes.len(), start)?;
        let namespace = self.resolve(prefix, start)?;
        Ok(Token::Start(Tag { name: element, local, offset: start, end, namespace }))
    }

    fn count_nodes(&mut self, more: usize, offset: usize) -> Result<(), ReadError> {
        self.nodes += more;
        if self.nodes <= self.limits.nodes {
            return Ok(());
        }
        Err(self.error(
            offset,
            code::LIMIT,
            format!("more elements and attributes than the limit `nodes`, {}", self.limits.nodes),
        ))
    }
}
