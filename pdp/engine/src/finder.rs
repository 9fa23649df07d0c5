//! Attributes that the request lacks: who supplies them, and how they are asked for.
//!
//! At compile time a [`Catalogue`] says whether a supplier stands behind an attribute. At decision
//! time the engine asks the caller's [`Finder`], which answers at once or says that the answer is
//! pending: then the decision comes back with its needs and is taken again once they are met.

use std::sync::Arc;

use crate::model::ExpectedAttribute;
use crate::value::{Arena, DataType, Value};

/// Names an attribute in full.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AttributeName {
    /// The category's identifier.
    pub category: Box<str>,
    /// The attribute's identifier.
    pub id: Box<str>,
    /// The data type.
    pub data_type: DataType,
    /// The issuer, where only its values count.
    pub issuer: Option<Box<str>>,
}

/// Who supplies an attribute. The engine reads `name` and `inputs`; the rest is the owner's, parsed
/// once at compile time so that a decision parses nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Supplier {
    /// Named in statuses and metrics.
    pub name: &'static str,
    /// What is asked for, by the owner's numbering.
    pub question: u32,
    /// A number that belongs to the question, such as a window in seconds.
    pub number: i64,
    /// A text that belongs to the question.
    pub text: Option<Arc<str>>,
    /// Attributes of the request that the answer depends on. Their values are handed to the finder,
    /// in this order.
    pub inputs: Vec<AttributeName>,
}

/// Says at compile time who supplies an attribute. Many policies are compiled by several threads.
pub trait Catalogue: Sync {
    /// The supplier behind `name`; none where the request alone can hold it.
    ///
    /// # Errors
    /// The name is one of the supplier's, but it cannot be answered: the reason, for the policy's author.
    fn supplier(&self, name: &AttributeName) -> Result<Option<Supplier>, String>;

    /// Attributes that most requests hold: they may be given by their place in this table.
    fn expected(&self) -> &'static [ExpectedAttribute] {
        &[]
    }
}

/// No supplier for anything.
#[derive(Clone, Copy, Debug, Default)]
pub struct RequestOnly;

impl Catalogue for RequestOnly {
    fn supplier(&self, _name: &AttributeName) -> Result<Option<Supplier>, String> {
        Ok(None)
    }
}

impl Finder for RequestOnly {
    fn find<'a>(&self, _: &Supplier, _: &[&[Value<'a>]], _: &'a Arena) -> Found<'a> {
        Found::Empty
    }
}

/// What a finder answers.
#[derive(Clone, Copy, Debug)]
pub enum Found<'a> {
    /// The values, at least one.
    Values(&'a [Value<'a>]),
    /// There are none.
    Empty,
    /// It could not be found out; the cause.
    Failed(&'a str),
    /// It has been asked for, or must be asked for elsewhere: decide again when it is there.
    Pending,
}

/// Answers at decision time. May lock; the engine does not.
pub trait Finder {
    /// Answers `supplier`'s question for these input values.
    fn find<'a>(&self, supplier: &Supplier, inputs: &[&[Value<'a>]], arena: &'a Arena)
    -> Found<'a>;
}
