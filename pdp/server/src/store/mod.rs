//! From files and administered policies to the current snapshot.
//!
//! Files are found ([`source`]), the types they define collected ([`types`](self::types)), and their
//! policies read and translated ([`read`]); what they hold is noted and told
//! apart by identity ([`ledger`]); what differs from the snapshot that decides becomes a change
//! ([`follow`]), which is compiled, one program per application ([`change`]). Where types change,
//! administered policies are translated again ([`retype`]). What comes out is a
//! [`Snapshot`] that never changes; a request takes it once and finishes on it. A policy that is
//! refused is named with its place and does not stop the others; where an earlier state of it
//! decided, that goes on.
//!
//! All changes are made one after another, off the threads that decide.

mod build;
mod change;
pub mod codes;
mod follow;
mod inspect;
mod ledger;
mod problem;
mod read;
mod retype;
mod snapshot;
mod source;
mod types;
mod watch;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::{ArcSwap, Guard};
use pdp_engine::error::Severity;
use pdp_onap::types::Types;

pub use build::Combining;
pub(crate) use inspect::inspect;
pub use problem::{Problem, Problems};
pub use retype::{Administered, Key, Read};
pub use snapshot::{Deployed, Identity, Snapshot, Source};
pub use source::Sources;
pub use watch::Watch;

use crate::failure::{Failure, counted};
use crate::telemetry::Deployments;
use change::Change;
use ledger::Ledger;
use read::{Candidate, Reading};

/// The policies that decide now.
pub struct Store {
    current: ArcSwap<Snapshot>,
    /// What was deployed and refused since the start.
    pub deployments: Deployments,
    sources: Sources,
    /// Called before a snapshot decides, with the number of operations that it counts to.
    counts_to: Box<dyn Fn(usize) + Send + Sync>,
    /// Reads administered policies again.
    read: Read,
    // Locked by whoever changes policies, never by a decision.
    changes: Mutex<Changes>,
}

/// What only changes need to know.
#[derive(Debug, Default)]
struct Changes {
    ledger: Ledger,
    /// The administered policies that decide, by name and version.
    administered: HashMap<Key, Identity>,
    /// What is wrong with administered policies that were refused, or go on as they were.
    unsettled: Vec<Problem>,
    /// Of those that say the same as others, how many there are beside the first.
    shared: HashMap<Identity, usize>,
    /// Snapshots that no longer decide, until the last request on them is answered: freeing a large
    /// one takes time that no request should pay.
    retired: Vec<Arc<Snapshot>>,
}

impl Changes {
    /// Notes that an administered policy decides.
    fn own(&mut self, candidate: &Candidate) {
        let identity = candidate.identity();
        let key = (candidate.name.clone(), candidate.version.clone());
        if candidate.repeatable && self.administered.values().any(|known| *known == identity) {
            *self.shared.entry(identity.clone()).or_default() += 1;
        }
        self.forgive(&key);
        self.administered.insert(key, identity);
    }

    /// Counts and tells what is wrong with administered policies too.
    fn tell(&self, snapshot: &mut Snapshot) {
        if !self.unsettled.is_empty() {
            snapshot.refused += self.unsettled.len();
            snapshot.problems = snapshot.problems.iter().chain(&self.unsettled).cloned().collect();
        }
    }
}

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
    fn label(&self) -> String {
        format!("{}:{}", self.name, self.version)
    }
}

/// Why policies are not deployed or undeployed; nothing has changed.
#[derive(Debug)]
pub enum Refusal<E> {
    /// What is wrong with them.
    Policies(Vec<Problem>),
    /// Policies that refer to one that would go.
    Needed(Vec<Arc<Deployed>>),
    /// They could not be made to last.
    Commit(E),
}

