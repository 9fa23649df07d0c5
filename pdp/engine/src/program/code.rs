//! Code: the shape of a policy. Policies that differ in literals alone share one.
//!
//! Nodes lie in flat arrays, one per kind, and name each other by number. What differs between two
//! policies of one shape is not here: a [`Lit`] is a place in the instance's frame.

use std::hash::{Hash, Hasher};

use super::slots::SlotId;
use crate::combine::Algorithm;
use crate::function::{HigherOrder, Logic, Order, Row, XPathCode};
use crate::model::{Effect, NoticeKind, PolicyKind, StatusCode};
use crate::value::{DataType, Spelling};
use crate::xpath;

/// A run of nodes of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first.
    pub start: u32,
    /// How many.
    pub len: u32,
}

impl Span {
    /// The nodes of the run.
    #[inline]
    pub fn of<T>(self, nodes: &[T]) -> &[T] {
        &nodes[self.start as usize..(self.start + self.len) as usize]
    }

    /// The run without its first node.
    #[inline]
    #[must_use]
    pub const fn rest(self) -> Self {
        match self.len {
            0 => self,
            len => Self { start: self.start + 1, len: len - 1 },
        }
    }

    /// The numbers of the run.
    #[inline]
    pub fn numbers(self) -> std::ops::Range<u32> {
        self.start..self.start + self.len
    }
}

/// A literal's place in the frame of the instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lit(pub u32);

/// A regular expression's place in the frame of the instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PatternAt(pub u32);

/// A selector's place in the frame of the instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SelectorAt(pub u32);

/// Selects nodes of Content (XACML 3.0 section 5.30), its path compiled.
#[derive(Clone, Debug)]
pub struct SelectorNode {
    /// The category whose Content is asked.
    pub category: Box<str>,
    /// The path.
    pub path: xpath::Expression,
    /// The attribute that holds the context node's path.
    pub context: Option<SlotId>,
    /// The type that the nodes' values are read as.
    pub data_type: DataType,
    /// The identifier of the type that the policy uses.
    pub spelling: Spelling,
    /// No node is Indeterminate.
    pub must_be_present: bool,
}

/// The number of an expression node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExpressionId(pub u32);

/// A function's row; two are equal if they are the same row.
#[derive(Clone, Copy, Debug)]
pub struct RowRef(pub &'static Row);

impl PartialEq for RowRef {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}
impl Eq for RowRef {}
impl Hash for RowRef {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self.0).hash(state);
    }
}

/// A policy or policy set. Number 0 is the instance itself; the others are nested in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PolicyNode {
    /// Policy or policy set.
    pub kind: PolicyKind,
    /// Its identifier.
    pub id: Lit,
    /// Its version, as a place in the frame.
    pub version: u32,
    /// Its target.
    pub target: Span,
    /// Its algorithm.
    pub combining: Algorithm,
    /// Its children, as a run of [`Code::children`].
    pub children: Span,
    /// Its obligations and advice.
    pub notices: Span,
    /// The index over its children, as a place in the frame; none for few children.
    pub index: Option<u32>,
}

/// A child of a policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChildNode {
    /// A rule, by number.
    Rule(u32),
    /// A nested policy, by number.
    Policy(u32),
    /// A reference, as a place in the frame.
    Reference(u32),
}

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RuleNode {
    /// Its identifier.
    pub id: Lit,
    /// Its effect.
    pub effect: Effect,
    /// Its target; empty: it applies wherever its policy does.
    pub target: Span,
    /// Its condition; none: true.
    pub condition: Option<ExpressionId>,
    /// Its obligations and advice.
    pub notices: Span,
}

/// Applies a test to a literal and each value of a bag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MatchNode {
    /// The bag.
    pub bag: ExpressionId,
    /// The slot of the bag, where it is a designator.
    pub slot: Option<SlotId>,
    /// An empty bag is Indeterminate.
    pub must_be_present: bool,
    /// The first argument.
    pub literal: Lit,
    /// The test.
    pub test: Test,
}

/// How a match tests a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Test {
    /// Equality of the type.
    Equal,
    /// Order of the type, the literal first.
    Order(Order),
    /// A function.
    Call(RowRef),
    /// A function whose first argument is this regular expression.
    Pattern(RowRef, PatternAt),
}

