//! Values: one file per family of data types, and the bag.
//!
//! A [`Value`] is small and `Copy`. Its text lives elsewhere: in the request's bytes, in the compiled
//! program, or in the arena of the decision. All three outlive the decision, which is the lifetime `'a`.
//!
//! A value that was read from text keeps that text, so that an answer can return it as it was
//! written. Equality is that of the data type, not of the text: `07` and `7` are one integer.
//!
//! | file | what is in it |
//! |---|---|
//! | `data_type` | the types and their identifiers |
//! | `parse`, `write` | text to value, value to text |
//! | `equality` | equality, order and fingerprint of every type |
//! | `text`, `number`, `integer`, `time`, `duration`, `binary`, `name`, `x500`, `network`, `xpath` | the families |
//! | `owned` | values that own their text, for what is compiled or kept |

mod bag;
mod binary;
mod calendar;
mod data_type;
mod duration;
mod equality;
mod error;
mod integer;
mod name;
mod network;
mod number;
mod owned;
mod parse;
#[cfg(test)]
mod properties;
mod text;
mod time;
mod write;
mod x500;
mod xpath;

pub use bag::{Bag, Operand};
pub(crate) use data_type::is_identifier;
pub use data_type::{DataType, Spelling};
pub use duration::{DayTimeDuration, YearMonthDuration};
pub use equality::fingerprint_str;
pub use error::ValueError;
pub(crate) use error::shorten;
pub use integer::{Integer, IntegerLimit, MAX_INTEGER_DIGITS};
pub(crate) use name::{domain, split_address};
pub use owned::OwnedValue;
pub(crate) use text::is_xml_space;
pub(crate) use time::DAY_NANOS;
pub use time::{Date, DateTime, Time};
pub(crate) use x500::ends_with as x500_ends_with;
pub use xpath::XPathExpression;

use bumpalo::Bump;

/// The arena of one decision: computed values and unescaped text live in it until the decision ends.
pub type Arena = Bump;

