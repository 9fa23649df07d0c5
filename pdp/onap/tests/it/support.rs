//! Shared by the tests: reading, and printing models so that expectations are read as text.

use std::fmt::Write;

use pdp_engine::model::{Child, Designator, Effect, Expression, MatchBag, Policy, Target};
use pdp_onap::tosca::{self, Limits, ServiceTemplate, Syntax};
use pdp_onap::translate;

pub(crate) fn yaml(text: &str) -> ServiceTemplate {
    tosca::read(text.as_bytes(), Syntax::Yaml, &Limits::default()).expect("the text is YAML")
}

/// Everything that is wrong with a document and its policies: `line:column: severity: message [code]`.
pub(crate) fn problems(text: &str) -> Vec<String> {
    let template = yaml(text);
    let mut problems = template.problems;
    for policy in &template.policies {
        match translate::translate(policy) {
            Ok(translated) => problems.extend(translated.warnings),
            Err(refused) => problems.extend(refused),
        }
    }
    problems
        .iter()
        .map(|it| format!("{}: {}: {it} [{}]", it.position, it.severity, it.code))
        .collect()
}

/// A document with one policy of a guard type; `properties` in flow style or indented by 8.
pub(crate) fn guard(kind: &str, properties: &str) -> String {
    let family = if kind == "FirstBlocksSecond" { "coordination" } else { "common" };
    format!(
        "topology_template:
  policies:
  - guard.test:
      type: onap.policies.controlloop.guard.{family}.{kind}
      type_version: 1.0.0
      version: 1.2.3
      properties: {properties}
"
    )
}

/// Translates the one policy of a document and prints it.
pub(crate) fn translated(text: &str) -> String {
    let template = yaml(text);
    assert_eq!(template.problems, []);
    let translated = translate::translate(&template.policies[0]).expect("the policy is complete");
    print(&translated.policy)
}

pub(crate) fn print(policy: &Policy) -> String {
    let mut out = format!("policy {} {} {}\n", policy.id, policy.version, short(&policy.combining));
    target("", &policy.target, &mut out);
    for variable in &policy.variables {
        writeln!(out, "{} = {}", variable.id, expression(&variable.expression)).expect("memory");
    }
    for child in &policy.children {
        let Child::Rule(rule) = child else { panic!("only rules are expected") };
        let effect = if rule.effect == Effect::Permit { "Permit" } else { "Deny" };
        writeln!(out, "{effect} {}", rule.id).expect("memory");
        if let Some(of_rule) = &rule.target {
            target("  ", of_rule, &mut out);
        }
        if let Some(condition) = &rule.condition {
            writeln!(out, "  if {}", expression(condition)).expect("memory");
        }
        for notice in &rule.notices {
            for assignment in &notice.assignments {
                let value = expression(&assignment.expression);
                let id = short(&assignment.attribute_id);
                writeln!(out, "  {} {id} = {value}", short(&notice.id)).expect("memory");
            }
        }
    }
    out
}

fn target(indent: &str, target: &Target, out: &mut String) {
    for any_of in &target.any_of {
        for all_of in &any_of.all_of {
            let matches: Vec<String> = all_of
                .matches
                .iter()
                .map(|it| {
                    let MatchBag::Designator(bag) = &it.bag else { panic!("only attributes") };
                    format!("{}({}, {})", short(&it.function), it.literal.text, designator(bag))
                })
                .collect();
            writeln!(out, "{indent}on {}", matches.join(" & ")).expect("memory");
        }
    }
}

fn expression(it: &Expression) -> String {
    match it {
        Expression::Literal(literal) => literal.text.to_string(),
        Expression::Designator(it) => designator(it),
        Expression::Apply(apply) => {
            let arguments: Vec<String> = apply.arguments.iter().map(expression).collect();
            format!("{}({})", short(&apply.function), arguments.join(", "))
        }
        Expression::Function { id, .. } => short(id).to_owned(),
        Expression::Variable { id, .. } => format!("${id}"),
        Expression::Selector(_) => panic!("no selector is expected"),
    }
}

fn designator(it: &Designator) -> String {
    let mut text = short(&it.attribute_id).to_owned();
    if let Some(issuer) = &it.issuer {
        let issuer = issuer.strip_prefix("urn:org:onap:xacml:guard:").expect("ONAP's prefix");
        write!(text, "@{issuer}").expect("memory");
    }
    text
}

/// The last part of an identifier.
fn short(id: &str) -> &str {
    id.rsplit(':').next().unwrap_or(id)
}
