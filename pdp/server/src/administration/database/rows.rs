//! What is kept.

use rusqlite::Row;

/// A policy as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The name of its type.
    pub type_name: String,
    /// The version of its type.
    pub type_version: String,
    /// The policy as JSON, as answers hold it.
    pub content: String,
}

/// A type as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptType {
    /// `policy` or `data`.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The type as JSON.
    pub content: String,
}

impl KeptType {
    /// Whether it is the type of this kind, name and version, whatever that says.
    pub(in crate::administration) fn is(&self, other: &Self) -> bool {
        (self.kind, &self.name, &self.version) == (other.kind, &other.name, &other.version)
    }
}

/// A deployment as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployment {
    /// The policy's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The name of its type.
    pub type_name: String,
    /// The version of its type.
    pub type_version: String,
}

pub(super) fn kept(row: &Row<'_>) -> rusqlite::Result<Kept> {
    Ok(Kept {
        name: row.get(0)?,
        version: row.get(1)?,
        type_name: row.get(2)?,
        type_version: row.get(3)?,
        content: row.get(4)?,
    })
}
