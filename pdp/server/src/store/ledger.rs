//! What the files hold, as they were last read.
//!
//! Documents are long and programs hold them in their own form, so that only identities and
//! fingerprints are kept here; a document is read again where it is needed again.

use std::collections::hash_map::Entry as Place;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use pdp_engine::error::{Position, Severity};
use pdp_onap::types::Types;

use super::candidate::Candidate;
use super::problem::Problem;
use super::read::Reading;
use super::snapshot::{Identity, Snapshot, Source};
use super::types::TypeFiles;
use crate::stamp::Stamp;

/// Files by path.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub(super) files: BTreeMap<Arc<Path>, Entry>,
    /// The types that they define.
    pub(super) types: TypeFiles,
    /// Folders that could not be looked at.
    pub(super) away: Vec<Arc<Path>>,
}

/// What one file holds.
#[derive(Debug, Default)]
pub(super) struct Entry {
    /// The state of the file that was read.
    pub(super) stamp: Stamp,
    /// Its policies that decide or could, and those of earlier states that go on in place of refused
    /// ones.
    pub(super) held: Vec<Held>,
    /// How many of its policies are refused; a file that cannot be read counts as one.
    pub(super) refused: usize,
    pub(super) problems: Vec<Problem>,
    /// What was refused may be right once other policies are there.
    pub(super) retry: bool,
    /// The types of its policies, with the fingerprints that they had.
    types: Vec<(Arc<str>, Arc<str>, u64)>,
}

impl Entry {
    /// Whether its policies say something else by these types, or may be taken by them.
    pub(super) fn differs_by(&self, types: &Types) -> bool {
        self.refused > 0
            || self
                .types
                .iter()
                .any(|(name, version, digest)| types.digest(name, version) != *digest)
    }
}

/// A policy of a file.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) identity: Identity,
    pub(super) name: Arc<str>,
    pub(super) digest: u64,
    /// It may stand beside others that say the same.
    pub(super) repeatable: bool,
    pub(super) position: Position,
}

impl Held {
    fn of(candidate: &Candidate) -> Self {
        Self {
            identity: candidate.identity(),
            name: Arc::clone(&candidate.name),
            digest: candidate.digest(),
            repeatable: candidate.repeatable,
            position: candidate.position,
        }
    }
}

/// What the files want to decide.
#[derive(Debug, Default)]
pub(super) struct Settled<'l> {
    /// Each identity with the file that it is taken from, and its fingerprint.
    pub(super) wanted: HashMap<&'l Identity, (&'l Arc<Path>, u64)>,
    /// Each identity with the first file that holds it.
    first: HashMap<&'l Identity, (&'l Arc<Path>, &'l Held)>,
    /// Identities that stand for different policies.
    pub(super) conflicts: HashSet<&'l Identity>,
    pub(super) problems: Vec<Problem>,
    pub(super) refused: usize,
}

impl Settled<'_> {
    /// Policies of files that say something else than the administered ones of their name and version.
    pub(super) fn beaten(
        &self,
        base: &Snapshot,
        administered: &[Candidate],
    ) -> Vec<(Identity, Problem)> {
        let decides = base.policies.iter().filter(|(_, it)| it.source == Source::Administration);
        let decides = decides.map(|(identity, it)| (identity.clone(), it.digest));
        let come = administered.iter().map(|one| (one.identity(), one.digest()));
        let mut found = Vec::new();
        for (identity, digest) in decides.chain(come) {
            let Some((file, held)) = self.first.get(&identity) else { continue };
            if held.digest != digest && !held.repeatable {
                let message = format!(
                    "`{}` version {} is deployed through the administration interface with other content, which goes on deciding: give one of them another version, or undeploy that one",
                    held.name, identity.version
                );
                let problem = problem(file, held, Severity::Error, "conflicting-policy", message);
                found.push((identity, problem));
            }
        }
        found
    }
}

impl Ledger {
    /// Notes what was read of a file. Policies that are refused now go on as they were.
    pub(super) fn note(&mut self, file: &Arc<Path>, stamp: Stamp, reading: &Reading) {
        let entry = self.files.entry(Arc::clone(file)).or_default();
        let errors = || reading.problems.iter().filter(|one| one.severity == Severity::Error);
        let whole = errors().any(|problem| problem.policy.is_empty());
        let refused: HashSet<&str> = errors().map(|problem| &*problem.policy).collect();
        let mut held: Vec<Held> = reading.candidates.iter().map(Held::of).collect();
        let new: HashSet<Identity> = held.iter().map(|held| held.identity.clone()).collect();
        held.extend(
            entry.held.drain(..).filter(|old| {
                (whole || refused.contains(&*old.name)) && !new.contains(&old.identity)
            }),
        );
        let mut types: Vec<(Arc<str>, Arc<str>, u64)> = Vec::new();
        for one in &reading.candidates {
            let Some((name, version)) = &one.policy_type else { continue };
            if !types.iter().any(|(known, of, _)| known == name && of == version) {
                types.push((Arc::clone(name), Arc::clone(version), one.type_digest));
            }
        }
        *entry = Entry {
            types,
            stamp,
            held,
            refused: reading.refused,
            problems: reading.problems.clone(),
            retry: false,
        };
    }

