//! Tokens to an expression (XPath 1.0 sections 2 and 3), with every check that needs no document:
//! prefixes, functions and their arguments, and that nodes stand where nodes are needed.

use std::fmt;

use super::lexer::{Token, tokens};
use super::library;
use super::syntax::{
    Axis, Comparison, Function, NodeTest, Operator, Path, Predicate, ResultKind, Start, Step, Term,
};
use super::{PathError, name};

/// The longest expression, in bytes.
pub const MAX_LENGTH: usize = 64 << 10;

/// How deep parentheses, predicates and arguments may stand within each other.
pub const MAX_NESTING: usize = 32;

/// A compiled XPath 1.0 expression. It owns what it needs and can be shared between threads.
#[derive(Clone)]
pub struct Expression {
    pub(super) term: Term,
    path: Box<str>,
}

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Expression").field(&self.path).finish()
    }
}

impl Expression {
    /// Compiles `path`. Its prefixes are resolved by `namespaces`, pairs of prefix and URI, of two
    /// with one prefix by the last; `xml` is always declared. A name without prefix is in no
    /// namespace, whatever the default one is.
    ///
    /// # Errors
    /// The text is no expression of XPath 1.0, uses a prefix that is not declared, a variable or an
    /// unknown function, or goes beyond [`MAX_LENGTH`] or [`MAX_NESTING`].
    pub fn compile<P: AsRef<str>, U: AsRef<str>>(
        path: &str,
        namespaces: &[(P, U)],
    ) -> Result<Self, PathError> {
        let error = |(offset, message): (usize, String)| PathError {
            offset,
            character: path.get(..offset).unwrap_or(path).chars().count() + 1,
            message,
        };
        if path.len() > MAX_LENGTH {
            let message =
                format!("the expression has {} bytes; the limit is {MAX_LENGTH}", path.len());
            return Err(error((0, message)));
        }
        let namespace = |prefix: &str| match prefix {
            "xml" => Some("http://www.w3.org/XML/1998/namespace"),
            _ => namespaces
                .iter()
                .rfind(|(known, _)| known.as_ref() == prefix)
                .map(|(_, uri)| uri.as_ref())
                .filter(|uri| !uri.is_empty()),
        };
        let tokens = tokens(path).map_err(error)?;
        let mut parser = Parser { tokens: &tokens, at: 0, nesting: 0, namespace: &namespace };
        let term = parser.whole().map_err(error)?;
        Ok(Self { term, path: path.into() })
    }

    /// Its text.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What it evaluates to, on every document.
    pub const fn kind(&self) -> ResultKind {
        self.term.kind()
    }
}

type Parsed<T> = Result<T, (usize, String)>;

struct Parser<'t, 'p> {
    tokens: &'t [(Token<'p>, usize)],
    at: usize,
    nesting: usize,
    namespace: &'t dyn Fn(&str) -> Option<&'t str>,
}

/// How tightly an operator binds; a minus before an operand binds tighter than any but `|`.
fn level(token: Token<'_>) -> Option<u8> {
    Some(match token {
        Token::Or => 1,
        Token::And => 2,
        Token::Compare(Comparison::Equal | Comparison::NotEqual) => 3,
        Token::Compare(_) => 4,
        Token::Arithmetic(Operator::Add | Operator::Subtract) => 5,
        Token::Arithmetic(_) => 6,
        _ => return None,
    })
}