impl Store {
    /// Loads the policies of a service, files first; problems are logged. `counts_to` is called
    /// before policies decide, with the number of operations that they count to.
    ///
    /// # Errors
    /// A policy was refused and the sources are strict, or the roots cannot be combined.
    pub fn load(
        sources: Sources,
        administered: Administered,
        counts_to: impl Fn(usize) + Send + Sync + 'static,
    ) -> Result<Self, Failure> {
        let mut changes = Changes::default();
        let Administered { deployed, types, read } = administered;
        let mut candidates: Vec<Candidate> = Vec::with_capacity(deployed.len());
        let mut problems: Vec<Problem> = Vec::new();
        changes.ledger.types.administer(types.clone());
        if !deployed.is_empty() {
            for reading in read_administered(&deployed, &sources.types(types)) {
                candidates.extend(reading.candidates);
                problems.extend(reading.problems);
            }
        }
        candidates.retain(|candidate| !sources.excluded.contains(&candidate.application));
        let mut seen: HashSet<Identity> = HashSet::with_capacity(candidates.len());
        let (candidates, again): (Vec<Candidate>, Vec<Candidate>) =
            candidates.into_iter().partition(|one| seen.insert(one.identity()) || !one.repeatable);
        let mut first = sources.first(&mut changes.ledger, &candidates)?;
        changes.unsettled = errors(problems.clone());
        changes.tell(&mut first.snapshot);
        first.refused += changes.unsettled.len();
        first.problems.extend(problems);
        for candidate in candidates.iter().chain(&again) {
            if first.snapshot.policies.contains_key(&candidate.identity()) {
                changes.own(candidate);
            }
        }
        log(&first.problems);
        let (loaded, refused) = (first.snapshot.policies.len(), first.snapshot.refused);
        let policies = counted(loaded, "policy", "policies");
        if refused > 0 {
            tracing::warn!("{policies} loaded, {refused} refused");
        } else {
            tracing::info!("{policies} loaded, none refused");
        }
        if refused > 0 && sources.strict {
            return Err(Failure::refused(refused).hint(
                "without --strict the others would decide; `pdp check` lists what is wrong",
            ));
        }
        let deployments = Deployments::default();
        deployments.deployed.store(loaded as u64, Relaxed);
        deployments.refused.store(refused as u64, Relaxed);
        deployments.change();
        counts_to(first.snapshot.counts_to);
        Ok(Self {
            current: ArcSwap::from_pointee(first.snapshot),
            deployments,
            sources,
            counts_to: Box::new(counts_to),
            read,
            changes: Mutex::new(changes),
        })
    }

