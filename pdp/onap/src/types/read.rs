//! From TOSCA to definitions. What the service has no use for is left where it is.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use pdp_engine::error::Position;

use super::constraint::Constraint;
use super::definition::{DataType, DataTypes, PolicyType, Property, Schema};
use crate::problem::Problem;
use crate::tosca::{Entry, Node, NodeKind, ServiceTemplate};

/// How deep entry schemas may lie within each other.
const MAX_SCHEMAS: usize = 16;

/// The types of a document.
pub(super) fn document(
    template: &ServiceTemplate,
    problems: &mut Vec<Problem>,
) -> (Vec<PolicyType>, Arc<DataTypes>) {
    let mut reading = Reading { problems };
    let mut data_types = DataTypes::new();
    for (name, at, node) in reading.named("data_types", template.data_types.as_ref()) {
        let path = format!("data_types.{name}");
        let fields = reading.properties(&path, &node);
        data_types.insert(
            name.as_str().into(),
            Arc::new(DataType {
                derived_from: text(&node, "derived_from"),
                properties: fields,
                constraints: reading.constraints(&format!("{path}.constraints"), &node),
                node,
                position: at,
            }),
        );
    }
    let data_types = Arc::new(data_types);
    let named = reading.named("policy_types", template.policy_types.as_ref());
    let policy_types = named.into_iter().map(|(key, at, node)| {
        let (name, in_key) = match key.split_once(':') {
            Some((name, version)) => (name, Some(version)),
            None => (&*key, None),
        };
        let written = text(&node, "version");
        PolicyType {
            name: name.into(),
            version: written.as_deref().or(in_key).unwrap_or("1.0.0").into(),
            derived_from: text(&node, "derived_from"),
            properties: reading.properties(&format!("policy_types.{key}"), &node),
            data_types: Arc::clone(&data_types),
            node,
            position: at,
            digest: 0,
            standard: false,
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
            let path = format!("{path}.{property}");
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
        for Entry { key, key_position, value } in items.iter().filter_map(Node::entries).flatten() {
            match Constraint::read(key, value) {
                Some(constraint) => found.push(constraint),
                None => {
                    let message = "means nothing here: the constraint is not checked";
                    let path = format!("{path}.{key}");
                    let problem =
                        Problem::error("type-structure", "", path, *key_position, message);
                    self.problems.push(problem.warning());
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
