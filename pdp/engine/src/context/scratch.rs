//! Memory that one worker uses for decision after decision.

use super::lookup::{Answered, Need, SlotState};
use super::{Content, Returned};
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
}

impl Scratch {
    /// Empty; it grows to what decisions need.
    pub fn new() -> Self {
        Self::default()
    }

    pub(super) fn begin(&mut self) -> (&Arena, &mut Kept<'static>) {
        self.arena.reset();
        (&self.arena, &mut self.kept)
    }
}

/// The vectors of a decision. Their elements live as long as the decision; their memory stays.
#[derive(Debug, Default)]
pub(crate) struct Kept<'a> {
    pub(super) stamp: u32,
    pub(super) slots: Vec<SlotState>,
    pub(super) values: Vec<Value<'a>>,
    pub(super) fits: Vec<Fits>,
    pub(super) categories: Vec<&'a str>,
    pub(super) returned: Vec<Returned<'a>>,
    pub(super) returned_values: Vec<(DataType, Value<'a>)>,
    pub(super) contents: Vec<Content<'a>>,
    pub(super) answers: Vec<Answered<'a>>,
    pub(super) needs: Vec<Need<'a>>,
    pub(crate) notices: Vec<(Effect, ReturnedNotice<'a>)>,
    pub(crate) policies: Vec<PolicyIdentifier<'a>>,
}

impl<'a> Kept<'a> {
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
        Kept {
            stamp: self.stamp,
            slots: self.slots,
            values: recycle(self.values),
            fits,
            categories: recycle(self.categories),
            returned: recycle(self.returned),
            returned_values: recycle(self.returned_values),
            contents: recycle(self.contents),
            answers: recycle(self.answers),
            needs: recycle(self.needs),
            notices: recycle(self.notices),
            policies: recycle(self.policies),
        }
    }
}

/// The memory of a vector, for elements that differ in lifetime alone. Collecting in place keeps
/// the allocation, since the layout is the same.
fn recycle<T, U>(mut vector: Vec<T>) -> Vec<U> {
    vector.clear();
    vector.into_iter().filter_map(|_| None).collect()
}
