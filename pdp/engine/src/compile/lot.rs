//! Many policies at once, on all cores.

use std::num::NonZero;
use std::sync::Arc;
use std::thread;

use hashbrown::{HashMap, HashSet};

use super::asked::declare;
use super::{Build, CompileLimits, Refused, identity_of, lower};
use crate::error::{Diagnostic, Severity};
use crate::finder::Catalogue;
use crate::model::Policy;
use crate::program::segment::Growing;
use crate::program::slots::SlotTable;

/// Fewer policies are not worth a thread.
const SHARE: usize = 512;

/// A policy and the document it was read from.
type Given<'p> = (&'p Policy, &'p str);

/// What one thread made of its share.
struct Lot {
    growing: Growing,
    outcomes: Vec<Result<(), Vec<Diagnostic>>>,
    warnings: Vec<Diagnostic>,
    refused: Vec<Refused>,
}

impl Build<'_> {
    /// Compiles policies as [`Build::add`] does for each in turn, on all cores where there are many.
    /// What became of each comes back in their order.
    pub fn add_all(&mut self, policies: &[Given<'_>]) -> Vec<Result<(), Vec<Diagnostic>>> {
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let threads = cores.min(policies.len() / SHARE);
        if threads < 2 || !self.are_new(policies) {
            return policies.iter().map(|(policy, source)| self.add(policy, source)).collect();
        }
        // With every slot in place, threads that lower agree on the numbers.
        let slots = Arc::make_mut(&mut self.base.slots);
        policies.iter().for_each(|(policy, _)| declare(policy, slots, self.catalogue));
        let (slots, catalogue, limits) = (&*slots, self.catalogue, self.limits);
        let mut sequence = self.base.next_sequence;
        let lots: Vec<Lot> = thread::scope(|scope| {
            let running: Vec<_> = policies
                .chunks(policies.len().div_ceil(threads))
                .map(|share| {
                    let first = sequence;
                    sequence += share.len() as u64;
                    scope.spawn(move || Lot::of(share, first, slots.clone(), catalogue, limits))
                })
                .collect();
            let join = |lot: thread::ScopedJoinHandle<'_, Lot>| {
                lot.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            running.into_iter().map(join).collect()
        });
        self.base.next_sequence = sequence;
        let mut outcomes = Vec::with_capacity(policies.len());
        for lot in lots {
            self.growing.append(lot.growing);
            self.warnings.extend(lot.warnings);
            self.refused.extend(lot.refused);
            outcomes.extend(lot.outcomes);
        }
        for ((policy, _), outcome) in policies.iter().zip(&outcomes) {
            if outcome.is_ok() {
                self.added.insert(identity_of(policy));
            }
        }
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

impl Lot {
    fn of(
        policies: &[Given<'_>],
        first: u64,
        mut slots: SlotTable,
        catalogue: &dyn Catalogue,
        limits: CompileLimits,
    ) -> Self {
        let mut lot = Self {
            growing: Growing::default(),
            outcomes: Vec::with_capacity(policies.len()),
            warnings: Vec::new(),
            refused: Vec::new(),
        };
        let (mut patterns, mut lowered) = (HashMap::new(), lower::Lowered::default());
        for ((policy, source), sequence) in policies.iter().zip(first..) {
            lower::lower(
                policy,
                source,
                catalogue,
                &mut slots,
                &mut patterns,
                limits,
                &mut lowered,
            );
            let found = &mut lowered.diagnostics;
            if found.iter().any(|found| found.severity == Severity::Error) {
                lot.outcomes.push(Err(std::mem::take(found)));
                lot.refused.push(Refused::new(policy, source, &lowered.frame));
                continue;
            }
            lot.warnings.append(found);
            lot.growing.push(&lowered.code, &lowered.frame, source, sequence);
            lot.outcomes.push(Ok(()));
        }
        lot
    }
}
