//! Policy types: which are known, and how they come and go.

use std::sync::{Arc, MutexGuard, PoisonError};

use pdp_onap::tosca::ServiceTemplate;
use pdp_onap::types::{PolicyType, Types};

use super::document::NewType;
use super::error::{exists, not_acceptable};
use super::{Administration, AdministrationError, KeptType, Result, Wanted, document};
use crate::quote::quoted;
use crate::store::Refusal;

/// Types that are known.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    /// Policy types.
    pub types: Vec<KeptType>,
    /// The data types that they need.
    pub data_types: Vec<KeptType>,
}

impl Administration {
    pub(super) fn define_alone(&self) -> MutexGuard<'_, ()> {
        self.definitions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is kept, as it would be with these types beside it, and those of them that are new.
    pub(super) fn types_with(
        &self,
        created: Vec<NewType>,
    ) -> Result<(Vec<ServiceTemplate>, Vec<ServiceTemplate>)> {
        if created.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let mut data_types = self.database.types("data", None)?;
        let policy_types = self.database.types("policy", None)?;
        let mut new: Vec<NewType> = Vec::new();
        let mut conflicts = Vec::new();
        for one in created {
            let it = &one.kept;
            let mut all = policy_types.iter().chain(&data_types);
            let known = all.find(|known| known.is(it)).map(|known| known.content.clone());
            match known.or_else(|| self.of_a_file(it)) {
                Some(content) if document::same(&content, &it.content) => {}
                Some(_) => conflicts.push(format!("{} type {}:{}", it.kind, it.name, it.version)),
                None => new.push(one),
            }
        }
        if !conflicts.is_empty() {
            return Err(exists(&conflicts));
        }
        data_types.extend(new.iter().filter(|it| it.kept.kind == "data").map(|it| it.kept.clone()));
        let coming: Vec<KeptType> =
            new.iter().filter(|it| it.kept.kind == "policy").map(|it| it.kept.clone()).collect();
        let kept = document::templates(&policy_types, &data_types, &new);
        Ok((kept, document::templates(&coming, &data_types, &new)))
    }

    /// What a policy file says of a type.
    fn of_a_file(&self, it: &KeptType) -> Option<String> {
        let types = &self.store.current().types;
        let known = types.find(&it.name, &it.version).filter(|_| it.kind == "policy")?;
        (!known.standard).then(|| document::known_type(known).content)
    }

    /// The policy types that are meant, of those that are known: ONAP's own, administered ones, and those
    /// of policy files.
    ///
    /// # Errors
    /// There are none.
    pub fn types(&self, name: Option<&str>, version: &Wanted) -> Result<Definitions> {
        let known = &self.store.current().types;
        let found: Vec<&Arc<PolicyType>> =
            known.iter().filter(|one| name.is_none_or(|name| *one.name == *name)).collect();
        let found = version.choose(found, |one| (&one.name, &one.version));
        if found.is_empty() && (name.is_some() || *version != Wanted::All) {
            let name = name.unwrap_or_default();
            let message = format!("policy types for {}:{version} do not exist", quoted(name));
            return Err(AdministrationError::NotFound(message));
        }
        let mut data_types: Vec<KeptType> = Vec::new();
        for one in found.iter().flat_map(|one| document::known_data_types(one)) {
            if !data_types.iter().any(|known| known.name == one.name) {
                data_types.push(one);
            }
        }
        let types = found.into_iter().map(|one| document::known_type(one)).collect();
        Ok(Definitions { types, data_types })
    }

    /// Deletes a policy type and returns it.
    ///
    /// # Errors
    /// It is not there, not administered, or policies or other types need it.
    pub fn delete_type(&self, name: &str, version: &str) -> Result<KeptType> {
        let _alone = self.define_alone();
        let mut kept = self.database.types("policy", None)?;
        let Some(at) = kept.iter().position(|one| one.name == name && one.version == version)
        else {
            return Err(match self.store.current().types.find(name, version) {
                Some(known) => AdministrationError::Conflict(format!(
                    "policy type {name}:{version} {}",
                    if known.standard {
                        "is built in and cannot be deleted"
                    } else {
                        "is defined in a policy file: it goes with the file"
                    }
                )),
                None => {
                    let (name, version) = (quoted(name), quoted(version));
                    AdministrationError::NotFound(format!("policy type {name}:{version} not found"))
                }
            });
        };
        if let Some(by) = self.needs_type(name, version)? {
            let message =
                format!("policy type {name}:{version} is in use, it is referenced in {by}");
            return Err(AdministrationError::Conflict(message));
        }
        let deleted = kept.remove(at);
        let types = document::templates(&kept, &self.database.types("data", None)?, &[]);
        let commit = || Ok(self.database.delete_type(name, version)?);
        self.store.define(types, Vec::new(), &[], commit).map_err(not_defined)?;
        Ok(deleted)
    }

    /// What needs a policy type. Where one that is built in takes its place, nothing does.
    fn needs_type(&self, name: &str, version: &str) -> Result<Option<String>> {
        if Types::standard().find(name, version).is_some() {
            return Ok(None);
        }
        let is_it = |other: &str, of: &str| other == name && of == version;
        let snapshot = self.store.current();
        let child = snapshot.types.iter().find(|one| {
            let chain = snapshot.types.chain(&one.name, &one.version);
            chain.get(1).is_some_and(|parent| is_it(&parent.name, &parent.version))
        });
        if let Some(child) = child {
            return Ok(Some(format!("policy type {}:{}", child.name, child.version)));
        }
        let policies = self.database.policies(None)?;
        let policy = policies.iter().find(|one| is_it(&one.type_name, &one.type_version));
        let kept = policy.map(|one| format!("policy {}:{}", one.name, one.version));
        let of_file = || {
            let mut deployed = snapshot.policies.values();
            let policy = deployed
                .find(|one| one.policy_type.as_ref().is_some_and(|(other, of)| is_it(other, of)));
            policy.map(|one| format!("policy {}:{}", one.id, one.version))
        };
        Ok(kept.or_else(of_file))
    }
}

/// Why types are not changed. Policies that decide stand against it.
pub(super) fn not_defined(refusal: Refusal<AdministrationError>) -> AdministrationError {
    match refusal {
        Refusal::Policies(problems) | Refusal::Taken(problems) => not_acceptable(&problems),
        Refusal::Needed(policies) => {
            let names = policies.iter().map(|one| format!("{}:{}", one.id, one.version));
            let names: Vec<String> = names.collect();
            let message = format!("policies could not decide any more: {}", names.join(", "));
            AdministrationError::Conflict(message)
        }
        Refusal::Commit(error) => error,
    }
}