/// What a value holds, by data type.
///
/// Text-like data is kept in a form whose equality is that of the type; see the family's file.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // the variants are the data types, by their own names
pub enum Data<'a> {
    String(&'a str),
    Boolean(bool),
    Integer(Integer<'a>),
    Double(f64),
    Time(Time),
    Date(Date),
    DateTime(DateTime),
    DayTimeDuration(DayTimeDuration),
    YearMonthDuration(YearMonthDuration),
    AnyUri(&'a str),
    HexBinary(&'a [u8]),
    Base64Binary(&'a [u8]),
    /// Canonical: local part as written, domain in lower case.
    Rfc822Name(&'a str),
    /// Canonical: see the name file.
    X500Name(&'a str),
    IpAddress(&'a str),
    DnsName(&'a str),
    XPathExpression(XPathExpression<'a>),
    /// A type the engine does not know: its identifier. The text is the written text.
    Foreign(&'a str),
}

/// One value of one data type.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    data: Data<'a>,
    /// As it was written; absent for computed values and where the data says it already.
    text: Option<&'a str>,
    /// Which identifier of the type it was written with.
    spelling: Spelling,
}

const _: () = assert!(size_of::<Value<'_>>() <= 48, "values are copied a lot");

impl<'a> Value<'a> {
    /// A computed value: it has no text of its own and is written in canonical form.
    #[inline]
    pub const fn new(data: Data<'a>) -> Self {
        Self { data, text: None, spelling: Spelling::Current }
    }

    /// A value that was read from `text` and is returned as it was written.
    #[inline]
    pub const fn written(data: Data<'a>, text: &'a str) -> Self {
        Self { data, text: Some(text), spelling: Spelling::Current }
    }

    /// The same value under an old identifier of its data type.
    pub const fn spelled(self, spelling: Spelling) -> Self {
        Self { spelling, ..self }
    }

    /// A string.
    #[inline]
    pub const fn string(text: &'a str) -> Self {
        Self::new(Data::String(text))
    }

    /// A boolean.
    #[inline]
    pub const fn boolean(value: bool) -> Self {
        Self::new(Data::Boolean(value))
    }

    /// An integer of 64 bits.
    #[inline]
    pub const fn integer(value: i64) -> Self {
        Self::new(Data::Integer(Integer::Small(value)))
    }

    /// A double.
    #[inline]
    pub const fn double(value: f64) -> Self {
        Self::new(Data::Double(value))
    }

    /// A URI, whose form is not checked here.
    #[inline]
    pub const fn any_uri(text: &'a str) -> Self {
        Self::new(Data::AnyUri(text))
    }

    /// A value of a type that the engine does not know.
    pub const fn foreign(type_id: &'a str, text: &'a str) -> Self {
        Self::written(Data::Foreign(type_id), text)
    }

    /// What it holds.
    #[inline]
    pub const fn data(&self) -> Data<'a> {
        self.data
    }

    /// Which identifier of its type it was written with.
    #[inline]
    pub const fn spelling(&self) -> Spelling {
        self.spelling
    }

    /// Its data type.
    #[inline]
    pub const fn data_type(&self) -> DataType {
        match self.data {
            Data::String(_) => DataType::String,
            Data::Boolean(_) => DataType::Boolean,
            Data::Integer(_) => DataType::Integer,
            Data::Double(_) => DataType::Double,
            Data::Time(_) => DataType::Time,
            Data::Date(_) => DataType::Date,
            Data::DateTime(_) => DataType::DateTime,
            Data::DayTimeDuration(_) => DataType::DayTimeDuration,
            Data::YearMonthDuration(_) => DataType::YearMonthDuration,
            Data::AnyUri(_) => DataType::AnyUri,
            Data::HexBinary(_) => DataType::HexBinary,
            Data::Base64Binary(_) => DataType::Base64Binary,
            Data::Rfc822Name(_) => DataType::Rfc822Name,
            Data::X500Name(_) => DataType::X500Name,
            Data::IpAddress(_) => DataType::IpAddress,
            Data::DnsName(_) => DataType::DnsName,
            Data::XPathExpression(_) => DataType::XPathExpression,
            Data::Foreign(_) => DataType::Foreign,
        }
    }

    /// The identifier of its data type, as it was written.
    pub const fn type_uri(&self) -> &'a str {
        match self.data {
            Data::Foreign(type_id) => type_id,
            _ => self.data_type().spelled_uri(self.spelling),
        }
    }

    /// Whether it was written in another way than its data alone would be.
    #[inline]
    pub(crate) const fn keeps_text(&self) -> bool {
        self.text.is_some()
    }

    /// Its text as it was written, where it was read from text. Blanks around values other than
    /// strings are not kept.
    #[inline]
    pub fn written_text(&self) -> Option<&'a str> {
        match self.data {
            Data::String(text)
            | Data::AnyUri(text)
            | Data::IpAddress(text)
            | Data::DnsName(text) => Some(text),
            Data::XPathExpression(expression) => Some(expression.path()),
            _ => self.text,
        }
    }

    /// The text of a string.
    #[inline]
    pub const fn as_string(&self) -> Option<&'a str> {
        match self.data {
            Data::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a boolean.
    #[inline]
    pub const fn as_boolean(&self) -> Option<bool> {
        match self.data {
            Data::Boolean(value) => Some(value),
            _ => None,
        }
    }

    /// The value of an integer.
    #[inline]
    pub const fn as_integer(&self) -> Option<Integer<'a>> {
        match self.data {
            Data::Integer(value) => Some(value),
            _ => None,
        }
    }

    /// The value of an integer that fits 64 bits.
    #[inline]
    pub const fn as_i64(&self) -> Option<i64> {
        match self.data {
            Data::Integer(Integer::Small(value)) => Some(value),
            _ => None,
        }
    }

    /// The value of a double.
    #[inline]
    pub const fn as_double(&self) -> Option<f64> {
        match self.data {
            Data::Double(value) => Some(value),
            _ => None,
        }
    }
}
