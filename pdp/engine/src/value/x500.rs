//! Distinguished names (RFC 2253 and its successor RFC 4514), by relative distinguished name.
//!
//! A name is kept in a canonical form, so that comparing two is comparing texts: attribute types and
//! values in lower case, runs of blanks as one, no blanks around `=`, `+`, `,`; the parts of a
//! multi-valued RDN in order of text; a special character of a value as `\` and its two hexadecimal
//! digits. A comma of the canonical form is therefore always a separator.

use bumpalo::collections::{String, Vec};

use super::Arena;
use super::error::{Parsed, Reason};

/// Whether the RDNs of `pattern` are the last ones of `name`; both canonical.
pub(crate) fn ends_with(name: &str, pattern: &str) -> bool {
    match name.strip_suffix(pattern) {
        None => false,
        Some(before) => before.is_empty() || pattern.is_empty() || before.ends_with(','),
    }
}

/// The canonical form.
pub(super) fn parse<'a>(text: &str, arena: &'a Arena) -> Parsed<&'a str> {
    let mut out = String::with_capacity_in(text.len() + 8, arena);
    let mut rest = text;
    if text.is_empty() {
        return Ok("");
    }
    let mut parts: Vec<'_, &str> = Vec::new_in(arena);
    loop {
        parts.clear();
        let separator = loop {
            let (part, separator, tail) = parse_part(rest, arena)?;
            parts.push(part);
            rest = tail;
            if separator != Some('+') {
                break separator;
            }
        };
        parts.sort_unstable();
        for (at, part) in parts.iter().enumerate() {
            if at > 0 {
                out.push('+');
            }
            out.push_str(part);
        }
        if separator.is_none() {
            return Ok(out.into_bump_str());
        }
        out.push(',');
    }
}

/// One `type=value`, the separator after it, and what follows.
fn parse_part<'a, 't>(
    text: &'t str,
    arena: &'a Arena,
) -> Result<(&'a str, Option<char>, &'t str), Reason> {
    let Some((name, value)) = text.split_once('=') else {
        return Err(
            "expected `type=value` pairs with `,` between them, as in `cn=A,o=B,c=US`".into()
        );
    };
    let mut out = String::with_capacity_in(text.len().min(64), arena);
    write_type(name.trim_matches(BLANKS), &mut out)?;
    out.push('=');
    let value = value.trim_start_matches(BLANKS);
    let (separator, rest) = match value.as_bytes().first() {
        Some(b'"') => quoted(&value[1..], &mut out)?,
        Some(b'#') => hexadecimal(value, &mut out)?,
        _ => plain(value, &mut out)?,
    };
    Ok((out.into_bump_str(), separator, rest))
}

const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// An attribute type: a keyword, or an object identifier, which is a keyword where RFC 4514 has one.
fn write_type(name: &str, out: &mut String<'_>) -> Parsed<()> {
    const KEYWORDS: [(&str, &str); 9] = [
        ("2.5.4.3", "cn"),
        ("2.5.4.7", "l"),
        ("2.5.4.8", "st"),
        ("2.5.4.10", "o"),
        ("2.5.4.11", "ou"),
        ("2.5.4.6", "c"),
        ("2.5.4.9", "street"),
        ("0.9.2342.19200300.100.1.25", "dc"),
        ("0.9.2342.19200300.100.1.1", "uid"),
    ];
    let identifier = match name.get(..4) {
        Some(prefix) if prefix.eq_ignore_ascii_case("oid.") => &name[4..],
        _ => name,
    };
    if identifier.starts_with(|c: char| c.is_ascii_digit()) {
        let numbers =
            identifier.split('.').all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()));
        if !numbers {
            return Err(format!("`{identifier}` is not an object identifier").into());
        }
        let keyword = KEYWORDS.iter().find(|(id, _)| *id == identifier);
        out.push_str(keyword.map_or(identifier, |(_, keyword)| keyword));
        return Ok(());
    }
    let keyword = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if !keyword {
        return Err(format!("`{name}` is not an attribute type").into());
    }
    out.extend(name.chars().map(|c| c.to_ascii_lowercase()));
    Ok(())
}

/// Writes characters of a value: lower case, runs of blanks as one, special ones escaped.
struct ValueWriter<'o, 'a> {
    out: &'o mut String<'a>,
    start: usize,
    blank: bool,
}

impl<'o, 'a> ValueWriter<'o, 'a> {
    fn new(out: &'o mut String<'a>) -> Self {
        let start = out.len();
        Self { out, start, blank: false }
    }

    fn push(&mut self, c: char) {
        if c.is_whitespace() {
            self.blank = true;
            return;
        }
        if self.blank && self.out.len() > self.start {
            self.out.push(' ');
        }
        self.blank = false;
        for lower in c.to_lowercase() {
            match lower {
                ',' | '+' | '=' | '"' | '\\' | '<' | '>' | ';' | '#' => {
                    const DIGITS: &[u8; 16] = b"0123456789abcdef";
                    let code = lower as usize;
                    self.out.push('\\');
                    self.out.push(char::from(DIGITS[code >> 4]));
                    self.out.push(char::from(DIGITS[code & 15]));
                }
                _ => self.out.push(lower),
            }
        }
    }
}

type Rest<'t> = (Option<char>, &'t str);

