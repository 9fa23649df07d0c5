//! The axes (XPath 1.0 section 2.2) as walks over the table of nodes.
//!
//! A walk over several context nodes at once visits what subtrees have in common only once, so that
//! `//a//b` is linear in the document. Every walk returns how many rows it looked at.

use hashbrown::HashSet;

use super::syntax::{Axis, NodeTest};
use super::tree::{Document, Node, NodeId, NodeKind};
use super::{Spend, Spent, pay_for_walk};

/// How many rows may be looked at before they are paid for.
const ROWS_ON_CREDIT: usize = 1 << 10;

/// Collects the nodes of `axis` from one node that pass the test, in the order of the axis.
pub(super) fn walk(
    document: &Document<'_>,
    axis: Axis,
    from: NodeId,
    test: &NodeTest,
    out: &mut Vec<NodeId>,
) -> usize {
    let mut walk = Walk { document, test, principal: principal(axis), out, looked_at: 0 };
    let row = document.node(from.index);
    let is_namespace = from.declaration != 0;
    // Attributes and namespaces have a parent, but are not its children and have no siblings.
    let is_child = !is_namespace && !matches!(row.kind, NodeKind::Attribute | NodeKind::Document);
    match axis {
        Axis::Itself => walk.look(from),
        Axis::Child if !is_namespace => walk.siblings(row.content, row.end),
        Axis::Descendant if !is_namespace => walk.range(row.content, row.end),
        Axis::DescendantOrSelf => {
            walk.look(from);
            if !is_namespace {
                walk.range(row.content, row.end);
            }
        }
        Axis::Attribute if !is_namespace && row.kind == NodeKind::Element => {
            walk.attributes(from.index + 1, row.content);
        }
        Axis::Namespace if !is_namespace && row.kind == NodeKind::Element => {
            let looked_at = document.in_scope(from.index, |node| walk.look(node));
            walk.looked_at += looked_at;
        }
        Axis::Parent => {
            if let Some(parent) = document.parent(from) {
                walk.look(parent);
            }
        }
        Axis::Ancestor => walk.upwards(document.parent(from), |_| false),
        Axis::AncestorOrSelf => walk.upwards(Some(from), |_| false),
        Axis::FollowingSibling if is_child => {
            walk.siblings(row.end, document.node(row.parent).end);
        }
        Axis::PrecedingSibling if is_child => {
            let before = walk.out.len();
            walk.siblings(document.node(row.parent).content, from.index);
            walk.out[before..].reverse();
        }
        Axis::Following => walk.range(following_from(document, from), document.end()),
        Axis::Preceding => walk.backwards(preceding_to(document, from)),
        Axis::Child
        | Axis::Descendant
        | Axis::Attribute
        | Axis::Namespace
        | Axis::FollowingSibling
        | Axis::PrecedingSibling => {}
    }
    walk.looked_at
}

/// Collects the nodes of `axis` from any of `contexts`, which are in document order. The result is
/// in no certain order and may hold a node more than once.
pub(super) fn walk_all(
    document: &Document<'_>,
    axis: Axis,
    contexts: &[NodeId],
    test: &NodeTest,
    spend: &Spend<'_>,
    out: &mut Vec<NodeId>,
) -> Result<(), Spent> {
    let is_child = |node: NodeId| {
        node.declaration == 0 && document.node(node.index).kind != NodeKind::Attribute
    };
    let mut owed = 0;
    let mut visit = |node: NodeId, out: &mut Vec<NodeId>| {
        owed += 1 + walk(document, axis, node, test, out);
        if owed < ROWS_ON_CREDIT { Ok(()) } else { pay_for_walk(spend, std::mem::take(&mut owed)) }
    };
    match axis {
        Axis::Descendant | Axis::DescendantOrSelf => {
            let mut covered = 0;
            for node in contexts.iter().copied() {
                if is_child(node) {
                    if node.index < covered {
                        continue;
                    }
                    covered = document.node(node.index).end;
                }
                visit(node, out)?;
            }
        }
        Axis::Following => {
            let first = contexts.iter().min_by_key(|node| following_from(document, **node));
            first.map_or(Ok(()), |node| visit(*node, out))?;
        }
        Axis::Preceding => {
            let last = contexts.iter().max_by_key(|node| preceding_to(document, **node));
            last.map_or(Ok(()), |node| visit(*node, out))?;
        }
        Axis::Ancestor | Axis::AncestorOrSelf => {
            let itself = axis == Axis::AncestorOrSelf;
            let mut walk = Walk { document, test, principal: principal(axis), out, looked_at: 0 };
            let mut before: Option<NodeId> = None;
            for node in contexts.iter().copied() {
                // What lies above both this context and the one before was collected from there,
                // and that one itself too where the axis has it.
                walk.upwards(if itself { Some(node) } else { document.parent(node) }, |upper| {
                    before.is_some_and(|before| upper < before || (itself && upper == before))
                });
                before = Some(node);
            }
            owed += walk.looked_at;
        }
        Axis::FollowingSibling | Axis::PrecedingSibling => {
            // Of siblings the one at the end where the axis starts sees what the others see.
            let mut families = HashSet::new();
            let first = |node: &NodeId| is_child(*node) && families.insert(document.parent(*node));
            let starts: Vec<NodeId> = if axis == Axis::FollowingSibling {
                contexts.iter().copied().filter(first).collect()
            } else {
                contexts.iter().rev().copied().filter(first).collect()
            };
            starts.into_iter().try_for_each(|node| visit(node, out))?;
        }
        _ => contexts.iter().try_for_each(|node| visit(*node, out))?,
    }
    pay_for_walk(spend, owed + contexts.len())
}

