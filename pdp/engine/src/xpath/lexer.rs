//! Path to tokens (XPath 1.0 section 3.7).
//!
//! Names are ambiguous: `and` is an operator after an operand and a name elsewhere, `*` likewise.
//! What a name is also depends on what follows it. The lexer settles both.

use super::name;
use super::syntax::{Comparison, Operator};
use super::text::is_space;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token<'p> {
    Number(f64),
    Literal(&'p str),
    /// `prefix:local`; the prefix is empty where there is none.
    Name(&'p str, &'p str),
    /// `prefix:*`.
    InNamespace(&'p str),
    Star,
    /// A name before `(`, other than a node type.
    Function(&'p str, &'p str),
    /// `node`, `text`, `comment`, `processing-instruction` before `(`.
    NodeType(&'p str),
    /// A name before `::`.
    Axis(&'p str),
    Open,
    Close,
    OpenPredicate,
    ClosePredicate,
    Dot,
    TwoDots,
    At,
    Comma,
    TwoColons,
    Slash,
    TwoSlashes,
    Union,
    Or,
    And,
    Compare(Comparison),
    Arithmetic(Operator),
    End,
}

impl Token<'_> {
    /// Whether a name or `*` after this token is an operator.
    const fn ends_operand(&self) -> bool {
        matches!(
            self,
            Self::Number(_)
                | Self::Literal(_)
                | Self::Name(..)
                | Self::InNamespace(_)
                | Self::Star
                | Self::Close
                | Self::ClosePredicate
                | Self::Dot
                | Self::TwoDots
        )
    }
}

/// The tokens with their places, `End` last. An error has its place.
pub(super) fn tokens(path: &str) -> Result<Vec<(Token<'_>, usize)>, (usize, String)> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut after_operand = false;
    loop {
        let rest = path.get(at..).unwrap_or_default();
        let blanks = rest.bytes().take_while(|byte| is_space(*byte)).count();
        at += blanks;
        let (token, length) =
            next(&rest[blanks..], after_operand).map_err(|message| (at, message))?;
        tokens.push((token, at));
        if token == Token::End {
            return Ok(tokens);
        }
        after_operand = token.ends_operand();
        at += length;
    }
}

/// The token that `rest` starts with, and its bytes.
fn next(rest: &str, after_operand: bool) -> Result<(Token<'_>, usize), String> {
    let mut bytes = rest.bytes();
    let (Some(first), second) = (bytes.next(), bytes.next()) else { return Ok((Token::End, 0)) };
    Ok(match (first, second) {
        (b'(', _) => (Token::Open, 1),
        (b')', _) => (Token::Close, 1),
        (b'[', _) => (Token::OpenPredicate, 1),
        (b']', _) => (Token::ClosePredicate, 1),
        (b'@', _) => (Token::At, 1),
        (b',', _) => (Token::Comma, 1),
        (b':', Some(b':')) => (Token::TwoColons, 2),
        (b'/', Some(b'/')) => (Token::TwoSlashes, 2),
        (b'/', _) => (Token::Slash, 1),
        (b'|', _) => (Token::Union, 1),
        (b'+', _) => (Token::Arithmetic(Operator::Add), 1),
        (b'-', _) => (Token::Arithmetic(Operator::Subtract), 1),
        (b'*', _) if after_operand => (Token::Arithmetic(Operator::Multiply), 1),
        (b'*', _) => (Token::Star, 1),
        (b'=', _) => (Token::Compare(Comparison::Equal), 1),
        (b'!', Some(b'=')) => (Token::Compare(Comparison::NotEqual), 2),
        (b'<', Some(b'=')) => (Token::Compare(Comparison::LessOrEqual), 2),
        (b'<', _) => (Token::Compare(Comparison::Less), 1),
        (b'>', Some(b'=')) => (Token::Compare(Comparison::GreaterOrEqual), 2),
        (b'>', _) => (Token::Compare(Comparison::Greater), 1),
        (b'0'..=b'9', _) | (b'.', Some(b'0'..=b'9')) => number(rest),
        (b'.', Some(b'.')) => (Token::TwoDots, 2),
        (b'.', _) => (Token::Dot, 1),
        (b'"' | b'\'', _) => {
            let Some(length) = memchr::memchr(first, &rest.as_bytes()[1..]) else {
                return Err("the string does not end: a quote is missing".to_owned());
            };
            (Token::Literal(&rest[1..=length]), length + 2)
        }
        (b'$', _) => return Err("there are no variables to refer to".to_owned()),
        _ => return named(rest, after_operand),
    })
}

fn number(rest: &str) -> (Token<'_>, usize) {
    let digits = |from: usize| {
        from + rest.as_bytes()[from..].iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let mut length = digits(0);
    if rest.as_bytes().get(length) == Some(&b'.') {
        length = digits(length + 1);
    }
    (Token::Number(rest[..length].parse().unwrap_or(f64::NAN)), length)
}

fn named(rest: &str, after_operand: bool) -> Result<(Token<'_>, usize), String> {
    let length = name::length(rest);
    if length == 0 {
        let character = rest.chars().next().unwrap_or_default();
        return Err(format!("`{character}` is not expected in an XPath expression"));
    }
    let first = &rest[..length];
    if after_operand {
        let operator = match first {
            "or" => Token::Or,
            "and" => Token::And,
            "div" => Token::Arithmetic(Operator::Divide),
            "mod" => Token::Arithmetic(Operator::Modulo),
            _ => return Err(format!("an operator is expected before `{first}`")),
        };
        return Ok((operator, length));
    }
    // `a:b` and `a:*` without blanks are one name; in `a::b` the name is an axis.
    let mut end = length;
    let (mut prefix, mut local) = ("", first);
    if let Some(after) = rest[length..].strip_prefix(':') {
        if after.starts_with('*') {
            return Ok((Token::InNamespace(first), length + 2));
        }
        let more = name::length(after);
        if more > 0 {
            (prefix, local) = (first, &after[..more]);
            end = length + 1 + more;
        }
    }
    let following = rest[end..].trim_start_matches([' ', '\t', '\n', '\r']);
    Ok(match local {
        _ if following.starts_with("::") && prefix.is_empty() => (Token::Axis(local), end),
        "node" | "text" | "comment" | "processing-instruction"
            if prefix.is_empty() && following.starts_with('(') =>
        {
            (Token::NodeType(local), end)
        }
        _ if following.starts_with('(') => (Token::Function(prefix, local), end),
        _ => (Token::Name(prefix, local), end),
    })
}

#[cfg(test)]
mod tests {
    use super::{Token, tokens};
    use crate::xpath::syntax::{Comparison, Operator};

    #[test]
    fn names_and_stars_are_operators_after_operands_only() {
        let read = |path| {
            let tokens = tokens(path).map_err(|(at, _)| at)?;
            Ok::<_, usize>(tokens.into_iter().map(|(token, _)| token).collect::<Vec<_>>())
        };
        let star = Token::Arithmetic(Operator::Multiply);
        assert_eq!(
            read("* * and div -mod"),
            Ok(vec![
                Token::Star,
                star,
                Token::Name("", "and"),
                Token::Arithmetic(Operator::Divide),
                Token::Arithmetic(Operator::Subtract),
                Token::Name("", "mod"),
                Token::End,
            ])
        );
        assert_eq!(
            read("a:b / c:*<.5"),
            Ok(vec![
                Token::Name("a", "b"),
                Token::Slash,
                Token::InNamespace("c"),
                Token::Compare(Comparison::Less),
                Token::Number(0.5),
                Token::End,
            ])
        );
        assert_eq!(
            read("self :: text ( )"),
            Ok(vec![
                Token::Axis("self"),
                Token::TwoColons,
                Token::NodeType("text"),
                Token::Open,
                Token::Close,
                Token::End,
            ])
        );
        for (wrong, at) in [("a b", 2), ("'a", 0), ("a !b", 2), ("é §", 3), ("a:'", 1), ("1 1a", 3)]
        {
            assert_eq!(read(wrong), Err(at), "{wrong}");
        }
    }
}
