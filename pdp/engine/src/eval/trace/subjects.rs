//! The policies and rules of a program, as explanations name them.

use crate::error::Position;
use crate::model::{Effect, PolicyKind};
use crate::program::Program;
use crate::program::segment::{Instance, Segment};

/// What a node of an explanation stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Subject {
    /// A policy or policy set, with its version.
    Policy(PolicyKind, String),
    /// A rule, with the effect it would have.
    Rule(Effect),
}

impl Subject {
    /// What it is, for people.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Policy(PolicyKind::Policy, _) => "policy",
            Self::Policy(PolicyKind::PolicySet, _) => "policy set",
            Self::Rule(_) => "rule",
        }
    }
}

/// A policy or rule that a program holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Listed {
    /// What it is.
    pub subject: Subject,
    /// Its identifier.
    pub id: String,
    /// The document it stands in.
    pub source: String,
    /// Where it stands there.
    pub position: Position,
}

impl Listed {
    pub(super) fn policy(segment: &Segment, instance: &Instance, number: u32) -> Self {
        let node = &segment.code(instance).policies[number as usize];
        let version = segment.version(instance, node.version).to_string();
        let (source, position) = segment.policy_place(instance, number);
        Self {
            subject: Subject::Policy(node.kind, version),
            id: segment.text(instance, node.id).to_owned(),
            source: source.to_owned(),
            position,
        }
    }

    pub(super) fn rule(segment: &Segment, instance: &Instance, number: u32) -> Self {
        let node = &segment.code(instance).rules[number as usize];
        let (source, position) = segment.rule_place(instance, number);
        Self {
            subject: Subject::Rule(node.effect),
            id: segment.text(instance, node.id).to_owned(),
            source: source.to_owned(),
            position,
        }
    }
}

/// Every policy and rule of a program, nested ones included.
pub fn subjects(program: &Program) -> Vec<Listed> {
    let mut all = Vec::new();
    for (segment, instance) in program.instances() {
        let code = segment.code(instance);
        let policies = (0u32..).take(code.policies.len());
        all.extend(policies.map(|number| Listed::policy(segment, instance, number)));
        let rules = (0u32..).take(code.rules.len());
        all.extend(rules.map(|number| Listed::rule(segment, instance, number)));
    }
    all
}
