//! Asks the target index which children to evaluate.

use bumpalo::collections::Vec as ArenaVec;

use super::Evaluation;
use super::trace::Observer;
use crate::program::Location;
use crate::program::index::ChildIndex;
use crate::program::segment::Segment;

/// Runs of proposed children, before they are merged. Most requests meet one.
struct Runs<'a> {
    first: &'a [u32],
    more: Option<ArenaVec<'a, u32>>,
}

impl<'a, O: Observer> Evaluation<'_, 'a, O> {
    /// The children whose target may match, in written order, each once.
    #[inline]
    pub(super) fn propose(&mut self, index: &'a ChildIndex) -> &'a [u32] {
        let arena = self.call.arena;
        let zone = self.call.settings.implicit_zone;
        let mut runs = Runs { first: &index.always, more: None };
        let mut add = |run: &'a [u32]| {
            if run.is_empty() {
            } else if let Some(more) = &mut runs.more {
                more.extend_from_slice_copy(run);
            } else if runs.first.is_empty() {
                runs.first = run;
            } else {
                let mut more = ArenaVec::with_capacity_in(runs.first.len() + run.len(), arena);
                more.extend_from_slice_copy(runs.first);
                more.extend_from_slice_copy(run);
                runs.more = Some(more);
            }
        };
        for part in &index.parts {
            // Only slots that the request alone can fill are indexed, so the bag is settled.
            let values = self.context.request_values(part.slot);
            if values.is_empty() {
                add(&part.unless_present);
                continue;
            }
            for value in values {
                add(part.children(value.fingerprint(zone)));
            }
        }
        match runs.more {
            None => runs.first,
            Some(mut more) => {
                more.sort_unstable();
                more.dedup();
                more.into_bump_slice()
            }
        }
    }

    /// The instances to start from, in order of their sequence.
    pub(super) fn roots(&mut self) -> &'a [Location] {
        let program = self.context.program;
        let indexed = self.context.limits.indexed && program.root.combining.ignores_no_match();
        let proposed = |evaluation: &mut Self, segment: &'a Segment| -> &'a [u32] {
            if indexed {
                evaluation.propose(segment.index())
            } else {
                let all = 0..u32::try_from(segment.instances().len()).unwrap_or(u32::MAX);
                evaluation.call.arena.alloc_slice_fill_iter(all)
            }
        };
        if let [part] = program.parts.as_slice() {
            // As they stand: a segment is in order.
            let proposed = proposed(self, &part.segment);
            let mut roots = ArenaVec::with_capacity_in(proposed.len(), self.call.arena);
            let live = proposed.iter().filter(|instance| part.is_root(**instance));
            roots.extend(live.map(|instance| Location { segment: 0, instance: *instance }));
            return roots.into_bump_slice();
        }
        let mut roots: ArenaVec<'a, (u64, Location)> = ArenaVec::new_in(self.call.arena);
        for (part, segment) in program.parts.iter().zip(0u32..) {
            let instances = part.segment.instances();
            for instance in proposed(self, &part.segment).iter().copied() {
                if part.is_root(instance) {
                    let sequence = instances[instance as usize].sequence;
                    roots.push((sequence, Location { segment, instance }));
                }
            }
        }
        roots.sort_unstable_by_key(|(sequence, _)| *sequence);
        self.call.arena.alloc_slice_fill_iter(roots.iter().map(|(_, location)| *location))
    }
}
