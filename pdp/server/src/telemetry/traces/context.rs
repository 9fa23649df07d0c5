//! W3C Trace Context: the trace that a client is part of.

use std::fmt;

use serde::{Serialize, Serializer};

/// The longest `tracestate` that is passed on, in bytes; longer ones may be dropped as a whole (section
/// 3.3.1.5 of the recommendation asks for at least 512).
const LONGEST_STATE: usize = 1024;

/// A trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceId(u128);

/// A part of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpanId(u64);

impl TraceId {
    pub(super) const fn new(random: u128) -> Self {
        Self(if random == 0 { 1 } else { random })
    }

    /// A number below 100 that is the same for everyone who sees the trace.
    pub(super) fn share(self) -> u64 {
        (self.0 % (1 << 56) % 100) as u64
    }
}

impl SpanId {
    /// From random bits, of which some may be fixed.
    pub(super) fn new(random: u128) -> Self {
        let folded = (random ^ (random >> 64).rotate_left(9)) as u64;
        Self(folded.max(1))
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Display for SpanId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Serialize for TraceId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Serialize for SpanId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Where a request stands in its client's trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parent {
    /// The trace.
    pub trace: TraceId,
    /// The client's part of it.
    pub span: SpanId,
    /// Whether the client records it.
    pub sampled: bool,
    /// What vendors add, as it came.
    pub state: String,
}

impl Parent {
    /// Reads `traceparent` and the `tracestate` headers, in their order; nothing where the former
    /// cannot be read, as section 3.2.2 of the recommendation has it.
    pub fn read<'a>(traceparent: &str, states: impl Iterator<Item = &'a str>) -> Option<Self> {
        let bytes = traceparent.as_bytes();
        let [version, trace, span, flags] =
            [(0, 2), (3, 32), (36, 16), (53, 2)].map(|(at, length)| hex(bytes, at, length));
        let (version, flags) = (version?, flags?);
        let dashes = [2, 35, 52].iter().all(|at| bytes.get(*at) == Some(&b'-'));
        // A later version may add something, set off by another hyphen.
        let ends = match (version, bytes.get(55)) {
            (0xff, _) => false,
            (_, None) => true,
            (version, Some(next)) => version > 0 && *next == b'-',
        };
        let (trace, span) = (trace.filter(|it| *it != 0)?, span.filter(|it| *it != 0)?);
        if !dashes || !ends {
            return None;
        }
        let mut state = String::new();
        for part in states.map(str::trim).filter(|part| !part.is_empty()) {
            if !state.is_empty() {
                state.push(',');
            }
            state.push_str(part);
        }
        if state.len() > LONGEST_STATE {
            state.clear();
        }
        let (trace, span) = (TraceId(trace), SpanId(span as u64));
        Some(Self { trace, span, sampled: flags & 1 == 1, state })
    }
}

/// Lower-case hex digits, and nothing else.
fn hex(bytes: &[u8], at: usize, length: usize) -> Option<u128> {
    let digits = bytes.get(at..at + length)?;
    digits.iter().try_fold(0, |number: u128, digit| {
        let digit = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            _ => return None,
        };
        Some(number << 4 | u128::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

    fn read(text: &str) -> Option<Parent> {
        Parent::read(text, std::iter::empty())
    }

    #[test]
    fn a_parent_is_read() {
        for (text, sampled) in [
            (format!("00-{TRACE}-00f067aa0ba902b7-01"), true),
            (format!("00-{TRACE}-00f067aa0ba902b7-00"), false),
            (format!("00-{TRACE}-00f067aa0ba902b7-ff"), true),
            (format!("cc-{TRACE}-00f067aa0ba902b7-01"), true),
            (format!("cc-{TRACE}-00f067aa0ba902b7-01-what.comes.later"), true),
        ] {
            let parent = read(&text).expect(&text);
            assert_eq!(parent.trace.to_string(), TRACE);
            assert_eq!(parent.span.to_string(), "00f067aa0ba902b7");
            assert_eq!(parent.sampled, sampled, "{text}");
        }
    }

    #[test]
    fn what_is_no_parent_is_as_if_it_were_not_there() {
        let zeros = "0".repeat(32);
        for text in [
            String::new(),
            TRACE.to_owned(),
            format!("00-{TRACE}-00f067aa0ba902b7"),
            format!("00-{TRACE}-00f067aa0ba902b7-1"),
            format!("00-{TRACE}-00f067aa0ba902b7-01-more"),
            format!("00-{TRACE}-00f067aa0ba902b7-01x"),
            format!("cc-{TRACE}-00f067aa0ba902b7-01x"),
            format!("ff-{TRACE}-00f067aa0ba902b7-01"),
            format!("00_{TRACE}-00f067aa0ba902b7-01"),
            format!("00-{}-00f067aa0ba902b7-01", TRACE.to_uppercase()),
            format!("00-{zeros}-00f067aa0ba902b7-01"),
            format!("00-{TRACE}-0000000000000000-01"),
            format!("00-{TRACE}-+0f067aa0ba902b7-01"),
            format!("00-{TRACE}-00f067aa0ba902b\u{e9}-01"),
        ] {
            assert_eq!(read(&text), None, "{text}");
        }
    }

    #[test]
    fn states_are_joined_in_their_order_and_bounded() {
        let text = format!("00-{TRACE}-00f067aa0ba902b7-01");
        let state =
            |parts: &[&str]| Parent::read(&text, parts.iter().copied()).map(|parent| parent.state);
        assert_eq!(state(&["a=1", " ", "b=2,c=3"]).as_deref(), Some("a=1,b=2,c=3"));
        assert_eq!(state(&[&"a".repeat(2000)]).as_deref(), Some(""));
    }

    #[test]
    fn ids_are_never_zero() {
        assert_eq!(TraceId::new(0).to_string(), format!("{:032x}", 1));
        assert_eq!(SpanId::new(0).to_string(), format!("{:016x}", 1));
    }
}