/// A value without quotes, up to an unescaped separator.
fn plain<'t>(text: &'t str, out: &mut String<'_>) -> Result<Rest<'t>, Reason> {
    let mut writer = ValueWriter::new(out);
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        match c {
            ',' | ';' | '+' => return Ok((Some(c), &rest[1..])),
            '\\' => rest = escaped(&rest[1..], &mut writer)?,
            '"' | '<' | '>' => {
                return Err(format!("`{c}` must be written as `\\{c}` in a value").into());
            }
            _ => {
                writer.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    Ok((None, rest))
}

/// A value in quotes (RFC 2253 section 4), in which only quotes and backslashes are special.
fn quoted<'t>(text: &'t str, out: &mut String<'_>) -> Result<Rest<'t>, Reason> {
    let mut writer = ValueWriter::new(out);
    let mut rest = text;
    loop {
        match rest.chars().next() {
            None => return Err("a quoted value is not closed".into()),
            Some('"') => return separator(&rest[1..]),
            Some('\\') => rest = escaped(&rest[1..], &mut writer)?,
            Some(c) => {
                writer.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
    }
}

/// `#` and the hexadecimal digits of an encoded value, kept as they are.
fn hexadecimal<'t>(text: &'t str, out: &mut String<'_>) -> Result<Rest<'t>, Reason> {
    let count = text[1..].bytes().take_while(u8::is_ascii_hexdigit).count();
    if count == 0 || count % 2 == 1 {
        return Err("expected pairs of hexadecimal digits after `#`".into());
    }
    out.extend(text[..=count].chars().map(|c| c.to_ascii_lowercase()));
    separator(&text[1 + count..])
}

fn separator(text: &str) -> Result<Rest<'_>, Reason> {
    let text = text.trim_start_matches(BLANKS);
    match text.chars().next() {
        None => Ok((None, text)),
        Some(c @ (',' | ';' | '+')) => Ok((Some(c), &text[1..])),
        Some(_) => Err("expected `,` or `+` after a value".into()),
    }
}

/// What follows a backslash: a special character, or the octets of characters in hexadecimal.
fn escaped<'t>(text: &'t str, writer: &mut ValueWriter<'_, '_>) -> Result<&'t str, Reason> {
    const EXPECTED: &str = "after `\\` must come a special character or two hexadecimal digits";
    let first = text.chars().next().ok_or(EXPECTED)?;
    if matches!(first, ' ' | '"' | '#' | '+' | ',' | ';' | '<' | '=' | '>' | '\\') {
        writer.push(first);
        return Ok(&text[1..]);
    }
    // A character beyond ASCII is several octets, each with its own backslash.
    let mut octets = [0; 4];
    let mut count = 0;
    let mut rest = text;
    loop {
        let pair = rest.get(..2).ok_or(EXPECTED)?;
        octets[count] = u8::from_str_radix(pair, 16).map_err(|_| EXPECTED)?;
        count += 1;
        rest = &rest[2..];
        if let Ok(decoded) = std::str::from_utf8(&octets[..count]) {
            decoded.chars().for_each(|c| writer.push(c));
            return Ok(rest);
        }
        match rest.strip_prefix('\\') {
            Some(next) if count < 4 => rest = next,
            _ => return Err("the hexadecimal digits in a value are not UTF-8".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_forms() {
        let arena = Arena::new();
        for (text, canonical) in [
            ("CN=A B, O=Org , C=US", "cn=a b,o=org,c=us"),
            ("cn=John  Smith;o=Medico Corp;c=US", "cn=john smith,o=medico corp,c=us"),
            ("cn=b+ou=a,c=US", "cn=b+ou=a,c=us"),
            ("OU=a + CN=b , c=US", "cn=b+ou=a,c=us"),
            ("cn=John Smith\\,O=Medico Corp, c=US", "cn=john smith\\2co\\3dmedico corp,c=us"),
            ("o=\"Sue, Grabbit\" , c=GB", "o=sue\\2c grabbit,c=gb"),
            ("2.5.4.3=a,OID.2.5.4.10=b,1.2.3=#04AB", "cn=a,o=b,1.2.3=#04ab"),
            ("cn=Lu\\C4\\8Di\\C4\\87", "cn=lučić"),
            ("cn=LUČIĆ", "cn=lučić"),
            ("cn=\\ a\\ ", "cn=a"),
            ("cn=", "cn="),
            ("", ""),
        ] {
            assert_eq!(parse(text, &arena), Ok(canonical), "{text}");
        }
    }

    #[test]
    fn bad_names() {
        let arena = Arena::new();
        for bad in [
            "a",
            "cn",
            "=a",
            "cn=a,",
            "cn=a,,c=US",
            ",cn=a",
            "cn=a+",
            "c n=a",
            "cn=a\\",
            "cn=\\zz",
            "cn=\\C4",
            "cn=\"a",
            "cn=\"a\"b",
            "cn=#0",
            "cn=#",
            "cn=#zz",
            "1.=a",
            "1..2=a",
            "cn=a<b",
            "cn=a, b",
        ] {
            assert!(parse(bad, &arena).is_err(), "{bad}");
        }
    }

    #[test]
    fn trailing_names() {
        assert!(ends_with("cn=a,o=b,c=us", "o=b,c=us"));
        assert!(ends_with("cn=a,o=b,c=us", "cn=a,o=b,c=us"));
        assert!(ends_with("cn=a", ""));
        assert!(!ends_with("cn=a,foo=b,c=us", "o=b,c=us"));
        assert!(!ends_with("o=b,c=us", "cn=a,o=b,c=us"));
    }
}
