//! The data types of XACML 3.0 (section 10.2.7 and appendix A.2) and their identifiers.

use std::fmt;

/// A data type of the language.
///
/// Old duration identifiers are spellings of the same type, see [`DataType::from_uri`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs)] // the variants are the data types, by their own names
pub enum DataType {
    String,
    Boolean,
    Integer,
    Double,
    Time,
    Date,
    DateTime,
    DayTimeDuration,
    YearMonthDuration,
    AnyUri,
    HexBinary,
    Base64Binary,
    Rfc822Name,
    X500Name,
    IpAddress,
    DnsName,
    XPathExpression,
    /// A type that the engine does not know: its values are kept as text and returned, never compared.
    Foreign,
}

/// Which identifier of its data type a value was written with. Only durations have old ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Spelling {
    /// The identifier of XACML 3.0.
    #[default]
    Current,
    /// The identifier of XACML 1.0 and 1.1, from a W3C working draft of 2002.
    Draft2002,
    /// The identifier of XACML 2.0.
    Xacml2,
}

const XML_SCHEMA: &str = "http://www.w3.org/2001/XMLSchema#";
const DRAFT_2002: &str = "http://www.w3.org/TR/2002/WD-xquery-operators-20020816#";
const XACML: &str = "urn:oasis:names:tc:xacml:";

const DRAFT_DAY_TIME: &str =
    "http://www.w3.org/TR/2002/WD-xquery-operators-20020816#dayTimeDuration";
const DRAFT_YEAR_MONTH: &str =
    "http://www.w3.org/TR/2002/WD-xquery-operators-20020816#yearMonthDuration";
const XACML2_DAY_TIME: &str = "urn:oasis:names:tc:xacml:2.0:data-type:dayTimeDuration";
const XACML2_YEAR_MONTH: &str = "urn:oasis:names:tc:xacml:2.0:data-type:yearMonthDuration";

/// Whether `name` can be the identifier of a data type, known or not: a URI with a scheme. Formats
/// refuse any other, since it is a mistake that would otherwise go unseen.
pub(crate) fn is_identifier(name: &str) -> bool {
    name.contains(':')
}

impl DataType {
    /// Whether equality of two of its values may depend on the implicit time zone.
    pub const fn depends_on_zone(self) -> bool {
        matches!(self, Self::Time | Self::Date | Self::DateTime)
    }

    /// Every data type of the standard, in the order of its list.
    pub const ALL: [Self; 17] = [
        Self::String,
        Self::Boolean,
        Self::Integer,
        Self::Double,
        Self::Time,
        Self::Date,
        Self::DateTime,
        Self::DayTimeDuration,
        Self::YearMonthDuration,
        Self::AnyUri,
        Self::HexBinary,
        Self::Base64Binary,
        Self::Rfc822Name,
        Self::X500Name,
        Self::IpAddress,
        Self::DnsName,
        Self::XPathExpression,
    ];

    /// The data type that `uri` names, and which of its identifiers that is. Identifiers are
    /// compared code point by code point. None: a type that the engine does not know.
    pub fn from_uri(uri: &str) -> Option<(Self, Spelling)> {
        if let Some(name) = uri.strip_prefix(XML_SCHEMA) {
            let data_type = Self::from_short_name(name)?;
            return (data_type <= Self::Base64Binary).then_some((data_type, Spelling::Current));
        }
        if let Some(rest) = uri.strip_prefix(XACML) {
            let (version, name) = rest.split_once(":data-type:")?;
            let found = match (version, name) {
                ("1.0", "rfc822Name") => Self::Rfc822Name,
                ("1.0", "x500Name") => Self::X500Name,
                ("2.0", "ipAddress") => Self::IpAddress,
                ("2.0", "dnsName") => Self::DnsName,
                ("3.0", "xpathExpression") => Self::XPathExpression,
                ("2.0", "dayTimeDuration") => {
                    return Some((Self::DayTimeDuration, Spelling::Xacml2));
                }
                ("2.0", "yearMonthDuration") => {
                    return Some((Self::YearMonthDuration, Spelling::Xacml2));
                }
                _ => return None,
            };
            return Some((found, Spelling::Current));
        }
        match uri.strip_prefix(DRAFT_2002)? {
            "dayTimeDuration" => Some((Self::DayTimeDuration, Spelling::Draft2002)),
            "yearMonthDuration" => Some((Self::YearMonthDuration, Spelling::Draft2002)),
            _ => None,
        }
    }

