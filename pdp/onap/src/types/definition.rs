//! What definitions say.

use std::collections::BTreeMap;
use std::sync::Arc;

use pdp_engine::error::Position;

use super::constraint::Constraint;
use crate::tosca::Node;

/// The data types of a document, by name.
pub type DataTypes = BTreeMap<Arc<str>, Arc<DataType>>;

/// A policy type.
#[derive(Clone, Debug)]
pub struct PolicyType {
    /// Its name.
    pub name: Arc<str>,
    /// Its version.
    pub version: Arc<str>,
    /// The type that it extends.
    pub derived_from: Option<Box<str>>,
    /// The properties that it adds.
    pub properties: Vec<Property>,
    /// The data types beside it.
    pub data_types: Arc<DataTypes>,
    /// The definition as it was written.
    pub node: Node,
    /// Where.
    pub position: Position,
    /// The fingerprint of the definition and the data types beside it.
    pub digest: u64,
    /// It is known from the start.
    pub standard: bool,
    /// Something in it cannot be read.
    pub(super) broken: bool,
}

impl PolicyType {
    /// Whether it is the type of this name and version, whatever that says.
    pub(super) fn is(&self, other: &Self) -> bool {
        self.name == other.name && self.version == other.version
    }

    pub(super) fn same(&self, other: &Self) -> bool {
        super::content(&self.node) == super::content(&other.node)
    }
}

/// A type of structured values.
#[derive(Clone, Debug)]
pub struct DataType {
    /// The type that it extends, or the simple type that it constrains.
    pub derived_from: Option<Box<str>>,
    /// Its fields.
    pub properties: Vec<Property>,
    /// What its values must keep to.
    pub constraints: Vec<Constraint>,
    /// The definition as it was written.
    pub node: Node,
    /// Where.
    pub position: Position,
    /// Something in it cannot be read.
    pub(super) broken: bool,
}

impl DataType {
    pub(super) fn same(&self, other: &Self) -> bool {
        super::content(&self.node) == super::content(&other.node)
    }
}

/// A property of a policy type, or a field of a data type.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name.
    pub name: Box<str>,
    /// Its type.
    pub schema: Schema,
    /// A policy must have it. As in ONAP, only where the definition says so.
    pub required: bool,
    /// It has a value where a policy gives none.
    pub has_default: bool,
    /// It is compared with the request.
    pub matchable: bool,
    /// Where its type stands.
    pub position: Position,
}

/// The type of a value.
#[derive(Clone, Debug)]
pub struct Schema {
    /// The name of the type.
    pub type_name: Box<str>,
    /// What values must keep to.
    pub constraints: Vec<Constraint>,
    /// The type of the entries of a list or map.
    pub entry: Option<Box<Schema>>,
}
