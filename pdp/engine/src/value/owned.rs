//! Values that own their text: the literals of a compiled program, and what tools keep.

use std::sync::Arc;

use super::{
    Arena, Data, DataType, Date, DateTime, DayTimeDuration, Integer, Spelling, Time, Value,
    ValueError, XPathExpression, YearMonthDuration,
};

/// A value that owns its text. Cheap to clone; strings, URIs and small values are held inline.
#[derive(Clone, Debug)]
pub struct OwnedValue(Repr);

const _: () = assert!(size_of::<OwnedValue>() <= 24, "a program holds very many literals");

#[derive(Clone, Debug)]
enum Repr {
    String(Arc<str>),
    AnyUri(Arc<str>),
    Boolean(bool),
    Integer(i64),
    Double(f64),
    Other(Arc<Other>),
}

/// All that is not held inline: values whose written text is not the canonical one, and other types.
#[derive(Debug)]
struct Other {
    data: OtherData,
    text: Option<Box<str>>,
    spelling: Spelling,
}

#[derive(Debug)]
enum OtherData {
    Boolean(bool),
    Integer(i64),
    BigInteger(Box<str>),
    Double(f64),
    Time(Time),
    Date(Date),
    DateTime(DateTime),
    DayTimeDuration(DayTimeDuration),
    YearMonthDuration(YearMonthDuration),
    HexBinary(Box<[u8]>),
    Base64Binary(Box<[u8]>),
    Rfc822Name(Box<str>),
    X500Name(Box<str>),
    IpAddress(Box<str>),
    DnsName(Box<str>),
    XPathExpression(Box<str>),
    Foreign(Box<str>),
}

impl OwnedValue {
    /// A string that shares its text.
    pub const fn string(text: Arc<str>) -> Self {
        Self(Repr::String(text))
    }

    /// Reads a value of the type with this identifier; a string shares the text.
    ///
    /// # Errors
    /// As [`Value::parse_typed`].
    pub fn parse(type_uri: &str, text: &Arc<str>) -> Result<Self, ValueError> {
        if type_uri == DataType::String.uri() {
            return Ok(Self::string(Arc::clone(text)));
        }
        let arena = Arena::new();
        Ok(Self::from(&Value::parse_typed(type_uri, text, &arena)?))
    }

    /// An XPath expression, see [`Value::xpath`].
    ///
    /// # Errors
    /// As [`Value::xpath`].
    pub fn xpath<'n>(
        path: &str,
        category: &str,
        namespaces: impl IntoIterator<Item = (&'n str, &'n str)>,
    ) -> Result<Self, ValueError> {
        let arena = Arena::new();
        Ok(Self::from(&Value::xpath(path, category, namespaces, &arena)?))
    }

    /// The value. No allocation, no parsing.
    #[inline]
    pub fn as_value(&self) -> Value<'_> {
        match &self.0 {
            Repr::String(text) => Value::string(text),
            Repr::AnyUri(text) => Value::any_uri(text),
            Repr::Boolean(value) => Value::boolean(*value),
            Repr::Integer(value) => Value::integer(*value),
            Repr::Double(value) => Value::double(*value),
            Repr::Other(other) => other.as_value(),
        }
    }

    /// Its data type.
    pub fn data_type(&self) -> DataType {
        self.as_value().data_type()
    }
}

impl Other {
    fn as_value(&self) -> Value<'_> {
        let data = match &self.data {
            OtherData::Boolean(value) => Data::Boolean(*value),
            OtherData::Integer(value) => Data::Integer(Integer::Small(*value)),
            OtherData::BigInteger(text) => Data::Integer(Integer::Big(text)),
            OtherData::Double(value) => Data::Double(*value),
            OtherData::Time(value) => Data::Time(*value),
            OtherData::Date(value) => Data::Date(*value),
            OtherData::DateTime(value) => Data::DateTime(*value),
            OtherData::DayTimeDuration(value) => Data::DayTimeDuration(*value),
            OtherData::YearMonthDuration(value) => Data::YearMonthDuration(*value),
            OtherData::HexBinary(octets) => Data::HexBinary(octets),
            OtherData::Base64Binary(octets) => Data::Base64Binary(octets),
            OtherData::Rfc822Name(text) => Data::Rfc822Name(text),
            OtherData::X500Name(text) => Data::X500Name(text),
            OtherData::IpAddress(text) => Data::IpAddress(text),
            OtherData::DnsName(text) => Data::DnsName(text),
            OtherData::XPathExpression(packed) => {
                Data::XPathExpression(XPathExpression::unpack(packed))
            }
            OtherData::Foreign(type_id) => Data::Foreign(type_id),
        };
        Value { data, text: self.text.as_deref(), spelling: self.spelling }
    }
}

impl From<&Value<'_>> for OwnedValue {
    fn from(value: &Value<'_>) -> Self {
        let plain = value.text.is_none_or(|text| text == value.canonical(&Arena::new()));
        let data = match value.data {
            Data::String(text) => return Self(Repr::String(text.into())),
            Data::AnyUri(text) => return Self(Repr::AnyUri(text.into())),
            Data::Boolean(value) if plain => return Self(Repr::Boolean(value)),
            Data::Integer(Integer::Small(value)) if plain => return Self(Repr::Integer(value)),
            Data::Double(value) if plain => return Self(Repr::Double(value)),
            Data::Boolean(value) => OtherData::Boolean(value),
            Data::Integer(Integer::Small(value)) => OtherData::Integer(value),
            Data::Integer(Integer::Big(text)) => OtherData::BigInteger(text.into()),
            Data::Double(value) => OtherData::Double(value),
            Data::Time(value) => OtherData::Time(value),
            Data::Date(value) => OtherData::Date(value),
            Data::DateTime(value) => OtherData::DateTime(value),
            Data::DayTimeDuration(value) => OtherData::DayTimeDuration(value),
            Data::YearMonthDuration(value) => OtherData::YearMonthDuration(value),
            Data::HexBinary(octets) => OtherData::HexBinary(octets.into()),
            Data::Base64Binary(octets) => OtherData::Base64Binary(octets.into()),
            Data::Rfc822Name(text) => OtherData::Rfc822Name(text.into()),
            Data::X500Name(text) => OtherData::X500Name(text.into()),
            Data::IpAddress(text) => OtherData::IpAddress(text.into()),
            Data::DnsName(text) => OtherData::DnsName(text.into()),
            Data::XPathExpression(expression) => {
                OtherData::XPathExpression(expression.packed().into())
            }
            Data::Foreign(type_id) => OtherData::Foreign(type_id.into()),
        };
        // Where the data is the written text, it is not held twice.
        let text = match value.data {
            Data::IpAddress(_) | Data::DnsName(_) | Data::XPathExpression(_) => None,
            _ => value.text.map(Into::into),
        };
        Self(Repr::Other(Arc::new(Other { data, text, spelling: value.spelling })))
    }
}
