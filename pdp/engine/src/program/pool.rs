//! The literal pool: what differs between policies of one shape, packed so that a decision touches
//! few cache lines.
//!
//! A literal takes sixteen bytes. Short texts stand one after another in one buffer; a text that was
//! seen a moment ago is not stored again, since policies repeat each other's actors, operations and
//! identifiers. Long texts, such as the content of a policy, are shared and never copied.

use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::FixedState;

use super::code::Lit;
use crate::value::{Data, Integer, OwnedValue, Value};

/// One literal.
#[derive(Clone, Copy, Debug)]
enum Entry {
    String(Place),
    AnyUri(Place),
    Boolean(bool),
    Integer(i64),
    Double(f64),
    /// A string too long to be copied about, by number.
    Long(u32),
    /// A value of any other type, by number.
    Other(u32),
}

const _: () = assert!(size_of::<Entry>() <= 16, "a program holds very many literals");

/// A run of the text buffer.
#[derive(Clone, Copy, Debug)]
struct Place {
    start: u32,
    len: u32,
}

/// Literals of one or many policies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool {
    entries: Vec<Entry>,
    text: String,
    long: Vec<Arc<str>>,
    others: Vec<OwnedValue>,
}

/// Texts beyond this are shared instead of copied.
const LONGEST: usize = 512;

fn at(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

impl Pool {
    /// Empty, with its memory.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.text.clear();
        self.long.clear();
        self.others.clear();
    }

    /// How many literals it holds.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The literal at a place.
    #[inline]
    pub(crate) fn value(&self, lit: Lit) -> Value<'_> {
        match self.entries[lit.0 as usize] {
            Entry::String(place) => Value::string(self.slice(place)),
            Entry::AnyUri(place) => Value::any_uri(self.slice(place)),
            Entry::Boolean(value) => Value::boolean(value),
            Entry::Integer(value) => Value::integer(value),
            Entry::Double(value) => Value::double(value),
            Entry::Long(number) => Value::string(&self.long[number as usize]),
            Entry::Other(number) => self.others[number as usize].as_value(),
        }
    }

    /// Whether the literal equals `value`, by the equality of its type.
    #[inline]
    pub(crate) fn equals(&self, lit: Lit, value: &Value<'_>, implicit_zone: i16) -> bool {
        match (self.entries[lit.0 as usize], value.data()) {
            // By far the commonest, and octets say as much as characters.
            (Entry::String(place), Data::String(text)) => {
                let start = place.start as usize;
                self.text.as_bytes()[start..start + place.len as usize] == *text.as_bytes()
            }
            _ => self.value(lit).equals(value, implicit_zone),
        }
    }

    #[inline]
    fn slice(&self, place: Place) -> &str {
        &self.text[place.start as usize..(place.start + place.len) as usize]
    }

    fn place(&mut self, text: &str) -> Place {
        let start = at(self.text.len());
        self.text.push_str(text);
        Place { start, len: at(text.len()) }
    }

    fn push(&mut self, entry: Entry) -> Lit {
        self.entries.push(entry);
        Lit(at(self.entries.len() - 1))
    }

    /// Adds an identifier or a message.
    pub(crate) fn push_text(&mut self, text: &str) -> Lit {
        if text.len() > LONGEST {
            return self.push_shared(&Arc::from(text));
        }
        let place = self.place(text);
        self.push(Entry::String(place))
    }

    /// Adds a string that is shared already.
    pub(crate) fn push_shared(&mut self, text: &Arc<str>) -> Lit {
        if text.len() <= LONGEST {
            return self.push_text(text);
        }
        self.long.push(Arc::clone(text));
        let number = at(self.long.len() - 1);
        self.push(Entry::Long(number))
    }

    /// Adds a value of any type.
    pub(crate) fn push_value(&mut self, owned: OwnedValue) -> Lit {
        let value = owned.as_value();
        // Only what a text or a number says in full: a value written as `07` keeps its text.
        let plain = !value.keeps_text();
        let entry = match value.data() {
            Data::String(text) if text.len() <= LONGEST => Entry::String(self.place(text)),
            Data::AnyUri(text) if text.len() <= LONGEST && plain => Entry::AnyUri(self.place(text)),
            Data::Boolean(value) if plain => Entry::Boolean(value),
            Data::Integer(Integer::Small(value)) if plain => Entry::Integer(value),
            Data::Double(value) if plain => Entry::Double(value),
            _ => {
                self.others.push(owned);
                Entry::Other(at(self.others.len() - 1))
            }
        };
        self.push(entry)
    }

    /// Adds a run of another pool's literals.
    pub(crate) fn extend(
        &mut self,
        from: &Pool,
        run: std::ops::Range<usize>,
        recent: &mut RecentTexts,
    ) {
        for entry in &from.entries[run] {
            let entry = match *entry {
                Entry::String(place) => Entry::String(recent.place(self, from.slice(place))),
                Entry::AnyUri(place) => Entry::AnyUri(recent.place(self, from.slice(place))),
                Entry::Long(number) => {
                    self.long.push(Arc::clone(&from.long[number as usize]));
                    Entry::Long(at(self.long.len() - 1))
                }
                Entry::Other(number) => {
                    self.others.push(from.others[number as usize].clone());
                    Entry::Other(at(self.others.len() - 1))
                }
                plain => plain,
            };
            self.entries.push(entry);
        }
    }

    /// Adds all literals of another pool.
    pub(crate) fn append(&mut self, other: &Self) {
        let text = at(self.text.len());
        let (long, others) = (at(self.long.len()), at(self.others.len()));
        let moved = |place: Place| Place { start: text + place.start, len: place.len };
        self.entries.extend(other.entries.iter().map(|entry| match *entry {
            Entry::String(place) => Entry::String(moved(place)),
            Entry::AnyUri(place) => Entry::AnyUri(moved(place)),
            Entry::Long(number) => Entry::Long(long + number),
            Entry::Other(number) => Entry::Other(others + number),
            plain => plain,
        }));
        self.text.push_str(&other.text);
        self.long.extend(other.long.iter().cloned());
        self.others.extend(other.others.iter().cloned());
    }

    /// Gives back the room that growing left over.
    pub(crate) fn shrink(&mut self) {
        self.entries.shrink_to_fit();
        self.text.shrink_to_fit();
    }
}

/// Where texts that were seen a moment ago stand, by hash. A text that is forgotten is stored again.
#[derive(Debug)]
pub(crate) struct RecentTexts {
    places: Vec<Option<Place>>,
}

const REMEMBERED: usize = 4096;
const HASH: FixedState = FixedState::with_seed(0x7064_7020_706f_6f6c);

impl Default for RecentTexts {
    fn default() -> Self {
        Self { places: vec![None; REMEMBERED] }
    }
}

impl RecentTexts {
    fn place(&mut self, pool: &mut Pool, text: &str) -> Place {
        let slot = HASH.hash_one(text) as usize % REMEMBERED;
        match self.places[slot] {
            Some(place) if pool.slice(place) == text => place,
            _ => {
                let place = pool.place(text);
                self.places[slot] = Some(place);
                place
            }
        }
    }
}
