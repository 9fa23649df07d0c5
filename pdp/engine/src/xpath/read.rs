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

const XML_NAMESPACE: &str = "http://www.w3.org/XML/1998/namespace";
const XMLNS_NAMESPACE: &str = "http://www.w3.org/2000/xmlns/";

/// Prefixes are looked up one by one: more than anyone writes, few enough to keep that cheap.
pub(super) const MOST_DECLARATIONS: usize = 128;

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

struct Builder<'a> {
    source: &'a str,
    arena: &'a Arena,
    limits: DocumentLimits,
    nodes: Vec<Node<'a>>,
    declarations: Vec<Declaration<'a>>,
    /// The open elements, below them the document node.
    open: Vec<u32>,
    text: text::Joined<'a>,
    /// Expanded names of one tag's attributes, to find one that occurs twice.
    names: Vec<(&'a str, &'a str, usize)>,
    root_seen: bool,
}

type Read<T = ()> = Result<T, ReadError>;

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
    fn error(&self, offset: usize, code: &'static str, message: impl Into<String>) -> ReadError {
        ReadError::at(Position::of_offset(self.source.as_bytes(), offset), code, message)
    }

    #[cold]
    fn syntax(&self, offset: usize, message: impl Into<String>) -> ReadError {
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
                    if written.ends_with("--->") {
                        return Err(self.syntax(start, "a comment may not end with `--->`"));
                    }
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
    fn flush(&mut self, offset: usize) -> Read {
        match self.text.take(self.arena) {
            Some(text) => self.leaf(NodeKind::Text, "", text, offset),
            None => Ok(()),
        }
    }

    fn leaf(&mut self, kind: NodeKind, name: &'a str, text: &'a str, offset: usize) -> Read {
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
    fn check_nodes(&self, offset: usize) -> Read<u32> {
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

    fn innermost(&self) -> u32 {
        self.open.last().copied().unwrap_or(0)
    }

    fn close(&mut self) {
        let end = self.next_index();
        if let Some(index) = self.open.pop() {
            self.nodes[index as usize].end = end;
        }
    }

    /// Below 2^32, because of the limit on nodes.
    fn next_index(&self) -> u32 {
        u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }

    /// `tag` is what stands between the angle brackets; its `<` is at byte `start`.
    fn start(&mut self, tag: &'a str, start: usize) -> Read {
        if self.open.len() == 1 && self.root_seen {
            return Err(self.syntax(start, "a Content has one element; this is a second one"));
        }
        self.root_seen = true;
        if self.open.len() > self.limits.depth {
            let limit = self.limits.depth;
            let message =
                format!("elements within each other go deeper than the limit `depth`, {limit}");
            return Err(self.error(start, code::LIMIT, message));
        }
        self.flush(start)?;
        let end = tag.find([' ', '\t', '\n', '\r']).unwrap_or(tag.len());
        let element = &tag[..end];
        let Some((prefix, local)) = name::split(element) else {
            return Err(self.syntax(start, "`<` does not start the tag of an element here"));
        };
        let index = self.check_nodes(start)?;
        let parent = self.innermost();
        self.nodes.push(Node {
            name: element,
            text: "",
            parent,
            content: index + 1,
            end: index + 1,
            local: offset_of(element, local),
            namespace: 0,
            scope: self.nodes[parent as usize].scope,
            kind: NodeKind::Element,
        });
        self.open.push(index);
        self.attributes(tag, end, start + 1)?;
        let namespace = self.resolve(index, prefix, start)?;
        let content = self.next_index();
        let element = &mut self.nodes[index as usize];
        element.namespace = namespace;
        element.content = content;
        Ok(())
    }

    /// Attributes and declarations of the innermost element: `tag` from byte `at` on.
    fn attributes(&mut self, tag: &'a str, mut at: usize, base: usize) -> Read {
        let element = self.innermost();
        while let Some(written) = text::next_attribute(tag, &mut at)
            .map_err(|(at, message)| self.syntax(base + at, message))?
        {
            let value = text::attribute(written.raw, self.arena)
                .map_err(|(at, message)| self.syntax(base + written.value_at + at, message))?;
            let offset = base + written.at;
            let Some((prefix, local)) = name::split(written.name) else {
                return Err(self.syntax(offset, "an attribute needs a name"));
            };
            match (prefix, local) {
                ("", "xmlns") => self.declare("", value, offset)?,
                ("xmlns", prefix) => self.declare(prefix, value, offset)?,
                _ => {
                    self.leaf(NodeKind::Attribute, written.name, value, offset)?;
                    if let Some(attribute) = self.nodes.last_mut() {
                        attribute.local = offset_of(written.name, local);
                    }
                }
            }
        }
        // Declarations hold for the whole tag, also for what stands before them.
        self.names.clear();
        for index in element as usize + 1..self.nodes.len() {
            let attribute = self.nodes[index];
            let local = attribute.local_name();
            let mut uri = "";
            if attribute.local > 0 {
                let prefix = &attribute.name[..attribute.local as usize - 1];
                let namespace = self.resolve(element, prefix, base - 1)?;
                self.nodes[index].namespace = namespace;
                uri = self.declarations[namespace as usize].uri;
            }
            self.names.push((local, uri, index));
        }
        self.names.sort_unstable();
        match self.names.windows(2).find(|pair| (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1)) {
            None => Ok(()),
            Some(pair) => Err(self.syntax(
                base - 1,
                format!("the attribute `{}` occurs twice in this tag", self.nodes[pair[1].2].name),
            )),
        }
    }

    fn declare(&mut self, prefix: &'a str, uri: &'a str, offset: usize) -> Read {
        let fault = match (prefix, uri) {
            ("xmlns", _) | (_, XMLNS_NAMESPACE) => "`xmlns` cannot be declared",
            ("xml", XML_NAMESPACE) => return Ok(()),
            ("xml", _) | (_, XML_NAMESPACE) => "`xml` has a fixed namespace",
            (prefix, "") if !prefix.is_empty() => "a prefix cannot be declared away",
            _ => "",
        };
        if !fault.is_empty() {
            return Err(self.error(offset, code::XML_NAMESPACE, fault));
        }
        self.check_nodes(offset)?;
        let element = self.innermost() as usize;
        let Node { scope: outer, parent, .. } = self.nodes[element];
        let inherited = self.nodes[parent as usize].scope;
        let mut own = outer;
        while own != inherited {
            if self.declarations[own as usize].prefix == prefix {
                let message = format!("the prefix `{prefix}` is declared twice in this tag");
                return Err(self.syntax(offset, message));
            }
            own = self.declarations[own as usize].outer;
        }
        let length = self.declarations[outer as usize].length + 1;
        if length as usize > MOST_DECLARATIONS {
            let message =
                format!("more namespace declarations in scope than the limit, {MOST_DECLARATIONS}");
            return Err(self.error(offset, code::LIMIT, message));
        }
        // Fewer than 2^32, as they count as nodes.
        self.nodes[element].scope = u32::try_from(self.declarations.len()).unwrap_or(0);
        self.declarations.push(Declaration { prefix, uri, outer, length });
        Ok(())
    }

    /// The declaration of a prefix in the scope of an element.
    fn resolve(&self, element: u32, prefix: &str, offset: usize) -> Read<u32> {
        let mut number = self.nodes[element as usize].scope;
        while number != 0 {
            let declaration = &self.declarations[number as usize];
            if declaration.prefix == prefix {
                return Ok(number);
            }
            number = declaration.outer;
        }
        if prefix.is_empty() {
            return Ok(0);
        }
        let message = format!("the prefix `{prefix}` is not declared");
        Err(self.error(offset, code::XML_NAMESPACE, message))
    }
}

/// Where the local part of a name begins; names are shorter than the document, that is than 2^32.
fn offset_of(name: &str, local: &str) -> u32 {
    u32::try_from(name.len() - local.len()).unwrap_or(0)
}

/// What stands between the delimiters.
fn inner<'w>(written: &'w str, before: &str, after: &str) -> &'w str {
    let rest = written.strip_prefix(before).unwrap_or(written);
    rest.strip_suffix(after).unwrap_or(rest)
}
