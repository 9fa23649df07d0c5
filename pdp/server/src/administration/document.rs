//! From TOSCA documents to what is kept, and back.

use pdp_engine::error::Severity;
use pdp_engine::model::Version;
use pdp_onap::tosca::{self, Entry, Node, NodeKind, ServiceTemplate, Syntax, ToscaPolicy};

use super::database::{Kept, KeptType};
use super::{AdministrationError, Created, Part, Result};
use crate::store::Document;

/// What a document wants to be kept.
///
/// # Errors
/// It lacks what it must hold, or something in it cannot be used.
pub(super) fn created(template: ServiceTemplate, wanted: Part) -> Result<Created> {
    let mut problems: Vec<String> = template
        .problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .map(|problem| format!("{}: {problem}", problem.position))
        .collect();
    let mut types = Vec::new();
    for (kind, node) in [("policy", &template.policy_types), ("data", &template.data_types)] {
        for entry in node.as_ref().map_or(Ok(Vec::new()), |node| entries(kind, node))? {
            match kept_type(kind, entry) {
                Ok(one) => types.push(one),
                Err(problem) => problems.push(problem),
            }
        }
    }
    if !problems.is_empty() {
        let message = match problems.as_slice() {
            [one] => one.clone(),
            _ => format!("nothing was created: {} problems", problems.len()),
        };
        return Err(AdministrationError::NotAcceptable { message, details: problems });
    }
    let policies: Vec<Kept> = template.policies.iter().map(kept).collect();
    let there = match wanted {
        Part::Policies => !policies.is_empty(),
        Part::Types => types.iter().any(|one| one.kind == "policy"),
    };
    if there {
        return Ok(Created { types, policies });
    }
    Err(AdministrationError::Malformed(match wanted {
        Part::Policies => {
            "no policies: expected `topology_template` with `policies`, a list of maps from the name of a policy to the policy".into()
        }
        Part::Types => {
            "no policy types: expected `policy_types`, a map from the name of a type to the type".into()
        }
    }))
}

fn kept(policy: &ToscaPolicy) -> Kept {
    Kept {
        name: policy.name.clone(),
        version: policy.version.clone(),
        type_name: policy.type_name.clone(),
        type_version: policy.type_version.clone(),
        content: policy.content(),
    }
}

/// The document that is deployed for a policy.
pub(super) fn of(kept: &Kept) -> Document {
    Document {
        name: kept.name.clone(),
        version: kept.version.clone(),
        content: kept.content.clone(),
    }
}

/// Types stand in a map, in ONAP's older documents in a list of maps.
fn entries<'n>(kind: &str, node: &'n Node) -> Result<Vec<&'n Entry>> {
    let maps = match &node.kind {
        NodeKind::Null => Vec::new(),
        NodeKind::List(items) => items.iter().collect(),
        _ => vec![node],
    };
    let mut all = Vec::new();
    for map in maps {
        all.extend(map.entries().ok_or_else(|| {
            AdministrationError::Malformed(format!(
                "{}: {kind}_types: expected a map from the name of a type to the type, found {}",
                map.position,
                map.found()
            ))
        })?);
    }
    Ok(all)
}

fn kept_type(kind: &'static str, entry: &Entry) -> std::result::Result<KeptType, String> {
    let at = entry.key_position;
    let Some(fields) = entry.value.entries() else {
        return Err(format!(
            "{at}: {kind} type `{}`: expected a map, found {}",
            entry.key,
            entry.value.found()
        ));
    };
    let (name, in_key) = match entry.key.split_once(':') {
        Some((name, version)) => (name, Some(version)),
        None => (&*entry.key, None),
    };
    let text = |field: &str| entry.value.present(field).and_then(Node::scalar_text);
    if text("name").is_some_and(|inside| inside != name) {
        return Err(format!("{at}: {kind} type `{name}`: its `name` differs from its key"));
    }
    let inside = text("version");
    if let (Some(key), Some(inside)) = (in_key, &inside)
        && key != inside
    {
        return Err(format!("{at}: {kind} type `{name}`: its `version` differs from its key"));
    }
    let version = inside.as_deref().or(in_key).unwrap_or("0.0.0").to_owned();
    version.parse::<Version>().map_err(|error| format!("{at}: {kind} type `{name}`: {error}"))?;
    let mut fields: Vec<Entry> = fields.to_vec();
    for (key, value) in [("name", name), ("version", &version)] {
        fields.retain(|field| &*field.key != key);
        fields.push(Entry { key: key.into(), key_position: at, value: Node::text(value) });
    }
    let mut content = Vec::new();
    tosca::write_json(&Node { position: at, kind: NodeKind::Map(fields) }, &mut content);
    let content = String::from_utf8(content).expect("JSON is written as UTF-8");
    Ok(KeptType { kind, name: name.to_owned(), version, content })
}

/// Whether a type is derived from the type of this name.
pub(super) fn derives_from(one: &KeptType, name: &str) -> bool {
    let node = tosca::document(one.content.as_bytes(), Syntax::Json, &tosca::Limits::default());
    node.is_ok_and(|node| {
        node.present("derived_from").and_then(Node::scalar_text).is_some_and(|it| it == name)
    })
}
