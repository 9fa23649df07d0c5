//! The sequence of an element's children, as a table.

use super::{Elements, Stop, Vocabulary};
use crate::error::code;
use crate::format::cursor::{alternatives, nearest, quoted};
use crate::format::xml::scan::Tag;

/// One place in the sequence of children.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    names: &'static [&'static str],
    required: bool,
    many: bool,
}

impl Slot {
    /// One of the names, exactly once.
    pub(crate) const fn one(names: &'static [&'static str]) -> Self {
        Self { names, required: true, many: false }
    }

    /// One of the names, at most once.
    pub(crate) const fn optional(names: &'static [&'static str]) -> Self {
        Self { names, required: false, many: false }
    }

    /// Any number of the names, in any mix.
    pub(crate) const fn any(names: &'static [&'static str]) -> Self {
        Self { names, required: false, many: true }
    }

    /// The names in any mix, at least one.
    pub(crate) const fn some(names: &'static [&'static str]) -> Self {
        Self { names, required: true, many: true }
    }
}

/// An element and the sequence of its children.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    name: &'static str,
    slots: &'static [Slot],
}

impl Shape {
    /// The element `name` with these children.
    pub(crate) const fn new(name: &'static str, slots: &'static [Slot]) -> Self {
        Self { name, slots }
    }
}

/// How far the children of one element have come.
#[derive(Debug)]
pub(crate) struct Children {
    pub(super) parent: &'static str,
    slots: &'static [Slot],
    at: usize,
    seen: u32,
    /// Places whose element was misspelt.
    excused: u32,
    last: &'static str,
    offset: usize,
}

impl Children {
    /// The children of `tag`, an element of this shape.
    pub(crate) fn of(tag: &Tag<'_>, shape: Shape) -> Self {
        Self {
            parent: shape.name,
            slots: shape.slots,
            at: 0,
            seen: 0,
            excused: 0,
            last: "",
            offset: tag.offset,
        }
    }
}

impl<'i> Elements<'i> {
    pub(super) fn accept(&mut self, tag: &Tag<'i>, children: &mut Children) -> Result<bool, Stop> {
        let Children { parent, slots, at, .. } = *children;
        let from = slots.iter().skip(at).position(|slot| slot.names.contains(&tag.local));
        if let Some(ahead) = from {
            let index = at + ahead;
            let bit = 1 << index;
            if children.seen & bit != 0 && !slots[index].many {
                let message = match slots[index].names {
                    [_] => format!("`{parent}` takes one `{}`; this is a second one", tag.local),
                    names => format!(
                        "`{parent}` takes one of {}; this is a second one",
                        alternatives(names)
                    ),
                };
                self.problem(tag.offset, code::XML_ELEMENT, message)?;
            }
            children.seen |= bit;
            children.at = index;
            let named = slots[index].names.iter().find(|name| **name == tag.local);
            children.last = named.copied().unwrap_or_default();
            return Ok(true);
        }
        if let Some(earlier) =
            slots[..at.min(slots.len())].iter().position(|slot| slot.names.contains(&tag.local))
        {
            let bit = 1 << earlier;
            let message = if children.seen & bit != 0 && !slots[earlier].many {
                format!("`{parent}` takes one `{}`; this is a second one", tag.local)
            } else {
                format!("`{}` must stand before `{}` in `{parent}`", tag.local, children.last)
            };
            self.problem(tag.offset, code::XML_ELEMENT, message)?;
            children.seen |= bit;
            return Ok(true);
        }
        // A misspelt child is not reported as missing as well.
        let here = || slots.iter().flat_map(|slot| slot.names.iter().copied());
        if let Some(meant) = nearest(tag.local, here()) {
            let slot = slots.iter().position(|slot| slot.names.contains(&meant));
            children.excused |= slot.map_or(0, |slot| 1 << slot);
        }
        let message = self.unknown_element(tag, parent, slots);
        self.problem(tag.offset, code::XML_ELEMENT, message)?;
        Ok(false)
    }

    #[cold]
    fn unknown_element(&self, tag: &Tag<'i>, parent: &str, slots: &[Slot]) -> String {
        let Vocabulary { format, elements, .. } = *self.vocabulary;
        let here = || slots.iter().flat_map(|slot| slot.names.iter().copied());
        if elements.contains(&tag.local) {
            return if slots.is_empty() {
                format!("`{parent}` holds no elements, and no `{}`", tag.local)
            } else {
                format!("`{}` has no place in `{parent}`", tag.local)
            };
        }
        let close =
            nearest(tag.local, here()).or_else(|| nearest(tag.local, elements.iter().copied()));
        match close {
            Some(name) => {
                format!("{format} has no element {}; did you mean `{name}`?", quoted(tag.local))
            }
            None => format!("{format} has no element {}", quoted(tag.local)),
        }
    }

    pub(super) fn missing(&mut self, children: &Children) -> Result<(), Stop> {
        for (index, slot) in children.slots.iter().enumerate() {
            if slot.required && (children.seen | children.excused) & (1 << index) == 0 {
                let message = format!(
                    "`{}` needs {}",
                    children.parent,
                    match slot.names {
                        [name] if slot.many => format!("at least one `{name}`"),
                        [name] => format!("{} `{name}`", article(name)),
                        names => format!("one of {}", alternatives(names)),
                    }
                );
                self.problem(children.offset, code::XML_ELEMENT, message)?;
            }
        }
        Ok(())
    }
}

fn article(name: &str) -> &'static str {
    if name.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" }
}
