//! An explanation as text for people and as JSON for tools.

use std::fmt::{self, Write};

use serde_json::{Map, Value as Json, json};

use super::trace::{Explanation, Step, Subject};
use crate::combine::{Applicability, Verdict};
use crate::model::{Effect, PolicyKind};

const fn decided(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Permit => "Permit",
        Verdict::Deny => "Deny",
        Verdict::NotApplicable => "NotApplicable",
        Verdict::IndeterminateP => "Indeterminate (could have been Permit)",
        Verdict::IndeterminateD => "Indeterminate (could have been Deny)",
        Verdict::IndeterminateDP => "Indeterminate (could have been Permit or Deny)",
        Verdict::Pending => "Pending",
    }
}

const fn kind(subject: &Subject) -> &'static str {
    match subject {
        Subject::Policy(PolicyKind::Policy, _) => "policy",
        Subject::Policy(PolicyKind::PolicySet, _) => "policy set",
        Subject::Rule(_) => "rule",
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let left_out = self.policies.saturating_sub(self.proposed);
        writeln!(
            f,
            "{} could apply; {left_out} cannot match this request",
            count(self.proposed, "policy", "policies")
        )?;
        self.steps.iter().try_for_each(|step| write_step(f, step, 1))
    }
}

fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

fn write_step(f: &mut fmt::Formatter<'_>, step: &Step, depth: usize) -> fmt::Result {
    let indent = "  ".repeat(depth);
    write!(f, "{indent}{} {}", kind(&step.subject), step.id)?;
    if let Subject::Policy(_, version) = &step.subject {
        write!(f, " {version}")?;
    }
    write!(f, " => {}", decided(step.verdict))?;
    if step.position.line > 0 {
        write!(f, "  ({}:{})", step.source, step.position)?;
    }
    writeln!(f)?;
    for reason in reasons(step) {
        writeln!(f, "{indent}  - {reason}")?;
    }
    step.children.iter().try_for_each(|child| write_step(f, child, depth + 1))
}

/// Why a step has its value, in words.
fn reasons(step: &Step) -> Vec<String> {
    let mut reasons = Vec::new();
    match step.target {
        Some(Applicability::Match) => reasons.push("its target matches the request".to_owned()),
        Some(Applicability::NoMatch) => {
            reasons.push("its target does not match the request".to_owned());
        }
        Some(Applicability::Indeterminate) => {
            reasons.push("whether its target matches cannot be told".to_owned());
        }
        Some(Applicability::Pending) | None => {}
    }
    if let Subject::Rule(effect) = step.subject {
        let would = match effect {
            Effect::Permit => "permits",
            Effect::Deny => "denies",
        };
        match step.condition {
            Some(Some(true)) => reasons.push(format!("its condition holds, so it {would}")),
            Some(Some(false)) => reasons.push("its condition does not hold".to_owned()),
            Some(None) => reasons.push("its condition cannot be evaluated".to_owned()),
            None if step.verdict.effect().is_some() => {
                reasons.push(format!("it has no condition, so it {would}"));
            }
            None => {}
        }
    }
    for id in &step.missing {
        reasons.push(format!("the request lacks the attribute {id}"));
    }
    if let Some(message) = &step.message {
        reasons.push(message.clone());
    }
    if step.left_out > 0 {
        let mut text = count(step.left_out, "child", "children");
        // Writing into a string does not fail.
        let _ = write!(text, " left out, since their targets cannot match");
        reasons.push(text);
    }
    reasons
}

impl Explanation {
    /// The explanation as JSON: an object with `policies`, `proposed` and `steps`.
    pub fn to_json(&self) -> Json {
        json!({
            "policies": self.policies,
            "proposed": self.proposed,
            "steps": self.steps.iter().map(step_json).collect::<Vec<_>>(),
        })
    }
}

fn step_json(step: &Step) -> Json {
    let mut object = Map::new();
    object.insert("kind".into(), kind(&step.subject).into());
    object.insert("id".into(), step.id.as_str().into());
    match &step.subject {
        Subject::Policy(_, version) => object.insert("version".into(), version.as_str().into()),
        Subject::Rule(Effect::Permit) => object.insert("effect".into(), "Permit".into()),
        Subject::Rule(Effect::Deny) => object.insert("effect".into(), "Deny".into()),
    };
    object.insert("decision".into(), decided(step.verdict).into());
    if step.position.line > 0 {
        object.insert("source".into(), step.source.as_str().into());
        object.insert("line".into(), step.position.line.into());
        object.insert("column".into(), step.position.column.into());
    }
    let target = step.target.map(|target| match target {
        Applicability::Match => "match",
        Applicability::NoMatch => "no match",
        Applicability::Indeterminate => "indeterminate",
        Applicability::Pending => "pending",
    });
    if let Some(target) = target {
        object.insert("target".into(), target.into());
    }
    if let Some(condition) = step.condition {
        object.insert("condition".into(), condition.map_or("indeterminate".into(), Json::from));
    }
    if !step.missing.is_empty() {
        object.insert("missing".into(), step.missing.clone().into());
    }
    if let Some(message) = &step.message {
        object.insert("message".into(), message.as_str().into());
    }
    if step.left_out > 0 {
        object.insert("leftOut".into(), step.left_out.into());
    }
    if !step.children.is_empty() {
        let children: Vec<Json> = step.children.iter().map(step_json).collect();
        object.insert("children".into(), children.into());
    }
    Json::Object(object)
}
