//! Policy types: what the properties of policies are, who inherits what, and whether a policy keeps to
//! its type.
//!
//! | module | question it answers |
//! |---|---|
//! | this | which types are known, and what does a type inherit? |
//! | [`definition`] | what does a definition say? |
//! | [`constraint`] | which values does it allow? |
//! | [`read`] | how is one read from TOSCA? |
//! | [`standard`] | which types are known from the start? |
//! | [`verify`] | do types fit together? |
//! | [`facts`] | what may a definition of a type of the standard not change? |
//! | [`collect`] | what comes of many documents? |
//! | [`validate`] | does a policy keep to its type? |
//! | [`matchable`] | which properties are compared with the request, and as what? |

mod collect;
mod constraint;
mod definition;
mod facts;
pub mod matchable;
mod read;
mod standard;
mod validate;
mod verify;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use collect::{Collected, TypeName};
pub use constraint::Constraint;
pub use definition::{DataType, DataTypes, PolicyType, Property, Schema};

use crate::problem::Problem;
use crate::tosca::{Node, ServiceTemplate, ToscaPolicy};

/// The version of a type that says none, and the one that a child means.
const DEFAULT_VERSION: &str = "1.0.0";
/// How long a chain of derivations may be.
const MAX_CHAIN: usize = 32;

/// The policy types that are known. Cloning shares them.
///
/// ```
/// use pdp_onap::tosca::{self, Limits, Syntax};
/// use pdp_onap::types::Types;
///
/// let text = b"
/// policy_types:
///   com.example.policies.Placement:
///     derived_from: onap.policies.Match
///     version: 1.0.0
///     properties:
///       region: { type: string, metadata: { matchable: true } }
/// ";
/// let template = tosca::read(text, Syntax::Yaml, &Limits::default())?;
/// let mut types = Types::standard().clone();
/// assert!(types.add(&template).is_empty());
/// assert!(types.find("com.example.policies.Placement", "1.0.0").is_some());
/// # Ok::<(), pdp_engine::error::ReadError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Types {
    /// By name, then version.
    policy_types: BTreeMap<Arc<str>, BTreeMap<Arc<str>, Arc<PolicyType>>>,
    /// Data types of documents without policy types: for all types that lack one of their own.
    shared: BTreeMap<Arc<str>, Arc<DataType>>,
}

