//! Values: one file per family of data types, and the bag.
//!
//! A [`Value`] is small and `Copy`. Its text lives elsewhere: in the request's bytes, in the compiled
//! program, or in the arena of the decision. All three outlive the decision, which is the lifetime `'a`.
//!
//! A value that was read from text keeps that text, so that an answer can return it as it was
//! written. Equality is that of the data type, not of the text: `07` and `7` are one integer.

mod data_type;
mod integer;
mod time;

pub use data_type::DataType;
pub use integer::Integer;
pub use time::{Date, DateTime, DayTimeDuration, Time, YearMonthDuration};

use bumpalo::Bump;
use thiserror::Error;

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
    XPathExpression(&'a XPathExpression<'a>),
    /// Text of a type the engine does not know.
    Foreign(&'a Foreign<'a>),
}

/// An XPath expression with what it needs to be evaluated and written back.
#[derive(Clone, Copy, Debug)]
pub struct XPathExpression<'a> {
    /// The expression, blanks around it trimmed.
    pub path: &'a str,
    /// The category whose Content it is evaluated over.
    pub category: &'a str,
    /// Prefix and namespace, in scope where the value was written.
    pub namespaces: &'a [(&'a str, &'a str)],
}

/// A value of a type that the engine does not know.
#[derive(Clone, Copy, Debug)]
pub struct Foreign<'a> {
    /// The identifier of its data type.
    pub type_id: &'a str,
    /// Its text, as written.
    pub text: &'a str,
}

/// One value of one data type.
#[derive(Clone, Copy, Debug)]
pub struct Value<'a> {
    data: Data<'a>,
    /// As it was written; absent for computed values.
    text: Option<&'a str>,
    /// The identifier of the type as it was written, where it is an old spelling.
    spelling: Option<&'static str>,
}

/// Why a text is not a value of a data type.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{text}` is not {article} {data_type}: {reason}")]
pub struct ValueError {
    /// The text, cut to a readable length.
    pub text: String,
    /// The short name of the data type.
    pub data_type: &'static str,
    /// `a` or `an`.
    pub article: &'static str,
    /// What was expected.
    pub reason: String,
}

impl<'a> Value<'a> {
    /// A computed value: it has no text of its own and is written in canonical form.
    #[inline]
    pub const fn new(data: Data<'a>) -> Self {
        Self { data, text: None, spelling: None }
    }

    /// A value that was read from `text` and is returned as it was written.
    #[inline]
    pub const fn written(data: Data<'a>, text: &'a str) -> Self {
        Self { data, text: Some(text), spelling: None }
    }

    /// The same value under an old identifier of its data type.
    pub const fn spelled(self, type_id: &'static str) -> Self {
        Self { spelling: Some(type_id), ..self }
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

    /// What it holds.
    #[inline]
    pub const fn data(&self) -> Data<'a> {
        self.data
    }

    /// Its text as it was written, where it was read from text.
    #[inline]
    pub const fn written_text(&self) -> Option<&'a str> {
        match self.data {
            Data::String(text) | Data::AnyUri(text) => Some(text),
            _ => self.text,
        }
    }
}

/// The values of an attribute: one data type, order of the request kept, duplicates kept.
#[derive(Clone, Copy, Debug)]
pub struct Bag<'a> {
    /// The type of every value in it.
    pub data_type: DataType,
    /// The values.
    pub values: &'a [Value<'a>],
}

/// What an expression evaluates to, and what a function takes and returns.
#[derive(Clone, Copy, Debug)]
pub enum Operand<'a> {
    /// One value.
    Value(Value<'a>),
    /// A bag of values.
    Bag(Bag<'a>),
}

/// The arena of one decision: computed values and unescaped text live in it until the decision ends.
pub type Arena = Bump;
