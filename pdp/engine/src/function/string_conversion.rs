//! Values from strings and strings from values (XACML 3.0 appendix A.3.9).

use super::arguments::{Outcome, check_text, failure, give, text, value};
use super::row::STRING;
use super::{Call, Code, Family, Type};
use crate::model::StatusCode;
use crate::value::{DataType, Operand, Value};

const CLAUSE: &str = "A.3.9";

macro_rules! rows {
    ($name:literal, $type:ident, $written:literal, $canonical:literal, $bad:literal) => {
        [
            row!(
                f3!($name, "-from-string"); None; [STRING] -> Type::one(DataType::$type);
                CLAUSE; concat!("The value of type ", $name, " that a string denotes.");
                Code::Plain(|call, arguments| from_string(call, arguments, DataType::$type));
                [concat!("string:", $written)] => concat!($name, ":", $written),
                [concat!("string:", $bad)] => "error",
            ),
            row!(
                f3!("string-from-", $name); None; [Type::one(DataType::$type)] -> STRING;
                CLAUSE; concat!("The text of a value of type ", $name, ".");
                Code::Plain(string_from);
                [concat!($name, ":", $written)] => concat!("string:", $canonical),
                [concat!("string:", $written)] => "error",
            ),
        ]
    };
}

pub(super) const FAMILY: Family = Family {
    title: "From and to strings",
    clause: CLAUSE,
    rows: &[
        &rows!("boolean", Boolean, "1", "true", "yes"),
        &rows!("integer", Integer, "+07", "7", "1.0"),
        &rows!("double", Double, "-5.20", "-5.2E0", "five"),
        &rows!("time", Time, "08:23:47-05:00", "13:23:47Z", "8:23"),
        &rows!("date", Date, "2002-09-24-05:00", "2002-09-24-05:00", "2002-02-30"),
        &rows!(
            "dateTime",
            DateTime,
            "2002-03-22T22:23:47.50-05:00",
            "2002-03-23T03:23:47.5Z",
            "2002-03-22"
        ),
        &rows!(
            "anyURI",
            AnyUri,
            "http://a.example/?q",
            "http://a.example/?q",
            "http://a.example/%zz"
        ),
        &rows!("dayTimeDuration", DayTimeDuration, "PT26H", "P1DT2H", "P1Y"),
        &rows!("yearMonthDuration", YearMonthDuration, "P14M", "P1Y2M", "P1D"),
        &rows!(
            "x500Name",
            X500Name,
            "CN=John Smith, O=Medico",
            "CN=John Smith, O=Medico",
            "John Smith"
        ),
        &rows!("rfc822Name", Rfc822Name, "Anderson@SUN.com", "Anderson@SUN.com", "sun.com"),
        &rows!(
            "ipAddress",
            IpAddress,
            "192.168.1.10/255.255.255.0:8080",
            "192.168.1.10/255.255.255.0:8080",
            "192.168.1"
        ),
        &rows!("dnsName", DnsName, "*.example.com:80-", "*.example.com:80-", "www.*.com"),
    ],
};

fn from_string<'a>(call: &Call<'a>, arguments: &[Operand<'a>], data_type: DataType) -> Outcome<'a> {
    let text = text(arguments, 0)?;
    check_text(call, text.len())?;
    match Value::parse(data_type, text, call.arena) {
        Ok(value) => give(value),
        Err(error) => Err(failure(call, StatusCode::SyntaxError, format_args!("{error}"))),
    }
}

fn string_from<'a>(call: &Call<'a>, arguments: &[Operand<'a>]) -> Outcome<'a> {
    let text = value(arguments, 0)?.canonical(call.arena);
    check_text(call, text.len())?;
    give(Value::string(text))
}
