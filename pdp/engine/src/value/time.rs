//! Times, dates and points in time (XML Schema part 2 sections 3.2.7 to 3.2.9).
//!
//! Bounds: years have at most nine digits; of a fraction of a second the first nine digits count,
//! so two times that differ below a nanosecond are equal. The calendar is the proleptic Gregorian
//! one, with a year 0000 before the year 0001 (XML Schema 1.1).

use std::fmt::{self, Write};

use super::DayTimeDuration;
use super::calendar::{civil, days, days_in_month};
use super::error::Parsed;

/// Nanoseconds in a second.
pub(crate) const NANOS: u64 = 1_000_000_000;
/// Nanoseconds in a day.
pub(crate) const DAY_NANOS: u64 = 86_400 * NANOS;

const DAY: i64 = 86_400;
const MAX_YEAR: i64 = 999_999_999;

/// A point on the time line, or in the day, with the zone it was written in.
#[derive(Clone, Copy, Debug)]
pub struct DateTime {
    /// Seconds since 1970-01-01T00:00:00 on the clock of the zone it was written in.
    pub local_seconds: i64,
    /// Nanoseconds within the second.
    pub nanos: u32,
    /// Minutes east of UTC; none: the implicit zone.
    pub zone: Option<i16>,
}

/// A date: the start of that day.
#[derive(Clone, Copy, Debug)]
pub struct Date(pub DateTime);

/// A time of day: its seconds are those since midnight.
///
/// Two times compare as points of one day, so that 08:00+09:00 is a day before 23:00Z (XQuery
/// functions and operators, section 10.4).
#[derive(Clone, Copy, Debug)]
pub struct Time(pub DateTime);

impl DateTime {
    /// A point in time, `nanos` after so many seconds since 1970, in UTC.
    pub const fn utc(seconds: i64, nanos: u32) -> Self {
        Self { local_seconds: seconds, nanos, zone: Some(0) }
    }

    pub(super) fn parse(text: &str) -> Parsed<Self> {
        let mut cursor = Cursor(text.as_bytes());
        let days = cursor.date()?;
        cursor.expect(b'T', "expected `T` between date and time")?;
        let (seconds, nanos) = cursor.time()?;
        let zone = cursor.zone()?;
        Ok(Self { local_seconds: days * DAY + seconds, nanos, zone })
    }

    /// Seconds since 1970 in UTC, and nanoseconds.
    #[inline]
    pub fn instant(self, implicit_zone: i16) -> (i64, u32) {
        let zone = self.zone.unwrap_or(implicit_zone);
        (self.local_seconds - i64::from(zone) * 60, self.nanos)
    }

    /// The point in time that is a duration later, in the same zone; none beyond the last year.
    pub fn add_duration(self, duration: DayTimeDuration) -> Option<Self> {
        let nanos = self.nanos + duration.nanos; // both below a thousand million
        let carry = nanos / 1_000_000_000;
        let seconds =
            self.local_seconds.checked_add(duration.seconds)?.checked_add(i64::from(carry))?;
        let (year, ..) = civil(seconds.div_euclid(DAY));
        (year.abs() <= MAX_YEAR).then_some(Self {
            local_seconds: seconds,
            nanos: nanos % 1_000_000_000,
            zone: self.zone,
        })
    }

    /// The point in time so many months later, in the same zone, on the last day of the month where
    /// the month is too short; none beyond the last year.
    pub fn add_months(self, months: i64) -> Option<Self> {
        let (year, month, day) = civil(self.local_seconds.div_euclid(DAY));
        let months = (year * 12 + i64::from(month) - 1).checked_add(months)?;
        let (year, month) = (months.div_euclid(12), months.rem_euclid(12) + 1);
        if year.abs() > MAX_YEAR {
            return None;
        }
        let month = u8::try_from(month).ok()?;
        let days = days(year, month, day.min(days_in_month(year, month)));
        Some(Self {
            local_seconds: days * DAY + self.local_seconds.rem_euclid(DAY),
            nanos: self.nanos,
            zone: self.zone,
        })
    }

    /// The canonical form: in UTC where a zone is known, no zeros at the end of the fraction.
    pub(super) fn write(self, out: &mut impl Write) -> fmt::Result {
        let (seconds, nanos) = self.instant(0);
        write_date(seconds.div_euclid(DAY), out)?;
        out.write_char('T')?;
        write_time(seconds.rem_euclid(DAY), nanos, out)?;
        if self.zone.is_some() { out.write_char('Z') } else { Ok(()) }
    }
}

