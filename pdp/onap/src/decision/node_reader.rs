//! A document tree as a source of serde values, so that YAML bodies are read by what reads JSON.

use std::fmt;

use pdp_engine::error::Position;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use crate::tosca::{Entry, Node, NodeKind};

/// A value was not what was expected.
#[derive(Debug)]
pub(super) struct NodeError {
    message: String,
    position: Option<Position>,
}

impl fmt::Display for NodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match self.position {
            Some(Position { line, column }) => write!(f, " at line {line} column {column}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for NodeError {}

impl Error for NodeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self { message: message.to_string(), position: None }
    }
}

/// Reads from a node.
pub(super) struct NodeReader<'de>(pub(super) &'de Node);

impl<'de> Deserializer<'de> for NodeReader<'de> {
    type Error = NodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NodeError> {
        let value = match &self.0.kind {
            NodeKind::Null => visitor.visit_unit(),
            NodeKind::Boolean(value) => visitor.visit_bool(*value),
            NodeKind::Integer(value) => visitor.visit_i64(*value),
            NodeKind::Double(value) => visitor.visit_f64(*value),
            NodeKind::Text(text) => visitor.visit_borrowed_str(text),
            NodeKind::List(items) => visitor.visit_seq(Items { rest: items }),
            NodeKind::Map(entries) => visitor.visit_map(Entries { rest: entries, value: None }),
        };
        value.map_err(|mut error| {
            // The innermost place is the one to tell.
            error.position.get_or_insert(self.0.position);
            error
        })
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NodeError> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct Items<'de> {
    rest: &'de [Node],
}

impl<'de> SeqAccess<'de> for Items<'de> {
    type Error = NodeError;

    fn next_element_seed<T: serde::de::DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, NodeError> {
        let Some((first, rest)) = self.rest.split_first() else { return Ok(None) };
        self.rest = rest;
        seed.deserialize(NodeReader(first)).map(Some)
    }
}

struct Entries<'de> {
    rest: &'de [Entry],
    value: Option<&'de Node>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = NodeError;

    fn next_key_seed<K: serde::de::DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, NodeError> {
        let Some((first, rest)) = self.rest.split_first() else { return Ok(None) };
        self.rest = rest;
        self.value = Some(&first.value);
        seed.deserialize(serde::de::value::BorrowedStrDeserializer::new(&first.key)).map(Some)
    }

    fn next_value_seed<V: serde::de::DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, NodeError> {
        let value = self.value.take().ok_or_else(|| NodeError::custom("a value without a key"))?;
        seed.deserialize(NodeReader(value))
    }
}
