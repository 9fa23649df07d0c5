//! Functions that apply a function to elements of bags (XACML 3.0 appendix A.3.12).

use bumpalo::collections::Vec as ArenaVec;

use super::trace::Observer;
use super::{Activation, Evaluation, Trouble};
use crate::function::{HigherOrder, Row};
use crate::model::Status;
use crate::program::code::Span;
use crate::value::{Bag, Data, DataType, Operand, Value};

/// An error met on the way; it counts unless a deciding value comes.
type Errors<'a> = Option<&'a Status<'a>>;

impl<'a, O: Observer> Evaluation<'_, 'a, O> {
    pub(super) fn higher_order(
        &mut self,
        activation: &'a Activation<'a>,
        function: HigherOrder,
        applied: &'static Row,
        result: DataType,
        arguments: Span,
    ) -> Result<Operand<'a>, Trouble<'a>> {
        self.with_arguments(activation, arguments, |evaluation, operands| {
            let truth = match function {
                HigherOrder::Map => return evaluation.map(applied, result, operands),
                HigherOrder::AnyOf | HigherOrder::AnyOfAny => evaluation.any(applied, operands)?,
                HigherOrder::AllOf | HigherOrder::AllOfAll => evaluation.all(applied, operands)?,
                HigherOrder::AllOfAny => evaluation.nested(applied, operands, false)?,
                HigherOrder::AnyOfAll => evaluation.nested(applied, operands, true)?,
            };
            Ok(Operand::Value(Value::boolean(truth)))
        })
    }

    /// Applies the function to every combination that takes one element of each bag, the last bag
    /// fastest, until `stop` has seen enough.
    fn combinations(
        &mut self,
        applied: &'static Row,
        operands: &[Operand<'a>],
        mut stop: impl FnMut(Result<Operand<'a>, &'a Status<'a>>) -> bool,
    ) -> Result<(), Trouble<'a>> {
        let arena = self.call.arena;
        let size = |operand: &Operand<'a>| match operand {
            Operand::Value(_) => 1,
            Operand::Bag(bag) => bag.values.len(),
        };
        if operands.iter().any(|operand| size(operand) == 0) {
            return Ok(());
        }
        let mut places = ArenaVec::from_iter_in(operands.iter().map(|_| 0usize), arena);
        let mut row = ArenaVec::from_iter_in(operands.iter().copied(), arena);
        loop {
            self.step()?;
            for ((value, operand), place) in row.iter_mut().zip(operands).zip(&places) {
                if let Operand::Bag(bag) = operand {
                    *value = Operand::Value(bag.values[*place]);
                }
            }
            let seen = match self.apply(applied, &row) {
                Ok(value) => Ok(value),
                Err(Trouble::Fault(status)) => Err(status),
                Err(trouble) => return Err(trouble),
            };
            if stop(seen) {
                return Ok(());
            }
            let mut at = operands.len();
            loop {
                let Some(before) = at.checked_sub(1) else { return Ok(()) };
                at = before;
                places[at] += 1;
                if places[at] < size(&operands[at]) {
                    break;
                }
                places[at] = 0;
            }
        }
    }

    /// Whether it holds for some combination.
    fn any(
        &mut self,
        applied: &'static Row,
        operands: &[Operand<'a>],
    ) -> Result<bool, Trouble<'a>> {
        let (mut found, mut error): (bool, Errors<'a>) = (false, None);
        self.combinations(applied, operands, |seen| {
            match seen {
                Ok(value) => found = is_true(value),
                Err(status) => error = error.or(Some(status)),
            }
            found
        })?;
        settled(found, true, error)
    }

    /// Whether it holds for every combination.
    fn all(
        &mut self,
        applied: &'static Row,
        operands: &[Operand<'a>],
    ) -> Result<bool, Trouble<'a>> {
        let (mut failed, mut error): (bool, Errors<'a>) = (false, None);
        self.combinations(applied, operands, |seen| {
            match seen {
                Ok(value) => failed = !is_true(value),
                Err(status) => error = error.or(Some(status)),
            }
            failed
        })?;
        settled(!failed, false, error)
    }

    /// all-of-any, or any-of-all with `any_outside`: the first bag outside, the second inside.
    fn nested(
        &mut self,
        applied: &'static Row,
        operands: &[Operand<'a>],
        any_outside: bool,
    ) -> Result<bool, Trouble<'a>> {
        let [Operand::Bag(outer), inner] = operands else { return Err(self.wrong_type()) };
        let mut error: Errors<'a> = None;
        for value in outer.values {
            let pair = [Operand::Value(*value), *inner];
            let truth =
                if any_outside { self.all(applied, &pair) } else { self.any(applied, &pair) };
            match truth {
                Ok(truth) if truth == any_outside => return Ok(any_outside),
                Ok(_) => {}
                Err(Trouble::Fault(status)) => error = error.or(Some(status)),
                Err(trouble) => return Err(trouble),
            }
        }
        settled(!any_outside, any_outside, error)
    }

    /// The bag of results, in the order of the bag.
    fn map(
        &mut self,
        applied: &'static Row,
        result: DataType,
        operands: &[Operand<'a>],
    ) -> Result<Operand<'a>, Trouble<'a>> {
        let arena = self.call.arena;
        let (mut values, mut error): (_, Errors<'a>) = (ArenaVec::new_in(arena), None);
        self.combinations(applied, operands, |seen| {
            match seen {
                Ok(Operand::Value(value)) => values.push(value),
                Ok(Operand::Bag(bag)) => values.extend_from_slice_copy(bag.values),
                Err(status) => error = Some(status),
            }
            error.is_some()
        })?;
        match error {
            Some(status) => Err(Trouble::Fault(status)),
            None => Ok(Operand::Bag(Bag { data_type: result, values: values.into_bump_slice() })),
        }
    }
}

fn is_true(operand: Operand<'_>) -> bool {
    matches!(operand, Operand::Value(value) if matches!(value.data(), Data::Boolean(true)))
}

/// A deciding value stands whatever erred; any other gives way to an error.
fn settled(truth: bool, deciding: bool, error: Errors<'_>) -> Result<bool, Trouble<'_>> {
    match error {
        Some(status) if truth != deciding => Err(Trouble::Fault(status)),
        _ => Ok(truth),
    }
}
