//! The target index: proposes the children whose target may match.
//!
//! The index proposes, the target decides. Every proposed child's whole target is evaluated; a child
//! is left out only where one of its targets is certainly false: no value of the attribute is equal
//! to any of the values it asks for, and the bag of the attribute is settled.
//!
//! A child is filed under fingerprints of the values that one part of its target asks for. Of the
//! parts and matches that would do, the one that the fewest siblings share is taken. Two values with
//! one fingerprint only make a proposal too many, so the fingerprint alone is the key.

use hashbrown::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::code::{Span, Test};
use super::segment::{Instance, Segment};
use super::slots::SlotId;

/// A fingerprint is a hash already.
#[derive(Clone, Copy, Debug, Default)]
pub struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

type Fingerprints<T> = HashMap<u64, T, BuildHasherDefault<AsIs>>;

/// Children filed under the values of one attribute.
#[derive(Clone, Debug)]
pub struct IndexPart {
    /// The attribute.
    pub slot: SlotId,
    postings: Vec<u32>,
    /// A run of `postings`; where it is one child, `start` is that child.
    keys: Fingerprints<Span>,
    /// Children that are proposed where the request lacks the attribute: all that are filed here
    /// if a match on it wants it present, since an empty bag is no certain no then.
    pub unless_present: Vec<u32>,
}

impl IndexPart {
    /// The children that ask for a value with this fingerprint.
    #[inline]
    pub fn children(&self, fingerprint: u64) -> &[u32] {
        match self.keys.get(&fingerprint) {
            Some(Span { start, len: 1 }) => std::slice::from_ref(start),
            Some(span) => span.of(&self.postings),
            None => &[],
        }
    }
}

/// An index over the children of one policy, or over the instances of a segment.
#[derive(Clone, Debug, Default)]
pub struct ChildIndex {
    /// Children that are always proposed, in order.
    pub always: Vec<u32>,
    /// The others, by attribute.
    pub parts: Vec<IndexPart>,
}

/// One way to file one alternative of a part of a target.
#[derive(Clone, Copy, Debug)]
struct Key {
    slot: SlotId,
    fingerprint: u64,
    must_be_present: bool,
}

/// Collects the targets of children, then chooses keys.
#[derive(Debug, Default)]
pub(crate) struct IndexBuilder {
    /// All keys of all children, flat.
    keys: Vec<Key>,
    /// Runs of `keys`: the ways to file one alternative.
    alternatives: Vec<Span>,
    /// Runs of `alternatives`: the alternatives of one part of a target.
    parts: Vec<Span>,
    /// Runs of `parts`: one child each.
    children: Vec<Span>,
}

fn at(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

impl IndexBuilder {
    /// Adds the next child, with its target.
    pub(crate) fn child(
        &mut self,
        segment: &Segment,
        instance: &Instance,
        target: Span,
        indexable: &dyn Fn(u32) -> bool,
    ) {
        let code = segment.code(instance);
        let first_part = self.parts.len();
        for any_of in target.of(&code.any_of) {
            let first_alternative = self.alternatives.len();
            for all_of in any_of.of(&code.all_of) {
                let first_key = self.keys.len();
                for node in all_of.of(&code.matches) {
                    if let (Some(slot), Test::Equal) = (node.slot, node.test)
                        && indexable(slot)
                        && let value = segment.literal(instance, node.literal)
                        && !value.data_type().depends_on_zone()
                    {
                        let fingerprint = value.fingerprint(0);
                        let must_be_present = node.must_be_present;
                        self.keys.push(Key { slot, fingerprint, must_be_present });
                    }
                }
                let keys = Span { start: at(first_key), len: at(self.keys.len() - first_key) };
                self.alternatives.push(keys);
            }
            let alternatives = Span {
                start: at(first_alternative),
                len: at(self.alternatives.len() - first_alternative),
            };
            // A part can be filed only if each of its alternatives can.
            if alternatives.of(&self.alternatives).iter().all(|keys| keys.len > 0) {
                self.parts.push(alternatives);
            }
        }
        self.children.push(Span { start: at(first_part), len: at(self.parts.len() - first_part) });
    }

    pub(crate) fn build(self) -> ChildIndex {
        let mut shared: HashMap<(SlotId, u64), u32, foldhash::fast::FixedState> =
            HashMap::default();
        for key in &self.keys {
            *shared.entry((key.slot, key.fingerprint)).or_default() += 1;
        }
        let count = |key: &Key| shared.get(&(key.slot, key.fingerprint)).copied().unwrap_or(0);
        let rarest = |keys: &Span| keys.of(&self.keys).iter().min_by_key(|key| count(key));

        let mut always = Vec::new();
        let mut filed: Vec<(Key, u32)> = Vec::new();
        for (child, parts) in (0u32..).zip(&self.children) {
            let cost = |part: &&Span| -> u64 {
                part.of(&self.alternatives)
                    .iter()
                    .filter_map(rarest)
                    .map(|k| u64::from(count(k)))
                    .sum()
            };
            match parts.of(&self.parts).iter().min_by_key(cost) {
                None => always.push(child),
                Some(part) => filed.extend(
                    part.of(&self.alternatives).iter().filter_map(rarest).map(|key| (*key, child)),
                ),
            }
        }
        filed.sort_by_key(|(key, child)| (key.slot, key.fingerprint, *child));
        filed.dedup_by(|(key, child), (kept, before)| {
            let same =
                (key.slot, key.fingerprint, *child) == (kept.slot, kept.fingerprint, *before);
            kept.must_be_present |= same && key.must_be_present;
            same
        });

        let mut parts = Vec::new();
        for run in filed.chunk_by(|(a, _), (b, _)| a.slot == b.slot) {
            let mut postings = Vec::new();
            let mut keys = Fingerprints::default();
            for same in run.chunk_by(|(a, _), (b, _)| a.fingerprint == b.fingerprint) {
                let (key, first) = same[0];
                let span = if same.len() == 1 {
                    Span { start: first, len: 1 }
                } else {
                    let start = at(postings.len());
                    postings.extend(same.iter().map(|(_, child)| *child));
                    Span { start, len: at(same.len()) }
                };
                keys.insert(key.fingerprint, span);
            }
            keys.shrink_to_fit();
            let mut unless_present: Vec<u32> = Vec::new();
            if run.iter().any(|(key, _)| key.must_be_present) {
                unless_present.extend(run.iter().map(|(_, child)| *child));
                unless_present.sort_unstable();
                unless_present.dedup();
            }
            parts.push(IndexPart { slot: run[0].0.slot, postings, keys, unless_present });
        }
        ChildIndex { always, parts }
    }
}
