//! From one snapshot to the next: policies are taken out and in, and what they touch is compiled.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use pdp_engine::compile::{Build, CompileLimits, Given, Lot};
use pdp_engine::error::{Diagnostic, Severity};
use pdp_engine::finder::{AttributeName, Catalogue, RequestOnly, Supplier};
use pdp_engine::model::{ExpectedAttribute, Policy, PolicyKind};
use pdp_engine::program::Root;
use pdp_onap::translate::self_counting;
use pdp_onap::types::Types;
use pdp_onap::{APPLICATIONS, Application};
use pdp_onap::{cores, pip};

use super::problem::Problem;
use super::read::Candidate;
use super::snapshot::{Deployed, Identity, Snapshot, Source};
use super::source::Sources;

/// What is to become different.
#[derive(Debug, Default)]
pub(super) struct Change<'c> {
    /// Policies that go.
    pub(super) out: Vec<Identity>,
    /// Policies that come, in this order.
    pub(super) add: Vec<&'c Candidate>,
}

/// What became of a change.
#[derive(Debug)]
pub(super) struct Changed {
    pub(super) snapshot: Snapshot,
    /// Errors of policies that are refused, warnings of the others.
    pub(super) problems: Vec<Problem>,
    /// Places in [`Change::add`] of the policies that are refused.
    pub(super) refused: Vec<usize>,
    /// Policies that were there and can no longer be: they refer to one that is gone.
    pub(super) lost: Vec<Arc<Deployed>>,
}

impl Sources {
    /// A snapshot without policies.
    pub(super) fn empty(&self, named: Option<(PolicyKind, Box<str>)>) -> Snapshot {
        let programs = std::array::from_fn(|at| {
            let application = APPLICATIONS[at].application;
            let mut root = Root::all(self.algorithm(application, false));
            if application == Application::Native {
                root.named = named.clone();
            }
            Build::new(root, &RequestOnly, CompileLimits::default()).finish().0
        });
        Snapshot {
            programs,
            policies: imbl::OrdMap::new(),
            types: Arc::new(Types::standard().clone()),
            counts_to: 0,
            refused: 0,
            problems: Arc::from([]),
            build_time: Duration::ZERO,
        }
    }

    /// The snapshot that comes after `base`, which stays as it is. Programs that the change does not
    /// touch are shared.
    pub(super) fn change(&self, base: &Snapshot, change: &Change<'_>) -> Changed {
        let started = Instant::now();
        let mut changed = Changed {
            snapshot: base.clone(),
            problems: Vec::new(),
            refused: Vec::new(),
            lost: Vec::new(),
        };
        let guard = Guard { retention: self.retention };
        for row in APPLICATIONS {
            let application = row.application;
            let mine = |identity: &&Identity| identity.application == application;
            let step = Step {
                base,
                application,
                out: change.out.iter().filter(mine).collect(),
                add: change
                    .add
                    .iter()
                    .enumerate()
                    .filter(|(_, candidate)| candidate.application == application)
                    .map(|(at, candidate)| (at, *candidate))
                    .collect(),
            };
            if !(step.out.is_empty() && step.add.is_empty()) {
                let catalogue: &dyn Catalogue =
                    if application == Application::Guard { &guard } else { &pip::Unaided };
                step.take(self, catalogue, &mut changed);
            }
        }
        changed.refused.sort_unstable();
        changed.snapshot.build_time = started.elapsed();
        changed
    }
}

/// Fewer policies are not worth a thread.
const COMPILED_ALONE: usize = 512;

/// What is to become different in one application.
struct Step<'c> {
    base: &'c Snapshot,
    application: Application,
    out: Vec<&'c Identity>,
    add: Vec<(usize, &'c Candidate)>,
}

