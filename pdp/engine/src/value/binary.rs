//! Octets in hexadecimal digits or in base64 (XML Schema part 2 sections 3.2.15 and 3.2.16).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::Arena;
use super::error::Parsed;
use super::text::is_xml_space;

pub(super) fn parse_hex<'a>(text: &str, arena: &'a Arena) -> Parsed<&'a [u8]> {
    const EXPECTED: &str = "expected an even number of hexadecimal digits";
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(EXPECTED.into());
    }
    Ok(arena.alloc_slice_fill_iter(pairs.iter().map(|[high, low]| digit(*high) << 4 | digit(*low))))
}

/// The value of a hexadecimal digit.
fn digit(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => byte - b'0',
        _ => (byte | 0x20).wrapping_sub(b'a') + 10,
    }
}

/// Blanks may stand between any two characters; padding and unused bits must be right.
pub(super) fn parse_base64<'a>(text: &str, arena: &'a Arena) -> Parsed<&'a [u8]> {
    let bytes = text.as_bytes();
    let dense: &[u8] = if bytes.iter().copied().any(is_xml_space) {
        let mut dense = bumpalo::collections::Vec::with_capacity_in(bytes.len(), arena);
        dense.extend(bytes.iter().copied().filter(|byte| !is_xml_space(*byte)));
        dense.into_bump_slice()
    } else {
        bytes
    };
    let octets = arena.alloc_slice_fill_copy(base64::decoded_len_estimate(dense.len()), 0);
    match STANDARD.decode_slice(dense, octets) {
        Ok(length) => Ok(&octets[..length]),
        Err(_) => {
            Err("expected groups of four base64 characters, the last one padded with `=`".into())
        }
    }
}

/// Canonical: upper case.
pub(super) fn write_hex<'a>(octets: &[u8], arena: &'a Arena) -> &'a str {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let mut out = bumpalo::collections::String::with_capacity_in(octets.len() * 2, arena);
    for octet in octets {
        out.push(char::from(DIGITS[usize::from(octet >> 4)]));
        out.push(char::from(DIGITS[usize::from(octet & 15)]));
    }
    out.into_bump_str()
}

/// Canonical: without blanks.
pub(super) fn write_base64<'a>(octets: &[u8], arena: &'a Arena) -> &'a str {
    arena.alloc_str(&STANDARD.encode(octets))
}
