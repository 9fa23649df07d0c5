//! Times and dates in the forms that ONAP reads: ISO 8601, seconds optional, the offset required.

use std::fmt;

use jiff::civil;
use pdp_engine::value::DateTime;

/// A time of day with offset, such as `08:00:00+05:00`.
pub(crate) fn offset_time(text: &str) -> Option<DateTime> {
    let mut cursor = Cursor { rest: text.as_bytes() };
    let (seconds, nanos) = cursor.time()?;
    let zone = cursor.offset()?;
    cursor.end()?;
    Some(DateTime { local_seconds: seconds, nanos, zone: Some(zone) })
}

/// A date and time with offset, such as `2025-06-01T08:00:00Z`.
pub(crate) fn offset_date_time(text: &str) -> Option<DateTime> {
    let mut cursor = Cursor { rest: text.as_bytes() };
    let days = cursor.date()?;
    cursor.one(b"Tt")?;
    let (seconds, nanos) = cursor.time()?;
    let zone = cursor.offset()?;
    cursor.end()?;
    Some(DateTime { local_seconds: days * 86_400 + seconds, nanos, zone: Some(zone) })
}

/// A point in time as TOSCA writes it: a date, or date and time with or without offset.
pub(crate) fn timestamp(text: &str) -> Option<DateTime> {
    let mut cursor = Cursor { rest: text.trim().as_bytes() };
    let days = cursor.date()?;
    if cursor.end().is_some() {
        return Some(DateTime { local_seconds: days * 86_400, nanos: 0, zone: None });
    }
    cursor.one(b"Tt ")?;
    let (seconds, nanos) = cursor.time()?;
    let zone = if cursor.end().is_some() { None } else { Some(cursor.offset()?) };
    cursor.end()?;
    Some(DateTime { local_seconds: days * 86_400 + seconds, nanos, zone })
}

/// A date without offset, such as `2025-06-01`.
pub(crate) fn local_date(text: &str) -> Option<DateTime> {
    let mut cursor = Cursor { rest: text.as_bytes() };
    let days = cursor.date()?;
    cursor.end()?;
    Some(DateTime { local_seconds: days * 86_400, nanos: 0, zone: None })
}

/// A zone offset by itself: `Z`, `+5`, `+05`, `+0530`, `+05:30`.
pub(crate) fn zone_offset(text: &str) -> Option<i16> {
    let mut cursor = Cursor { rest: text.as_bytes() };
    if cursor.one(b"Z").is_some() {
        return cursor.end().map(|()| 0);
    }
    let sign = if cursor.one(b"+-")? == b'-' { -1 } else { 1 };
    let hours = cursor.digits(2).or_else(|| cursor.digits(1))?;
    let minutes = match cursor.one(b":") {
        Some(_) => cursor.digits(2)?,
        None => cursor.digits(2).unwrap_or(0),
    };
    cursor.end()?;
    (minutes < 60 && hours * 60 + minutes <= 18 * 60)
        .then_some(())
        .and_then(|()| i16::try_from(sign * (hours * 60 + minutes)).ok())
}

/// Instants compare on the time line.
pub(crate) fn instant(time: &DateTime) -> (i64, u32) {
    (time.local_seconds - i64::from(time.zone.unwrap_or(0)) * 60, time.nanos)
}

/// Writes a time of day as XML Schema has it.
pub(crate) struct AsTime(pub(crate) DateTime);

impl fmt::Display for AsTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.local_seconds.rem_euclid(86_400);
        write!(f, "{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)?;
        if self.0.nanos > 0 {
            let fraction = format!("{:09}", self.0.nanos);
            write!(f, ".{}", fraction.trim_end_matches('0'))?;
        }
        match self.0.zone {
            None => Ok(()),
            Some(0) => f.write_str("Z"),
            Some(zone) => {
                let sign = if zone < 0 { '-' } else { '+' };
                write!(f, "{sign}{:02}:{:02}", zone.abs() / 60, zone.abs() % 60)
            }
        }
    }
}

/// Writes a date and time as XML Schema has it.
pub(crate) struct AsDateTime(pub(crate) DateTime);

impl fmt::Display for AsDateTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days = self.0.local_seconds.div_euclid(86_400);
        let date = i32::try_from(days)
            .ok()
            .and_then(|days| epoch().checked_add(jiff::Span::new().days(days)).ok());
        match date {
            Some(date) => write!(f, "{date}T{}", AsTime(self.0)),
            None => Err(fmt::Error),
        }
    }
}

fn epoch() -> civil::Date {
    civil::date(1970, 1, 1)
}

struct Cursor<'t> {
    rest: &'t [u8],
}

