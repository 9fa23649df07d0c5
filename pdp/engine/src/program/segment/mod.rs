//! Segments: instances of policies with their literals, lookup by identity and target index.

use std::sync::Arc;

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

use super::code::{ChildNode, Code, Lit, PatternAt, SelectorAt, SelectorNode, Span};
use super::index::{ChildIndex, IndexBuilder};
use super::pool::Pool;
use crate::error::Position;
use crate::function::Pattern;
use crate::model::{PolicyKind, PolicyReference, Version};
use crate::value::Value;

mod growing;

pub(crate) use growing::{Frame, Growing};

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
