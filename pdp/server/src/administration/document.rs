//! From TOSCA documents to what is kept, and back.

use std::collections::BTreeMap;

use pdp_engine::error::{Position, Severity};
use pdp_engine::model::Version;
use pdp_onap::Problem;
use pdp_onap::tosca::{self, Entry, Node, NodeKind, ServiceTemplate, Syntax, ToscaPolicy};
use pdp_onap::types::{PolicyType, Types};

use super::database::{Kept, KeptType};
use super::{AdministrationError, Created, Part, Result, Wanted, version};
use crate::store::Document;

/// A type that is to be created.
#[derive(Debug)]
pub(super) struct NewType {
    pub(super) kept: KeptType,
    /// The definition, each part with its place in what was sent.
    node: Node,
}

/// A policy that is to be created, and what is wrong with the versions that it names.
#[derive(Debug)]
pub(super) struct NewPolicy {
    kept: Kept,
    problems: Vec<String>,
}

pub(super) fn new_policy(policy: &ToscaPolicy) -> NewPolicy {
    NewPolicy { kept: kept(policy), problems: versions_of(policy).collect() }
}

/// What a document wants to be kept, and everything that is wrong with how it is written.
///
/// # Errors
/// It lacks what it must hold.
pub(super) fn created(
    template: ServiceTemplate<NewPolicy>,
    wanted: Part,
) -> Result<(Created, Vec<NewType>, Vec<String>)> {
    let found = Types::standard().clone().add(&template);
    let problems = template.problems.iter().chain(&found);
    // A document without types is told what it lacks, not how its policies would be written.
    let types_there = template.policy_types.is_some() || template.data_types.is_some();
    let to_the_point = wanted == Part::Policies || types_there;
    let errors = problems
        .filter(|problem| problem.severity == Severity::Error)
        .filter(|problem| to_the_point || speaks_of_types(problem));
    let mut problems: Vec<String> =
        errors.map(|problem| format!("{}: {problem}", problem.position)).collect();
    let mut new_types = Vec::new();
    for (kind, node) in [("policy", &template.policy_types), ("data", &template.data_types)] {
        for entry in node.as_ref().map_or(Ok(Vec::new()), |node| entries(kind, node))? {
            match new_type(kind, entry) {
                Ok(one) => new_types.push(one),
                Err(Some(problem)) => problems.push(problem),
                // Of a policy type it is said already.
                Err(None) => {}
            }
        }
    }
    if to_the_point {
        problems.extend(template.policies.iter().flat_map(|one| one.problems.iter().cloned()));
    }
    let types: Vec<KeptType> = new_types.iter().map(|one| one.kept.clone()).collect();
    let policies: Vec<Kept> = template.policies.into_iter().map(|one| one.kept).collect();
    let there = match wanted {
        Part::Policies => !policies.is_empty(),
        Part::Types => types.iter().any(|one| one.kind == "policy"),
    };
    if there || !problems.is_empty() {
        return Ok((Created { types, policies }, new_types, problems));
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

/// A problem of a document's head, or of a key that was to hold types.
fn speaks_of_types(problem: &Problem) -> bool {
    let head = problem.code == "tosca-version" || problem.message.contains("_types`");
    head && problem.policy.is_empty()
}

/// What is wrong with the versions that a policy names.
fn versions_of(policy: &ToscaPolicy) -> impl Iterator<Item = String> {
    let versions = [
        ("version", policy.position, &policy.version),
        ("type_version", policy.type_version_position, &policy.type_version),
    ];
    versions.into_iter().filter_map(|(member, at, written)| {
        let fault = version::fault(written)?;
        Some(format!("{at}: policy `{}`: {member}: {fault}", policy.name))
    })
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

/// Whether two documents say the same, in whatever order.
pub(super) fn same(one: &str, other: &str) -> bool {
    let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    one == other || value(one).is_some_and(|it| Some(it) == value(other))
}

fn new_type(kind: &'static str, entry: &Entry) -> std::result::Result<NewType, Option<String>> {
    let Some(fields) = entry.value.entries() else { return Err(None) };
    let (name, in_key) = match entry.key.split_once(':') {
        Some((name, version)) => (name, Some(version)),
        None => (&*entry.key, None),
    };
    let inside = entry.value.present("version").and_then(Node::scalar_text);
    let version = inside.as_deref().or(in_key).unwrap_or("1.0.0").to_owned();
    if let Err(error) = version.parse::<Version>() {
        let at = entry.key_position;
        return Err((kind == "data").then(|| format!("{at}: data type `{name}`: {error}")));
    }
    if let Some(fault) = version::fault(&version) {
        let at = entry.key_position;
        return Err(Some(format!("{at}: {kind} type `{name}`: version: {fault}")));
    }
    let mut node = named(name, &version, fields);
    node.position = entry.key_position;
    Ok(NewType { kept: kept_as(kind, name, &version, &node), node })
}

/// A definition that says its name and version.
fn named(name: &str, version: &str, fields: &[Entry]) -> Node {
    let mut fields: Vec<Entry> = fields.to_vec();
    for (key, value) in [("name", name), ("version", version)] {
        fields.retain(|field| &*field.key != key);
        fields.push(entry(key, Node::text(value)));
    }
    map(fields)
}

fn kept_as(kind: &'static str, name: &str, version: &str, node: &Node) -> KeptType {
    let mut content = Vec::new();
    tosca::write_json(node, &mut content);
    let content = String::from_utf8(content).expect("JSON is written as UTF-8");
    KeptType { kind, name: name.to_owned(), version: version.to_owned(), content }
}

fn defined(kind: &'static str, name: &str, version: &str, fields: &[Entry]) -> KeptType {
    kept_as(kind, name, version, &named(name, version, fields))
}

fn entry(key: &str, value: Node) -> Entry {
    Entry { key: key.into(), key_position: Position::default(), value }
}

fn map(entries: Vec<Entry>) -> Node {
    Node { position: Position::default(), kind: NodeKind::Map(entries) }
}

/// A policy type that is known, as answers have it.
pub(super) fn known_type(it: &PolicyType) -> KeptType {
    defined("policy", &it.name, &it.version, it.node.entries().unwrap_or_default())
}

/// The data types that a policy type needs, as answers have them.
pub(super) fn known_data_types(it: &PolicyType) -> Vec<KeptType> {
    let needed = needed(&it.node, |name| it.data_types.get(name).map(|found| &found.node));
    let as_kept = |(name, node): (String, &Node)| {
        let version = node.present("version").and_then(Node::scalar_text);
        let fields = node.entries().unwrap_or_default();
        defined("data", &name, version.as_deref().unwrap_or("0.0.0"), fields)
    };
    needed.into_iter().map(as_kept).collect()
}

/// The documents of policy types, each with the data types that it needs, so that a type says something
/// else only where one of these does.
pub(super) fn templates(
    types: &[KeptType],
    data_types: &[KeptType],
    new: &[NewType],
) -> Vec<ServiceTemplate> {
    let read = |one: &KeptType| {
        // What is new has its places in what was sent.
        if let Some(new) = new.iter().find(|new| new.kept.is(one)) {
            return Some(new.node.clone());
        }
        tosca::document(one.content.as_bytes(), Syntax::Json, &tosca::Limits::default()).ok()
    };
    let newest =
        Wanted::Latest.choose(data_types.iter().collect(), |one| (&one.name, &one.version));
    let data: BTreeMap<&str, Node> =
        newest.into_iter().filter_map(|one| Some((one.name.as_str(), read(one)?))).collect();
    let template = |one: &KeptType| {
        let node = read(one)?;
        let needed = needed(&node, |name| data.get(name));
        let needed = needed.into_iter().map(|(name, node)| entry(&name, node.clone())).collect();
        Some(ServiceTemplate {
            policies: Vec::new(),
            data_types: Some(map(needed)),
            policy_types: Some(map(vec![Entry {
                key: one.name.as_str().into(),
                key_position: node.position,
                value: node,
            }])),
            problems: Vec::new(),
        })
    };
    types.iter().filter_map(template).collect()
}

/// Data types that a definition names, and those that they name.
fn needed<'d>(
    definition: &Node,
    find: impl Fn(&str) -> Option<&'d Node>,
) -> BTreeMap<String, &'d Node> {
    let mut found: BTreeMap<String, &'d Node> = BTreeMap::new();
    let mut open: Vec<&Node> = vec![definition];
    while let Some(node) = open.pop() {
        match &node.kind {
            NodeKind::Map(entries) => open.extend(entries.iter().map(|entry| &entry.value)),
            NodeKind::List(items) => open.extend(items),
            NodeKind::Text(name) if !found.contains_key(&**name) => {
                if let Some(data_type) = find(name) {
                    found.insert(name.to_string(), data_type);
                    open.push(data_type);
                }
            }
            _ => {}
        }
    }
    found
}