    /// The snapshot that decides now.
    pub fn current(&self) -> Guard<Arc<Snapshot>> {
        self.current.load()
    }

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
        let mut coming: HashMap<Identity, &Candidate> = HashMap::new();
        for candidate in &candidates {
            let identity = candidate.identity();
            let other = base.policies.get(&identity);
            let other = other.filter(|other| other.source == Source::Administration);
            let other = other.map(|other| format!("{}:{}", other.id, other.version));
            let other = other.or_else(|| coming.get(&identity).map(|other| other.name.clone()));
            match other {
                // Coordinations of the same loops say the same, however else they differ.
                Some(_) if candidate.repeatable => continue,
                Some(other) => return Err(Refusal::Policies(vec![same(candidate, &other)])),
                None => {}
            }
            if base.policies.contains_key(&identity) {
                change.out.push(identity.clone());
            }
            coming.insert(identity, candidate);
            change.add.push(candidate);
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
                let types = &base.types;
                let mut read = read::file(file, self.sources.file_bytes, types).candidates;
                read.retain(|candidate| candidate.identity() == *identity);
                read.truncate(1);
                read
            })
            .collect();
        let changed = self.sources.change(&base, &Change { out, add: instead.iter().collect() });
        if !changed.lost.is_empty() {
            return Err(Refusal::Needed(changed.lost));
        }
        commit().map_err(Refusal::Commit)?;
        left.retain(|_, others| *others > 0);
        changes.shared = left;
        for key in policies {
            changes.forgive(key);
            changes.administered.remove(key);
        }
        self.swap(&mut changes, changed.snapshot);
        Ok(())
    }

    /// Reads and translates policies without deploying them.
    ///
    /// # Errors
    /// Everything that is wrong with them.
    pub fn check_documents(&self, documents: &[Document]) -> Result<(), Vec<Problem>> {
        self.check(documents).map(drop)
    }

    fn check(&self, documents: &[Document]) -> Result<Vec<Candidate>, Vec<Problem>> {
        let mut candidates = Vec::with_capacity(documents.len());
        let mut problems = Vec::new();
        for reading in read_administered(documents, &self.current().types) {
            candidates.extend(reading.candidates);
            problems.extend(errors(reading.problems));
        }
        if problems.is_empty() { Ok(candidates) } else { Err(problems) }
    }

    /// Follows the files as they are now. Returns whether anything changed. Blocks.
    pub fn follow_files(&self) -> bool {
        let mut changes = self.changes();
        changes.retired.retain(|snapshot| Arc::strong_count(snapshot) > 1);
        self.follow(&mut changes, "policy files")
    }

    fn follow(&self, changes: &mut Changes, what: &str) -> bool {
        let base = self.current.load_full();
        let mut followed = match changes.ledger.follow(&self.sources, Some(&base), &[]) {
            Ok(Some(followed)) => followed,
            Ok(None) => return false,
            Err(failure) => {
                tracing::error!("the policies stay as they are: {failure}");
                return false;
            }
        };
        if !Arc::ptr_eq(&base.types, &followed.snapshot.types) {
            let retyped = self.retype(changes, followed.snapshot, &base.types);
            let (snapshot, problems) = changes.settle(retyped);
            followed.snapshot = snapshot;
            followed.problems.extend(problems);
        }
        changes.tell(&mut followed.snapshot);
        log(&followed.problems);
        tracing::info!(
            deployed = followed.deployed,
            undeployed = followed.undeployed,
            refused = followed.snapshot.refused,
            "the {what} have changed; deciding now: {}",
            counted(followed.snapshot.policies.len(), "policy", "policies")
        );
        let counters = &self.deployments;
        counters.deployed.fetch_add(followed.deployed as u64, Relaxed);
        counters.undeployed.fetch_add(followed.undeployed as u64, Relaxed);
        counters.refused.fetch_add(followed.refused as u64, Relaxed);
        if followed.deployed + followed.undeployed > 0 {
            counters.change();
        }
        self.swap(changes, followed.snapshot);
        true
    }

    fn swap(&self, changes: &mut Changes, next: Snapshot) {
        (self.counts_to)(next.counts_to);
        let before = self.current.swap(Arc::new(next));
        changes.retired.retain(|snapshot| Arc::strong_count(snapshot) > 1);
        changes.retired.push(before);
    }

    fn changes(&self) -> MutexGuard<'_, Changes> {
        // A change that panicked has not swapped: the ledger is at worst ahead of the snapshot.
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("current", &self.current).finish_non_exhaustive()
    }
}

fn same(candidate: &Candidate, other: &str) -> Problem {
    let message = format!(
        "`{}` becomes the policy `{}` version {}, and so does {other}: give it another identifier or version",
        candidate.name, candidate.policy.id, candidate.policy.version
    );
    Problem {
        policy: candidate.name.clone(),
        ..Problem::of_file(&candidate.file, Severity::Error, "conflicting-policy", message)
    }
}

fn errors(problems: Vec<Problem>) -> Vec<Problem> {
    problems.into_iter().filter(|problem| problem.severity == Severity::Error).collect()
}

/// Reads administered policies on all cores; their order is kept.
fn read_administered(documents: &[Document], types: &Types) -> Vec<Reading> {
    let read = |part: &[Document]| -> Vec<Reading> {
        part.iter().map(|one| read::administered(&one.content, &one.label(), types)).collect()
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if documents.len() < 64 {
        return read(documents);
    }
    std::thread::scope(|scope| {
        let parts = documents.chunks(documents.len().div_ceil(cores));
        let parts: Vec<_> = parts.map(|part| scope.spawn(move || read(part))).collect();
        let join = |part: std::thread::ScopedJoinHandle<'_, Vec<Reading>>| {
            part.join().expect("readers return what is wrong, they do not panic")
        };
        parts.into_iter().flat_map(join).collect()
    })
}

fn log(problems: &Problems) {
    for problem in problems.iter() {
        match problem.severity {
            Severity::Error => tracing::error!("{problem}"),
            Severity::Warning => tracing::warn!("{problem}"),
        }
    }
}
