//! Text of a document: references, line ends, attribute values (XML 1.0 sections 2.11, 3.1, 3.3.3,
//! 4.1).

use crate::value::Arena;

/// Text in pieces: borrowed where it is one piece that needs no change.
#[derive(Debug, Default)]
pub(super) struct Joined<'a> {
    only: &'a str,
    /// Empty as long as `only` is all.
    buffer: String,
}

impl<'a> Joined<'a> {
    /// Appends text as written; line ends become line feeds.
    pub(super) fn push(&mut self, written: &'a str) {
        let plain = memchr::memchr(b'\r', written.as_bytes()).is_none();
        if plain && self.only.is_empty() && self.buffer.is_empty() {
            self.only = written;
            return;
        }
        self.unborrow();
        if plain {
            self.buffer.push_str(written);
        } else {
            for (index, line) in written.split('\r').enumerate() {
                if index > 0 {
                    self.buffer.push('\n');
                }
                // Of CR LF only one line feed is left.
                let line = if index > 0 { line.strip_prefix('\n').unwrap_or(line) } else { line };
                self.buffer.push_str(line);
            }
        }
    }

    /// Appends what a reference stands for.
    pub(super) fn push_character(&mut self, character: char) {
        self.unborrow();
        self.buffer.push(character);
    }

    fn unborrow(&mut self) {
        self.buffer.push_str(std::mem::take(&mut self.only));
    }

