//! What policies of ONAP's own types rest on: whoever brings the definitions that ONAP ships may write them
//! in other words, but not with other properties.

use std::collections::BTreeMap;

use super::{DataTypes, PolicyType, Property, Schema, Types};
use crate::application::Application;
use crate::problem::Problem;
use crate::tosca::catalogue;

/// How deep properties are compared.
const MAX_DEPTH: usize = 8;

/// Properties by their path, with their type and whether they are matchable.
type Facts = BTreeMap<String, String>;

/// Whether both say of one of ONAP's own types what the service knows of it.
pub(super) fn are_onap_s(known: &PolicyType, other: &PolicyType) -> bool {
    let standard = Types::standard().find(&known.name, &known.version);
    standard.is_some_and(|it| differ(it, known).is_none() && differ(it, other).is_none())
}

/// What another definition of a type of the standard says differently.
pub(super) fn differ(standard: &PolicyType, other: &PolicyType) -> Option<Problem> {
    let row = catalogue::find(&standard.name, &standard.version);
    if row.is_some_and(|row| row.application == Application::Native) {
        // Nothing rests on the definition, and what ONAP ships does not say what it reads.
        return None;
    }
    let what = if standard.derived_from != other.derived_from {
        let parent = |it: &PolicyType| it.derived_from.as_deref().unwrap_or("nothing").to_owned();
        format!("it is derived from `{}`, not from `{}`", parent(standard), parent(other))
    } else {
        let (known, found) = (of(standard), of(other));
        let missing = known.iter().find(|(path, _)| !found.contains_key(*path));
        let odd = found.iter().find(|(path, is)| known.get(*path) != Some(*is));
        match (odd, missing) {
            (None, None) => return None,
            (Some((path, is)), _) => match known.get(path) {
                Some(known) => format!("its property `{path}` is {known}, not {is}"),
                None => format!("it has no property `{path}`"),
            },
            (None, Some((path, _))) => format!("its property `{path}` is missing"),
        }
    };
    let message = format!(
        "ONAP's own type of this name and version is another one: {what}; give yours another name or version"
    );
    let path = format!("policy_types.{}", other.name);
    Some(Problem::error("conflicting-type", "", path, other.position, message))
}

fn of(policy_type: &PolicyType) -> Facts {
    let mut facts = Facts::new();
    note("", &policy_type.properties, &policy_type.data_types, 0, &mut facts);
    facts
}

fn note(path: &str, properties: &[Property], types: &DataTypes, depth: usize, facts: &mut Facts) {
    for property in properties {
        let path = match path.is_empty() {
            true => property.name.to_string(),
            false => format!("{path}.{}", property.name),
        };
        let matchable = if property.matchable { ", matchable" } else { "" };
        facts.insert(path.clone(), format!("{}{matchable}", shown(&property.schema, types)));
        let inner = property.schema.entry.as_deref().unwrap_or(&property.schema);
        if let Some(data_type) = types.get(&*inner.type_name).filter(|_| depth < MAX_DEPTH) {
            note(&path, &data_type.properties, types, depth + 1, facts);
        }
    }
}

/// The shape of a value; what a data type is called decides nothing.
fn shown(schema: &Schema, types: &DataTypes) -> String {
    match &schema.entry {
        Some(entry) => format!("{} of {}", schema.type_name, shown(entry, types)),
        None if types.contains_key(&*schema.type_name) => "structure".into(),
        None => schema.type_name.to_string(),
    }
}