impl Types {
    /// Those that ONAP ships and the service supports.
    pub fn standard() -> &'static Self {
        standard::types()
    }

    /// Takes the types of a document in. Those of the standard give way to them, if they say the same about
    /// properties.
    ///
    /// Returns what is wrong: what cannot be read, and a type that is known already with other content,
    /// which is then kept as it was. Whether types fit together is asked by [`Types::collect`].
    pub fn add<P>(&mut self, template: &ServiceTemplate<P>) -> Vec<Problem> {
        let mut problems = Vec::new();
        self.take(template, &mut problems);
        problems
    }

    fn take<P>(
        &mut self,
        template: &ServiceTemplate<P>,
        problems: &mut Vec<Problem>,
    ) -> Vec<TypeName> {
        let (policy_types, data_types) = read::document(template, problems);
        if policy_types.is_empty() {
            for (name, data_type) in data_types.iter() {
                match self.shared.get(name) {
                    Some(known) if !known.same(data_type) => problems.push(Problem::error(
                        "conflicting-type",
                        "",
                        format!("data_types.{name}"),
                        data_type.position,
                        "a data type of this name is defined elsewhere with other content: the first one stays",
                    )),
                    _ => drop(self.shared.insert(Arc::clone(name), Arc::clone(data_type))),
                }
            }
        }
        let mut taken = Vec::with_capacity(policy_types.len());
        for policy_type in policy_types {
            match self.find(&policy_type.name, &policy_type.version) {
                Some(known) if known.standard => {
                    if let Some(problem) = facts::differ(known, &policy_type) {
                        problems.push(problem);
                        continue;
                    }
                }
                // ONAP ships some of its types in several documents, with other words.
                Some(known)
                    if known.same(&policy_type) || facts::are_onap_s(known, &policy_type) =>
                {
                    continue;
                }
                Some(_) => {
                    let message = format!(
                        "version {} of this type is defined elsewhere with other content: the first one stays",
                        policy_type.version
                    );
                    let path = format!("policy_types.{}", policy_type.name);
                    let at = policy_type.position;
                    problems.push(Problem::error("conflicting-type", "", path, at, message));
                    continue;
                }
                None => {}
            }
            taken.push((Arc::clone(&policy_type.name), Arc::clone(&policy_type.version)));
            self.insert(Arc::new(policy_type));
        }
        taken
    }

    fn insert(&mut self, policy_type: Arc<PolicyType>) {
        let versions = self.policy_types.entry(Arc::clone(&policy_type.name)).or_default();
        versions.insert(Arc::clone(&policy_type.version), policy_type);
    }

    /// Forgets a type. One of the standard that it stood for is known again.
    pub fn remove(&mut self, name: &str, version: &str) -> Option<Arc<PolicyType>> {
        let versions = self.policy_types.get_mut(name)?;
        let removed = versions.remove(version);
        if versions.is_empty() {
            self.policy_types.remove(name);
        }
        if removed.as_ref().is_some_and(|removed| !removed.standard)
            && let Some(standard) = Self::standard().find(name, version)
        {
            self.insert(Arc::clone(standard));
        }
        removed
    }

    /// The type of this name and version.
    pub fn find(&self, name: &str, version: &str) -> Option<&Arc<PolicyType>> {
        self.policy_types.get(name)?.get(version)
    }

    /// The versions of a type, oldest first.
    pub fn versions(&self, name: &str) -> impl Iterator<Item = &Arc<PolicyType>> {
        let mut found: Vec<_> =
            self.policy_types.get(name).into_iter().flat_map(BTreeMap::values).collect();
        found.sort_by_key(|it| it.version.parse::<pdp_engine::model::Version>().ok());
        found.into_iter()
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<PolicyType>> {
        self.policy_types.values().flat_map(BTreeMap::values)
    }

    /// A type and what it is derived from, nearest first. A parent is meant in version 1.0.0, or in
    /// its latest where there is no such version. What is not known ends the chain.
    pub fn chain(&self, name: &str, version: &str) -> Vec<&Arc<PolicyType>> {
        let mut chain: Vec<&Arc<PolicyType>> = Vec::new();
        let mut next = self.find(name, version);
        while let Some(found) = next {
            if chain.len() == MAX_CHAIN || chain.iter().any(|known| Arc::ptr_eq(known, found)) {
                break;
            }
            chain.push(found);
            next = found.derived_from.as_deref().and_then(|parent| self.parent(parent));
        }
        chain
    }

    /// The type that `derived_from: name` means.
    fn parent(&self, name: &str) -> Option<&Arc<PolicyType>> {
        self.find(name, DEFAULT_VERSION).or_else(|| self.versions(name).last())
    }

    /// The fingerprint of a type with all that it inherits: another one where the definition says
    /// something else. Zero where the type is not known.
    pub fn digest(&self, name: &str, version: &str) -> u64 {
        let chain = self.chain(name, version);
        let all = chain.iter().map(|it| it.digest);
        all.fold(0, |sum, digest| sum.rotate_left(7) ^ digest)
    }

    /// The properties of a type, inherited ones first; one that is defined again counts as the nearest
    /// definition has it.
    fn properties<'t>(&'t self, chain: &[&'t Arc<PolicyType>]) -> Vec<Scoped<'t>> {
        let mut found: Vec<Scoped<'t>> = Vec::new();
        for policy_type in chain.iter().rev() {
            let scope = Scope { own: &policy_type.data_types, shared: &self.shared };
            for property in &policy_type.properties {
                let scoped = Scoped { property, scope, declared_in: policy_type };
                match found.iter_mut().find(|known| known.property.name == property.name) {
                    Some(known) => *known = scoped,
                    None => found.push(scoped),
                }
            }
        }
        found
    }

    /// Everything in which a policy does not keep to its type; nothing where the type is not known.
    ///
    /// Properties that `skip` names are not looked at.
    pub fn validate(
        &self,
        policy: &ToscaPolicy,
        skip: impl Fn(&PolicyType) -> bool,
        problems: &mut Vec<Problem>,
    ) {
        let chain = self.chain(&policy.type_name, &policy.type_version);
        validate::policy(policy, &self.properties(&chain), &skip, problems);
    }

    /// The matchable properties of a type, by name; nothing where the type is not known.
    pub fn matchable(&self, name: &str, version: &str) -> matchable::Matchables<'_> {
        let chain = self.chain(name, version);
        matchable::Matchables::of(self.properties(&chain))
    }
}

/// Where the data types of a property are found.
#[derive(Clone, Copy, Debug)]
struct Scope<'t> {
    own: &'t DataTypes,
    shared: &'t BTreeMap<Arc<str>, Arc<DataType>>,
}

impl<'t> Scope<'t> {
    fn find(self, name: &str) -> Option<&'t DataType> {
        self.own.get(name).or_else(|| self.shared.get(name)).map(|found| &**found)
    }

    /// The fields of a data type, inherited ones first.
    fn fields(self, data_type: &'t DataType) -> Vec<&'t Property> {
        let mut chain = vec![data_type];
        while let Some(parent) =
            chain.last().and_then(|it| it.derived_from.as_deref()).and_then(|it| self.find(it))
        {
            if chain.len() == MAX_CHAIN || chain.iter().any(|known| std::ptr::eq(*known, parent)) {
                break;
            }
            chain.push(parent);
        }
        let mut fields: Vec<&Property> = Vec::new();
        for property in chain.into_iter().rev().flat_map(|it| &it.properties) {
            match fields.iter_mut().find(|known| known.name == property.name) {
                Some(known) => *known = property,
                None => fields.push(property),
            }
        }
        fields
    }
}

/// A property with where it is declared.
#[derive(Clone, Copy, Debug)]
struct Scoped<'t> {
    property: &'t Property,
    scope: Scope<'t>,
    declared_in: &'t PolicyType,
}

/// A node without places, to tell whether two definitions say the same.
fn content(node: &Node) -> Vec<u8> {
    let mut out = Vec::new();
    crate::tosca::write_json(node, &mut out);
    out
}
