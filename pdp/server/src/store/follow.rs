//! From the files as they are now to the next snapshot.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use pdp_engine::error::Severity;

use super::candidate::Candidate;
use super::change::{Change, Changed};
use super::ledger::{Entry, Ledger, Settled};
use super::problem::{Problem, Problems};
use super::read::Reading;
use super::snapshot::{Identity, Snapshot, Source};
use super::source::Sources;
use crate::failure::Failure;
use crate::stamp::Stamp;

/// What came of following the files.
#[derive(Debug)]
pub(super) struct Followed {
    pub(super) snapshot: Snapshot,
    /// What is wrong with files that were read, and with what changed by them.
    pub(super) problems: Problems,
    /// Policies that are new, or say something new.
    pub(super) deployed: usize,
    /// Policies that are gone.
    pub(super) undeployed: usize,
    /// Policies that are refused and were not before.
    pub(super) refused: usize,
    /// Policies in whose place administered ones decide that say something else.
    pub(super) beaten: Vec<(Identity, Problem)>,
}

impl Ledger {
    /// Reads what changed and makes the snapshot that follows `base`; nothing where nothing changed.
    /// Without a base everything is read, and `administered` comes after the files.
    ///
    /// # Errors
    /// The root that is named cannot be used.
    pub(super) fn follow(
        &mut self,
        sources: &Sources,
        base: Option<&Snapshot>,
        administered: &[Candidate],
    ) -> Result<Option<Followed>, Failure> {
        let mut problems = Problems::default();
        let (files, away) = sources.present(&mut problems);
        let elsewhere = away != self.away;
        self.away = away;
        let stamped = |file: Arc<Path>| {
            let stamp = Stamp::of(&file);
            (file, stamp)
        };
        let mut present: Vec<(Arc<Path>, Stamp)> = files.into_iter().map(stamped).collect();
        present.retain(|(file, stamp)| *stamp != Stamp::default() || !sources.has_gone(file));
        let mut order: Vec<Arc<Path>> = present.iter().map(|(file, _)| Arc::clone(file)).collect();
        let unreachable: Vec<Problem> =
            problems.iter().filter(|one| one.severity == Severity::Error).cloned().collect();
        let gone = self.forget(&order) || elsewhere;
        let known = |file: &Arc<Path>| self.files.get(file).map(|entry| entry.stamp);
        let fresh = present.iter().any(|(file, stamp)| known(file) != Some(*stamp));
        let retyped = std::mem::take(&mut self.types.renewed);
        if !gone && !fresh && !retyped && base.is_some() {
            return Ok(None);
        }
        let mut stale = present.clone();
        stale.retain(|(file, stamp)| {
            self.files.get(file).is_none_or(|entry| entry.stamp != *stamp || entry.retry)
        });
        let there: HashSet<&Arc<Path>> = order.iter().chain(self.files.keys()).collect();
        let changed = stale.iter().map(|(file, _)| file);
        let differ = self.types.follow(|file| there.contains(file), changed, sources.file_bytes);
        if differ || retyped {
            // Whatever a policy says, it may say something else by its new type.
            problems.extend(self.types.problems.iter().cloned());
            let known: HashSet<Arc<Path>> =
                stale.iter().map(|(file, _)| Arc::clone(file)).collect();
            let types = &self.types.types;
            stale.extend(present.into_iter().filter(|(file, _)| {
                let differs = |entry: &Entry| entry.differs_by(types);
                !known.contains(file) && self.files.get(file).is_none_or(differs)
            }));
        }
        order.extend(self.unreachable(&order));

        let refused_before = base.map_or(0, |base| base.refused);
        let mut candidates = self.read(sources, &stale, &mut problems);
        // What a first look finds is mostly told apart by names and versions alone.
        let plain = base.is_none() && all_differ(candidates.iter().chain(administered));
        let base = match base {
            Some(base) => base.clone(),
            None => sources.empty(sources.named_root(&candidates)?),
        };
        let settled = if plain { Settled::default() } else { self.settle(&order, &base) };
        problems.extend(settled.problems.iter().cloned());
        let (conflicting, conflicts) = (settled.refused, settled.problems.clone());
        let beaten = settled.beaten(&base, administered);
        let ours: HashSet<Identity> = administered.iter().map(|one| one.identity()).collect();
        let wanted = wanted(&settled.wanted, &base, &ours);
        let out = outdated(&settled.wanted, &wanted, &base);
        if !plain {
            self.read_again(sources, &wanted, &mut candidates);
            let place: HashMap<&Path, usize> =
                order.iter().enumerate().map(|(at, file)| (&**file, at)).collect();
            candidates.sort_by_cached_key(|candidate| place.get(&*candidate.file).copied());
        }
        let mut open = wanted;
        let add: Vec<&Candidate> = candidates
            .iter()
            .filter(|candidate| {
                let mut mine = || {
                    let identity = candidate.identity();
                    let mine = open.get(&identity).is_some_and(|file| *file == candidate.file);
                    mine && open.remove(&identity).is_some()
                };
                plain || mine()
            })
            .chain(administered)
            .collect();
        let gone_for_good = match out.is_empty() {
            true => 0,
            false => {
                let coming: HashSet<Identity> = add.iter().map(|one| one.identity()).collect();
                out.iter().filter(|identity| !coming.contains(identity)).count()
            }
        };
        let (mut changed, added) = self.apply(sources, &base, Change { out, add });
        let lost = changed.lost.len();
        let of_types = |one: &&Problem| one.severity == Severity::Error;
        let refused = unreachable.len()
            + self.types.problems.iter().filter(of_types).count()
            + conflicting
            + lost
            + changed.refused.len()
            + self.files.values().map(|entry| entry.refused).sum::<usize>();
        problems.extend(changed.problems.iter().cloned());
        problems.sort();
        let errors = self
            .files
            .values()
            .flat_map(|entry| &entry.problems)
            .chain(&self.types.problems)
            .chain(&conflicts)
            .chain(&unreachable)
            .chain(&changed.problems)
            .filter(|problem| problem.severity == Severity::Error);
        let mut all = Problems::default();
        all.extend(errors.cloned());
        all.sort();
        changed.snapshot.problems = all.iter().cloned().collect();
        changed.snapshot.refused = refused;
        changed.snapshot.types = Arc::clone(&self.types.types);
        Ok(Some(Followed {
            snapshot: changed.snapshot,
            problems,
            deployed: added,
            undeployed: gone_for_good + lost,
            refused: refused.saturating_sub(refused_before),
            beaten,
        }))
    }