impl Step<'_> {
    fn take(&self, sources: &Sources, catalogue: &dyn Catalogue, changed: &mut Changed) {
        let program = self.base.program(self.application);
        let mut build = Build::from(program, catalogue, CompileLimits::default());
        for identity in &self.out {
            build.remove(identity.kind, &identity.id, &identity.version);
            changed.snapshot.policies.remove(*identity);
        }
        let policies: Vec<(Cow<'_, Policy>, Cow<'_, str>)> = self
            .add
            .iter()
            .map(|(_, candidate)| {
                let policy = match sources.record_permits {
                    true => self_counting::counting(&candidate.policy),
                    false => Cow::Borrowed(&candidate.policy),
                };
                (policy, candidate.file.to_string_lossy())
            })
            .collect();
        let given: Vec<Given<'_>> = policies.iter().map(|(one, file)| (&**one, &**file)).collect();
        let share = cores::share(given.len(), COMPILED_ALONE);
        let outcomes = build.add_all(&given, share, |lots| cores::map(lots, 1, Lot::compile));
        let mut taken = Vec::with_capacity(self.add.len());
        for ((at, candidate), outcome) in self.add.iter().zip(outcomes) {
            match outcome {
                Ok(()) => taken.push((*at, *candidate)),
                Err(found) => {
                    changed.refused.push(*at);
                    changed.problems.extend(found.into_iter().map(|one| candidate.problem(one)));
                }
            }
        }
        let new: HashMap<&str, &Candidate> =
            self.add.iter().map(|(_, one)| (&*one.policy.id, *one)).collect();
        changed.problems.extend(build.warnings().iter().map(|found| self.locate(&new, found)));
        let (mut program, linked) = build.finish();
        changed.problems.extend(linked.iter().map(|found| self.locate(&new, found)));
        if linked.iter().any(|found| found.severity == Severity::Error) {
            let there: HashSet<_> = program.policies().collect();
            taken.retain(|(at, one)| {
                let kept = there.contains(&(one.policy.kind, &*one.policy.id, &one.policy.version));
                if !kept {
                    changed.refused.push(*at);
                }
                kept
            });
            let policies = &mut changed.snapshot.policies;
            let lost: Vec<Identity> = policies
                .keys()
                .filter(|one| one.application == self.application)
                .filter(|one| !there.contains(&(one.kind, &*one.id, &one.version)))
                .cloned()
                .collect();
            changed.lost.extend(lost.iter().filter_map(|identity| policies.remove(identity)));
        }
        let now = Timestamp::now();
        for (_, candidate) in taken {
            let deployed = candidate.deployed(now);
            changed.snapshot.policies.insert(candidate.identity(), Arc::new(deployed));
            changed.snapshot.counts_to = changed.snapshot.counts_to.max(candidate.counts_to);
        }
        let root = self.root(sources, program.root(), &changed.snapshot);
        if root != *program.root() {
            let mut again = Build::from(&program, catalogue, CompileLimits::default());
            again.start_from(root);
            program = again.finish().0;
        }
        changed.snapshot.programs[self.application as usize] = program;
    }

    /// What decisions start from: policies written in XACML are combined by where they come from.
    fn root(&self, sources: &Sources, root: &Root, next: &Snapshot) -> Root {
        let tosca = self.application == Application::Native
            && next.policies.iter().any(|(identity, deployed)| {
                identity.application == Application::Native && deployed.policy_type.is_some()
            });
        Root { combining: sources.algorithm(self.application, tosca), named: root.named.clone() }
    }

    /// A problem with the file of its policy, which may be one that was there before.
    fn locate(&self, new: &HashMap<&str, &Candidate>, found: &Diagnostic) -> Problem {
        if let Some(candidate) = new.get(found.policy.as_str()) {
            return candidate.problem(found.clone());
        }
        let known = self.base.policies.iter().find(|(identity, _)| {
            identity.application == self.application && *identity.id == *found.policy
        });
        let file = known.map(|(_, deployed)| match &deployed.source {
            Source::File(path) => Arc::clone(path),
            Source::Administration => Arc::from(Path::new(&*deployed.id)),
        });
        let file = file.unwrap_or_else(|| Arc::from(Path::new(&found.policy)));
        Problem::of_diagnostic(&file, found.clone())
    }
}

/// The operations history as guard policies may ask it: not beyond what it keeps.
struct Guard {
    retention: Duration,
}

impl Catalogue for Guard {
    fn supplier(&self, name: &AttributeName) -> Result<Option<Supplier>, String> {
        let Some(supplier) = pip::Guard.supplier(name)? else { return Ok(None) };
        let window = u64::try_from(supplier.number).unwrap_or_default();
        if window > self.retention.as_secs() {
            return Err(format!(
                "a window of {window} seconds is longer than operations are kept ({} seconds): \
                 shorten it, or raise history.retention",
                self.retention.as_secs()
            ));
        }
        Ok(Some(supplier))
    }

    fn expected(&self) -> &'static [ExpectedAttribute] {
        pip::Guard.expected()
    }
}
