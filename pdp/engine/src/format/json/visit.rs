//! The serde visitors behind [`Reading`]: objects, their members' names, items, strings.

use std::fmt::{self, Write as _};
use std::marker::PhantomData;

use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer, StrDeserializer};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use super::{Items, Object, Reading, Stopped};
use crate::error::code;
use crate::format::cursor::{nearest, quoted};
use crate::value::Arena;

pub(super) struct ObjectVisitor<'s, 'a, O> {
    pub(super) object: &'s mut O,
    pub(super) reading: &'s mut Reading<'a>,
}

impl<'a, O: Object<'a>> DeserializeSeed<'a> for ObjectVisitor<'_, 'a, O> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'a, O: Object<'a>> Visitor<'a> for ObjectVisitor<'_, 'a, O> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(O::WHAT)
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { object, reading } = self;
        reading.count().map_err(Stopped::raise)?;
        let mut seen = 0_u32;
        while let Some(index) = map.next_key_seed(Key::<O>(reading, PhantomData))? {
            let name = O::MEMBERS[index];
            reading.within(name, |reading| {
                if seen & (1 << index) != 0 {
                    let stopped = reading
                        .fail(code::JSON_MEMBER, format!("the member `{name}` is there twice"));
                    return Err(stopped.raise());
                }
                seen |= 1 << index;
                object.member(index, reading, &mut map)
            })?;
        }
        object.finish(reading).map_err(Stopped::raise)
    }
}

/// A member's name, as its index among the known ones.
struct Key<'s, 'a, O>(&'s mut Reading<'a>, PhantomData<O>);

impl<'a, O: Object<'a>> DeserializeSeed<'a> for Key<'_, 'a, O> {
    type Value = usize;

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'a, O: Object<'a>> Visitor<'a> for Key<'_, 'a, O> {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a member")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<usize, E> {
        if let Some(index) = O::MEMBERS.iter().position(|member| *member == name) {
            return Ok(index);
        }
        let mut message = format!("{} has no member {}", O::WHAT, quoted(name));
        if let Some(close) = nearest(name.trim(), O::MEMBERS.iter().copied()) {
            let _ = write!(message, "; did you mean `{close}`?");
        }
        Err(self.0.fail(code::JSON_MEMBER, message).raise())
    }
}

pub(super) struct ItemsSeed<'s, 'a, I> {
    pub(super) items: &'s mut I,
    pub(super) reading: &'s mut Reading<'a>,
}

impl<'a, I: Items<'a>> DeserializeSeed<'a> for ItemsSeed<'_, 'a, I> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'a, I: Items<'a>> Visitor<'a> for ItemsSeed<'_, 'a, I> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an array, or {} alone", I::ITEM)
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut array: A) -> Result<(), A::Error> {
        let Self { items, reading } = self;
        let mut index = 0;
        loop {
            let more = reading.within_item(index, |reading| {
                array.next_element_seed(ItemSeed { items: &mut *items, reading })
            })?;
            if more.is_none() {
                return Ok(());
            }
            index += 1;
        }
    }

    fn visit_map<A: MapAccess<'a>>(self, map: A) -> Result<(), A::Error> {
        self.items.item(self.reading, MapAccessDeserializer::new(map))
    }

    fn visit_borrowed_str<E: serde::de::Error>(self, text: &'a str) -> Result<(), E> {
        self.items.item(self.reading, BorrowedStrDeserializer::new(text))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        self.items.item(self.reading, StrDeserializer::new(text))
    }
}

struct ItemSeed<'s, 'a, I> {
    items: &'s mut I,
    reading: &'s mut Reading<'a>,
}

impl<'a, I: Items<'a>> DeserializeSeed<'a> for ItemSeed<'_, 'a, I> {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        self.items.item(self.reading, deserializer)
    }
}

/// A string, borrowed from the document where it has no escapes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'a> {
    pub(crate) arena: &'a Arena,
}

impl<'a> DeserializeSeed<'a> for Text<'a> {
    type Value = &'a str;

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<&'a str, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'a> Visitor<'a> for Text<'a> {
    type Value = &'a str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, text: &'a str) -> Result<&'a str, E> {
        Ok(text)
    }

    fn visit_str<E>(self, text: &str) -> Result<&'a str, E> {
        Ok(self.arena.alloc_str(text))
    }
}
