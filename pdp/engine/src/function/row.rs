//! How rows are written down: macros, so that a family reads as a table.

use super::Type;
use crate::value::DataType;

pub(super) const STRING: Type = Type::one(DataType::String);
pub(super) const BOOLEAN: Type = Type::one(DataType::Boolean);
pub(super) const INTEGER: Type = Type::one(DataType::Integer);
pub(super) const DOUBLE: Type = Type::one(DataType::Double);
pub(super) const ANY_URI: Type = Type::one(DataType::AnyUri);

/// The identifier of a function of XACML 1.0.
macro_rules! f1 {
    ($($name:literal),+) => { concat!("urn:oasis:names:tc:xacml:1.0:function:", $($name),+) };
}

/// The identifier of a function of XACML 2.0.
macro_rules! f2 {
    ($($name:literal),+) => { concat!("urn:oasis:names:tc:xacml:2.0:function:", $($name),+) };
}

/// The identifier of a function of XACML 3.0.
macro_rules! f3 {
    ($($name:literal),+) => { concat!("urn:oasis:names:tc:xacml:3.0:function:", $($name),+) };
}

/// One row:
/// identifier; successor; \[parameters (; type of the rest, how many at least)\] -> result; clause;
/// summary; code; examples.
macro_rules! row {
    (
        $id:expr; $successor:expr;
        [$($parameter:expr),* $(; $rest:expr, $least:expr)?] -> $result:expr;
        $clause:expr; $summary:expr; $code:expr;
        $([$($argument:expr),*] => $expected:expr),+ $(,)?
    ) => {
        $crate::function::Row {
            id: $id,
            signature: $crate::function::Signature {
                parameters: &[$($parameter),*],
                rest: row!(@rest $($rest, $least)?),
                result: $result,
            },
            clause: $clause,
            summary: $summary,
            successor: $successor,
            code: $code,
            examples: &[
                $($crate::function::Example { arguments: &[$($argument),*], result: $expected }),+
            ],
        }
    };
    (@rest) => { None };
    (@rest $type:expr, $least:expr) => { Some(($type, $least)) };
}

/// `None`, or the identifier that takes the place of a deprecated one.
macro_rules! successor {
    (none, $($name:literal),+) => { None };
    ($prefix:ident, $($name:literal),+) => { Some($prefix!($($name),+)) };
}

/// Rows for each type that has an equality function. `$make` is given the macro of the identifier,
/// the type's name and variant, a value, the same value written otherwise, another value, and the
/// macro of the successor's identifier or `none`.
macro_rules! each_type {
    ($make:ident) => {
        &[
            &$make!(f1, "string", String, "a", "a", "b", none),
            &$make!(f1, "boolean", Boolean, "true", "1", "false", none),
            &$make!(f1, "integer", Integer, "7", "+07", "8", none),
            &$make!(f1, "double", Double, "1.5", "15E-1", "-2.", none),
            &$make!(f1, "time", Time, "09:30:15Z", "10:30:15.0+01:00", "09:30:16Z", none),
            &$make!(f1, "date", Date, "2002-09-24Z", "2002-09-24+00:00", "2002-09-24+01:00", none),
            &$make!(
                f1,
                "dateTime",
                DateTime,
                "2002-09-24T23:30:15Z",
                "2002-09-25T00:30:15+01:00",
                "2002-09-24T23:30:15-01:00",
                none
            ),
            &$make!(
                f1,
                "anyURI",
                AnyUri,
                "http://a.example/",
                "http://a.example/",
                "http://A.example/",
                none
            ),
            &$make!(f1, "hexBinary", HexBinary, "0FB7", "0fb7", "0FB8", none),
            &$make!(f1, "base64Binary", Base64Binary, "AQID", "AQ ID", "AQIE", none),
            &$make!(f1, "x500Name", X500Name, "cn=A B,o=C", "CN=a  b, O=c", "o=C,cn=A B", none),
            &$make!(f1, "rfc822Name", Rfc822Name, "a@sun.com", "a@SUN.com", "A@sun.com", none),
            &$make!(f3, "dayTimeDuration", DayTimeDuration, "P1DT2H", "PT26H", "-P1DT2H", none),
            &$make!(f3, "yearMonthDuration", YearMonthDuration, "P1Y2M", "P14M", "P1Y", none),
            &$make!(f1, "dayTimeDuration", DayTimeDuration, "P1DT2H", "PT26H", "-P1DT2H", f3),
            &$make!(f1, "yearMonthDuration", YearMonthDuration, "P1Y2M", "P14M", "P1Y", f3),
        ]
    };
}
