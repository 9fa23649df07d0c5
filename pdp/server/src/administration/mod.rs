//! Policies and policy types that are created, read, deployed and deleted while the service runs.
//!
//! ONAP has two services for it, the Policy API, which keeps policies and types, and the PAP, which
//! deploys them; the rules and the words are theirs. What is kept is in [`database`]; what is deployed
//! decides through the [`Store`]. A call does all that it says or nothing, and is on the disk before
//! it is answered.

mod database;
mod definitions;
mod document;
mod error;
mod version;

use std::path::Path;
use std::sync::{Arc, Mutex};

use pdp_onap::tosca::{self, Syntax};

pub use database::{Deployment, Kept, KeptType};
pub use definitions::Definitions;
pub use error::AdministrationError;
pub use version::Wanted;

use crate::failure::Failure;
use crate::quote::quoted;
use crate::store::{Administered, Document, HandOver, Key, Store};
use crate::telemetry::give_back;
use database::{Database, DatabaseError};
use definitions::not_defined;
use error::{detail, exists, not_acceptable, refused};

type Result<T> = std::result::Result<T, AdministrationError>;

/// What is kept, before anything decides.
#[derive(Debug)]
pub struct Archive {
    database: Arc<Database>,
}

/// A document of so many bytes takes memory that is worth giving back.
const LARGE: usize = 1 << 20;
/// So many policies are handed over together: enough to be worth a core's while, and little memory.
const AT_A_TIME: usize = 256;

impl Archive {
    /// Opens what a state folder keeps; without a folder nothing outlasts the process. Returns also what
    /// is to decide.
    ///
    /// # Errors
    /// It cannot be opened or read, or is damaged.
    pub fn open(folder: Option<&Path>) -> std::result::Result<(Self, Administered), Failure> {
        let database = Arc::new(Database::open(folder)?);
        let known = || -> std::result::Result<_, DatabaseError> {
            let types = (database.types("policy", None)?, database.types("data", None)?);
            Ok((database.has_deployments()?, types))
        };
        let (deployed, (types, data_types)) = match known() {
            Ok((true, types)) => {
                let all = Arc::clone(&database);
                let hand_over: HandOver =
                    Box::new(move |take| all.check_during(|| all.deployed(AT_A_TIME, take)));
                (Some(hand_over), types)
            }
            Ok((false, types)) => (None, database.check_during(|| Ok(types))?),
            // What is damaged is told before what came of it.
            Err(error) => (None, database.check_during(|| Err(error))?),
        };
        let again = Arc::clone(&database);
        let read = move |keys: &[Key]| {
            again.documents(keys).unwrap_or_else(|error| {
                tracing::error!("policies stay as they are: {error}");
                Vec::new()
            })
        };
        let types = document::templates(&types, &data_types, &[]);
        Ok((Self { database }, Administered { deployed, types, read: Some(Box::new(read)) }))
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
        let result = self.try_to_create(body, syntax, wanted);
        if body.len() >= LARGE {
            give_back();
        }
        result
    }

    fn try_to_create(&self, body: &[u8], syntax: Syntax, wanted: Part) -> Result<Created> {
        let limits = tosca::Limits::default();
        let template = tosca::read_with(body, syntax, &limits, |policies| {
            policies.iter().map(document::new_policy).collect()
        })
        .map_err(|error| AdministrationError::Malformed(error.to_string()))?;
        let (created, new_types, mut problems) = document::created(template, wanted)?;
        let documents: Vec<Document> = created.policies.iter().map(document::of).collect();
        let _alone = self.define_alone();
        let (kept, coming) = self.types_with(new_types)?;
        if !problems.is_empty() {
            let more = self.store.check_definitions(&kept, &coming, &documents);
            for problem in more.iter().map(detail) {
                if !problems.contains(&problem) {
                    problems.push(problem);
                }
            }
            return Err(AdministrationError::not_acceptable(problems));
        }
        if coming.is_empty() {
            let checked = self.store.check_documents(&documents);
            let taken = checked.map_err(|problems| not_acceptable(&problems))?;
            if let [first, ..] = taken.as_slice() {
                return Err(AdministrationError::Conflict(first.message.clone()));
            }
            self.keep(&created)?;
            return Ok(created);
        }
        let commit = || self.keep(&created);
        self.store.define(kept, coming, &documents, commit).map_err(not_defined)?;
        Ok(created)
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
            let message = format!("policies for {}:{} do not exist", quoted(name), filter.version);
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
                AdministrationError::NotFound(format!(
                    "cannot find policy: {} {version}",
                    quoted(name)
                ))
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
                let message =
                    format!("policy does not appear in any PDP group: {} {version}", quoted(name));
                AdministrationError::Undeployable { message, details: Vec::new() }
            } else {
                AdministrationError::NotFound(format!(
                    "cannot find policy: {} {version}",
                    quoted(name)
                ))
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
