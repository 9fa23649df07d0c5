//! XML text to [`Document`] (XML 1.0, Namespaces in XML 1.0, XPath 1.0 section 5).
//!
//! quick-xml cuts the text into events; what it leaves to its caller is checked here. There is no
//! document type declaration and no entity beside the five of XML, so that a text never grows. Text
//! that needs no change is borrowed. Reading does not recurse.

use quick_xml::Reader;
use quick_xml::events::Event;

use super::name;
use super::text::{self, is_blank};
use super::tree::{Declaration, Document, Node, NodeKind};
use crate::error::{Position, ReadError, code};
use crate::value::Arena;

pub(super) const XML_NAMESPACE: &str = "http://www.w3.org/XML/1998/namespace";

/// Prefixes are looked up one by one: more than anyone writes, few enough to keep that cheap.
pub(super) const MOST_DECLARATIONS: usize = 128;

/// The longest name and the longest namespace, in bytes: each node that a path looks at may be
/// compared with one.
pub(super) const LONGEST_NAME: usize = 1000;

/// How large a Content may be. Every refusal names the limit, its value and the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentLimits {
    /// Bytes of its text.
    pub bytes: usize,
    /// Elements within each other.
    pub depth: usize,
    /// Nodes and namespace declarations.
    pub nodes: usize,
}

impl Default for DocumentLimits {
    fn default() -> Self {
        Self { bytes: 2 << 20, depth: 128, nodes: 200_000 }
    }
}

impl<'a> Document<'a> {
    /// Reads the one element of a Content. White space around it is dropped, white space within is
    /// kept; comments and processing instructions are nodes. Text over several CDATA sections and
    /// references is one node.
    ///
    /// # Errors
    /// The text is not well-formed, declares a document type, or goes beyond a limit.
    pub fn parse(
        xml: &'a str,
        arena: &'a Arena,
        limits: &DocumentLimits,
    ) -> Result<Self, ReadError> {
        let source = xml.strip_prefix('\u{FEFF}').unwrap_or(xml);
        let mut builder = Builder::new(source, arena, limits);
        if source.len() > limits.bytes {
            let message = format!(
                "the Content has {} bytes; the limit `bytes` is {}",
                xml.len(),
                limits.bytes
            );
            return Err(builder.error(0, code::LIMIT, message));
        }
        if let Some(at) = text::forbidden(source) {
            let character = source[at..].chars().next().unwrap_or_default();
            let message =
                format!("the character U+{:04X} is not allowed in XML", u32::from(character));
            return Err(builder.error(at, code::XML_SYNTAX, message));
        }
        builder.read()?;
        Ok(Self {
            nodes: arena.alloc_slice_copy(&builder.nodes),
            declarations: arena.alloc_slice_copy(&builder.declarations),
        })
    }
}

/// A document that is being read.
pub(super) struct Builder<'a> {
    pub(super) source: &'a str,
    pub(super) arena: &'a Arena,
    pub(super) limits: DocumentLimits,
    pub(super) nodes: Vec<Node<'a>>,
    pub(super) declarations: Vec<Declaration<'a>>,
    /// The open elements, below them the document node.
    pub(super) open: Vec<u32>,
    text: text::Joined<'a>,
    /// Expanded names of one tag's attributes, to find one that occurs twice.
    pub(super) names: Vec<(&'a str, &'a str, usize)>,
    pub(super) root_seen: bool,
}

pub(super) type Read<T = ()> = Result<T, ReadError>;

impl<'a> Builder<'a> {
    fn new(source: &'a str, arena: &'a Arena, limits: &DocumentLimits) -> Self {
        let none = Declaration { prefix: "", uri: "", outer: 0, length: 0 };
        let xml = Declaration { prefix: "xml", uri: XML_NAMESPACE, outer: 0, length: 0 };
        let root = Node {
            name: "",
            text: "",
            parent: 0,
            content: 1,
            end: 1,
            local: 0,
            namespace: 0,
            scope: 1,
            kind: NodeKind::Document,
        };
        Self {
            source,
            arena,
            // Indices are numbers of 32 bits.
            limits: DocumentLimits { nodes: limits.nodes.min(1 << 30), ..*limits },
            nodes: vec![root],
            declarations: vec![none, xml],
            open: vec![0],
            text: text::Joined::default(),
            names: Vec::new(),
            root_seen: false,
        }
    }

    #[cold]
    pub(super) fn error(
        &self,
        offset: usize,
        code: &'static str,
        message: impl Into<String>,
    ) -> ReadError {
        ReadError::at(Position::of_offset(self.source.as_bytes(), offset), code, message)
    }

    #[cold]
    pub(super) fn syntax(&self, offset: usize, message: impl Into<String>) -> ReadError {
        self.error(offset, code::XML_SYNTAX, message)
    }

