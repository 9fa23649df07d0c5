//! ToscaXacml: XACML policy sets in a dialect of YAML.
//!
//! | module | question it answers |
//! |---|---|
//! | this | what does a set hold, and what do its policies? |
//! | [`rule`] | what does a rule say? |
//! | [`target`] | what does a policy or rule apply to? |
//! | [`call`] | how does `apply` become a function call? |
//! | [`formula`] | how does `expr` become one? |
//! | [`operator`] | which functions and algorithms do the dialect's names stand for? |
//! | [`scope`] | where do problems go? |

mod call;
mod formula;
mod operator;
mod rule;
mod scope;
mod target;

use pdp_engine::model::{Child, Effect, Identifier, Policy, PolicyKind, PolicyReference, Version};

use super::build;
use crate::ids;
use crate::problem::Problem;
use crate::tosca::{Node, ToscaPolicy};
use operator::Combining;
use scope::Scope;

/// First-applicable over the references and then the policies, for requests of the set's `action`.
///
/// Without `action` ONAP's set has no target, which its engine refuses to load; here it applies to
/// every request.
pub(crate) fn translate(policy: &ToscaPolicy, problems: &mut Vec<Problem>) -> Option<Policy> {
    let at = policy.position;
    let translated = build::policy(policy, ids::combining::POLICY_FIRST_APPLICABLE, problems);
    let mut scope = Scope::new(policy, problems);
    let Some(properties) = &policy.properties else {
        scope.refuse("properties", at, "is missing: expected `policies`");
        return None;
    };
    let mut set = translated?;
    set.kind = PolicyKind::PolicySet;
    let noted = |key: &str| policy.metadata.iter().find(|entry| &*entry.key == key);
    set.description = noted("description")
        .and_then(|entry| entry.value.scalar_text())
        .map(std::borrow::Cow::into_owned)
        .or(set.description);
    if let Some(action) = noted("action").map(|entry| &entry.value).filter(|node| !node.is_null()) {
        let text = scope.text("metadata.action", action, "the name of an action")?;
        set.target = build::target_all(vec![target::on_action(&text, action.position)], at);
    }
    let references = properties.present("policySetIdRefs");
    if let Some(node) = references {
        for (path, node) in scope.items("properties.policySetIdRefs", node, "references") {
            set.children.extend(reference(&mut scope, &path, node));
        }
    }
    match properties.present("policies") {
        Some(node) => {
            let policies = scope.items("properties.policies", node, "policies");
            for (number, (path, node)) in policies.into_iter().enumerate() {
                set.children.extend(inner(&mut scope, &path, node, number + 1, &set.version));
            }
        }
        None if references.is_none() => {
            scope.refuse(
                "properties.policies",
                properties.position,
                "is missing: expected a list of policies",
            );
        }
        None => {}
    }
    Some(set)
}

/// `{id, version}`: the policy set of exactly that version.
fn reference(scope: &mut Scope<'_, '_>, path: &str, node: &Node) -> Option<Child> {
    let id = scope.required_text(path, node, "id", "the identifier of a policy set");
    let version = scope.required_text(path, node, "version", "its version");
    let (id, version) = id.zip(version)?;
    match version.parse() {
        Ok(pattern) => Some(Child::Reference(PolicyReference {
            kind: PolicyKind::PolicySet,
            id,
            version: Some(pattern),
            earliest: None,
            latest: None,
            // As in ONAP, the set may come later, or go.
            late: true,
            position: node.position,
        })),
        Err(message) => {
            scope.refuse(&format!("{path}.version"), node.position, message);
            None
        }
    }
}