impl<'p> Parser<'_, 'p> {
    fn peek(&self) -> Token<'p> {
        self.tokens.get(self.at).map_or(Token::End, |(token, _)| *token)
    }

    fn offset(&self) -> usize {
        let last = self.tokens.last();
        self.tokens.get(self.at).or(last).map_or(0, |(_, offset)| *offset)
    }

    fn take(&mut self) -> Token<'p> {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn take_if(&mut self, token: Token<'_>) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: Token<'_>, expected: &str) -> Parsed<()> {
        if self.take_if(token) { Ok(()) } else { self.error(format!("expected {expected}")) }
    }

    #[cold]
    fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err((self.offset(), message.into()))
    }

    fn whole(&mut self) -> Parsed<Term> {
        let term = self.operators(1)?;
        match self.peek() {
            Token::End => Ok(term),
            Token::OpenPredicate => {
                self.error("a predicate cannot stand here; write `self::node()[…]` for `.[…]`")
            }
            _ => self.error("expected an operator or the end of the expression"),
        }
    }

    /// What stands within brackets of any kind.
    fn nested(&mut self) -> Parsed<Term> {
        if self.nesting >= MAX_NESTING {
            return self
                .error(format!("the expression nests deeper than the limit, {MAX_NESTING}"));
        }
        self.nesting += 1;
        let term = self.operators(1);
        self.nesting -= 1;
        term
    }

    /// Operands with operators that bind as tightly as `least` or tighter.
    fn operators(&mut self, least: u8) -> Parsed<Term> {
        let mut left = self.negated()?;
        while let Some(level) = level(self.peek()).filter(|level| *level >= least) {
            let operator = self.take();
            let right = self.operators(level + 1)?;
            left = join(left, operator, right);
        }
        Ok(left)
    }

    fn negated(&mut self) -> Parsed<Term> {
        let mut signs = 0_usize;
        while self.take_if(Token::Arithmetic(Operator::Subtract)) {
            signs += 1;
        }
        let term = self.union()?;
        // Two signs cancel out, but what they stand before becomes a number.
        Ok(match (signs, signs % 2) {
            (0, _) => term,
            (_, 1) => Term::Negate(Box::new(term)),
            _ => Term::Call(Function::Number, vec![term]),
        })
    }

    fn union(&mut self) -> Parsed<Term> {
        let offset = self.offset();
        let first = self.path()?;
        if self.peek() != Token::Union {
            return Ok(first);
        }
        nodes(&first, offset, "`|` joins")?;
        let mut terms = vec![first];
        while self.take_if(Token::Union) {
            let offset = self.offset();
            let term = self.path()?;
            nodes(&term, offset, "`|` joins")?;
            terms.push(term);
        }
        Ok(Term::Union(terms))
    }

    /// A location path, or an expression with predicates and steps after it.
    fn path(&mut self) -> Parsed<Term> {
        let offset = self.offset();
        let primary = match self.peek() {
            Token::Number(number) => {
                self.at += 1;
                Term::Number(number)
            }
            Token::Literal(text) => {
                self.at += 1;
                Term::Literal(text.into())
            }
            Token::Open => {
                self.at += 1;
                let term = self.nested()?;
                self.expect(Token::Close, "`)`")?;
                term
            }
            Token::Function(prefix, local) => {
                self.at += 1;
                self.call(prefix, local, offset)?
            }
            Token::Variable => return self.error("there are no variables to refer to"),
            _ => return self.location(),
        };
        let predicates = self.predicates()?;
        let goes_on = matches!(self.peek(), Token::Slash | Token::TwoSlashes);
        if predicates.is_empty() && !goes_on {
            return Ok(primary);
        }
        nodes(&primary, offset, if goes_on { "steps start from" } else { "predicates filter" })?;
        let mut steps = Vec::new();
        if goes_on {
            if self.take() == Token::TwoSlashes {
                steps.push(any_below());
            }
            self.steps(&mut steps)?;
        }
        Ok(Term::Path(Path { start: Start::Filter(Box::new(primary), predicates), steps }))
    }

    fn location(&mut self) -> Parsed<Term> {
        let mut steps = Vec::new();
        let start = match self.peek() {
            Token::Slash => {
                self.at += 1;
                if !self.starts_step() {
                    return Ok(Term::Path(Path { start: Start::Root, steps }));
                }
                Start::Root
            }
            Token::TwoSlashes => {
                self.at += 1;
                steps.push(any_below());
                Start::Root
            }
            _ => Start::Context,
        };
        self.steps(&mut steps)?;
        Ok(Term::Path(Path { start, steps }))
    }

    fn starts_step(&self) -> bool {
        matches!(
            self.peek(),
            Token::Dot
                | Token::TwoDots
                | Token::At
                | Token::Axis(_)
                | Token::NodeType(_)
                | Token::Name(..)
                | Token::InNamespace(_)
                | Token::Star
        )
    }

    fn steps(&mut self, steps: &mut Vec<Step>) -> Parsed<()> {
        loop {
            let step = self.step()?;
            push_step(steps, step);
            if self.take_if(Token::TwoSlashes) {
                steps.push(any_below());
            } else if !self.take_if(Token::Slash) {
                return Ok(());
            }
        }
    }

    fn step(&mut self) -> Parsed<Step> {
        let whole = |axis| Step { axis, test: NodeTest::Node, predicates: Vec::new() };
        let axis = match self.peek() {
            Token::Dot => {
                self.at += 1;
                return Ok(whole(Axis::Itself));
            }
            Token::TwoDots => {
                self.at += 1;
                return Ok(whole(Axis::Parent));
            }
            Token::At => {
                self.at += 1;
                Axis::Attribute
            }
            Token::Axis(name) => {
                let Some((_, axis)) = Axis::ALL.iter().find(|(known, _)| *known == name) else {
                    return self.error(format!("`{name}` is not an axis"));
                };
                self.at += 1;
                self.expect(Token::TwoColons, "`::`")?;
                *axis
            }
            _ => Axis::Child,
        };
        let test = self.node_test()?;
        let predicates = self.predicates()?;
        Ok(Step { axis, test, predicates })
    }

    fn node_test(&mut self) -> Parsed<NodeTest> {
        let test = match self.peek() {
            Token::Star => NodeTest::AnyName,
            Token::InNamespace(prefix) => NodeTest::InNamespace(self.uri(prefix)?),
            Token::Name(prefix, local) => {
                NodeTest::Name { uri: self.uri(prefix)?, local: local.into() }
            }
            Token::NodeType(name) => {
                self.at += 1;
                self.expect(Token::Open, "`(`")?;
                let test = match (name, self.peek()) {
                    ("processing-instruction", Token::Literal(target)) => {
                        self.at += 1;
                        NodeTest::Instruction(Some(target.into()))
                    }
                    ("processing-instruction", _) => NodeTest::Instruction(None),
                    ("text", _) => NodeTest::Text,
                    ("comment", _) => NodeTest::Comment,
                    _ => NodeTest::Node,
                };
                self.expect(Token::Close, "`)`")?;
                return Ok(test);
            }
            Token::End => return self.error("the expression ends where a step is expected"),
            _ => return self.error("expected a step: a name, `*`, `.`, `..`, `@` or a node test"),
        };
        self.at += 1;
        Ok(test)
    }

    fn uri(&self, prefix: &str) -> Parsed<Box<str>> {
        if prefix.is_empty() {
            return Ok("".into());
        }
        match (self.namespace)(prefix) {
            Some(uri) => Ok(uri.into()),
            None => self.error(format!("the prefix `{prefix}` is not declared")),
        }
    }

    fn predicates(&mut self) -> Parsed<Vec<Predicate>> {
        let mut predicates = Vec::new();
        while self.take_if(Token::OpenPredicate) {
            let term = self.nested()?;
            self.expect(Token::ClosePredicate, "`]`")?;
            predicates.push(Predicate::new(term));
        }
        Ok(predicates)
    }

    /// A call; the name, which stands at `offset`, is taken already.
    fn call(&mut self, prefix: &str, local: &str, offset: usize) -> Parsed<Term> {
        debug_assert!(name::is_part(local), "the lexer reads names");
        let row = match library::find(local) {
            Some(row) if prefix.is_empty() => row,
            _ => {
                let colon = if prefix.is_empty() { "" } else { ":" };
                let message = format!("there is no function `{prefix}{colon}{local}` in XPath 1.0");
                return Err((offset, message));
            }
        };
        self.expect(Token::Open, "`(`")?;
        let mut arguments = Vec::new();
        if !self.take_if(Token::Close) {
            loop {
                let offset = self.offset();
                let argument = self.nested()?;
                if row.takes_nodes && argument.kind() != ResultKind::NodeSet {
                    let kind = argument.kind();
                    return Err((offset, format!("`{local}` takes nodes, not {kind}")));
                }
                arguments.push(argument);
                if self.take_if(Token::Close) {
                    break;
                }
                self.expect(Token::Comma, "`,` or `)`")?;
            }
        }
        if (row.least..=row.most).contains(&arguments.len()) {
            Ok(Term::Call(row.function, arguments))
        } else {
            Err((offset, row.takes()))
        }
    }
}

