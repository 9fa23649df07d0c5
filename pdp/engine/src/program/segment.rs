//! Segments: instances of policies with their literals, lookup by identity and target index.

use std::borrow::Cow;
use std::sync::Arc;

use foldhash::fast::FixedState;
use hashbrown::{HashMap, HashTable};
use std::hash::BuildHasher;

use super::code::{ChildNode, Code, Lit, PatternAt, SelectorAt, SelectorNode, Span};
use super::index::{ChildIndex, IndexBuilder};
pub(crate) use super::pool::Pool;
use super::pool::RecentTexts;
use super::slots::SlotId;
use crate::error::Position;
use crate::function::Pattern;
use crate::model::{PolicyKind, PolicyReference, Version};
use crate::value::Value;

/// A policy at the top of a program: code and the place of its frame.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Order among its siblings.
    pub sequence: u64,
    /// Its code, by number.
    pub code: u32,
    /// Where its literals begin.
    literals: u32,
    /// Where its regular expressions begin.
    patterns: u32,
    /// Where its selectors begin.
    selectors: u32,
    /// Where its versions begin.
    versions: u32,
    /// Where its references begin.
    references: u32,
    /// Where its child indexes begin.
    indexes: u32,
    /// Where its places begin: policies first, then rules.
    places: u32,
    /// The document it was read from, by number.
    pub source: u32,
}

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
    literals: std::ops::Range<usize>,
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

/// A set of instances. Immutable once built.
#[derive(Clone, Debug, Default)]
pub struct Segment {
    codes: Vec<Arc<Code>>,
    instances: Vec<Instance>,
    literals: Pool,
    patterns: Vec<Arc<Pattern>>,
    selectors: Vec<Arc<SelectorNode>>,
    versions: Vec<Arc<Version>>,
    references: Vec<PolicyReference>,
    indexes: Vec<ChildIndex>,
    places: Vec<Position>,
    sources: Vec<Arc<str>>,
    identities: HashTable<u32>,
    index: ChildIndex,
}

const HASH: FixedState = FixedState::with_seed(0x7064_7020_7365_676d);

/// Policies with fewer children are scanned: an index would cost more than it saves.
const INDEX_FROM: u32 = 8;

