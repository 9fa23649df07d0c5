//! The parts of an expression, after parsing.
//!
//! Operators of one level stand in a flat chain, so that only parentheses, predicates and arguments
//! nest, and the nesting of an expression is what the parser allows.

use std::fmt;

/// What an expression evaluates to: known from its text, as there are no variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the variants are the types, by their own names
pub enum ResultKind {
    NodeSet,
    String,
    Number,
    Boolean,
}

impl fmt::Display for ResultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NodeSet => "nodes",
            Self::String => "a string",
            Self::Number => "a number",
            Self::Boolean => "a boolean",
        })
    }
}

#[derive(Clone, Debug)]
pub(super) enum Term {
    Number(f64),
    Literal(Box<str>),
    Path(Path),
    Union(Vec<Term>),
    Or(Vec<Term>),
    And(Vec<Term>),
    /// Of one level, from the left.
    Compare(Box<Term>, Vec<(Comparison, Term)>),
    /// Of one level, from the left.
    Arithmetic(Box<Term>, Vec<(Operator, Term)>),
    Negate(Box<Term>),
    Call(Function, Vec<Term>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) start: Start,
    pub(super) steps: Vec<Step>,
}

/// Where a path begins.
#[derive(Clone, Debug)]
pub(super) enum Start {
    Root,
    Context,
    /// At nodes that an expression gives, filtered in document order.
    Filter(Box<Term>, Vec<Predicate>),
}

#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) axis: Axis,
    pub(super) test: NodeTest,
    pub(super) predicates: Vec<Predicate>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Axis {
    Ancestor,
    AncestorOrSelf,
    Attribute,
    Child,
    Descendant,
    DescendantOrSelf,
    Following,
    FollowingSibling,
    Namespace,
    Parent,
    Preceding,
    PrecedingSibling,
    Itself,
}

impl Axis {
    pub(super) const ALL: &[(&str, Self)] = &[
        ("ancestor", Self::Ancestor),
        ("ancestor-or-self", Self::AncestorOrSelf),
        ("attribute", Self::Attribute),
        ("child", Self::Child),
        ("descendant", Self::Descendant),
        ("descendant-or-self", Self::DescendantOrSelf),
        ("following", Self::Following),
        ("following-sibling", Self::FollowingSibling),
        ("namespace", Self::Namespace),
        ("parent", Self::Parent),
        ("preceding", Self::Preceding),
        ("preceding-sibling", Self::PrecedingSibling),
        ("self", Self::Itself),
    ];
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NodeTest {
    /// `*`: any node of the axis's own kind.
    AnyName,
    /// `prefix:*`.
    InNamespace(Box<str>),
    Name {
        uri: Box<str>,
        local: Box<str>,
    },
    Node,
    Text,
    Comment,
    Instruction(Option<Box<str>>),
}

#[derive(Clone, Debug)]
pub(super) enum Predicate {
    /// The node at this place, from 1.
    At(usize),
    /// A number: the node at that place.
    Place(Term),
    /// A condition that asks for the place or the number of nodes.
    Positional(Term),
    /// A condition on the node alone.
    Plain(Term),
}

impl Predicate {
    pub(super) fn new(term: Term) -> Self {
        match term {
            // Whole numbers of this size are exact.
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
            Term::Number(number) if number.fract() == 0.0 && (1.0..1e9).contains(&number) => {
                Self::At(number as usize)
            }
            term if term.kind() == ResultKind::Number => Self::Place(term),
            term if term.asks_position() => Self::Positional(term),
            term => Self::Plain(term),
        }
    }

    /// Whether it says the same of a node whatever other nodes there are.
    pub(super) const fn is_plain(&self) -> bool {
        matches!(self, Self::Plain(_))
    }
}

impl Term {
    pub(super) const fn kind(&self) -> ResultKind {
        match self {
            Self::Number(_) | Self::Arithmetic(..) | Self::Negate(_) => ResultKind::Number,
            Self::Literal(_) => ResultKind::String,
            Self::Path(_) | Self::Union(_) => ResultKind::NodeSet,
            Self::Or(_) | Self::And(_) | Self::Compare(..) => ResultKind::Boolean,
            Self::Call(function, _) => function.kind(),
        }
    }

    /// Whether it calls `position()` or `last()` of its own context, that is outside predicates.
    fn asks_position(&self) -> bool {
        match self {
            Self::Number(_) | Self::Literal(_) => false,
            Self::Path(Path { start: Start::Filter(term, _), .. }) | Self::Negate(term) => {
                term.asks_position()
            }
            Self::Path(_) => false,
            Self::Union(terms) | Self::Or(terms) | Self::And(terms) => {
                terms.iter().any(Self::asks_position)
            }
            Self::Compare(first, rest) => {
                first.asks_position() || rest.iter().any(|(_, term)| term.asks_position())
            }
            Self::Arithmetic(first, rest) => {
                first.asks_position() || rest.iter().any(|(_, term)| term.asks_position())
            }
            Self::Call(Function::Position | Function::Last, _) => true,
            Self::Call(_, arguments) => arguments.iter().any(Self::asks_position),
        }
    }
}

/// The core library (XPath 1.0 section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Function {
    Last,
    Position,
    Count,
    Id,
    LocalName,
    NamespaceUri,
    Name,
    String,
    Concat,
    StartsWith,
    Contains,
    SubstringBefore,
    SubstringAfter,
    Substring,
    StringLength,
    NormalizeSpace,
    Translate,
    Boolean,
    Not,
    True,
    False,
    Lang,
    Number,
    Sum,
    Floor,
    Ceiling,
    Round,
}

impl Function {
    pub(super) const fn kind(self) -> ResultKind {
        match self {
            Self::Id => ResultKind::NodeSet,
            Self::LocalName
            | Self::NamespaceUri
            | Self::Name
            | Self::String
            | Self::Concat
            | Self::SubstringBefore
            | Self::SubstringAfter
            | Self::Substring
            | Self::NormalizeSpace
            | Self::Translate => ResultKind::String,
            Self::Last
            | Self::Position
            | Self::Count
            | Self::StringLength
            | Self::Number
            | Self::Sum
            | Self::Floor
            | Self::Ceiling
            | Self::Round => ResultKind::Number,
            Self::StartsWith
            | Self::Contains
            | Self::Boolean
            | Self::Not
            | Self::True
            | Self::False
            | Self::Lang => ResultKind::Boolean,
        }
    }
}
