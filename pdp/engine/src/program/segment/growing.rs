//! A segment while it is built: policies that were lowered now, and policies of other segments.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::super::code::{Code, SelectorNode};
use super::super::pool::{Pool, RecentTexts};
use super::super::slots::SlotId;
use super::{Instance, Segment, at};
use crate::error::Position;
use crate::function::Pattern;
use crate::model::{PolicyKind, PolicyReference, Version};

/// What differs between policies of one shape.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    pub(crate) literals: Pool,
    pub(crate) patterns: Vec<Arc<Pattern>>,
    pub(crate) selectors: Vec<Arc<SelectorNode>>,
    pub(crate) versions: Vec<Arc<Version>>,
    pub(crate) references: Vec<PolicyReference>,
    pub(crate) places: Vec<Position>,
}

/// The frame of one policy, wherever it stands.
struct FrameRun<'s> {
    pool: &'s Pool,
    literals: Range<usize>,
    patterns: &'s [Arc<Pattern>],
    selectors: Cow<'s, [Arc<SelectorNode>]>,
    versions: &'s [Arc<Version>],
    references: &'s [PolicyReference],
    places: &'s [Position],
}

impl Frame {
    /// Empty, with its memory.
    pub(crate) fn clear(&mut self) {
        self.literals.clear();
        self.patterns.clear();
        self.selectors.clear();
        self.versions.clear();
        self.references.clear();
        self.places.clear();
    }

    fn whole(&self) -> FrameRun<'_> {
        FrameRun {
            pool: &self.literals,
            literals: 0..self.literals.len(),
            patterns: &self.patterns,
            selectors: Cow::Borrowed(&self.selectors),
            versions: &self.versions,
            references: &self.references,
            places: &self.places,
        }
    }
}

/// A segment while it is built, with what building it needs.
#[derive(Debug, Default)]
pub(crate) struct Growing {
    segment: Segment,
    codes: HashMap<Arc<Code>, u32, FixedState>,
    /// The code of the policy before: most policies have it too.
    last_code: Option<u32>,
    texts: RecentTexts,
}

impl Growing {
    /// Whether it holds no policy.
    pub(crate) fn is_empty(&self) -> bool {
        self.segment.instances.is_empty()
    }

    /// Makes room for as many policies.
    pub(crate) fn reserve(&mut self, policies: usize) {
        self.segment.instances.reserve(policies);
        let mut identities = std::mem::take(&mut self.segment.identities);
        identities.reserve(policies, |place| self.segment.identity_hash(*place));
        self.segment.identities = identities;
    }

    /// Whether it holds a policy of this identity.
    pub(crate) fn holds(&self, kind: PolicyKind, id: &str, version: &Version) -> bool {
        let segment = &self.segment;
        let same = |at: u32| segment.identity(&segment.instances[at as usize]).2 == version;
        segment.named(kind, id).any(same)
    }

    /// Adds a policy that compile has lowered, and returns its place. It is not yet found by its identity.
    pub(crate) fn push(&mut self, code: &Code, frame: &Frame, source: &str, sequence: u64) -> u32 {
        let again = self.last_code.filter(|last| *self.segment.codes[*last as usize] == *code);
        let code = match again.or_else(|| self.codes.get(code).copied()) {
            Some(number) => number,
            None => self.shared_code(&Arc::new(code.clone())),
        };
        self.last_code = Some(code);
        self.source(source, || Arc::from(source));
        self.push_run(code, frame.whole(), sequence)
    }

    /// Adds a policy of another segment, whose code has this number here. `slot` says what the slots
    /// there are here.
    pub(crate) fn take(
        &mut self,
        code: u32,
        from: &Segment,
        place: u32,
        sequence: u64,
        slot: impl FnMut(SlotId) -> SlotId,
    ) {
        let instance = &from.instances[place as usize];
        let source = &from.sources[instance.source as usize];
        self.source(source, || Arc::clone(source));
        let mut frame = from.frame(instance);
        move_contexts(&mut frame.selectors, slot);
        let place = self.push_run(code, frame, sequence);
        self.identify(place);
    }

    /// Adds all policies of another segment, the first of them by this sequence. `codes` are the numbers
    /// here of the code there, and `slot` says what the slots are.
    pub(crate) fn take_all(
        &mut self,
        codes: &[u32],
        from: &Segment,
        sequence: u64,
        slot: impl FnMut(SlotId) -> SlotId,
    ) {
        let to = &mut self.segment;
        let first = at(to.instances.len());
        let (literals, patterns) = (at(to.literals.len()), at(to.patterns.len()));
        let (selectors, versions) = (at(to.selectors.len()), at(to.versions.len()));
        let (references, places) = (at(to.references.len()), at(to.places.len()));
        let source = at(to.sources.len());
        to.instances.extend(from.instances.iter().zip(sequence..).map(|(one, sequence)| {
            Instance {
                sequence,
                code: codes[one.code as usize],
                literals: literals + one.literals,
                patterns: patterns + one.patterns,
                selectors: selectors + one.selectors,
                versions: versions + one.versions,
                references: references + one.references,
                indexes: 0,
                places: places + one.places,
                source: source + one.source,
            }
        }));
        to.literals.append(&from.literals);
        to.patterns.extend(from.patterns.iter().cloned());
        let mut contexts = Cow::Borrowed(&*from.selectors);
        move_contexts(&mut contexts, slot);
        to.selectors.extend(contexts.iter().cloned());
        for version in &from.versions {
            to.push_version(version);
        }
        to.references.extend(from.references.iter().cloned());
        to.places.extend(&from.places);
        to.sources.extend(from.sources.iter().cloned());
        for place in first..at(self.segment.instances.len()) {
            self.identify(place);
        }
    }

