//! Memory that one worker uses for decision after decision.

use bumpalo::collections::Vec as ArenaVec;

use super::lookup::{Answered, Need, SlotState};
use super::{Content, Returned};
use crate::function::PatternCache;
use crate::model::Effect;
use crate::model::{PolicyIdentifier, ReturnedNotice};
use crate::program::slots::Fits;
use crate::value::{Arena, DataType, Value};

/// Working memory of decisions, one per worker. In the steady state a decision allocates nothing
/// beyond it.
#[derive(Debug, Default)]
pub struct Scratch {
    arena: Arena,
    kept: Kept<'static>,
    patterns: PatternCache,
}

impl Scratch {
    /// Empty; it grows to what decisions need.
    pub fn new() -> Self {
        Self::default()
    }

    pub(super) fn begin(&mut self) -> (&Arena, &mut Kept<'static>, &mut PatternCache) {
        self.arena.reset();
        (&self.arena, &mut self.kept, &mut self.patterns)
    }
}

/// The vectors of a decision that nearly every request fills. Their elements live as long as the
/// decision; their memory stays.
#[derive(Debug, Default)]
pub(crate) struct Kept<'a> {
    pub(super) stamp: u32,
    pub(super) slots: Vec<SlotState>,
    pub(super) values: Vec<Value<'a>>,
    pub(super) fits: Vec<Fits>,
}

impl<'a> Kept<'a> {
    /// Empty, for so many slots.
    pub(super) fn of_slots(slots: usize) -> Self {
        let slots = vec![SlotState::default(); slots];
        Self { stamp: 1, slots, values: Vec::new(), fits: Vec::new() }
    }

    /// Takes the memory for elements of another lifetime.
    pub(super) fn take(home: &mut Kept<'static>) -> Self {
        std::mem::take(home).recycled()
    }

    /// Gives it back, empty.
    pub(super) fn give_back(self, home: &mut Kept<'static>) {
        *home = self.recycled();
    }

    fn recycled<'b>(self) -> Kept<'b> {
        let mut fits = self.fits;
        fits.clear();
        Kept { stamp: self.stamp, slots: self.slots, values: recycle(self.values), fits }
    }
}

/// The lists that few requests fill: they are in the arena, and cost nothing while they are empty.
#[derive(Debug)]
pub(crate) struct Lists<'a> {
    pub(super) categories: ArenaVec<'a, &'a str>,
    pub(super) contents: ArenaVec<'a, Content<'a>>,
    pub(super) returned: ArenaVec<'a, Returned<'a>>,
    pub(super) returned_values: ArenaVec<'a, (DataType, Value<'a>)>,
    pub(super) answers: ArenaVec<'a, Answered<'a>>,
    pub(super) needs: ArenaVec<'a, Need<'a>>,
    /// What needs were met with.
    pub(super) asked: ArenaVec<'a, (Need<'a>, Answered<'a>)>,
    pub(crate) notices: ArenaVec<'a, (Effect, ReturnedNotice<'a>)>,
    pub(crate) policies: ArenaVec<'a, PolicyIdentifier<'a>>,
}

impl<'a> Lists<'a> {
    pub(super) fn new(arena: &'a Arena) -> Self {
        Self {
            categories: ArenaVec::new_in(arena),
            contents: ArenaVec::new_in(arena),
            returned: ArenaVec::new_in(arena),
            returned_values: ArenaVec::new_in(arena),
            answers: ArenaVec::new_in(arena),
            needs: ArenaVec::new_in(arena),
            asked: ArenaVec::new_in(arena),
            notices: ArenaVec::new_in(arena),
            policies: ArenaVec::new_in(arena),
        }
    }
}

/// The memory of a vector, for elements that differ in lifetime alone. Collecting in place keeps
/// the allocation, since the layout is the same.
fn recycle<T, U>(mut vector: Vec<T>) -> Vec<U> {
    vector.clear();
    vector.into_iter().filter_map(|_| None).collect()
}
