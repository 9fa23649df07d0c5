//! Start tags: attributes, namespace declarations, names and their namespaces (XML 1.0 section 3.1,
//! Namespaces in XML 1.0).

use super::read::{Builder, LONGEST_NAME, MOST_DECLARATIONS, Read, XML_NAMESPACE};
use super::tree::{Declaration, Node, NodeKind};
use super::{name, text};
use crate::error::code;

const XMLNS_NAMESPACE: &str = "http://www.w3.org/2000/xmlns/";

impl<'a> Builder<'a> {
    /// `tag` is what stands between the angle brackets; its `<` is at byte `start`.
    pub(super) fn start(&mut self, tag: &'a str, start: usize) -> Read {
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
        self.check_length(element, start)?;
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

    fn check_length(&self, name: &str, offset: usize) -> Read {
        if name.len() <= LONGEST_NAME {
            return Ok(());
        }
        let message =
            format!("a name or namespace has {} bytes; the limit is {LONGEST_NAME}", name.len());
        Err(self.error(offset, code::LIMIT, message))
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
            self.check_length(written.name, offset)?;
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
        self.check_length(uri, offset)?;
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
