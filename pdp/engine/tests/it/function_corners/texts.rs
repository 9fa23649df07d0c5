//! Strings, names and what is made of texts.

use super::check;

#[test]
fn strings() {
    check(&[
        ("1.0 string-equal", &["string: a", "string:a"], "boolean:false"),
        ("3.0 string-equal-ignore-case", &["string:ÀB", "string:àb"], "boolean:true"),
        ("1.0 string-greater-than", &["string:é", "string:z"], "boolean:true"),
        ("1.0 string-less-than", &["string:", "string:a"], "boolean:true"),
        ("1.0 string-normalize-space", &["string:\t\r\n a  b \n"], "string:a  b"),
        ("1.0 string-normalize-space", &["string:\u{a0}a"], "string:\u{a0}a"),
        (
            "2.0 string-concatenate",
            &["string:a", "string:b", "string:c", "string:d", "string:e"],
            "string:abcde",
        ),
        ("2.0 string-concatenate", &["string:a"], "error"),
        (
            "2.0 uri-string-concatenate",
            &["anyURI:urn:a", "string::b", "string:/c"],
            "anyURI:urn:a:b/c",
        ),
        ("2.0 uri-string-concatenate", &["string:urn:a", "string:b"], "error"),
        ("3.0 string-starts-with", &["string:", "string:abc"], "boolean:true"),
        ("3.0 string-ends-with", &["string:abcd", "string:bcd"], "boolean:false"),
        ("3.0 string-contains", &["string:abc", "string:b"], "boolean:false"),
        ("3.0 anyURI-contains", &["anyURI:a", "anyURI:abc"], "error"),
        ("3.0 string-substring", &["string:abc", "integer:3", "integer:-1"], "string:"),
        ("3.0 string-substring", &["string:abc", "integer:3", "integer:3"], "string:"),
        ("3.0 string-substring", &["string:abc", "integer:4", "integer:-1"], "error"),
        ("3.0 string-substring", &["string:abc", "integer:0", "integer:4"], "error"),
        ("3.0 string-substring", &["string:äöü", "integer:1", "integer:3"], "string:öü"),
        (
            "3.0 string-substring",
            &["string:abc", "integer:0", "integer:99999999999999999999"],
            "error",
        ),
        ("3.0 string-substring", &["string:", "integer:0", "integer:-1"], "string:"),
        ("3.0 anyURI-substring", &["anyURI:urn:a", "integer:4", "integer:5"], "string:a"),
        ("1.0 string-regexp-match", &["string:", "string:abc"], "boolean:true"),
        ("1.0 string-regexp-match", &["string:a.c", "string:a\nc"], "boolean:false"),
        ("1.0 string-regexp-match", &["string:b c", "string:ab cd"], "boolean:true"),
        ("1.0 string-regexp-match", &[r"string:(a)\1", "string:baab"], "boolean:true"),
        ("1.0 string-regexp-match", &["string:a{2,3}?$", "string:baaa"], "boolean:true"),
        ("1.0 string-regexp-match", &[r"string:\bword", "string:word"], "error"),
        ("1.0 string-regexp-match", &["string:(?=a)", "string:a"], "error"),
        ("1.0 string-regexp-match", &["string:a", "anyURI:a"], "error"),
        ("2.0 rfc822Name-regexp-match", &["string:@SUN", "rfc822Name:a@SUN.com"], "boolean:true"),
    ]);
}

