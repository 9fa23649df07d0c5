//! A document as a table of nodes in document order.
//!
//! The subtree of a node is the range of the table from its index to its end, so that axes are
//! ranges and document order is a comparison of indices. After an element come its attributes, then
//! its children. Namespace nodes are not in the table: most documents would hold more of them than
//! of anything else. Such a node is its element and the number of the declaration.

use super::{Spend, Spent, pay_for_text, pay_for_walk};
use crate::value::Arena;

/// What a node is (XPath 1.0 section 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the variants are the kinds, by their own names
pub enum NodeKind {
    Document,
    Element,
    Attribute,
    Namespace,
    Text,
    Comment,
    ProcessingInstruction,
}

/// Names a node of one document. Nodes compare in document order.
///
/// In another document the same id names another node, or the document node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId {
    pub(super) index: u32,
    /// The declaration, for a namespace node; 0 for any other.
    pub(super) declaration: u32,
}

impl NodeId {
    pub(super) const fn of(index: u32) -> Self {
        Self { index, declaration: 0 }
    }
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<'a> {
    /// Its name as written, or the target of a processing instruction.
    pub(super) name: &'a str,
    /// Value of an attribute, text of what has text.
    pub(super) text: &'a str,
    pub(super) parent: u32,
    /// The first index after its attributes: its first child, where that is before `end`.
    pub(super) content: u32,
    /// The first index after its subtree.
    pub(super) end: u32,
    /// The byte of `name` at which the local part begins.
    pub(super) local: u32,
    /// The declaration of its namespace; 0 for none.
    pub(super) namespace: u32,
    /// The innermost declaration in scope, of an element.
    pub(super) scope: u32,
    pub(super) kind: NodeKind,
}

/// A namespace declaration. Number 0 stands for "no namespace", number 1 is that of `xml`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Declaration<'a> {
    pub(super) prefix: &'a str,
    pub(super) uri: &'a str,
    /// The declaration that is next in scope; 0 at the end.
    pub(super) outer: u32,
    /// How many there are from this one outwards.
    pub(super) length: u32,
}

/// The Content of a category as a document of its own: the document node, below it the one element.
///
/// It is read by [`Document::parse`] and lives, like its text, in the arena of the decision.
#[derive(Clone, Copy, Debug)]
pub struct Document<'a> {
    /// At least the document node.
    pub(super) nodes: &'a [Node<'a>],
    pub(super) declarations: &'a [Declaration<'a>],
}

impl<'a> Document<'a> {
    /// The document node.
    pub const fn root(&self) -> NodeId {
        NodeId::of(0)
    }

    /// How many nodes there are, namespace nodes not counted.
    pub const fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: there is always the document node.
    pub const fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Every node but namespace nodes, in document order.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<'a> {
        (0..self.end()).map(NodeId::of)
    }

    /// What a node is.
    pub fn kind(&self, node: NodeId) -> NodeKind {
        if node.declaration == 0 { self.node(node.index).kind } else { NodeKind::Namespace }
    }

    /// The node above; none above the document node.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        if node.declaration != 0 {
            return Some(NodeId::of(node.index));
        }
        (node.index != 0).then(|| NodeId::of(self.node(node.index).parent))
    }

    /// The name as written, prefix included; of a namespace node the prefix, of a processing
    /// instruction the target. Empty for nodes without a name.
    pub fn name(&self, node: NodeId) -> &'a str {
        match node.declaration {
            0 => self.node(node.index).name,
            number => self.declaration(number).prefix,
        }
    }

    /// The name without prefix.
    pub fn local_name(&self, node: NodeId) -> &'a str {
        match node.declaration {
            0 => self.node(node.index).local_name(),
            number => self.declaration(number).prefix,
        }
    }

    /// The namespace of the name; empty where there is none.
    pub fn namespace_uri(&self, node: NodeId) -> &'a str {
        match node.declaration {
            0 => self.namespace_uri_of(self.node(node.index)),
            _ => "",
        }
    }

    #[inline]
    pub(super) fn namespace_uri_of(&self, row: &Node<'_>) -> &'a str {
        self.declaration(row.namespace).uri
    }

    /// The string-value (XPath 1.0 section 5): of an element all text below it, joined.
    ///
    /// # Errors
    /// The budget does not reach.
    pub fn string_value(
        &self,
        node: NodeId,
        spend: &Spend<'_>,
        arena: &'a Arena,
    ) -> Result<&'a str, Spent> {
        if node.declaration != 0 {
            return Ok(self.declaration(node.declaration).uri);
        }
        let row = self.node(node.index);
        if !matches!(row.kind, NodeKind::Document | NodeKind::Element) {
            return Ok(row.text);
        }
        let below = self.rows(row.content, row.end);
        pay_for_walk(spend, below.len())?;
        let texts = || below.iter().filter(|row| row.kind == NodeKind::Text).map(|row| row.text);
        let mut some = texts();
        match (some.next(), some.next()) {
            (None, _) => return Ok(""),
            (Some(only), None) => return Ok(only),
            _ => {}
        }
        let length = texts().map(str::len).sum();
        pay_for_text(spend, length)?;
        let mut joined = bumpalo::collections::String::with_capacity_in(length, arena);
        joined.extend(texts());
        Ok(joined.into_bump_str())
    }

    pub(super) fn end(&self) -> u32 {
        self.nodes.first().map_or(0, |root| root.end)
    }

    /// A row; that of the document node where there is none of this index.
    #[inline]
    pub(super) fn node(&self, index: u32) -> &'a Node<'a> {
        &self.nodes[if index < self.end() { index as usize } else { 0 }]
    }

    pub(super) fn rows(&self, from: u32, to: u32) -> &'a [Node<'a>] {
        self.nodes.get(from as usize..to as usize).unwrap_or_default()
    }

    fn declaration(&self, number: u32) -> &'a Declaration<'a> {
        let number = number as usize;
        &self.declarations[if number < self.declarations.len() { number } else { 0 }]
    }

    /// The namespaces in scope of an element, in document order, and how many declarations were
    /// looked at for that.
    pub(super) fn in_scope(&self, element: u32, mut each: impl FnMut(NodeId)) -> usize {
        const MOST: usize = super::read::MOST_DECLARATIONS + 1;
        let row = self.node(element);
        let mut chain = [0; MOST];
        let mut length = 0;
        let mut number = if row.kind == NodeKind::Element { row.scope } else { 0 };
        let mut looked_at = 0;
        while number != 0 && length < MOST {
            let declaration = self.declaration(number);
            looked_at += 1 + length;
            // A namespace that was declared away still hides the outer one.
            if !chain[..length].iter().any(|of| self.declaration(*of).prefix == declaration.prefix)
            {
                chain[length] = number;
                length += 1;
            }
            number = declaration.outer;
        }
        for number in chain[..length].iter().rev().copied() {
            if !self.declaration(number).uri.is_empty() {
                each(NodeId { index: element, declaration: number });
            }
        }
        looked_at
    }
}

impl<'a> Node<'a> {
    #[inline]
    pub(super) fn local_name(&self) -> &'a str {
        self.name.get(self.local as usize..).unwrap_or_default()
    }
}
