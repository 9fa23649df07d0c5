//! Attribute slots: every attribute that a policy or a supplier asks for has a number, so that a
//! decision looks nothing up by name.
//!
//! A designator without issuer sees the values of every issuer. A value of issuer A therefore goes
//! to two slots where both exist: that of A and that of any issuer.

use hashbrown::HashTable;

use crate::finder::{AttributeName, Supplier};
use crate::ids;
use crate::model::ExpectedAttribute;
use crate::value::DataType;

/// The number of a slot.
pub type SlotId = u32;

/// What the clock supplies where the request does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockPart {
    /// current-time.
    Time,
    /// current-date.
    Date,
    /// current-dateTime.
    DateTime,
}

/// One attribute that is asked for.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Its full name.
    pub name: AttributeName,
    /// Who supplies it where the request does not.
    pub supplier: Option<Supplier>,
    /// The slots of the supplier's inputs, in order.
    pub inputs: Box<[SlotId]>,
    /// The clock supplies it where the request does not.
    pub clock: Option<ClockPart>,
}

impl Slot {
    /// Only the request can fill it: an empty bag is final.
    pub const fn only_request(&self) -> bool {
        self.supplier.is_none() && self.clock.is_none()
    }
}

/// The slots that one kind of value goes to.
#[derive(Clone, Debug)]
struct Entry {
    category: u32,
    data_type: DataType,
    id: Box<str>,
    /// The slot that takes values of every issuer.
    any: Option<SlotId>,
    /// The slots that take values of one issuer.
    issued: Vec<(Box<str>, SlotId)>,
}

/// Every slot of a program. Grows only, so that numbers stay good over deployments.
#[derive(Clone, Debug, Default)]
pub struct SlotTable {
    slots: Vec<Slot>,
    categories: Vec<Box<str>>,
    entries: HashTable<Entry>,
    /// Attributes that requests give by their place in this table.
    expected: &'static [ExpectedAttribute],
    /// The slot of each of them, where there is one.
    places: Vec<Option<SlotId>>,
}

/// Where a value goes; at most two slots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fits {
    /// The slot of any issuer.
    pub any: Option<SlotId>,
    /// The slot of its own issuer.
    pub issued: Option<SlotId>,
}

impl Fits {
    /// The slot of whoever asks for values of this issuer.
    pub(crate) const fn asked_by(self, issuer: Option<&str>) -> Option<SlotId> {
        if issuer.is_some() { self.issued } else { self.any }
    }
}

/// Identifiers differ in their last characters, so these are what is hashed. Requests only look up:
/// they cannot fill a bucket.
#[inline]
fn hash(category: u32, data_type: DataType, id: &str) -> u64 {
    const MIX: u64 = 0x9E37_79B9_7F4A_7C15;
    let (last, before) = match id.as_bytes() {
        [.., a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] => (
            u64::from_le_bytes([*i, *j, *k, *l, *m, *n, *o, *p]),
            u64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h]),
        ),
        short => short.iter().fold((0, 0), |(last, before), octet| {
            (last << 8 | u64::from(*octet), before << 8 | last >> 56)
        }),
    };
    let rest = (id.len() as u64) << 16 | u64::from(category) << 8 | data_type as u64;
    let mixed = (last.wrapping_mul(MIX) ^ before).wrapping_mul(MIX) ^ rest.wrapping_mul(MIX);
    mixed ^ mixed >> 32
}