    /// The text so far, if there is any; then it is empty.
    pub(super) fn take(&mut self, arena: &'a Arena) -> Option<&'a str> {
        if self.buffer.is_empty() {
            let only = std::mem::take(&mut self.only);
            return (!only.is_empty()).then_some(only);
        }
        let text = arena.alloc_str(&self.buffer);
        self.buffer.clear();
        Some(text)
    }
}

/// What a reference (without `&` and `;`) stands for.
pub(super) fn resolve(reference: &str) -> Result<char, String> {
    let number = match reference.strip_prefix('#') {
        Some(number) => number,
        None => {
            return match reference {
                "lt" => Ok('<'),
                "gt" => Ok('>'),
                "amp" => Ok('&'),
                "apos" => Ok('\''),
                "quot" => Ok('"'),
                _ => {
                    let name: String = reference.chars().take(40).collect();
                    Err(format!("the entity `&{name};` is not defined"))
                }
            };
        }
    };
    let (digits, radix) = match number.strip_prefix('x') {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    // The standard library would also read a sign.
    let code = if digits.chars().all(|digit| digit.is_digit(radix)) {
        u32::from_str_radix(digits, radix).ok()
    } else {
        None
    };
    code.and_then(char::from_u32).filter(|character| is_allowed(*character)).ok_or_else(|| {
        let name: String = reference.chars().take(40).collect();
        format!("`&{name};` is not a character that XML allows")
    })
}

fn is_allowed(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Where the first character stands that XML does not allow (section 2.2).
pub(super) fn forbidden(source: &str) -> Option<usize> {
    let bytes = source.as_bytes();
    let control = |byte: &u8| *byte < 0x20 && !matches!(*byte, b'\t' | b'\n' | b'\r');
    bytes.iter().position(control).or_else(|| {
        memchr::memchr_iter(0xEF, bytes)
            .find(|at| matches!(bytes[*at..], [0xEF, 0xBF, 0xBE | 0xBF, ..]))
    })
}

/// Whether there is nothing but XML white space.
pub(super) fn is_blank(text: &str) -> bool {
    text.bytes().all(is_space)
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// An attribute as it is written.
#[derive(Debug)]
pub(super) struct Written<'a> {
    pub(super) name: &'a str,
    pub(super) raw: &'a str,
    /// Where the name begins.
    pub(super) at: usize,
    /// Where the value begins.
    pub(super) value_at: usize,
}

/// The next attribute of a tag, from byte `at`, which moves on. An error has its place.
pub(super) fn next_attribute<'a>(
    tag: &'a str,
    at: &mut usize,
) -> Result<Option<Written<'a>>, (usize, &'static str)> {
    let bytes = tag.as_bytes();
    let skip_blanks = |from: usize| {
        let blanks = bytes.get(from..).unwrap_or_default();
        from + blanks.iter().take_while(|byte| is_space(**byte)).count()
    };
    let start = skip_blanks(*at);
    if start >= bytes.len() {
        return Ok(None);
    }
    if start == *at {
        return Err((start, "a blank must stand before an attribute"));
    }
    let length = bytes[start..].iter().position(|byte| *byte == b'=' || is_space(*byte));
    let name_end = length.map_or(bytes.len(), |length| start + length);
    let equals = skip_blanks(name_end);
    if bytes.get(equals) != Some(&b'=') {
        return Err((start, "an attribute needs `=` and a value in quotes"));
    }
    let quote_at = skip_blanks(equals + 1);
    let quote = match bytes.get(quote_at) {
        Some(quote @ (b'"' | b'\'')) => *quote,
        _ => return Err((start, "an attribute needs a value in quotes")),
    };
    let value_at = quote_at + 1;
    let Some(length) = memchr::memchr(quote, &bytes[value_at..]) else {
        return Err((quote_at, "the value of the attribute does not end"));
    };
    *at = value_at + length + 1;
    let raw = &tag[value_at..value_at + length];
    Ok(Some(Written { name: &tag[start..name_end], raw, at: start, value_at }))
}

/// The value of an attribute. An error has its place in `raw`.
pub(super) fn attribute<'a>(raw: &'a str, arena: &'a Arena) -> Result<&'a str, (usize, String)> {
    let special = |byte: u8| matches!(byte, b'&' | b'<' | b'\t' | b'\n' | b'\r');
    if !raw.bytes().any(special) {
        return Ok(raw);
    }
    let mut value = bumpalo::collections::String::with_capacity_in(raw.len(), arena);
    let mut at = 0;
    while let Some(length) = raw[at..].bytes().position(special) {
        value.push_str(&raw[at..at + length]);
        at += length;
        match raw.as_bytes()[at] {
            b'&' => {
                let Some(length) = memchr::memchr(b';', &raw.as_bytes()[at..]) else {
                    return Err((at, "`&` starts a reference that `;` does not end".to_owned()));
                };
                value.push(resolve(&raw[at + 1..at + length]).map_err(|message| (at, message))?);
                at += length + 1;
            }
            b'<' => return Err((at, "`<` may not stand in an attribute; write `&lt;`".to_owned())),
            _ => {
                value.push(' ');
                at += if raw[at..].starts_with("\r\n") { 2 } else { 1 };
            }
        }
    }
    value.push_str(&raw[at..]);
    Ok(value.into_bump_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references() {
        for (reference, expected) in [("lt", '<'), ("#65", 'A'), ("#x1F600", '😀'), ("#xa", '\n')]
        {
            assert_eq!(resolve(reference), Ok(expected));
        }
        for wrong in ["", "nbsp", "#", "#x", "#-1", "#+65", "#0", "#xD800", "#x110000", "#X41"] {
            assert!(resolve(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn pieces_are_joined_and_line_ends_are_line_feeds() {
        let arena = Arena::new();
        let mut text = Joined::default();
        assert_eq!(text.take(&arena), None);
        text.push("a\r\nb\rc\r\r\nd");
        text.push_character('\r');
        text.push("\n");
        assert_eq!(text.take(&arena), Some("a\nb\nc\n\nd\r\n"));
        text.push("one");
        assert_eq!(text.take(&arena), Some("one"));
        assert_eq!(text.take(&arena), None);
    }

    #[test]
    fn attribute_values_are_normalised() {
        let arena = Arena::new();
        assert_eq!(attribute("a\tb\r\nc\rd&#10;&lt;", &arena), Ok("a b c d\n<"));
        assert_eq!(attribute("a &b", &arena).map_err(|(at, _)| at), Err(2));
        assert_eq!(attribute("a<b", &arena).map_err(|(at, _)| at), Err(1));
    }
}