    fn read(&mut self) -> Read {
        let source = self.source;
        if source.starts_with('\u{FEFF}') {
            return Err(self.outside(0));
        }
        let mut reader = Reader::from_str(source);
        reader.config_mut().check_comments = true;
        let offset = |reader: &Reader<&[u8]>| {
            usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX).min(source.len())
        };
        loop {
            let start = offset(&reader);
            let event = match reader.read_event() {
                Ok(event) => event,
                Err(error) => {
                    let at = usize::try_from(reader.error_position()).unwrap_or(usize::MAX);
                    return Err(self.syntax(at, error.to_string()));
                }
            };
            let written = source.get(start..offset(&reader)).unwrap_or_default();
            match event {
                Event::Text(_) => self.characters(written, start)?,
                Event::CData(_) => {
                    self.check_inside(start)?;
                    self.text.push(inner(written, "<![CDATA[", "]]>"));
                }
                Event::GeneralRef(_) => {
                    self.check_inside(start)?;
                    match text::resolve(inner(written, "&", ";")) {
                        Ok(character) => self.text.push_character(character),
                        Err(message) => return Err(self.syntax(start, message)),
                    }
                }
                Event::Start(_) => self.start(inner(written, "<", ">"), start)?,
                Event::Empty(_) => {
                    self.start(inner(written, "<", "/>"), start)?;
                    self.close();
                }
                Event::End(_) => {
                    self.flush(start)?;
                    self.close();
                }
                Event::Comment(_) => {
                    self.flush(start)?;
                    let text = self.line_ends(inner(written, "<!--", "-->"));
                    self.leaf(NodeKind::Comment, "", text, start)?;
                }
                Event::PI(_) => self.instruction(inner(written, "<?", "?>"), start)?,
                Event::Decl(_) if start == 0 => {}
                Event::Decl(_) => {
                    return Err(self.syntax(start, "an XML declaration stands at the very start"));
                }
                Event::DocType(_) => {
                    let message = "a document type declaration is not read; remove `<!DOCTYPE …>`";
                    return Err(self.error(start, code::XML_DTD, message));
                }
                Event::Eof => return self.finish(),
            }
        }
    }

    fn finish(&mut self) -> Read {
        if !self.root_seen {
            return Err(self.syntax(self.source.len(), "the Content has no element"));
        }
        if let [_, .., open] = self.open[..] {
            let name = self.nodes[open as usize].name;
            return Err(
                self.syntax(self.source.len(), format!("the Content ends before `</{name}>`"))
            );
        }
        self.close();
        Ok(())
    }

    fn characters(&mut self, written: &'a str, start: usize) -> Read {
        if self.open.len() == 1 {
            return if is_blank(written) { Ok(()) } else { Err(self.outside(start)) };
        }
        if let Some(at) = memchr::memmem::find(written.as_bytes(), b"]]>") {
            return Err(self.syntax(start + at, "`]]>` may not stand in text; write `]]&gt;`"));
        }
        self.text.push(written);
        Ok(())
    }

    fn instruction(&mut self, written: &'a str, start: usize) -> Read {
        let end = written.find([' ', '\t', '\n', '\r']).unwrap_or(written.len());
        let (target, data) = written.split_at(end);
        if !name::is_part(target) || target.eq_ignore_ascii_case("xml") {
            return Err(
                self.syntax(start, "a processing instruction needs a name, other than `xml`")
            );
        }
        self.flush(start)?;
        let data = self.line_ends(data.trim_start_matches([' ', '\t', '\n', '\r']));
        self.leaf(NodeKind::ProcessingInstruction, target, data, start)
    }

    fn outside(&self, offset: usize) -> ReadError {
        self.syntax(offset, "text may not stand outside the one element")
    }

    fn check_inside(&self, offset: usize) -> Read {
        if self.open.len() == 1 { Err(self.outside(offset)) } else { Ok(()) }
    }

    fn line_ends(&self, written: &'a str) -> &'a str {
        let mut joined = text::Joined::default();
        joined.push(written);
        joined.take(self.arena).unwrap_or_default()
    }

    /// The text since the last node becomes a node.
    pub(super) fn flush(&mut self, offset: usize) -> Read {
        match self.text.take(self.arena) {
            Some(text) => self.leaf(NodeKind::Text, "", text, offset),
            None => Ok(()),
        }
    }

    pub(super) fn leaf(
        &mut self,
        kind: NodeKind,
        name: &'a str,
        text: &'a str,
        offset: usize,
    ) -> Read {
        let index = self.check_nodes(offset)?;
        let parent = self.innermost();
        self.nodes.push(Node {
            name,
            text,
            parent,
            content: index + 1,
            end: index + 1,
            local: 0,
            namespace: 0,
            scope: 0,
            kind,
        });
        Ok(())
    }

    /// The index of the next node.
    pub(super) fn check_nodes(&self, offset: usize) -> Read<u32> {
        let used = self.nodes.len() + self.declarations.len();
        match u32::try_from(self.nodes.len()) {
            // The document node and the two declarations that are always there do not count.
            Ok(index) if used < self.limits.nodes.saturating_add(3) => Ok(index),
            _ => {
                let limit = self.limits.nodes;
                let message = format!("more nodes than the limit `nodes`, {limit}");
                Err(self.error(offset, code::LIMIT, message))
            }
        }
    }

    pub(super) fn innermost(&self) -> u32 {
        self.open.last().copied().unwrap_or(0)
    }

    fn close(&mut self) {
        let end = self.next_index();
        if let Some(index) = self.open.pop() {
            self.nodes[index as usize].end = end;
        }
    }

    /// Below 2^32, because of the limit on nodes.
    pub(super) fn next_index(&self) -> u32 {
        u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }
}

/// What stands between the delimiters.
fn inner<'w>(written: &'w str, before: &str, after: &str) -> &'w str {
    let rest = written.strip_prefix(before).unwrap_or(written);
    rest.strip_suffix(after).unwrap_or(rest)
}
