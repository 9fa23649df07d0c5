//! Whether types fit together: what they are derived from, and what their properties are made of.

use std::sync::Arc;

use pdp_engine::error::Position;

use super::{DataType, MAX_CHAIN, PolicyType, Property, Schema, Scope, Types};
use crate::problem::{Problem, did_you_mean};

/// What TOSCA defines itself.
const SIMPLE: &[&str] = &[
    "string",
    "integer",
    "float",
    "boolean",
    "timestamp",
    "list",
    "map",
    "object",
    "null",
    "range",
    "version",
];

fn is_tosca(name: &str) -> bool {
    SIMPLE.contains(&name) || name.starts_with("tosca.") || name.starts_with("scalar-unit.")
}

/// What is wrong with a type among those that are known.
pub(super) fn policy_type(types: &Types, it: &PolicyType) -> Vec<Problem> {
    let path = format!("policy_types.{}", it.name);
    let mut check = Check {
        scope: Scope { own: &it.data_types, shared: &types.shared },
        entered: Vec::new(),
        problems: Vec::new(),
    };
    check.derivation(types, it, &path);
    check.properties(&path, &it.properties);
    check.problems
}

struct Check<'t> {
    scope: Scope<'t>,
    /// Data types that were looked at.
    entered: Vec<&'t str>,
    problems: Vec<Problem>,
}

impl<'t> Check<'t> {
    fn derivation(&mut self, types: &Types, it: &PolicyType, path: &str) {
        let path = format!("{path}.derived_from");
        let at = it.node.present("derived_from").map_or(it.position, |node| node.position);
        let mut refuse = |message: String| {
            self.problems.push(Problem::error("type-parent", "", &*path, at, message));
        };
        let Some(parent) = it.derived_from.as_deref().filter(|name| !is_tosca(name)) else {
            return;
        };
        if types.parent(parent).is_none() {
            let known = types.iter().map(|known| &*known.name).filter(|known| **known != *it.name);
            let hint = did_you_mean(parent, known);
            return refuse(format!(
                "`{parent}`, from which it is derived, is not known or was refused{hint}"
            ));
        }
        let mut chain: Vec<&PolicyType> = vec![it];
        let mut next = types.parent(parent);
        while let Some(found) = next {
            if chain.iter().any(|known| known.is(found)) {
                let names: Vec<&str> =
                    chain.iter().map(|one| &*one.name).chain([&*found.name]).collect();
                return refuse(format!("it is derived from itself: {}", names.join(" from ")));
            }
            if chain.len() == MAX_CHAIN {
                return refuse(format!("it is derived over more than {MAX_CHAIN} steps"));
            }
            chain.push(found);
            next = found.derived_from.as_deref().and_then(|name| types.parent(name));
        }
    }

    fn properties(&mut self, path: &str, properties: &'t [Property]) {
        for property in properties {
            let path = format!("{path}.properties.{}.type", property.name);
            self.schema(&path, property.position, &property.schema);
        }
    }

    fn schema(&mut self, path: &str, at: Position, schema: &'t Schema) {
        if let Some(entry) = &schema.entry {
            self.schema(path, at, entry);
        }
        self.named(path, at, &schema.type_name);
    }

    fn named(&mut self, path: &str, at: Position, name: &'t str) {
        if is_tosca(name) || self.entered.contains(&name) {
            return;
        }
        self.entered.push(name);
        let Some(data_type) = self.scope.find(name) else {
            let data_types = self.scope.own.keys().chain(self.scope.shared.keys());
            let known = SIMPLE.iter().copied().chain(data_types.map(Arc::as_ref));
            let hint = did_you_mean(name, known);
            let message = format!("there is no data type `{name}`{hint}");
            let problem = Problem::error("data-type", "", path, at, message);
            return self.problems.push(problem.warning());
        };
        if data_type.broken {
            let message = format!("the data type `{name}` cannot be used");
            self.problems.push(Problem::error("data-type", "", path, at, message));
        }
        self.data_type(name, data_type);
    }

    fn data_type(&mut self, name: &str, data_type: &'t DataType) {
        let path = format!("data_types.{name}");
        if let Some(parent) = data_type.derived_from.as_deref() {
            let of =
                |it: &'t DataType| it.derived_from.as_deref().and_then(|it| self.scope.find(it));
            let mut next = of(data_type);
            let mut steps = 0;
            while let Some(found) = next {
                steps += 1;
                if std::ptr::eq(found, data_type) || steps > MAX_CHAIN {
                    let message = "it is derived from itself";
                    let path = format!("{path}.derived_from");
                    let at = data_type.position;
                    return self.problems.push(Problem::error(
                        "type-parent",
                        "",
                        path,
                        at,
                        message,
                    ));
                }
                next = of(found);
            }
            self.named(&format!("{path}.derived_from"), data_type.position, parent);
        }
        self.properties(&path, &data_type.properties);
    }
}