#[test]
fn names() {
    check(&[
        ("1.0 rfc822Name-equal", &["rfc822Name:a@B.C", "rfc822Name:a@b.c"], "boolean:true"),
        ("1.0 rfc822Name-match", &["string:.sun.com", "rfc822Name:a@SUN.com"], "boolean:true"),
        ("1.0 rfc822Name-match", &["string:un.com", "rfc822Name:a@sun.com"], "boolean:false"),
        (
            "1.0 rfc822Name-match",
            &["string:.east.sun.com", "rfc822Name:a@west.sun.com"],
            "boolean:false",
        ),
        ("1.0 rfc822Name-match", &["string:A@sun.com", "rfc822Name:a@sun.com"], "boolean:false"),
        (
            "1.0 x500Name-equal",
            &["x500Name:CN=a+OU=b,C=us", "x500Name:ou=B + cn=A , c=US"],
            "boolean:true",
        ),
        ("1.0 x500Name-equal", &["x500Name:cn=a,c=us", "x500Name:c=us,cn=a"], "boolean:false"),
        ("1.0 x500Name-equal", &[r"x500Name:o=a\,b", "x500Name:o=\"a,b\""], "boolean:true"),
        ("1.0 x500Name-match", &["x500Name:c=US", "x500Name:cn=a,o=b,C=us"], "boolean:true"),
        ("1.0 x500Name-match", &["x500Name:o=b", "x500Name:cn=a,o=b,C=us"], "boolean:false"),
        ("1.0 hexBinary-equal", &["hexBinary:0aFf", "hexBinary:0AfF"], "boolean:true"),
        ("1.0 base64Binary-equal", &["base64Binary:AAA=", "base64Binary:A A A ="], "boolean:true"),
        ("1.0 anyURI-equal", &["anyURI: urn:a ", "anyURI:urn:a"], "boolean:true"),
    ]);
}

#[test]
fn conversions() {
    check(&[
        ("3.0 boolean-from-string", &["string: true "], "boolean:true"),
        ("3.0 boolean-from-string", &["string:True"], "error"),
        ("3.0 integer-from-string", &["string:\n-007 "], "integer:-7"),
        ("3.0 integer-from-string", &["string:"], "error"),
        ("3.0 integer-from-string", &["string:0x10"], "error"),
        ("3.0 double-from-string", &["string:-INF"], "double:-INF"),
        ("3.0 double-from-string", &["string:+INF"], "error"),
        ("3.0 double-from-string", &["string:1,5"], "error"),
        ("3.0 time-from-string", &["string:25:00:00"], "error"),
        ("3.0 time-from-string", &["string:09:00"], "error"),
        ("3.0 date-from-string", &["string:2001-02-29"], "error"),
        ("3.0 date-from-string", &["string:2001-1-1"], "error"),
        ("3.0 dateTime-from-string", &["string:2001-01-01 00:00:00"], "error"),
        ("3.0 dateTime-from-string", &["string:2001-01-01T00:00:00+14:01"], "error"),
        ("3.0 dayTimeDuration-from-string", &["string:P1DT"], "error"),
        ("3.0 dayTimeDuration-from-string", &["string:PT1.S"], "error"),
        ("3.0 yearMonthDuration-from-string", &["string:-P1Y11M"], "yearMonthDuration:-P23M"),
        ("3.0 rfc822Name-from-string", &["string:a@b@c"], "rfc822Name:a@b@c"),
        ("3.0 rfc822Name-from-string", &["string:@b"], "error"),
        ("3.0 x500Name-from-string", &["string:CN=a,,C=b"], "error"),
        ("3.0 ipAddress-from-string", &["string:10.0.0.1/24"], "error"),
        (
            "3.0 ipAddress-from-string",
            &["string:[::1]/[ffff::]:80-90"],
            "ipAddress:[::1]/[ffff::]:80-90",
        ),
        ("3.0 ipAddress-from-string", &["string:::1"], "error"),
        ("3.0 dnsName-from-string", &["string:*.example.org:-443"], "dnsName:*.example.org:-443"),
        ("3.0 dnsName-from-string", &["string:a.*.org"], "error"),
        ("3.0 dnsName-from-string", &["string:example.org:"], "error"),
        ("3.0 string-from-boolean", &["boolean:0"], "string:false"),
        ("3.0 string-from-integer", &["integer:-0012"], "string:-12"),
        ("3.0 string-from-double", &["double:-INF"], "string:-INF"),
        ("3.0 string-from-double", &["double:0"], "string:0.0E0"),
        ("3.0 string-from-time", &["time:24:00:00"], "string:00:00:00"),
        ("3.0 string-from-date", &["date:12345-06-07Z"], "string:12345-06-07Z"),
        ("3.0 string-from-dayTimeDuration", &["dayTimeDuration:-PT36H"], "string:-P1DT12H"),
        ("3.0 string-from-yearMonthDuration", &["yearMonthDuration:P0Y"], "string:P0M"),
        ("3.0 string-from-dnsName", &["dnsName:Example.org:1-2"], "string:Example.org:1-2"),
    ]);
}
