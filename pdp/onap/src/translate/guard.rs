//! What the guard types have in common: their target.

use pdp_engine::model::Match;

use super::build;
use super::properties::Properties;
use crate::ids;

/// The properties that every guard type of this family has.
pub(super) const COMMON: [&str; 4] = ["actor", "operation", "id", "timeRange"];

/// The text that stands for any value.
const ANY: &str = ".*";

/// The match on one property. `.*` matches everything and adds none.
pub(super) fn match_on(
    properties: &mut Properties<'_, '_>,
    name: &str,
    attribute: &'static str,
) -> Option<Match> {
    let (text, at) = properties.text(name)?;
    (text != ANY).then(|| build::match_equal(&text, attribute, at))
}

/// The matches on actor, operation, target (where the type's `target` names what the policy is about)
/// and control loop.
pub(super) fn matches(properties: &mut Properties<'_, '_>, with_target: bool) -> Vec<Match> {
    [
        ("actor", ids::GUARD_ACTOR),
        ("operation", ids::GUARD_OPERATION),
        ("target", ids::GUARD_TARGET),
        ("id", ids::GUARD_CONTROL_LOOP),
    ]
    .into_iter()
    .filter(|(name, _)| with_target || *name != "target")
    .filter_map(|(name, attribute)| match_on(properties, name, attribute))
    .collect()
}
