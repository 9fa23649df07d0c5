//! Whether a policy keeps to its type: everything that is wrong, each with its place.

use pdp_engine::error::Position;

use super::constraint::{self, Constraint};
use super::{PolicyType, Property, Schema, Scope, Scoped, Types};
use crate::iso;
use crate::problem::{Problem, did_you_mean};
use crate::tosca::{Entry, Node, NodeKind, ToscaPolicy};

/// How deep values are followed.
const MAX_DEPTH: usize = 64;

pub(super) fn policy(
    policy: &ToscaPolicy,
    properties: &[Scoped<'_>],
    skip: &dyn Fn(&PolicyType) -> bool,
    problems: &mut Vec<Problem>,
) {
    let nothing = Node { position: policy.position, kind: NodeKind::Map(Vec::new()) };
    let node = policy.properties.as_ref().unwrap_or(&nothing);
    let mut check = Check { policy: &policy.name, problems, depth: 0, lenient: false };
    for scoped in properties.iter().filter(|scoped| !skip(scoped.declared_in)) {
        let declared_in = scoped.declared_in;
        check.lenient = Types::standard().find(&declared_in.name, &declared_in.version).is_some();
        check.member("properties", node, scoped.property, scoped.scope);
    }
    if properties.iter().any(|scoped| skip(scoped.declared_in)) || properties.is_empty() {
        return;
    }
    let known: Vec<&str> = properties.iter().map(|scoped| &*scoped.property.name).collect();
    check.unknown("properties", "type", node, &known);
}

struct Check<'c> {
    policy: &'c str,
    problems: &'c mut Vec<Problem>,
    depth: usize,
    /// What is wrong is told, but does not refuse the policy: ONAP does not check the types that it
    /// ships, and the policies that it publishes do not keep to them.
    lenient: bool,
}

impl Check<'_> {
    fn refuse(
        &mut self,
        code: &'static str,
        path: &str,
        at: Position,
        message: String,
    ) -> &mut Problem {
        let problem = Problem::error(code, self.policy, path, at, message);
        self.problems.push(if self.lenient { problem.warning() } else { problem });
        self.problems.last_mut().expect("one was pushed")
    }

    /// One property of a policy, or one field of a value.
    fn member(&mut self, path: &str, node: &Node, property: &Property, scope: Scope<'_>) {
        let path = format!("{path}.{}", property.name);
        match node.present(&property.name) {
            Some(value) => self.value(&path, value, &property.schema, scope),
            None if property.required && !property.has_default => {
                let expected = expected(&property.schema);
                let message = format!("is missing: expected {expected}");
                self.refuse("property-missing", &path, node.position, message).onap =
                    Some(format!("item \"{}\" value \"null\" INVALID, is null", property.name));
            }
            None => {}
        }
    }

    fn unknown(&mut self, path: &str, what: &str, node: &Node, known: &[&str]) {
        for Entry { key, key_position, .. } in node.entries().unwrap_or_default() {
            if !known.contains(&&**key) {
                let hint = did_you_mean(key, known.iter().copied());
                let message =
                    format!("the {what} has no property of this name; it is ignored{hint}");
                let path = format!("{path}.{key}");
                let problem =
                    Problem::error("property-unknown", self.policy, path, *key_position, message);
                self.problems.push(problem.warning());
            }
        }
    }

    fn value(&mut self, path: &str, node: &Node, schema: &Schema, scope: Scope<'_>) {
        if self.depth == MAX_DEPTH {
            return;
        }
        self.depth += 1;
        let fits = match &*schema.type_name {
            "string" => node.scalar_text().is_some(),
            "integer" => node.integer().is_some(),
            "float" => constraint::number(node).is_some(),
            "boolean" => is_boolean(node),
            "timestamp" => node.scalar_text().is_some_and(|text| iso::timestamp(&text).is_some()),
            "list" => self.list(path, node, schema, scope),
            "map" => self.map(path, node, schema, scope),
            name => self.structure(path, node, name, scope),
        };
        if fits {
            self.constraints(path, node, &schema.constraints);
        } else {
            let message = format!("expected {}, found {}", expected(schema), node.found());
            self.refuse("property-type", path, node.position, message);
        }
        self.depth -= 1;
    }

    fn constraints(&mut self, path: &str, node: &Node, constraints: &[Constraint]) {
        for expected in constraints.iter().filter_map(|it| it.broken_by(node)) {
            let message = format!("expected {expected}, found {}", node.found());
            self.refuse("property-value", path, node.position, message);
        }
    }

    /// Lists; YAML writes a set as a map without values.
    fn list(&mut self, path: &str, node: &Node, schema: &Schema, scope: Scope<'_>) -> bool {
        let is_set = node
            .entries()
            .is_some_and(|all| !all.is_empty() && all.iter().all(|entry| entry.value.is_null()));
        let Some(items) = node.items() else { return is_set };
        if let Some(entry) = &schema.entry {
            for (at, item) in items.iter().enumerate() {
                self.value(&format!("{path}[{at}]"), item, entry, scope);
            }
        }
        true
    }

    fn map(&mut self, path: &str, node: &Node, schema: &Schema, scope: Scope<'_>) -> bool {
        let Some(entries) = node.entries() else { return false };
        if let Some(entry) = &schema.entry {
            for Entry { key, value, .. } in entries.iter().filter(|entry| !entry.value.is_null()) {
                self.value(&format!("{path}.{key}"), value, entry, scope);
            }
        }
        true
    }

    /// A data type; one that is not known is not looked into.
    fn structure(&mut self, path: &str, node: &Node, name: &str, scope: Scope<'_>) -> bool {
        let Some(data_type) = scope.find(name) else { return true };
        let fields = scope.fields(data_type);
        if fields.is_empty() {
            if let Some(simple) = data_type.derived_from.as_deref()
                && matches!(simple, "string" | "integer" | "float" | "boolean" | "timestamp")
            {
                let schema =
                    Schema { type_name: simple.into(), constraints: Vec::new(), entry: None };
                self.value(path, node, &schema, scope);
            }
            self.constraints(path, node, &data_type.constraints);
            return true;
        }
        if node.entries().is_none() {
            return false;
        }
        let known: Vec<&str> = fields.iter().map(|field| &*field.name).collect();
        for field in fields {
            self.member(path, node, field, scope);
        }
        self.unknown(path, "data type", node, &known);
        self.constraints(path, node, &data_type.constraints);
        true
    }
}

fn is_boolean(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Boolean(_) => true,
        NodeKind::Text(text) => {
            text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false")
        }
        _ => false,
    }
}

fn expected(schema: &Schema) -> String {
    match (&*schema.type_name, &schema.entry) {
        ("string", _) => "text".into(),
        ("integer", _) => "an integer".into(),
        ("float", _) => "a number".into(),
        ("boolean", _) => "true or false".into(),
        ("timestamp", _) => "a date and time such as 2025-06-01T08:00:00Z".into(),
        (list @ ("list" | "map"), Some(entry)) => format!("a {list} of {}", entry.type_name),
        (list @ ("list" | "map"), None) => format!("a {list}"),
        (name, _) => format!("a map as `{name}` has it"),
    }
}
