//! The data types of XACML 3.0 (section 10.2.7 and appendix A.2) and their identifiers.

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
