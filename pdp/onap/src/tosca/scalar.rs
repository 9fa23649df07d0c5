//! What a plain YAML scalar means (YAML 1.1, the rules that ONAP's reader follows).

use super::node::NodeKind;

/// The meaning of a plain scalar.
///
/// Numbers in base 60 stay text, so that `12:30:45` is a time and not 45045; so do infinities and
/// NaN, which JSON cannot hold.
pub(super) fn resolve(text: &str) -> NodeKind {
    match text.as_bytes().first() {
        None | Some(b'~') if text.len() <= 1 => NodeKind::Null,
        Some(b'0'..=b'9' | b'-' | b'+' | b'.') => {
            number(text).unwrap_or_else(|| NodeKind::Text(text.into()))
        }
        Some(b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'y' | b'Y' | b'o' | b'O')
            if text.len() <= 5 =>
        {
            word(text).unwrap_or_else(|| NodeKind::Text(text.into()))
        }
        _ => NodeKind::Text(text.into()),
    }
}

fn word(text: &str) -> Option<NodeKind> {
    match text {
        "null" | "Null" | "NULL" => Some(NodeKind::Null),
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => {
            Some(NodeKind::Boolean(true))
        }
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => {
            Some(NodeKind::Boolean(false))
        }
        _ => None,
    }
}

/// A number, where the text is one.
pub(super) fn number(text: &str) -> Option<NodeKind> {
    integer(text).or_else(|| float(text))
}

fn integer(text: &str) -> Option<NodeKind> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x', ..] => (16, &digits[2..]),
        [b'0', b'b', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        [b'0'..=b'9', ..] => (10, digits),
        _ => return None,
    };
    let mut value: i128 = 0;
    let mut any = false;
    for byte in digits.bytes().filter(|byte| *byte != b'_') {
        let digit = char::from(byte).to_digit(radix)?;
        value = value.checked_mul(i128::from(radix))?.checked_add(i128::from(digit))?;
        any = true;
    }
    let value = if negative { -value } else { value };
    match i64::try_from(value) {
        _ if !any => None,
        Ok(value) => Some(NodeKind::Integer(value)),
        // Beyond 64 bits ONAP holds doubles.
        #[allow(clippy::cast_precision_loss)]
        Err(_) => Some(NodeKind::Double(value as f64)),
    }
}

fn float(text: &str) -> Option<NodeKind> {
    let mut point = false;
    let mut exponent = false;
    let mut digits = false;
    let mut bytes = text.bytes().enumerate().peekable();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'0'..=b'9' => digits = true,
            b'_' if digits && !exponent => {}
            b'-' | b'+' if at == 0 => {}
            b'.' if !point && !exponent => point = true,
            b'e' | b'E' if digits && !exponent => {
                exponent = true;
                if let Some((_, b'-' | b'+')) = bytes.peek() {
                    bytes.next();
                }
                bytes.peek()?;
            }
            _ => return None,
        }
    }
    if !digits || !(point || exponent || text.len() > 18) {
        return None;
    }
    let value: f64 =
        if text.contains('_') { text.replace('_', "").parse().ok()? } else { text.parse().ok()? };
    value.is_finite().then_some(NodeKind::Double(value))
}
