//! Value to text.

use std::fmt;

use super::{Arena, Data, Value, binary, number::write_double};

impl<'a> Value<'a> {
    /// Its text as it was written, else its canonical form.
    #[inline]
    pub fn lexical(&self, arena: &'a Arena) -> &'a str {
        match self.written_text() {
            Some(text) => text,
            None => self.canonical(arena),
        }
    }

    /// The canonical form of XML Schema: `7` for `+07`, `5.2E0` for `5.2`, times in UTC. Types that
    /// have none there (names, addresses) keep the written text.
    pub fn canonical(&self, arena: &'a Arena) -> &'a str {
        let write = |write: &dyn Fn(&mut bumpalo::collections::String<'a>) -> fmt::Result| {
            let mut out = bumpalo::collections::String::new_in(arena);
            let _ = write(&mut out); // writing to a string does not fail
            out.into_bump_str()
        };
        match self.data {
            Data::String(text)
            | Data::AnyUri(text)
            | Data::IpAddress(text)
            | Data::DnsName(text) => text,
            Data::Boolean(true) => "true",
            Data::Boolean(false) => "false",
            Data::Integer(value) => value.text(arena),
            Data::Double(value) => write_double(value, arena),
            Data::Time(value) => write(&|out| value.write(out)),
            Data::Date(value) => write(&|out| value.write(out)),
            Data::DateTime(value) => write(&|out| value.write(out)),
            Data::DayTimeDuration(value) => write(&|out| value.write(out)),
            Data::YearMonthDuration(value) => write(&|out| value.write(out)),
            Data::HexBinary(octets) => binary::write_hex(octets, arena),
            Data::Base64Binary(octets) => binary::write_base64(octets, arena),
            Data::Rfc822Name(canonical) | Data::X500Name(canonical) => {
                self.text.unwrap_or(canonical)
            }
            Data::XPathExpression(expression) => expression.path(),
            Data::Foreign(_) => self.text.unwrap_or_default(),
        }
    }
}