    /// Forgets files that are gone; those of a folder that is away as a whole stay.
    fn forget(&mut self, order: &[Arc<Path>]) -> bool {
        let there: HashSet<&Path> = order.iter().map(|file| &**file).collect();
        let before = self.files.len();
        let away = &self.away;
        self.files.retain(|file, _| {
            there.contains(&**file) || away.iter().any(|folder| file.starts_with(folder))
        });
        self.files.len() < before
    }

    /// Files that cannot be looked at and were not forgotten.
    fn unreachable(&self, order: &[Arc<Path>]) -> Vec<Arc<Path>> {
        let there: HashSet<&Arc<Path>> = order.iter().collect();
        self.files.keys().filter(|file| !there.contains(file)).cloned().collect()
    }

    fn read(
        &mut self,
        sources: &Sources,
        stale: &[(Arc<Path>, Stamp)],
        problems: &mut Problems,
    ) -> Vec<Candidate> {
        let files: Vec<Arc<Path>> = stale.iter().map(|(file, _)| Arc::clone(file)).collect();
        let mut candidates = Vec::new();
        for ((file, stamp), reading) in stale.iter().zip(sources.read(&files, &self.types.types)) {
            let mut reading: Reading = reading;
            // Gone since it was listed: the next look forgets it.
            if reading.refused > 0 && sources.has_gone(file) {
                continue;
            }
            let wanted = |candidate: &Candidate| !sources.excluded.contains(&candidate.application);
            reading.candidates.retain(wanted);
            self.note(file, *stamp, &reading);
            problems.extend(reading.problems);
            candidates.extend(reading.candidates);
        }
        candidates
    }

    /// Reads files that did not change and hold a policy that is wanted now.
    fn read_again(
        &self,
        sources: &Sources,
        wanted: &HashMap<Identity, Arc<Path>>,
        candidates: &mut Vec<Candidate>,
    ) {
        let read: HashSet<Identity> = candidates.iter().map(|one| one.identity()).collect();
        let missing: HashSet<&Arc<Path>> =
            wanted.iter().filter(|(one, _)| !read.contains(one)).map(|(_, file)| file).collect();
        let missing: Vec<Arc<Path>> = missing.into_iter().cloned().collect();
        let read = sources.read(&missing, &self.types.types);
        candidates.extend(read.into_iter().flat_map(|read| read.candidates));
    }

