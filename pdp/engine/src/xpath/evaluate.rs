//! Expressions over a document (XPath 1.0 sections 2 and 3).
//!
//! Types are known when an expression is compiled, so each of the four has its own evaluation and
//! nothing is boxed in between. Node-sets are in document order without duplicates, always. Vectors
//! of nodes are used again and again; text that must be built goes to the arena, and is paid for.

use super::axis::{walk, walk_all};
use super::parser::Expression;
use super::syntax::{Operator, Path, Predicate, ResultKind, Start, Step, Term};
use super::tree::{Document, NodeId};
use super::{SelectError, Spend, Spent, convert, pay, pay_for_walk};
use crate::value::Arena;

/// What an expression evaluates to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum XValue<'a> {
    /// Nodes in document order, each once.
    NodeSet(&'a [NodeId]),
    /// A text.
    String(&'a str),
    /// A number.
    Number(f64),
    /// A truth value.
    Boolean(bool),
}

impl Expression {
    /// Evaluates the expression. A relative path starts at `context`, an absolute one at the
    /// document node.
    ///
    /// # Errors
    /// The budget is spent; there is no other error.
    pub fn evaluate<'a>(
        &self,
        document: &Document<'a>,
        context: NodeId,
        spend: &Spend<'_>,
        arena: &'a Arena,
    ) -> Result<XValue<'a>, Spent> {
        let mut run = Run { document, spend, arena, spare: Vec::new() };
        let focus = Focus { node: context, place: 1, size: 1 };
        Ok(match self.kind() {
            ResultKind::NodeSet => {
                let nodes = run.nodes(&self.term, focus)?;
                XValue::NodeSet(arena.alloc_slice_copy(&nodes))
            }
            ResultKind::String => {
                let text = run.string(&self.term, focus)?;
                super::pay_for_text(spend, text.len())?;
                XValue::String(arena.alloc_str(text))
            }
            ResultKind::Number => XValue::Number(run.number(&self.term, focus)?),
            ResultKind::Boolean => XValue::Boolean(run.boolean(&self.term, focus)?),
        })
    }

    /// The nodes that the expression selects.
    ///
    /// # Errors
    /// The expression gives no nodes, or the budget is spent.
    pub fn select_nodes<'a>(
        &self,
        document: &Document<'a>,
        context: NodeId,
        spend: &Spend<'_>,
        arena: &'a Arena,
    ) -> Result<&'a [NodeId], SelectError> {
        if self.kind() != ResultKind::NodeSet {
            return Err(SelectError::NoNodes(self.kind()));
        }
        match self.evaluate(document, context, spend, arena)? {
            XValue::NodeSet(nodes) => Ok(nodes),
            _ => Err(SelectError::NoNodes(self.kind())),
        }
    }
}

/// What a term is evaluated for: a node, and its place among how many.
#[derive(Clone, Copy, Debug)]
pub(super) struct Focus {
    pub(super) node: NodeId,
    pub(super) place: usize,
    pub(super) size: usize,
}

/// One evaluation. `'s` is the time of the evaluation: literals are the expression's.
pub(super) struct Run<'s, 'a> {
    pub(super) document: &'s Document<'a>,
    pub(super) spend: &'s Spend<'s>,
    pub(super) arena: &'a Arena,
    /// Vectors to use again.
    spare: Vec<Vec<NodeId>>,
}

