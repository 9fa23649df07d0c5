//! Expressions (XACML 3.0 sections 7.10 and 7.11, appendix A.3).

use std::cell::Cell;
use std::sync::Arc;

use bumpalo::collections::Vec as ArenaVec;

use super::trace::Observer;
use super::{Activation, Evaluation, Trouble};
use crate::context::{Lookup, words};
use crate::function::{Code as FunctionCode, Logic, NoPattern, Pattern};
use crate::model::{Status, StatusCode};
use crate::program::code::{ExpressionId, ExpressionNode, Span};
use crate::program::slots::SlotId;
use crate::value::{Bag, Data, Integer, Operand, Value};

/// What is known of a variable in this evaluation of its policy.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Memo<'a> {
    /// Not asked for.
    #[default]
    Unknown,
    /// Its value.
    Value(Operand<'a>),
    /// It is Indeterminate, and stays so.
    Fault(&'a Status<'a>),
}

/// Calls with more arguments than this take room in the arena.
const INLINE_ARGUMENTS: usize = 4;

impl<'a, O: Observer> Evaluation<'_, 'a, O> {
    /// The value of an expression.
    #[inline]
    pub(super) fn expression(
        &mut self,
        activation: &'a Activation<'a>,
        id: ExpressionId,
    ) -> Result<Operand<'a>, Trouble<'a>> {
        let value = self.unobserved(activation, id);
        if O::VALUES && !matches!(value, Err(Trouble::Pending | Trouble::Abort)) {
            let scene = activation.scene(self.context.program);
            self.observer.computed(scene, id, value.as_ref().ok());
        }
        value
    }

    fn unobserved(
        &mut self,
        activation: &'a Activation<'a>,
        id: ExpressionId,
    ) -> Result<Operand<'a>, Trouble<'a>> {
        self.step()?;
        match activation.code.expression(id) {
            ExpressionNode::Literal(lit) => {
                Ok(Operand::Value(activation.segment.literal(activation.instance, lit)))
            }
            ExpressionNode::Designator { slot, must_be_present } => {
                self.designator(slot, must_be_present)
            }
            ExpressionNode::OneAndOnly { slot, must_be_present } => {
                self.one_and_only(slot, must_be_present)
            }
            ExpressionNode::Variable(number) => self.variable(activation, number),
            ExpressionNode::Call { function, arguments } => {
                self.call_function(activation, function.0, arguments)
            }
            ExpressionNode::Equal { arguments } => {
                let [left, right] = *arguments.of(&activation.code.arguments) else {
                    return Err(self.wrong_type());
                };
                let left = self.expression(activation, left);
                let right = match left {
                    Err(Trouble::Fault(_) | Trouble::Abort) => return left,
                    // Past a pending argument the other is evaluated for what it needs.
                    _ => self.expression(activation, right),
                };
                match (left?, right?) {
                    (Operand::Value(left), Operand::Value(right)) => {
                        let zone = self.call.settings.implicit_zone;
                        Ok(Operand::Value(Value::boolean(left.equals(&right, zone))))
                    }
                    _ => Err(self.wrong_type()),
                }
            }
            ExpressionNode::Pattern { function, pattern, arguments } => {
                let FunctionCode::Pattern(body) = function.0.code else {
                    return Err(self.wrong_type());
                };
                match pattern {
                    Some(pattern) => {
                        let pattern = activation.segment.pattern(activation.instance, pattern);
                        self.with_arguments(activation, arguments.rest(), |evaluation, operands| {
                            let result = body(&evaluation.call, pattern, operands);
                            evaluation.settle(result)
                        })
                    }
                    None => self.with_arguments(activation, arguments, |evaluation, operands| {
                        evaluation.apply(function.0, operands)
                    }),
                }
            }
            ExpressionNode::Logic { logic, arguments } => self.logic(activation, logic, arguments),
            ExpressionNode::HigherOrder { function, applied, result, arguments } => {
                self.higher_order(activation, function, applied.0, result, arguments)
            }
            ExpressionNode::Selector(at) => {
                let selector = activation.segment.selector(activation.instance, at);
                self.select(selector)
            }
            ExpressionNode::XPath { function, arguments } => {
                self.with_arguments(activation, arguments, |evaluation, operands| {
                    evaluation.xpath_function(function, operands)
                })
            }
            ExpressionNode::AccessPermitted { arguments } => {
                self.with_arguments(activation, arguments, Self::access_permitted)
            }
            ExpressionNode::Erring { code, message } => {
                let message = activation.segment.text(activation.instance, message);
                Err(Trouble::Fault(self.status(code, message)))
            }
        }
    }

    fn designator(
        &mut self,
        slot: SlotId,
        must_be_present: bool,
    ) -> Result<Operand<'a>, Trouble<'a>> {
        let values = match self.context.look_up(slot, self.finder) {
            Lookup::Values(values) => values,
            Lookup::Empty if must_be_present => return Err(self.absent(slot)),
            Lookup::Empty => &[],
            Lookup::Failed(cause) => return Err(Trouble::Fault(self.unanswered(slot, cause))),
            Lookup::Pending => return Err(Trouble::Pending),
        };
        let data_type = self.context.program.slots.slot(slot).name.data_type;
        Ok(Operand::Bag(Bag { data_type, values }))
    }

    fn one_and_only(
        &mut self,
        slot: SlotId,
        must_be_present: bool,
    ) -> Result<Operand<'a>, Trouble<'a>> {
        let count = match self.context.look_up(slot, self.finder) {
            Lookup::Values([value]) => return Ok(Operand::Value(*value)),
            Lookup::Values(values) => values.len(),
            Lookup::Empty if must_be_present => return Err(self.absent(slot)),
            Lookup::Empty => 0,
            Lookup::Failed(cause) => return Err(Trouble::Fault(self.unanswered(slot, cause))),
            Lookup::Pending => return Err(Trouble::Pending),
        };
        let id = &self.context.program.slots.slot(slot).name.id;
        let message = words(
            self.call.arena,
            format_args!("one value of `{id}` is needed, there are {count}"),
        );
        Err(Trouble::Fault(self.status(StatusCode::ProcessingError, message)))
    }

    #[cold]
    pub(super) fn absent(&mut self, slot: SlotId) -> Trouble<'a> {
        self.observer.missing(&self.context.program.slots.slot(slot).name);
        Trouble::Fault(self.missing(slot))
    }

    /// A variable is evaluated at most once in one evaluation of its policy; a pending one again.
    fn variable(
        &mut self,
        activation: &'a Activation<'a>,
        number: u32,
    ) -> Result<Operand<'a>, Trouble<'a>> {
        let arena = self.call.arena;
        let memos = activation.variables.get_or_init(|| {
            let count = activation.code.variables.len();
            arena.alloc_slice_fill_with(count, |_| Cell::new(Memo::Unknown))
        });
        let memo = &memos[number as usize];
        match memo.get() {
            Memo::Value(operand) => return Ok(operand),
            Memo::Fault(status) => return Err(Trouble::Fault(status)),
            Memo::Unknown => {}
        }
        let value = self.expression(activation, activation.code.variables[number as usize]);
        match value {
            Ok(operand) => memo.set(Memo::Value(operand)),
            Err(Trouble::Fault(status)) => memo.set(Memo::Fault(status)),
            Err(_) => {}
        }
        value
    }

    fn call_function(
        &mut self,
        activation: &'a Activation<'a>,
        row: &'static crate::function::Row,
        arguments: Span,
    ) -> Result<Operand<'a>, Trouble<'a>> {
        self.with_arguments(activation, arguments, |evaluation, operands| {
            evaluation.apply(row, operands)
        })
    }

    /// Evaluates all arguments, then calls. An error ends it at once. Past a pending argument the
    /// others are still evaluated, to collect what they need: the function would evaluate them too.
    pub(super) fn with_arguments(
        &mut self,
        activation: &'a Activation<'a>,
        arguments: Span,
        call: impl FnOnce(&mut Self, &[Operand<'a>]) -> Result<Operand<'a>, Trouble<'a>>,
    ) -> Result<Operand<'a>, Trouble<'a>> {
        let ids = arguments.of(&activation.code.arguments);
        let nothing = Operand::Value(Value::boolean(false));
        let mut pending = Ok(());
        if ids.len() <= INLINE_ARGUMENTS {
            let mut operands = [nothing; INLINE_ARGUMENTS];
            for (operand, id) in operands.iter_mut().zip(ids) {
                match self.argument(activation, *id, pending) {
                    Ok(value) => *operand = value,
                    Err(Trouble::Pending) => pending = Err(()),
                    Err(trouble) => return Err(trouble),
                }
            }
            pending.map_err(|()| Trouble::Pending)?;
            return call(self, &operands[..ids.len()]);
        }
        let mut operands = ArenaVec::with_capacity_in(ids.len(), self.call.arena);
        for id in ids {
            match self.argument(activation, *id, pending) {
                Ok(value) => operands.push(value),
                Err(Trouble::Pending) => pending = Err(()),
                Err(trouble) => return Err(trouble),
            }
        }
        pending.map_err(|()| Trouble::Pending)?;
        call(self, &operands)
    }

    /// One argument. Behind a pending one an error is no error yet: in written order the pending
    /// one comes first.
    fn argument(
        &mut self,
        activation: &'a Activation<'a>,
        id: ExpressionId,
        before: Result<(), ()>,
    ) -> Result<Operand<'a>, Trouble<'a>> {
        match self.expression(activation, id) {
            Err(Trouble::Fault(_)) if before.is_err() => Err(Trouble::Pending),
            value => value,
        }
    }

    /// `and`, `or`, `n-of`, `not`: a deciding value beats an error on either side.
    fn logic(
        &mut self,
        activation: &'a Activation<'a>,
        logic: Logic,
        arguments: Span,
    ) -> Result<Operand<'a>, Trouble<'a>> {
        let ids = arguments.of(&activation.code.arguments);
        let truth = match logic {
            Logic::And => self.all_are(activation, ids, true)?,
            Logic::Or => !self.all_are(activation, ids, false)?,
            Logic::Not => !self.boolean(activation, ids[0])?,
            Logic::NOf => {
                let (count, ids) = (ids[0], &ids[1..]);
                let wanted = self.expression(activation, count)?;
                self.n_of(wanted, ids.len(), |evaluation, at| {
                    evaluation.boolean(activation, ids[at])
                })?
            }
        };
        Ok(Operand::Value(Value::boolean(truth)))
    }

    /// Whether all expressions have the value `expected`; one that has not decides, errors or not.
    fn all_are(
        &mut self,
        activation: &'a Activation<'a>,
        ids: &[ExpressionId],
        expected: bool,
    ) -> Result<bool, Trouble<'a>> {
        let mut error = None;
        for id in ids {
            match self.boolean(activation, *id) {
                Ok(truth) if truth == expected => {}
                Ok(_) => return Ok(false),
                Err(Trouble::Fault(status)) => error = error.or(Some(status)),
                // What stands to the right might not be evaluated once this one is there.
                Err(trouble) => return Err(trouble),
            }
        }
        error.map_or(Ok(true), |status| Err(Trouble::Fault(status)))
    }

    /// Whether at least `wanted` of `count` are true (appendix A.3.5).
    fn n_of(
        &mut self,
        wanted: Operand<'a>,
        count: usize,
        mut truth: impl FnMut(&mut Self, usize) -> Result<bool, Trouble<'a>>,
    ) -> Result<bool, Trouble<'a>> {
        let wanted = match wanted {
            Operand::Value(value) => match value.data() {
                Data::Integer(Integer::Small(wanted)) => usize::try_from(wanted).ok(),
                _ => None,
            },
            Operand::Bag(_) => return Err(self.wrong_type()),
        };
        let Some(wanted) = wanted.filter(|wanted| *wanted <= count) else {
            let message = words(
                self.call.arena,
                format_args!(
                    "n-of wants a number from 0 to {count}, the number of its other arguments"
                ),
            );
            return Err(Trouble::Fault(self.status(StatusCode::ProcessingError, message)));
        };
        let (mut held, mut open, mut error) = (0, 0, None);
        if wanted == 0 {
            return Ok(true);
        }
        for at in 0..count {
            match truth(self, at) {
                Ok(true) => held += 1,
                Ok(false) => {}
                Err(Trouble::Fault(status)) => {
                    open += 1;
                    error = error.or(Some(status));
                }
                Err(trouble) => return Err(trouble),
            }
            if held >= wanted {
                return Ok(true);
            }
            if held + open + (count - at - 1) < wanted {
                return Ok(false);
            }
        }
        error.map_or(Ok(false), |status| Err(Trouble::Fault(status)))
    }

    /// The same functions over values that are there, as higher-order functions apply them.
    pub(super) fn logic_of_values(
        &mut self,
        logic: Logic,
        arguments: &[Operand<'a>],
    ) -> Result<Operand<'a>, Trouble<'a>> {
        let truth = |operand: &Operand<'a>| match operand {
            Operand::Value(value) => matches!(value.data(), Data::Boolean(true)),
            Operand::Bag(_) => false,
        };
        let result = match logic {
            Logic::And => arguments.iter().all(truth),
            Logic::Or => arguments.iter().any(truth),
            Logic::Not => !arguments.iter().all(truth),
            Logic::NOf => {
                let Some((wanted, rest)) = arguments.split_first() else {
                    return Err(self.wrong_type());
                };
                self.n_of(*wanted, rest.len(), |_, at| Ok(truth(&rest[at])))?
            }
        };
        Ok(Operand::Value(Value::boolean(result)))
    }

    /// A regular expression that is computed. Those that are constant were built by compile.
    pub(super) fn pattern(&mut self, text: &Value<'a>) -> Result<Arc<Pattern>, Trouble<'a>> {
        let text = text.written_text().unwrap_or_default();
        match self.context.patterns.get(text, self.call.budget) {
            Ok(pattern) => Ok(pattern),
            Err(NoPattern::Spent) => Err(self.out_of_steps().into()),
            Err(NoPattern::Bad(reason)) => {
                let message = words(
                    self.call.arena,
                    format_args!("`{text}` is not a regular expression: {reason}"),
                );
                Err(Trouble::Fault(self.status(StatusCode::ProcessingError, message)))
            }
        }
    }

    /// Compile has checked types, so this is not met; it is an error of the expression all the same.
    #[cold]
    pub(super) fn wrong_type(&self) -> Trouble<'a> {
        Trouble::Fault(
            self.status(StatusCode::ProcessingError, "a value has another type than compile found"),
        )
    }
}
