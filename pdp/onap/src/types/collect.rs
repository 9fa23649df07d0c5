//! Types of many documents at once: each is taken where it fits together with all the others.

use std::collections::BTreeMap;
use std::sync::Arc;

use pdp_engine::error::Severity;

use super::{PolicyType, Types, verify};
use crate::problem::Problem;
use crate::tosca::ServiceTemplate;

/// Name and version of a policy type.
pub type TypeName = (Arc<str>, Arc<str>);

/// What came of documents with types.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// The types that can be used, those of the standard among them.
    pub types: Types,
    /// What is wrong with the others, each with the place of its document.
    pub problems: Vec<(usize, Problem)>,
    /// The document from which each type came.
    pub origins: BTreeMap<TypeName, usize>,
}

impl Types {
    /// The types of the standard and those of `documents`. One that cannot be used is left out, and with it
    /// those that are derived from it; `instead` may give an earlier state of it, which is then taken.
    pub fn collect<'d>(
        documents: impl IntoIterator<Item = &'d ServiceTemplate>,
        instead: impl Fn(usize, &TypeName) -> Option<Arc<PolicyType>>,
    ) -> Collected {
        let mut found = Collected { types: Self::standard().clone(), ..Collected::default() };
        let mut open: BTreeMap<TypeName, usize> = BTreeMap::new();
        for (at, document) in documents.into_iter().enumerate() {
            let mut problems = Vec::new();
            for name in found.types.take(document, &mut problems) {
                found.origins.insert(name.clone(), at);
                open.insert(name, at);
            }
            found.problems.extend(problems.into_iter().map(|problem| (at, problem)));
        }
        found.settle(&mut open, &instead);
        found
    }
}

impl Collected {
    /// Puts out what does not fit together, until all that is left does.
    fn settle(
        &mut self,
        open: &mut BTreeMap<TypeName, usize>,
        instead: &impl Fn(usize, &TypeName) -> Option<Arc<PolicyType>>,
    ) {
        loop {
            let mut refused: Vec<TypeName> = Vec::new();
            for (name, at) in open.iter() {
                let Some(policy_type) = self.types.find(&name.0, &name.1) else { continue };
                let problems = verify::policy_type(&self.types, policy_type);
                let wrong = |one: &Problem| one.severity == Severity::Error;
                if policy_type.broken || problems.iter().any(wrong) {
                    refused.push(name.clone());
                    self.problems.extend(problems.into_iter().map(|problem| (*at, problem)));
                }
            }
            if refused.is_empty() {
                break;
            }
            for name in refused {
                let at = self.origins[&name];
                self.types.remove(&name.0, &name.1);
                match instead(at, &name).filter(|_| open.contains_key(&name)) {
                    Some(earlier) => self.types.insert(earlier),
                    None => drop(self.origins.remove(&name)),
                }
                open.remove(&name);
            }
        }
        for (name, at) in open.iter() {
            let Some(policy_type) = self.types.find(&name.0, &name.1) else { continue };
            let warnings = verify::policy_type(&self.types, policy_type).into_iter();
            self.problems.extend(warnings.map(|problem| (*at, problem)));
        }
    }
}
