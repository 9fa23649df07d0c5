//! The dialect's names for functions, combining algorithms and attributes.
//!
//! A name is the last part of an identifier of XACML; where several versions define it, the latest is
//! meant. The data types of arguments are those of the function, so that functions whose arguments
//! differ, such as `string-substring`, can be called too.

use pdp_engine::function::{self, Code, Row, Type};
use pdp_engine::ids::function_prefix;
use pdp_engine::value::DataType;

use crate::ids;

/// The function of this name.
pub(super) fn find(name: &str) -> Option<&'static Row> {
    // ONAP spells this one with a small letter.
    let name =
        if name == "string-from-daytimeDuration" { "string-from-dayTimeDuration" } else { name };
    [function_prefix::V3, function_prefix::V2, function_prefix::V1]
        .into_iter()
        .find_map(|prefix| function::find(&format!("{prefix}{name}")))
}

/// A function that the dialect has for a type without equality, such as `dnsName-is-in`: computed on
/// the texts of the values.
pub(super) struct OnTexts {
    /// The type.
    pub(super) data_type: DataType,
    /// The same function for strings.
    pub(super) row: &'static Row,
}

impl OnTexts {
    /// The function of this name.
    pub(super) fn find(name: &str) -> Option<Self> {
        const SET: [&str; 6] =
            ["is-in", "intersection", "union", "at-least-one-member-of", "subset", "set-equals"];
        let (of_type, what) = name.split_once('-')?;
        let data_type = [DataType::DnsName, DataType::IpAddress]
            .into_iter()
            .find(|known| known.short_name() == of_type)?;
        let row = SET.contains(&what).then(|| find(&format!("string-{what}"))).flatten()?;
        Some(Self { data_type, row })
    }

    /// From values of the type to texts.
    pub(super) fn to_text(&self) -> String {
        self.conversion(&format!("string-from-{}", self.data_type.short_name()))
    }

    /// And back.
    pub(super) fn text_to(&self) -> String {
        self.conversion(&format!("{}-from-string", self.data_type.short_name()))
    }

    fn conversion(&self, name: &str) -> String {
        find(name).map_or_else(|| name.to_owned(), |row| row.id.to_owned())
    }
}

/// Names that are near, for messages.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    function::all().filter_map(|row| row.id.rsplit(':').next())
}

/// The name that asks whether the request has an attribute at all.
pub(super) const PRESENT: &str = "present";

/// Whether it applies another function.
pub(super) fn is_higher_order(row: &Row) -> bool {
    matches!(row.code, Code::HigherOrder(_))
}

/// What a function takes in a place. Places beyond its last are as that, so that compile counts them.
pub(super) fn parameter(row: &Row, place: usize) -> Type {
    let signature = &row.signature;
    signature
        .parameters
        .get(place)
        .copied()
        .or(signature.rest.map(|(rest, _)| rest))
        .or(signature.parameters.last().copied())
        .unwrap_or(Type::one(DataType::String))
}

/// A function of one data type, such as `bag` or `one-and-only`.
pub(super) fn of_type(data_type: DataType, what: &str) -> String {
    let name = format!("{}-{what}", data_type.short_name());
    find(&name).map_or(name, |row| row.id.to_owned())
}

/// How the rules of a policy are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Combining {
    /// By an algorithm for rules.
    Rules(&'static str),
    /// Each rule as a policy of its own, exactly one of which may apply.
    OnlyOne(&'static str),
}

/// The two overrides are ONAP's: they stand for the algorithms that never yield NotApplicable.
const COMBINING: [(&str, Combining); 4] = [
    ("first-applicable", Combining::Rules(ids::combining::FIRST_APPLICABLE)),
    ("deny-overrides", Combining::Rules(ids::combining::DENY_UNLESS_PERMIT)),
    ("permit-overrides", Combining::Rules(ids::combining::PERMIT_UNLESS_DENY)),
    ("only-one-applicable", Combining::OnlyOne(ids::combining::ONLY_ONE_APPLICABLE)),
];

/// The combining algorithm of this name.
pub(super) fn combining(name: &str) -> Option<Combining> {
    COMBINING.iter().find(|(known, _)| *known == name).map(|(_, combining)| *combining)
}

/// The names of all of them.
pub(super) fn combining_names() -> Vec<&'static str> {
    COMBINING.iter().map(|(name, _)| *name).collect()
}
