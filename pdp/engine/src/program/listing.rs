//! A program as text, for golden listings and for people who want to see what compile made.
//!
//! A listing names attributes and literals in full and holds no number of a slot, a segment or a
//! node: a policy prints the same in whatever format it was written and whatever stands beside it.

use std::fmt::{self, Write};

use super::Program;
use super::code::{ChildNode, Code, ExpressionId, ExpressionNode, Lit, NoticeNode, Span, Test};
use super::segment::{Instance, Segment};
use super::slots::SlotId;
use crate::model::{Effect, NoticeKind, PolicyKind};
use crate::value::{Arena, Value};

/// Prints every policy of the program, in the order of their evaluation.
pub fn listing(program: &Program) -> String {
    let mut instances: Vec<(&Segment, &Instance)> = program.instances().collect();
    instances.sort_by_key(|(_, instance)| instance.sequence);
    let mut out = format!("combine {:?}\n", program.root.combining);
    for (segment, instance) in instances {
        let code = segment.code(instance);
        let mut printer = Printer { program, segment, instance, code, out: String::new() };
        // Writing into a string does not fail.
        let _ = printer.policy(0, 0);
        out.push_str(&printer.out);
    }
    out
}

struct Printer<'p> {
    program: &'p Program,
    segment: &'p Segment,
    instance: &'p Instance,
    code: &'p Code,
    out: String,
}

/// The last part of an identifier; enough to recognise it, short enough to read.
fn short(id: &str) -> &str {
    id.rsplit([':', '#', '/']).next().unwrap_or(id)
}

const fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Permit => "permit",
        Effect::Deny => "deny",
    }
}