/// A policy of the set.
fn inner(
    scope: &mut Scope<'_, '_>,
    path: &str,
    node: &Node,
    number: usize,
    of_set: &Version,
) -> Option<Child> {
    let properties = scope.required(path, node, "properties", "a map with `rules`")?;
    let inside = format!("{path}.properties");
    scope.map(&inside, properties)?;
    let metadata = node.present("metadata");
    let noted = |key: &str| metadata.and_then(|it| it.present(key)).and_then(Node::scalar_text);
    let id = noted("policy-id")
        .map_or_else(|| format!("{}:policy:{number}", scope.name()), std::borrow::Cow::into_owned);
    let version = match noted("policy-version").map(|text| text.parse::<Version>()) {
        None => of_set.clone(),
        Some(Ok(version)) => version,
        Some(Err(message)) => {
            scope.refuse(&format!("{path}.metadata.policy-version"), node.position, message);
            return None;
        }
    };
    let combining = match properties.present("combiningAlgo") {
        Some(named) => combining(scope, &format!("{inside}.combiningAlgo"), named)?,
        None => Combining::Rules(ids::combining::FIRST_APPLICABLE),
    };
    let of_policy = match properties.present("target") {
        Some(node) => target::read(scope, &format!("{inside}.target"), node)?,
        None => build::target_all(Vec::new(), properties.position),
    };
    let rules = scope.required(&inside, properties, "rules", "a list of rules")?;
    let mut children = Vec::new();
    for (at, (path, node)) in
        scope.items(&format!("{inside}.rules"), rules, "rules").into_iter().enumerate()
    {
        children.extend(rule::read(scope, &path, node, format!("{id}:rule:{}", at + 1)));
    }
    if let Some(default) = properties.present("default") {
        let text = scope.text(&format!("{inside}.default"), default, "Permit or Deny")?;
        let effect = scope.effect(&format!("{inside}.default"), default, &text);
        children.push(build::rule(format!("{id}:default"), effect, None, default.position));
    }
    let mut policy = Policy {
        kind: PolicyKind::Policy,
        id,
        version,
        description: noted("description")
            .or_else(|| properties.present("description").and_then(Node::scalar_text))
            .map(std::borrow::Cow::into_owned),
        issuer: None,
        xpath_version: None,
        target: of_policy,
        combining: Identifier::default(),
        children: Vec::new(),
        variables: Vec::new(),
        notices: Vec::new(),
        position: node.position,
        combining_position: node.position,
    };
    match combining {
        Combining::Rules(id) => {
            policy.combining = id.into();
            policy.children = children.into_iter().map(Child::Rule).collect();
        }
        Combining::OnlyOne(id) => {
            policy.combining = id.into();
            only_one(&mut policy, children);
        }
    }
    Some(Child::Policy(Box::new(policy)))
}

fn combining(scope: &mut Scope<'_, '_>, path: &str, node: &Node) -> Option<Combining> {
    let text = scope.text(path, node, "the name of a combining algorithm")?;
    let found = operator::combining(&text);
    if found.is_none() {
        let message = format!(
            "`{text}` is no combining algorithm: expected one of {}",
            operator::combining_names().join(", ")
        );
        scope.refuse(path, node.position, message);
    }
    found
}

/// Only-one-applicable combines policies, not rules: each rule becomes a policy of its own target.
fn only_one(policy: &mut Policy, rules: Vec<pdp_engine::model::Rule>) {
    policy.kind = PolicyKind::PolicySet;
    for mut rule in rules {
        let at = rule.position;
        let target = rule.target.take().unwrap_or_else(|| build::target_all(Vec::new(), at));
        policy.children.push(Child::Policy(Box::new(Policy {
            kind: PolicyKind::Policy,
            id: format!("{}:alone", rule.id),
            version: policy.version.clone(),
            description: None,
            issuer: None,
            xpath_version: None,
            target,
            combining: ids::combining::FIRST_APPLICABLE.into(),
            children: vec![Child::Rule(rule)],
            variables: Vec::new(),
            notices: Vec::new(),
            position: at,
            combining_position: at,
        })));
    }
}

/// What `Deny`, in upper or lower case, and any other text mean as a decision.
fn effect(text: &str) -> Effect {
    if text.eq_ignore_ascii_case("deny") { Effect::Deny } else { Effect::Permit }
}
