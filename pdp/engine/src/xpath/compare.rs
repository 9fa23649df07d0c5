//! Comparisons (XPath 1.0 section 3.4). A node-set compares as "some node of it does".

use hashbrown::HashSet;

use super::evaluate::{Focus, Run};
use super::syntax::{Comparison, ResultKind, Term};
use super::tree::NodeId;
use super::{Spent, convert, pay_for_text};

/// An operand, evaluated.
enum Operand<'s> {
    Nodes(Vec<NodeId>),
    Text(&'s str),
    Number(f64),
    Boolean(bool),
}

impl Comparison {
    /// The comparison with its operands exchanged.
    const fn exchanged(self) -> Self {
        match self {
            Self::Equal | Self::NotEqual => self,
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
        }
    }

    /// Whether two texts are compared as texts.
    const fn is_equality(self) -> bool {
        matches!(self, Self::Equal | Self::NotEqual)
    }

    #[allow(clippy::float_cmp)] // equality of IEEE 754 is meant
    fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::Less => left < right,
            Self::LessOrEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterOrEqual => left >= right,
        }
    }
}

impl<'s, 'a: 's> Run<'s, 'a> {
    pub(super) fn compare(
        &mut self,
        first: &'s Term,
        rest: &'s [(Comparison, Term)],
        focus: Focus,
    ) -> Result<bool, Spent> {
        let mut left = self.operand(first, focus)?;
        let mut result = false;
        for (comparison, term) in rest {
            let right = self.operand(term, focus)?;
            result = self.pair(*comparison, left, right)?;
            left = Operand::Boolean(result);
        }
        Ok(result)
    }

    fn operand(&mut self, term: &'s Term, focus: Focus) -> Result<Operand<'s>, Spent> {
        Ok(match term.kind() {
            ResultKind::NodeSet => Operand::Nodes(self.nodes(term, focus)?),
            ResultKind::String => Operand::Text(self.string(term, focus)?),
            ResultKind::Number => Operand::Number(self.number(term, focus)?),
            ResultKind::Boolean => Operand::Boolean(self.boolean(term, focus)?),
        })
    }

    fn pair(
        &mut self,
        comparison: Comparison,
        left: Operand<'s>,
        right: Operand<'s>,
    ) -> Result<bool, Spent> {
        use Operand::{Boolean, Nodes, Number, Text};
        match (left, right) {
            (Nodes(left), Nodes(right)) => {
                let result = if comparison.is_equality() {
                    self.sets_equal(comparison, &left, &right)
                } else {
                    self.sets_ordered(comparison, &left, &right)
                };
                self.done_with(left);
                self.done_with(right);
                result
            }
            (Nodes(nodes), other) => self.set_and_one(comparison, nodes, &other),
            (other, Nodes(nodes)) => self.set_and_one(comparison.exchanged(), nodes, &other),
            (Text(left), Text(right)) if comparison.is_equality() => {
                pay_for_text(self.spend, left.len().min(right.len()))?;
                Ok((left == right) == (comparison == Comparison::Equal))
            }
            (left, right) => {
                let truth = |operand: &Operand<'_>| match operand {
                    Text(text) => !text.is_empty(),
                    Number(number) => convert::number_to_boolean(*number),
                    Boolean(boolean) => *boolean,
                    Nodes(nodes) => !nodes.is_empty(),
                };
                let as_booleans = matches!((&left, &right), (Boolean(_), _) | (_, Boolean(_)));
                if comparison.is_equality() && as_booleans {
                    return Ok((truth(&left) == truth(&right)) == (comparison == Comparison::Equal));
                }
                let (left, right) = (self.one_number(&left)?, self.one_number(&right)?);
                Ok(comparison.holds(left, right))
            }
        }
    }

    fn one_number(&self, operand: &Operand<'_>) -> Result<f64, Spent> {
        match operand {
            Operand::Text(text) => self.text_to_number(text),
            Operand::Number(number) => Ok(*number),
            Operand::Boolean(boolean) => Ok(convert::boolean_to_number(*boolean)),
            Operand::Nodes(nodes) => {
                nodes.first().map_or(Ok(f64::NAN), |node| self.node_number(*node))
            }
        }
    }

    pub(super) fn node_number(&self, node: NodeId) -> Result<f64, Spent> {
        self.text_to_number(self.string_value(node)?)
    }

    fn set_and_one(
        &mut self,
        comparison: Comparison,
        nodes: Vec<NodeId>,
        other: &Operand<'_>,
    ) -> Result<bool, Spent> {
        let result = match other {
            Operand::Boolean(boolean) => {
                let any = convert::boolean_to_number(!nodes.is_empty());
                Ok(comparison.holds(any, convert::boolean_to_number(*boolean)))
            }
            Operand::Text(text) if comparison.is_equality() => self.some(&nodes, |run, node| {
                let value = run.string_value(node)?;
                pay_for_text(run.spend, value.len().min(text.len()))?;
                Ok((value == *text) == (comparison == Comparison::Equal))
            }),
            other => {
                let number = self.one_number(other)?;
                self.some(&nodes, |run, node| Ok(comparison.holds(run.node_number(node)?, number)))
            }
        };
        self.done_with(nodes);
        result
    }

    fn some(
        &self,
        nodes: &[NodeId],
        holds: impl Fn(&Self, NodeId) -> Result<bool, Spent>,
    ) -> Result<bool, Spent> {
        for node in nodes {
            if holds(self, *node)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Linear in the nodes, where trying each pair would not be.
    fn sets_equal(
        &self,
        comparison: Comparison,
        left: &[NodeId],
        right: &[NodeId],
    ) -> Result<bool, Spent> {
        let (few, many) = if left.len() <= right.len() { (left, right) } else { (right, left) };
        let (Some(first), false) = (few.first(), many.is_empty()) else { return Ok(false) };
        if comparison == Comparison::NotEqual {
            // Some pair differs unless all texts are the same one.
            let text = self.string_value(*first)?;
            let differs = |run: &Self, node: NodeId| {
                let value = run.string_value(node)?;
                pay_for_text(run.spend, value.len())?;
                Ok(value != text)
            };
            return Ok(self.some(many, differs)? || self.some(few, differs)?);
        }
        let mut texts = HashSet::with_capacity(few.len());
        for node in few {
            let text = self.string_value(*node)?;
            pay_for_text(self.spend, text.len())?;
            texts.insert(text);
        }
        self.some(many, |run, node| {
            let text = run.string_value(node)?;
            pay_for_text(run.spend, text.len())?;
            Ok(texts.contains(text))
        })
    }

    /// Some number of the one is below some number of the other if the least is below the greatest.
    fn sets_ordered(
        &self,
        comparison: Comparison,
        left: &[NodeId],
        right: &[NodeId],
    ) -> Result<bool, Spent> {
        let left_is_less = matches!(comparison, Comparison::Less | Comparison::LessOrEqual);
        let (left, right) =
            (self.extreme(left, left_is_less)?, self.extreme(right, !left_is_less)?);
        Ok(left.is_some_and(|left| right.is_some_and(|right| comparison.holds(left, right))))
    }

    /// The least or the greatest number of some nodes, those that are no numbers left out.
    fn extreme(&self, nodes: &[NodeId], least: bool) -> Result<Option<f64>, Spent> {
        let mut extreme: Option<f64> = None;
        for node in nodes {
            let number = self.node_number(*node)?;
            let better = |best: f64| if least { number < best } else { number > best };
            if !number.is_nan() && extreme.is_none_or(better) {
                extreme = Some(number);
            }
        }
        Ok(extreme)
    }
}
