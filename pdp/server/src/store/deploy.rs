//! Administered policies: they are checked, deployed and undeployed, all or none.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use pdp_engine::error::Severity;

use super::candidate::Candidate;
use super::change::Change;
use super::problem::Problem;
use super::snapshot::{Deployed, Identity, Source};
use super::{Store, errors};
use crate::telemetry::give_back;

/// A policy as the administration interface keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The policy as JSON, as answers hold it.
    pub content: String,
}

impl Document {
    pub(super) fn label(&self) -> String {
        format!("{}:{}", self.name, self.version)
    }
}

/// Why policies are not deployed or undeployed; nothing has changed.
#[derive(Debug)]
pub enum Refusal<E> {
    /// What is wrong with them.
    Policies(Vec<Problem>),
    /// Files hold others of their names and versions.
    Taken(Vec<Problem>),
    /// Policies that refer to one that would go.
    Needed(Vec<Arc<Deployed>>),
    /// They could not be made to last.
    Commit(E),
}

impl Store {
    /// Whether an administered policy of this name and version decides.
    pub fn is_deployed(&self, name: &str, version: &str) -> bool {
        let key = (name.to_owned(), version.to_owned());
        self.changes().administered.contains_key(&key)
    }

    /// Deploys all of these policies or none. `commit` makes the deployment last; it is called when
    /// nothing else can fail. Blocks.
    ///
    /// # Errors
    /// A policy cannot be used, or the commit failed; nothing has changed.
    pub fn deploy<E>(
        &self,
        documents: &[Document],
        commit: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), Refusal<E>> {
        let result = self.try_to_deploy(documents, commit);
        let counter = match result {
            Ok(()) => {
                self.deployments.change();
                &self.deployments.deployed
            }
            Err(_) => &self.deployments.refused,
        };
        counter.fetch_add(documents.len() as u64, Relaxed);
        if documents.len() >= Self::MANY {
            give_back();
        }
        result
    }

    fn try_to_deploy<E>(
        &self,
        documents: &[Document],
        commit: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), Refusal<E>> {
        let mut changes = self.changes();
        let candidates = self.check(documents).map_err(Refusal::Policies)?;
        let base = self.current.load_full();
        let mut change = Change::default();
        let mut taken: Vec<Problem> = Vec::new();
        let mut coming: HashMap<Identity, &Candidate> = HashMap::new();
        for candidate in &candidates {
            let identity = candidate.identity();
            let other = base.policies.get(&identity);
            let other = other.filter(|other| other.source == Source::Administration);
            let other = other.map(|other| format!("{}:{}", other.id, other.version));
            let other = other.or_else(|| coming.get(&identity).map(|other| other.name.to_string()));
            match other {
                // Coordinations of the same loops say the same, however else they differ.
                Some(_) if candidate.repeatable => continue,
                Some(other) => return Err(Refusal::Policies(vec![same(candidate, &other)])),
                None => {}
            }
            if let Some(of_file) = base.policies.get(&identity) {
                if of_file.digest != candidate.digest() && !candidate.repeatable {
                    taken.push(stands_in_file(candidate, &of_file.source));
                }
                change.out.push(identity.clone());
            }
            coming.insert(identity, candidate);
            change.add.push(candidate);
        }
        if !taken.is_empty() {
            return Err(Refusal::Taken(taken));
        }
        let changed = self.sources.change(&base, &change);
        if !changed.refused.is_empty() || !changed.lost.is_empty() {
            return Err(Refusal::Policies(errors(changed.problems)));
        }
        commit().map_err(Refusal::Commit)?;
        candidates.iter().for_each(|candidate| changes.own(candidate));
        self.swap(&mut changes, changed.snapshot);
        Ok(())
    }

    /// Undeploys all of these policies, given by name and version, or none. A file that holds one of
    /// them takes its place. `commit` makes it last. Blocks.
    ///
    /// # Errors
    /// Another policy refers to one of them, or the commit failed; nothing has changed.
    pub fn undeploy<E>(
        &self,
        policies: &[(String, String)],
        commit: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), Refusal<E>> {
        let result = self.try_to_undeploy(policies, commit);
        let counter = match result {
            Ok(()) => {
                self.deployments.change();
                &self.deployments.undeployed
            }
            Err(_) => &self.deployments.undeploy_refused,
        };
        counter.fetch_add(policies.len() as u64, Relaxed);
        result
    }

    fn try_to_undeploy<E>(
        &self,
        policies: &[(String, String)],
        commit: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), Refusal<E>> {
        let mut changes = self.changes();
        let base = self.current.load_full();
        let mut left = changes.shared.clone();
        let mut out: Vec<Identity> = Vec::new();
        for identity in policies.iter().filter_map(|key| changes.administered.get(key)) {
            match left.get_mut(identity) {
                Some(others) if *others > 0 => *others -= 1,
                _ => out.push(identity.clone()),
            }
        }
        let instead: Vec<Candidate> = out
            .iter()
            .filter_map(|identity| Some((identity, changes.ledger.holder(identity)?)))
            .flat_map(|(identity, file)| {
                let mut read = self.sources.reader(&base.types).file(file).candidates;
                read.retain(|candidate| candidate.identity() == *identity);
                read.truncate(1);
                read
            })
            .collect();
        let gone: HashSet<Identity> = out.iter().cloned().collect();
        let changed = self.sources.change(&base, &Change { out, add: instead.iter().collect() });
        if !changed.lost.is_empty() {
            return Err(Refusal::Needed(changed.lost));
        }
        commit().map_err(Refusal::Commit)?;
        left.retain(|_, others| *others > 0);
        changes.shared = left;
        changes.beaten.retain(|(identity, _)| !gone.contains(identity));
        for key in policies {
            changes.forgive(key);
            changes.administered.remove(key);
        }
        self.swap(&mut changes, changed.snapshot);
        Ok(())
    }

    /// Reads and translates policies without deploying them. Returns those that a file holds with other
    /// content.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub fn check_documents(&self, documents: &[Document]) -> Result<Vec<Problem>, Vec<Problem>> {
        let candidates = self.check(documents)?;
        let snapshot = self.current();
        let taken = candidates.iter().filter(|one| !one.repeatable).filter_map(|one| {
            let decides = snapshot.policies.get(&one.identity())?;
            let other = decides.digest != one.digest() && decides.source != Source::Administration;
            other.then(|| stands_in_file(one, &decides.source))
        });
        Ok(taken.collect())
    }

    fn check(&self, documents: &[Document]) -> Result<Vec<Candidate>, Vec<Problem>> {
        let read = self.sources.reader(&self.current().types).administered(documents);
        let (candidates, problems) = (read.candidates, errors(read.problems));
        if problems.is_empty() { Ok(candidates) } else { Err(problems) }
    }
}

fn same(candidate: &Candidate, other: &str) -> Problem {
    let message = format!(
        "`{}` becomes the policy `{}` version {}, and so does {other}: give it another identifier or version",
        candidate.name, candidate.id, candidate.number
    );
    Problem {
        policy: candidate.name.to_string(),
        ..Problem::of_file(&candidate.file, Severity::Error, "conflicting-policy", message)
    }
}

fn stands_in_file(candidate: &Candidate, source: &Source) -> Problem {
    let message = format!(
        "`{}` version {} stands with other content in {source}: give it another version, or change the file",
        candidate.name, candidate.version
    );
    Problem {
        policy: candidate.name.to_string(),
        ..Problem::of_file(&candidate.file, Severity::Error, "conflicting-policy", message)
    }
}
