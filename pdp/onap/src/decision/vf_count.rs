//! The number of VF modules, as Java's `Integer.decode` reads it.

/// A 32 bit integer: sign, then decimal, `0x` or `#` for base 16, a leading `0` for base 8.
pub(super) fn decode(text: &str) -> Option<i32> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'#', ..] => (16, &digits[1..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    // A second sign would be taken by the library.
    if !digits.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    let value = i64::from_str_radix(digits, radix).ok()?;
    i32::try_from(if negative { -value } else { value }).ok()
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn literals_are_java_s() {
        for (text, expected) in [
            ("0", Some(0)),
            ("12", Some(12)),
            ("+7", Some(7)),
            ("-7", Some(-7)),
            ("0x1F", Some(31)),
            ("-0X1f", Some(-31)),
            ("#ff", Some(255)),
            ("-#10", Some(-16)),
            ("010", Some(8)),
            ("2147483647", Some(i32::MAX)),
            ("-2147483648", Some(i32::MIN)),
            ("2147483648", None),
            ("08", None),
            ("0x", None),
            ("0x-1", None),
            ("--1", None),
            ("+", None),
            ("", None),
            (" 1", None),
            ("1.5", None),
            ("six", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(decode(text), expected, "{text}");
        }
    }
}