/// The kind of node that names select (section 2.3).
const fn principal(axis: Axis) -> NodeKind {
    match axis {
        Axis::Attribute => NodeKind::Attribute,
        Axis::Namespace => NodeKind::Namespace,
        _ => NodeKind::Element,
    }
}

/// The first row after a node and what is below it.
fn following_from(document: &Document<'_>, node: NodeId) -> u32 {
    if node.declaration == 0 { document.node(node.index).end } else { node.index + 1 }
}

/// The row of a node, or of the element of an attribute or namespace.
fn preceding_to(document: &Document<'_>, node: NodeId) -> u32 {
    let row = document.node(node.index);
    if row.kind == NodeKind::Attribute { row.parent } else { node.index }
}

struct Walk<'w, 'a> {
    document: &'w Document<'a>,
    test: &'w NodeTest,
    principal: NodeKind,
    out: &'w mut Vec<NodeId>,
    looked_at: usize,
}

impl Walk<'_, '_> {
    fn look(&mut self, node: NodeId) {
        self.looked_at += 1;
        let passes = if node.declaration == 0 {
            self.passes(self.document.node(node.index))
        } else {
            match self.test {
                NodeTest::Node => true,
                NodeTest::AnyName => self.principal == NodeKind::Namespace,
                NodeTest::Name { uri, local } => {
                    self.principal == NodeKind::Namespace
                        && uri.is_empty()
                        && **local == *self.document.local_name(node)
                }
                _ => false,
            }
        };
        if passes {
            self.out.push(node);
        }
    }

    #[inline]
    fn passes(&self, row: &Node<'_>) -> bool {
        let uri = || self.document.namespace_uri_of(row);
        match self.test {
            NodeTest::Node => true,
            NodeTest::AnyName => row.kind == self.principal,
            NodeTest::InNamespace(wanted) => row.kind == self.principal && **wanted == *uri(),
            NodeTest::Name { uri: wanted, local } => {
                row.kind == self.principal && **local == *row.local_name() && **wanted == *uri()
            }
            NodeTest::Text => row.kind == NodeKind::Text,
            NodeTest::Comment => row.kind == NodeKind::Comment,
            NodeTest::Instruction(target) => {
                row.kind == NodeKind::ProcessingInstruction
                    && target.as_ref().is_none_or(|target| **target == *row.name)
            }
        }
    }

    /// The rows of a range that are no attributes.
    fn range(&mut self, from: u32, to: u32) {
        let rows = self.document.rows(from, to);
        self.looked_at += rows.len();
        for (index, row) in (from..).zip(rows) {
            if row.kind != NodeKind::Attribute && self.passes(row) {
                self.out.push(NodeId::of(index));
            }
        }
    }

    fn attributes(&mut self, from: u32, to: u32) {
        let rows = self.document.rows(from, to);
        self.looked_at += rows.len();
        for (index, row) in (from..).zip(rows) {
            if self.passes(row) {
                self.out.push(NodeId::of(index));
            }
        }
    }

    /// The row `from` and its siblings up to row `to`.
    fn siblings(&mut self, from: u32, to: u32) {
        let mut at = from;
        while at < to {
            self.look(NodeId::of(at));
            at = self.document.node(at).end;
        }
    }

    /// The rows before row `to`, without attributes and what is above it.
    fn backwards(&mut self, to: u32) {
        let rows = self.document.rows(0, to);
        self.looked_at += rows.len();
        for (index, row) in (0..to).zip(rows).rev() {
            if row.end <= to && row.kind != NodeKind::Attribute && self.passes(row) {
                self.out.push(NodeId::of(index));
            }
        }
    }

    /// `from` and what is above it, up to where nodes are collected already.
    fn upwards(&mut self, from: Option<NodeId>, collected: impl Fn(NodeId) -> bool) {
        let mut next = from;
        while let Some(node) = next.filter(|node| !collected(*node)) {
            self.look(node);
            next = self.document.parent(node);
        }
    }
}
