//! A context within a context: what `access-permitted` asks about (XACML 3.0 appendix A.3.16).

use super::lookup::{Lookup, SlotState};
use super::scratch::{Kept, Lists};
use super::{Context, RequestOptions};
use crate::model::AttributeHead;
use crate::program::slots::{SlotId, SlotTable};
use crate::value::Value;

/// What a context held before another request took its place.
#[derive(Debug)]
pub(crate) struct Aside<'a> {
    kept: Kept<'a>,
    lists: Lists<'a>,
    options: RequestOptions,
    sealed: Option<&'a [Value<'a>]>,
    stamp: u32,
    scattered: bool,
    several: Option<&'static str>,
    category: &'a str,
    category_number: Option<u32>,
    head: Option<AttributeHead<'a>>,
}

impl<'a> Context<'a> {
    /// Puts the request aside and begins one that holds the same, but for `replaced`: of that
    /// category it holds nothing yet.
    pub(crate) fn set_aside(&mut self, replaced: &str) -> Aside<'a> {
        let fresh = Kept::of_slots(self.program.slots.len());
        let mut lists = Lists::new(self.arena);
        std::mem::swap(&mut lists.asked, &mut self.lists.asked);
        let outer = Aside {
            stamp: std::mem::replace(&mut self.stamp, fresh.stamp),
            kept: std::mem::replace(&mut self.kept, fresh),
            lists: std::mem::replace(&mut self.lists, lists),
            options: std::mem::take(&mut self.options),
            sealed: self.sealed.take(),
            scattered: std::mem::take(&mut self.scattered),
            several: self.several.take(),
            category: self.category,
            category_number: self.category_number,
            head: self.head.take(),
        };
        let others = outer.lists.categories.iter().filter(|category| **category != replaced);
        self.lists.categories.extend(others.copied());
        let others = outer.lists.contents.iter().filter(|content| content.category != replaced);
        self.lists.contents.extend(others.copied());
        let program = self.program;
        for (value, fits) in outer.sealed.unwrap_or_default().iter().zip(&outer.kept.fits) {
            let slot = fits.any.or(fits.issued);
            if slot.is_some_and(|slot| *program.slots.slot(slot).name.category != *replaced) {
                self.keep(*value, *fits);
            }
        }
        outer
    }

    /// Takes over what suppliers have answered, but for answers that depend on `replaced`.
    pub(crate) fn take_over(&mut self, outer: &Aside<'a>, replaced: &str) {
        let program = self.program;
        for (slot, definition) in (0..).zip(program.slots.iter()) {
            if definition.supplier.is_none()
                || outer.kept.slots[slot as usize].stamp() != outer.stamp
                || self.kept.slots[slot as usize] != SlotState::default()
                || depends(&program.slots, slot, replaced)
            {
                continue;
            }
            if let Some(answer) = outer.kept.slots[slot as usize].answer(&outer.lists.answers) {
                self.answer(slot, answer);
            }
        }
    }

    /// Goes back to the request that was put aside. What the other one needs joins its needs.
    pub(crate) fn go_back(&mut self, outer: Aside<'a>) {
        self.kept = outer.kept;
        self.stamp = outer.stamp;
        let mut inner = std::mem::replace(&mut self.lists, outer.lists);
        std::mem::swap(&mut inner.asked, &mut self.lists.asked);
        self.lists.needs.extend(inner.needs.iter().copied());
        self.options = outer.options;
        self.sealed = outer.sealed;
        self.scattered = outer.scattered;
        self.several = outer.several;
        self.category = outer.category;
        self.category_number = outer.category_number;
        self.head = outer.head;
    }
}

/// Whether the answer of a slot's supplier follows from attributes of a category.
fn depends(slots: &SlotTable, slot: SlotId, category: &str) -> bool {
    // Compile has refused suppliers that ask for themselves.
    slots.slot(slot).inputs.iter().any(|input| {
        *slots.slot(*input).name.category == *category || depends(slots, *input, category)
    })
}

impl SlotState {
    /// The answer that it stands for, where it is one of a supplier.
    fn answer<'a>(self, answers: &[Lookup<'a>]) -> Option<Lookup<'a>> {
        self.answer_number().and_then(|number| answers.get(number)).copied()
    }
}
