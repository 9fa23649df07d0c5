//! Targets (XACML 3.0 sections 7.6 to 7.8). False beats an error inside AllOf and Target, and a
//! match beats an error inside AnyOf, so the first error is not where evaluation stops.

use super::policy::Applied;
use super::trace::Observer;
use super::{Abort, Activation, Evaluation, Trouble};
use crate::combine::Applicability;
use crate::context::Lookup;
use crate::function::{Code as FunctionCode, Row, Settings, Stop};
use crate::model::Status;
use crate::program::code::{MatchNode, Span, Test};
use crate::value::{Data, Operand, Value};

impl<'a, O: Observer> Evaluation<'_, 'a, O> {
    /// Whether a target matches.
    pub(super) fn target(
        &mut self,
        activation: &'a Activation<'a>,
        target: Span,
    ) -> Result<Applied<'a>, Abort> {
        let mut error = None;
        for any_of in target.of(&activation.code.any_of) {
            match self.any_of(activation, *any_of)? {
                (Applicability::Match, _) => {}
                (Applicability::Indeterminate, status) => error = error.or(status),
                settled => return Ok(settled),
            }
        }
        Ok(match error {
            Some(status) => (Applicability::Indeterminate, Some(status)),
            None => (Applicability::Match, None),
        })
    }

    fn any_of(
        &mut self,
        activation: &'a Activation<'a>,
        alternatives: Span,
    ) -> Result<Applied<'a>, Abort> {
        let mut error = None;
        for all_of in alternatives.of(&activation.code.all_of) {
            match self.all_of(activation, *all_of)? {
                (Applicability::NoMatch, _) => {}
                (Applicability::Indeterminate, status) => error = error.or(status),
                settled => return Ok(settled),
            }
        }
        Ok(match error {
            Some(status) => (Applicability::Indeterminate, Some(status)),
            None => (Applicability::NoMatch, None),
        })
    }

    fn all_of(
        &mut self,
        activation: &'a Activation<'a>,
        matches: Span,
    ) -> Result<Applied<'a>, Abort> {
        let mut error = None;
        for node in matches.of(&activation.code.matches) {
            // One value of the request against a literal: most matches are no more than that.
            if let Some(slot) = node.slot
                && let Some(value) = self.context.single(slot)
                && let Some(holds) = compare(activation, node, value, self.call.settings)
            {
                self.step()?;
                if O::VALUES {
                    self.observe_match(activation, node, Some(holds));
                }
                if holds {
                    continue;
                }
                return Ok((Applicability::NoMatch, None));
            }
            let result = self.matches(activation, node);
            if O::VALUES && !matches!(result, Err(Trouble::Pending | Trouble::Abort)) {
                self.observe_match(activation, node, result.as_ref().ok().copied());
            }
            match result {
                Ok(true) => {}
                Ok(false) => return Ok((Applicability::NoMatch, None)),
                Err(Trouble::Fault(status)) => error = error.or(Some(status)),
                Err(Trouble::Pending) => return Ok((Applicability::Pending, None)),
                Err(Trouble::Abort) => return Err(Abort),
            }
        }
        Ok(match error {
            Some(status) => (Applicability::Indeterminate, Some(status)),
            None => (Applicability::Match, None),
        })
    }

    #[cold]
    fn observe_match(
        &mut self,
        activation: &'a Activation<'a>,
        node: &'a MatchNode,
        holds: Option<bool>,
    ) {
        // It has just been looked up, so that nobody is asked again.
        let values = node.slot.and_then(|slot| match self.context.look_up(slot, self.finder) {
            Lookup::Values(values) => Some(values),
            _ => None,
        });
        let scene = activation.scene(self.context.program);
        self.observer.tested(scene, node, values, holds);
    }

    /// Whether a match holds for some value of its bag.
    fn matches(
        &mut self,
        activation: &'a Activation<'a>,
        node: &'a MatchNode,
    ) -> Result<bool, Trouble<'a>> {
        self.step()?;
        let values = match node.slot {
            Some(slot) => match self.context.look_up(slot, self.finder) {
                Lookup::Values(values) => values,
                Lookup::Empty if node.must_be_present => {
                    self.observer.missing(&self.context.program.slots.slot(slot).name);
                    return Err(Trouble::Fault(self.missing(slot)));
                }
                Lookup::Empty => return Ok(false),
                Lookup::Failed(cause) => return Err(Trouble::Fault(self.unanswered(slot, cause))),
                Lookup::Pending => return Err(Trouble::Pending),
            },
            None => match self.expression(activation, node.bag)? {
                Operand::Bag(bag) => bag.values,
                Operand::Value(_) => return Err(self.wrong_type()),
            },
        };
        let literal = activation.segment.literal(activation.instance, node.literal);
        let zone = self.call.settings.implicit_zone;
        if let Test::Equal = node.test {
            if !self.call.budget.spend(values.len() as u64) {
                self.step()?;
            }
            return Ok(values.iter().any(|value| literal.equals(value, zone)));
        }
        let mut error: Option<&'a Status<'a>> = None;
        for value in values {
            self.step()?;
            match self.test(activation, node, literal, *value) {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(Trouble::Fault(status)) => error = error.or(Some(status)),
                Err(trouble) => return Err(trouble),
            }
        }
        error.map_or(Ok(false), |status| Err(Trouble::Fault(status)))
    }

    fn test(
        &mut self,
        activation: &'a Activation<'a>,
        node: &MatchNode,
        literal: Value<'a>,
        value: Value<'a>,
    ) -> Result<bool, Trouble<'a>> {
        let result = match node.test {
            Test::Equal => return Ok(literal.equals(&value, self.call.settings.implicit_zone)),
            Test::Order(order) => {
                return Ok(order.holds(&literal, &value, self.call.settings.implicit_zone));
            }
            Test::Call(row) => {
                self.apply(row.0, &[Operand::Value(literal), Operand::Value(value)])?
            }
            Test::Pattern(row, pattern) => {
                let pattern = activation.segment.pattern(activation.instance, pattern);
                let FunctionCode::Pattern(body) = row.0.code else { return Err(self.wrong_type()) };
                let result = body(&self.call, pattern, &[Operand::Value(value)]);
                self.settle(result)?
            }
        };
        match result {
            Operand::Value(value) => match value.data() {
                Data::Boolean(truth) => Ok(truth),
                _ => Err(self.wrong_type()),
            },
            Operand::Bag(_) => Err(self.wrong_type()),
        }
    }

    /// Applies a function to values that are there.
    pub(super) fn apply(
        &mut self,
        row: &'static Row,
        arguments: &[Operand<'a>],
    ) -> Result<Operand<'a>, Trouble<'a>> {
        match row.code {
            FunctionCode::Plain(body) => {
                let result = body(&self.call, arguments);
                self.settle(result)
            }
            FunctionCode::Equal => match arguments {
                [Operand::Value(a), Operand::Value(b)] => {
                    let zone = self.call.settings.implicit_zone;
                    Ok(Operand::Value(Value::boolean(a.equals(b, zone))))
                }
                _ => Err(self.wrong_type()),
            },
            FunctionCode::Order(order) => match arguments {
                [Operand::Value(a), Operand::Value(b)] => {
                    let zone = self.call.settings.implicit_zone;
                    Ok(Operand::Value(Value::boolean(order.holds(a, b, zone))))
                }
                _ => Err(self.wrong_type()),
            },
            FunctionCode::Pattern(body) => {
                let Some((Operand::Value(text), rest)) = arguments.split_first() else {
                    return Err(self.wrong_type());
                };
                let pattern = self.pattern(text)?;
                let result = body(&self.call, &pattern, rest);
                self.settle(result)
            }
            FunctionCode::Logic(logic) => self.logic_of_values(logic, arguments),
            FunctionCode::XPath(function) => self.xpath_function(function, arguments),
            FunctionCode::AccessPermitted => self.access_permitted(arguments),
            FunctionCode::HigherOrder(_) => Err(self.wrong_type()),
        }
    }

    /// The result of a body, its faults as statuses.
    #[inline]
    pub(super) fn settle(
        &mut self,
        result: Result<Operand<'a>, Stop<'a>>,
    ) -> Result<Operand<'a>, Trouble<'a>> {
        match result {
            Ok(operand) => Ok(operand),
            Err(Stop::Fault(fault)) => Err(Trouble::Fault(self.status(fault.code, fault.message))),
            Err(Stop::Limit(message)) => {
                self.limit_reached(message);
                Err(Trouble::Abort)
            }
        }
    }
}

/// What a comparison of the literal with one value gives; none where the test is another function.
#[inline]
fn compare(
    activation: &Activation<'_>,
    node: &MatchNode,
    value: &Value<'_>,
    settings: &Settings,
) -> Option<bool> {
    let (segment, instance) = (activation.segment, activation.instance);
    let zone = settings.implicit_zone;
    match node.test {
        Test::Equal => Some(segment.literal_equals(instance, node.literal, value, zone)),
        Test::Order(order) => {
            Some(order.holds(&segment.literal(instance, node.literal), value, zone))
        }
        Test::Call(_) | Test::Pattern(..) => None,
    }
}
