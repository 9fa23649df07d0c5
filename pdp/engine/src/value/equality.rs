//! Equality, order and fingerprint of every type (XACML 3.0 appendix A.3.1 and A.3.8).
//!
//! Values of different types are never equal. NaN equals NaN and 0 equals -0. Times compare as
//! instants. Two addresses, host names, XPath expressions or foreign values, whose types have no
//! equality function, are equal where they were written alike.

use std::cmp::Ordering;
use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;

use super::{Data, DateTime, Integer, Value};

/// Fixed, so that a fingerprint taken at compile time is found at decision time.
const STATE: FixedState = FixedState::with_seed(0x7064_705f_7661_6c75);

/// What [`Value::fingerprint`] is for a string with this text.
#[inline]
pub fn fingerprint_str(text: &str) -> u64 {
    bytes_hash(text.as_bytes())
}

#[inline]
fn bytes_hash(bytes: &[u8]) -> u64 {
    let mut hasher = STATE.build_hasher();
    hasher.write(bytes);
    hasher.finish()
}

fn number_hash(number: u64, second: u32) -> u64 {
    let mut hasher = STATE.build_hasher();
    hasher.write_u64(number);
    hasher.write_u32(second);
    hasher.finish()
}

impl Value<'_> {
    /// Whether two values are equal by the equality of their type. `implicit_zone`, in minutes east
    /// of UTC, is the zone of times that name none.
    #[inline]
    pub fn equals(&self, other: &Value<'_>, implicit_zone: i16) -> bool {
        match (&self.data, &other.data) {
            (Data::String(a), Data::String(b)) => a == b,
            (Data::Integer(Integer::Small(a)), Data::Integer(Integer::Small(b))) => a == b,
            _ => self.equals_slow(other, implicit_zone),
        }
    }

    fn equals_slow(&self, other: &Value<'_>, implicit_zone: i16) -> bool {
        let instant = |value: DateTime| value.instant(implicit_zone);
        match (self.data, other.data) {
            (Data::String(a), Data::String(b))
            | (Data::AnyUri(a), Data::AnyUri(b))
            | (Data::Rfc822Name(a), Data::Rfc822Name(b))
            | (Data::X500Name(a), Data::X500Name(b))
            | (Data::IpAddress(a), Data::IpAddress(b))
            | (Data::DnsName(a), Data::DnsName(b)) => a == b,
            (Data::Boolean(a), Data::Boolean(b)) => a == b,
            (Data::Integer(a), Data::Integer(b)) => a == b,
            #[allow(clippy::float_cmp)] // the type's own equality
            (Data::Double(a), Data::Double(b)) => a == b || (a.is_nan() && b.is_nan()),
            (Data::DateTime(a), Data::DateTime(b)) => instant(a) == instant(b),
            (Data::Date(a), Data::Date(b)) => instant(a.0) == instant(b.0),
            (Data::Time(a), Data::Time(b)) => instant(a.0) == instant(b.0),
            (Data::DayTimeDuration(a), Data::DayTimeDuration(b)) => a == b,
            (Data::YearMonthDuration(a), Data::YearMonthDuration(b)) => a == b,
            (Data::HexBinary(a), Data::HexBinary(b))
            | (Data::Base64Binary(a), Data::Base64Binary(b)) => a == b,
            (Data::XPathExpression(a), Data::XPathExpression(b)) => a == b,
            (Data::Foreign(a), Data::Foreign(b)) => a == b && self.text == other.text,
            _ => false,
        }
    }

    /// A hash that equal values of one type share. It is fixed: the same in every process.
    #[inline]
    pub fn fingerprint(&self, implicit_zone: i16) -> u64 {
        match self.data {
            Data::String(text) => fingerprint_str(text),
            _ => self.fingerprint_slow(implicit_zone),
        }
    }

    fn fingerprint_slow(&self, implicit_zone: i16) -> u64 {
        let instant = |value: DateTime| {
            let (seconds, nanos) = value.instant(implicit_zone);
            number_hash(seconds.cast_unsigned(), nanos)
        };
        match self.data {
            Data::String(text)
            | Data::AnyUri(text)
            | Data::Rfc822Name(text)
            | Data::X500Name(text)
            | Data::IpAddress(text)
            | Data::DnsName(text)
            | Data::Integer(Integer::Big(text))
            | Data::Foreign(text) => fingerprint_str(text),
            Data::Boolean(value) => number_hash(u64::from(value), 1),
            Data::Integer(Integer::Small(value)) => number_hash(value.cast_unsigned(), 0),
            // Adding positive zero makes the zeros one; every NaN is one.
            Data::Double(value) if value.is_nan() => number_hash(f64::NAN.to_bits(), 0),
            Data::Double(value) => number_hash((value + 0.0).to_bits(), 0),
            Data::DateTime(value) => instant(value),
            Data::Date(value) => instant(value.0),
            Data::Time(value) => instant(value.0),
            Data::DayTimeDuration(value) => number_hash(value.seconds.cast_unsigned(), value.nanos),
            Data::YearMonthDuration(value) => number_hash(value.months.cast_unsigned(), 0),
            Data::HexBinary(octets) | Data::Base64Binary(octets) => bytes_hash(octets),
            Data::XPathExpression(expression) => fingerprint_str(expression.path()),
        }
    }

    /// The order of two values of one ordered type: string (by code point), integer, double (none
    /// with NaN), time, date, dateTime and the durations. None for all else.
    #[inline]
    pub fn compare(&self, other: &Value<'_>, implicit_zone: i16) -> Option<Ordering> {
        let instants = |a: DateTime, b: DateTime| {
            Some(a.instant(implicit_zone).cmp(&b.instant(implicit_zone)))
        };
        match (self.data, other.data) {
            (Data::Integer(a), Data::Integer(b)) => Some(a.compare(b)),
            (Data::String(a), Data::String(b)) => Some(a.cmp(b)), // UTF-8 sorts as its code points
            (Data::Double(a), Data::Double(b)) => a.partial_cmp(&b),
            (Data::DateTime(a), Data::DateTime(b)) => instants(a, b),
            (Data::Date(a), Data::Date(b)) => instants(a.0, b.0),
            (Data::Time(a), Data::Time(b)) => instants(a.0, b.0),
            (Data::DayTimeDuration(a), Data::DayTimeDuration(b)) => Some(a.cmp(&b)),
            (Data::YearMonthDuration(a), Data::YearMonthDuration(b)) => Some(a.cmp(&b)),
            _ => None,
        }
    }
}
