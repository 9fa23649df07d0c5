//! An explanation as text for people and as JSON for tools.

use std::fmt;

use serde_json::{Map, Value as Json, json};

use super::compared::{Argument, Comparison};
use super::explanation::{Conclusion, Explanation, Step, Story};
use super::subjects::Subject;
use crate::combine::{Applicability, Verdict};
use crate::model::{Decision, Effect};

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

fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

fn place(step: &Step) -> String {
    match step.position.line {
        0 => String::new(),
        _ => format!(" ({}:{})", step.source, step.position),
    }
}

/// The way down to what decided: a policy, the policy in it, and at last the rule.
fn deciding(steps: &[Step], decision: Decision) -> Vec<&Step> {
    let decides = |step: &&Step| match decision {
        Decision::Permit => step.verdict == Verdict::Permit,
        Decision::Deny => step.verdict == Verdict::Deny,
        Decision::NotApplicable => false,
        Decision::Indeterminate => step.verdict.is_indeterminate(),
    };
    let mut way = Vec::new();
    let mut steps = steps;
    while let Some(step) = steps.iter().find(decides) {
        way.push(step);
        steps = &step.children;
    }
    way
}

impl Story {
    /// What decided, in a sentence.
    fn because(&self, conclusion: &Conclusion) -> String {
        let way = deciding(&self.steps, conclusion.decision);
        let why = match (conclusion.decision, &way[..]) {
            (Decision::NotApplicable, _) => "no policy applies".to_owned(),
            (Decision::Indeterminate, [.., last]) => {
                format!("{} `{}` could not be decided{}", last.subject.kind(), last.id, place(last))
            }
            (_, [.., policy, rule]) if matches!(rule.subject, Subject::Rule(_)) => {
                let (rule_id, policy_id) = (&rule.id, &policy.id);
                format!("rule `{rule_id}` of policy `{policy_id}`{}", place(rule))
            }
            (_, [.., last]) => format!(
                "no rule of {} `{}` says so, its algorithm {} does{}",
                last.subject.kind(),
                last.id,
                last.combining.as_deref().unwrap_or("of combining"),
                place(last)
            ),
            (_, []) => format!("no policy says so, the algorithm {} does", self.combining),
        };
        match &conclusion.message {
            Some(message) => format!("{why}: {message}"),
            None => why,
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, story) in self.stories.iter().enumerate() {
            if self.stories.len() > 1 {
                writeln!(f, "decision {} of {}", number + 1, self.stories.len())?;
            }
            write_story(f, story)?;
        }
        Ok(())
    }
}

fn write_story(f: &mut fmt::Formatter<'_>, story: &Story) -> fmt::Result {
    if let Some(conclusion) = &story.conclusion {
        writeln!(f, "{}: {}", conclusion.decision, story.because(conclusion))?;
        for (kind, ids) in [("obligation", &conclusion.obligations), ("advice", &conclusion.advice)]
        {
            if !ids.is_empty() {
                writeln!(f, "with the {kind} {}", ids.join(", "))?;
            }
        }
    }
    if !story.asked.is_empty() {
        let asked: Vec<String> = story.asked.iter().map(ToString::to_string).collect();
        writeln!(f, "asked: {}", asked.join(", "))?;
    } else if story.policies > 0 {
        writeln!(f, "asked: the request holds no attribute that a policy asks for")?;
    }
    writeln!(
        f,
        "{} could apply; {} cannot match this request",
        count(story.proposed, "policy", "policies"),
        story.policies.saturating_sub(story.proposed)
    )?;
    story.steps.iter().try_for_each(|step| write_step(f, step, 1))
}

fn write_step(f: &mut fmt::Formatter<'_>, step: &Step, depth: usize) -> fmt::Result {
    let indent = "  ".repeat(depth);
    write!(f, "{indent}{} {}", step.subject.kind(), step.id)?;
    if let Subject::Policy(_, version) = &step.subject {
        write!(f, " {version}")?;
    }
    writeln!(f, " => {} {}", decided(step.verdict), place(step))?;
    for reason in reasons(step) {
        writeln!(f, "{indent}  - {reason}")?;
    }
    step.children.iter().try_for_each(|child| write_step(f, child, depth + 1))
}

