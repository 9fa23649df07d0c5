//! Policies and policy types that are created, read, deployed and deleted while the service runs.
//!
//! ONAP has two services for it, the Policy API, which keeps policies and types, and the PAP, which
//! deploys them; the rules and the words are theirs. What is kept is in [`database`]; what is deployed
//! decides through the [`Store`]. A call does all that it says or nothing, and is on the disk before
//! it is answered.

mod database;
mod document;
mod error;
mod version;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pdp_onap::tosca::{self, ServiceTemplate, Syntax};
use pdp_onap::types::{PolicyType, Types};

pub use database::{Deployment, Kept, KeptType};
pub use error::AdministrationError;
pub use version::Wanted;

use crate::failure::Failure;
use crate::store::{Administered, Document, Key, Problem, Refusal, Store};
use database::{Database, DatabaseError};

type Result<T> = std::result::Result<T, AdministrationError>;

/// What is kept, before anything decides.
#[derive(Debug)]
pub struct Archive {
    database: Arc<Database>,
}

impl Archive {
    /// Opens what a state folder keeps; without a folder nothing outlasts the process. Returns also what
    /// is to decide.
    ///
    /// # Errors
    /// It cannot be opened or read, or is damaged.
    pub fn open(folder: Option<&Path>) -> std::result::Result<(Self, Administered), Failure> {
        let database = Arc::new(Database::open(folder)?);
        let read = || -> std::result::Result<_, DatabaseError> {
            let types = (database.types("policy", None)?, database.types("data", None)?);
            Ok((database.deployed()?, types))
        };
        let (deployed, (types, data_types)) = read().map_err(|error| {
            Failure::environment(error.to_string())
                .at(folder.unwrap_or(Path::new("memory")).display())
                .hint("bring the folder back from a copy, or give another one with --state")
        })?;
        let again = Arc::clone(&database);
        let read = move |keys: &[Key]| {
            again.documents(keys).unwrap_or_else(|error| {
                tracing::error!("policies stay as they are: {error}");
                Vec::new()
            })
        };
        let types = document::templates(&types, &data_types);
        Ok((Self { database }, Administered { deployed, types, read: Box::new(read) }))
    }
}

/// Creates, reads, deploys and deletes policies and types. Every call blocks.
#[derive(Debug)]
pub struct Administration {
    database: Arc<Database>,
    store: Arc<Store>,
    /// Held while something is created or a type deleted: policies need their types.
    definitions: Mutex<()>,
}

/// Which policies are meant.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Name and version of their type.
    pub policy_type: Option<(String, String)>,
    /// Their name.
    pub name: Option<String>,
    /// Their version.
    pub version: Wanted,
}

/// What a call created.
#[derive(Clone, Debug, Default)]
pub struct Created {
    /// Types.
    pub types: Vec<KeptType>,
    /// Policies.
    pub policies: Vec<Kept>,
}

/// Types that are known.
#[derive(Clone, Debug, Default)]
pub struct Definitions {
    /// Policy types.
    pub types: Vec<KeptType>,
    /// The data types that they need.
    pub data_types: Vec<KeptType>,
}

impl Administration {
    /// Administers what `archive` keeps and `store` decides by.
    pub fn new(archive: Archive, store: Arc<Store>) -> Self {
        Self { database: archive.database, store, definitions: Mutex::new(()) }
    }

    /// Creates the types and policies of a TOSCA document, all or none. `wanted` says which of the two
    /// must be among them.
    ///
    /// # Errors
    /// The document cannot be read, something in it cannot be used, or is there with other content.
    pub fn create(&self, body: &[u8], syntax: Syntax, wanted: Part) -> Result<Created> {
        let template = tosca::read(body, syntax, &tosca::Limits::default())
            .map_err(|error| AdministrationError::Malformed(error.to_string()))?;
        let created = document::created(template, wanted)?;
        let documents: Vec<Document> = created.policies.iter().map(document::of).collect();
        let _alone = self.define_alone();
        let (types, coming) = self.types_with(&created.types)?;
        if !coming {
            let checked = self.store.check_documents(&documents);
            checked.map_err(|problems| not_acceptable(&problems))?;
            self.keep(&created)?;
            return Ok(created);
        }
        let commit = |types: &Types| {
            has_parents(&created.types, types)?;
            self.keep(&created)
        };
        self.store.define(types, &documents, commit).map_err(not_defined)?;
        Ok(created)
    }