impl Cursor<'_> {
    fn end(&self) -> Option<()> {
        self.rest.is_empty().then_some(())
    }

    fn one(&mut self, allowed: &[u8]) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        allowed.contains(first).then(|| {
            self.rest = rest;
            *first
        })
    }

    /// Exactly so many digits.
    fn digits(&mut self, count: usize) -> Option<i64> {
        let (digits, rest) = self.rest.split_at_checked(count)?;
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        self.rest = rest;
        Some(digits.iter().fold(0, |value, digit| value * 10 + i64::from(digit - b'0')))
    }

    /// A date, in days since 1970-01-01.
    fn date(&mut self) -> Option<i64> {
        let year = self.digits(4)?;
        self.one(b"-")?;
        let month = self.digits(2)?;
        self.one(b"-")?;
        let day = self.digits(2)?;
        let date = civil::Date::new(
            i16::try_from(year).ok()?,
            i8::try_from(month).ok()?,
            i8::try_from(day).ok()?,
        );
        Some(i64::from(date.ok()?.since(epoch()).ok()?.get_days()))
    }

    /// A time of day, in seconds and nanoseconds.
    fn time(&mut self) -> Option<(i64, u32)> {
        let hours = self.digits(2)?;
        self.one(b":")?;
        let minutes = self.digits(2)?;
        let mut seconds = 0;
        let mut nanos = 0;
        if self.one(b":").is_some() {
            seconds = self.digits(2)?;
            if self.one(b".").is_some() {
                let digits = self.rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                if digits > 9 {
                    return None;
                }
                let fraction = self.digits(digits)?;
                nanos =
                    u32::try_from(fraction * 10_i64.pow(9 - u32::try_from(digits).ok()?)).ok()?;
            }
        }
        (hours < 24 && minutes < 60 && seconds < 60)
            .then_some((hours * 3600 + minutes * 60 + seconds, nanos))
    }

    /// An offset, in minutes east of UTC. XML Schema goes to 14 hours.
    fn offset(&mut self) -> Option<i16> {
        if self.one(b"Zz").is_some() {
            return Some(0);
        }
        let sign = if self.one(b"+-")? == b'-' { -1 } else { 1 };
        let hours = self.digits(2)?;
        self.one(b":")?;
        let minutes = self.digits(2)?;
        (minutes < 60 && hours * 60 + minutes <= 14 * 60)
            .then_some(())
            .and_then(|()| i16::try_from(sign * (hours * 60 + minutes)).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_as_java_reads_them() {
        for (text, expected) in [
            ("08:00:00Z", Some((28_800, 0, 0))),
            ("08:00+05:00", Some((28_800, 0, 300))),
            ("23:59:59.25-14:00", Some((86_399, 250_000_000, -840))),
            ("08:00:00", None),
            ("8:00:00Z", None),
            ("24:00:00Z", None),
            ("99:99:99", None),
            ("08:00:60Z", None),
            ("08:00:00+05", None),
            ("08:00:00+14:01", None),
            ("08:00:00.1234567891Z", None),
            ("08:00:00Zx", None),
            ("", None),
        ] {
            let read = offset_time(text).map(|t| (t.local_seconds, t.nanos, t.zone.unwrap_or(99)));
            assert_eq!(read, expected, "{text}");
        }
    }

    #[test]
    fn dates_are_days_and_seconds() {
        let day = local_date("1970-01-02").map(|date| date.local_seconds);
        assert_eq!(day, Some(86_400));
        assert!(local_date("2023-02-29").is_none());
        let leap = offset_date_time("2024-02-29T00:00:00Z").map(|time| time.local_seconds);
        assert_eq!(leap, Some(1_709_164_800));
    }

    #[test]
    fn written_times_are_those_of_xml_schema() {
        let check = |text: &str, expected: &str| {
            let time = offset_date_time(text).expect("it is a time");
            assert_eq!(AsDateTime(time).to_string(), expected);
        };
        check("2024-02-29T08:30Z", "2024-02-29T08:30:00Z");
        check("0001-01-01T00:00:00.5-05:30", "0001-01-01T00:00:00.5-05:30");
    }

    #[test]
    fn offsets_have_java_s_short_forms() {
        for (text, expected) in [
            ("Z", Some(0)),
            ("+5", Some(300)),
            ("-05", Some(-300)),
            ("+0530", Some(330)),
            ("+05:30", Some(330)),
            ("+18:00", Some(1080)),
            ("+18:01", None),
            ("05:00", None),
            ("", None),
        ] {
            assert_eq!(zone_offset(text), expected, "{text}");
        }
    }
}
