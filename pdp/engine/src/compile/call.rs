//! Lowers function calls: arity and types checked against the function's row.

use super::expression::Variables;
use super::lower::{Lowering, at};
use crate::error::Position;
use crate::function::{Code as FunctionCode, HigherOrder, Row, Type};
use crate::model::{Apply, Expression};
use crate::program::code::{ExpressionId, ExpressionNode, RowRef, Span};
use crate::value::DataType;

/// A type in an author's words.
pub(super) fn describe(found: Type) -> String {
    let name = found.data_type.short_name();
    if found.bag { format!("a bag of {name}") } else { format!("one {name}") }
}

/// An argument that is lowered.
struct Argument {
    expression: ExpressionId,
    found: Type,
    position: Position,
}

impl Lowering<'_> {
    pub(super) fn call(
        &mut self,
        apply: &Apply,
        variables: &mut Variables<'_>,
        depth: usize,
    ) -> Option<(ExpressionId, Type)> {
        let Some(row) = self.function_row(&apply.function, apply.position) else {
            // What it is applied to is lowered all the same, so that all problems are reported.
            let values = |argument: &&Expression| !matches!(argument, Expression::Function { .. });
            for argument in apply.arguments.iter().filter(values) {
                self.expression(argument, variables, depth + 1);
            }
            return None;
        };
        if let FunctionCode::HigherOrder(function) = row.code {
            return self.higher_order(apply, function, variables, depth);
        }
        let arguments = self.lower_all(&apply.arguments, variables, depth);
        let counted = self.check_count(row, arguments.len(), apply.position);
        let typed = self.check_types(row, &arguments);
        if !counted || !typed {
            return None;
        }
        let arguments: Vec<Argument> = arguments.into_iter().collect::<Option<_>>()?;
        let node = match row.code {
            FunctionCode::Plain(_) | FunctionCode::Order(_) => return self.plain(row, &arguments),
            FunctionCode::Equal => ExpressionNode::Equal { arguments: self.arguments(&arguments) },
            FunctionCode::Pattern(_) => {
                let pattern = match apply.arguments.first() {
                    Some(Expression::Literal(text)) => {
                        Some(self.pattern(&text.text, text.position)?)
                    }
                    _ => None,
                };
                let arguments = self.arguments(&arguments);
                ExpressionNode::Pattern { function: RowRef(row), pattern, arguments }
            }
            FunctionCode::Logic(logic) => {
                ExpressionNode::Logic { logic, arguments: self.arguments(&arguments) }
            }
            FunctionCode::XPath(function) => {
                ExpressionNode::XPath { function, arguments: self.arguments(&arguments) }
            }
            FunctionCode::AccessPermitted => {
                ExpressionNode::AccessPermitted { arguments: self.arguments(&arguments) }
            }
            FunctionCode::HigherOrder(_) => return None,
        };
        Some((self.node(node), row.signature.result))
    }

    /// Every argument is lowered even after an error, so that all problems are reported.
    fn lower_all(
        &mut self,
        arguments: &[Expression],
        variables: &mut Variables<'_>,
        depth: usize,
    ) -> Vec<Option<Argument>> {
        let mut all = Vec::with_capacity(arguments.len());
        for argument in arguments {
            let position = argument.position();
            let lowered = self.expression(argument, variables, depth + 1);
            all.push(lowered.map(|(expression, found)| Argument { expression, found, position }));
        }
        all
    }

    fn plain(&mut self, row: &'static Row, arguments: &[Argument]) -> Option<(ExpressionId, Type)> {
        if let ([Argument { expression, .. }], true) =
            (arguments, row.id.ends_with("-one-and-only"))
            && let ExpressionNode::Designator { slot, must_be_present } =
                self.code.expression(*expression)
        {
            let node = ExpressionNode::OneAndOnly { slot, must_be_present };
            return Some((self.node(node), row.signature.result));
        }
        let ids: Vec<ExpressionId> = arguments.iter().map(|argument| argument.expression).collect();
        if let Some(folded) = self.fold(row, &ids) {
            return Some((self.node(folded), row.signature.result));
        }
        let arguments = self.arguments(arguments);
        let node = ExpressionNode::Call { function: RowRef(row), arguments };
        Some((self.node(node), row.signature.result))
    }

    fn arguments(&mut self, arguments: &[Argument]) -> Span {
        let span = Span { start: at(self.code.arguments.len()), len: at(arguments.len()) };
        self.code.arguments.extend(arguments.iter().map(|argument| argument.expression));
        span
    }

    fn check_count(&mut self, row: &Row, count: usize, position: Position) -> bool {
        let least = row.signature.parameters.len() + row.signature.rest.map_or(0, |(_, min)| min);
        let fits = if row.signature.rest.is_some() { count >= least } else { count == least };
        if !fits {
            let more = if row.signature.rest.is_some() { " or more" } else { "" };
            let message = format!("`{}` takes {least}{more} arguments, {count} are given", row.id);
            self.error("argument-count", position, message);
        }
        fits
    }

    /// Whether the arguments that could be lowered have the types that the function takes.
    fn check_types(&mut self, row: &Row, arguments: &[Option<Argument>]) -> bool {
        let mut right = true;
        for (index, argument) in arguments.iter().enumerate() {
            let (Some(argument), Some(wanted)) = (argument, parameter(row, index)) else {
                continue;
            };
            if argument.found != wanted {
                self.argument_type(row.id, index + 1, wanted, argument.found, argument.position);
                right = false;
            }
        }
        right
    }

    fn higher_order(
        &mut self,
        apply: &Apply,
        function: HigherOrder,
        variables: &mut Variables<'_>,
        depth: usize,
    ) -> Option<(ExpressionId, Type)> {
        let applied = match apply.arguments.first() {
            Some(Expression::Function { id, position }) => {
                self.applied(apply, function, id, *position)
            }
            _ => {
                let message =
                    format!("the first argument of `{}` must be a function", apply.function);
                self.error("argument-type", apply.position, message);
                self.lower_all(&apply.arguments, variables, depth);
                return None;
            }
        };
        let rest = apply.arguments.get(1..).unwrap_or_default();
        let arguments = self.lower_all(rest, variables, depth);
        let (applied, arguments) = (applied?, arguments.into_iter().collect::<Option<Vec<_>>>()?);
        if !self.check_bags(apply, function, &arguments)
            || !self.check_count(applied, arguments.len(), apply.position)
        {
            return None;
        }
        for (index, argument) in arguments.iter().enumerate() {
            let wanted = parameter(applied, index)?;
            if wanted.bag || wanted.data_type != argument.found.data_type {
                self.argument_type(
                    applied.id,
                    index + 1,
                    wanted,
                    argument.found,
                    argument.position,
                );
                return None;
            }
        }
        let result = applied.signature.result;
        let arguments = self.arguments(&arguments);
        let found = match function {
            HigherOrder::Map => Type::bag(result.data_type),
            _ => Type::one(DataType::Boolean),
        };
        let node = ExpressionNode::HigherOrder {
            function,
            applied: RowRef(applied),
            result: result.data_type,
            arguments,
        };
        Some((self.node(node), found))
    }

    /// The function that a higher-order function applies to elements of bags.
    fn applied(
        &mut self,
        apply: &Apply,
        function: HigherOrder,
        id: &str,
        position: Position,
    ) -> Option<&'static Row> {
        let applied = self.function_row(id, position)?;
        let result = applied.signature.result;
        let usable = !matches!(applied.code, FunctionCode::HigherOrder(_))
            && !result.bag
            && (function == HigherOrder::Map || result == Type::one(DataType::Boolean));
        if !usable {
            let message = format!("`{}` cannot apply `{id}` to elements of bags", apply.function);
            self.error("argument-type", position, message);
            return None;
        }
        Some(applied)
    }

    /// Whether bags stand where the function wants them (appendix A.3.12).
    fn check_bags(&mut self, apply: &Apply, function: HigherOrder, arguments: &[Argument]) -> bool {
        let bags = arguments.iter().filter(|argument| argument.found.bag).count();
        let (fits, wanted) = match function {
            HigherOrder::AnyOf | HigherOrder::AllOf | HigherOrder::Map => {
                (bags == 1, "values and exactly one bag")
            }
            HigherOrder::AnyOfAny => (!arguments.is_empty(), "at least one value or bag"),
            HigherOrder::AllOfAny | HigherOrder::AnyOfAll | HigherOrder::AllOfAll => {
                (bags == 2 && arguments.len() == 2, "two bags")
            }
        };
        if !fits {
            let message = format!("`{}` takes {wanted} after the function", apply.function);
            self.error("argument-type", apply.position, message);
        }
        fits
    }
}

/// The type that a function takes at a place.
fn parameter(row: &Row, index: usize) -> Option<Type> {
    row.signature.parameters.get(index).copied().or(row.signature.rest.map(|(rest, _)| rest))
}
