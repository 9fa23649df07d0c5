//! Text to value.

use super::error::{Parsed, ValueError};
use super::{
    Arena, Data, DataType, Date, DateTime, DayTimeDuration, Integer, Time, Value,
    YearMonthDuration, binary, name, network, number, text, x500,
};

impl<'a> Value<'a> {
    /// Reads a value in the lexical form of its type (XML Schema part 2; XACML 3.0 section
    /// 10.2.7). Blanks around values other than strings do not count. The value keeps `text`.
    ///
    /// # Errors
    /// The text is no such value, or longer than a limit; or the type needs more than a text:
    /// an xpathExpression ([`Value::xpath`]), a foreign value ([`Value::foreign`]).
    #[inline]
    pub fn parse(data_type: DataType, text: &'a str, arena: &'a Arena) -> Result<Self, ValueError> {
        match data_type {
            DataType::String => Ok(Self::string(text)),
            _ => Self::parse_collapsed(data_type, text, arena),
        }
    }

    fn parse_collapsed(
        data_type: DataType,
        written: &'a str,
        arena: &'a Arena,
    ) -> Result<Self, ValueError> {
        let text = text::trim(written);
        match parse_data(data_type, text, arena) {
            Ok(data) => Ok(Self::written(data, text)),
            Err(reason) => Err(ValueError::new(data_type, text, reason)),
        }
    }

    /// Reads a value of the type with this identifier, old identifiers included. A value of a type
    /// that the engine does not know keeps its text.
    ///
    /// # Errors
    /// As [`Value::parse`].
    pub fn parse_typed(
        type_uri: &'a str,
        text: &'a str,
        arena: &'a Arena,
    ) -> Result<Self, ValueError> {
        match DataType::from_uri(type_uri) {
            Some((data_type, spelling)) => {
                Ok(Self::parse(data_type, text, arena)?.spelled(spelling))
            }
            None => Ok(Self::foreign(type_uri, text)),
        }
    }
}

fn parse_data<'a>(data_type: DataType, text: &'a str, arena: &'a Arena) -> Parsed<Data<'a>> {
    Ok(match data_type {
        DataType::String => Data::String(text),
        DataType::Boolean => Data::Boolean(number::parse_boolean(text)?),
        DataType::Integer => Data::Integer(Integer::parse(text, arena)?),
        DataType::Double => Data::Double(number::parse_double(text)?),
        DataType::Time => Data::Time(Time::parse(text)?),
        DataType::Date => Data::Date(Date::parse(text)?),
        DataType::DateTime => Data::DateTime(DateTime::parse(text)?),
        DataType::DayTimeDuration => Data::DayTimeDuration(DayTimeDuration::parse(text)?),
        DataType::YearMonthDuration => Data::YearMonthDuration(YearMonthDuration::parse(text)?),
        DataType::AnyUri => {
            let collapsed = text::collapse(text, arena);
            text::check_uri(collapsed)?;
            Data::AnyUri(collapsed)
        }
        DataType::HexBinary => Data::HexBinary(binary::parse_hex(text, arena)?),
        DataType::Base64Binary => Data::Base64Binary(binary::parse_base64(text, arena)?),
        DataType::Rfc822Name => Data::Rfc822Name(name::parse_rfc822(text, arena)?),
        DataType::X500Name => Data::X500Name(x500::parse(text, arena)?),
        DataType::IpAddress => {
            network::check_ip_address(text)?;
            Data::IpAddress(text)
        }
        DataType::DnsName => {
            network::check_dns_name(text)?;
            Data::DnsName(text)
        }
        DataType::XPathExpression => return Err("it needs an XPathCategory".into()),
        DataType::Foreign => return Err("its type has no identifier".into()),
    })
}
