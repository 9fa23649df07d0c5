//! How long something lasts, written as people write it: `30s`, `500ms`, `31 days`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use jiff::{Span, SpanRelativeTo, Unit};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A length of time with its unit. Days have 24 hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lasting(Duration);

impl Lasting {
    /// So many seconds.
    pub const fn seconds(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }

    /// So many milliseconds.
    pub const fn millis(millis: u64) -> Self {
        Self(Duration::from_millis(millis))
    }

    /// So many days.
    pub const fn days(days: u64) -> Self {
        Self::seconds(days * 24 * 60 * 60)
    }

    /// As the standard library's type.
    pub const fn get(self) -> Duration {
        self.0
    }
}

impl FromStr for Lasting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fault =
            || format!("`{text}` is no length of time: write it as `30s`, `500ms` or `31 days`");
        let span: Span = text.parse().map_err(|_| fault())?;
        let nanos = span
            .total((Unit::Nanosecond, SpanRelativeTo::days_are_24_hours()))
            .map_err(|_| fault())?;
        Duration::try_from_secs_f64(nanos / 1e9).map(Self).map_err(|_| fault())
    }
}

impl fmt::Display for Lasting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seconds, millis) = (self.0.as_secs(), self.0.subsec_millis());
        match (seconds, millis) {
            (0, 0) => f.write_str("0s"),
            (_, 1..) => write!(f, "{}ms", self.0.as_millis()),
            (s, _) if s % 86400 == 0 => write!(f, "{}d", s / 86400),
            (s, _) if s % 3600 == 0 => write!(f, "{}h", s / 3600),
            (s, _) if s % 60 == 0 => write!(f, "{}m", s / 60),
            (s, _) => write!(f, "{s}s"),
        }
    }
}

impl JsonSchema for Lasting {
    fn schema_name() -> Cow<'static, str> {
        "Lasting".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "pattern": "^[0-9]",
            "examples": ["30s", "500ms", "31 days"],
        })
    }
}

impl Serialize for Lasting {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Lasting {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_people_write() {
        for (text, seconds) in [
            ("30s", 30.0),
            ("500ms", 0.5),
            ("31 days", 2_678_400.0),
            ("1h 30m", 5400.0),
            ("0s", 0.0),
        ] {
            let read: Lasting = text.parse().expect(text);
            assert!((read.get().as_secs_f64() - seconds).abs() < 1e-9, "{text}: {read}");
            assert_eq!(read.to_string().parse::<Lasting>().as_ref(), Ok(&read), "{text}");
        }
    }

    #[test]
    fn refuses_what_has_no_unit_or_is_before_zero() {
        for text in ["30", "", "-5s", "soon"] {
            assert!(text.parse::<Lasting>().is_err(), "{text}");
        }
    }
}
