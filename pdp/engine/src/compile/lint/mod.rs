//! What is legal in a policy, but surely not meant. Only what holds for every request is said: a
//! warning that might be wrong is none.
//!
//! A policy is walked with the code that it was lowered to, which has its types checked and its
//! constants folded.

mod constant;
mod outcome;
mod target;

use crate::combine::Algorithm;
use crate::error::{Diagnostic, Position, Severity};
use crate::model::{Child, Effect, Notice, NoticeKind, Policy, Rule};
use crate::program::code::{ChildNode, Code, ExpressionNode, Span};
use crate::program::segment::Frame;

use constant::{Constant, Constants};
use outcome::{Outcome, ends};

/// The warnings of a policy that has no errors.
pub(super) fn lint(policy: &Policy, source: &str, lowered: (&Code, &Frame)) -> Vec<Diagnostic> {
    let (code, frame) = lowered;
    let constants = Constants::new(code, frame);
    let mut lint = Lint { code, frame, constants, source, policy: &policy.id, found: Vec::new() };
    lint.policy(policy, 0);
    lint.found
}

struct Lint<'l> {
    code: &'l Code,
    frame: &'l Frame,
    constants: Constants<'l>,
    source: &'l str,
    policy: &'l str,
    found: Vec<Diagnostic>,
}

impl<'l> Lint<'l> {
    fn warn(&mut self, code: &'static str, position: Position, message: String) {
        self.found.push(Diagnostic {
            severity: Severity::Warning,
            code,
            message,
            position,
            policy: self.policy.to_owned(),
            document: self.source.to_owned(),
        });
    }

    fn policy(&mut self, policy: &'l Policy, number: u32) -> Outcome {
        let node = self.code.policies[number as usize];
        let never = self.target(&policy.target, node.target);
        let mut children = Vec::with_capacity(policy.children.len());
        let mut ended: Option<String> = None;
        let nodes = node.children.of(&self.code.children);
        for (child, node_of_child) in policy.children.iter().zip(nodes) {
            if let Some(by) = &ended {
                let (what, position) = described(child);
                let message = format!("{what} is never reached: {by}");
                self.warn("unreachable", position, message);
            }
            let outcome = match (child, node_of_child) {
                (Child::Rule(rule), ChildNode::Rule(number)) => self.rule(rule, *number),
                (Child::Policy(nested), ChildNode::Policy(number)) => self.policy(nested, *number),
                _ => Outcome::ANY,
            };
            if ended.is_none() && ends(node.combining, outcome) {
                ended = Some(why_ended(child, node.combining));
            }
            children.push(outcome);
        }
        let certain = self.certain_notices(node.notices);
        let outcome = if never {
            Outcome::NEVER
        } else {
            Outcome::of_policy(node.combining, &children, node.target == Span::default(), certain)
        };
        if !never {
            self.notices(&policy.notices, outcome, "this policy");
        }
        outcome
    }

    fn rule(&mut self, rule: &'l Rule, number: u32) -> Outcome {
        let node = self.code.rules[number as usize];
        let mut never = rule.target.as_ref().is_some_and(|target| self.target(target, node.target));
        let constant = node.condition.and_then(|condition| self.constants.of(condition));
        if let (Some(constant), Some(condition)) = (constant, &rule.condition) {
            let id = &rule.id;
            let says = match constant {
                Constant::True => {
                    format!("the condition of rule `{id}` is always true: it can be left out")
                }
                Constant::False => {
                    never = true;
                    format!("the condition of rule `{id}` is always false: the rule never applies")
                }
                Constant::Errs => {
                    format!("the condition of rule `{id}` can never be evaluated: it always errs")
                }
            };
            self.warn("condition-constant", condition.position(), says);
        }
        if never {
            return Outcome::NEVER;
        }
        let effects = Outcome::of_effect(rule.effect);
        self.notices(&rule.notices, effects, "this rule");
        let applies = node.target == Span::default();
        let always = applies && (node.condition.is_none() || constant.is_some());
        let takes_effect = node.condition.is_none() || constant == Some(Constant::True);
        let certain =
            (always && takes_effect && self.certain_notices(node.notices)).then_some(rule.effect);
        effects.with(always, certain)
    }

    /// Whether obligations and advice cannot err: all their values are literals.
    fn certain_notices(&self, notices: Span) -> bool {
        notices.of(&self.code.notices).iter().all(|notice| {
            notice.assignments.of(&self.code.assignments).iter().all(|assignment| {
                let value = self.code.expression(assignment.expression);
                matches!(value, ExpressionNode::Literal(_))
            })
        })
    }

    /// Obligations and advice for a decision that is never taken.
    fn notices(&mut self, notices: &[Notice], outcome: Outcome, of: &str) {
        for notice in notices {
            if outcome.can_be(notice.effect) {
                continue;
            }
            let (what, attribute) = match notice.kind {
                NoticeKind::Obligation => ("obligation", "FulfillOn"),
                NoticeKind::Advice => ("advice", "AppliesTo"),
            };
            let message = format!(
                "{what} `{}` is never returned: its {attribute} is {}, which {of} never decides",
                notice.id,
                name(notice.effect)
            );
            self.warn("never-returned", notice.position, message);
        }
    }
}

const fn name(effect: Effect) -> &'static str {
    match effect {
        Effect::Permit => "Permit",
        Effect::Deny => "Deny",
    }
}

fn described(child: &Child) -> (String, Position) {
    match child {
        Child::Rule(rule) => (format!("rule `{}`", rule.id), rule.position),
        Child::Policy(policy) => (format!("policy `{}`", policy.id), policy.position),
        Child::Reference(reference) => {
            (format!("the reference to `{}`", reference.id), reference.position)
        }
    }
}

fn why_ended(child: &Child, combining: Algorithm) -> String {
    let (what, _) = described(child);
    match combining {
        Algorithm::FirstApplicable => {
            format!("{what} before it always applies, and the first that applies decides")
        }
        _ => format!("{what} before it always applies, and its effect decides"),
    }
}
