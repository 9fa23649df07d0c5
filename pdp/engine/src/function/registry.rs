//! All families in one table, looked up at compile time only.

use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::FixedState;

use super::{
    Code, Row, arithmetic, bag, comparison, date, equality, higher_order, logic, matching, number,
    other, regexp, set, string, string_conversion,
};
use crate::value::DataType;

/// Functions that belong together.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// A heading for them.
    pub title: &'static str,
    /// The clause of the standard.
    pub clause: &'static str,
    /// The rows, by data type.
    pub(super) rows: &'static [&'static [Row]],
}

impl Family {
    /// Its rows.
    pub fn rows(&self) -> impl Iterator<Item = &'static Row> + use<> {
        self.rows.iter().flat_map(|rows| rows.iter())
    }
}

static FAMILIES: [Family; 20] = [
    equality::FAMILIES[0],
    equality::FAMILIES[1],
    arithmetic::FAMILY,
    number::FAMILY,
    logic::FAMILY,
    comparison::FAMILIES[0],
    comparison::FAMILIES[1],
    comparison::FAMILIES[2],
    date::FAMILY,
    string::FAMILY,
    string_conversion::FAMILY,
    bag::FAMILIES[0],
    bag::FAMILIES[1],
    bag::FAMILIES[2],
    set::FAMILY,
    higher_order::FAMILY,
    regexp::FAMILY,
    matching::FAMILY,
    other::FAMILIES[0],
    other::FAMILIES[1],
];

static BY_ID: LazyLock<HashMap<&'static str, &'static Row, FixedState>> =
    LazyLock::new(|| all().map(|row| (row.id, row)).collect());

/// The families, in the order of the standard.
pub fn families() -> &'static [Family] {
    &FAMILIES
}

/// Every function, family by family.
pub fn all() -> impl Iterator<Item = &'static Row> {
    FAMILIES.iter().flat_map(Family::rows)
}

/// The function with this identifier.
pub fn find(id: &str) -> Option<&'static Row> {
    BY_ID.get(id).copied()
}

/// The equality function of a type, where it has one that is not deprecated.
pub fn equality_of(data_type: DataType) -> Option<&'static Row> {
    equality::FAMILIES[0].rows().find(|row| {
        matches!(row.code, Code::Equal)
            && row.successor.is_none()
            && row.signature.parameters[0].data_type == data_type
    })
}
