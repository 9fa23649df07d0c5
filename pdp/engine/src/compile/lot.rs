//! Policies compiled apart from any program, on whatever thread has them.
//!
//! A lot has slots of its own. Whoever builds a program takes policies from it, in any order and as many
//! as are wanted; their slots become those of the program then, and nothing is compiled again.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::{Build, CompileLimits, Refused, lower};
use crate::error::{Diagnostic, Severity};
use crate::finder::Catalogue;
use crate::function::Pattern;
use crate::model::Policy;
use crate::program::code::{Code, ExpressionNode};
use crate::program::segment::{Growing, Segment};
use crate::program::slots::{SlotId, SlotTable};

/// What became of a policy: every problem, where it is not taken in.
pub type Outcome = Result<(), Vec<Diagnostic>>;

/// Policies that are compiled and wait to be taken into a program.
#[derive(Debug, Default)]
pub struct Lot {
    policies: Vec<Compiled>,
    segment: Segment,
    slots: SlotTable,
    /// With the places of their policies, in order.
    warnings: Vec<(usize, Diagnostic)>,
}

#[derive(Debug)]
enum Compiled {
    /// By its place in the segment.
    Well(u32),
    Badly(Box<(Vec<Diagnostic>, Refused)>),
}

impl Lot {
    /// How many policies it has, refused ones included.
    pub fn len(&self) -> usize {
        self.policies.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.policies.is_empty()
    }

    fn warnings_of(&self, place: usize) -> impl Iterator<Item = &Diagnostic> {
        let first = self.warnings.partition_point(|(at, _)| *at < place);
        self.warnings[first..].iter().take_while(move |(at, _)| *at == place).map(|(_, one)| one)
    }
}

/// Compiles policies into a lot.
pub struct LotBuilder<'c> {
    catalogue: &'c dyn Catalogue,
    limits: CompileLimits,
    policies: Vec<Compiled>,
    growing: Growing,
    slots: SlotTable,
    warnings: Vec<(usize, Diagnostic)>,
    lowered: lower::Lowered,
    patterns: HashMap<String, Arc<Pattern>>,
}

impl<'c> LotBuilder<'c> {
    /// Begins with no policies.
    pub fn new(catalogue: &'c dyn Catalogue, limits: CompileLimits) -> Self {
        Self {
            catalogue,
            limits,
            policies: Vec::new(),
            growing: Growing::default(),
            slots: SlotTable::default(),
            warnings: Vec::new(),
            lowered: lower::Lowered::default(),
            patterns: HashMap::new(),
        }
    }

    /// Compiles a policy and returns its place in the lot. `source` names the document it was read from.
    /// What is wrong with it is told when it is taken.
    pub fn add(&mut self, policy: &Policy, source: &str) -> usize {
        let place = self.policies.len();
        let (slots, patterns, lowered) = (&mut self.slots, &mut self.patterns, &mut self.lowered);
        lower::lower(policy, source, self.catalogue, slots, patterns, self.limits, lowered);
        let found = &mut lowered.diagnostics;
        if found.iter().any(|found| found.severity == Severity::Error) {
            let found = std::mem::take(found);
            let refused = Refused::new(policy, source, &lowered.frame);
            self.policies.push(Compiled::Badly(Box::new((found, refused))));
            return place;
        }
        self.warnings.extend(found.drain(..).map(|found| (place, found)));
        let instance = self.growing.push(&lowered.code, &lowered.frame, source, place as u64);
        self.policies.push(Compiled::Well(instance));
        place
    }

    /// The lot.
    pub fn finish(self) -> Lot {
        Lot {
            policies: self.policies,
            segment: self.growing.loose(),
            slots: self.slots,
            warnings: self.warnings,
        }
    }
}

impl std::fmt::Debug for LotBuilder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LotBuilder").field("policies", &self.policies.len()).finish_non_exhaustive()
    }
}

/// The lot that a build takes policies from, and what its numbers have become.
#[derive(Debug)]
pub(super) struct Taking {
    lot: Arc<Lot>,
    /// By number in the lot.
    codes: Vec<Option<u32>>,
    slots: Vec<Option<SlotId>>,
}

impl Taking {
    fn from(lot: &Arc<Lot>) -> Self {
        Self {
            lot: Arc::clone(lot),
            codes: vec![None; lot.segment.codes()],
            slots: vec![None; lot.slots.len()],
        }
    }

    /// The program's slot for one of the lot, made if there is none.
    fn slot(&mut self, number: SlotId, slots: &mut Arc<SlotTable>) -> SlotId {
        if let Some(known) = self.slots[number as usize] {
            return known;
        }
        let lot = Arc::clone(&self.lot);
        let slot = lot.slots.slot(number);
        let there = slots.find(&slot.name).unwrap_or_else(|| {
            let inputs = slot.inputs.iter().map(|input| self.slot(*input, slots)).collect();
            let supplier = slot.supplier.clone().map(|supplier| (supplier, inputs));
            Arc::make_mut(slots).add(slot.name.clone(), supplier)
        });
        self.slots[number as usize] = Some(there);
        there
    }