impl SlotTable {
    /// The slot with this number.
    ///
    /// # Panics
    /// The number is not of this table.
    #[inline]
    pub fn slot(&self, id: SlotId) -> &Slot {
        &self.slots[id as usize]
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Every slot, by number.
    pub fn iter(&self) -> impl Iterator<Item = &Slot> {
        self.slots.iter()
    }

    /// The number of a category that some slot belongs to.
    #[inline]
    pub fn category(&self, uri: &str) -> Option<u32> {
        // A handful: a scan that compares lengths first beats hashing a long URI.
        self.categories.iter().zip(0u32..).find(|(known, _)| ***known == *uri).map(|(_, at)| at)
    }

    /// Where a value of this category, identifier, type and issuer goes.
    #[inline]
    pub fn fits(&self, category: u32, id: &str, data_type: DataType, issuer: Option<&str>) -> Fits {
        let Some(entry) = self.entries.find(hash(category, data_type, id), |entry| {
            entry.category == category && entry.data_type == data_type && *entry.id == *id
        }) else {
            return Fits::default();
        };
        let issued = issuer.and_then(|issuer| {
            entry.issued.iter().find(|(known, _)| **known == *issuer).map(|(_, slot)| *slot)
        });
        Fits { any: entry.any, issued }
    }

    /// Whether requests may give these attributes by their place in the table.
    #[inline]
    pub fn takes(&self, table: &'static [ExpectedAttribute]) -> bool {
        std::ptr::eq(self.expected, table) && !table.is_empty()
    }

    /// The slot of the attribute at this place of the table, where there is one.
    #[inline]
    pub(crate) fn at_place(&self, place: usize) -> Option<SlotId> {
        self.places.get(place).copied().flatten()
    }

    /// Makes `table` the one that requests give attributes by.
    pub(crate) fn expect(&mut self, table: &'static [ExpectedAttribute]) {
        self.expected = table;
        self.places = table
            .iter()
            .map(|one| {
                let category = self.category(one.category)?;
                self.fits(category, one.id, one.data_type, None).any
            })
            .collect();
    }

    /// The slot of an attribute, where there is one.
    pub fn find(&self, name: &AttributeName) -> Option<SlotId> {
        let category = self.category(&name.category)?;
        let issuer = name.issuer.as_deref();
        self.fits(category, &name.id, name.data_type, issuer).asked_by(issuer)
    }

    /// Whether an attribute of this identifier is asked for, of whatever type and issuer.
    pub fn asks_for(&self, category: &str, id: &str) -> bool {
        let Some(category) = self.category(category) else { return false };
        DataType::ALL.iter().any(|data_type| {
            let same = |entry: &Entry| {
                entry.category == category && entry.data_type == *data_type && *entry.id == *id
            };
            self.entries.find(hash(category, *data_type, id), same).is_some()
        })
    }

    /// Adds a slot. The caller has made sure that there is none of this name.
    pub(crate) fn add(
        &mut self,
        name: AttributeName,
        supplier: Option<(Supplier, Box<[SlotId]>)>,
    ) -> SlotId {
        let id = SlotId::try_from(self.slots.len()).unwrap_or(SlotId::MAX);
        let category = self.category(&name.category).unwrap_or_else(|| {
            self.categories.push(name.category.clone());
            u32::try_from(self.categories.len() - 1).unwrap_or(u32::MAX)
        });
        let data_type = name.data_type;
        let entry = self
            .entries
            .entry(
                hash(category, data_type, &name.id),
                |entry| {
                    entry.category == category
                        && entry.data_type == data_type
                        && entry.id == name.id
                },
                |entry| hash(entry.category, entry.data_type, &entry.id),
            )
            .or_insert_with(|| Entry {
                category,
                data_type,
                id: name.id.clone(),
                any: None,
                issued: Vec::new(),
            });
        if name.issuer.is_none() {
            for (one, place) in self.expected.iter().zip(&mut self.places) {
                if one.data_type == data_type
                    && *one.id == *name.id
                    && *one.category == *name.category
                {
                    *place = Some(id);
                }
            }
        }
        match &name.issuer {
            None => entry.into_mut().any = Some(id),
            Some(issuer) => entry.into_mut().issued.push((issuer.clone(), id)),
        }
        let clock = clock_part(&name);
        let (supplier, inputs) = supplier.map_or((None, Box::default()), |(s, i)| (Some(s), i));
        self.slots.push(Slot { name, supplier, inputs, clock });
        id
    }
}

/// The clock fills only the three standard attributes, in their category, with their types and
/// without issuer (XACML 3.0 section 10.2.5).
fn clock_part(name: &AttributeName) -> Option<ClockPart> {
    if name.issuer.is_some() || &*name.category != ids::category::ENVIRONMENT {
        return None;
    }
    match (&*name.id, name.data_type) {
        (ids::attribute::CURRENT_TIME, DataType::Time) => Some(ClockPart::Time),
        (ids::attribute::CURRENT_DATE, DataType::Date) => Some(ClockPart::Date),
        (ids::attribute::CURRENT_DATE_TIME, DataType::DateTime) => Some(ClockPart::DateTime),
        _ => None,
    }
}
