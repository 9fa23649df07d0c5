//! From files and administered policies to the current snapshot.
//!
//! Files are found ([`source`]), the types they define collected ([`types`](self::types)), and their
//! policies read, translated and compiled ([`read`], [`lots`]); what they hold is noted and told apart by
//! identity ([`ledger`]); what differs from the snapshot that decides becomes a change ([`follow`]), which
//! is taken into one program per application ([`change`]). Policies that are administered are there from the
//! start ([`administered`]), and come and go by [`deploy`]; where types change, they are translated again
//! ([`retype`]). What comes out is a [`Snapshot`] that never changes; a request takes it once and finishes on
//! it. A policy that is refused is named with its place and does not stop the others; where an earlier state
//! of it decided, that goes on.
//!
//! All changes are made one after another, off the threads that decide.

mod administered;
mod build;
mod candidate;
mod change;
mod changes;
pub mod codes;
mod deploy;
mod follow;
mod inspect;
mod ledger;
mod lots;
mod problem;
mod read;
mod retype;
mod snapshot;
mod source;
mod types;
mod watch;

use std::collections::HashSet;
use std::fmt;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::{ArcSwap, Guard};
use pdp_engine::error::Severity;

pub use administered::{Administered, HandOver, Key, Read};
pub use build::Combining;
pub use deploy::{Document, Refusal};
pub(crate) use inspect::inspect;
pub use problem::{Problem, Problems};
pub use snapshot::{Deployed, Identity, Snapshot, Source};
pub use source::Sources;
pub use watch::Watch;

use crate::failure::{Failure, counted};
use crate::telemetry::{Deployments, give_back};
use candidate::Candidate;
use changes::Changes;
use read::Reading;

/// The policies that decide now.
pub struct Store {
    current: ArcSwap<Snapshot>,
    /// What was deployed and refused since the start.
    pub deployments: Deployments,
    sources: Sources,
    /// Called before a snapshot decides, with the number of operations that it counts to.
    counts_to: Box<dyn Fn(usize) + Send + Sync>,
    /// Reads administered policies again; none where nothing keeps them.
    read: Option<Read>,
    // Locked by whoever changes policies, never by a decision.
    changes: Mutex<Changes>,
}

impl Store {
    /// Reading so many policies leaves memory behind that is worth giving back.
    pub const MANY: usize = 1_000;

    /// Loads the policies of a service, files first; problems are logged. `counts_to` is called
    /// before policies decide, with the number of operations that they count to.
    ///
    /// # Errors
    /// A policy was refused and the sources are strict, the roots cannot be combined, or what is deployed
    /// cannot be handed over.
    pub fn load(
        sources: Sources,
        administered: Administered,
        counts_to: impl Fn(usize) + Send + Sync + 'static,
    ) -> Result<Self, Failure> {
        let mut changes = Changes::default();
        let Administered { deployed, types, read } = administered;
        changes.ledger.types.administer(types.clone());
        let Reading { mut candidates, problems, .. } = sources.administered(deployed, &types)?;
        candidates.retain(|candidate| !sources.excluded.contains(&candidate.application));
        let mut again: Vec<Candidate> = Vec::new();
        if candidates.iter().any(|one| one.repeatable) {
            let mut seen: HashSet<Identity> = HashSet::with_capacity(candidates.len());
            (candidates, again) = candidates
                .into_iter()
                .partition(|one| seen.insert(one.identity()) || !one.repeatable);
        }
        let mut first = sources.first(&mut changes.ledger, &candidates)?;
        changes.unsettled = errors(problems.clone());
        changes.heed(&mut first);
        changes.tell(&mut first.snapshot);
        first.refused += changes.unsettled.len();
        first.problems.extend(problems);
        changes.administered.reserve(candidates.len());
        for candidate in candidates.iter().chain(&again) {
            if first.refused == 0 || first.snapshot.policies.contains_key(&candidate.identity()) {
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
        changes.heed(&mut followed);
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
        let changed = followed.deployed + followed.undeployed;
        if changed > 0 {
            counters.change();
        }
        self.swap(changes, followed.snapshot);
        if changed >= Self::MANY {
            give_back();
        }
        true
    }

    fn swap(&self, changes: &mut Changes, mut next: Snapshot) {
        changes.tell(&mut next);
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

fn errors(problems: Vec<Problem>) -> Vec<Problem> {
    problems.into_iter().filter(|problem| problem.severity == Severity::Error).collect()
}

fn log(problems: &Problems) {
    for problem in problems.iter() {
        match problem.severity {
            Severity::Error => tracing::error!("{problem}"),
            Severity::Warning => tracing::warn!("{problem}"),
        }
    }
}
