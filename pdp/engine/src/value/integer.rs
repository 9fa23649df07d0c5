//! Integers without bound (XACML 3.0 section 10.2.7, XML Schema part 2 section 3.3.13).
//!
//! What fits 64 bits is computed there, with checks; only what overflows goes through big numbers.
//! The number of digits is bounded by [`MAX_INTEGER_DIGITS`], because the time that arithmetic takes
//! grows faster than the text.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_traits::{FromPrimitive, ToPrimitive, Zero};

use super::Arena;
use super::error::Parsed;

/// The most digits that an integer may have.
pub const MAX_INTEGER_DIGITS: usize = 10_000;

/// An integer. Small ones are held as such; larger ones as canonical decimal text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Integer<'a> {
    /// Fits 64 bits.
    Small(i64),
    /// Beyond 64 bits: sign where negative, then digits without leading zero.
    Big(&'a str),
}

/// A result has more digits than [`MAX_INTEGER_DIGITS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntegerLimit {
    /// How many digits it would have, at least.
    pub digits: usize,
}

impl<'a> Integer<'a> {
    /// Reads an optional sign and digits.
    pub(super) fn parse(text: &'a str, arena: &'a Arena) -> Parsed<Self> {
        if let Some(small) = parse_small(text.as_bytes()) {
            return Ok(Self::Small(small));
        }
        let (negative, digits) = match text.as_bytes() {
            [b'-', ..] => (true, &text[1..]),
            [b'+', ..] => (false, &text[1..]),
            _ => (false, text),
        };
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err("expected an optional sign and decimal digits".into());
        }
        let digits = digits.trim_start_matches('0');
        if digits.len() > MAX_INTEGER_DIGITS {
            return Err(format!(
                "it has {} digits, the limit is {MAX_INTEGER_DIGITS}",
                digits.len()
            )
            .into());
        }
        if digits.len() <= 19 {
            // At most 19 digits: parsed as 128 bits without overflow.
            let magnitude = digits.bytes().fold(0_i128, |n, byte| n * 10 + i128::from(byte - b'0'));
            let value = if negative { -magnitude } else { magnitude };
            if let Ok(small) = i64::try_from(value) {
                return Ok(Self::Small(small));
            }
        }
        Ok(Self::Big(match (negative, text.as_bytes()[0]) {
            (true, _) if text.len() == digits.len() + 1 => text,
            (true, _) => bumpalo::format!(in arena, "-{digits}",).into_bump_str(),
            (false, _) => digits,
        }))
    }

    fn big(self) -> BigInt {
        match self {
            Self::Small(value) => BigInt::from(value),
            Self::Big(text) => text.parse().unwrap_or_default(), // canonical digits always parse
        }
    }

    fn from_big(value: &BigInt, arena: &'a Arena) -> Result<Self, IntegerLimit> {
        if let Some(small) = value.to_i64() {
            return Ok(Self::Small(small));
        }
        // Bits to digits, rounded down: refuse before the text is made.
        let at_least = usize::try_from(value.bits()).unwrap_or(usize::MAX) / 4;
        if at_least > MAX_INTEGER_DIGITS {
            return Err(IntegerLimit { digits: at_least });
        }
        let text = value.to_string();
        let digits = text.trim_start_matches('-').len();
        if digits > MAX_INTEGER_DIGITS {
            return Err(IntegerLimit { digits });
        }
        Ok(Self::Big(arena.alloc_str(&text)))
    }

    /// How many digits it has, as a measure of what computing with it costs.
    pub fn digits(self) -> usize {
        match self {
            Self::Small(_) => 1,
            Self::Big(text) => text.len(),
        }
    }

    /// The sum.
    ///
    /// # Errors
    /// The result has too many digits.
    #[inline]
    pub fn add(self, other: Self, arena: &'a Arena) -> Result<Self, IntegerLimit> {
        if let (Self::Small(a), Self::Small(b)) = (self, other)
            && let Some(sum) = a.checked_add(b)
        {
            return Ok(Self::Small(sum));
        }
        Self::from_big(&(self.big() + other.big()), arena)
    }

    /// The difference.
    ///
    /// # Errors
    /// The result has too many digits.
    #[inline]
    pub fn subtract(self, other: Self, arena: &'a Arena) -> Result<Self, IntegerLimit> {
        if let (Self::Small(a), Self::Small(b)) = (self, other)
            && let Some(difference) = a.checked_sub(b)
        {
            return Ok(Self::Small(difference));
        }
        Self::from_big(&(self.big() - other.big()), arena)
    }

    /// The product.
    ///
    /// # Errors
    /// The result has too many digits.
    #[inline]
    pub fn multiply(self, other: Self, arena: &'a Arena) -> Result<Self, IntegerLimit> {
        if let (Self::Small(a), Self::Small(b)) = (self, other)
            && let Some(product) = a.checked_mul(b)
        {
            return Ok(Self::Small(product));
        }
        Self::from_big(&(self.big() * other.big()), arena)
    }

    /// The quotient, truncated toward zero; none where the divisor is zero.
    pub fn divide(self, other: Self, arena: &'a Arena) -> Option<Self> {
        if let (Self::Small(a), Self::Small(b)) = (self, other)
            && let Some(quotient) = a.checked_div(b)
        {
            return Some(Self::Small(quotient));
        }
        let divisor = other.big();
        if divisor.is_zero() {
            return None;
        }
        Self::from_big(&(self.big() / divisor), arena).ok() // never longer than the dividend
    }

    /// The remainder, with the sign of the dividend; none where the divisor is zero.
    pub fn remainder(self, other: Self, arena: &'a Arena) -> Option<Self> {
        if let (Self::Small(a), Self::Small(b)) = (self, other)
            && let Some(remainder) = a.checked_rem(b)
        {
            return Some(Self::Small(remainder));
        }
        let divisor = other.big();
        if divisor.is_zero() {
            return None;
        }
        Self::from_big(&(self.big() % divisor), arena).ok() // never longer than the dividend
    }

    /// Without its sign.
    pub fn abs(self, arena: &'a Arena) -> Self {
        match self {
            Self::Small(value) => match value.checked_abs() {
                Some(value) => Self::Small(value),
                None => Self::Big(arena.alloc_str(&value.unsigned_abs().to_string())),
            },
            Self::Big(text) => Self::Big(text.strip_prefix('-').unwrap_or(text)),
        }
    }

    /// The nearest double; infinite beyond the largest.
    pub fn to_double(self) -> f64 {
        match self {
            #[allow(clippy::cast_precision_loss)] // rounds to the nearest, as IEEE 754 wants
            Self::Small(value) => value as f64,
            Self::Big(text) => text.parse().unwrap_or(f64::NAN), // digits always parse
        }
    }

    /// A double without its fraction; none for infinities and NaN.
    pub fn from_double(value: f64, arena: &'a Arena) -> Option<Self> {
        let whole = value.trunc();
        // Both bounds are exact doubles; the upper one is 2^63, which does not fit.
        if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&whole) {
            #[allow(clippy::cast_possible_truncation)] // in range and whole
            return Some(Self::Small(whole as i64));
        }
        Self::from_big(&BigInt::from_f64(whole)?, arena).ok()
    }

    /// Its canonical text.
    pub fn text(self, arena: &'a Arena) -> &'a str {
        match self {
            Self::Small(value) => arena.alloc_str(itoa::Buffer::new().format(value)),
            Self::Big(text) => text,
        }
    }

    /// Numeric order.
    #[inline]
    pub fn compare(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Small(a), Self::Small(b)) => a.cmp(&b),
            (Self::Small(_), Self::Big(b)) => sign(b).reverse(),
            (Self::Big(a), Self::Small(_)) => sign(a),
            (Self::Big(a), Self::Big(b)) => {
                let order = (a.len(), a).cmp(&(b.len(), b));
                match (sign(a), sign(b)) {
                    (Ordering::Greater, Ordering::Greater) => order,
                    (Ordering::Less, Ordering::Less) => order.reverse(),
                    (a, _) => a,
                }
            }
        }
    }
}

/// The sign of a canonical text beyond 64 bits, as its order relative to all small integers.
fn sign(text: &str) -> Ordering {
    if text.starts_with('-') { Ordering::Less } else { Ordering::Greater }
}

/// Up to 18 digits with an optional sign: the common case, without overflow.
#[inline]
fn parse_small(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut value = 0_i64;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + i64::from(digit);
    }
    Some(if negative { -value } else { value })
}