    /// Puts a refused policy out, and `kept`, which it would have replaced, in its place.
    pub(super) fn refuse(
        &mut self,
        candidate: &Candidate,
        kept: impl IntoIterator<Item = (Identity, u64)>,
        problems: impl IntoIterator<Item = Problem>,
    ) {
        let Some(entry) = self.files.get_mut(&candidate.file) else { return };
        let identity = candidate.identity();
        entry.held.retain(|held| held.identity != identity);
        entry.held.extend(kept.into_iter().map(|(identity, digest)| Held {
            identity,
            name: Arc::clone(&candidate.name),
            digest,
            repeatable: candidate.repeatable,
            position: candidate.position,
        }));
        entry.refused += 1;
        entry.problems.extend(problems);
        entry.retry = true;
    }

    /// Tells policies of one identity apart: equal ones are one. Where contents differ nobody can
    /// say which was meant: what decides goes on, and nothing new is taken.
    pub(super) fn settle<'l>(&'l self, order: &'l [Arc<Path>], base: &Snapshot) -> Settled<'l> {
        let mut settled = Settled::default();
        let mut first: HashMap<&Identity, (&Arc<Path>, &Held)> = HashMap::new();
        let in_order = order.iter().filter_map(|file| Some((file, self.files.get(file)?)));
        for (file, held) in
            in_order.flat_map(|(file, entry)| entry.held.iter().map(move |held| (file, held)))
        {
            let (other_file, other) = match first.entry(&held.identity) {
                Place::Vacant(place) => {
                    place.insert((file, held));
                    settled.wanted.insert(&held.identity, (file, held.digest));
                    continue;
                }
                Place::Occupied(place) => *place.get(),
            };
            // Coordinations of the same loops say the same, however else they differ.
            if other.digest == held.digest || other.repeatable && held.repeatable {
                let message = format!(
                    "`{}` version {} stands also at {}:{}, with the same content: it is loaded once",
                    held.name,
                    held.identity.version,
                    other_file.display(),
                    other.position
                );
                let found = problem(file, held, Severity::Warning, "duplicate-policy", message);
                settled.problems.push(found);
                continue;
            }
            if settled.conflicts.insert(&held.identity) {
                settled.problems.push(conflict(other_file, other, file, held));
                settled.refused += 1;
            }
            settled.problems.push(conflict(file, held, other_file, other));
            settled.refused += 1;
        }
        settled.first = first;
        let first = &settled.first;
        for identity in &settled.conflicts {
            let decides = base.policies.get(*identity);
            let file = decides.and_then(|deployed| match &deployed.source {
                Source::File(_) => first.get(identity).map(|(file, _)| (*file, deployed.digest)),
                Source::Administration => None,
            });
            match file {
                Some(as_it_is) => settled.wanted.insert(identity, as_it_is),
                None => settled.wanted.remove(identity),
            };
        }
        settled
    }

    /// The file that holds this policy, if one does.
    pub(super) fn holder(&self, identity: &Identity) -> Option<&Arc<Path>> {
        let holds = |entry: &Entry| entry.held.iter().any(|held| held.identity == *identity);
        self.files.iter().find(|(_, entry)| holds(entry)).map(|(file, _)| file)
    }
}

fn conflict(file: &Arc<Path>, held: &Held, other_file: &Arc<Path>, other: &Held) -> Problem {
    let message = format!(
        "`{}` version {} stands also at {}:{}, with other content: neither is loaded; give one of them another version",
        held.name,
        held.identity.version,
        other_file.display(),
        other.position
    );
    problem(file, held, Severity::Error, "conflicting-policy", message)
}

fn problem(
    file: &Arc<Path>,
    held: &Held,
    severity: Severity,
    code: &'static str,
    message: String,
) -> Problem {
    Problem {
        position: held.position,
        policy: held.name.to_string(),
        ..Problem::of_file(file, severity, code, message)
    }
}