    fn define_alone(&self) -> MutexGuard<'_, ()> {
        self.definitions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is kept with these types among it, and whether one of them is new.
    fn types_with(&self, created: &[KeptType]) -> Result<(Vec<ServiceTemplate>, bool)> {
        if created.is_empty() {
            return Ok((Vec::new(), false));
        }
        let mut all = self.database.types("policy", None)?;
        all.extend(self.database.types("data", None)?);
        let identity = |one: &KeptType| (one.kind, one.name.clone(), one.version.clone());
        let mut coming = false;
        for one in created {
            match all.iter().find(|known| identity(known) == identity(one)) {
                Some(known) if known.content == one.content => {}
                Some(_) => {
                    let what = format!("{} type {}:{}", one.kind, one.name, one.version);
                    return Err(exists(&[what]));
                }
                None => {
                    coming = true;
                    all.push(one.clone());
                }
            }
        }
        let (types, data_types): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|one| one.kind == "policy");
        Ok((document::templates(&types, &data_types), coming))
    }

    fn keep(&self, created: &Created) -> Result<()> {
        let conflicts = self.database.create(&created.types, &created.policies)?;
        if conflicts.is_empty() { Ok(()) } else { Err(exists(&conflicts)) }
    }

    /// The policies that are meant.
    ///
    /// # Errors
    /// There are none.
    pub fn policies(&self, filter: &Filter) -> Result<Vec<Kept>> {
        let mut policies = self.database.policies(filter.name.as_deref())?;
        if let Some((name, version)) = &filter.policy_type {
            policies.retain(|one| one.type_name == *name && one.type_version == *version);
        }
        let policies = filter.version.choose(policies, |one| (&one.name, &one.version));
        // A list of everything may be empty, as a list of nothing in particular.
        if policies.is_empty() && (filter.name.is_some() || filter.version != Wanted::All) {
            let name = filter.name.as_deref().unwrap_or_default();
            let message = format!("policies for {name}:{} do not exist", filter.version);
            return Err(AdministrationError::NotFound(message));
        }
        Ok(policies)
    }

    /// Deletes a policy and returns it.
    ///
    /// # Errors
    /// It is not there, or deployed.
    pub fn delete_policy(&self, filter: &Filter) -> Result<Kept> {
        let found = self.policies(filter)?;
        let [policy] = found.as_slice() else {
            let message = "say which version of the policy is to be deleted".to_owned();
            return Err(AdministrationError::Malformed(message));
        };
        match self.database.delete_policy(&policy.name, &policy.version) {
            Ok(()) => Ok(policy.clone()),
            Err(error) if error.is_referred_to() => Err(AdministrationError::Conflict(format!(
                "policy is in use, it is deployed in PDP group {GROUP} subgroup {SUBGROUP}: undeploy {}:{} first",
                policy.name, policy.version
            ))),
            Err(error) => Err(error.into()),
        }
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
            let message = format!("policy types for {name}:{version} do not exist");
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
        let types = document::templates(&kept, &self.database.types("data", None)?);
        let commit = |_: &Types| Ok(self.database.delete_type(name, version)?);
        self.store.define(types, &[], commit).map_err(not_defined)?;
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

    /// Deploys policies, given by name and version, all or none.
    ///
    /// # Errors
    /// One is not there, or cannot be used.
    pub fn deploy(&self, policies: &[(String, Wanted)]) -> Result<Vec<(String, String)>> {
        let mut documents: Vec<Document> = Vec::with_capacity(policies.len());
        for (name, version) in policies {
            let kept = self.database.policies(Some(name))?;
            let newest = version.newest(kept, |one| &one.version);
            let policy = newest.ok_or_else(|| {
                AdministrationError::NotFound(format!("cannot find policy: {name} {version}"))
            })?;
            let document = document::of(&policy);
            if !documents.contains(&document) {
                documents.push(document);
            }
        }
        let identities = documents.iter().map(|one| (one.name.clone(), one.version.clone()));
        let identities = identities.collect();
        // What is deployed already stays as it is.
        documents.retain(|one| !self.store.is_deployed(&one.name, &one.version));
        if documents.is_empty() {
            return Ok(identities);
        }
        let commit = || self.database.deploy(&documents);
        self.store.deploy(&documents, commit).map_err(|refusal| refused("deployed", refusal))?;
        Ok(identities)
    }

    /// Undeploys a policy: of its versions those that are meant.
    ///
    /// # Errors
    /// It is not there, not deployed, or another policy refers to it.
    pub fn undeploy(&self, name: &str, version: &Wanted) -> Result<Vec<(String, String)>> {
        let deployed = self.database.deployments(Some(name))?;
        let meant = version.choose(deployed, |one| (&one.name, &one.version));
        let meant: Vec<(String, String)> =
            meant.into_iter().map(|one| (one.name, one.version)).collect();
        if meant.is_empty() {
            let kept = self.database.policies(Some(name))?;
            let known = !version.choose(kept, |one| (&one.name, &one.version)).is_empty();
            return Err(if known {
                let message = format!("policy does not appear in any PDP group: {name} {version}");
                AdministrationError::Undeployable { message, details: Vec::new() }
            } else {
                AdministrationError::NotFound(format!("cannot find policy: {name} {version}"))
            });
        }
        let commit = || self.database.undeploy(&meant);
        self.store.undeploy(&meant, commit).map_err(|refusal| refused("undeployed", refusal))?;
        Ok(meant)
    }

    /// What is deployed.
    ///
    /// # Errors
    /// The state folder failed.
    pub fn deployments(&self) -> Result<Vec<Deployment>> {
        Ok(self.database.deployments(None)?)
    }

    /// Whether a deployed policy decides: one that was deployed by another version of the program may
    /// be refused by this one.
    pub fn decides(&self, deployment: &Deployment) -> bool {
        self.store.is_deployed(&deployment.name, &deployment.version)
    }
}

