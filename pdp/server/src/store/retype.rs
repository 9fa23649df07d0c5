//! Policy types change: what is administered is translated again where its type says something else.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use pdp_onap::tosca::ServiceTemplate;
use pdp_onap::types::Types;

use super::administered::Key;
use super::candidate::Candidate;
use super::change::Change;
use super::problem::Problem;
use super::snapshot::{Identity, Snapshot};
use super::source::Sources;
use super::{Changes, Document, Refusal, Store, errors};

/// A snapshot whose administered policies are translated by its types.
#[derive(Debug)]
pub(super) struct Retyped {
    pub(super) snapshot: Snapshot,
    /// Policies that were looked at.
    keys: Vec<Key>,
    /// What policies have become.
    moved: Vec<(Key, Identity)>,
    /// Policies that go on as they were.
    pub(super) problems: Vec<Problem>,
}

impl Changes {
    /// Notes what policies have become, and which go on as they were. Returns the snapshot and what is
    /// wrong with those.
    pub(super) fn settle(&mut self, retyped: Retyped) -> (Snapshot, Vec<Problem>) {
        retyped.keys.iter().for_each(|key| self.forgive(key));
        self.administered.extend(retyped.moved);
        self.unsettled.extend(retyped.problems.iter().cloned());
        (retyped.snapshot, retyped.problems)
    }

    /// What was wrong with a policy is no longer told.
    pub(super) fn forgive(&mut self, (name, version): &Key) {
        if !self.unsettled.is_empty() {
            let label = format!("{name}:{version}");
            self.unsettled.retain(|problem| problem.file.as_os_str() != label.as_str());
        }
    }
}

impl Store {
    /// From here on the types `kept` and `coming` are all that are administered, if these policies can be
    /// used with them too. Deployed policies whose types say something else are translated again. `commit`
    /// makes it last; it is called when nothing else can fail. Blocks.
    ///
    /// # Errors
    /// A type, one of the policies or a deployed one cannot be used, or the commit failed; nothing has
    /// changed.
    pub fn define<E>(
        &self,
        kept: Vec<ServiceTemplate>,
        coming: Vec<ServiceTemplate>,
        documents: &[Document],
        commit: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), Refusal<E>> {
        let mut changes = self.changes();
        let (next, problems) = definable(&self.sources, &changes, &kept, &coming, documents);
        if !problems.is_empty() {
            return Err(Refusal::Policies(problems));
        }
        let base = self.current.load_full();
        let known = Snapshot { types: Arc::clone(&next), ..Snapshot::clone(&base) };
        let retyped = self.retype(&changes, known, &base.types);
        if !retyped.problems.is_empty() {
            return Err(Refusal::Policies(retyped.problems));
        }
        commit().map_err(Refusal::Commit)?;
        changes.ledger.types.administer(kept.into_iter().chain(coming).collect());
        let (snapshot, _) = changes.settle(retyped);
        self.swap(&mut changes, snapshot);
        self.follow(&mut changes, "policy types");
        Ok(())
    }

    /// What is wrong with types that come beside the administered ones that are `kept`, and with policies.
    pub fn check_definitions(
        &self,
        kept: &[ServiceTemplate],
        coming: &[ServiceTemplate],
        documents: &[Document],
    ) -> Vec<Problem> {
        definable(&self.sources, &self.changes(), kept, coming, documents).1
    }

    /// The same snapshot with the administered policies as its own types have them, which were `before`.
    pub(super) fn retype(&self, changes: &Changes, mut base: Snapshot, before: &Types) -> Retyped {
        let keys = affected(changes, &base, before);
        let mut problems = Vec::new();
        let mut candidates: Vec<Candidate> = Vec::new();
        if !keys.is_empty() {
            let kept = self.read.as_ref().map(|read| read(&keys)).unwrap_or_default();
            let read = self.sources.reader(&base.types).administered(&kept);
            (candidates, problems) = (read.candidates, errors(read.problems));
        }
        let left_out = |one: &Candidate| self.sources.excluded.contains(&one.application);
        candidates.retain(|one| !left_out(one));
        let mut seen: HashSet<Identity> = HashSet::new();
        let mut moved = Vec::with_capacity(candidates.len());
        loop {
            let key = |one: &Candidate| (one.name.to_string(), one.version.to_string());
            seen.clear();
            let add: Vec<&Candidate> =
                candidates.iter().filter(|one| seen.insert(one.identity())).collect();
            let out = candidates.iter().filter_map(|one| changes.administered.get(&key(one)));
            let out: HashSet<Identity> = out.cloned().collect();
            let change = Change { out: out.into_iter().collect(), add };
            let changed = self.sources.change(&base, &change);
            let refused: HashSet<Identity> =
                changed.refused.iter().map(|at| change.add[*at].identity()).collect();
            problems.extend(errors(changed.problems));
            if refused.is_empty() {
                base = changed.snapshot;
                moved.extend(candidates.iter().map(|one| (key(one), one.identity())));
                break;
            }
            candidates.retain(|one| !refused.contains(&one.identity()));
        }
        Retyped { snapshot: base, keys, moved, problems }
    }
}

/// The types that would be known, and what is wrong with those that come and with policies.
fn definable(
    sources: &Sources,
    changes: &Changes,
    kept: &[ServiceTemplate],
    coming: &[ServiceTemplate],
    documents: &[Document],
) -> (Arc<Types>, Vec<Problem>) {
    let (next, mut problems) = changes.ledger.types.with(kept, coming);
    // Of a type that is refused its policies say nothing new.
    let follows = |one: &Problem| matches!(one.code, "policy-type" | "type-definition");
    let of_types = !problems.is_empty();
    let found = errors(sources.reader(&next).administered(documents).problems).into_iter();
    problems.extend(found.filter(|one| !(of_types && follows(one))));
    (next, problems)
}

/// The administered policies whose types say something else than before.
fn affected(changes: &Changes, base: &Snapshot, before: &Types) -> Vec<Key> {
    let mut known: HashMap<&(Arc<str>, Arc<str>), bool> = HashMap::new();
    let administered = changes.administered.iter();
    let affected = administered.filter(|(_, identity)| {
        let deployed = base.policies.get(*identity);
        let policy_type = deployed.and_then(|deployed| deployed.policy_type.as_ref());
        policy_type.is_some_and(|named| {
            let (name, version) = named;
            *known
                .entry(named)
                .or_insert_with(|| before.digest(name, version) != base.types.digest(name, version))
        })
    });
    affected.map(|(key, _)| key.clone()).collect()
}
