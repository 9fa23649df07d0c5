//! A number for what a node says: places and the order of keys do not count, as in answers nulls do not, and
//! whole doubles are integers.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::node::{Entry, Node, NodeKind, whole};

pub(super) fn of(node: &Node) -> u64 {
    let mut hasher = DefaultHasher::new();
    write(node, &mut hasher);
    hasher.finish()
}

fn write(node: &Node, hasher: &mut DefaultHasher) {
    match &node.kind {
        NodeKind::Null => 0u8.hash(hasher),
        NodeKind::Boolean(value) => (1u8, value).hash(hasher),
        NodeKind::Integer(value) => (2u8, value).hash(hasher),
        NodeKind::Double(value) => match whole(*value) {
            Some(value) => (2u8, value).hash(hasher),
            None => (3u8, value.to_bits()).hash(hasher),
        },
        NodeKind::Text(text) => (4u8, text).hash(hasher),
        NodeKind::List(items) => {
            (5u8, items.len()).hash(hasher);
            items.iter().for_each(|item| write(item, hasher));
        }
        NodeKind::Map(entries) => (6u8, of_entries(entries)).hash(hasher),
    }
}

/// No key occurs twice, so that a sum tells maps apart, whatever their order.
pub(super) fn of_entries(entries: &[Entry]) -> u64 {
    let present = entries.iter().filter(|entry| !entry.value.is_null());
    let each = present.map(|entry| {
        let mut hasher = DefaultHasher::new();
        entry.key.hash(&mut hasher);
        write(&entry.value, &mut hasher);
        hasher.finish()
    });
    each.fold(0, u64::wrapping_add)
}
