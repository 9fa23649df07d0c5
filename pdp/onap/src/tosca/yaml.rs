//! YAML into the document tree, through the events of a YAML parser.

use std::borrow::Cow;
use std::collections::HashMap;

use pdp_engine::error::{Position, ReadError};
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Tag};

use super::node::{Entry, Limits, Node, NodeKind};
use super::{keys, scalar};

/// Reads one YAML document.
///
/// # Errors
/// It is not YAML, holds more than one document, repeats a key or goes beyond a limit.
pub(super) fn read(text: &str, limits: &Limits) -> Result<Node, ReadError> {
    let mut parser = Parser::new_from_str(text);
    let mut builder = Builder { limits: *limits, ..Builder::default() };
    while let Some(event) = parser.next_event() {
        let (event, span) = event.map_err(|error| match error.info() {
            // The parser has a limit of its own for brackets, far beyond ours.
            "recursion limit exceeded" => too_deep(place(error.marker()), limits.depth),
            fault => ReadError::at(place(error.marker()), "yaml-syntax", fault),
        })?;
        builder.event(event, place(&span.start))?;
    }
    Ok(builder.root.unwrap_or(Node { position: Position::new(1, 1), kind: NodeKind::Null }))
}

fn place(marker: &Marker) -> Position {
    let number = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
    Position::new(number(marker.line()), number(marker.col()).saturating_add(1))
}

/// A list or map that is still open.
struct Open {
    node: Node,
    anchor: usize,
    /// The key that waits for its value, in a map.
    key: Option<(Box<str>, Position)>,
    /// That key is a merge key (`<<`).
    merges: bool,
    /// Merge keys were seen, and these are the maps it names.
    merged: Vec<Node>,
}

#[derive(Default)]
struct Builder {
    limits: Limits,
    open: Vec<Open>,
    anchors: HashMap<usize, Node>,
    nodes: usize,
    alias_nodes: usize,
    root: Option<Node>,
}

impl Builder {
    fn event(&mut self, event: Event<'_>, position: Position) -> Result<(), ReadError> {
        if !matches!(event, Event::SequenceEnd | Event::MappingEnd) {
            self.nodes += 1;
        }
        if self.nodes > self.limits.yaml_nodes {
            let limit = self.limits.yaml_nodes;
            let message = format!("the document holds more than {limit} keys and values");
            return Err(ReadError::at(position, "limit", message));
        }
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.scalar(text, style, anchor, tag.as_deref(), position)
            }
            Event::SequenceStart(anchor, _) => {
                self.begin(NodeKind::List(Vec::new()), anchor, position)
            }
            Event::MappingStart(anchor, _) => {
                self.begin(NodeKind::Map(Vec::new()), anchor, position)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            Event::Alias(anchor) => self.alias(anchor, position),
            Event::DocumentStart(_) if self.root.is_some() => Err(ReadError::at(
                position,
                "yaml-documents",
                "a second document begins here: put each into a file of its own",
            )),
            _ => Ok(()),
        }
    }

    fn scalar(
        &mut self,
        text: Cow<'_, str>,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        position: Position,
    ) -> Result<(), ReadError> {
        if let Some(Open {
            node: Node { kind: NodeKind::Map(_), .. },
            key: key @ None,
            merges,
            ..
        }) = self.open.last_mut()
        {
            // In quotes it is a key like any other.
            *merges = style == ScalarStyle::Plain && &*text == "<<";
            *key = Some((text.into(), position));
            return Ok(());
        }
        let kind = match tag {
            None if style == ScalarStyle::Plain => scalar::resolve(&text),
            Some(tag) if tag.is_yaml_core_schema() => match tag.suffix.as_str() {
                "int" | "float" => scalar::number(&text).ok_or_else(|| {
                    ReadError::at(position, "yaml-tag", format!("`{text}` is not a number"))
                })?,
                "bool" | "null" => scalar::resolve(&text),
                _ => NodeKind::Text(text.into()),
            },
            _ => NodeKind::Text(text.into()),
        };
        self.close(Node { position, kind }, anchor)
    }

    fn begin(
        &mut self,
        kind: NodeKind,
        anchor: usize,
        position: Position,
    ) -> Result<(), ReadError> {
        self.expects_value(position, "a list or map")?;
        if self.open.len() >= self.limits.depth {
            return Err(too_deep(position, self.limits.depth));
        }
        let node = Node { position, kind };
        self.open.push(Open { node, anchor, key: None, merges: false, merged: Vec::new() });
        Ok(())
    }

    fn end(&mut self) -> Result<(), ReadError> {
        let Some(mut open) = self.open.pop() else { return Ok(()) };
        if let NodeKind::Map(entries) = &mut open.node.kind {
            keys::unique(entries)?;
            for map in open.merged {
                merge(entries, map)?;
            }
        }
        self.close(open.node, open.anchor)
    }

    fn alias(&mut self, anchor: usize, position: Position) -> Result<(), ReadError> {
        self.expects_value(position, "an alias")?;
        let unknown = "this alias names no anchor before it; a node cannot hold itself";
        let node = self
            .anchors
            .get(&anchor)
            .ok_or_else(|| ReadError::at(position, "yaml-alias", unknown))?;
        self.alias_nodes += node.size();
        if self.alias_nodes > self.limits.alias_nodes {
            let limit = self.limits.alias_nodes;
            let message = format!("aliases add more than {limit} nodes to the document");
            return Err(ReadError::at(position, "limit", message));
        }
        if self.open.len() + node.depth() > self.limits.depth {
            return Err(too_deep(position, self.limits.depth));
        }
        let node = node.clone();
        self.close(node, 0)
    }

    /// Refuses what cannot be a key where a key is due.
    fn expects_value(&self, position: Position, found: &str) -> Result<(), ReadError> {
        match self.open.last() {
            Some(Open { node: Node { kind: NodeKind::Map(_), .. }, key: None, .. }) => {
                let message = format!("a key must be a plain word, not {found}");
                Err(ReadError::at(position, "yaml-key", message))
            }
            _ => Ok(()),
        }
    }

    /// A node is complete: hands it to what is open around it.
    fn close(&mut self, node: Node, anchor: usize) -> Result<(), ReadError> {
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match (&mut open.node.kind, open.key.take()) {
            (NodeKind::List(items), _) => items.push(node),
            (NodeKind::Map(_), Some(_)) if open.merges => match node.kind {
                NodeKind::List(items) => open.merged.extend(items),
                _ => open.merged.push(node),
            },
            (NodeKind::Map(entries), Some((key, key_position))) => {
                entries.push(Entry { key, key_position, value: node });
            }
            // Values without a key are refused where they begin.
            _ => {}
        }
        Ok(())
    }
}

/// Takes over what a merge key names; entries of the map itself win.
fn merge(entries: &mut Vec<Entry>, map: Node) -> Result<(), ReadError> {
    let NodeKind::Map(others) = map.kind else {
        let message = "`<<` takes over the entries of maps, and this is not a map";
        return Err(ReadError::at(map.position, "yaml-merge", message));
    };
    for other in others {
        if entries.iter().all(|entry| entry.key != other.key) {
            entries.push(other);
        }
    }
    Ok(())
}

fn too_deep(position: Position, limit: usize) -> ReadError {
    ReadError::at(position, "limit", format!("lists and maps are nested deeper than {limit}"))
}
