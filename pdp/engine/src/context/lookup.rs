//! Looks attributes up by slot: values, empty, failed, or pending.

use bumpalo::collections::Vec as ArenaVec;

use super::{Context, Instant, words};
use crate::finder::{Finder, Found, Supplier};
use crate::program::slots::{ClockPart, SlotId};
use crate::value::{Data, Date, DateTime, Time, Value};

/// What a look-up gives.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lookup<'a> {
    /// At least one value.
    Values(&'a [Value<'a>]),
    /// None, and that is final.
    Empty,
    /// It could not be found out; the cause.
    Failed(&'a str),
    /// It has been asked for and is not there yet.
    Pending,
}

/// An attribute that must be asked for elsewhere before the decision can be taken again.
#[derive(Clone, Copy, Debug)]
pub struct Need<'a> {
    /// The attribute's slot.
    pub slot: SlotId,
    /// Who is to be asked.
    pub supplier: &'a Supplier,
    /// The values of the supplier's inputs.
    pub inputs: &'a [&'a [Value<'a>]],
}

/// What is known of a slot in this request. States of older requests have another stamp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SlotState {
    stamp: u32,
    kind: Kind,
    start: u32,
    len: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    /// A run of the request's values.
    #[default]
    Run,
    /// Values of the request that do not stand together; gathered when the request is sealed.
    Scattered,
    /// An answer, by number.
    Answer,
}

impl SlotState {
    /// The request that it is of.
    pub(super) fn stamp(self) -> u32 {
        self.stamp
    }

    /// The number of the answer that it stands for, where it stands for one.
    pub(super) fn answer_number(self) -> Option<usize> {
        (self.kind == Kind::Answer).then_some(self.start as usize)
    }

    /// Adds a value of the request; true where the slot's values no longer stand together.
    #[inline]
    pub(super) fn add(&mut self, stamp: u32, at: u32) -> bool {
        if self.stamp != stamp {
            *self = Self { stamp, kind: Kind::Run, start: at, len: 1 };
        } else if self.kind == Kind::Run && self.start + self.len == at {
            self.len += 1;
        } else {
            self.kind = Kind::Scattered;
            self.len += 1;
        }
        self.kind == Kind::Scattered
    }
}

/// What is known of an attribute that the request does not hold.
pub(super) type Answered<'a> = Lookup<'a>;

