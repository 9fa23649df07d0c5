//! Reading the properties of a policy, with words for what is missing or of the wrong type.

use pdp_engine::error::Position;

use crate::problem::{Problem, did_you_mean};
use crate::tosca::{Node, ToscaPolicy};

/// A map of properties and the way to it.
pub(super) struct Properties<'p, 'r> {
    policy: &'p ToscaPolicy,
    /// What ONAP calls the structure, such as `Frequency`.
    definition: &'static str,
    path: String,
    node: &'p Node,
    problems: &'r mut Vec<Problem>,
}

impl<'p, 'r> Properties<'p, 'r> {
    /// The properties of a guard policy.
    pub(super) fn of_guard(
        policy: &'p ToscaPolicy,
        definition: &'static str,
        problems: &'r mut Vec<Problem>,
    ) -> Option<Self> {
        let says = format!("no properties specified on guard policy: {}; ", policy.name);
        Self::of(policy, definition, &says, problems)
    }

    /// The properties of a policy; `says` is what ONAP says first where it has none.
    pub(super) fn of(
        policy: &'p ToscaPolicy,
        definition: &'static str,
        says: &str,
        problems: &'r mut Vec<Problem>,
    ) -> Option<Self> {
        let Some(node) = &policy.properties else {
            let message = "is missing: a policy of this type needs properties";
            let says = format!("{says}Cannot decode {definition}Definition from null properties");
            problems.push(
                Problem::error(
                    "property-missing",
                    &policy.name,
                    "properties",
                    policy.position,
                    message,
                )
                .onap_says(says),
            );
            return None;
        };
        Some(Self { policy, definition, path: "properties".to_owned(), node, problems })
    }

    /// A map inside, called `definition` by ONAP.
    pub(super) fn inner<'s>(
        &'s mut self,
        definition: &'static str,
        path: String,
        node: &'p Node,
    ) -> Option<Properties<'p, 's>> {
        if node.entries().is_none() {
            self.wrong_type(&path, node, "a map");
            return None;
        }
        let policy = self.policy;
        Some(Properties { policy, definition, path, node, problems: &mut *self.problems })
    }

    /// The policy that they belong to.
    pub(super) fn policy(&self) -> &'p ToscaPolicy {
        self.policy
    }

    /// Where the map stands.
    pub(super) fn position(&self) -> Position {
        self.node.position
    }

    /// The way to a property.
    pub(super) fn path(&self, name: &str) -> String {
        format!("{}.{name}", self.path)
    }

    /// Warns of properties that the type does not have.
    pub(super) fn known(&mut self, known: &[&str]) {
        for entry in self.node.entries().unwrap_or_default() {
            if !known.contains(&&*entry.key) {
                let hint = did_you_mean(&entry.key, known.iter().copied());
                let message = format!("the type has no property of this name; it is ignored{hint}");
                let path = self.path(&entry.key);
                let problem = Problem::error(
                    "property-unknown",
                    &self.policy.name,
                    path,
                    entry.key_position,
                    message,
                );
                self.problems.push(problem.warning());
            }
        }
    }

    /// A property that may be absent.
    pub(super) fn node(&self, name: &str) -> Option<&'p Node> {
        self.node.present(name)
    }

    /// A property that must be there.
    pub(super) fn required(&mut self, name: &str, expected: &str) -> Option<&'p Node> {
        let found = self.node(name);
        if found.is_none() {
            let at = self.node.get(name).unwrap_or(self.node).position;
            let message = format!("is missing: expected {expected}");
            self.refuse("property-missing", self.path(name), at, message).onap =
                Some(format!("item \"{name}\" value \"null\" INVALID, is null"));
        }
        found
    }

    /// A text that may be absent.
    pub(super) fn text(&mut self, name: &str) -> Option<(String, Position)> {
        let node = self.node(name)?;
        self.as_text(name, node)
    }

    /// A text that must be there and not be blank.
    pub(super) fn required_text(
        &mut self,
        name: &str,
        expected: &str,
    ) -> Option<(String, Position)> {
        let node = self.required(name, expected)?;
        let (text, at) = self.as_text(name, node)?;
        if text.trim().is_empty() {
            let says = format!("item \"{name}\" value \"{text}\" INVALID, is blank");
            let message = format!("is blank: expected {expected}");
            self.refuse("property-value", self.path(name), at, message).onap = Some(says);
            return None;
        }
        Some((text, at))
    }

    fn as_text(&mut self, name: &str, node: &Node) -> Option<(String, Position)> {
        let text = node.scalar_text();
        if text.is_none() {
            self.wrong_type(&self.path(name), node, "text");
        }
        text.map(|text| (text.into_owned(), node.position))
    }

    /// An integer that may be absent.
    pub(super) fn integer(&mut self, name: &str) -> Option<(i64, Position)> {
        let node = self.node(name)?;
        self.as_integer(name, node)
    }

    /// An integer that must be there.
    pub(super) fn required_integer(&mut self, name: &str) -> Option<(i64, Position)> {
        let node = self.required(name, "an integer")?;
        self.as_integer(name, node)
    }

    fn as_integer(&mut self, name: &str, node: &Node) -> Option<(i64, Position)> {
        let value = node.integer();
        if value.is_none() {
            self.wrong_type(&self.path(name), node, "an integer");
        }
        value.map(|value| (value, node.position))
    }

    /// A list that must be there.
    pub(super) fn required_list(&mut self, name: &str, expected: &str) -> Option<&'p [Node]> {
        let node = self.required(name, expected)?;
        let items = node.items();
        if items.is_none() {
            self.wrong_type(&self.path(name), node, expected);
        }
        items
    }

    /// Refuses a value of the wrong type.
    pub(super) fn wrong_type(&mut self, path: &str, node: &Node, expected: &str) {
        let says = format!("Cannot decode {}Definition from properties", self.definition);
        let message = format!("expected {expected}, found {}", node.found());
        self.refuse("property-type", path.to_owned(), node.position, message).onap = Some(says);
    }

    /// Refuses the policy.
    pub(super) fn refuse(
        &mut self,
        code: &'static str,
        path: String,
        at: Position,
        message: impl Into<String>,
    ) -> &mut Problem {
        self.problems.push(Problem::error(code, &self.policy.name, path, at, message));
        self.problems.last_mut().expect("one was pushed")
    }
}