    /// Makes a policy one that is found by its identity.
    pub(crate) fn identify(&mut self, place: u32) {
        let mut identities = std::mem::take(&mut self.segment.identities);
        let hash_of = |place: u32| self.segment.identity_hash(place);
        identities.insert_unique(hash_of(place), place, |other| hash_of(*other));
        self.segment.identities = identities;
    }

    /// The number of a piece of code; equal code has one.
    pub(crate) fn shared_code(&mut self, code: &Arc<Code>) -> u32 {
        *self.codes.entry(Arc::clone(code)).or_insert_with(|| {
            self.segment.codes.push(Arc::clone(code));
            at(self.segment.codes.len() - 1)
        })
    }

    /// Makes `source` the document of the policies that follow.
    fn source(&mut self, source: &str, shared: impl FnOnce() -> Arc<str>) {
        if self.segment.sources.last().is_none_or(|last| **last != *source) {
            self.segment.sources.push(shared());
        }
    }

    fn push_run(&mut self, code: u32, frame: FrameRun<'_>, sequence: u64) -> u32 {
        let segment = &mut self.segment;
        let place = at(segment.instances.len());
        segment.instances.push(Instance {
            sequence,
            code,
            literals: at(segment.literals.len()),
            patterns: at(segment.patterns.len()),
            selectors: at(segment.selectors.len()),
            versions: at(segment.versions.len()),
            references: at(segment.references.len()),
            indexes: 0,
            places: at(segment.places.len()),
            source: at(segment.sources.len() - 1),
        });
        segment.literals.extend(frame.pool, frame.literals, &mut self.texts);
        segment.patterns.extend(frame.patterns.iter().cloned());
        segment.selectors.extend(frame.selectors.iter().cloned());
        for version in frame.versions {
            segment.push_version(version);
        }
        segment.references.extend(frame.references.iter().cloned());
        segment.places.extend(frame.places);
        place
    }

    /// The policies without an index, which nothing is decided by.
    pub(crate) fn loose(mut self) -> Segment {
        self.segment.shrink();
        self.segment
    }

    /// The segment. `indexable` says of a slot whether only the request can fill it.
    pub(crate) fn finish(mut self, indexable: &dyn Fn(u32) -> bool) -> Segment {
        self.segment.finish(indexable);
        self.segment
    }
}

/// Gives selectors the slots of their context nodes that `slot` says.
fn move_contexts(
    selectors: &mut Cow<'_, [Arc<SelectorNode>]>,
    mut slot: impl FnMut(SlotId) -> SlotId,
) {
    for at in 0..selectors.len() {
        if let Some(context) = selectors[at].context
            && let there = slot(context)
            && there != context
        {
            let node = SelectorNode::clone(&selectors[at]);
            selectors.to_mut()[at] = Arc::new(SelectorNode { context: Some(there), ..node });
        }
    }
}

impl Segment {
    /// Builds one segment of instances of several, without compiling again.
    pub(crate) fn merge<'s>(
        instances: impl Iterator<Item = (&'s Segment, &'s Instance)>,
        indexable: &dyn Fn(u32) -> bool,
    ) -> Self {
        let mut growing = Growing::default();
        for (from, instance) in instances {
            let code = growing.shared_code(&from.codes[instance.code as usize]);
            let source = &from.sources[instance.source as usize];
            growing.source(source, || Arc::clone(source));
            let place = growing.push_run(code, from.frame(instance), instance.sequence);
            growing.identify(place);
        }
        growing.finish(indexable)
    }

    /// The frame of an instance. Its runs end where the next instance's begin.
    fn frame(&self, instance: &Instance) -> FrameRun<'_> {
        let next = self.instances.partition_point(|other| other.literals <= instance.literals);
        let next = self.instances.get(next);
        let run = |start: u32, end: Option<u32>, len: usize| {
            start as usize..end.map_or(len, |end| end as usize)
        };
        let (l, p, v) = (instance.literals, instance.patterns, instance.versions);
        let (r, s, x) = (instance.references, instance.places, instance.selectors);
        FrameRun {
            pool: &self.literals,
            literals: run(l, next.map(|n| n.literals), self.literals.len()),
            patterns: &self.patterns[run(p, next.map(|n| n.patterns), self.patterns.len())],
            selectors: Cow::Borrowed(
                &self.selectors[run(x, next.map(|n| n.selectors), self.selectors.len())],
            ),
            versions: &self.versions[run(v, next.map(|n| n.versions), self.versions.len())],
            references: &self.references[run(r, next.map(|n| n.references), self.references.len())],
            places: &self.places[run(s, next.map(|n| n.places), self.places.len())],
        }
    }

    /// Adds a version.
    fn push_version(&mut self, version: &Arc<Version>) {
        // Nearly all policies have the version of the one before.
        let version = match self.versions.last() {
            Some(last) if last == version => Arc::clone(last),
            _ => Arc::clone(version),
        };
        self.versions.push(version);
    }
}
