//! Conversions between the basic types (XPath 1.0 sections 3.5 and 4.2 to 4.4).

use std::fmt::Write as _;

use super::text::is_space;
use crate::value::Arena;

/// A count as a number. Counts are far below 2^53.
#[allow(clippy::cast_precision_loss)]
pub(super) const fn count(count: usize) -> f64 {
    count as f64
}

pub(super) fn number_to_boolean(number: f64) -> bool {
    number != 0.0 && !number.is_nan()
}

pub(super) const fn boolean_to_number(boolean: bool) -> f64 {
    if boolean { 1.0 } else { 0.0 }
}

/// White space around, a minus sign, digits with a point: no other text is a number.
pub(super) fn text_to_number(text: &str) -> f64 {
    let text = text.trim_matches([' ', '\t', '\n', '\r']);
    let digits = text.strip_prefix('-').unwrap_or(text);
    let mut points = 0;
    let plain = digits.bytes().all(|byte| {
        points += usize::from(byte == b'.');
        byte.is_ascii_digit() || byte == b'.'
    });
    if plain && points <= 1 { text.parse().unwrap_or(f64::NAN) } else { f64::NAN }
}

/// Decimal without exponent, as many digits as tell it from other numbers.
pub(super) fn number_to_text(number: f64, arena: &Arena) -> &str {
    if number.is_nan() {
        return "NaN";
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity" } else { "-Infinity" };
    }
    if number == 0.0 {
        return "0"; // of either sign
    }
    let mut text = bumpalo::collections::String::new_in(arena);
    let _ = write!(text, "{number}"); // writing to a string does not fail
    text.into_bump_str()
}

/// To the nearest whole number, of two the greater one (section 4.4).
pub(super) fn round(number: f64) -> f64 {
    let floor = number.floor();
    let rounded = if number - floor >= 0.5 { floor + 1.0 } else { floor };
    // Of -0.5 to -0 it is negative zero; infinities and NaN stay.
    if number.is_finite() { rounded.copysign(number) } else { number }
}

/// White space around dropped, within as one blank each (section 4.2).
pub(super) fn normalize_space<'a>(text: &'a str, arena: &'a Arena) -> &'a str {
    let bytes = text.as_bytes();
    let mut after_space = true;
    let mut normal = true;
    for byte in bytes {
        let space = is_space(*byte);
        normal &= !(space && (after_space || *byte != b' '));
        after_space = space;
    }
    if normal && (bytes.is_empty() || !after_space) {
        return text;
    }
    let mut out = bumpalo::collections::String::with_capacity_in(text.len(), arena);
    for word in text.split([' ', '\t', '\n', '\r']).filter(|word| !word.is_empty()) {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out.into_bump_str()
}

/// The characters at places from `round(from)` to before `round(from) + round(length)`, counted from
/// 1 (section 4.2).
pub(super) fn substring(text: &str, from: f64, length: Option<f64>) -> &str {
    let first = round(from);
    let end = length.map_or(f64::INFINITY, |length| first + round(length));
    let mut place = 0.0;
    let mut start = text.len();
    for (at, _) in text.char_indices() {
        place += 1.0;
        // NaN is neither before nor after anything.
        if start == text.len() && place >= first && place < end {
            start = at;
        } else if start < text.len() && place >= end {
            return &text[start..at];
        }
    }
    &text[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_numbers() {
        let arena = Arena::new();
        for (text, number, back) in [
            ("1", 1.0, "1"),
            (" \n-12.50\t", -12.5, "-12.5"),
            (".5", 0.5, "0.5"),
            ("5.", 5.0, "5"),
            ("-0", 0.0, "0"),
            ("0.1", 0.1, "0.1"),
            ("1000000000000000000000", 1e21, "1000000000000000000000"),
            ("0.0000000001", 1e-10, "0.0000000001"),
        ] {
            assert!((text_to_number(text) - number).abs() <= 0.0, "{text}");
            assert_eq!(number_to_text(text_to_number(text), &arena), back);
        }
        for wrong in
            ["", " ", "-", ".", "+1", "1e3", "0x1", "1 2", "--1", "- 1", "inf", "NaN", "1.2.3", "٣"]
        {
            assert!(text_to_number(wrong).is_nan(), "{wrong}");
        }
        assert_eq!(number_to_text(f64::NAN, &arena), "NaN");
        assert_eq!(number_to_text(f64::NEG_INFINITY, &arena), "-Infinity");
    }

    #[test]
    fn halves_are_rounded_up() {
        for (number, rounded) in [
            (2.5, 3.0),
            (-2.5, -2.0),
            (0.499_999_999_999_999_94, 0.0),
            (-0.2, -0.0),
            (-0.5, -0.0),
            (1e300, 1e300),
            (f64::INFINITY, f64::INFINITY),
        ] {
            assert_eq!(round(number).to_bits(), f64::to_bits(rounded), "{number}");
        }
        assert!(round(f64::NAN).is_nan());
    }
}
