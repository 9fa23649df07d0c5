//! Matchable properties: which values of a policy are compared with the request, and as what.
//!
//! A property is matchable where its definition says so and it is simple, or a list or map of simple
//! values. Within structured values each field needs a flag of its own. All of them are one set of
//! names, wherever they stand.

use std::collections::HashMap;

use super::{Property, Schema, Scope, Scoped};
use crate::iso;
use crate::tosca::Node;

/// A simple type, by which values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the variants are the types, by TOSCA's names
pub enum Simple {
    String,
    Integer,
    Float,
    Boolean,
    Timestamp,
}

impl Simple {
    /// The simple type of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        match name {
            "string" => Some(Self::String),
            "integer" => Some(Self::Integer),
            "float" => Some(Self::Float),
            "boolean" => Some(Self::Boolean),
            "timestamp" => Some(Self::Timestamp),
            _ => None,
        }
    }

    /// What is expected of a value, in words.
    pub fn expected(self) -> &'static str {
        match self {
            Self::String => "text",
            Self::Integer => "an integer",
            Self::Float => "a number",
            Self::Boolean => "true or false",
            Self::Timestamp => "a date and time such as 2025-06-01T08:00:00Z",
        }
    }

    /// The value as XACML writes it. Of booleans everything but `true` is false, as in ONAP.
    pub fn text(self, node: &Node) -> Option<String> {
        let text = node.scalar_text()?;
        match self {
            Self::String => Some(text.into_owned()),
            Self::Integer => node.integer().map(|value| value.to_string()),
            Self::Float => super::constraint::number(node).map(|value| format!("{value:?}")),
            Self::Boolean => Some(text.eq_ignore_ascii_case("true").to_string()),
            Self::Timestamp => iso::timestamp(&text).map(|time| iso::AsDateTime(time).to_string()),
        }
    }
}

/// How the values of a matchable property lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the variants say it
pub enum Shape {
    One(Simple),
    List(Simple),
    Map(Simple),
}

impl Shape {
    /// The shape of a schema, where it is simple or a list or map of simple values.
    fn of(schema: &Schema) -> Option<Self> {
        let of_entry = || {
            schema.entry.as_ref().map_or(Some(Simple::String), |it| Simple::of_name(&it.type_name))
        };
        match &*schema.type_name {
            "list" => of_entry().map(Self::List),
            "map" => of_entry().map(Self::Map),
            name => Simple::of_name(name).map(Self::One),
        }
    }
}

/// A value that is compared with the request.
#[derive(Clone, Debug)]
pub struct Matched<'n> {
    /// The way to it from its property, such as `[2]` or `.key`; empty where it is the property.
    pub path: String,
    /// Its key, in a map.
    pub key: Option<&'n str>,
    /// The value.
    pub node: &'n Node,
}

impl Shape {
    /// The type of the values.
    pub fn simple(self) -> Simple {
        match self {
            Self::One(simple) | Self::List(simple) | Self::Map(simple) => simple,
        }
    }

    /// The values of a property; none where it does not have this shape.
    pub fn values(self, node: &Node) -> Vec<Matched<'_>> {
        let found: Vec<Matched<'_>> = match self {
            Self::One(_) => vec![Matched { path: String::new(), key: None, node }],
            Self::List(_) => {
                let items = node.items().unwrap_or_default().iter().enumerate();
                items
                    .map(|(at, node)| Matched { path: format!("[{at}]"), key: None, node })
                    .collect()
            }
            Self::Map(_) => {
                let entries = node.entries().unwrap_or_default().iter();
                entries
                    .map(|entry| Matched {
                        path: format!(".{}", entry.key),
                        key: Some(&*entry.key),
                        node: &entry.value,
                    })
                    .collect()
            }
        };
        found.into_iter().filter(|value| !value.node.is_null()).collect()
    }
}

/// The matchable properties of a type, by name.
#[derive(Clone, Debug, Default)]
pub struct Matchables<'t> {
    by_name: HashMap<&'t str, Shape>,
}

impl<'t> Matchables<'t> {
    pub(super) fn of(properties: Vec<Scoped<'t>>) -> Self {
        let mut found = Self::default();
        let mut entered: Vec<&str> = Vec::new();
        for Scoped { property, scope, .. } in properties {
            found.add(property, scope, &mut entered);
        }
        found
    }

    fn add(&mut self, property: &'t Property, scope: Scope<'t>, entered: &mut Vec<&'t str>) {
        if let Some(shape) = Shape::of(&property.schema) {
            if property.matchable {
                self.by_name.insert(&property.name, shape);
            }
            return;
        }
        let inner = match &property.schema.entry {
            Some(entry) if matches!(&*property.schema.type_name, "list" | "map") => entry,
            _ => &property.schema,
        };
        let name = &*inner.type_name;
        let Some(data_type) = scope.find(name).filter(|_| !entered.contains(&name)) else { return };
        entered.push(name);
        for field in scope.fields(data_type) {
            self.add(field, scope, entered);
        }
    }

    /// How the property of this name is compared, where it is.
    pub fn get(&self, name: &str) -> Option<Shape> {
        self.by_name.get(name).copied()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }
}
