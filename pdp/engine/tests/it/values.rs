//! Values of requests, as both formats read them and as answers give them back (XACML 3.0 section
//! 10.2.7, XML Schema part 2, JSON profile section 3.3).

use pdp_engine::model::OwnedRequest;
use pdp_engine::value::{Arena, DataType};

use crate::formats::{read_json, read_xml};

const NAMESPACE: &str = "urn:oasis:names:tc:xacml:3.0:core:schema:wd-17";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('\r', "&#13;")
}

fn in_xml(type_uri: &str, text: &str) -> Result<OwnedRequest, String> {
    let document = format!(
        "<Request xmlns='{NAMESPACE}' ReturnPolicyIdList='false' CombinedDecision='false'>\
         <Attributes Category='urn:c'><Attribute AttributeId='a' IncludeInResult='true'>\
         <AttributeValue DataType='{type_uri}'>{}</AttributeValue></Attribute></Attributes></Request>",
        escaped(text)
    );
    read_xml(document.as_bytes()).map_err(|error| error.message)
}

/// The same with a value as JSON has it.
fn in_json(type_name: &str, raw: &str) -> Result<OwnedRequest, String> {
    let document = format!(
        "{{\"Request\":{{\"Category\":[{{\"CategoryId\":\"urn:c\",\"Attribute\":[{{\"AttributeId\":\"a\",\
         \"DataType\":\"{type_name}\",\"Value\":{raw}}}]}}]}}}}"
    );
    read_json(document.as_bytes()).map_err(|error| error.message)
}

/// Type and text of the one value.
fn value(request: &OwnedRequest) -> (String, String) {
    let value = request.categories[0].attributes[0].values[0].as_value();
    (value.type_uri().to_owned(), value.lexical(&Arena::new()).to_owned())
}

/// Type, texts that denote one of its values, and texts that denote none.
const FORMS: &[(DataType, &[&str], &[&str])] = &[
    (DataType::Boolean, &["true", "0"], &["", "TRUE", "yes", "01"]),
    (
        DataType::Integer,
        &["0", "-0", "+12", "007", "123456789012345678901234567890"],
        &["", "-", "1.0", "1e3", "1 2", "0x1", "٣"],
    ),
    (
        DataType::Double,
        &["1", "1.", ".5", "-1.5E-7", "1e10", "INF", "-INF", "NaN"],
        &["", ".", "+INF", "inf", "Infinity", "1e", "1,5", "0x1"],
    ),
    (
        DataType::Time,
        &[
            "00:00:00",
            "24:00:00",
            "23:59:59.999999999",
            "09:00:00Z",
            "09:00:00+14:00",
            "09:00:00-14:00",
        ],
        &[
            "24:00:01",
            "9:00:00",
            "09:00",
            "09:00:60",
            "09:00:00.",
            "09:00:00+14:01",
            "09:00:00 Z",
            "09:00:00z",
        ],
    ),
    (
        DataType::Date,
        &["2024-02-29", "1056-01-01", "-0044-03-15", "12345-01-01Z", "2001-01-01-14:00"],
        &[
            "2023-02-29",
            "2001-00-01",
            "2001-1-1",
            "01-01-01",
            "02001-01-01",
            "+2001-01-01",
            "2001-01-01T00:00:00",
        ],
    ),
    (
        DataType::DateTime,
        &["2001-12-31T24:00:00", "2001-01-01T00:00:00.5-05:00", "-0001-01-01T00:00:00Z"],
        &[
            "2001-01-01",
            "2001-01-01 00:00:00",
            "2001-01-01t00:00:00",
            "2001-01-01T00:00",
            "2001-04-31T00:00:00",
        ],
    ),
    (
        DataType::DayTimeDuration,
        &["P1D", "PT0S", "-P1DT2H3M4.5S", "PT36H", "P0D"],
        &["P", "PT", "P1DT", "P1Y", "P1M", "1D", "PT1M1H", "P-1D", "PT.5S", "+P1D"],
    ),
    (
        DataType::YearMonthDuration,
        &["P1Y", "P0M", "-P1Y13M"],
        &["P", "P1D", "P1M1Y", "P1.5Y", "PT1M"],
    ),
    (
        DataType::AnyUri,
        &["", "urn:a", "root", "http://h/a%20b?q#f"],
        &["%", "a#b#c", "http://[::1"],
    ),
    (DataType::HexBinary, &["", "0fB7"], &["0", "0g", "0f b7", "0x0f"]),
    (
        DataType::Base64Binary,
        &["", "AQID", "AQ==", "A Q I D"],
        &["A", "AQI", "A===", "AQ=", "****"],
    ),
    (DataType::Rfc822Name, &["a@b", "\"a@b\"@c", "A.B@Sun.com"], &["", "a", "a@", "@b"]),
    (DataType::X500Name, &["", "cn=A, o=B+ou=C", "CN=a\\,b"], &["cn", "cn=a,,c=b", "=a"]),
    (
        DataType::IpAddress,
        &["10.0.0.1", "10.0.0.1/255.0.0.0:80-90", "[::1]/[ffff::]:-80", "10.0.0.1:443-"],
        &["10.0.0", "10.0.0.256", "10.0.0.1/8", "::1", "10.0.0.1:70000"],
    ),
    (
        DataType::DnsName,
        &["example.org", "*.example.org:80", "localhost:1-"],
        &["", "a.*.org", "example.org:", "a_b.org", "-a.org"],
    ),
];

