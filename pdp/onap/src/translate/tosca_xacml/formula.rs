//! `expr`: infix formulas such as `(total / integer(count)) * 100 >= 30`.
//!
//! All numbers are doubles. `double(x)` reads the attribute x as an integer and makes a double of it;
//! `integer(x)` cuts the fraction off.

use pdp_engine::error::Position;
use pdp_engine::function::Type;
use pdp_engine::model::{Expression, Identifier};
use pdp_engine::value::DataType;

use super::scope::Scope;
use super::{call, operator};
use crate::tosca::Node;
use crate::translate::build;

/// The deepest nesting of parentheses and calls.
const MAX_DEPTH: usize = 64;

/// Reads a formula.
pub(super) fn read(scope: &mut Scope<'_, '_>, path: &str, node: &Node) -> Option<Expression> {
    let text = scope.text(path, node, "a formula")?;
    let mut parser = Parser { text: &text, at: 0, depth: 0, operators: 0, position: node.position };
    match parser.whole() {
        Ok(expression) => Some(expression),
        Err(message) => {
            scope.refuse(path, node.position, format!("`{text}`: {message}"));
            None
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Token<'t> {
    Number(&'t str),
    Word(&'t str),
    Operator(&'t str),
    Open,
    Close,
    End,
}

impl std::fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(text) | Self::Word(text) | Self::Operator(text) => write!(f, "`{text}`"),
            Self::Open => f.write_str("`(`"),
            Self::Close => f.write_str("`)`"),
            Self::End => f.write_str("the end"),
        }
    }
}

/// Operators: name, function of doubles, strength.
const OPERATORS: [(&str, &str, u8); 9] = [
    ("*", "double-multiply", 4),
    ("/", "double-divide", 4),
    ("+", "double-add", 3),
    ("-", "double-subtract", 3),
    ("<", "double-less-than", 1),
    ("<=", "double-less-than-or-equal", 1),
    (">", "double-greater-than", 1),
    (">=", "double-greater-than-or-equal", 1),
    ("==", "double-equal", 1),
];

/// The most operators of a formula: each adds to the depth of the expression.
const MAX_OPERATORS: usize = 100;

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    operators: usize,
    position: Position,
}

impl<'t> Parser<'t> {
    fn whole(&mut self) -> Result<Expression, String> {
        let expression = self.operation(0)?;
        match self.next()? {
            Token::End => Ok(expression),
            other => Err(format!("expected an operator, found {other}")),
        }
    }

    /// Operations at least as strong as `least`, from left to right.
    fn operation(&mut self, least: u8) -> Result<Expression, String> {
        let mut left = self.operand()?;
        loop {
            let before = self.at;
            let Token::Operator(name) = self.next()? else {
                self.at = before;
                return Ok(left);
            };
            let found = OPERATORS.iter().find(|(known, _, _)| *known == name);
            let (_, function, strength) =
                found.ok_or_else(|| format!("there is no operator `{name}` in formulas"))?;
            if *strength < least {
                self.at = before;
                return Ok(left);
            }
            self.operators += 1;
            if self.operators > MAX_OPERATORS {
                return Err(format!("more than {MAX_OPERATORS} operators"));
            }
            let right = self.operation(strength + 1)?;
            left = self.call(function, vec![left, right]);
        }
    }

    fn operand(&mut self) -> Result<Expression, String> {
        match self.next()? {
            Token::Number(text) => {
                let number: f64 = text.parse().map_err(|_| format!("`{text}` is not a number"))?;
                let uri = DataType::Double.uri();
                let literal = build::literal(uri, format!("{number:?}"), self.position);
                Ok(Expression::Literal(literal))
            }
            Token::Word(word @ ("double" | "integer")) => self.conversion(word),
            Token::Word(name) => Ok(self.attribute(name, DataType::Double)),
            Token::Open => self.inside(),
            other => Err(format!("expected a number, an attribute or `(`, found {other}")),
        }
    }

    /// What stands between parentheses; the opening one is behind.
    fn inside(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("nested deeper than {MAX_DEPTH}"));
        }
        let expression = self.operation(0)?;
        self.depth -= 1;
        match self.next()? {
            Token::Close => Ok(expression),
            other => Err(format!("expected `)`, found {other}")),
        }
    }

    fn conversion(&mut self, word: &str) -> Result<Expression, String> {
        match self.next()? {
            Token::Open => {}
            other => return Err(format!("expected `(` after `{word}`, found {other}")),
        }
        let start = self.at;
        let alone = match (self.next()?, self.next()?) {
            (Token::Word(name), Token::Close) if !matches!(name, "double" | "integer") => {
                Some(name)
            }
            _ => None,
        };
        let of_integers = match alone {
            Some(name) if word == "double" => self.attribute(name, DataType::Integer),
            Some(name) => {
                let value = self.attribute(name, DataType::Double);
                self.call("double-to-integer", vec![value])
            }
            None => {
                self.at = start;
                let value = self.inside()?;
                if word == "double" {
                    return Ok(value);
                }
                self.call("double-to-integer", vec![value])
            }
        };
        Ok(self.call("integer-to-double", vec![of_integers]))
    }

    fn attribute(&self, name: &str, data_type: DataType) -> Expression {
        call::attribute(name, Type::one(data_type), self.position)
    }

    fn call(&self, name: &str, arguments: Vec<Expression>) -> Expression {
        let id: Identifier =
            operator::find(name).map_or_else(|| name.to_owned().into(), |row| row.id.into());
        build::apply(id, arguments, self.position)
    }

    fn next(&mut self) -> Result<Token<'t>, String> {
        let rest = self.text[self.at..].trim_start();
        let start = self.text.len() - rest.len();
        let Some(first) = rest.chars().next() else {
            self.at = self.text.len();
            return Ok(Token::End);
        };
        let while_in = |fits: fn(char) -> bool| rest.find(|it| !fits(it)).unwrap_or(rest.len());
        let (length, token): (usize, fn(&'t str) -> Token<'t>) = match first {
            '(' => (1, |_| Token::Open),
            ')' => (1, |_| Token::Close),
            '0'..='9' | '.' => (while_in(|it| it.is_ascii_digit() || it == '.'), Token::Number),
            '*' | '/' | '+' | '-' => (1, Token::Operator),
            '<' | '>' | '=' | '!' => {
                (if rest[1..].starts_with('=') { 2 } else { 1 }, Token::Operator)
            }
            first if first.is_alphabetic() || first == '_' => {
                (while_in(|it| it.is_alphanumeric() || matches!(it, '.' | '_')), Token::Word)
            }
            other => return Err(format!("`{other}` means nothing in formulas")),
        };
        self.at = start + length;
        Ok(token(&rest[..length]))
    }
}
