//! From models to a program: resolve, check, lower, fold, index.
//!
//! Everything that can be settled before a decision is settled here, and every problem of a policy
//! is reported at once. A policy with an error is refused and named; it never stays in a program as
//! a broken part, and the others are not touched by it.

mod asked;
mod call;
pub mod diagnostics;
mod expression;
mod fold;
mod link;
mod lint;
mod lot;
mod lower;
mod slot;

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use crate::error::{Diagnostic, Position, Severity};
use crate::finder::Catalogue;
use crate::function::Pattern;
use crate::model::{Policy, PolicyKind, PolicyReference, Version};
use crate::program::segment::{Frame, Growing, Segment};
use crate::program::slots::SlotTable;
use crate::program::{Bits, Location, Part, Program, Root};

pub use lot::{Lot, LotBuilder, Outcome};

/// What a policy may need at most. Each limit is named with its value when it is exceeded.
#[derive(Clone, Copy, Debug)]
pub struct CompileLimits {
    /// Policies nested in policies.
    pub policy_depth: usize,
    /// Expressions nested in expressions.
    pub expression_depth: usize,
    /// References followed one after another.
    pub reference_depth: usize,
    /// Variables that refer to variables, one after another.
    pub variable_depth: usize,
}

impl Default for CompileLimits {
    fn default() -> Self {
        Self { policy_depth: 64, expression_depth: 128, reference_depth: 64, variable_depth: 64 }
    }
}

/// Collects changes to a program, then makes the next one.
pub struct Build<'c> {
    catalogue: &'c dyn Catalogue,
    limits: CompileLimits,
    base: Program,
    growing: Growing,
    lowered: lower::Lowered,
    removed: HashSet<Location>,
    taking: Option<lot::Taking>,
    warnings: Vec<Diagnostic>,
    refused: Vec<Refused>,
    patterns: HashMap<String, Arc<Pattern>>,
}

impl<'c> Build<'c> {
    /// Begins with no policies.
    pub fn new(root: Root, catalogue: &'c dyn Catalogue, limits: CompileLimits) -> Self {
        let base = Program {
            root,
            slots: Arc::new(SlotTable::default()),
            parts: Vec::new(),
            next_sequence: 0,
            policies: 0,
        };
        Self::from(&base, catalogue, limits)
    }

    /// Begins with the policies of `program`, which stays as it is.
    pub fn from(program: &Program, catalogue: &'c dyn Catalogue, limits: CompileLimits) -> Self {
        let mut base = program.clone();
        let expected = catalogue.expected();
        if !expected.is_empty() && !base.slots.takes(expected) {
            Arc::make_mut(&mut base.slots).expect(expected);
        }
        Self {
            catalogue,
            limits,
            base,
            growing: Growing::default(),
            lowered: lower::Lowered::default(),
            removed: HashSet::new(),
            taking: None,
            warnings: Vec::new(),
            refused: Vec::new(),
            patterns: HashMap::new(),
        }
    }

    /// Compiles a policy and takes it in after those that are there. `source` names the document it
    /// was read from.
    ///
    /// # Errors
    /// Every problem of the policy, at least one of them an error; it is not taken in.
    pub fn add(&mut self, policy: &Policy, source: &str) -> Outcome {
        if self.holds(policy.kind, &policy.id, &policy.version) {
            return Err(vec![duplicate(&policy.id, &policy.version, policy.position, source)]);
        }
        let slots = Arc::make_mut(&mut self.base.slots);
        let sequence = self.base.next_sequence;
        let (patterns, limits) = (&mut self.patterns, self.limits);
        let lowered = &mut self.lowered;
        lower::lower(policy, source, self.catalogue, slots, patterns, limits, lowered);
        if lowered.diagnostics.iter().any(|found| found.severity == Severity::Error) {
            let found = std::mem::take(&mut lowered.diagnostics);
            self.refused.push(Refused::new(policy, source, &lowered.frame));
            return Err(found);
        }
        self.warnings.append(&mut lowered.diagnostics);
        self.base.next_sequence += 1;
        let place = self.growing.push(&lowered.code, &lowered.frame, source, sequence);
        self.growing.identify(place);
        Ok(())
    }

    /// Whether a policy of this identity is there.
    fn holds(&self, kind: PolicyKind, id: &str, version: &Version) -> bool {
        self.growing.holds(kind, id, version)
            || self
                .base
                .locate(kind, id, version)
                .is_some_and(|location| !self.removed.contains(&location))
    }