impl<'p> Printer<'p> {
    fn text(&self, lit: Lit) -> &'p str {
        self.segment.text(self.instance, lit)
    }

    fn line(&mut self, depth: usize, text: fmt::Arguments<'_>) -> fmt::Result {
        for _ in 0..depth {
            self.out.push_str("  ");
        }
        self.out.write_fmt(text)?;
        self.out.push('\n');
        Ok(())
    }

    fn policy(&mut self, number: u32, depth: usize) -> fmt::Result {
        let node = self.code.policies[number as usize];
        let kind = match node.kind {
            PolicyKind::Policy => "policy",
            PolicyKind::PolicySet => "policy-set",
        };
        let version = self.segment.version(self.instance, node.version);
        let (id, combining) = (self.text(node.id), node.combining);
        self.line(depth, format_args!("{kind} {id:?} {version} {combining:?}"))?;
        self.target(node.target, depth + 1)?;
        for child in node.children.of(&self.code.children) {
            match child {
                ChildNode::Rule(rule) => self.rule(*rule, depth + 1)?,
                ChildNode::Policy(policy) => self.policy(*policy, depth + 1)?,
                ChildNode::Reference(reference) => self.reference(*reference, depth + 1)?,
            }
        }
        self.notices(node.notices, depth + 1)
    }

    fn reference(&mut self, reference: u32, depth: usize) -> fmt::Result {
        let number = self.segment.reference_number(self.instance, reference);
        let reference = &self.segment.references()[number as usize];
        let kind = match reference.kind {
            PolicyKind::Policy => "policy",
            PolicyKind::PolicySet => "policy-set",
        };
        let mut text = format!("reference {kind} {:?}", reference.id);
        for (name, pattern) in [
            ("version", &reference.version),
            ("earliest", &reference.earliest),
            ("latest", &reference.latest),
        ] {
            if let Some(pattern) = pattern {
                write!(text, " {name} {pattern}")?;
            }
        }
        self.line(depth, format_args!("{text}"))
    }

    fn rule(&mut self, number: u32, depth: usize) -> fmt::Result {
        let node = self.code.rules[number as usize];
        self.line(depth, format_args!("rule {:?} {}", self.text(node.id), effect(node.effect)))?;
        self.target(node.target, depth + 1)?;
        if let Some(condition) = node.condition {
            let text = self.expression(condition)?;
            self.line(depth + 1, format_args!("if {text}"))?;
        }
        self.notices(node.notices, depth + 1)
    }

    fn target(&mut self, target: Span, depth: usize) -> fmt::Result {
        for any_of in target.of(&self.code.any_of) {
            let mut text = String::new();
            for (number, all_of) in any_of.of(&self.code.all_of).iter().enumerate() {
                text.push_str(if number > 0 { " or (" } else { "(" });
                for (number, node) in all_of.of(&self.code.matches).iter().enumerate() {
                    if number > 0 {
                        text.push_str(" and ");
                    }
                    let literal = self.literal(node.literal);
                    let bag = self.expression(node.bag)?;
                    match node.test {
                        Test::Equal => write!(text, "{literal} = {bag}")?,
                        Test::Order(order) => write!(text, "{literal} {order:?} {bag}")?,
                        Test::Call(row) | Test::Pattern(row, _) => {
                            write!(text, "{}({literal}, {bag})", short(row.0.id))?;
                        }
                    }
                }
                text.push(')');
            }
            self.line(depth, format_args!("target {text}"))?;
        }
        Ok(())
    }

    fn notices(&mut self, notices: Span, depth: usize) -> fmt::Result {
        for node in notices.of(&self.code.notices) {
            self.notice(*node, depth)?;
        }
        Ok(())
    }

    fn notice(&mut self, node: NoticeNode, depth: usize) -> fmt::Result {
        let kind = match node.kind {
            NoticeKind::Obligation => "obligation",
            NoticeKind::Advice => "advice",
        };
        self.line(
            depth,
            format_args!("{kind} {:?} on {}", self.text(node.id), effect(node.effect)),
        )?;
        for assignment in node.assignments.of(&self.code.assignments) {
            let mut name = format!("{:?}", self.text(assignment.attribute_id));
            if let Some(category) = assignment.category {
                write!(name, " in {:?}", self.text(category))?;
            }
            if let Some(issuer) = assignment.issuer {
                write!(name, " by {:?}", self.text(issuer))?;
            }
            let value = self.expression(assignment.expression)?;
            self.line(depth + 1, format_args!("{name} := {value}"))?;
        }
        Ok(())
    }

    fn literal(&self, lit: Lit) -> String {
        print(&self.segment.literal(self.instance, lit))
    }

    fn attribute(&self, slot: SlotId, must_be_present: bool) -> String {
        let name = &self.program.slots.slot(slot).name;
        let mut text =
            format!("<{} {} {}", short(&name.category), name.id, name.data_type.short_name());
        if let Some(issuer) = &name.issuer {
            text.push_str(" by ");
            text.push_str(issuer);
        }
        text.push_str(if must_be_present { " !>" } else { ">" });
        text
    }

    fn call(&self, name: &str, arguments: Span) -> Result<String, fmt::Error> {
        let mut text = format!("{name}(");
        for (number, argument) in arguments.of(&self.code.arguments).iter().enumerate() {
            if number > 0 {
                text.push_str(", ");
            }
            text.push_str(&self.expression(*argument)?);
        }
        text.push(')');
        Ok(text)
    }

    fn expression(&self, id: ExpressionId) -> Result<String, fmt::Error> {
        Ok(match self.code.expression(id) {
            ExpressionNode::Literal(lit) => self.literal(lit),
            ExpressionNode::Designator { slot, must_be_present } => {
                self.attribute(slot, must_be_present)
            }
            ExpressionNode::OneAndOnly { slot, must_be_present } => {
                format!("the-one {}", self.attribute(slot, must_be_present))
            }
            // A variable prints as what it stands for.
            ExpressionNode::Variable(number) => {
                format!("let {}", self.expression(self.code.variables[number as usize])?)
            }
            ExpressionNode::Call { function, arguments } => {
                self.call(short(function.0.id), arguments)?
            }
            ExpressionNode::Equal { arguments } => self.call("equal", arguments)?,
            ExpressionNode::Pattern { function, arguments, .. } => {
                self.call(short(function.0.id), arguments)?
            }
            ExpressionNode::Logic { logic, arguments } => {
                self.call(&format!("{logic:?}"), arguments)?
            }
            ExpressionNode::HigherOrder { function, applied, arguments, .. } => {
                self.call(&format!("{function:?}[{}]", short(applied.0.id)), arguments)?
            }
            ExpressionNode::Selector(at) => {
                let selector = self.segment.selector(self.instance, at);
                let mut text = format!(
                    "<{} content {:?} {}",
                    short(&selector.category),
                    selector.path.path(),
                    selector.data_type.short_name()
                );
                if let Some(context) = selector.context {
                    write!(text, " from {}", self.program.slots.slot(context).name.id)?;
                }
                text.push_str(if selector.must_be_present { " !>" } else { ">" });
                text
            }
            ExpressionNode::XPath { function, arguments } => {
                self.call(&format!("{function:?}"), arguments)?
            }
            ExpressionNode::AccessPermitted { arguments } => {
                self.call("AccessPermitted", arguments)?
            }
            ExpressionNode::Erring { code, message } => {
                format!("error {code:?} {:?}", self.text(message))
            }
        })
    }
}

fn print(value: &Value<'_>) -> String {
    let arena = Arena::new();
    match value.as_string() {
        Some(text) => format!("{text:?}"),
        None => format!("{}:{}", value.data_type().short_name(), value.lexical(&arena)),
    }
}
