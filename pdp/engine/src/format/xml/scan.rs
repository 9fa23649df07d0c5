//! Tokens of a document, with namespaces, checked to be well-formed.
//!
//! quick-xml cuts the text into events; what it leaves to its caller is checked here: names,
//! attributes, references, namespaces, one root, and the limits. There is no document type
//! declaration and no entity.

use std::borrow::Cow;

use quick_xml::events::Event;
use quick_xml::{Error, Reader};

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
                    if written.ends_with("--->") {
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

    /// `tag` is the inside of a start tag that begins at byte `base`; its name ends at `at`.
    fn read_attributes(&mut self, tag: &'i str, at: usize, base: usize) -> Result<(), ReadError> {
        let bytes = tag.as_bytes();
        let blank = |at: &usize| matches!(bytes.get(*at), Some(b' ' | b'\t' | b'\n' | b'\r'));
        let after_blanks = |mut at: usize| {
            while blank(&at) {
                at += 1;
            }
            at
        };
        let mut at = at;
        loop {
            let start = after_blanks(at);
            if start == bytes.len() {
                break;
            }
            if start == at {
                return Err(self.error(
                    base + at,
                    code::XML_SYNTAX,
                    "a blank must stand between attributes",
                ));
            }
            let length = bytes[start..]
                .iter()
                .position(|byte| matches!(byte, b'=' | b' ' | b'\t' | b'\n' | b'\r'));
            let name_end = length.map_or(bytes.len(), |length| start + length);
            let written = &tag[start..name_end];
            let Some((prefix, local)) = name::split(written) else {
                return Err(self.error(
                    base + start,
                    code::XML_SYNTAX,
                    format!("{} is not the name of an attribute", quoted(written)),
                ));
            };
            let equals = after_blanks(name_end);
            let quote_at = after_blanks(equals + 1);
            let quote = match (bytes.get(equals), bytes.get(quote_at)) {
                (Some(b'='), Some(quote @ (b'"' | b'\''))) => *quote,
                _ => {
                    return Err(self.error(
                        base + start,
                        code::XML_SYNTAX,
                        format!(
                            "the attribute {} needs `=` and a value in quotes",
                            quoted(written)
                        ),
                    ));
                }
            };
            let Some(length) = memchr::memchr(quote, &bytes[quote_at + 1..]) else {
                return Err(self.error(
                    base + quote_at,
                    code::XML_SYNTAX,
                    format!("the value of {} does not end", quoted(written)),
                ));
            };
            let value_end = quote_at + 1 + length;
            self.attribute(Written {
                name: written,
                prefix,
                local,
                raw: &tag[quote_at + 1..value_end],
                offset: base + start,
                value_offset: base + quote_at + 1,
            })?;
            at = value_end + 1;
        }
        self.resolve_attributes()
    }

    fn attribute(&mut self, written: Written<'i>) -> Result<(), ReadError> {
        let Written { name, prefix, local, raw, offset, value_offset } = written;
        if raw.len() > self.limits.attribute {
            return Err(self.error(
                offset,
                code::LIMIT,
                format!(
                    "the value of {} has {} bytes; the limit `attribute` is {}",
                    quoted(name),
                    raw.len(),
                    self.limits.attribute
                ),
            ));
        }
        // Checked even where nobody reads the value: the document must be well-formed.
        if memchr::memchr(b'&', raw.as_bytes()).is_some()
            && let Err((at, message)) = text::attribute(raw)
        {
            return Err(self.error(value_offset + at, code::XML_SYNTAX, message));
        }
        let declared = match (prefix, local) {
            ("", "xmlns") => Some(""),
            ("xmlns", prefix) => Some(prefix),
            _ => None,
        };
        if let Some(prefix) = declared {
            return self.declare(prefix, raw, offset);
        }
        self.attributes.push(Attribute { name, raw, offset, namespace: None });
        Ok(())
    }

    fn declare(&mut self, prefix: &'i str, raw: &'i str, offset: usize) -> Result<(), ReadError> {
        let uri = text::attribute(raw).unwrap_or(Cow::Borrowed(raw));
        let fault = match (prefix, uri.as_ref()) {
            ("xmlns", _) | (_, XMLNS_NAMESPACE) => Some("`xmlns` cannot be declared"),
            ("xml", XML_NAMESPACE) => return Ok(()),
            ("xml", _) | (_, XML_NAMESPACE) => Some("`xml` has a fixed namespace"),
            ("", "") => None,
            (_, "") => Some("a prefix cannot be declared away"),
            _ => None,
        };
        if let Some(fault) = fault {
            return Err(self.error(offset, code::XML_NAMESPACE, fault));
        }
        let own = self.open.last().map_or(0, |(_, bindings)| *bindings);
        if self.bindings[own..].iter().any(|binding| binding.prefix == prefix) {
            let message = format!("the prefix {} is declared twice in this tag", quoted(prefix));
            return Err(self.error(offset, code::XML_SYNTAX, message));
        }
        if self.bindings.len() > MOST_BINDINGS {
            return Err(self.error(
                offset,
                code::LIMIT,
                format!("more namespace declarations in scope than the limit, {MOST_BINDINGS}"),
            ));
        }
        self.bindings.push(Binding { prefix, uri });
        self.count_nodes(1, offset)
    }

    /// Resolves prefixes and refuses attributes that occur twice.
    fn resolve_attributes(&mut self) -> Result<(), ReadError> {
        for index in 0..self.attributes.len() {
            let Attribute { name, offset, .. } = self.attributes[index];
            if let Some((prefix, _)) = name.split_once(':') {
                self.attributes[index].namespace = self.resolve(prefix, offset)?;
            }
        }
        let local = |name: &'i str| name.split_once(':').map_or(name, |(_, local)| local);
        let same = |a: &Attribute<'i>, b: &Attribute<'i>| {
            a.name == b.name
                || (a.namespace.is_some()
                    && b.namespace.is_some()
                    && local(a.name) == local(b.name)
                    && self.uri(a.namespace) == self.uri(b.namespace))
        };
        let twice = if self.attributes.len() <= 16 {
            self.attributes
                .iter()
                .enumerate()
                .find(|(index, attribute)| {
                    self.attributes[..*index].iter().any(|a| same(a, attribute))
                })
                .map(|(_, attribute)| *attribute)
        } else {
            // Many attributes: sorted, so that a hostile tag costs no more than its length allows.
            let mut sorted = self.attributes.clone();
            sorted.sort_by_key(|a| (local(a.name), self.uri(a.namespace), a.offset));
            sorted
                .windows(2)
                .find(|pair| {
                    local(pair[0].name) == local(pair[1].name)
                        && self.uri(pair[0].namespace) == self.uri(pair[1].namespace)
                })
                .map(|pair| pair[1])
        };
        match twice {
            None => Ok(()),
            Some(attribute) => Err(self.error(
                attribute.offset,
                code::XML_SYNTAX,
                format!("the attribute {} occurs twice", quoted(attribute.name)),
            )),
        }
    }

    /// The binding of a prefix; none for no prefix without default namespace.
    fn resolve(&self, prefix: &str, offset: usize) -> Result<Option<usize>, ReadError> {
        let found = self.bindings.iter().rposition(|binding| binding.prefix == prefix);
        if found.is_none() && !prefix.is_empty() {
            return Err(self.error(
                offset,
                code::XML_NAMESPACE,
                format!("the prefix {} is not declared", quoted(prefix)),
            ));
        }
        Ok(found)
    }

    fn declaration(&self, written: &str, start: usize) -> Result<(), ReadError> {
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

    fn check_outside(&self, written: &str, start: usize) -> Result<(), ReadError> {
        match written.bytes().position(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
            None => Ok(()),
            Some(at) => Err(self.outside(start + at)),
        }
    }

    fn outside(&self, offset: usize) -> ReadError {
        self.error(offset, code::XML_SYNTAX, "text may not stand outside the root element")
    }

    fn unfinished(&self) -> Option<String> {
        if !self.root_seen {
            return Some("the document is empty".to_owned());
        }
        self.open.last().map(|(name, _)| format!("the document ends before `</{name}>`"))
    }

    #[cold]
    fn syntax(&self, error: &Error) -> ReadError {
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

/// An attribute as written, before it is sorted into declarations and attributes.
struct Written<'i> {
    name: &'i str,
    prefix: &'i str,
    local: &'i str,
    raw: &'i str,
    offset: usize,
    value_offset: usize,
}
