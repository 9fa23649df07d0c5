//! From one snapshot to the next: compiled policies are taken out and in, and what they touch is linked.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use pdp_engine::compile::{Build, CompileLimits};
use pdp_engine::error::{Diagnostic, Severity};
use pdp_engine::finder::{Catalogue, RequestOnly};
use pdp_engine::model::PolicyKind;
use pdp_engine::program::Root;
use pdp_onap::types::Types;
use pdp_onap::{APPLICATIONS, Application, cores};

use super::Store;
use super::candidate::Candidate;
use super::problem::Problem;
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
        let guard = self.guard();
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
                step.take(self, guard.catalogue(application), &mut changed);
            }
        }
        changed.refused.sort_unstable();
        changed.snapshot.build_time = started.elapsed();
        changed
    }
}

/// What is to become different in one application.
struct Step<'c> {
    base: &'c Snapshot,
    application: Application,
    out: Vec<&'c Identity>,
    add: Vec<Numbered<'c>>,
}

/// A candidate with its place among all that come.
type Numbered<'c> = (usize, &'c Candidate);

/// The same with why it is refused.
type Refusal<'c> = (usize, &'c Candidate, Vec<Diagnostic>);

impl Step<'_> {
    fn take(&self, sources: &Sources, catalogue: &dyn Catalogue, changed: &mut Changed) {
        let program = self.base.program(self.application);
        let mut build = Build::from(program, catalogue, CompileLimits::default());
        for identity in &self.out {
            build.remove(identity.kind, &identity.id, &identity.version);
            changed.snapshot.policies.remove(*identity);
        }
        let (mut taken, refused) = self.candidates(&mut build);
        for (at, candidate, found) in refused {
            changed.refused.push(at);
            // What a translation asks for at several places stands at one place in its source.
            for problem in found.into_iter().map(|one| candidate.problem(one)) {
                if !changed.problems.contains(&problem) {
                    changed.problems.push(problem);
                }
            }
        }
        let warnings = build.warnings().to_vec();
        let now = Timestamp::now();
        let mut policies = std::mem::take(&mut changed.snapshot.policies);
        let note = || {
            let come = taken.iter().map(|(_, one)| (one.identity(), Arc::new(one.deployed(now))));
            policies.extend(come);
            policies
        };
        let many = taken.len() >= Store::MANY;
        let ((mut program, linked), mut policies) = cores::both(many, || build.finish(), note);
        changed.problems.extend(self.located(warnings.iter().chain(&linked)));
        if linked.iter().any(|found| found.severity == Severity::Error) {
            let there: HashSet<_> = program.policies().collect();
            taken.retain(|(at, one)| {
                let kept = there.contains(&(one.kind, &*one.id, &one.number));
                if !kept {
                    changed.refused.push(*at);
                    policies.remove(&one.identity());
                }
                kept
            });
            let lost: Vec<Identity> = policies
                .keys()
                .filter(|one| one.application == self.application)
                .filter(|one| !there.contains(&(one.kind, &*one.id, &one.version)))
                .cloned()
                .collect();
            changed.lost.extend(lost.iter().filter_map(|identity| policies.remove(identity)));
        }
        changed.snapshot.policies = policies;
        let counts_to = taken.iter().map(|(_, candidate)| candidate.counts_to);
        let counts_to = counts_to.chain([changed.snapshot.counts_to]).max();
        changed.snapshot.counts_to = counts_to.unwrap_or_default();
        let root = self.root(sources, program.root(), &changed.snapshot);
        if root != *program.root() {
            let mut again = Build::from(&program, catalogue, CompileLimits::default());
            again.start_from(root);
            program = again.finish().0;
        }
        changed.snapshot.programs[self.application as usize] = program;
    }

    /// Takes the candidates in. Returns those that are taken, and those that are refused with the reasons.
    fn candidates(&self, build: &mut Build<'_>) -> (Vec<Numbered<'_>>, Vec<Refusal<'_>>) {
        build.reserve(self.add.len());
        let (mut taken, mut refused) = (Vec::with_capacity(self.add.len()), Vec::new());
        for of_lot in self.add.chunk_by(|(_, a), (_, b)| Arc::ptr_eq(&a.lot, &b.lot)) {
            let lot = &of_lot[0].1.lot;
            let whole = of_lot.len() == lot.len()
                && of_lot.iter().enumerate().all(|(place, (_, one))| one.place == place);
            if whole && build.take_all(lot) {
                taken.extend_from_slice(of_lot);
                continue;
            }
            for (at, candidate) in of_lot {
                match build.take(lot, candidate.place) {
                    Ok(()) => taken.push((*at, *candidate)),
                    Err(found) => refused.push((*at, *candidate, found)),
                }
            }
        }
        (taken, refused)
    }

    /// What decisions start from: policies written in XACML are combined by where they come from.
    fn root(&self, sources: &Sources, root: &Root, next: &Snapshot) -> Root {
        let tosca = self.application == Application::Native
            && next.policies.iter().any(|(identity, deployed)| {
                identity.application == Application::Native && deployed.policy_type.is_some()
            });
        Root { combining: sources.algorithm(self.application, tosca), named: root.named.clone() }
    }

    /// Problems with the files of their policies.
    fn located<'d>(&self, found: impl Iterator<Item = &'d Diagnostic>) -> Vec<Problem> {
        let mut found = found.peekable();
        if found.peek().is_none() {
            return Vec::new();
        }
        let new = self.add.iter().map(|(_, one)| (&*one.id, *one)).collect();
        found.map(|found| self.locate(&new, found)).collect()
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