impl Date {
    pub(super) fn parse(text: &str) -> Parsed<Self> {
        let mut cursor = Cursor(text.as_bytes());
        let days = cursor.date()?;
        let zone = cursor.zone()?;
        Ok(Self(DateTime { local_seconds: days * DAY, nanos: 0, zone }))
    }

    /// The date so many months later, see [`DateTime::add_months`].
    pub fn add_months(self, months: i64) -> Option<Self> {
        self.0.add_months(months).map(Self)
    }

    /// The canonical form: the same 24 hours, named with a zone between -11:59 and +12:00.
    pub(super) fn write(self, out: &mut impl Write) -> fmt::Result {
        let days = self.0.local_seconds.div_euclid(DAY);
        match self.0.zone {
            None => write_date(days, out),
            Some(zone) if zone > 720 => write_date(days - 1, out).and(write_zone(zone - 1440, out)),
            Some(zone) if zone < -719 => {
                write_date(days + 1, out).and(write_zone(zone + 1440, out))
            }
            Some(zone) => write_date(days, out).and(write_zone(zone, out)),
        }
    }
}

impl Time {
    pub(super) fn parse(text: &str) -> Parsed<Self> {
        let mut cursor = Cursor(text.as_bytes());
        let (seconds, nanos) = cursor.time()?;
        let zone = cursor.zone()?;
        // 24:00:00 is midnight, and a time has no day to carry it into.
        Ok(Self(DateTime { local_seconds: seconds % DAY, nanos, zone }))
    }

    /// Nanoseconds since midnight in UTC, the zone being `zone` where it has none.
    pub fn nanos_of_day(self, zone: i16) -> u64 {
        let (seconds, nanos) = self.0.instant(zone);
        seconds.rem_euclid(DAY).unsigned_abs() * NANOS + u64::from(nanos)
    }

    /// The canonical form: in UTC where a zone is known.
    pub(super) fn write(self, out: &mut impl Write) -> fmt::Result {
        let (seconds, nanos) = self.0.instant(0);
        write_time(seconds.rem_euclid(DAY), nanos, out)?;
        if self.0.zone.is_some() { out.write_char('Z') } else { Ok(()) }
    }
}