/// Why a step has its value, in words.
fn reasons(step: &Step) -> Vec<String> {
    let mut reasons: Vec<String> = step.compared.iter().map(ToString::to_string).collect();
    match step.target {
        // A target without a test is met by every request.
        Some(Applicability::Match) if step.compared.is_empty() => {}
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
    // An error is told where it arose, not again by what is built on it.
    let told = |message| step.children.iter().any(|child| child.message.as_ref() == Some(message));
    if let Some(message) = &step.message
        && step.missing.is_empty()
        && !told(message)
    {
        reasons.push(message.clone());
    }
    if step.left_out > 0 {
        let children = count(step.left_out, "child", "children");
        reasons.push(format!("{children} left out, since their targets cannot match"));
    }
    if let Some(combining) = &step.combining
        && step.target != Some(Applicability::NoMatch)
    {
        let mut text = format!("combined by {combining}");
        if step.unneeded > 0 {
            text.push_str(&format!("; {} not needed", count(step.unneeded, "child", "children")));
        }
        reasons.push(text);
    }
    reasons
}

impl Explanation {
    /// The explanation as JSON: an object with `decision`, `because`, `asked`, `policies`,
    /// `proposed` and `steps`; where there are several decisions, an object whose `decisions` is a
    /// list of those.
    pub fn to_json(&self) -> Json {
        match &self.stories[..] {
            [story] => story_json(story),
            stories => json!({"decisions": stories.iter().map(story_json).collect::<Vec<_>>()}),
        }
    }
}

fn story_json(story: &Story) -> Json {
    let mut object = Map::new();
    if let Some(conclusion) = &story.conclusion {
        object.insert("decision".into(), conclusion.decision.name().into());
        object.insert("because".into(), story.because(conclusion).into());
        let way: Vec<&str> =
            deciding(&story.steps, conclusion.decision).iter().map(|step| &*step.id).collect();
        object.insert("decidedBy".into(), way.into());
        object.insert("status".into(), conclusion.code.uri().into());
        if let Some(message) = &conclusion.message {
            object.insert("message".into(), message.as_str().into());
        }
        for (key, ids) in [("obligations", &conclusion.obligations), ("advice", &conclusion.advice)]
        {
            if !ids.is_empty() {
                object.insert(key.into(), ids.clone().into());
            }
        }
    }
    let list = |items: Vec<Json>| Json::Array(items);
    object.insert("asked".into(), list(story.asked.iter().map(argument_json).collect()));
    object.insert("policies".into(), story.policies.into());
    object.insert("proposed".into(), story.proposed.into());
    object.insert("combining".into(), story.combining.as_str().into());
    object.insert("steps".into(), list(story.steps.iter().map(step_json).collect()));
    Json::Object(object)
}

fn argument_json(argument: &Argument) -> Json {
    let mut object = Map::new();
    for (key, text) in [
        ("category", &argument.category),
        ("attribute", &argument.attribute),
        ("issuer", &argument.issuer),
        ("call", &argument.call),
    ] {
        if let Some(text) = text {
            object.insert(key.into(), text.as_str().into());
        }
    }
    if let Some(values) = &argument.values {
        object.insert("values".into(), values.clone().into());
    }
    Json::Object(object)
}

fn comparison_json(comparison: &Comparison) -> Json {
    json!({
        "function": comparison.function,
        "arguments": comparison.arguments.iter().map(argument_json).collect::<Vec<_>>(),
        "holds": comparison.holds,
    })
}

fn step_json(step: &Step) -> Json {
    let mut object = Map::new();
    object.insert("kind".into(), step.subject.kind().into());
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
    if let Some(combining) = &step.combining {
        object.insert("combining".into(), combining.as_str().into());
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
    if !step.compared.is_empty() {
        let compared: Vec<Json> = step.compared.iter().map(comparison_json).collect();
        object.insert("compared".into(), compared.into());
    }
    if !step.missing.is_empty() {
        object.insert("missing".into(), step.missing.clone().into());
    }
    if let Some(message) = &step.message {
        object.insert("message".into(), message.as_str().into());
    }
    for (key, number) in [("leftOut", step.left_out), ("notNeeded", step.unneeded)] {
        if number > 0 {
            object.insert(key.into(), number.into());
        }
    }
    if !step.children.is_empty() {
        let children: Vec<Json> = step.children.iter().map(step_json).collect();
        object.insert("children".into(), children.into());
    }
    Json::Object(object)
}
