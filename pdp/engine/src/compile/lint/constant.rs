//! Boolean expressions that have one value for every request.

use std::collections::HashMap;

use crate::function::{Code as FunctionCode, Logic};
use crate::program::code::{Code, ExpressionId, ExpressionNode, Span};
use crate::program::segment::Frame;
use crate::value::Value;

/// What an expression always comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Constant {
    True,
    False,
    /// It has no value.
    Errs,
}

impl Constant {
    const fn of(truth: bool) -> Self {
        if truth { Self::True } else { Self::False }
    }
}

/// The constants of one policy, each found once: variables may use each other many times over.
pub(super) struct Constants<'l> {
    code: &'l Code,
    frame: &'l Frame,
    known: HashMap<ExpressionId, Option<Constant>>,
}

impl<'l> Constants<'l> {
    pub(super) fn new(code: &'l Code, frame: &'l Frame) -> Self {
        Self { code, frame, known: HashMap::new() }
    }

    /// What a boolean expression always comes to; none where requests decide.
    pub(super) fn of(&mut self, id: ExpressionId) -> Option<Constant> {
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        let found = self.find(id);
        self.known.insert(id, found);
        found
    }

    fn find(&mut self, id: ExpressionId) -> Option<Constant> {
        match self.code.expression(id) {
            ExpressionNode::Literal(_) => self.literal(id)?.as_boolean().map(Constant::of),
            ExpressionNode::Erring { .. } => Some(Constant::Errs),
            ExpressionNode::Variable(number) => self.of(self.code.variables[number as usize]),
            // An argument that errs is evaluated, whatever the others are.
            ExpressionNode::Equal { arguments } | ExpressionNode::Call { arguments, .. }
                if self.one_errs(arguments) =>
            {
                Some(Constant::Errs)
            }
            ExpressionNode::Equal { arguments } => {
                let (a, b) = self.two(arguments)?;
                Some(Constant::of(a.equals(&b, 0)))
            }
            ExpressionNode::Call { function, arguments } => {
                let FunctionCode::Order(order) = function.0.code else { return None };
                let (a, b) = self.two(arguments)?;
                Some(Constant::of(order.holds(&a, &b, 0)))
            }
            ExpressionNode::Logic { logic, arguments } => {
                let arguments = arguments.of(&self.code.arguments);
                match logic {
                    Logic::And => self.all(arguments, Constant::True, Constant::False),
                    Logic::Or => self.all(arguments, Constant::False, Constant::True),
                    Logic::Not => Some(match self.of(*arguments.first()?)? {
                        Constant::True => Constant::False,
                        Constant::False => Constant::True,
                        Constant::Errs => Constant::Errs,
                    }),
                    Logic::NOf => None,
                }
            }
            _ => None,
        }
    }

    /// `and` and `or`: one argument of the deciding value decides, whatever the others are.
    fn all(
        &mut self,
        arguments: &[ExpressionId],
        neutral: Constant,
        deciding: Constant,
    ) -> Option<Constant> {
        let (mut open, mut errs) = (false, false);
        for argument in arguments {
            match self.of(*argument) {
                Some(value) if value == deciding => return Some(deciding),
                Some(Constant::Errs) => errs = true,
                Some(_) => {}
                None => open = true,
            }
        }
        match (open, errs) {
            (true, _) => None,
            (false, true) => Some(Constant::Errs),
            (false, false) => Some(neutral),
        }
    }

    fn one_errs(&mut self, arguments: Span) -> bool {
        let arguments = arguments.of(&self.code.arguments);
        arguments.iter().any(|argument| self.of(*argument) == Some(Constant::Errs))
    }

    /// Two literals that are compared alike in every time zone.
    fn two(&self, arguments: Span) -> Option<(Value<'l>, Value<'l>)> {
        let [a, b] = arguments.of(&self.code.arguments) else { return None };
        let (a, b) = (self.literal(*a)?, self.literal(*b)?);
        (!a.data_type().depends_on_zone()).then_some((a, b))
    }

    fn literal(&self, id: ExpressionId) -> Option<Value<'l>> {
        match self.code.expression(id) {
            ExpressionNode::Literal(lit) => Some(self.frame.literals.value(lit)),
            ExpressionNode::Variable(number) => self.literal(self.code.variables[number as usize]),
            _ => None,
        }
    }
}