    /// Says what is wrong with a policy that is not to be taken in, because its document has problems
    /// of its own. Its references are looked at when the whole is there, in [`Build::finish`].
    pub fn inspect(&mut self, policy: &Policy, source: &str) -> Vec<Diagnostic> {
        let mut slots = SlotTable::default();
        let mut lowered = lower::Lowered::default();
        let (patterns, limits) = (&mut self.patterns, self.limits);
        lower::lower(policy, source, self.catalogue, &mut slots, patterns, limits, &mut lowered);
        self.refused.push(Refused::new(policy, source, &lowered.frame));
        lowered.diagnostics
    }

    /// Takes a policy of the program it began with out; false where there is none of this identity.
    pub fn remove(&mut self, kind: PolicyKind, id: &str, version: &Version) -> bool {
        let found = self.base.locate(kind, id, version).filter(|at| !self.removed.contains(at));
        self.removed.extend(found);
        found.is_some()
    }

    /// Changes what decisions start from.
    pub fn start_from(&mut self, root: Root) {
        self.base.root = root;
    }

    /// What is legal in the policies taken in, but surely not meant.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Makes the program. Policies whose references lead nowhere, or in a circle, are refused here,
    /// since only the whole can tell: they come back as diagnostics and are not in the program.
    pub fn finish(mut self) -> (Program, Vec<Diagnostic>) {
        for location in std::mem::take(&mut self.removed) {
            let part = &mut self.base.parts[location.segment as usize];
            Arc::make_mut(&mut part.removed).set(location.instance);
        }
        if !self.growing.is_empty() {
            let slots = Arc::clone(&self.base.slots);
            let indexable = move |slot| slots.slot(slot).only_request();
            self.base.parts.push(Part::new(self.growing.finish(&indexable)));
        }
        let mut diagnostics = Vec::new();
        link::refused(&self.base, &self.refused, &mut diagnostics);
        link::link(&mut self.base, self.limits, &mut diagnostics);
        merge(&mut self.base);
        link::resolve(&mut self.base);
        self.base.policies = self.base.parts.iter().map(Part::live).sum();
        (self.base, diagnostics)
    }
}

fn duplicate(id: &str, version: &Version, position: Position, document: &str) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        code: "duplicate-policy",
        message: format!("`{id}` version {version} is there already"),
        position,
        policy: id.to_owned(),
        document: document.to_owned(),
    }
}

/// A policy that is not taken in, as far as others may refer to it and it to others.
#[derive(Clone, Debug)]
struct Refused {
    kind: PolicyKind,
    id: String,
    version: Version,
    source: String,
    references: Vec<PolicyReference>,
}

impl Refused {
    fn new(policy: &Policy, source: &str, frame: &Frame) -> Self {
        Self {
            kind: policy.kind,
            id: policy.id.clone(),
            version: policy.version.clone(),
            source: source.to_owned(),
            references: frame.references.clone(),
        }
    }
}

impl Part {
    fn new(segment: Segment) -> Self {
        Self {
            segment: Arc::new(segment),
            removed: Arc::new(Bits::default()),
            not_roots: Arc::new(Bits::default()),
            references: Arc::from([]),
        }
    }

    fn live(&self) -> usize {
        self.segment.instances().len() - self.removed.count()
    }
}

/// Segments this small are merged with what is added; beyond, sizes must fall by half from one
/// segment to the next, so that there are few and each policy is copied a few times only.
const SMALL: usize = 256;

fn merge(program: &mut Program) {
    let slots = Arc::clone(&program.slots);
    let indexable = move |slot: u32| slots.slot(slot).only_request();
    program.parts.retain(|part| part.live() > 0);
    // A segment that is mostly gone is rewritten without what is gone.
    for part in &mut program.parts {
        if part.removed.count() * 2 > part.segment.instances().len() {
            *part = Part::new(rewrite(std::slice::from_ref(part), &indexable));
        }
    }
    while let [.., before, last] = program.parts.as_slice() {
        let (before, last_len) = (before.live(), last.live());
        if before > 2 * last_len && !(before <= SMALL && last_len <= SMALL) {
            break;
        }
        let from = program.parts.len() - 2;
        let merged = rewrite(&program.parts[from..], &indexable);
        program.parts.truncate(from);
        program.parts.push(Part::new(merged));
    }
}

fn rewrite(parts: &[Part], indexable: &dyn Fn(u32) -> bool) -> Segment {
    let mut live: Vec<_> = parts
        .iter()
        .flat_map(|part| {
            let instances = part.segment.instances().iter().zip(0u32..);
            instances
                .filter(|(_, at)| !part.removed.get(*at))
                .map(|(instance, _)| (&*part.segment, instance))
        })
        .collect();
    live.sort_by_key(|(_, instance)| instance.sequence);
    Segment::merge(live.into_iter(), indexable)
}

impl std::fmt::Debug for Build<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Build").field("base", &self.base.policies).finish_non_exhaustive()
    }
}
