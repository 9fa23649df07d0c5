//! Writing: text and attribute values, escaped.

/// Appends text so that a reader gets it back exactly.
pub(crate) fn push_escaped(out: &mut Vec<u8>, text: &str) {
    escape(out, text, |byte| match byte {
        b'<' => Some("&lt;"),
        b'>' => Some("&gt;"),
        b'&' => Some("&amp;"),
        b'\r' => Some("&#13;"),
        _ => None,
    });
}

/// Appends the value of an attribute (between double quotes) so that a reader gets it back exactly.
pub(crate) fn push_escaped_attribute(out: &mut Vec<u8>, text: &str) {
    escape(out, text, |byte| match byte {
        b'<' => Some("&lt;"),
        b'>' => Some("&gt;"),
        b'&' => Some("&amp;"),
        b'"' => Some("&quot;"),
        b'\t' => Some("&#9;"),
        b'\n' => Some("&#10;"),
        b'\r' => Some("&#13;"),
        _ => None,
    });
}

/// Characters that XML cannot hold at all become U+FFFD: a document that is wrong in one character of
/// a message is better than one that nobody can read.
fn escape(out: &mut Vec<u8>, text: &str, escaped: impl Fn(u8) -> Option<&'static str>) {
    let bytes = text.as_bytes();
    let mut written = 0;
    let mut at = 0;
    while at < bytes.len() {
        let (length, replacement) = match bytes[at] {
            0xEF if matches!(bytes[at..], [_, 0xBF, 0xBE | 0xBF, ..]) => (3, Some("\u{FFFD}")),
            byte @ (..0x20 | b'<' | b'>' | b'&' | b'"') => {
                let replacement = escaped(byte).or(match byte {
                    b'\t' | b'\n' | b'\r' | 0x20.. => None,
                    _ => Some("\u{FFFD}"),
                });
                (1, replacement)
            }
            _ => (1, None),
        };
        if let Some(replacement) = replacement {
            out.extend_from_slice(&bytes[written..at]);
            out.extend_from_slice(replacement.as_bytes());
            written = at + length;
        }
        at += length;
    }
    out.extend_from_slice(&bytes[written..]);
}

/// Appends ` name="value"`.
pub(crate) fn push_attribute(out: &mut Vec<u8>, name: &str, value: &str) {
    out.push(b' ');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"=\"");
    push_escaped_attribute(out, value);
    out.push(b'"');
}

/// Appends the declaration of a namespace; an empty prefix: the default one.
pub(crate) fn push_declaration(out: &mut Vec<u8>, prefix: &str, uri: &str) {
    out.extend_from_slice(b" xmlns");
    if !prefix.is_empty() {
        out.push(b':');
        out.extend_from_slice(prefix.as_bytes());
    }
    out.extend_from_slice(b"=\"");
    push_escaped_attribute(out, uri);
    out.push(b'"');
}

/// The start of every document.
pub(crate) const DECLARATION: &[u8] = b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
