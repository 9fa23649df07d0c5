//! The document tree as JSON or YAML text.

use super::node::{Entry, Node, NodeKind, whole};
use super::scalar;

/// Writes a node as compact JSON. Entries that are null are left out and whole doubles written as
/// integers, as ONAP does.
pub fn json(node: &Node, out: &mut Vec<u8>) {
    match &node.kind {
        NodeKind::Null => out.extend_from_slice(b"null"),
        NodeKind::Boolean(true) => out.extend_from_slice(b"true"),
        NodeKind::Boolean(false) => out.extend_from_slice(b"false"),
        NodeKind::Integer(value) => json_number(*value, out),
        NodeKind::Double(value) => match whole(*value) {
            Some(value) => json_number(value, out),
            None => json_number(*value, out),
        },
        NodeKind::Text(text) => json_text(text, out),
        NodeKind::List(items) => {
            out.push(b'[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(b',');
                }
                json(item, out);
            }
            out.push(b']');
        }
        NodeKind::Map(entries) => json_map(entries, out),
    }
}

pub(crate) fn json_map(entries: &[Entry], out: &mut Vec<u8>) {
    out.push(b'{');
    let present = entries.iter().filter(|entry| !entry.value.is_null());
    for (at, entry) in present.enumerate() {
        if at > 0 {
            out.push(b',');
        }
        json_text(&entry.key, out);
        out.push(b':');
        json(&entry.value, out);
    }
    out.push(b'}');
}

fn json_number(value: impl serde::Serialize, out: &mut Vec<u8>) {
    serde_json::to_writer(out, &value).expect("a number is written to memory");
}

/// Writes text as a JSON string, without the escapes that HTML would want.
pub(crate) fn json_text(text: &str, out: &mut Vec<u8>) {
    serde_json::to_writer(out, text).expect("a string is written to memory");
}

/// Writes a node as YAML in block style.
pub fn yaml(node: &Node, out: &mut Vec<u8>) {
    block(node, 0, out);
    if !out.ends_with(b"\n") {
        out.push(b'\n');
    }
}

fn block(node: &Node, indent: usize, out: &mut Vec<u8>) {
    match &node.kind {
        NodeKind::Map(entries) if entries.iter().any(|entry| !entry.value.is_null()) => {
            let present = entries.iter().filter(|entry| !entry.value.is_null());
            for (at, entry) in present.enumerate() {
                if at > 0 {
                    new_line(indent, out);
                }
                yaml_text(&entry.key, out);
                out.push(b':');
                under(&entry.value, indent + 2, out);
            }
        }
        NodeKind::List(items) if !items.is_empty() => {
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    new_line(indent, out);
                }
                out.extend_from_slice(b"- ");
                block(item, indent + 2, out);
            }
        }
        NodeKind::Map(_) => out.extend_from_slice(b"{}"),
        NodeKind::Text(text) => yaml_text(text, out),
        _ => json(node, out),
    }
}

/// Writes what belongs to a key: scalars beside it, lists and maps below it.
fn under(node: &Node, indent: usize, out: &mut Vec<u8>) {
    let below = match &node.kind {
        NodeKind::Map(entries) => entries.iter().any(|entry| !entry.value.is_null()),
        NodeKind::List(items) => !items.is_empty(),
        _ => false,
    };
    if below {
        new_line(indent, out);
    } else {
        out.push(b' ');
    }
    block(node, indent, out);
}

fn new_line(indent: usize, out: &mut Vec<u8>) {
    out.push(b'\n');
    out.resize(out.len() + indent, b' ');
}

/// Plain where no reader could take it for something else, otherwise in double quotes.
fn yaml_text(text: &str, out: &mut Vec<u8>) {
    let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte))
        && text.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
        && !matches!(text, "y" | "Y" | "n" | "N")
        && matches!(scalar::resolve(text), NodeKind::Text(_));
    if plain {
        out.extend_from_slice(text.as_bytes());
    } else {
        json_text(text, out);
    }
}
