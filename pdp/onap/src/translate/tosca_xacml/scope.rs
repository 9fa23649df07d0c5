//! The policy that is read, and where its problems go.

use pdp_engine::error::Position;
use pdp_engine::model::Effect;

use crate::problem::{Problem, did_you_mean};
use crate::tosca::{Node, ToscaPolicy};

/// What ONAP says whatever is wrong.
const INVALID: &str = "POLICY-500: Invalid PolicySet structure";

pub(super) struct Scope<'p, 'r> {
    policy: &'p ToscaPolicy,
    problems: &'r mut Vec<Problem>,
}

impl<'p, 'r> Scope<'p, 'r> {
    pub(super) fn new(policy: &'p ToscaPolicy, problems: &'r mut Vec<Problem>) -> Self {
        Self { policy, problems }
    }

    /// The name of the policy set.
    pub(super) fn name(&self) -> &'p str {
        &self.policy.name
    }

    pub(super) fn refuse(&mut self, path: &str, at: Position, message: impl Into<String>) {
        let problem = Problem::error("native-policy", &self.policy.name, path, at, message);
        self.problems.push(problem.onap_says(INVALID));
    }

    pub(super) fn warn(&mut self, path: &str, at: Position, message: impl Into<String>) {
        let problem = Problem::error("native-policy", &self.policy.name, path, at, message);
        self.problems.push(problem.warning());
    }

    /// A member that must be there.
    pub(super) fn required<'n>(
        &mut self,
        path: &str,
        node: &'n Node,
        key: &str,
        expected: &str,
    ) -> Option<&'n Node> {
        let entries = self.map(path, node)?;
        let found = node.present(key);
        if found.is_none() {
            let hint = did_you_mean(key, entries.iter().map(|entry| &*entry.key));
            let message = format!("is missing: expected {expected}{hint}");
            self.refuse(&format!("{path}.{key}"), node.position, message);
        }
        found
    }

    /// A text that must be there and not be empty.
    pub(super) fn required_text(
        &mut self,
        path: &str,
        node: &Node,
        key: &str,
        expected: &str,
    ) -> Option<String> {
        let found = self.required(path, node, key, expected)?;
        self.text(&format!("{path}.{key}"), found, expected)
    }

    /// The text of a scalar that must not be empty.
    pub(super) fn text(&mut self, path: &str, node: &Node, expected: &str) -> Option<String> {
        match node.scalar_text() {
            Some(text) if !text.is_empty() => Some(text.into_owned()),
            _ => {
                let message = format!("expected {expected}, found {}", node.found());
                self.refuse(path, node.position, message);
                None
            }
        }
    }

    pub(super) fn map<'n>(
        &mut self,
        path: &str,
        node: &'n Node,
    ) -> Option<&'n [crate::tosca::Entry]> {
        let entries = node.entries();
        if entries.is_none() {
            let message = format!("expected a map, found {}", node.found());
            self.refuse(path, node.position, message);
        }
        entries
    }

    /// The items of a list, each with the way to it.
    pub(super) fn items<'n>(
        &mut self,
        path: &str,
        node: &'n Node,
        what: &str,
    ) -> Vec<(String, &'n Node)> {
        match node.items() {
            Some(items) => {
                items.iter().enumerate().map(|(at, item)| (format!("{path}[{at}]"), item)).collect()
            }
            None => {
                let message = format!("expected a list of {what}, found {}", node.found());
                self.refuse(path, node.position, message);
                Vec::new()
            }
        }
    }

    /// What a decision reads. ONAP takes everything but `Deny` for Permit.
    pub(super) fn effect(&mut self, path: &str, node: &Node, text: &str) -> Effect {
        let effect = super::effect(text);
        if effect == Effect::Permit && !text.eq_ignore_ascii_case("permit") {
            let message = format!("`{text}` reads Permit: expected Permit or Deny");
            self.warn(path, node.position, message);
        }
        effect
    }
}
