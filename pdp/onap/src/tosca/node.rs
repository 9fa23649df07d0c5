//! The document tree: what YAML and JSON have in common, each node with its place.

use std::borrow::Cow;

use pdp_engine::error::Position;

/// A node of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Where it begins.
    pub position: Position,
    /// What it is.
    pub kind: NodeKind,
}

/// What a node is.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // the variants are the kinds, by their own names
pub enum NodeKind {
    Null,
    Boolean(bool),
    Integer(i64),
    /// Always finite.
    Double(f64),
    Text(Box<str>),
    List(Vec<Node>),
    /// Entries in document order; no key occurs twice.
    Map(Vec<Entry>),
}

/// An entry of a map.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: Box<str>,
    /// Where the key stands.
    pub key_position: Position,
    /// The value.
    pub value: Node,
}

impl Node {
    /// A node that stands nowhere.
    pub fn text(text: impl Into<Box<str>>) -> Self {
        Self { position: Position::default(), kind: NodeKind::Text(text.into()) }
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        matches!(self.kind, NodeKind::Null)
    }

    /// The entries of a map.
    pub fn entries(&self) -> Option<&[Entry]> {
        match &self.kind {
            NodeKind::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The items of a list.
    pub fn items(&self) -> Option<&[Node]> {
        match &self.kind {
            NodeKind::List(items) => Some(items),
            _ => None,
        }
    }

    /// The value under `key`, where the node is a map that has it.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries()?.iter().find(|entry| &*entry.key == key).map(|entry| &entry.value)
    }

    /// The same, but a null counts as absent, as it does everywhere in ONAP.
    pub fn present(&self, key: &str) -> Option<&Node> {
        self.get(key).filter(|node| !node.is_null())
    }

    /// The text form of a scalar; none for null, lists and maps.
    pub fn scalar_text(&self) -> Option<Cow<'_, str>> {
        match &self.kind {
            NodeKind::Text(text) => Some(Cow::Borrowed(text)),
            NodeKind::Boolean(value) => Some(Cow::Borrowed(if *value { "true" } else { "false" })),
            NodeKind::Integer(value) => Some(Cow::Owned(value.to_string())),
            NodeKind::Double(value) => Some(Cow::Owned(format!("{value:?}"))),
            NodeKind::Null | NodeKind::List(_) | NodeKind::Map(_) => None,
        }
    }

    /// An integer: written as one, as a whole number with a fraction of zero, or as text.
    pub fn integer(&self) -> Option<i64> {
        match &self.kind {
            NodeKind::Integer(value) => Some(*value),
            NodeKind::Double(value) => whole(*value),
            NodeKind::Text(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// What it is, for messages: scalars with their text, cut to a readable length.
    pub fn found(&self) -> String {
        let kind = match &self.kind {
            NodeKind::Null => "nothing",
            NodeKind::Boolean(_) => "the boolean",
            NodeKind::Integer(_) => "the integer",
            NodeKind::Double(_) => "the number",
            NodeKind::Text(_) => "the text",
            NodeKind::List(items) if items.is_empty() => "an empty list",
            NodeKind::List(_) => "a list",
            NodeKind::Map(entries) if entries.is_empty() => "an empty map",
            NodeKind::Map(_) => "a map",
        };
        match self.scalar_text() {
            Some(text) => match text.char_indices().nth(60) {
                Some((end, _)) => format!("{kind} `{}…`", &text[..end]),
                None => format!("{kind} `{text}`"),
            },
            None => kind.to_owned(),
        }
    }

    /// How many nodes it consists of, itself included.
    pub(crate) fn size(&self) -> usize {
        match &self.kind {
            NodeKind::List(items) => 1 + items.iter().map(Node::size).sum::<usize>(),
            NodeKind::Map(entries) => {
                1 + entries.iter().map(|entry| entry.value.size()).sum::<usize>()
            }
            _ => 1,
        }
    }

    /// How deep it is: 1 for a scalar.
    pub(crate) fn depth(&self) -> usize {
        match &self.kind {
            NodeKind::List(items) => 1 + items.iter().map(Node::depth).max().unwrap_or(0),
            NodeKind::Map(entries) => {
                1 + entries.iter().map(|entry| entry.value.depth()).max().unwrap_or(0)
            }
            _ => 1,
        }
    }
}

/// A double as the integer it equals, where it is whole and fits.
pub(crate) fn whole(value: f64) -> Option<i64> {
    // 2^63 itself is not an i64; every whole double below it is one exactly.
    #[allow(clippy::cast_possible_truncation)]
    (value.fract() == 0.0 && (-9.223_372_036_854_776e18..9.223_372_036_854_776e18).contains(&value))
        .then_some(value as i64)
}

/// What a reader of documents accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The longest document, in bytes.
    pub bytes: usize,
    /// The deepest nesting of lists and maps.
    pub depth: usize,
    /// The most keys and values in a YAML document. Reading one takes far longer than in JSON, where
    /// the bytes are limit enough.
    pub yaml_nodes: usize,
    /// The most nodes that aliases may add to a YAML document.
    pub alias_nodes: usize,
}

impl Limits {
    /// For requests, which anyone may send.
    pub const REQUEST: Self =
        Self { bytes: 16 << 20, depth: 64, yaml_nodes: 20_000, alias_nodes: 10_000 };
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 512 << 20, depth: 64, yaml_nodes: 50_000_000, alias_nodes: 10_000 }
    }
}
