//! Strings and URIs.
//!
//! A string keeps every blank. All other types are read after the `collapse` of XML Schema part 2,
//! section 4.3.6: blanks around the value are dropped, runs inside are one blank.

use super::Arena;
use super::error::Parsed;

/// The white space of XML: blank, tab, line feed, carriage return.
#[inline]
pub(crate) const fn is_xml_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// The text without XML white space around it.
#[inline]
pub(super) fn trim(text: &str) -> &str {
    let bytes = text.as_bytes();
    match (bytes.first(), bytes.last()) {
        (Some(&first), Some(&last)) if is_xml_space(first) || is_xml_space(last) => {
            text.trim_matches([' ', '\t', '\n', '\r'])
        }
        _ => text,
    }
}

/// A trimmed text with inner runs of white space as one blank.
pub(super) fn collapse<'a>(trimmed: &'a str, arena: &'a Arena) -> &'a str {
    let bytes = trimmed.as_bytes();
    let clean = bytes.iter().enumerate().all(|(at, byte)| match byte {
        b'\t' | b'\n' | b'\r' => false,
        b' ' => bytes.get(at + 1) != Some(&b' '),
        _ => true,
    });
    if clean {
        return trimmed;
    }
    let mut out = bumpalo::collections::String::with_capacity_in(trimmed.len(), arena);
    for word in trimmed.split([' ', '\t', '\n', '\r']).filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out.into_bump_str()
}

/// Whether a collapsed text is an anyURI: a URI reference of RFC 2396 (with the brackets of RFC
/// 2732) after the escaping of XLink section 5.4, as XML Schema part 2 section 3.2.17 has it. Any
/// character that this escaping takes care of is fine, and `[`, `]` are let through everywhere.
pub(super) fn check_uri(text: &str) -> Parsed<()> {
    let bytes = text.as_bytes();
    if let Some(at) = memchr::memchr(b'%', bytes) {
        check_escapes(&bytes[at..])?;
    }
    if let Some(at) = memchr::memchr(b'#', bytes)
        && memchr::memchr(b'#', &bytes[at + 1..]).is_some()
    {
        return Err("a URI has at most one `#`".into());
    }
    // Bytes before the first delimiter: a colon among them ends a scheme.
    let rest = match memchr::memchr3(b'/', b'?', b'#', bytes) {
        Some(end) => (&bytes[..end], &bytes[end..]),
        None => (bytes, &bytes[bytes.len()..]),
    };
    let (head, tail) = rest;
    if let Some(colon) = memchr::memchr(b':', head) {
        let scheme = &head[..colon];
        let named = scheme.first().is_some_and(u8::is_ascii_alphabetic)
            && scheme.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
        if !named {
            return Err(
                "what stands before the first `:` must be a scheme: a letter, then letters, digits, `+`, `-`, `.`"
                    .into(),
            );
        }
        if colon + 1 < head.len() {
            return Ok(()); // scheme:opaque or scheme:path without an authority
        }
    }
    match tail.strip_prefix(b"//") {
        Some(authority) => check_authority(authority),
        None => Ok(()),
    }
}

fn check_escapes(mut bytes: &[u8]) -> Parsed<()> {
    while let Some(at) = memchr::memchr(b'%', bytes) {
        match bytes.get(at + 1..at + 3) {
            Some(pair) if pair.iter().all(u8::is_ascii_hexdigit) => bytes = &bytes[at + 3..],
            _ => return Err("`%` must be followed by two hexadecimal digits".into()),
        }
    }
    Ok(())
}

/// `[user@]host[:port]`, where the host may be a bracketed IPv6 address.
fn check_authority(bytes: &[u8]) -> Parsed<()> {
    let end = memchr::memchr3(b'/', b'?', b'#', bytes).unwrap_or(bytes.len());
    let authority = &bytes[..end];
    let host = match memchr::memrchr(b'@', authority) {
        Some(at) => &authority[at + 1..],
        None => authority,
    };
    if let Some(inside) = host.strip_prefix(b"[") {
        let Some(close) = memchr::memchr(b']', inside) else {
            return Err("`[` in the host is not closed".into());
        };
        let address = std::str::from_utf8(&inside[..close]).unwrap_or_default();
        let (address, _zone) = address.split_once("%25").unwrap_or((address, ""));
        if address.parse::<std::net::Ipv6Addr>().is_err() && !address.starts_with(['v', 'V']) {
            return Err("the brackets of the host must hold an IPv6 address".into());
        }
        return match &inside[close + 1..] {
            [] => Ok(()),
            [b':', port @ ..] if port.iter().all(u8::is_ascii_digit) => Ok(()),
            _ => Err("after the host may come `:` and a port number".into()),
        };
    }
    if host.iter().any(|byte| matches!(byte, b'[' | b']')) {
        return Err("`[` and `]` in the host must be around an IPv6 address".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks() {
        let arena = Arena::new();
        assert_eq!(trim(" \t\r\n a  b\n"), "a  b");
        assert_eq!(
            trim("\u{a0}a\u{a0}"),
            "\u{a0}a\u{a0}",
            "a no-break blank is no XML white space"
        );
        assert_eq!(trim("  "), "");
        assert_eq!(collapse("a  b\n\tc", &arena), "a b c");
        assert_eq!(collapse("a b", &arena), "a b");
    }

    #[test]
    fn uris() {
        for good in [
            "",
            "root",
            "1.1",
            "PPS:Employee",
            "urn:oasis:names:tc:xacml:1.0:action:action-id",
            "http://www.example.com/images/logo.gif?x=1&y=2#top",
            "http://[::1]:80/",
            "http://u@h:1/a b/é",
            "file:///a:b",
            "./a:b",
            "a/b:c",
            "%20",
            "urn:",
            "//host/path",
            "a[1]",
        ] {
            assert_eq!(check_uri(good), Ok(()), "{good}");
        }
        for bad in [
            "%",
            "%2",
            "%zz",
            "a#b#c",
            ":a",
            "1a:b",
            "a b:c",
            "http://[::1",
            "http://[1]/",
            "http://a[b]/",
            "http://[::1]x",
        ] {
            assert!(check_uri(bad).is_err(), "{bad}");
        }
    }
}
