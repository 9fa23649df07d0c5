//! From TOSCA to definitions. What the service has no use for is left where it is.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use pdp_engine::error::{Position, Severity};

use super::constraint::Constraint;
use super::definition::{DataType, DataTypes, PolicyType, Property, Schema};
use crate::problem::Problem;
use crate::tosca::{Entry, Node, NodeKind, ServiceTemplate, name_fault, shown, version_fault};

/// How deep entry schemas may lie within each other.
const MAX_SCHEMAS: usize = 16;

/// The types of a document.
pub(super) fn document<P>(
    template: &ServiceTemplate<P>,
    problems: &mut Vec<Problem>,
) -> (Vec<PolicyType>, Arc<DataTypes>) {
    let mut reading = Reading { problems };
    let mut data_types = DataTypes::new();
    for (name, at, node) in reading.named("data_types", template.data_types.as_ref()) {
        let path = format!("data_types.{}", shown(&name));
        let before = reading.errors();
        reading.name(&path, at, &name);
        let properties = reading.properties(&path, &node);
        let constraints = reading.constraints(&format!("{path}.constraints"), &node);
        let data_type = DataType {
            derived_from: text(&node, "derived_from"),
            properties,
            constraints,
            node,
            position: at,
            broken: reading.errors() > before,
        };
        data_types.insert(name.as_str().into(), Arc::new(data_type));
    }
    let data_types = Arc::new(data_types);
    let named = reading.named("policy_types", template.policy_types.as_ref());
    let policy_types = named.into_iter().map(|(key, at, node)| {
        let (name, in_key) = match key.split_once(':') {
            Some((name, version)) => (name, Some(version)),
            None => (&*key, None),
        };
        let path = format!("policy_types.{}", shown(&key));
        let before = reading.errors();
        let written = text(&node, "version");
        reading.identity(&path, at, &node, (name, in_key), written.as_deref());
        PolicyType {
            name: name.into(),
            version: written.as_deref().or(in_key).unwrap_or(super::DEFAULT_VERSION).into(),
            derived_from: text(&node, "derived_from"),
            properties: reading.properties(&path, &node),
            data_types: Arc::clone(&data_types),
            node,
            position: at,
            digest: 0,
            standard: false,
            broken: reading.errors() > before,
        }
    });
    let mut policy_types: Vec<PolicyType> = policy_types.collect();
    for policy_type in &mut policy_types {
        let mut hasher = DefaultHasher::new();
        super::content(&policy_type.node).hash(&mut hasher);
        for (name, data_type) in data_types.iter() {
            (name, super::content(&data_type.node)).hash(&mut hasher);
        }
        policy_type.digest = hasher.finish();
    }
    (policy_types, data_types)
}

fn text(node: &Node, key: &str) -> Option<Box<str>> {
    node.present(key).and_then(Node::scalar_text).map(|text| text.into_owned().into_boxed_str())
}

struct Reading<'r> {
    problems: &'r mut Vec<Problem>,
}

