//! Durations: in seconds, and in months (XML Schema 1.1 part 2 sections 3.4.26 and 3.4.27).

use std::fmt::{self, Write};

use super::error::Parsed;
use super::time::{nanoseconds, write_fraction};

/// A duration in seconds. Bound: 64 bits of seconds, and nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DayTimeDuration {
    /// Whole seconds, rounded toward the past.
    pub seconds: i64,
    /// Nanoseconds after them: below a thousand million.
    pub nanos: u32,
}

/// A duration in months.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct YearMonthDuration {
    /// Months.
    pub months: i64,
}

const TOO_LONG: &str = "the duration is longer than 64 bits can hold";

impl DayTimeDuration {
    /// The same length into the other direction; none where 64 bits cannot hold it.
    pub fn checked_neg(self) -> Option<Self> {
        if self.nanos == 0 {
            Some(Self { seconds: self.seconds.checked_neg()?, nanos: 0 })
        } else {
            // -(s + n) = (-s - 1) + (1 - n), and -s - 1 is the complement of s
            Some(Self { seconds: !self.seconds, nanos: 1_000_000_000 - self.nanos })
        }
    }

    pub(super) fn parse(text: &str) -> Parsed<Self> {
        const EXPECTED: &str = "expected a form such as `P1DT2H3M4.5S` or `-PT20M`";
        let (negative, mut rest) = start(text).ok_or(EXPECTED)?;
        let mut seconds = 0_i64;
        let mut nanos = 0;
        let mut time = false;
        // Each unit may follow only what is longer than it.
        let mut last = 0;
        let mut empty = true;
        loop {
            match rest {
                [] => break,
                [b'T', tail @ ..] if !time => {
                    (time, empty, rest) = (true, true, tail);
                    continue;
                }
                _ => {}
            }
            let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let (digits, tail) = rest.split_at(count);
            let (fraction, tail) = match tail {
                [b'.', tail @ ..] => {
                    let count = tail.iter().take_while(|byte| byte.is_ascii_digit()).count();
                    if count == 0 {
                        return Err(EXPECTED.into());
                    }
                    let (fraction, tail) = tail.split_at(count);
                    (Some(fraction), tail)
                }
                _ => (None, tail),
            };
            let (rank, unit) = match (tail.first(), time, fraction) {
                (Some(b'D'), false, None) => (1, 86_400),
                (Some(b'H'), true, None) => (2, 3600),
                (Some(b'M'), true, None) => (3, 60),
                (Some(b'S'), true, _) => (4, 1),
                _ => return Err(EXPECTED.into()),
            };
            if count == 0 || rank <= last {
                return Err(EXPECTED.into());
            }
            nanos = fraction.map_or(0, nanoseconds);
            seconds = number(digits)
                .and_then(|n| n.checked_mul(unit))
                .and_then(|n| n.checked_add(seconds))
                .ok_or(TOO_LONG)?;
            (last, empty, rest) = (rank, false, &tail[1..]);
        }
        if empty {
            return Err(EXPECTED.into());
        }
        let duration = Self { seconds, nanos };
        if negative { duration.checked_neg().ok_or_else(|| TOO_LONG.into()) } else { Ok(duration) }
    }

    /// The canonical form: days, then hours, minutes and seconds below their limits.
    pub(super) fn write(self, out: &mut impl Write) -> fmt::Result {
        let (seconds, nanos) = if self.seconds < 0 {
            out.write_char('-')?;
            let borrow = u64::from(self.nanos > 0);
            (self.seconds.unsigned_abs() - borrow, (1_000_000_000 - self.nanos) % 1_000_000_000)
        } else {
            (self.seconds.unsigned_abs(), self.nanos)
        };
        if seconds == 0 && nanos == 0 {
            return out.write_str("PT0S");
        }
        out.write_char('P')?;
        let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
        if days > 0 {
            write!(out, "{days}D")?;
        }
        if seconds % 86_400 == 0 && nanos == 0 {
            return Ok(());
        }
        out.write_char('T')?;
        if hours > 0 {
            write!(out, "{hours}H")?;
        }
        if minutes > 0 {
            write!(out, "{minutes}M")?;
        }
        if seconds % 60 > 0 || nanos > 0 {
            write!(out, "{}", seconds % 60)?;
            write_fraction(nanos, out)?;
            out.write_char('S')?;
        }
        Ok(())
    }
}

impl YearMonthDuration {
    pub(super) fn parse(text: &str) -> Parsed<Self> {
        const EXPECTED: &str = "expected a form such as `P1Y2M` or `-P20M`";
        let (negative, mut rest) = start(text).ok_or(EXPECTED)?;
        let mut months = 0_i64;
        let mut last = 0;
        while !rest.is_empty() {
            let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let (digits, tail) = rest.split_at(count);
            let (rank, unit) = match tail.first() {
                Some(b'Y') => (1, 12),
                Some(b'M') => (2, 1),
                _ => return Err(EXPECTED.into()),
            };
            if count == 0 || rank <= last {
                return Err(EXPECTED.into());
            }
            months = number(digits)
                .and_then(|n| n.checked_mul(unit))
                .and_then(|n| n.checked_add(months))
                .ok_or(TOO_LONG)?;
            (last, rest) = (rank, &tail[1..]);
        }
        if last == 0 {
            return Err(EXPECTED.into());
        }
        Ok(Self { months: if negative { -months } else { months } })
    }

    /// The canonical form: years, then months below twelve.
    pub(super) fn write(self, out: &mut impl Write) -> fmt::Result {
        if self.months < 0 {
            out.write_char('-')?;
        }
        let months = self.months.unsigned_abs();
        out.write_char('P')?;
        if months >= 12 {
            write!(out, "{}Y", months / 12)?;
        }
        if !months.is_multiple_of(12) || months == 0 {
            write!(out, "{}M", months % 12)?;
        }
        Ok(())
    }
}

/// The sign, and what follows the `P`.
fn start(text: &str) -> Option<(bool, &[u8])> {
    match text.as_bytes() {
        [b'-', b'P', rest @ ..] => Some((true, rest)),
        [b'P', rest @ ..] => Some((false, rest)),
        _ => None,
    }
}

/// Digits as a number; none where 64 bits cannot hold it.
fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0_i64, |n, byte| n.checked_mul(10)?.checked_add(i64::from(byte - b'0')))
}
