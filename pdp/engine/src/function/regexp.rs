//! Matching by regular expression (XACML 3.0 appendix A.3.13). The pattern comes first.

use super::arguments::{Outcome, fault, give_boolean, spend, value};
use super::row::{BOOLEAN, STRING};
use super::{Call, Code, Family, Pattern, Type};
use crate::value::{DataType, Operand};

const CLAUSE: &str = "A.3.13";

macro_rules! rows {
    ($prefix:ident, $name:literal, $type:ident, $pattern:literal, $good:literal, $bad:literal) => {
        [row!(
            $prefix!($name, "-regexp-match"); None;
            [STRING, Type::one(DataType::$type)] -> BOOLEAN;
            CLAUSE; concat!("Whether a regular expression matches somewhere in the text of a value of type ", $name, ".");
            Code::Pattern(matches);
            [concat!("string:", $pattern), concat!($name, ":", $good)] => "boolean:true",
            [concat!("string:", $pattern), concat!($name, ":", $bad)] => "boolean:false",
            ["string:(", concat!($name, ":", $good)] => "error",
        )]
    };
}

pub(super) const FAMILY: Family = Family {
    title: "Regular expressions",
    clause: CLAUSE,
    rows: &[
        &rows!(f1, "string", String, r"\i\c*-[a-z-[aeiou]]$", "xml:name-x", "xml:name-a"),
        &rows!(f2, "anyURI", AnyUri, "^http://.+", "http://a.example", "https://a.example"),
        &rows!(
            f2,
            "ipAddress",
            IpAddress,
            r"^10\.(\d+\.){2}\d+(:80)?$",
            "10.1.2.3:80",
            "10.1.2.3/255.0.0.0"
        ),
        &rows!(f2, "dnsName", DnsName, r"\.org$", "example.org", "example.com"),
        &rows!(
            f2,
            "rfc822Name",
            Rfc822Name,
            r"^\p{Lu}[^@]*@.+",
            "Anderson@sun.com",
            "anderson@sun.com"
        ),
        &rows!(f2, "x500Name", X500Name, ".*o=Medico", "cn=A, o=Medico", "cn=A, O=Medico"),
    ],
};

fn matches<'a>(call: &Call<'a>, pattern: &Pattern, arguments: &[Operand<'a>]) -> Outcome<'a> {
    let text = value(arguments, 0)?.lexical(call.arena);
    spend(call, pattern.cost(text.len()))?;
    match pattern.try_match(text) {
        Ok(matches) => give_boolean(matches),
        Err(reason) => Err(fault(call, format_args!("{reason}"))),
    }
}