    /// The identifier of XACML 3.0; empty for [`DataType::Foreign`], whose values carry their own.
    pub const fn uri(self) -> &'static str {
        match self {
            Self::String => "http://www.w3.org/2001/XMLSchema#string",
            Self::Boolean => "http://www.w3.org/2001/XMLSchema#boolean",
            Self::Integer => "http://www.w3.org/2001/XMLSchema#integer",
            Self::Double => "http://www.w3.org/2001/XMLSchema#double",
            Self::Time => "http://www.w3.org/2001/XMLSchema#time",
            Self::Date => "http://www.w3.org/2001/XMLSchema#date",
            Self::DateTime => "http://www.w3.org/2001/XMLSchema#dateTime",
            Self::DayTimeDuration => "http://www.w3.org/2001/XMLSchema#dayTimeDuration",
            Self::YearMonthDuration => "http://www.w3.org/2001/XMLSchema#yearMonthDuration",
            Self::AnyUri => "http://www.w3.org/2001/XMLSchema#anyURI",
            Self::HexBinary => "http://www.w3.org/2001/XMLSchema#hexBinary",
            Self::Base64Binary => "http://www.w3.org/2001/XMLSchema#base64Binary",
            Self::Rfc822Name => "urn:oasis:names:tc:xacml:1.0:data-type:rfc822Name",
            Self::X500Name => "urn:oasis:names:tc:xacml:1.0:data-type:x500Name",
            Self::IpAddress => "urn:oasis:names:tc:xacml:2.0:data-type:ipAddress",
            Self::DnsName => "urn:oasis:names:tc:xacml:2.0:data-type:dnsName",
            Self::XPathExpression => "urn:oasis:names:tc:xacml:3.0:data-type:xpathExpression",
            Self::Foreign => "",
        }
    }

    /// The identifier under a spelling; types without that spelling have only the current one.
    pub const fn spelled_uri(self, spelling: Spelling) -> &'static str {
        match (self, spelling) {
            (Self::DayTimeDuration, Spelling::Draft2002) => DRAFT_DAY_TIME,
            (Self::YearMonthDuration, Spelling::Draft2002) => DRAFT_YEAR_MONTH,
            (Self::DayTimeDuration, Spelling::Xacml2) => XACML2_DAY_TIME,
            (Self::YearMonthDuration, Spelling::Xacml2) => XACML2_YEAR_MONTH,
            _ => self.uri(),
        }
    }

    /// The name without its prefix, as the JSON profile and messages have it.
    pub const fn short_name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Double => "double",
            Self::Time => "time",
            Self::Date => "date",
            Self::DateTime => "dateTime",
            Self::DayTimeDuration => "dayTimeDuration",
            Self::YearMonthDuration => "yearMonthDuration",
            Self::AnyUri => "anyURI",
            Self::HexBinary => "hexBinary",
            Self::Base64Binary => "base64Binary",
            Self::Rfc822Name => "rfc822Name",
            Self::X500Name => "x500Name",
            Self::IpAddress => "ipAddress",
            Self::DnsName => "dnsName",
            Self::XPathExpression => "xpathExpression",
            Self::Foreign => "foreign",
        }
    }

    /// The data type with this short name.
    pub fn from_short_name(name: &str) -> Option<Self> {
        Some(match name {
            "string" => Self::String,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "double" => Self::Double,
            "time" => Self::Time,
            "date" => Self::Date,
            "dateTime" => Self::DateTime,
            "dayTimeDuration" => Self::DayTimeDuration,
            "yearMonthDuration" => Self::YearMonthDuration,
            "anyURI" => Self::AnyUri,
            "hexBinary" => Self::HexBinary,
            "base64Binary" => Self::Base64Binary,
            "rfc822Name" => Self::Rfc822Name,
            "x500Name" => Self::X500Name,
            "ipAddress" => Self::IpAddress,
            "dnsName" => Self::DnsName,
            "xpathExpression" => Self::XPathExpression,
            _ => return None,
        })
    }

    /// `a` or `an`, as its short name wants it in a sentence.
    pub const fn article(self) -> &'static str {
        match self {
            Self::Integer | Self::AnyUri | Self::IpAddress | Self::XPathExpression => "an",
            _ => "a",
        }
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.short_name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_and_names_lead_back() {
        for data_type in DataType::ALL {
            assert_eq!(DataType::from_uri(data_type.uri()), Some((data_type, Spelling::Current)));
            assert_eq!(DataType::from_short_name(data_type.short_name()), Some(data_type));
        }
        for spelling in [Spelling::Draft2002, Spelling::Xacml2] {
            for data_type in [DataType::DayTimeDuration, DataType::YearMonthDuration] {
                let uri = data_type.spelled_uri(spelling);
                assert_eq!(DataType::from_uri(uri), Some((data_type, spelling)));
            }
            assert_eq!(DataType::Integer.spelled_uri(spelling), DataType::Integer.uri());
        }
    }

    #[test]
    fn near_misses_are_unknown() {
        for uri in [
            "",
            "string",
            "http://www.w3.org/2001/XMLSchema#",
            "http://www.w3.org/2001/XMLSchema#String",
            "http://www.w3.org/2001/XMLSchema#x500Name",
            "http://www.w3.org/2001/XMLSchema#foreign",
            "http://www.w3.org/TR/2002/WD-xquery-operators-20020816#string",
            "urn:oasis:names:tc:xacml:3.0:data-type:x500Name",
            "urn:oasis:names:tc:xacml:1.0:data-type:dnsName",
        ] {
            assert_eq!(DataType::from_uri(uri), None, "{uri}");
        }
    }
}
