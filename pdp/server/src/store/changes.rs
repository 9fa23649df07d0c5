//! What only changes need to know: what is administered, and everything that is wrong.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Key;
use super::candidate::Candidate;
use super::follow::Followed;
use super::ledger::Ledger;
use super::problem::Problem;
use super::snapshot::{Identity, Snapshot};

/// What only changes need to know.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub(super) ledger: Ledger,
    /// The administered policies that decide, by name and version.
    pub(super) administered: foldhash::HashMap<Key, Identity>,
    /// What is wrong with administered policies that were refused, or go on as they were.
    pub(super) unsettled: Vec<Problem>,
    /// Policies of files that say something else than the administered ones that decide in their place.
    pub(super) beaten: Vec<(Identity, Problem)>,
    /// What is wrong with files, and how many of their policies are refused for it.
    pub(super) of_files: (Arc<[Problem]>, usize),
    /// Of those that say the same as others, how many there are beside the first.
    pub(super) shared: HashMap<Identity, usize>,
    /// Snapshots that no longer decide, until the last request on them is answered: freeing a large
    /// one takes time that no request should pay.
    pub(super) retired: Vec<Arc<Snapshot>>,
}

impl Changes {
    /// Notes that an administered policy decides.
    pub(super) fn own(&mut self, candidate: &Candidate) {
        let identity = candidate.identity();
        let key = (candidate.name.to_string(), candidate.version.to_string());
        if candidate.repeatable && self.administered.values().any(|known| *known == identity) {
            *self.shared.entry(identity.clone()).or_default() += 1;
        }
        self.forgive(&key);
        self.administered.insert(key, identity);
    }

    /// Counts and tells everything that is wrong.
    pub(super) fn tell(&self, snapshot: &mut Snapshot) {
        let (of_files, refused) = &self.of_files;
        snapshot.refused = refused + self.unsettled.len() + self.beaten.len();
        let beaten = self.beaten.iter().map(|(_, problem)| problem);
        snapshot.problems = match self.unsettled.is_empty() && self.beaten.is_empty() {
            true => Arc::clone(of_files),
            false => of_files.iter().chain(beaten).chain(&self.unsettled).cloned().collect(),
        };
    }

    /// Notes what became of files. Returns what is wrong and was not before with those that are beaten.
    pub(super) fn heed(&mut self, followed: &mut Followed) {
        self.of_files = (Arc::clone(&followed.snapshot.problems), followed.snapshot.refused);
        let beaten = std::mem::take(&mut followed.beaten);
        let known: HashSet<&Problem> = self.beaten.iter().map(|(_, problem)| problem).collect();
        let new = beaten.iter().map(|(_, one)| one).filter(|one| !known.contains(one));
        followed.problems.extend(new.cloned());
        self.beaten = beaten;
    }
}