/// What is left to read.
struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn expect(&mut self, byte: u8, otherwise: &'static str) -> Parsed<()> {
        match self.0.split_first() {
            Some((&first, rest)) if first == byte => {
                self.0 = rest;
                Ok(())
            }
            _ => Err(otherwise.into()),
        }
    }

    /// Exactly two digits.
    fn two(&mut self, what: &'static str) -> Parsed<i64> {
        match self.0 {
            [a, b, rest @ ..] if a.is_ascii_digit() && b.is_ascii_digit() => {
                self.0 = rest;
                Ok(i64::from((a - b'0') * 10 + (b - b'0')))
            }
            _ => Err(format!("expected two digits for the {what}").into()),
        }
    }

    /// A date as days since 1970-01-01.
    fn date(&mut self) -> Parsed<i64> {
        let negative = self.0.first() == Some(&b'-');
        if negative {
            self.0 = &self.0[1..];
        }
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count < 4 {
            return Err("expected a year of at least four digits, as in 2024-01-31".into());
        }
        if count > 4 && self.0[0] == b'0' {
            return Err("a year of more than four digits does not begin with 0".into());
        }
        if count > 9 {
            return Err(format!("the year has {count} digits, the limit is 9").into());
        }
        let year = self.0[..count].iter().fold(0, |n, byte| n * 10 + i64::from(byte - b'0'));
        let year = if negative { -year } else { year };
        self.0 = &self.0[count..];
        self.expect(b'-', "expected `-` after the year")?;
        let month = self.two("month")?;
        if !(1..=12).contains(&month) {
            return Err("the month must be between 01 and 12".into());
        }
        self.expect(b'-', "expected `-` after the month")?;
        let day = self.two("day")?;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // two digits
        let (month, day) = (month as u8, day as u8);
        let last = days_in_month(year, month);
        if !(1..=last).contains(&day) {
            return Err(format!("the day must be between 01 and {last}").into());
        }
        Ok(days(year, month, day))
    }

    /// A time as seconds since midnight (86,400 for 24:00:00) and nanoseconds.
    fn time(&mut self) -> Parsed<(i64, u32)> {
        let hour = self.two("hour")?;
        self.expect(b':', "expected `:` after the hour")?;
        let minute = self.two("minute")?;
        self.expect(b':', "expected `:` and seconds after the minute")?;
        let second = self.two("second")?;
        let mut nanos = 0;
        let mut fraction = false;
        if self.0.first() == Some(&b'.') {
            let digits = self.0[1..].iter().take_while(|byte| byte.is_ascii_digit()).count();
            if digits == 0 {
                return Err("expected digits after the decimal point".into());
            }
            nanos = nanoseconds(&self.0[1..=digits]);
            fraction = self.0[1..=digits].iter().any(|byte| *byte != b'0');
            self.0 = &self.0[1 + digits..];
        }
        let midnight = hour == 24 && minute == 0 && second == 0 && !fraction;
        if (hour > 23 && !midnight) || minute > 59 || second > 59 {
            return Err("the time must be between 00:00:00 and 24:00:00".into());
        }
        Ok((hour * 3600 + minute * 60 + second, nanos))
    }

    /// An optional zone, then the end.
    fn zone(&mut self) -> Parsed<Option<i16>> {
        let sign = match self.0 {
            [] => return Ok(None),
            [b'Z'] => return Ok(Some(0)),
            [b'+', ..] => 1,
            [b'-', ..] => -1,
            _ => return Err("expected a zone (`Z`, `+hh:mm`, `-hh:mm`) or nothing after it".into()),
        };
        self.0 = &self.0[1..];
        let hour = self.two("hour of the zone")?;
        self.expect(b':', "expected `:` in the zone")?;
        let minute = self.two("minute of the zone")?;
        if minute > 59 || hour * 60 + minute > 840 {
            return Err("the zone must be between -14:00 and +14:00".into());
        }
        if !self.0.is_empty() {
            return Err("expected nothing after the zone".into());
        }
        Ok(i16::try_from(sign * (hour * 60 + minute)).ok())
    }
}

/// The first nine digits of a fraction.
pub(super) fn nanoseconds(digits: &[u8]) -> u32 {
    (0..9).fold(0, |n, at| n * 10 + digits.get(at).map_or(0, |digit| u32::from(digit - b'0')))
}

/// A fraction without zeros at its end, with its point; nothing for zero.
pub(super) fn write_fraction(nanos: u32, out: &mut impl Write) -> fmt::Result {
    if nanos == 0 {
        return Ok(());
    }
    let (mut digits, mut width) = (nanos, 9);
    while digits % 10 == 0 {
        digits /= 10;
        width -= 1;
    }
    write!(out, ".{digits:0width$}")
}

fn write_date(days: i64, out: &mut impl Write) -> fmt::Result {
    let (year, month, day) = civil(days);
    let sign = if year < 0 { "-" } else { "" };
    write!(out, "{sign}{:04}-{month:02}-{day:02}", year.abs())
}

fn write_time(seconds: i64, nanos: u32, out: &mut impl Write) -> fmt::Result {
    write!(out, "{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)?;
    write_fraction(nanos, out)
}

fn write_zone(minutes: i16, out: &mut impl Write) -> fmt::Result {
    if minutes == 0 {
        return out.write_char('Z');
    }
    let sign = if minutes < 0 { '-' } else { '+' };
    write!(out, "{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn month_ends() {
        let month_later = |text: &str, months| {
            let mut out = String::new();
            let date = Date::parse(text).expect(text).add_months(months).expect("in range");
            date.write(&mut out).expect("writing to a string");
            out
        };
        assert_eq!(month_later("2004-01-31", 1), "2004-02-29");
        assert_eq!(month_later("2003-01-31", 1), "2003-02-28");
        assert_eq!(month_later("2004-03-31", -1), "2004-02-29");
        assert_eq!(month_later("2004-02-29", 12), "2005-02-28");
        assert_eq!(month_later("0001-01-15", -1), "0000-12-15");
        assert_eq!(month_later("-0001-01-15", 24), "0001-01-15");
        assert!(Date::parse("999999999-12-31").expect("last").add_months(1).is_none());
        assert!(Date::parse("2000-01-01").expect("a date").add_months(i64::MAX).is_none());
    }
}
