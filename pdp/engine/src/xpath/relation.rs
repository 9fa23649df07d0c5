//! How nodes relate: what `xpath-node-equal` and `xpath-node-match` ask (XACML 3.0 appendix A.3.15),
//! and a path that leads to one node.

use std::fmt::Write as _;

use super::tree::{Document, NodeId, NodeKind};

impl Document<'_> {
    /// Whether `node` lies below `ancestor`; attributes and namespaces lie below their element.
    pub fn is_ancestor(&self, ancestor: NodeId, node: NodeId) -> bool {
        ancestor.declaration == 0 && ancestor < node && node.index < self.node(ancestor.index).end
    }

    /// Whether two node-sets, each in document order, have a node in common (`xpath-node-equal`).
    pub fn share_a_node(&self, first: &[NodeId], second: &[NodeId]) -> bool {
        let (mut left, mut right) = (first, second);
        while let ([a, ..], [b, ..]) = (left, right) {
            match a.cmp(b) {
                std::cmp::Ordering::Equal => return true,
                std::cmp::Ordering::Less => left = &left[1..],
                std::cmp::Ordering::Greater => right = &right[1..],
            }
        }
        false
    }

    /// Whether a node of `second` is a node of `first` or lies below one (`xpath-node-match`). Both
    /// are in document order.
    pub fn covers_a_node(&self, first: &[NodeId], second: &[NodeId]) -> bool {
        let mut left = first.iter().copied().peekable();
        // The end of the farthest subtree that has begun, and the last node that has.
        let mut reach = 0;
        let mut last = None;
        for node in second {
            while let Some(upper) = left.next_if(|upper| upper <= node) {
                if upper.declaration == 0 {
                    reach = reach.max(self.node(upper.index).end);
                }
                last = Some(upper);
            }
            if node.index < reach || last == Some(*node) {
                return true;
            }
        }
        false
    }

    /// A path by positions that selects just this node: `/*[1]/*[2]/text()[1]`.
    pub fn path_of(&self, node: NodeId) -> String {
        let mut lineage = vec![node];
        while let Some(parent) = lineage.last().and_then(|node| self.parent(*node)) {
            lineage.push(parent);
        }
        lineage.pop();
        if lineage.is_empty() {
            return "/".to_owned();
        }
        let mut path = String::new();
        for node in lineage.into_iter().rev() {
            let test = match self.kind(node) {
                NodeKind::Document | NodeKind::Element => "*",
                NodeKind::Attribute => "@*",
                NodeKind::Namespace => "namespace::*",
                NodeKind::Text => "text()",
                NodeKind::Comment => "comment()",
                NodeKind::ProcessingInstruction => "processing-instruction()",
            };
            let _ = write!(path, "/{test}[{}]", self.place(node)); // writing to a string does not fail
        }
        path
    }

    /// The place of a node among the nodes of its kind and parent, from 1.
    fn place(&self, node: NodeId) -> usize {
        let mut place = 0;
        if node.declaration != 0 {
            self.in_scope(node.index, |other| place += usize::from(other <= node));
            return place;
        }
        let row = self.node(node.index);
        let mut at = match row.kind {
            NodeKind::Attribute => row.parent + 1,
            _ => self.node(row.parent).content,
        };
        while at <= node.index {
            let other = self.node(at);
            place += usize::from(other.kind == row.kind);
            at = other.end;
        }
        place
    }
}
