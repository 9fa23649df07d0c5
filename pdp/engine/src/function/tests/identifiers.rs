//! No identifier of the standard is missing, and none is there that it does not have.

use super::*;

/// Types with an equality function.
const EQUAL: &str = "string boolean integer double time date dateTime anyURI hexBinary base64Binary x500Name rfc822Name";
const DURATIONS: &str = "dayTimeDuration yearMonthDuration";
/// Types that strings convert to and from.
const STRINGS: &str = "boolean integer double time date dateTime anyURI dayTimeDuration yearMonthDuration x500Name rfc822Name ipAddress dnsName";

/// Version, types (`-` for none), names with `T` for the type.
const TABLE: &[(&str, &str, &str)] = &[
    (
        "1.0",
        EQUAL,
        "T-equal T-one-and-only T-bag-size T-is-in T-bag T-intersection T-union T-at-least-one-member-of T-subset T-set-equals",
    ),
    (
        "3.0",
        DURATIONS,
        "T-equal T-one-and-only T-bag-size T-is-in T-bag T-intersection T-union T-at-least-one-member-of T-subset T-set-equals",
    ),
    (
        "1.0",
        DURATIONS,
        "T-equal T-one-and-only T-bag-size T-is-in T-bag T-intersection T-union T-at-least-one-member-of T-subset T-set-equals",
    ),
    ("2.0", "ipAddress dnsName", "T-one-and-only T-bag-size T-bag"),
    ("3.0", "-", "string-equal-ignore-case"),
    ("1.0", "integer double", "T-add T-subtract T-multiply T-divide T-abs"),
    (
        "1.0",
        "-",
        "integer-mod round floor string-normalize-space string-normalize-to-lower-case double-to-integer integer-to-double",
    ),
    (
        "1.0",
        "integer double string time dateTime date",
        "T-greater-than T-greater-than-or-equal T-less-than T-less-than-or-equal",
    ),
    ("2.0", "-", "time-in-range string-concatenate uri-string-concatenate"),
    ("3.0", "-", "time-in-recurring-range"),
    ("1.0", "-", "or and n-of not"),
    (
        "3.0",
        "-",
        "dateTime-add-dayTimeDuration dateTime-add-yearMonthDuration dateTime-subtract-dayTimeDuration dateTime-subtract-yearMonthDuration date-add-yearMonthDuration date-subtract-yearMonthDuration",
    ),
    (
        "1.0",
        "-",
        "dateTime-add-dayTimeDuration dateTime-add-yearMonthDuration dateTime-subtract-dayTimeDuration dateTime-subtract-yearMonthDuration date-add-yearMonthDuration date-subtract-yearMonthDuration",
    ),
    ("3.0", STRINGS, "T-from-string string-from-T"),
    ("3.0", "string anyURI", "T-starts-with T-ends-with T-contains T-substring"),
    ("3.0", "-", "any-of all-of any-of-any map"),
    ("1.0", "-", "any-of all-of any-of-any map all-of-any any-of-all all-of-all"),
    ("1.0", "-", "string-regexp-match x500Name-match rfc822Name-match"),
    ("2.0", "anyURI ipAddress dnsName rfc822Name x500Name", "T-regexp-match"),
    ("3.0", "-", "xpath-node-count xpath-node-equal xpath-node-match access-permitted"),
    ("1.0", "-", "xpath-node-count xpath-node-equal xpath-node-match"),
];

#[test]
fn every_identifier_is_there() {
    let mut expected = BTreeSet::new();
    for (version, types, names) in TABLE {
        for data_type in types.split(' ') {
            for name in names.split(' ') {
                let name = match data_type {
                    "-" => name.to_owned(),
                    _ => name
                        .split('-')
                        .map(|part| if part == "T" { data_type } else { part })
                        .collect::<Vec<_>>()
                        .join("-"),
                };
                expected.insert(format!("urn:oasis:names:tc:xacml:{version}:function:{name}"));
            }
        }
    }
    let there: BTreeSet<String> = all().map(|row| row.id.to_owned()).collect();
    let missing: Vec<_> = expected.difference(&there).collect();
    let surplus: Vec<_> = there.difference(&expected).collect();
    assert!(missing.is_empty() && surplus.is_empty(), "missing {missing:#?}\nsurplus {surplus:#?}");
}

#[test]
fn each_type_has_its_equality() {
    for data_type in DataType::ALL {
        let row = equality_of(data_type);
        let has_none = matches!(
            data_type,
            DataType::IpAddress | DataType::DnsName | DataType::XPathExpression
        );
        assert_eq!(row.is_none(), has_none, "{data_type}");
    }
}
