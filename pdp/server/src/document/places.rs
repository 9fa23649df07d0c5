//! Where the values of a document stand.

use pdp_engine::error::Position;
use pdp_onap::tosca::{Entry, Node, NodeKind};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Where a path has led.
pub(super) struct Found<'d> {
    /// The place of the last key that it names, where there is one.
    pub(super) key: Position,
    /// The place of the last value that it came to.
    pub(super) position: Position,
    /// The value; none where the path leads nowhere.
    pub(super) value: Option<&'d Node>,
}

/// Follows a path such as `tests[2].expect.decision` as far as it leads.
pub(super) fn find<'d>(root: &'d Node, path: &str) -> Found<'d> {
    let mut node = root;
    let mut key = root.position;
    for part in path.split(['.', '[']).map(|part| part.trim_end_matches(']')) {
        if part.is_empty() {
            continue;
        }
        let next = match &node.kind {
            NodeKind::List(items) => {
                let item = part.parse().ok().and_then(|at: usize| items.get(at));
                item.map(|item| (item, item.position))
            }
            NodeKind::Map(entries) => entries
                .iter()
                .find(|entry| &*entry.key == part)
                .map(|entry| (&entry.value, entry.key_position)),
            _ => None,
        };
        let Some((below, at)) = next else {
            return Found { key, position: node.position, value: None };
        };
        (node, key) = (below, at);
    }
    Found { key, position: node.position, value: Some(node) }
}

/// The places of a TOML text.
pub(super) fn of_toml(text: &str) -> Result<Node, (String, Position)> {
    let at = |offset: usize| Position::of_offset(text.as_bytes(), offset);
    let table = DeTable::parse(text).map_err(|error| {
        (error.message().to_owned(), at(error.span().map_or(0, |span| span.start)))
    })?;
    Ok(Node { position: Position::new(1, 1), kind: entries(table.get_ref(), &at) })
}

fn entries(table: &DeTable<'_>, at: &dyn Fn(usize) -> Position) -> NodeKind {
    let entries = table.iter().map(|(key, value)| Entry {
        key: key.get_ref().as_ref().into(),
        key_position: at(key.span().start),
        value: value_node(value, at),
    });
    NodeKind::Map(entries.collect())
}

fn value_node(value: &Spanned<DeValue<'_>>, at: &dyn Fn(usize) -> Position) -> Node {
    let kind = match value.get_ref() {
        DeValue::Table(table) => entries(table, at),
        DeValue::Array(items) => {
            NodeKind::List(items.iter().map(|item| value_node(item, at)).collect())
        }
        DeValue::Boolean(value) => NodeKind::Boolean(*value),
        // Only where it stands is asked.
        _ => NodeKind::Null,
    };
    Node { position: at(value.span().start), kind }
}