#[test]
fn both_formats_take_and_refuse_the_same_texts() {
    for (data_type, good, bad) in FORMS {
        let (uri, name) = (data_type.uri(), data_type.short_name());
        let json = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
        for text in *good {
            let expected = (uri.to_owned(), (*text).to_owned());
            // White space around a value is none of it; an answer has the text as it was written.
            for written in [(*text).to_owned(), format!("\n\t {text} \r\n")] {
                let read = in_xml(uri, &written);
                assert_eq!(read.as_ref().map(value), Ok(expected.clone()), "{name} `{written}`");
            }
            for type_name in [uri, name] {
                let read = in_json(type_name, &json(text));
                assert_eq!(read.as_ref().map(value), Ok(expected.clone()), "{name} `{text}`");
            }
        }
        for text in *bad {
            let (xml, json) = (in_xml(uri, text), in_json(name, &json(text)));
            let (Err(xml), Err(json)) = (&xml, &json) else {
                panic!("{name} `{text}` is read: {xml:?} {json:?}")
            };
            assert_eq!(xml, json, "{name} `{text}`");
        }
    }
}

#[test]
fn strings_keep_every_blank() {
    let read = in_xml(DataType::String.uri(), " a \n b\t").unwrap();
    assert_eq!(value(&read).1, " a \n b\t");
    let read = in_json("string", "\" a \\n b\\t\"").unwrap();
    assert_eq!(value(&read).1, " a \n b\t");
}

#[test]
fn old_duration_identifiers_come_back_as_they_were_written() {
    for start in [
        "http://www.w3.org/TR/2002/WD-xquery-operators-20020816#",
        "urn:oasis:names:tc:xacml:2.0:data-type:",
    ] {
        for (name, text) in [("dayTimeDuration", "P1D"), ("yearMonthDuration", "P1Y")] {
            let uri = format!("{start}{name}");
            let expected = (uri.clone(), text.to_owned());
            assert_eq!(in_xml(&uri, text).as_ref().map(value), Ok(expected.clone()));
            assert_eq!(in_json(&uri, &format!("\"{text}\"")).as_ref().map(value), Ok(expected));
        }
    }
}

#[test]
fn types_that_are_not_known_are_kept_and_misspelt_ones_refused_in_both_formats() {
    let expected = ("urn:my:type".to_owned(), " any text ".to_owned());
    assert_eq!(in_xml("urn:my:type", " any text ").as_ref().map(value), Ok(expected.clone()));
    assert_eq!(in_json("urn:my:type", "\" any text \"").as_ref().map(value), Ok(expected));
    for (name, xml, json) in [
        (
            "integr",
            "there is no data type `integr`; did you mean `http://www.w3.org/2001/XMLSchema#integer`?",
            "there is no data type `integr`; did you mean `integer`?",
        ),
        (
            "frobnicate",
            "there is no data type `frobnicate`; the identifier of one is a URI",
            "there is no data type `frobnicate`; the identifier of one is a URI",
        ),
    ] {
        assert_eq!(in_xml(name, "1").unwrap_err(), xml);
        assert_eq!(in_json(name, "\"1\"").unwrap_err(), json);
    }
    // Only JSON has short names.
    assert_eq!(
        in_xml("integer", "1").unwrap_err(),
        "there is no data type `integer`; did you mean `http://www.w3.org/2001/XMLSchema#integer`?"
    );
}

#[test]
fn numbers_of_json_are_read_as_they_are_written_or_refused() {
    let beyond = |text: &str| {
        Err(format!("{text} is beyond the numbers of a double; infinity is the string \"INF\""))
    };
    for (name, raw, expected) in [
        ("integer", "12345678901234567890123", Ok("12345678901234567890123")),
        ("integer", "-0", Ok("-0")),
        ("double", "1", Ok("1")),
        ("double", "-0.0", Ok("-0.0")),
        ("double", "1E308", Ok("1E308")),
        ("double", "1e-999", Ok("1e-999")),
        ("double", "1e999", beyond("1e999").map(|()| "")),
        ("double", "-1E400", beyond("-1E400").map(|()| "")),
        ("double", "\"1e999\"", Ok("1e999")),
        ("double", "\"-INF\"", Ok("-INF")),
        ("double", "\"NaN\"", Ok("NaN")),
        ("boolean", "true", Ok("true")),
        ("boolean", "\"0\"", Ok("0")),
    ] {
        let found = in_json(name, raw).map(|request| value(&request).1);
        assert_eq!(found, expected.map(str::to_owned), "{name} {raw}");
    }
    for (name, raw) in [
        ("integer", "1.0"),
        ("integer", "1e2"),
        ("integer", "true"),
        ("boolean", "1"),
        ("string", "1"),
        ("date", "2001"),
        ("double", "null"),
        ("urn:my:type", "1"),
    ] {
        assert!(in_json(name, raw).is_err(), "{name} {raw}");
    }
}
