//! The compiled form: immutable, shared between threads, printed by [`listing`](mod@listing).
//!
//! A [`Program`] is a short list of segments. A [`Segment`](segment::Segment) holds instances of
//! policies; an instance is a piece of [`Code`](code::Code), which policies of one shape share, and a frame of
//! literals, which is its own. Deploying adds a small segment, undeploying sets a tombstone, and
//! segments merge as they pile up, so that a change costs what it changes.

pub mod code;
pub mod index;
pub mod listing;
mod pool;
pub mod segment;
pub mod slots;

use std::sync::Arc;

use crate::combine::Algorithm;
use crate::model::{PolicyKind, Version};
use segment::{Instance, Segment};
use slots::SlotTable;

/// Which policies a decision starts from, and how their values are combined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// How the values of several roots are combined.
    pub combining: Algorithm,
    /// The one to start from; none: every policy that no other refers to.
    pub named: Option<(PolicyKind, Box<str>)>,
}

impl Root {
    /// Every policy that no other refers to, combined by `combining`.
    pub const fn all(combining: Algorithm) -> Self {
        Self { combining, named: None }
    }
}

/// Where an instance stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The segment's place in the program.
    pub segment: u32,
    /// The instance's place in the segment.
    pub instance: u32,
}

/// A set of policies, ready to decide.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) root: Root,
    pub(crate) slots: Arc<SlotTable>,
    pub(crate) parts: Vec<Part>,
    pub(crate) next_sequence: u64,
    pub(crate) policies: usize,
}

/// A segment as one program sees it.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) segment: Arc<Segment>,
    /// Instances that are gone, by place; empty while none is.
    pub(crate) removed: Arc<Bits>,
    /// Instances that are not roots, by place; empty while all are.
    pub(crate) not_roots: Arc<Bits>,
    /// What each reference of the segment resolves to in this program.
    pub(crate) references: Arc<[Option<Location>]>,
}

impl Part {
    /// Whether a decision starts from the instance.
    #[inline]
    pub(crate) fn is_root(&self, instance: u32) -> bool {
        !self.removed.get(instance) && !self.not_roots.get(instance)
    }
}

/// A set of small numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits {
    words: Vec<u64>,
}

impl Bits {
    #[inline]
    pub(crate) fn get(&self, at: u32) -> bool {
        self.words.get(at as usize / 64).is_some_and(|word| word & (1 << (at % 64)) != 0)
    }

    pub(crate) fn set(&mut self, at: u32) {
        let word = at as usize / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (at % 64);
    }

    pub(crate) fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }
}

impl Program {
    /// How many policies and policy sets it holds at the top; nested ones are part of theirs.
    pub fn len(&self) -> usize {
        self.policies
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.policies == 0
    }

    /// Which policies a decision starts from.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// The attributes that its policies ask for.
    pub fn slots(&self) -> &SlotTable {
        &self.slots
    }

    /// How many segments it is made of.
    pub fn segments(&self) -> usize {
        self.parts.len()
    }

    /// Kind, identifier and version of every policy it holds, in the order they were added.
    pub fn policies(&self) -> impl Iterator<Item = (PolicyKind, &str, &Version)> {
        let mut all: Vec<(&Segment, &Instance)> = self.instances().collect();
        all.sort_by_key(|(_, instance)| instance.sequence);
        all.into_iter().map(|(segment, instance)| segment.identity(instance))
    }

    /// Every instance that is not removed.
    pub(crate) fn instances(&self) -> impl Iterator<Item = (&Segment, &Instance)> {
        self.parts.iter().flat_map(|part| {
            part.segment
                .instances()
                .iter()
                .zip(0u32..)
                .filter(|(_, at)| !part.removed.get(*at))
                .map(|(instance, _)| (&*part.segment, instance))
        })
    }

    /// Where the policy with this identity stands.
    pub(crate) fn locate(&self, kind: PolicyKind, id: &str, version: &Version) -> Option<Location> {
        self.versions(kind, id).find(|(_, found)| *found == version).map(|(location, _)| location)
    }

    /// Where the versions of a policy stand.
    pub(crate) fn versions(
        &self,
        kind: PolicyKind,
        id: &str,
    ) -> impl Iterator<Item = (Location, &Version)> {
        self.parts.iter().zip(0u32..).flat_map(move |(part, segment)| {
            part.segment.named(kind, id).filter(|instance| !part.removed.get(*instance)).map(
                move |instance| {
                    let (_, _, version) =
                        part.segment.identity(&part.segment.instances()[instance as usize]);
                    (Location { segment, instance }, version)
                },
            )
        })
    }
}