    /// The number of a piece of the lot's code in what grows.
    fn code(&mut self, number: u32, growing: &mut Growing, slots: &mut Arc<SlotTable>) -> u32 {
        if let Some(known) = self.codes[number as usize] {
            return known;
        }
        let lot = Arc::clone(&self.lot);
        let code = lot.segment.code_numbered(number);
        let mut asked: Vec<SlotId> = asked(code).collect();
        // As if the policy were compiled now.
        asked.sort_unstable();
        asked.dedup();
        let moved: Vec<SlotId> =
            asked.into_iter().filter(|slot| self.slot(*slot, slots) != *slot).collect();
        let number_there = match moved.is_empty() {
            true => growing.shared_code(code),
            false => growing.shared_code(&Arc::new(self.renumbered(code))),
        };
        self.codes[number as usize] = Some(number_there);
        number_there
    }

    /// The code with the program's slots, all of which are known.
    fn renumbered(&self, code: &Code) -> Code {
        let mut code = code.clone();
        let there = |slot: &mut SlotId| *slot = self.slots[*slot as usize].unwrap_or(*slot);
        code.matches.iter_mut().filter_map(|node| node.slot.as_mut()).for_each(there);
        code.expressions.iter_mut().filter_map(slot_of).for_each(there);
        code
    }
}

/// The slots that a piece of code names.
fn asked(code: &Code) -> impl Iterator<Item = SlotId> {
    let matches = code.matches.iter().filter_map(|node| node.slot);
    // A copy of a node is small, and only one list of the kinds that name a slot is kept.
    matches.chain(code.expressions.iter().filter_map(|node| slot_of(&mut node.clone()).copied()))
}

fn slot_of(node: &mut ExpressionNode) -> Option<&mut SlotId> {
    match node {
        ExpressionNode::Designator { slot, .. } | ExpressionNode::OneAndOnly { slot, .. } => {
            Some(slot)
        }
        _ => None,
    }
}

impl Build<'_> {
    /// Takes in the policy at this place of a lot, after those that are there.
    ///
    /// # Errors
    /// Every problem of the policy, at least one of them an error; it is not taken in.
    ///
    /// # Panics
    /// The lot has no such place.
    pub fn take(&mut self, lot: &Arc<Lot>, place: usize) -> Outcome {
        let at = match &lot.policies[place] {
            Compiled::Badly(refused) => {
                self.refused.push(refused.1.clone());
                return Err(refused.0.clone());
            }
            Compiled::Well(at) => *at,
        };
        let instance = &lot.segment.instances()[at as usize];
        let (kind, id, version) = lot.segment.identity(instance);
        if self.holds(kind, id, version) {
            let (document, position) = lot.segment.policy_place(instance, 0);
            return Err(vec![super::duplicate(id, version, position, document)]);
        }
        let mut taking = self.taking_from(lot);
        let slots = &mut self.base.slots;
        let code = taking.code(instance.code, &mut self.growing, slots);
        let sequence = self.base.next_sequence;
        let context = |slot| taking.slot(slot, slots);
        self.growing.take(code, &lot.segment, at, sequence, context);
        self.base.next_sequence += 1;
        self.warnings.extend(lot.warnings_of(place).cloned());
        self.taking = Some(taking);
        Ok(())
    }

    /// Takes in all policies of a lot at once, as [`Build::take`] does for each in turn, and returns true. Where
    /// one of them would be refused nothing is taken.
    pub fn take_all(&mut self, lot: &Arc<Lot>) -> bool {
        let Lot { segment, policies, .. } = &**lot;
        let mut seen = HashSet::with_capacity(policies.len());
        let all_new = segment.instances().iter().all(|instance| {
            let (kind, id, version) = segment.identity(instance);
            seen.insert((kind, id, version)) && !self.holds(kind, id, version)
        });
        if !all_new || segment.instances().len() < policies.len() {
            return false;
        }
        let mut taking = self.taking_from(lot);
        let slots = &mut self.base.slots;
        let numbers = 0..u32::try_from(segment.codes()).unwrap_or(u32::MAX);
        let codes: Vec<u32> =
            numbers.map(|number| taking.code(number, &mut self.growing, slots)).collect();
        let context = |slot| taking.slot(slot, slots);
        self.growing.take_all(&codes, segment, self.base.next_sequence, context);
        self.base.next_sequence += policies.len() as u64;
        self.warnings.extend(lot.warnings.iter().map(|(_, warning)| warning.clone()));
        self.taking = Some(taking);
        true
    }

    fn taking_from(&mut self, lot: &Arc<Lot>) -> Taking {
        match self.taking.take() {
            Some(taking) if Arc::ptr_eq(&taking.lot, lot) => taking,
            _ => Taking::from(lot),
        }
    }

    /// Makes room for as many policies.
    pub fn reserve(&mut self, policies: usize) {
        self.growing.reserve(policies);
    }
}
