//! Bags, and what an expression evaluates to.

use super::{DataType, Value};

/// The values of an attribute: one data type, order of the request kept, duplicates kept.
#[derive(Clone, Copy, Debug)]
pub struct Bag<'a> {
    /// The type of every value in it.
    pub data_type: DataType,
    /// The values.
    pub values: &'a [Value<'a>],
}

impl Bag<'_> {
    /// A bag without values.
    pub const fn empty(data_type: DataType) -> Self {
        Self { data_type, values: &[] }
    }
}

/// What an expression evaluates to, and what a function takes and returns.
#[derive(Clone, Copy, Debug)]
pub enum Operand<'a> {
    /// One value.
    Value(Value<'a>),
    /// A bag of values.
    Bag(Bag<'a>),
}

impl<'a> Operand<'a> {
    /// The value, if it is one.
    #[inline]
    pub const fn value(&self) -> Option<Value<'a>> {
        match self {
            Self::Value(value) => Some(*value),
            Self::Bag(_) => None,
        }
    }

    /// The bag, if it is one.
    #[inline]
    pub const fn bag(&self) -> Option<Bag<'a>> {
        match self {
            Self::Bag(bag) => Some(*bag),
            Self::Value(_) => None,
        }
    }

    /// The values: those of the bag, or the one.
    #[inline]
    pub const fn values(&self) -> &[Value<'a>] {
        match self {
            Self::Value(value) => std::slice::from_ref(value),
            Self::Bag(bag) => bag.values,
        }
    }
}
