//! Observers of a decision, and the one that explains it.

use crate::combine::{Applicability, Verdict};
use crate::error::Position;
use crate::finder::AttributeName;
use crate::model::{Effect, PolicyKind, Status};
use crate::program::segment::{Instance, Segment};

/// Is told how a decision is taken. Every method does nothing unless it is written, so that an
/// observer that is absent costs nothing.
pub trait Observer {
    /// A decision begins over `policies`, of which `proposed` are evaluated.
    fn begin(&mut self, _policies: usize, _proposed: usize) {}
    /// A policy begins.
    fn enter_policy(&mut self, _segment: &Segment, _instance: &Instance, _number: u32) {}
    /// A rule begins.
    fn enter_rule(&mut self, _segment: &Segment, _instance: &Instance, _number: u32) {}
    /// The target of what began last.
    fn target(&mut self, _applicability: Applicability) {}
    /// The condition of the rule that began last; none: Indeterminate.
    fn condition(&mut self, _truth: Option<bool>) {}
    /// The index left children out, since their targets cannot match.
    fn left_out(&mut self, _children: usize) {}
    /// An attribute that must be present is not.
    fn missing(&mut self, _name: &AttributeName) {}
    /// What began last ends.
    fn leave(&mut self, _verdict: Verdict, _status: Option<&Status<'_>>) {}
}

/// Nobody watches.
#[derive(Clone, Copy, Debug)]
pub struct Unobserved;

impl Observer for Unobserved {}

/// What a node of an explanation stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A policy or policy set, with its version.
    Policy(PolicyKind, String),
    /// A rule, with the effect it would have.
    Rule(Effect),
}

/// How one policy or rule came to its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// What it is.
    pub subject: Subject,
    /// Its identifier.
    pub id: String,
    /// The document it stands in.
    pub source: String,
    /// Where it stands there.
    pub position: Position,
    /// Whether its target matched; none: it has none.
    pub target: Option<Applicability>,
    /// What its condition was; the inner none: Indeterminate.
    pub condition: Option<Option<bool>>,
    /// Attributes that had to be present and were not.
    pub missing: Vec<String>,
    /// Children left out, since their targets cannot match.
    pub left_out: usize,
    /// Its value.
    pub verdict: Verdict,
    /// Why it is Indeterminate.
    pub message: Option<String>,
    /// What was evaluated in it.
    pub children: Vec<Step>,
}

/// Records a decision as a tree.
#[derive(Clone, Debug, Default)]
pub struct Explanation {
    /// How many policies there are at the top.
    pub policies: usize,
    /// How many of them were evaluated; the others' targets cannot match.
    pub proposed: usize,
    /// Those that were evaluated.
    pub steps: Vec<Step>,
    open: Vec<Step>,
}

impl Explanation {
    fn enter(&mut self, subject: Subject, id: &str, place: (&str, Position)) {
        self.open.push(Step {
            subject,
            id: id.to_owned(),
            source: place.0.to_owned(),
            position: place.1,
            target: None,
            condition: None,
            missing: Vec::new(),
            left_out: 0,
            verdict: Verdict::NotApplicable,
            message: None,
            children: Vec::new(),
        });
    }
}

impl Observer for Explanation {
    fn begin(&mut self, policies: usize, proposed: usize) {
        // Another round tells the whole story again.
        *self = Self { policies, proposed, ..Self::default() };
    }

    fn enter_policy(&mut self, segment: &Segment, instance: &Instance, number: u32) {
        let node = &segment.code(instance).policies[number as usize];
        let version = segment.version(instance, node.version).to_string();
        let id = segment.text(instance, node.id);
        self.enter(Subject::Policy(node.kind, version), id, segment.policy_place(instance, number));
    }

    fn enter_rule(&mut self, segment: &Segment, instance: &Instance, number: u32) {
        let node = &segment.code(instance).rules[number as usize];
        let id = segment.text(instance, node.id);
        self.enter(Subject::Rule(node.effect), id, segment.rule_place(instance, number));
    }

    fn target(&mut self, applicability: Applicability) {
        if let Some(step) = self.open.last_mut() {
            step.target = Some(applicability);
        }
    }

    fn condition(&mut self, truth: Option<bool>) {
        if let Some(step) = self.open.last_mut() {
            step.condition = Some(truth);
        }
    }

    fn left_out(&mut self, children: usize) {
        if let Some(step) = self.open.last_mut() {
            step.left_out = children;
        }
    }

    fn missing(&mut self, name: &AttributeName) {
        if let Some(step) = self.open.last_mut() {
            step.missing.push(name.id.to_string());
        }
    }

    fn leave(&mut self, verdict: Verdict, status: Option<&Status<'_>>) {
        let Some(mut step) = self.open.pop() else { return };
        step.verdict = verdict;
        step.message = status.and_then(|status| status.message).map(str::to_owned);
        match self.open.last_mut() {
            Some(parent) => parent.children.push(step),
            None => self.steps.push(step),
        }
    }
}