fn nodes(term: &Term, offset: usize, what: &str) -> Parsed<()> {
    match term.kind() {
        ResultKind::NodeSet => Ok(()),
        kind => Err((offset, format!("{what} nodes, not {kind}"))),
    }
}

/// `descendant-or-self::node()`, which `//` stands for.
fn any_below() -> Step {
    Step { axis: Axis::DescendantOrSelf, test: NodeTest::Node, predicates: Vec::new() }
}

/// `//x` is two steps; where no predicate counts nodes they are one walk.
fn push_step(steps: &mut Vec<Step>, mut step: Step) {
    let after_any_below = steps.last().is_some_and(|last| {
        last.axis == Axis::DescendantOrSelf
            && last.test == NodeTest::Node
            && last.predicates.is_empty()
    });
    if after_any_below && step.predicates.iter().all(Predicate::is_plain) {
        let merged = match step.axis {
            Axis::Child | Axis::Descendant => Some(Axis::Descendant),
            Axis::Itself | Axis::DescendantOrSelf => Some(Axis::DescendantOrSelf),
            _ => None,
        };
        if let Some(axis) = merged {
            step.axis = axis;
            steps.pop();
        }
    }
    steps.push(step);
}

/// Operators of one level from the left make one chain.
fn join(left: Term, operator: Token<'_>, right: Term) -> Term {
    match (operator, left) {
        (Token::Or, Term::Or(mut terms)) => {
            terms.push(right);
            Term::Or(terms)
        }
        (Token::Or, left) => Term::Or(vec![left, right]),
        (Token::And, Term::And(mut terms)) => {
            terms.push(right);
            Term::And(terms)
        }
        (Token::And, left) => Term::And(vec![left, right]),
        (Token::Compare(comparison), Term::Compare(first, mut rest)) => {
            rest.push((comparison, right));
            Term::Compare(first, rest)
        }
        (Token::Compare(comparison), left) => {
            Term::Compare(Box::new(left), vec![(comparison, right)])
        }
        (Token::Arithmetic(operator), Term::Arithmetic(first, mut rest)) => {
            rest.push((operator, right));
            Term::Arithmetic(first, rest)
        }
        (Token::Arithmetic(operator), left) => {
            Term::Arithmetic(Box::new(left), vec![(operator, right)])
        }
        (_, left) => left,
    }
}