fn at(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

impl Segment {
    /// Its instances, by sequence.
    pub fn instances(&self) -> &[Instance] {
        &self.instances
    }

    /// The code of an instance.
    #[inline]
    pub fn code(&self, instance: &Instance) -> &Code {
        &self.codes[instance.code as usize]
    }

    /// The code with this number.
    pub(crate) fn code_numbered(&self, number: u32) -> &Arc<Code> {
        &self.codes[number as usize]
    }

    /// How many pieces of code its instances share.
    pub fn codes(&self) -> usize {
        self.codes.len()
    }

    /// A literal of an instance.
    #[inline]
    pub fn literal(&self, instance: &Instance, lit: Lit) -> Value<'_> {
        self.literals.value(Lit(instance.literals + lit.0))
    }

    /// Whether a literal of an instance equals `value`, by the equality of its type.
    #[inline]
    pub(crate) fn literal_equals(
        &self,
        instance: &Instance,
        lit: Lit,
        value: &Value<'_>,
        implicit_zone: i16,
    ) -> bool {
        self.literals.equals(Lit(instance.literals + lit.0), value, implicit_zone)
    }

    /// A literal that is an identifier or a message.
    #[inline]
    pub fn text(&self, instance: &Instance, lit: Lit) -> &str {
        self.literal(instance, lit).written_text().unwrap_or_default()
    }

    /// A regular expression of an instance.
    #[inline]
    pub fn pattern(&self, instance: &Instance, pattern: PatternAt) -> &Pattern {
        &self.patterns[(instance.patterns + pattern.0) as usize]
    }

    /// A selector of an instance.
    #[inline]
    pub fn selector(&self, instance: &Instance, selector: SelectorAt) -> &SelectorNode {
        &self.selectors[(instance.selectors + selector.0) as usize]
    }

    /// A version of an instance.
    #[inline]
    pub fn version(&self, instance: &Instance, version: u32) -> &Version {
        &self.versions[(instance.versions + version) as usize]
    }

    /// The number, in this segment, of a reference of an instance.
    #[inline]
    pub fn reference_number(&self, instance: &Instance, reference: u32) -> u32 {
        instance.references + reference
    }

    /// Every reference of the segment, by number.
    pub(crate) fn references(&self) -> &[PolicyReference] {
        &self.references
    }

    /// The numbers of an instance's references.
    pub(crate) fn reference_numbers(&self, instance: &Instance) -> std::ops::Range<u32> {
        let count = self
            .code(instance)
            .children
            .iter()
            .filter(|child| matches!(child, ChildNode::Reference(_)))
            .count();
        instance.references..instance.references + at(count)
    }

    /// The index over the children of a nested policy.
    #[inline]
    pub fn child_index(&self, instance: &Instance, index: u32) -> &ChildIndex {
        &self.indexes[(instance.indexes + index) as usize]
    }

    /// The index over the instances themselves.
    #[inline]
    pub fn index(&self) -> &ChildIndex {
        &self.index
    }

    /// The document that an instance was read from.
    pub(crate) fn source(&self, instance: &Instance) -> &str {
        &self.sources[instance.source as usize]
    }

    /// Where a policy of an instance was read from: document, line and column.
    pub fn policy_place(&self, instance: &Instance, policy: u32) -> (&str, Position) {
        (&self.sources[instance.source as usize], self.places[(instance.places + policy) as usize])
    }

    /// Where a rule of an instance was read from.
    pub fn rule_place(&self, instance: &Instance, rule: u32) -> (&str, Position) {
        let policies = at(self.code(instance).policies.len());
        self.policy_place(instance, policies + rule)
    }

    /// Kind, identifier and version of an instance.
    pub fn identity(&self, instance: &Instance) -> (PolicyKind, &str, &Version) {
        let node = &self.code(instance).policies[0];
        (node.kind, self.text(instance, node.id), self.version(instance, node.version))
    }

    /// The instances with this identifier.
    pub(crate) fn named(&self, kind: PolicyKind, id: &str) -> impl Iterator<Item = u32> {
        self.identities.iter_hash(HASH.hash_one((kind, id))).copied().filter(move |at| {
            let (found_kind, found_id, _) = self.identity(&self.instances[*at as usize]);
            found_kind == kind && found_id == id
        })
    }

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

    fn identity_hash(&self, place: u32) -> u64 {
        let (kind, id, _) = self.identity(&self.instances[place as usize]);
        HASH.hash_one((kind, id))
    }

    fn shrink(&mut self) {
        self.literals.shrink();
        self.places.shrink_to_fit();
        self.versions.shrink_to_fit();
        self.instances.shrink_to_fit();
        let mut identities = std::mem::take(&mut self.identities);
        identities.shrink_to_fit(|place| self.identity_hash(*place));
        self.identities = identities;
    }

    /// Builds what depends on all instances. `indexable` says of a slot
    /// whether only the request can fill it.
    fn finish(&mut self, indexable: &dyn Fn(u32) -> bool) {
        self.shrink();
        let mut top = IndexBuilder::default();
        for instance in &self.instances {
            let code = self.code(instance);
            top.child(self, instance, code.policies[0].target, indexable);
        }
        self.index = top.build();

        let mut indexes = Vec::new();
        let mut starts = Vec::with_capacity(self.instances.len());
        for instance in &self.instances {
            starts.push(at(indexes.len()));
            let code = self.code(instance);
            for policy in code.policies.iter().filter(|policy| policy.index.is_some()) {
                let mut builder = IndexBuilder::default();
                for child in policy.children.of(&code.children) {
                    let target = match child {
                        ChildNode::Rule(rule) => code.rules[*rule as usize].target,
                        ChildNode::Policy(nested) => code.policies[*nested as usize].target,
                        ChildNode::Reference(_) => Span::default(),
                    };
                    builder.child(self, instance, target, indexable);
                }
                indexes.push(builder.build());
            }
        }
        for (instance, start) in self.instances.iter_mut().zip(starts) {
            instance.indexes = start;
        }
        self.indexes = indexes;
    }
}

/// Whether a policy with this many children is worth an index.
pub(crate) const fn worth_an_index(children: u32) -> bool {
    children >= INDEX_FROM
}
