//! Character classes: in brackets with ranges and subtraction, `\i`, `\p{Lu}` and the like.

use std::fmt::Write as _;

use super::blocks;
use super::translate::{Result, Source};

/// Levels of subtraction.
const MAX_DEPTH: usize = 20;

/// Name characters of XML 1.0, fifth edition.
const NAME_START: &str = r":A-Z_a-z\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{2FF}\x{370}-\x{37D}\x{37F}-\x{1FFF}\x{200C}\x{200D}\x{2070}-\x{218F}\x{2C00}-\x{2FEF}\x{3001}-\x{D7FF}\x{F900}-\x{FDCF}\x{FDF0}-\x{FFFD}\x{10000}-\x{EFFFF}";
const NAME_FURTHER: &str = r"\-.0-9\x{B7}\x{300}-\x{36F}\x{203F}\x{2040}";

/// The general categories of Unicode that the dialect knows.
const CATEGORIES: [&str; 36] = [
    "L", "Lu", "Ll", "Lt", "Lm", "Lo", "M", "Mn", "Mc", "Me", "N", "Nd", "Nl", "No", "P", "Pc",
    "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Z", "Zs", "Zl", "Zp", "S", "Sm", "Sc", "Sk", "So", "C",
    "Cc", "Cf", "Co", "Cn",
];

/// The character that `\c` stands for, where it is one.
pub(super) const fn single(c: char) -> Option<char> {
    match c {
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        '\\' | '|' | '.' | '?' | '*' | '+' | '(' | ')' | '{' | '}' | '-' | '[' | ']' | '^'
        | '$' => Some(c),
        _ => None,
    }
}

/// The class that `\c` stands for; the character has been read.
pub(super) fn multiple(source: &mut Source<'_>, c: char) -> Result<String> {
    let not = if c.is_ascii_uppercase() { "^" } else { "" };
    Ok(match c {
        's' | 'S' => format!(r"[{not}\t\n\r\x20]"),
        'd' => r"\p{Nd}".to_owned(),
        'D' => r"\P{Nd}".to_owned(),
        'w' => r"[^\p{P}\p{Z}\p{C}]".to_owned(),
        'W' => r"[\p{P}\p{Z}\p{C}]".to_owned(),
        'i' | 'I' => format!("[{not}{NAME_START}]"),
        'c' | 'C' => format!("[{not}{NAME_START}{NAME_FURTHER}]"),
        'p' | 'P' => property(source, c)?,
        _ => return source.error(format!("`\\{c}` is no escape of this dialect")),
    })
}

/// `{Lu}` or `{IsBasicLatin}` after `\p` or `\P`.
fn property(source: &mut Source<'_>, c: char) -> Result<String> {
    const EXPECTED: &str =
        "expected a category or block of Unicode, as in `\\p{Lu}` or `\\p{IsBasicLatin}`";
    if !source.eat('{') {
        return source.error(EXPECTED);
    }
    let mut name = String::new();
    loop {
        match source.next() {
            Some('}') => break,
            Some(c) if c.is_ascii_alphanumeric() || c == '-' => name.push(c),
            _ => return source.error(EXPECTED),
        }
    }
    if CATEGORIES.contains(&name.as_str()) {
        return Ok(format!("\\{c}{{{name}}}"));
    }
    match name.strip_prefix("Is").and_then(blocks::range) {
        Some((first, last)) => {
            let not = if c == 'P' { "^" } else { "" };
            Ok(format!("[{not}\\x{{{first:X}}}-\\x{{{last:X}}}]"))
        }
        None => source.error(format!("`{name}` is no category or block of Unicode")),
    }
}

/// A class in brackets; the `[` has been read.
pub(super) fn class(source: &mut Source<'_>, depth: usize) -> Result<String> {
    if depth == MAX_DEPTH {
        return source.error(format!("more than {MAX_DEPTH} levels of brackets"));
    }
    let not = if source.eat('^') { "^" } else { "" };
    let mut items = String::new();
    loop {
        let Some(c) = source.next() else { return source.error("`[` is not closed") };
        match c {
            ']' if items.is_empty() => {
                return source
                    .error("the brackets hold nothing; `]` stands for itself only as `\\]`");
            }
            ']' => return Ok(format!("[{not}{items}]")),
            '[' => return source.error("inside brackets `[` stands for itself only as `\\[`"),
            '-' if source.peek() == Some('[') && !items.is_empty() => {
                source.next();
                let minus = class(source, depth + 1)?;
                if !source.eat(']') {
                    source.next();
                    return source.error("a subtraction must be the last in its brackets");
                }
                return Ok(format!("[[{not}{items}]--{minus}]"));
            }
            '\\' => {
                let Some(escaped) = source.next() else { return source.error("`[` is not closed") };
                match single(escaped) {
                    Some(c) => range(source, c, &mut items)?,
                    None => items.push_str(&multiple(source, escaped)?),
                }
            }
            _ => range(source, c, &mut items)?,
        }
    }
}

/// One character, or a range that begins with it.
fn range(source: &mut Source<'_>, first: char, items: &mut String) -> Result<()> {
    let is_range = source.peek() == Some('-') && !matches!(source.second(), Some(']' | '[') | None);
    let mut last = first;
    if is_range {
        source.next();
        last = match source.next() {
            Some('\\') => match source.next().and_then(single) {
                Some(c) => c,
                None => return source.error("a range ends with one character"),
            },
            Some(c) => c,
            None => return source.error("`[` is not closed"),
        };
        if last < first {
            return source.error(format!("the range from `{first}` to `{last}` is backwards"));
        }
    }
    // Writing to a string does not fail.
    let _ = write!(items, "\\x{{{:X}}}", first as u32);
    if is_range {
        let _ = write!(items, "-\\x{{{:X}}}", last as u32);
    }
    Ok(())
}