/// The PDP group and subgroup that ONAP's answers name.
pub const GROUP: &str = "defaultGroup";
/// See [`GROUP`].
pub const SUBGROUP: &str = "xacml";

/// What a document must hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Policies.
    Policies,
    /// Policy types.
    Types,
}

fn summary(what: &str, problems: &[Problem]) -> String {
    match problems {
        [one] => one.message.clone(),
        _ => format!("nothing was {what}: {} problems", problems.len()),
    }
}

fn not_acceptable(problems: &[Problem]) -> AdministrationError {
    AdministrationError::NotAcceptable {
        message: summary("created", problems),
        details: problems.iter().map(|problem| problem.message.clone()).collect(),
    }
}

fn exists(what: &[String]) -> AdministrationError {
    AdministrationError::Conflict(format!(
        "{} exists already with other content: give it another version",
        what.join(", ")
    ))
}

/// Why types are not changed. Policies that decide stand against it.
fn not_defined(refusal: Refusal<AdministrationError>) -> AdministrationError {
    match refusal {
        Refusal::Policies(problems) => not_acceptable(&problems),
        Refusal::Needed(policies) => {
            let names = policies.iter().map(|one| format!("{}:{}", one.id, one.version));
            let names: Vec<String> = names.collect();
            let message = format!("policies could not decide any more: {}", names.join(", "));
            AdministrationError::Conflict(message)
        }
        Refusal::Commit(error) => error,
    }
}

/// Whether what types are derived from is known.
fn has_parents(created: &[KeptType], types: &Types) -> Result<()> {
    let mut orphans = Vec::new();
    for one in created.iter().filter(|one| one.kind == "policy") {
        let chain = types.chain(&one.name, &one.version);
        let Some(parent) = chain.last().and_then(|last| last.derived_from.as_deref()) else {
            continue;
        };
        if parent != ROOT {
            orphans.push(format!(
                "policy type {}:{}: `{parent}`, from which it is derived, is not known: create it first, or in the same call",
                one.name, one.version
            ));
        }
    }
    match orphans.as_slice() {
        [] => Ok(()),
        [first, ..] => Err(AdministrationError::NotAcceptable {
            message: first.clone(),
            details: orphans.clone(),
        }),
    }
}

/// What every policy type is derived from in the end.
const ROOT: &str = "tosca.policies.Root";

fn refused(what: &str, refusal: Refusal<DatabaseError>) -> AdministrationError {
    match refusal {
        Refusal::Policies(problems) => AdministrationError::Undeployable {
            message: summary(what, &problems),
            details: problems.iter().map(|problem| problem.message.clone()).collect(),
        },
        Refusal::Needed(policies) => {
            let names = policies.iter().map(|one| format!("{}:{}", one.id, one.version));
            let names: Vec<String> = names.collect();
            AdministrationError::Conflict(format!(
                "policies refer to it and could not decide any more: {}",
                names.join(", ")
            ))
        }
        Refusal::Commit(error) if error.is_referred_to() => AdministrationError::NotFound(
            "a policy was deleted while it was to be deployed".to_owned(),
        ),
        Refusal::Commit(error) => error.into(),
    }
}