impl Reading<'_> {
    fn refuse(&mut self, path: &str, at: Position, message: String) {
        self.problems.push(Problem::error("type-structure", "", path, at, message));
    }

    fn errors(&self) -> usize {
        let errors = self.problems.iter().filter(|it| it.severity == Severity::Error);
        errors.count()
    }

    fn name(&mut self, path: &str, at: Position, name: &str) {
        if let Some(fault) = name_fault(name) {
            self.refuse(path, at, fault);
        }
    }

    /// Name and version of a type, in its key and in its definition.
    fn identity(
        &mut self,
        path: &str,
        at: Position,
        node: &Node,
        (name, in_key): (&str, Option<&str>),
        written: Option<&str>,
    ) {
        self.name(path, at, name);
        let place = |key: &str| node.present(key).map_or(at, |inside| inside.position);
        if text(node, "name").is_some_and(|inside| *inside != *name) {
            let message = format!("differs from the key `{}`: leave it out", shown(name));
            self.refuse(&format!("{path}.name"), place("name"), message);
        }
        if let (Some(key), Some(written)) = (in_key, written)
            && key != written
        {
            let message = "differs from the version in the key: leave one of them out".to_owned();
            self.refuse(&format!("{path}.version"), place("version"), message);
        }
        if let Some(fault) = written.or(in_key).and_then(version_fault) {
            self.refuse(&format!("{path}.version"), place("version"), fault);
        }
    }

    /// The maps of a map by their names; ONAP's API writes a list of such maps.
    fn named(&mut self, part: &str, node: Option<&Node>) -> Vec<(String, Position, Node)> {
        let Some(node) = node else { return Vec::new() };
        let mut entries: Vec<&Entry> = Vec::new();
        match &node.kind {
            NodeKind::Null => {}
            NodeKind::Map(map) => entries.extend(map),
            NodeKind::List(items) => {
                for item in items {
                    match item.entries() {
                        Some(map) => entries.extend(map),
                        None => {
                            let message = format!("expected maps of types, found {}", item.found());
                            self.refuse(part, item.position, message);
                        }
                    }
                }
            }
            _ => {
                let message = format!("expected a map of types, found {}", node.found());
                self.refuse(part, node.position, message);
            }
        }
        let mut found = Vec::new();
        for Entry { key, key_position, value } in entries {
            if value.entries().is_some() {
                found.push((key.to_string(), *key_position, value.clone()));
            } else {
                let message = format!("expected a map, found {}", value.found());
                self.refuse(&format!("{part}.{key}"), value.position, message);
            }
        }
        found
    }

    fn properties(&mut self, path: &str, node: &Node) -> Vec<Property> {
        let Some(properties) = node.present("properties") else { return Vec::new() };
        let mut found = Vec::new();
        let path = format!("{path}.properties");
        for (property, _, node) in self.named(&path, Some(properties)) {
            let path = format!("{path}.{}", shown(&property));
            let flag = |key: &str| node.present(key).is_some_and(is_true);
            let matchable = node
                .present("metadata")
                .and_then(|it| it.present("matchable"))
                .is_some_and(is_true);
            let Some(schema) = self.schema(&path, &node, 0) else { continue };
            found.push(Property {
                name: property.into(),
                schema,
                required: flag("required"),
                has_default: node.present("default").is_some(),
                matchable,
                position: node.present("type").map_or(node.position, |it| it.position),
            });
        }
        found
    }

    fn schema(&mut self, path: &str, node: &Node, depth: usize) -> Option<Schema> {
        if depth == MAX_SCHEMAS {
            let message = format!("entry schemas lie within each other deeper than {MAX_SCHEMAS}");
            self.refuse(path, node.position, message);
            return None;
        }
        if let Some(type_name) = node.scalar_text() {
            let (constraints, entry) = (Vec::new(), None);
            return Some(Schema { type_name: type_name.into(), constraints, entry });
        }
        let Some(type_name) = text(node, "type") else {
            let message = "has no `type`: expected string, integer, float, boolean, timestamp, list, map or the name of a data type";
            self.refuse(path, node.position, message.to_owned());
            return None;
        };
        let entry = match node.present("entry_schema") {
            Some(entry) => {
                Some(Box::new(self.schema(&format!("{path}.entry_schema"), entry, depth + 1)?))
            }
            None => None,
        };
        let constraints = self.constraints(&format!("{path}.constraints"), node);
        Some(Schema { type_name, constraints, entry })
    }

    fn constraints(&mut self, path: &str, node: &Node) -> Vec<Constraint> {
        let Some(node) = node.present("constraints") else { return Vec::new() };
        let items = node.items().unwrap_or(std::slice::from_ref(node));
        let mut found = Vec::new();
        for item in items {
            let Some(entries) = item.entries() else {
                let message = format!(
                    "expected a list of constraints such as `greater_than: 0`, found {}",
                    item.found()
                );
                self.refuse(path, item.position, message);
                continue;
            };
            for Entry { key, key_position, value } in entries {
                let path = format!("{path}.{}", shown(key));
                match Constraint::read(key, value) {
                    Ok(constraint) => found.extend(constraint),
                    Err(message) => self.refuse(&path, *key_position, message),
                }
            }
        }
        found
    }
}

/// True, written as such or as text in upper or lower case.
fn is_true(node: &Node) -> bool {
    node.scalar_text().is_some_and(|text| text.eq_ignore_ascii_case("true"))
}
