//! Named units, and the only code that prints or reads them.

use std::fmt;
use std::time::Duration;

/// A time in microseconds, printed in the unit that keeps three significant digits.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Micros(pub f64);

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let us = self.0;
        let text = if us.abs() < 999.5 {
            format!("{} us", three_digits(us))
        } else if us.abs() < 999_500.0 {
            format!("{} ms", three_digits(us / 1e3))
        } else {
            format!("{} s", three_digits(us / 1e6))
        };
        f.pad(&text)
    }
}

/// A number of bytes, printed in binary multiples; negative where a difference is meant.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Bytes(pub f64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}{}", if self.0 < 0.0 { "-" } else { "" }, bytes(self.0.abs(), " ")))
    }
}

/// A difference in bytes with its sign always shown and no space, for lines meant to be searched.
#[derive(Clone, Copy, Debug)]
pub struct BytesDelta(pub i64);

impl fmt::Display for BytesDelta {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { '-' } else { '+' };
        f.pad(&format!("{sign}{}", bytes(self.0.unsigned_abs() as f64, "")))
    }
}

/// A count with its thousands set apart.
#[derive(Clone, Copy, Debug)]
pub struct Count(pub u64);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.0.to_string();
        let mut text = String::with_capacity(digits.len() + digits.len() / 3);
        for (i, digit) in digits.chars().enumerate() {
            if i > 0 && (digits.len() - i).is_multiple_of(3) {
                text.push(',');
            }
            text.push(digit);
        }
        f.pad(&text)
    }
}

/// A rate per second.
#[derive(Clone, Copy, Debug)]
pub struct PerSecond(pub f64);

impl fmt::Display for PerSecond {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = if self.0 >= 1000.0 {
            Count(self.0.round() as u64).to_string()
        } else {
            three_digits(self.0)
        };
        f.pad(&text)
    }
}

/// A length of time in seconds, printed as `1h40m`, `10m`, `59.2s`; tenths up to two minutes.
#[derive(Clone, Copy, Debug)]
pub struct Seconds(pub f64);

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = self.0.round() as u64;
        let text = if self.0 < 119.95 {
            let tenths = (self.0 * 10.0).round() / 10.0;
            format!("{tenths}s")
        } else {
            let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
            let mut text = String::new();
            for (value, unit) in [(hours, 'h'), (minutes, 'm'), (seconds, 's')] {
                if value > 0 {
                    text.push_str(&format!("{value}{unit}"));
                }
            }
            text
        };
        f.pad(&text)
    }
}

/// Three significant digits without an exponent.
pub fn three_digits(value: f64) -> String {
    let size = value.abs();
    if size >= 99.95 {
        format!("{value:.0}")
    } else if size >= 9.995 {
        format!("{value:.1}")
    } else {
        format!("{value:.2}")
    }
}

fn bytes(size: f64, gap: &str) -> String {
    const STEPS: [(f64, &str); 4] =
        [(1024.0 * 1024.0 * 1024.0, "GiB"), (1024.0 * 1024.0, "MiB"), (1024.0, "KiB"), (1.0, "B")];
    for (step, name) in STEPS {
        if size >= step {
            let text = if step == 1.0 { format!("{size:.0}") } else { three_digits(size / step) };
            return format!("{text}{gap}{name}");
        }
    }
    if size == 0.0 { format!("0{gap}B") } else { format!("{}{gap}B", three_digits(size)) }
}

/// Reads `90s`, `10m`, `1h30m`, `500ms`. Refuses a number without a unit, zero, and anything else.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let hint = "give a number with a unit, such as 90s, 10m, 1h or 1h30m";
    let mut rest = text.trim();
    if rest.is_empty() {
        return Err(format!("an empty duration; {hint}"));
    }
    let mut total = Duration::ZERO;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (number, tail) = rest.split_at(digits);
        let letters = tail.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(tail.len());
        let (unit, tail) = tail.split_at(letters);
        let value: u64 =
            number.parse().map_err(|_| format!("`{text}` is not a duration; {hint}"))?;
        let millis = match unit {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            "" => return Err(format!("`{text}` has no unit; {hint}")),
            _ => return Err(format!("`{unit}` is not a unit of time; {hint}")),
        };
        total = value
            .checked_mul(millis)
            .and_then(|ms| total.checked_add(Duration::from_millis(ms)))
            .ok_or_else(|| format!("`{text}` is too long"))?;
        rest = tail;
    }
    if total.is_zero() { Err(format!("`{text}` is no time at all; {hint}")) } else { Ok(total) }
}

/// A duration in whole seconds.
pub fn parse_seconds(text: &str) -> Result<Duration, String> {
    let time = parse_duration(text)?;
    if time.subsec_nanos() == 0 {
        Ok(time)
    } else {
        Err("give whole seconds, such as 90s".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_keep_three_digits() {
        let shown: Vec<String> = [0.0, 4.56, 999.4, 999.6, 12_345.0, 999_499.0, 1_004_774_000.0]
            .map(|us| Micros(us).to_string())
            .into();
        assert_eq!(
            shown,
            ["0.00 us", "4.56 us", "999 us", "1.00 ms", "12.3 ms", "999 ms", "1005 s"]
        );
    }

    #[test]
    fn bytes_and_counts_read_well() {
        assert_eq!(Bytes(0.0).to_string(), "0 B");
        assert_eq!(Bytes(-1536.0).to_string(), "-1.50 KiB");
        assert_eq!(BytesDelta(1_310_720).to_string(), "+1.25MiB");
        assert_eq!(BytesDelta(-12).to_string(), "-12B");
        assert_eq!(Count(1_256_834_239).to_string(), "1,256,834,239");
        assert_eq!(Count(999).to_string(), "999");
        assert_eq!(PerSecond(48.96).to_string(), "49.0");
    }

    #[test]
    fn lengths_read_as_people_say_them() {
        let shown: Vec<String> =
            [0.0, 59.24, 60.0, 6000.0, 3600.0].map(|s| Seconds(s).to_string()).into();
        assert_eq!(shown, ["0s", "59.2s", "60s", "1h40m", "1h"]);
    }

    #[test]
    fn durations_are_read_with_their_units() {
        assert_eq!(parse_duration("6000s"), Ok(Duration::from_secs(6000)));
        assert_eq!(parse_duration("1h30m"), Ok(Duration::from_secs(5400)));
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
    }

    #[test]
    fn a_bad_duration_says_what_to_write() {
        for text in [
            "",
            "10",
            "s",
            "5x",
            "-3s",
            "1.5h",
            "0s",
            "99999999999999999999s",
            "999999999999999999h",
        ] {
            let error = parse_duration(text).expect_err(text);
            assert!(
                error.contains("give a number with a unit") || error.contains("too long"),
                "{text}: {error}"
            );
        }
    }
}
