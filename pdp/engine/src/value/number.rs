//! Booleans and doubles (XML Schema part 2 sections 3.2.2 and 3.2.5).

use std::fmt::Write as _;

use super::Arena;
use super::error::Parsed;

/// `true`, `false`, `1`, `0`.
#[inline]
pub(super) fn parse_boolean(text: &str) -> Parsed<bool> {
    match text {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err("expected `true`, `false`, `1` or `0`".into()),
    }
}

/// A decimal number with optional exponent, or `INF`, `-INF`, `NaN`.
pub(super) fn parse_double(text: &str) -> Parsed<f64> {
    match text {
        "INF" => return Ok(f64::INFINITY),
        "-INF" => return Ok(f64::NEG_INFINITY),
        "NaN" => return Ok(f64::NAN),
        _ => {}
    }
    // The standard library also reads `inf`, `nan` and the like; numbers have none of these letters.
    let numeric =
        text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E'));
    match text.parse() {
        Ok(value) if numeric => Ok(value),
        _ => {
            Err("expected a decimal number with optional exponent, or `INF`, `-INF`, `NaN`".into())
        }
    }
}

/// The canonical form of XML Schema: one digit, a point, at least one more digit, an exponent.
pub(super) fn write_double(value: f64, arena: &Arena) -> &str {
    if value.is_nan() {
        return "NaN";
    }
    if value.is_infinite() {
        return if value > 0.0 { "INF" } else { "-INF" };
    }
    let mut out = bumpalo::collections::String::with_capacity_in(32, arena);
    let _ = write!(out, "{value:E}"); // writing to a string does not fail
    let mantissa_end = out.find('E').unwrap_or(out.len());
    if !out[..mantissa_end].contains('.') {
        out.insert_str(mantissa_end, ".0");
    }
    out.into_bump_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::float_cmp)] // the very same double is meant
    fn doubles() {
        for (text, value, canonical) in [
            ("5.2", 5.2, "5.2E0"),
            ("100", 100.0, "1.0E2"),
            ("2.", 2.0, "2.0E0"),
            (".5", 0.5, "5.0E-1"),
            ("-0", -0.0, "-0.0E0"),
            ("0.0", 0.0, "0.0E0"),
            ("+1e3", 1000.0, "1.0E3"),
            ("-1.5E-7", -1.5e-7, "-1.5E-7"),
            ("INF", f64::INFINITY, "INF"),
            ("-INF", f64::NEG_INFINITY, "-INF"),
            ("1e999", f64::INFINITY, "INF"),
        ] {
            let parsed = parse_double(text).expect(text);
            assert_eq!(parsed, value, "{text}");
            assert_eq!(write_double(parsed, &Arena::new()), canonical, "{text}");
        }
        assert!(parse_double("NaN").expect("NaN").is_nan());
        for bad in [
            "", "inf", "+INF", "nan", "infinity", "1e", "e1", ".", "1,5", "0x1", "1 2", "--1", "1f",
        ] {
            assert!(parse_double(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn booleans() {
        assert_eq!(parse_boolean("1"), Ok(true));
        assert_eq!(parse_boolean("false"), Ok(false));
        for bad in ["", "True", "yes", "2", "TRUE", "00"] {
            assert!(parse_boolean(bad).is_err(), "{bad}");
        }
    }
}
