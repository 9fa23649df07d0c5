//! Attribute selectors and functions over nodes of Content (XACML 3.0 sections 5.30 and 7.3.7,
//! appendix A.3.15).

use bumpalo::collections::Vec as ArenaVec;

use super::trace::Observer;
use super::{Evaluation, Trouble};
use crate::context::{Lookup, words};
use crate::function::XPathCode;
use crate::model::StatusCode;
use crate::program::code::SelectorNode;
use crate::value::{Bag, Data, Operand, Value, XPathExpression};
use crate::xpath::{Document, Expression, NodeId, SelectError};

impl<'a, O: Observer> Evaluation<'_, 'a, O> {
    /// The values of the nodes that a selector selects.
    pub(super) fn select(
        &mut self,
        selector: &'a SelectorNode,
    ) -> Result<Operand<'a>, Trouble<'a>> {
        let data_type = selector.data_type;
        let empty = Operand::Bag(Bag { data_type, values: &[] });
        let Some(document) = self.document(&selector.category)? else {
            return if selector.must_be_present { Err(self.no_nodes(selector)) } else { Ok(empty) };
        };
        let Some(start) = self.start(selector, document)? else {
            return match selector.context {
                Some(slot) if selector.must_be_present => Err(self.absent(slot)),
                _ => Ok(empty),
            };
        };
        let nodes = self.nodes(&selector.path, document, start)?;
        if nodes.is_empty() && selector.must_be_present {
            return Err(self.no_nodes(selector));
        }
        let arena = self.call.arena;
        let mut values = ArenaVec::with_capacity_in(nodes.len(), arena);
        for node in nodes {
            let budget = self.call.budget;
            let Ok(text) = document.string_value(*node, &|steps| budget.spend(steps), arena) else {
                return Err(self.out_of_steps().into());
            };
            match Value::parse(data_type, text, arena) {
                Ok(value) => values.push(value.spelled(selector.spelling)),
                Err(error) => {
                    let message = words(arena, format_args!("a node of the Content: {error}"));
                    return Err(Trouble::Fault(self.status(StatusCode::SyntaxError, message)));
                }
            }
        }
        Ok(Operand::Bag(Bag { data_type, values: values.into_bump_slice() }))
    }

    /// The node that a selector's path starts from: the one that the context attribute selects, or
    /// the document node. None where the attribute is absent.
    fn start(
        &mut self,
        selector: &SelectorNode,
        document: &'a Document<'a>,
    ) -> Result<Option<NodeId>, Trouble<'a>> {
        let Some(slot) = selector.context else { return Ok(Some(document.root())) };
        let values = match self.context.look_up(slot, self.finder) {
            Lookup::Values(values) => values,
            Lookup::Empty => return Ok(None),
            Lookup::Failed(cause) => return Err(Trouble::Fault(self.unanswered(slot, cause))),
            Lookup::Pending => return Err(Trouble::Pending),
        };
        let one = match values {
            [value] => match value.data() {
                Data::XPathExpression(expression) => self.nodes_of(&expression)?,
                _ => return Err(self.wrong_type()),
            },
            _ => &[],
        };
        match one {
            [node] => Ok(Some(*node)),
            _ => {
                let message = words(
                    self.call.arena,
                    format_args!(
                        "the context selector `{}` must select exactly one node",
                        self.context.program.slots.slot(slot).name.id
                    ),
                );
                Err(Trouble::Fault(self.status(StatusCode::SyntaxError, message)))
            }
        }
    }

    pub(super) fn xpath_function(
        &mut self,
        function: XPathCode,
        operands: &[Operand<'a>],
    ) -> Result<Operand<'a>, Trouble<'a>> {
        let mut sets = ArenaVec::with_capacity_in(operands.len(), self.call.arena);
        for operand in operands {
            match operand {
                Operand::Value(value) => match value.data() {
                    Data::XPathExpression(expression) => {
                        sets.push((expression.category(), self.nodes_of(&expression)?));
                    }
                    _ => return Err(self.wrong_type()),
                },
                Operand::Bag(_) => return Err(self.wrong_type()),
            }
        }
        let value = match (function, sets.as_slice()) {
            (XPathCode::NodeCount, [(_, nodes)]) => {
                Value::integer(i64::try_from(nodes.len()).unwrap_or(i64::MAX))
            }
            // Nodes of two documents are never the same.
            (_, [(first, _), (second, _)]) if first != second => Value::boolean(false),
            (_, [(category, first), (_, second)]) => match self.document(category)? {
                None => Value::boolean(false),
                Some(document) if function == XPathCode::NodeEqual => {
                    Value::boolean(document.share_a_node(first, second))
                }
                Some(document) => Value::boolean(document.covers_a_node(first, second)),
            },
            _ => return Err(self.wrong_type()),
        };
        Ok(Operand::Value(value))
    }

    /// The nodes that an expression of the request or the policy selects; none without Content.
    fn nodes_of(&mut self, expression: &XPathExpression<'a>) -> Result<&'a [NodeId], Trouble<'a>> {
        let arena = self.call.arena;
        let Some(document) = self.document(expression.category())? else { return Ok(&[]) };
        let namespaces = ArenaVec::from_iter_in(expression.namespaces(), arena);
        self.step()?;
        match Expression::compile(expression.path(), &namespaces) {
            Ok(path) => self.nodes(&path, document, document.root()),
            Err(error) => {
                let message = words(
                    arena,
                    format_args!("`{}` is not an XPath expression: {error}", expression.path()),
                );
                Err(Trouble::Fault(self.status(StatusCode::ProcessingError, message)))
            }
        }
    }

    fn nodes(
        &mut self,
        path: &Expression,
        document: &'a Document<'a>,
        start: NodeId,
    ) -> Result<&'a [NodeId], Trouble<'a>> {
        let (arena, budget) = (self.call.arena, self.call.budget);
        match path.select_nodes(document, start, &|steps| budget.spend(steps), arena) {
            Ok(nodes) => Ok(nodes),
            Err(SelectError::Spent(_)) => Err(self.out_of_steps().into()),
            Err(error @ SelectError::NoNodes(_)) => {
                let message = words(arena, format_args!("{error}"));
                Err(Trouble::Fault(self.status(StatusCode::SyntaxError, message)))
            }
        }
    }

    fn document(&mut self, category: &str) -> Result<Option<&'a Document<'a>>, Trouble<'a>> {
        self.context
            .document(category)
            .map_err(|message| Trouble::Fault(self.status(StatusCode::SyntaxError, message)))
    }

    /// The status of a selector that must select a node and does not. No attribute is named: what is
    /// missing is a part of the Content, and a path is no identifier that could be supplied.
    #[cold]
    fn no_nodes(&mut self, selector: &'a SelectorNode) -> Trouble<'a> {
        let path = selector.path.path();
        let message = words(self.call.arena, format_args!("no node is at `{path}` of the Content"));
        Trouble::Fault(self.status(StatusCode::MissingAttribute, message))
    }
}
