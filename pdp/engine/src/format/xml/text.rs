//! Text: references, line ends, attribute value normalisation (XML 1.0 sections 2.11, 3.3.3, 4.1).

use std::borrow::Cow;

/// What a reference (without `&` and `;`) stands for. There are no entities but the five of XML.
pub(crate) fn resolve(reference: &str) -> Result<char, String> {
    let number = match reference.strip_prefix('#') {
        None => {
            return match reference {
                "lt" => Ok('<'),
                "gt" => Ok('>'),
                "amp" => Ok('&'),
                "apos" => Ok('\''),
                "quot" => Ok('"'),
                _ => Err(format!(
                    "the entity `&{};` is not defined; XML itself defines amp, lt, gt, apos and quot",
                    reference.chars().take(40).collect::<String>()
                )),
            };
        }
        Some(number) => number,
    };
    let parsed = match number.strip_prefix('x') {
        Some(digits) if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            u32::from_str_radix(digits, 16)
        }
        None if number.bytes().all(|byte| byte.is_ascii_digit()) => number.parse(),
        _ => "x".parse(),
    };
    parsed.ok().and_then(char::from_u32).filter(|character| is_allowed(*character)).ok_or_else(
        || {
            format!(
                "`&{};` is not a character that XML allows",
                reference.chars().take(40).collect::<String>()
            )
        },
    )
}

/// XML 1.0 section 2.2.
fn is_allowed(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Text with every line end as a line feed.
pub(crate) fn line_ends(raw: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\r', raw.as_bytes()).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut text = String::with_capacity(raw.len());
    push_line_ends(&mut text, raw);
    Cow::Owned(text)
}

/// Appends text with every line end as a line feed.
pub(crate) fn push_line_ends(text: &mut String, raw: &str) {
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\r', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        text.push('\n');
        rest = &rest[at + 1..];
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    text.push_str(rest);
}

/// The value of an attribute. On failure: the offset in `raw` and the message.
pub(crate) fn attribute(raw: &str) -> Result<Cow<'_, str>, (usize, String)> {
    let special = |byte: &u8| matches!(*byte, b'&' | b'\t' | b'\n' | b'\r');
    let Some(first) = raw.bytes().position(|byte| special(&byte)) else {
        return Ok(Cow::Borrowed(raw));
    };
    let mut value = String::with_capacity(raw.len());
    value.push_str(&raw[..first]);
    let mut at = first;
    while at < raw.len() {
        let byte = raw.as_bytes()[at];
        match byte {
            b'&' => {
                let Some(length) = memchr::memchr(b';', &raw.as_bytes()[at..]) else {
                    return Err((at, "`&` starts a reference that `;` does not end".to_owned()));
                };
                let reference = &raw[at + 1..at + length];
                value.push(resolve(reference).map_err(|message| (at, message))?);
                at += length + 1;
            }
            b'\t' | b'\n' | b'\r' => {
                value.push(' ');
                at += if raw[at..].starts_with("\r\n") { 2 } else { 1 };
            }
            _ => {
                let length = raw.as_bytes()[at..].iter().position(special);
                let end = length.map_or(raw.len(), |length| at + length);
                value.push_str(&raw[at..end]);
                at = end;
            }
        }
    }
    Ok(Cow::Owned(value))
}

/// Blanks around dropped, runs of blanks within as one (XML Schema part 2 section 4.3.6).
pub(crate) fn collapse(text: Cow<'_, str>) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    if bytes.iter().all(|byte| *byte > b' ') {
        return text;
    }
    let blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let plain = |pair: &[u8]| !(blank(pair[1]) && (blank(pair[0]) || pair[1] != b' '));
    let ends_plain = bytes.first().is_none_or(|byte| !blank(*byte))
        && bytes.last().is_none_or(|byte| !blank(*byte));
    if ends_plain && bytes.windows(2).all(plain) {
        return text;
    }
    let mut collapsed = String::with_capacity(text.len());
    for piece in text.split([' ', '\t', '\n', '\r']).filter(|piece| !piece.is_empty()) {
        if !collapsed.is_empty() {
            collapsed.push(' ');
        }
        collapsed.push_str(piece);
    }
    Cow::Owned(collapsed)
}

/// Whether `text` holds nothing but XML white space.
pub(crate) fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references() {
        for (reference, expected) in
            [("lt", '<'), ("amp", '&'), ("#65", 'A'), ("#x1F600", '😀'), ("#xa", '\n')]
        {
            assert_eq!(resolve(reference), Ok(expected));
        }
        for wrong in
            ["", "nbsp", "#", "#x", "#-1", "#+65", "#0", "#xD800", "#x110000", "#X41", "#xFFFF"]
        {
            assert!(resolve(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn attribute_values_are_normalised() {
        assert_eq!(attribute("a\tb\r\nc\rd&#10;&lt;"), Ok(Cow::Borrowed("a b c d\n<")));
        assert_eq!(attribute("a &b").map_err(|(at, _)| at), Err(2));
    }

    #[test]
    fn collapse_leaves_single_blanks() {
        assert_eq!(collapse(Cow::Borrowed("a b")), "a b");
        assert_eq!(collapse(Cow::Borrowed(" \n a \t b ")), "a b");
        assert_eq!(collapse(Cow::Borrowed("a\nb")), "a b");
        assert_eq!(collapse(Cow::Borrowed("  ")), "");
    }
}