impl<'s, 'a: 's> Run<'s, 'a> {
    pub(super) fn vector(&mut self) -> Vec<NodeId> {
        self.spare.pop().unwrap_or_default()
    }

    pub(super) fn done_with(&mut self, mut vector: Vec<NodeId>) {
        vector.clear();
        self.spare.push(vector);
    }

    pub(super) fn string_value(&self, node: NodeId) -> Result<&'s str, Spent> {
        self.document.string_value(node, self.spend, self.arena)
    }

    pub(super) fn nodes(&mut self, term: &'s Term, focus: Focus) -> Result<Vec<NodeId>, Spent> {
        pay(self.spend, 1)?;
        match term {
            Term::Path(path) => self.path(path, focus),
            Term::Union(terms) => {
                let mut all = self.vector();
                for term in terms {
                    let nodes = self.nodes(term, focus)?;
                    all.extend_from_slice(&nodes);
                    self.done_with(nodes);
                }
                self.in_order(&mut all)?;
                Ok(all)
            }
            Term::Call(function, arguments) => self.call_nodes(*function, arguments, focus),
            // No other term gives nodes, and the parser lets none stand where nodes are needed.
            _ => Ok(self.vector()),
        }
    }

    fn path(&mut self, path: &'s Path, focus: Focus) -> Result<Vec<NodeId>, Spent> {
        let mut nodes = match &path.start {
            Start::Root => self.single(self.document.root()),
            Start::Context => self.single(focus.node),
            Start::Filter(term, predicates) => {
                let mut nodes = self.nodes(term, focus)?;
                for predicate in predicates {
                    self.filter(predicate, &mut nodes, 0)?;
                }
                nodes
            }
        };
        for step in &path.steps {
            let next = self.step(step, &nodes)?;
            self.done_with(std::mem::replace(&mut nodes, next));
        }
        Ok(nodes)
    }

    fn single(&mut self, node: NodeId) -> Vec<NodeId> {
        let mut vector = self.vector();
        vector.push(node);
        vector
    }

    fn step(&mut self, step: &'s Step, contexts: &[NodeId]) -> Result<Vec<NodeId>, Spent> {
        let Step { axis, test, predicates } = step;
        let mut found = self.vector();
        if predicates.iter().all(Predicate::is_plain) {
            walk_all(self.document, *axis, contexts, test, self.spend, &mut found)?;
            self.in_order(&mut found)?;
            for predicate in predicates {
                self.filter(predicate, &mut found, 0)?;
            }
            return Ok(found);
        }
        // Places are counted along the axis, for each context node by itself.
        for context in contexts {
            let from = found.len();
            let looked_at = walk(self.document, *axis, *context, test, &mut found);
            pay_for_walk(self.spend, looked_at)?;
            for predicate in predicates {
                self.filter(predicate, &mut found, from)?;
            }
        }
        self.in_order(&mut found)?;
        Ok(found)
    }

    /// Leaves of the nodes from index `from` on those that fulfil the predicate.
    fn filter(
        &mut self,
        predicate: &'s Predicate,
        nodes: &mut Vec<NodeId>,
        from: usize,
    ) -> Result<(), Spent> {
        let size = nodes.len() - from;
        if let Predicate::At(place) = predicate {
            match nodes[from..].get(place - 1).copied() {
                Some(node) => {
                    nodes.truncate(from);
                    nodes.push(node);
                }
                None => nodes.truncate(from),
            }
            return Ok(());
        }
        let mut kept = from;
        for index in 0..size {
            let node = nodes[from + index];
            let focus = Focus { node, place: index + 1, size };
            let keep = match predicate {
                #[allow(clippy::float_cmp)] // places are whole numbers
                Predicate::Place(term) => self.number(term, focus)? == convert::count(index + 1),
                Predicate::Positional(term) | Predicate::Plain(term) => {
                    self.boolean(term, focus)?
                }
                Predicate::At(place) => *place == index + 1,
            };
            if keep {
                nodes[kept] = node;
                kept += 1;
            }
        }
        nodes.truncate(kept);
        Ok(())
    }

    /// Puts nodes into document order, each once.
    pub(super) fn in_order(&self, nodes: &mut Vec<NodeId>) -> Result<(), Spent> {
        if nodes.is_sorted_by(|a, b| a < b) {
            return Ok(());
        }
        pay_for_walk(self.spend, nodes.len().saturating_mul(4))?;
        nodes.sort_unstable();
        nodes.dedup();
        Ok(())
    }

    pub(super) fn boolean(&mut self, term: &'s Term, focus: Focus) -> Result<bool, Spent> {
        pay(self.spend, 1)?;
        match term {
            Term::Or(terms) => {
                for term in terms {
                    if self.boolean(term, focus)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Term::And(terms) => {
                for term in terms {
                    if !self.boolean(term, focus)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Term::Compare(first, rest) => self.compare(first, rest, focus),
            Term::Call(function, arguments) if function.kind() == ResultKind::Boolean => {
                self.call_boolean(*function, arguments, focus)
            }
            _ => match term.kind() {
                ResultKind::NodeSet => {
                    let nodes = self.nodes(term, focus)?;
                    let any = !nodes.is_empty();
                    self.done_with(nodes);
                    Ok(any)
                }
                ResultKind::String => Ok(!self.string(term, focus)?.is_empty()),
                _ => Ok(convert::number_to_boolean(self.number(term, focus)?)),
            },
        }
    }

    pub(super) fn number(&mut self, term: &'s Term, focus: Focus) -> Result<f64, Spent> {
        pay(self.spend, 1)?;
        match term {
            Term::Number(number) => Ok(*number),
            Term::Negate(term) => Ok(-self.number(term, focus)?),
            Term::Arithmetic(first, rest) => {
                let mut result = self.number(first, focus)?;
                for (operator, term) in rest {
                    let operand = self.number(term, focus)?;
                    result = match operator {
                        Operator::Add => result + operand,
                        Operator::Subtract => result - operand,
                        Operator::Multiply => result * operand,
                        Operator::Divide => result / operand,
                        Operator::Modulo => result % operand,
                    };
                }
                Ok(result)
            }
            Term::Call(function, arguments) if function.kind() == ResultKind::Number => {
                self.call_number(*function, arguments, focus)
            }
            _ if term.kind() == ResultKind::Boolean => {
                Ok(convert::boolean_to_number(self.boolean(term, focus)?))
            }
            _ => {
                let text = self.string(term, focus)?;
                self.text_to_number(text)
            }
        }
    }

    pub(super) fn text_to_number(&self, text: &str) -> Result<f64, Spent> {
        super::pay_for_text(self.spend, text.len())?;
        Ok(convert::text_to_number(text))
    }

    pub(super) fn string(&mut self, term: &'s Term, focus: Focus) -> Result<&'s str, Spent> {
        pay(self.spend, 1)?;
        match term {
            Term::Literal(text) => Ok(text),
            Term::Call(function, arguments) if function.kind() == ResultKind::String => {
                self.call_string(*function, arguments, focus)
            }
            _ => match term.kind() {
                ResultKind::NodeSet => {
                    let nodes = self.nodes(term, focus)?;
                    let first = nodes.first().copied();
                    self.done_with(nodes);
                    first.map_or(Ok(""), |node| self.string_value(node))
                }
                ResultKind::Boolean => {
                    Ok(if self.boolean(term, focus)? { "true" } else { "false" })
                }
                _ => {
                    let number = self.number(term, focus)?;
                    Ok(convert::number_to_text(number, self.arena))
                }
            },
        }
    }
}
