//! Observers of a decision, and the one that explains it.

mod compared;
mod explanation;
mod subjects;
mod write;

pub use compared::{Argument, Comparison};
pub use explanation::{Conclusion, Explanation, Step, Story};
pub use subjects::{Listed, Subject, subjects};

use crate::combine::{Applicability, Verdict};
use crate::context::Context;
use crate::finder::AttributeName;
use crate::model::{Answer, Status};
use crate::program::Program;
use crate::program::code::{ExpressionId, MatchNode};
use crate::program::segment::{Instance, Segment};
use crate::value::{Operand, Value};

/// Where something that is evaluated stands.
#[derive(Clone, Copy, Debug)]
pub struct Scene<'p> {
    /// The program.
    pub program: &'p Program,
    /// The part of the program that holds the policy.
    pub segment: &'p Segment,
    /// The policy.
    pub instance: &'p Instance,
}

/// Is told how a decision is taken. Every method does nothing unless it is written, so that an
/// observer that is absent costs nothing.
pub trait Observer {
    /// Whether values are told too, by [`computed`](Self::computed) and [`tested`](Self::tested).
    const VALUES: bool = false;

    /// A decision begins on what the context holds; `proposed` policies are evaluated.
    fn begin(&mut self, _context: &Context<'_>, _proposed: usize) {}
    /// A policy begins.
    fn enter_policy(&mut self, _segment: &Segment, _instance: &Instance, _number: u32) {}
    /// A rule begins.
    fn enter_rule(&mut self, _segment: &Segment, _instance: &Instance, _number: u32) {}
    /// The target of what began last.
    fn target(&mut self, _applicability: Applicability) {}
    /// The condition of the rule that began last; none: Indeterminate.
    fn condition(&mut self, _truth: Option<bool>) {}
    /// An expression has a value; none: Indeterminate.
    fn computed(&mut self, _scene: Scene<'_>, _id: ExpressionId, _value: Option<&Operand<'_>>) {}
    /// A match of a target was tested with the values of its attribute, where that is one; none:
    /// Indeterminate.
    fn tested(
        &mut self,
        _scene: Scene<'_>,
        _node: &MatchNode,
        _values: Option<&[Value<'_>]>,
        _holds: Option<bool>,
    ) {
    }
    /// The index left children out, since their targets cannot match.
    fn left_out(&mut self, _children: usize) {}
    /// An attribute that must be present is not.
    fn missing(&mut self, _name: &AttributeName) {}
    /// What began last ends.
    fn leave(&mut self, _verdict: Verdict, _status: Option<&Status<'_>>) {}
    /// The decision has an answer.
    fn end(&mut self, _answer: &Answer<'_>) {}
}

/// Nobody watches.
#[derive(Clone, Copy, Debug)]
pub struct Unobserved;

impl Observer for Unobserved {}