impl<'a> Context<'a> {
    /// Copies together the values of slots that do not stand together, in one pass over all values.
    pub(super) fn gather(&mut self, values: &'a [Value<'a>]) {
        let stamp = self.stamp;
        let mut gathered: Vec<(SlotId, ArenaVec<'a, Value<'a>>)> = Vec::new();
        let mut place: hashbrown::HashMap<SlotId, usize> = hashbrown::HashMap::new();
        for (value, fits) in values.iter().zip(&self.kept.fits) {
            for slot in [fits.any, fits.issued].into_iter().flatten() {
                let state = self.kept.slots[slot as usize];
                if state.stamp == stamp && state.kind == Kind::Scattered {
                    let at = *place.entry(slot).or_insert_with(|| {
                        let len = state.len as usize;
                        gathered.push((slot, ArenaVec::with_capacity_in(len, self.arena)));
                        gathered.len() - 1
                    });
                    gathered[at].1.push(*value);
                }
            }
        }
        for (slot, values) in gathered {
            self.answer(slot, Lookup::Values(values.into_bump_slice()));
        }
    }

    pub(super) fn answer(&mut self, slot: SlotId, answer: Answered<'a>) -> Lookup<'a> {
        let number = u32::try_from(self.lists.answers.len()).unwrap_or(u32::MAX);
        self.lists.answers.push(answer);
        let stamp = self.stamp;
        self.kept.slots[slot as usize] =
            SlotState { stamp, kind: Kind::Answer, start: number, len: 0 };
        answer
    }

    /// What the request itself, or an answer that is there, says of a slot.
    #[inline]
    fn known(&self, slot: SlotId) -> Option<Lookup<'a>> {
        let state = self.kept.slots[slot as usize];
        if state.stamp != self.stamp {
            return None;
        }
        Some(match state.kind {
            Kind::Run | Kind::Scattered => {
                let all = self.sealed.unwrap_or_default();
                Lookup::Values(&all[state.start as usize..(state.start + state.len) as usize])
            }
            Kind::Answer => self.lists.answers[state.start as usize],
        })
    }

    /// The value of a slot of which the request holds exactly one.
    #[inline]
    pub(crate) fn single(&self, slot: SlotId) -> Option<&'a Value<'a>> {
        let state = self.kept.slots[slot as usize];
        if state.stamp == self.stamp && state.kind == Kind::Run && state.len == 1 {
            self.sealed?.get(state.start as usize)
        } else {
            None
        }
    }

    /// The values of a slot that only the request can fill.
    #[inline]
    pub(crate) fn request_values(&self, slot: SlotId) -> &'a [Value<'a>] {
        match self.known(slot) {
            Some(Lookup::Values(values)) => values,
            _ => &[],
        }
    }

    /// Looks a slot up: the request first, then the clock or the supplier.
    #[inline]
    pub(crate) fn look_up(&mut self, slot: SlotId, finder: &dyn Finder) -> Lookup<'a> {
        if let Some(known) = self.known(slot) {
            return known;
        }
        let program = self.program;
        let definition = program.slots.slot(slot);
        if definition.only_request() {
            return Lookup::Empty;
        }
        self.supply(slot, finder)
    }

    #[inline(never)]
    fn supply(&mut self, slot: SlotId, finder: &dyn Finder) -> Lookup<'a> {
        let program = self.program;
        let definition = program.slots.slot(slot);
        if let Some(part) = definition.clock {
            let value = clock_value(part, self.now, self.limits.settings.implicit_zone);
            return self.answer(slot, Lookup::Values(self.arena.alloc_slice_copy(&[value])));
        }
        let Some(supplier) = &definition.supplier else { return Lookup::Empty };
        let mut inputs: ArenaVec<'a, &'a [Value<'a>]> =
            ArenaVec::with_capacity_in(definition.inputs.len(), self.arena);
        let mut pending = false;
        for input in &definition.inputs {
            match self.look_up(*input, finder) {
                Lookup::Values(values) => inputs.push(values),
                Lookup::Empty => inputs.push(&[]),
                // The question cannot be asked; that is an answer, and is kept as one.
                Lookup::Failed(cause) => return self.answer(slot, Lookup::Failed(cause)),
                Lookup::Pending => pending = true,
            }
        }
        if pending {
            // Not kept: it is asked once its inputs are there.
            return Lookup::Pending;
        }
        let inputs = inputs.into_bump_slice();
        if let Some(known) = self.asked(slot, inputs) {
            return self.answer(slot, known);
        }
        match finder.find(supplier, inputs, self.arena) {
            Found::Values([]) | Found::Empty => self.answer(slot, Lookup::Empty),
            Found::Values(values) => self.answer(slot, Lookup::Values(values)),
            Found::Failed(cause) => self.answer(slot, Lookup::Failed(cause)),
            Found::Pending if self.last_round => {
                let cause =
                    words(self.arena, format_args!("{} has not answered in time", supplier.name));
                self.answer(slot, Lookup::Failed(cause))
            }
            Found::Pending => {
                self.lists.needs.push(Need { slot, supplier, inputs });
                self.answer(slot, Lookup::Pending)
            }
        }
    }

    /// What must be asked for before the decision can be taken again.
    pub fn needs(&self) -> &[Need<'a>] {
        &self.lists.needs
    }

    /// Meets a need. All needs are forgotten when the decision is taken again; those that were not
    /// met come back. What meets it is kept for all rounds.
    pub fn provide(&mut self, need: &Need<'a>, found: Found<'a>) {
        let answer = match found {
            Found::Values([]) | Found::Empty => Lookup::Empty,
            Found::Values(values) => Lookup::Values(values),
            Found::Failed(cause) => Lookup::Failed(cause),
            Found::Pending => return,
        };
        self.lists.asked.push((*need, answer));
    }

    /// What a need of an earlier round was met with, where the question is the same.
    fn asked(&self, slot: SlotId, inputs: &[&[Value<'a>]]) -> Option<Lookup<'a>> {
        let zone = self.limits.settings.implicit_zone;
        let same = |a: &[Value<'_>], b: &[Value<'_>]| {
            std::ptr::eq(a, b)
                || (a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.equals(b, zone)))
        };
        let found = self.lists.asked.iter().find(|(need, _)| {
            need.slot == slot && need.inputs.iter().zip(inputs).all(|(a, b)| same(a, b))
        });
        found.map(|(_, answer)| *answer)
    }

    /// Begins a round: what is pending is asked for anew.
    pub(crate) fn begin_round(&mut self) {
        let open: ArenaVec<'a, SlotId> =
            ArenaVec::from_iter_in(self.lists.needs.iter().map(|need| need.slot), self.arena);
        for slot in open {
            if matches!(self.known(slot), Some(Lookup::Pending)) {
                self.kept.slots[slot as usize] = SlotState::default();
            }
        }
        self.lists.needs.clear();
    }
}

const DAY: i64 = 86_400;

fn clock_value<'a>(part: ClockPart, now: Instant, zone: i16) -> Value<'a> {
    let local_seconds = now.seconds + i64::from(zone) * 60;
    let midnight = local_seconds.div_euclid(DAY) * DAY;
    let zone = Some(zone);
    Value::new(match part {
        ClockPart::DateTime => Data::DateTime(DateTime { local_seconds, nanos: now.nanos, zone }),
        ClockPart::Date => Data::Date(Date(DateTime { local_seconds: midnight, nanos: 0, zone })),
        ClockPart::Time => Data::Time(Time(DateTime {
            local_seconds: local_seconds - midnight,
            nanos: now.nanos,
            zone,
        })),
    })
}
