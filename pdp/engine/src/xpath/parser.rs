//! Tokens to an expression (XPath 1.0 sections 2 and 3), with every check that needs no document:
//! prefixes, functions and their arguments, and that nodes stand where nodes are needed.

use std::fmt;

use super::lexer::{Token, tokens};
use super::library;
use super::steps::any_below;
use super::syntax::{Comparison, Function, Operator, Path, ResultKind, Start, Term};
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

pub(super) type Parsed<T> = Result<T, (usize, String)>;

pub(super) struct Parser<'t, 'p> {
    tokens: &'t [(Token<'p>, usize)],
    pub(super) at: usize,
    nesting: usize,
    pub(super) namespace: &'t dyn Fn(&str) -> Option<&'t str>,
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
    pub(super) fn peek(&self) -> Token<'p> {
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

    pub(super) fn take_if(&mut self, token: Token<'_>) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, token: Token<'_>, expected: &str) -> Parsed<()> {
        if self.take_if(token) { Ok(()) } else { self.error(format!("expected {expected}")) }
    }

    #[cold]
    pub(super) fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
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
    pub(super) fn nested(&mut self) -> Parsed<Term> {
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
