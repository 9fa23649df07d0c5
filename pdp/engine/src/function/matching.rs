//! Matching of names (XACML 3.0 appendix A.3.14).

use super::arguments::{Outcome, data, give_boolean, text};
use super::row::{BOOLEAN, STRING};
use super::{Call, Code, Family, Row, Type};
use crate::value::{Data, DataType, Operand, domain, split_address, x500_ends_with};

const CLAUSE: &str = "A.3.14";
const X500: Type = Type::one(DataType::X500Name);

const ROWS: &[Row] = &[
    row!(
        f1!("x500Name-match"); None; [X500, X500] -> BOOLEAN;
        CLAUSE; "Whether the second name ends with the parts of the first.";
        Code::Plain(x500_match);
        ["x500Name:O=Medico Corp,C=US", "x500Name:cn=John Smith, o=Medico Corp, c=us"] => "boolean:true",
        ["x500Name:O=Medico Corp,C=US", r"x500Name:cn=John Smith\,O=Medico Corp, c=US"] => "boolean:false",
        ["x500Name:cn=A,c=US", "x500Name:c=US"] => "boolean:false",
        ["string:C=US", "x500Name:c=US"] => "error",
    ),
    row!(
        f1!("rfc822Name-match"); None; [STRING, Type::one(DataType::Rfc822Name)] -> BOOLEAN;
        CLAUSE; "Whether a mail address is the one named, is in the domain named, or, if the name begins with a dot, in the domain or below it.";
        Code::Plain(rfc822_match);
        ["string:Anderson@SUN.COM", "rfc822Name:Anderson@sun.com"] => "boolean:true",
        ["string:anderson@sun.com", "rfc822Name:Anderson@sun.com"] => "boolean:false",
        ["string:Sun.com", "rfc822Name:a@sun.COM"] => "boolean:true",
        ["string:sun.com", "rfc822Name:a@east.sun.com"] => "boolean:false",
        ["string:.sun.com", "rfc822Name:a@east.sun.com"] => "boolean:true",
        ["string:.sun.com", "rfc822Name:a@sun.com"] => "boolean:true",
        ["string:.sun.com", "rfc822Name:a@notsun.com"] => "boolean:false",
        ["rfc822Name:a@sun.com", "rfc822Name:a@sun.com"] => "error",
    ),
];

pub(super) const FAMILY: Family = Family { title: "Names", clause: CLAUSE, rows: &[ROWS] };

fn x500_match<'a>(_: &Call<'a>, arguments: &[Operand<'a>]) -> Outcome<'a> {
    let name = |data| match data {
        Data::X500Name(canonical) => Some(canonical),
        _ => None,
    };
    let (pattern, name) = (data(arguments, 0, name)?, data(arguments, 1, name)?);
    give_boolean(x500_ends_with(name, pattern))
}

fn rfc822_match<'a>(_: &Call<'a>, arguments: &[Operand<'a>]) -> Outcome<'a> {
    let pattern = text(arguments, 0)?;
    // Canonical: its domain is in lower case.
    let address = data(arguments, 1, |data| match data {
        Data::Rfc822Name(canonical) => Some(canonical),
        _ => None,
    })?;
    let domain = domain(address);
    let matches = if let Some((local, pattern)) = split_address(pattern) {
        let rest = address.strip_prefix(local).and_then(|rest| rest.strip_prefix('@'));
        rest == Some(domain) && same_lower(pattern, domain)
    } else if let Some(suffix) = pattern.strip_prefix('.') {
        same_lower(suffix, domain)
            || (domain.len() > pattern.len()
                && domain.is_char_boundary(domain.len() - pattern.len())
                && same_lower(pattern, &domain[domain.len() - pattern.len()..]))
    } else {
        same_lower(pattern, domain)
    };
    give_boolean(matches)
}

/// Whether a text in lower case equals one that is so already.
fn same_lower(text: &str, lower: &str) -> bool {
    if text.is_ascii() {
        text.eq_ignore_ascii_case(lower)
    } else {
        text.chars().flat_map(char::to_lowercase).eq(lower.chars())
    }
}
