//! Folds calls of constants. A constant that errs becomes a node that errs when it is reached, so
//! that what short-circuits past it is untouched.

use super::lower::Lowering;
use crate::function::{Budget, Call, Code as FunctionCode, Row, Settings, Stop};
use crate::program::code::{ExpressionId, ExpressionNode};
use crate::value::{Arena, DataType, Operand, OwnedValue, Value};

/// Steps that folding one call may take.
const FOLD_STEPS: u64 = 10_000;

impl Lowering<'_> {
    /// The node that a call of constants stands for; none where it is not one, or depends on
    /// settings of the decision.
    pub(super) fn fold(&mut self, row: &Row, arguments: &[ExpressionId]) -> Option<ExpressionNode> {
        let FunctionCode::Plain(body) = row.code else { return None };
        let zoned = DataType::depends_on_zone;
        if row.signature.result.bag || arguments.is_empty() || zoned(row.signature.result.data_type)
        {
            return None;
        }
        let literals = arguments
            .iter()
            .map(|id| match self.code.expression(*id) {
                ExpressionNode::Literal(lit) => Some(self.frame.literals.value(lit)),
                _ => None,
            })
            .collect::<Option<Vec<Value<'_>>>>()?;
        if literals.iter().any(|value| zoned(value.data_type())) {
            return None;
        }
        let arena = Arena::new();
        let folded = {
            let settings = Settings::default();
            let budget = Budget::new(FOLD_STEPS);
            let call = Call { arena: &arena, settings: &settings, budget: &budget };
            let operands: Vec<Operand<'_>> = literals.iter().copied().map(Operand::Value).collect();
            match body(&call, &operands) {
                Ok(Operand::Value(value)) => Some(Ok(OwnedValue::from(&value))),
                Err(Stop::Fault(fault)) => Some(Err((fault.code, fault.message.to_owned()))),
                // What trips a limit trips it at the decision too, where it can be told.
                Ok(Operand::Bag(_)) | Err(Stop::Limit(_)) => None,
            }
        }?;
        Some(match folded {
            Ok(value) => ExpressionNode::Literal(self.literal_value(value)),
            Err((code, message)) => ExpressionNode::Erring { code, message: self.text(&message) },
        })
    }
}
