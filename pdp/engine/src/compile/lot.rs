//! Many policies at once, on as many threads as the caller has.
//!
//! The engine starts none. It says what can be done apart, and puts together what came of it.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::asked::declare;
use super::{Build, CompileLimits, Refused, identity_of, lower};
use crate::error::{Diagnostic, Severity};
use crate::finder::Catalogue;
use crate::model::Policy;
use crate::program::segment::Growing;
use crate::program::slots::SlotTable;

/// A policy with the name of the document it was read from.
pub type Given<'p> = (&'p Policy, &'p str);

/// What became of a policy: every problem, where it is not taken in.
pub type Outcome = Result<(), Vec<Diagnostic>>;

/// Policies that can be compiled apart from others.
pub struct Lot<'l> {
    policies: &'l [Given<'l>],
    /// The place of the first among its siblings.
    first: u64,
    slots: Arc<SlotTable>,
    catalogue: &'l dyn Catalogue,
    limits: CompileLimits,
}

/// A lot that is compiled.
pub struct CompiledLot {
    first: u64,
    growing: Growing,
    outcomes: Vec<Outcome>,
    warnings: Vec<Diagnostic>,
    refused: Vec<Refused>,
}

impl<'c> Build<'c> {
    /// Compiles policies as [`Build::add`] does for each in turn, `share` of them in a lot. `compile`
    /// turns each lot into what [`Lot::compile`] gives, in any order, on whatever threads it has. What
    /// became of each policy comes back in the order of the policies.
    ///
    /// # Panics
    /// `compile` has left a lot out.
    pub fn add_all<'l>(
        &mut self,
        policies: &'l [Given<'l>],
        share: usize,
        compile: impl FnOnce(Vec<Lot<'l>>) -> Vec<CompiledLot>,
    ) -> Vec<Outcome>
    where
        'c: 'l,
    {
        if policies.len() <= share || !self.are_new(policies) {
            return policies.iter().map(|(policy, source)| self.add(policy, source)).collect();
        }
        // With every slot in place all lots agree on their numbers.
        let slots = Arc::make_mut(&mut self.base.slots);
        policies.iter().for_each(|(policy, _)| declare(policy, slots, self.catalogue));
        let first = self.base.next_sequence;
        let lots = policies.chunks(share.max(1)).zip((first..).step_by(share.max(1)));
        let lots = lots.map(|(policies, first)| Lot {
            policies,
            first,
            slots: Arc::clone(&self.base.slots),
            catalogue: self.catalogue,
            limits: self.limits,
        });
        let mut lots = compile(lots.collect());
        lots.sort_by_key(|lot| lot.first);
        let mut outcomes = Vec::with_capacity(policies.len());
        for lot in lots {
            self.growing.append(lot.growing);
            self.warnings.extend(lot.warnings);
            self.refused.extend(lot.refused);
            outcomes.extend(lot.outcomes);
        }
        assert_eq!(outcomes.len(), policies.len(), "every lot is compiled");
        self.base.next_sequence = first + policies.len() as u64;
        let taken = policies.iter().zip(&outcomes).filter(|(_, outcome)| outcome.is_ok());
        self.added.extend(taken.map(|((policy, _), _)| identity_of(policy)));
        outcomes
    }

    /// Whether these are policies of different identities, none of which is there.
    fn are_new(&self, policies: &[Given<'_>]) -> bool {
        let mut seen = HashSet::with_capacity(policies.len());
        policies.iter().all(|(policy, _)| {
            seen.insert((policy.kind, &*policy.id, &policy.version)) && !self.holds(policy)
        })
    }
}

impl Lot<'_> {
    /// Compiles the policies of the lot.
    pub fn compile(self) -> CompiledLot {
        let mut slots = (*self.slots).clone();
        let (mut patterns, mut lowered) = (HashMap::new(), lower::Lowered::default());
        let mut compiled = CompiledLot {
            first: self.first,
            growing: Growing::default(),
            outcomes: Vec::with_capacity(self.policies.len()),
            warnings: Vec::new(),
            refused: Vec::new(),
        };
        for ((policy, source), sequence) in self.policies.iter().zip(self.first..) {
            let (catalogue, limits) = (self.catalogue, self.limits);
            let (slots, patterns) = (&mut slots, &mut patterns);
            lower::lower(policy, source, catalogue, slots, patterns, limits, &mut lowered);
            let found = &mut lowered.diagnostics;
            if found.iter().any(|found| found.severity == Severity::Error) {
                compiled.outcomes.push(Err(std::mem::take(found)));
                compiled.refused.push(Refused::new(policy, source, &lowered.frame));
                continue;
            }
            compiled.warnings.append(found);
            compiled.growing.push(&lowered.code, &lowered.frame, source, sequence);
            compiled.outcomes.push(Ok(()));
        }
        compiled
    }
}

impl std::fmt::Debug for Lot<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lot").field("policies", &self.policies.len()).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for CompiledLot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CompiledLot")
            .field("policies", &self.outcomes.len())
            .finish_non_exhaustive()
    }
}
