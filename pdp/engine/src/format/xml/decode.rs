//! Bytes to characters: UTF-8 and UTF-16, with or without byte order mark (XML 1.0 section 4.3.3).

use std::borrow::Cow;

use crate::error::{Position, ReadError, code};
use crate::format::cursor::{ReadLimits, quoted};

const UTF8_MARK: &[u8] = &[0xEF, 0xBB, 0xBF];

/// The text of a document, borrowed where it is UTF-8, and checked to hold only characters that XML
/// allows.
pub(crate) fn decode<'i>(bytes: &'i [u8], limits: &ReadLimits) -> Result<Cow<'i, str>, ReadError> {
    if bytes.len() > limits.bytes {
        return Err(ReadError::at(
            Position::new(1, 1),
            code::LIMIT,
            format!(
                "the document has {} bytes; the limit `bytes` is {}",
                bytes.len(),
                limits.bytes
            ),
        ));
    }
    let text = match bytes {
        [0, 0, 0xFE, 0xFF, ..] | [0xFF, 0xFE, 0, 0, ..] => return Err(refused("UTF-32")),
        [0x4C, 0x6F, 0xA7, 0x94, ..] => return Err(refused("EBCDIC")),
        [0xFE, 0xFF, rest @ ..] => Cow::Owned(utf16(rest, u16::from_be_bytes)?),
        [0xFF, 0xFE, rest @ ..] => Cow::Owned(utf16(rest, u16::from_le_bytes)?),
        [0, b'<', ..] => Cow::Owned(utf16(bytes, u16::from_be_bytes)?),
        [b'<', 0, ..] => Cow::Owned(utf16(bytes, u16::from_le_bytes)?),
        _ => {
            let bytes = bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes);
            let text = utf8(bytes)?;
            let declared = declared_encoding(bytes).filter(|name| is_utf16(name));
            if let Some(name) = declared {
                return Err(ReadError::at(
                    Position::new(1, 1),
                    code::XML_ENCODING,
                    format!(
                        "the document declares {}, but is written in UTF-8: correct the declaration",
                        quoted(name)
                    ),
                ));
            }
            Cow::Borrowed(text)
        }
    };
    check_characters(&text)?;
    Ok(text)
}

fn is_utf16(name: &str) -> bool {
    name.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("utf-16"))
}

fn refused(encoding: &str) -> ReadError {
    ReadError::at(
        Position::new(1, 1),
        code::XML_ENCODING,
        format!("the encoding {encoding} is not read; save the document as UTF-8"),
    )
}

fn utf8(bytes: &[u8]) -> Result<&str, ReadError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let declared = declared_encoding(bytes)
            .map(|name| format!("; the document declares {}", quoted(name)))
            .unwrap_or_default();
        ReadError::at(
            Position::of_offset(bytes, at),
            code::XML_ENCODING,
            format!(
                "byte 0x{:02X} is not UTF-8{declared}; save the document as UTF-8",
                bytes.get(at).copied().unwrap_or_default()
            ),
        )
    })
}

/// The encoding that an XML declaration names, found without reading further.
fn declared_encoding(bytes: &[u8]) -> Option<&str> {
    let head = bytes.strip_prefix(b"<?xml")?;
    let head = &head[..memchr::memmem::find(head, b"?>")?];
    let head = std::str::from_utf8(head).ok()?;
    let (_, after) = head.split_once("encoding")?;
    after.split(['"', '\'']).nth(1)
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, ReadError> {
    let mut text = String::with_capacity(bytes.len());
    let (pairs, rest) = bytes.as_chunks::<2>();
    for decoded in char::decode_utf16(pairs.iter().map(|pair| unit(*pair))) {
        match decoded {
            Ok(character) => text.push(character),
            Err(error) => {
                return Err(ReadError::at(
                    Position::of_offset(text.as_bytes(), text.len()),
                    code::XML_ENCODING,
                    format!("0x{:04X} is half of a UTF-16 pair", error.unpaired_surrogate()),
                ));
            }
        }
    }
    if rest.is_empty() {
        Ok(text)
    } else {
        Err(ReadError::at(
            Position::of_offset(text.as_bytes(), text.len()),
            code::XML_ENCODING,
            "the document ends within a UTF-16 character",
        ))
    }
}

/// XML 1.0 section 2.2: no control characters beside tab and line ends, no U+FFFE and U+FFFF.
fn check_characters(text: &str) -> Result<(), ReadError> {
    let bytes = text.as_bytes();
    let control = |byte: &u8| *byte < 0x20 && !matches!(*byte, b'\t' | b'\n' | b'\r');
    // The first pass has no early exit, so that the compiler can take many bytes at a time.
    let any = bytes.iter().fold(false, |any, byte| any | control(byte));
    let found = if any { bytes.iter().position(control) } else { None };
    let found = found.or_else(|| {
        memchr::memchr_iter(0xEF, bytes)
            .find(|at| matches!(bytes[*at..], [0xEF, 0xBF, 0xBE | 0xBF, ..]))
    });
    match found {
        None => Ok(()),
        Some(at) => {
            let character = text[at..].chars().next().unwrap_or_default();
            Err(ReadError::at(
                Position::of_offset(bytes, at),
                code::XML_SYNTAX,
                format!("the character U+{:04X} is not allowed in XML", u32::from(character)),
            ))
        }
    }
}