/// An expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExpressionNode {
    /// A constant.
    Literal(Lit),
    /// The values of an attribute.
    Designator {
        /// Which.
        slot: SlotId,
        /// An empty bag is Indeterminate.
        must_be_present: bool,
    },
    /// `T-one-and-only` of an attribute: the commonest call, done without one.
    OneAndOnly {
        /// Which attribute.
        slot: SlotId,
        /// An empty bag is a missing attribute.
        must_be_present: bool,
    },
    /// A variable of the policy, by number in [`Code::variables`].
    Variable(u32),
    /// An ordinary function.
    Call {
        /// Which.
        function: RowRef,
        /// Its arguments.
        arguments: Span,
    },
    /// Equality of one type.
    Equal {
        /// Its two arguments.
        arguments: Span,
    },
    /// A function whose first argument is a regular expression.
    Pattern {
        /// Which.
        function: RowRef,
        /// The expression built at compile time; it takes the place of the first argument.
        pattern: Option<PatternAt>,
        /// Its arguments.
        arguments: Span,
    },
    /// `and`, `or`, `n-of`, `not`.
    Logic {
        /// Which.
        logic: Logic,
        /// Its arguments.
        arguments: Span,
    },
    /// Applies a function to elements of bags.
    HigherOrder {
        /// Which.
        function: HigherOrder,
        /// The function applied.
        applied: RowRef,
        /// The type of the elements of the result, for `map`.
        result: DataType,
        /// The arguments after the function.
        arguments: Span,
    },
    /// The values of nodes in Content, by the selector's place in the frame.
    Selector(SelectorAt),
    /// A function over nodes of Content.
    XPath {
        /// Which.
        function: XPathCode,
        /// Its arguments.
        arguments: Span,
    },
    /// Whether the policies permit a changed request.
    AccessPermitted {
        /// Its arguments.
        arguments: Span,
    },
    /// A constant that errs. It errs when it is reached, not before: `or(true, 1/0 = 1)` is true.
    Erring {
        /// The status code.
        code: StatusCode,
        /// The message.
        message: Lit,
    },
}

/// An obligation or advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NoticeNode {
    /// Which of the two.
    pub kind: NoticeKind,
    /// Its identifier.
    pub id: Lit,
    /// The effect it goes with.
    pub effect: Effect,
    /// Its assignments.
    pub assignments: Span,
}

/// An assignment of an obligation or advice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AssignmentNode {
    /// The attribute's identifier.
    pub attribute_id: Lit,
    /// The category's identifier.
    pub category: Option<Lit>,
    /// The issuer.
    pub issuer: Option<Lit>,
    /// Its value or values.
    pub expression: ExpressionId,
}

/// The shape of a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Code {
    /// Policies; number 0 is the instance itself.
    pub policies: Vec<PolicyNode>,
    /// Children of policies.
    pub children: Vec<ChildNode>,
    /// Rules.
    pub rules: Vec<RuleNode>,
    /// Parts of targets: each is a run of [`Code::all_of`].
    pub any_of: Vec<Span>,
    /// Parts of those: each is a run of [`Code::matches`].
    pub all_of: Vec<Span>,
    /// Matches.
    pub matches: Vec<MatchNode>,
    /// Expressions.
    pub expressions: Vec<ExpressionNode>,
    /// Arguments of expressions.
    pub arguments: Vec<ExpressionId>,
    /// Variables of all its policies.
    pub variables: Vec<ExpressionId>,
    /// Obligations and advice.
    pub notices: Vec<NoticeNode>,
    /// Their assignments.
    pub assignments: Vec<AssignmentNode>,
}

impl Code {
    /// Empty, with its memory.
    pub(crate) fn clear(&mut self) {
        self.policies.clear();
        self.children.clear();
        self.rules.clear();
        self.any_of.clear();
        self.all_of.clear();
        self.matches.clear();
        self.expressions.clear();
        self.arguments.clear();
        self.variables.clear();
        self.notices.clear();
        self.assignments.clear();
    }

    /// The expression with this number.
    #[inline]
    pub fn expression(&self, id: ExpressionId) -> ExpressionNode {
        self.expressions[id.0 as usize]
    }
}