    /// Takes the change. A policy that is refused leaves in place what it would have replaced.
    /// Returns also how many policies came in.
    fn apply(
        &mut self,
        sources: &Sources,
        base: &Snapshot,
        mut change: Change<'_>,
    ) -> (Changed, usize) {
        let mut found: Vec<Problem> = Vec::new();
        loop {
            let mut changed = sources.change(base, &change);
            let refused: Vec<&Candidate> =
                changed.refused.iter().map(|at| change.add[*at]).collect();
            let mut again = false;
            for candidate in refused.iter().filter(|candidate| !candidate.administered) {
                let (kept, out) = change.out.into_iter().partition(|identity| {
                    base.policies.get(identity).is_some_and(|deployed| {
                        *deployed.id == *candidate.name
                            && deployed.source == Source::File(Arc::clone(&candidate.file))
                    })
                });
                change.out = out;
                let kept: Vec<Identity> = kept;
                again |= !kept.is_empty();
                let kept = kept.into_iter().filter_map(|identity| {
                    let digest = base.policies.get(&identity)?.digest;
                    Some((identity, digest))
                });
                let (its, others) = changed.problems.into_iter().partition(|problem| {
                    problem.file == candidate.file && *problem.policy == *candidate.id
                });
                changed.problems = others;
                let its: Vec<Problem> = its;
                self.refuse(candidate, kept, its.iter().cloned());
                found.extend(its);
            }
            let gone = std::mem::take(&mut changed.refused);
            let (administered, files): (Vec<usize>, Vec<usize>) =
                gone.into_iter().partition(|at| change.add[*at].administered);
            if !again {
                let added = change.add.len() - administered.len() - files.len();
                changed.refused = administered;
                changed.problems.extend(found);
                return (changed, added);
            }
            let mut at = 0;
            change.add.retain(|_| {
                at += 1;
                !files.contains(&(at - 1))
            });
        }
    }
}

/// Whether no two of them have the same identity.
fn all_differ<'c>(candidates: impl Iterator<Item = &'c Candidate>) -> bool {
    let mut seen = foldhash::HashSet::with_capacity_and_hasher(
        candidates.size_hint().0,
        foldhash::fast::RandomState::default(),
    );
    let mut candidates = candidates;
    candidates.all(|one| seen.insert((one.application, one.kind, &*one.id, &one.number)))
}

/// What the files have and the snapshot lacks, with the file to take it from. What is administered
/// beats files.
fn wanted(
    settled: &HashMap<&Identity, (&Arc<Path>, u64)>,
    base: &Snapshot,
    administered: &HashSet<Identity>,
) -> HashMap<Identity, Arc<Path>> {
    settled
        .iter()
        .filter(|(identity, (_, digest))| {
            let decides = base.policies.get(**identity);
            let settled = decides.is_some_and(|deployed| {
                deployed.source == Source::Administration || deployed.digest == *digest
            });
            !settled && !administered.contains(**identity)
        })
        .map(|(identity, (file, _))| ((*identity).clone(), Arc::clone(file)))
        .collect()
}

/// What came from files and is not there any more, or is to be replaced.
fn outdated(
    settled: &HashMap<&Identity, (&Arc<Path>, u64)>,
    wanted: &HashMap<Identity, Arc<Path>>,
    base: &Snapshot,
) -> Vec<Identity> {
    base.policies
        .iter()
        .filter(|(_, deployed)| deployed.source != Source::Administration)
        .filter(|(identity, _)| !settled.contains_key(identity) || wanted.contains_key(identity))
        .map(|(identity, _)| identity.clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Xacml;
    use crate::store::Combining;

    #[test]
    fn a_file_that_goes_between_looking_and_reading_is_no_fault() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let combining = Combining::of(&Xacml::default()).expect("it names none");
        let sources = Sources::of_paths(&[folder.path().to_owned()], combining);
        let sources = sources.expect("the folder is there");
        let gone: Arc<Path> = Arc::from(folder.path().join("gone.yaml"));
        let (mut ledger, mut problems) = (Ledger::default(), Problems::default());
        let read = ledger.read(&sources, &[(gone, Stamp::default())], &mut problems);
        assert!(read.is_empty() && ledger.files.is_empty());
        assert_eq!(problems.iter().len(), 0, "{problems:?}");
    }
}
