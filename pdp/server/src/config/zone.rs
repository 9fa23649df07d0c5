//! A time zone as XML Schema writes it: `Z`, `+01:00`, `-05:30`.

use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Minutes east of UTC, at most 14 hours either way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Zone(i16);

/// The farthest that a zone is from UTC, in minutes (XML Schema part 2, section 3.2.7.3).
const FARTHEST: i16 = 14 * 60;

impl Zone {
    /// Minutes east of UTC.
    pub const fn minutes(self) -> i16 {
        self.0
    }
}

impl FromStr for Zone {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let fault = || format!("`{text}` is no time zone: write `Z`, or `+01:00` up to `-14:00`");
        if text == "Z" {
            return Ok(Self(0));
        }
        let (sign, rest) = match text.as_bytes().first() {
            Some(b'+') => (1, &text[1..]),
            Some(b'-') => (-1, &text[1..]),
            _ => return Err(fault()),
        };
        let number = |part: &str| {
            let digits = part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| part.parse::<i16>().ok()).flatten()
        };
        let (hours, minutes) = rest.split_once(':').ok_or_else(fault)?;
        let (hours, minutes) = number(hours).zip(number(minutes)).ok_or_else(fault)?;
        let offset = hours * 60 + minutes;
        if minutes > 59 || offset > FARTHEST {
            return Err(fault());
        }
        Ok(Self(sign * offset))
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { '-' } else { '+' };
        let minutes = self.0.unsigned_abs();
        match minutes {
            0 => f.write_str("Z"),
            _ => write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60),
        }
    }
}

impl Serialize for Zone {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Zone {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl JsonSchema for Zone {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Zone".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "A time zone: `Z`, or hours and minutes from UTC such as `+01:00`.",
            "pattern": "^(Z|[+-][0-9]{2}:[0-5][0-9])$",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Zone;

    #[test]
    fn zones_are_read_as_xml_schema_writes_them() {
        for (text, minutes) in
            [("Z", 0), ("+00:00", 0), ("+01:00", 60), ("-05:30", -330), ("-14:00", -840)]
        {
            assert_eq!(text.parse::<Zone>().map(Zone::minutes), Ok(minutes), "{text}");
        }
        for text in
            ["", "UTC", "z", "1:00", "+1:00", "+01:60", "+14:01", "-15:00", "+01:0x", "+é1:00"]
        {
            assert!(text.parse::<Zone>().is_err(), "{text}");
        }
        for text in ["Z", "+05:30", "-00:30"] {
            assert_eq!(text.parse::<Zone>().map(|zone| zone.to_string()).as_deref(), Ok(text));
        }
    }
}
