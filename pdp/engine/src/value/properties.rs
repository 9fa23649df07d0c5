//! What holds for every value: round trips, equality and fingerprint, arithmetic.

use num_bigint::BigInt;
use proptest::prelude::*;

use super::*;

fn parse<'a>(data_type: DataType, text: &'a str, arena: &'a Arena) -> Value<'a> {
    Value::parse(data_type, text, arena).unwrap_or_else(|error| panic!("{error}"))
}

/// Texts of a type, right ones and nearly right ones.
fn texts(data_type: DataType) -> BoxedStrategy<String> {
    let pattern = match data_type {
        DataType::Boolean => "true|false|1|0",
        DataType::Integer => "[+-]?0{0,2}[0-9]{1,24}",
        DataType::Double => {
            "[+-]?[0-9]{1,3}(\\.[0-9]{0,3})?([eE][+-]?[0-9]{1,2})?|NaN|-?INF|-?0(\\.0)?"
        }
        DataType::Time => {
            "(0[0-9]|1[0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?(Z|[+-]0[0-9]:[0-5]0)?"
        }
        DataType::Date => "-?[0-9]{4}-0[1-9]-[0-2][1-8](Z|[+-]1[0-3]:[0-5]0)?",
        DataType::DateTime => {
            "-?[1-9]?[0-9]{4}-1[0-2]-[0-2][1-8]T[01][0-9]:[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?(Z|[+-]0[0-9]:[0-5]0)?"
        }
        DataType::DayTimeDuration => {
            "-?P[0-9]{1,3}DT[0-9]{1,2}H[0-9]{1,4}M[0-9]{1,4}(\\.[0-9]{1,9})?S|-?PT[0-9]{1,5}S|P0D"
        }
        DataType::YearMonthDuration => "-?P[0-9]{1,3}Y([0-9]{1,3}M)?|-?P[0-9]{1,4}M",
        DataType::AnyUri => "[a-z]{1,4}:[a-zA-Z0-9/._-]{1,8}(\\?[a-z]{0,3})?(#[a-z]{0,3})?",
        DataType::HexBinary => "([0-9a-fA-F]{2}){0,4}",
        DataType::Base64Binary => "([A-Za-z0-9+/]{4}){0,3}|[A-Za-z0-9+/][AQgw]==",
        DataType::Rfc822Name => "[a-zA-Z.@]{1,5}@[a-zA-Z.]{1,6}",
        DataType::X500Name => "[cC][nN] ?= ?[a-bA-B ]{1,4}( ?, ?[oO]=[a-bA-B\\\\,]{0,1}x)?",
        DataType::IpAddress => "1\\.[0-9]{1,2}\\.3\\.4(/255\\.255\\.0\\.0)?(:[0-9]{0,4})?",
        DataType::DnsName => "(\\*\\.)?[a-z]{1,3}\\.[a-z]{1,3}(:[1-9][0-9]{0,3}-?)?",
        _ => "[a-c ]{0,4}",
    };
    proptest::string::string_regex(pattern).expect("a good pattern").boxed()
}

fn any_typed() -> impl Strategy<Value = (DataType, String, String, String)> {
    proptest::sample::select(DataType::ALL.to_vec())
        .prop_filter("has more than text", |data_type| *data_type != DataType::XPathExpression)
        .prop_flat_map(|t| (Just(t), texts(t), texts(t), texts(t)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// The canonical form reads back as an equal value, is its own canonical form, and blanks
    /// around it do not count; the owned form is the same value.
    #[test]
    fn canonical_forms_read_back((data_type, text, _, _) in any_typed()) {
        let arena = Arena::new();
        let Ok(value) = Value::parse(data_type, &text, &arena) else { return Ok(()) };
        let canonical = value.canonical(&arena);
        let again = parse(data_type, canonical, &arena);
        match (value.data(), again.data()) {
            // A time that UTC puts into another day is equal by the clock alone.
            (Data::Time(a), Data::Time(b)) => prop_assert_eq!(a.nanos_of_day(0), b.nanos_of_day(0)),
            _ => prop_assert!(value.equals(&again, 0), "{text} {canonical}"),
        }
        prop_assert_eq!(again.canonical(&arena), canonical);
        if data_type != DataType::String {
            prop_assert_eq!(value.lexical(&arena), text.trim());
            let padded = format!("\n  {text}\t");
            prop_assert!(value.equals(&parse(data_type, &padded, &arena), 0));
        }
        let owned = OwnedValue::from(&value);
        prop_assert!(owned.as_value().equals(&value, 0));
        prop_assert_eq!(owned.as_value().lexical(&arena), value.lexical(&arena));
        prop_assert_eq!(owned.as_value().fingerprint(0), value.fingerprint(0));
        prop_assert_eq!(owned.as_value().type_uri(), value.type_uri());
    }

    /// Equality is an equivalence, the order agrees with it, and equal values share a fingerprint.
    #[test]
    fn equality_is_an_equivalence((data_type, a, b, c) in any_typed(), zone in -840..=840_i16) {
        let arena = Arena::new();
        let parsed = [&a, &b, &c].map(|text| Value::parse(data_type, text, &arena));
        let [Ok(a), Ok(b), Ok(c)] = parsed else { return Ok(()) };
        prop_assert!(a.equals(&a, zone));
        prop_assert_eq!(a.equals(&b, zone), b.equals(&a, zone));
        if a.equals(&b, zone) {
            prop_assert_eq!(a.fingerprint(zone), b.fingerprint(zone));
            prop_assert_eq!(a.equals(&c, zone), b.equals(&c, zone));
        }
        if let Some(order) = a.compare(&b, zone) {
            prop_assert_eq!(order.is_eq(), a.equals(&b, zone));
            prop_assert_eq!(b.compare(&a, zone), Some(order.reverse()));
        }
        // Values of other types differ, whatever their text.
        prop_assert!(data_type == DataType::Foreign || !a.equals(&Value::foreign("urn:x", "a"), zone));
    }

    /// Integers compute as big numbers do.
    #[test]
    fn integers_compute(a in "-?[1-9][0-9]{0,40}|0", b in "-?[1-9][0-9]{0,20}|0") {
        let arena = Arena::new();
        let [x, y] = [&a, &b].map(|text| parse(DataType::Integer, text, &arena).as_integer().expect("integer"));
        let [m, n] = [&a, &b].map(|text| text.parse::<BigInt>().expect("integer"));
        let text = |integer: Integer<'_>| integer.text(&arena).to_owned();
        prop_assert_eq!(x.add(y, &arena).map(text), Ok((&m + &n).to_string()));
        prop_assert_eq!(x.subtract(y, &arena).map(text), Ok((&m - &n).to_string()));
        prop_assert_eq!(x.multiply(y, &arena).map(text), Ok((&m * &n).to_string()));
        prop_assert_eq!(x.abs(&arena).text(&arena), a.trim_start_matches('-'));
        prop_assert_eq!(x.compare(y), m.cmp(&n));
        if b == "0" {
            prop_assert!(x.divide(y, &arena).is_none() && x.remainder(y, &arena).is_none());
        } else {
            prop_assert_eq!(x.divide(y, &arena).map(text), Some((&m / &n).to_string()));
            prop_assert_eq!(x.remainder(y, &arena).map(text), Some((&m % &n).to_string()));
        }
        // One form for one number: what fits 64 bits is small.
        prop_assert_eq!(matches!(x, Integer::Small(_)), a.parse::<i64>().is_ok());
    }

    /// Adding a duration and its opposite leads back; months keep or pin the day.
    #[test]
    fn dates_compute(text in texts(DataType::DateTime), seconds in -10_000_000_000..10_000_000_000_i64, nanos in 0..1_000_000_000_u32, months in -20_000..20_000_i64) {
        let arena = Arena::new();
        let Ok(value) = Value::parse(DataType::DateTime, &text, &arena) else { return Ok(()) };
        let Data::DateTime(start) = value.data() else { panic!("a dateTime") };
        let duration = DayTimeDuration { seconds, nanos };
        let there = start.add_duration(duration).expect("in range");
        let back = there.add_duration(duration.checked_neg().expect("in range")).expect("in range");
        prop_assert_eq!(start.instant(0), back.instant(0));
        let there = start.add_months(months).expect("in range");
        let back = there.add_months(-months).expect("in range");
        // Pinning loses at most three days.
        prop_assert!((0..=3 * 86_400).contains(&(start.instant(0).0 - back.instant(0).0)));
    }

    /// No text makes a parser panic.
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,20}|[-+PTZ0-9:.YMDHS]{0,24}|[cn=o,+\\\\\"#a-f ]{0,20}") {
        let arena = Arena::new();
        for data_type in DataType::ALL {
            if let Ok(value) = Value::parse(data_type, &text, &arena) {
                prop_assert_eq!(value.data_type(), data_type);
                let _ = value.canonical(&arena);
            }
        }
    }
}

/// Right and wrong lexical forms of the types that are not tested beside their parsers.
#[test]
fn lexical_forms() {
    let arena = Arena::new();
    let check = |data_type, good: &[&str], bad: &[&str]| {
        for text in good {
            assert!(Value::parse(data_type, text, &arena).is_ok(), "{data_type} `{text}`");
        }
        for text in bad {
            assert!(Value::parse(data_type, text, &arena).is_err(), "{data_type} `{text}`");
        }
    };
    let million = "9".repeat(1_000_000);
    let long = "9".repeat(MAX_INTEGER_DIGITS);
    check(
        DataType::Integer,
        &["0", "-0", "+7", "007", " \n12\t", "-9223372036854775808", "9223372036854775808", &long],
        &["", "+", "-", "1.0", "1e3", "0x1", "--1", "1 2", "١", &million],
    );
    check(
        DataType::Time,
        &[
            "00:00:00",
            "24:00:00",
            "24:00:00.000Z",
            "23:59:59.999999999999",
            "12:00:00-14:00",
            "12:00:00+14:00",
            "09:30:15.5",
        ],
        &[
            "",
            "9:30:00",
            "12:00",
            "24:00:01",
            "24:00:00.1",
            "25:00:00",
            "12:60:00",
            "12:00:60",
            "12:00:00.",
            "12:00:00+14:01",
            "12:00:00+15:00",
            "12:00:00z",
            "12:00:00 Z",
            "12:00:00+1:00",
            "12:00:00Zx",
        ],
    );
    check(
        DataType::Date,
        &[
            "2002-09-24",
            "1056-01-01",
            "-0044-03-15",
            "12345-01-01",
            "2000-02-29",
            "2024-02-29Z",
            "2002-09-24-14:00",
            "0000-01-01",
        ],
        &[
            "",
            "02-09-24",
            "2002-9-24",
            "2002-13-01",
            "2002-00-01",
            "2002-01-32",
            "2001-02-29",
            "1900-02-29",
            "02002-01-01",
            "2002-01-01T00:00:00",
            "+2002-01-01",
            "2002/01/01",
            "9999999999-01-01",
        ],
    );
    check(
        DataType::DateTime,
        &["2002-09-24T09:30:15", "2002-09-24T24:00:00", "-0001-12-31T23:59:59.1Z"],
        &[
            "2002-09-24",
            "2002-09-24 09:30:15",
            "2002-09-24t09:30:15",
            "2002-09-24T09:30",
            "2002-09-24T09:30:15+24:00",
        ],
    );
    check(
        DataType::DayTimeDuration,
        &["P1D", "PT1H", "-P1DT2H3M4.5S", "P0D", "PT0S", "PT36H", "P1DT0.000S", "PT1M30.5S"],
        &[
            "",
            "P",
            "PT",
            "P1DT",
            "1D",
            "P1Y",
            "P1M",
            "PT1D",
            "P1H",
            "PT1S1M",
            "P-1D",
            "PT.5S",
            "PT5.S",
            "P1.5D",
            "PT1H1H",
            "P1DT1H1",
            "+P1D",
            "P99999999999999999999D",
            "P1DTT1H",
        ],
    );
    check(
        DataType::YearMonthDuration,
        &["P1Y", "P14M", "-P1Y2M", "P0Y", "P0M"],
        &["", "P", "P1D", "P1Y2D", "P2M1Y", "1Y", "P1.5Y", "P1YT", "-P", "P99999999999999999999Y"],
    );
    check(DataType::HexBinary, &["", "0fB7", " 00 "], &["0", "0g", "0 0F", "0x00"]);
    check(
        DataType::Base64Binary,
        &["", "RXhhbXBsZQ==", "RXhh bXBs\nZQ = =", "AAAA"],
        &["RXhhbXBsZQ", "RXhhbXBsZQ=", "RXhhbXBsZR==", "R===", "____", "AAAA="],
    );
    check(
        DataType::Rfc822Name,
        &["Anderson@sun.com", "a@b@c", " x@y "],
        &["", "a", "@sun.com", "a@", "@"],
    );
    check(DataType::XPathExpression, &[], &["/a"]);
}

#[test]
fn equal_and_different() {
    let arena = Arena::new();
    let check = |data_type, a, b, expected| {
        let [x, y] = [parse(data_type, a, &arena), parse(data_type, b, &arena)];
        assert_eq!(x.equals(&y, 60), expected, "{data_type} `{a}` `{b}`");
    };
    check(DataType::Integer, "07", "7", true);
    check(DataType::Double, "NaN", "NaN", true);
    check(DataType::Double, "0", "-0", true);
    check(DataType::HexBinary, "0fb7", "0FB7", true);
    check(DataType::Base64Binary, "RXhh bXBsZQ==", "RXhhbXBsZQ==", true);
    check(DataType::Rfc822Name, "A@SUN.com", "A@sun.COM", true);
    check(DataType::Rfc822Name, "A@sun.com", "a@sun.com", false);
    check(DataType::DateTime, "2002-03-22T08:23:47-05:00", "2002-03-22T13:23:47Z", true);
    check(DataType::DateTime, "2002-03-22T24:00:00Z", "2002-03-23T00:00:00Z", true);
    check(DataType::DateTime, "2002-03-22T10:00:00", "2002-03-22T09:00:00Z", true);
    check(DataType::Date, "2002-03-22Z", "2002-03-22+01:00", false);
    check(DataType::Date, "2002-03-22+12:00", "2002-03-21-12:00", true);
    check(DataType::Time, "24:00:00Z", "00:00:00Z", true);
    check(DataType::Time, "08:00:00+09:00", "23:00:00Z", false);
    check(DataType::DayTimeDuration, "P1DT2H", "PT26H", true);
    check(DataType::DayTimeDuration, "-P0D", "PT0S", true);
    check(DataType::YearMonthDuration, "P1Y2M", "P14M", true);
    check(DataType::AnyUri, "http://A", "http://a", false);
    check(DataType::String, "a ", "a", false);
    assert!(!Value::string("a").equals(&Value::any_uri("a"), 0));
    let draft = "http://www.w3.org/TR/2002/WD-xquery-operators-20020816#dayTimeDuration";
    let old = Value::parse_typed(draft, "PT24H", &arena).expect("a duration");
    assert!(old.equals(&parse(DataType::DayTimeDuration, "P1D", &arena), 0));
    assert_eq!((old.type_uri(), old.lexical(&arena)), (draft, "PT24H"));
    assert_eq!(OwnedValue::from(&old).as_value().type_uri(), draft);
    assert_eq!(Value::string("x").fingerprint(0), fingerprint_str("x"));
}

#[test]
fn canonical_forms() {
    let arena = Arena::new();
    for (data_type, text, canonical) in [
        (DataType::Boolean, "1", "true"),
        (DataType::Integer, "+007", "7"),
        (DataType::Integer, "-00099999999999999999999", "-99999999999999999999"),
        (DataType::Integer, "-000", "0"),
        (DataType::DateTime, "2002-03-22T08:23:47-05:00", "2002-03-22T13:23:47Z"),
        (DataType::DateTime, "2002-03-22T08:23:47.500", "2002-03-22T08:23:47.5"),
        (DataType::DateTime, "-0044-03-15T24:00:00", "-0044-03-16T00:00:00"),
        (DataType::Time, "23:30:00-01:00", "00:30:00Z"),
        (DataType::Date, "2002-03-22-05:00", "2002-03-22-05:00"),
        (DataType::Date, "2002-10-10+13:00", "2002-10-09-11:00"),
        (DataType::Date, "2002-10-10-12:00", "2002-10-11+12:00"),
        (DataType::Date, "2002-10-10+00:00", "2002-10-10Z"),
        (DataType::DayTimeDuration, "PT26H", "P1DT2H"),
        (DataType::DayTimeDuration, "-PT90.50S", "-PT1M30.5S"),
        (DataType::DayTimeDuration, "-PT0.5S", "-PT0.5S"),
        (DataType::DayTimeDuration, "P0D", "PT0S"),
        (DataType::YearMonthDuration, "P14M", "P1Y2M"),
        (DataType::YearMonthDuration, "-P12M", "-P1Y"),
        (DataType::YearMonthDuration, "P0Y", "P0M"),
        (DataType::HexBinary, "0fb7", "0FB7"),
        (DataType::Base64Binary, "RXhh bXBsZQ==", "RXhhbXBsZQ=="),
        (DataType::X500Name, " CN=A , o=B ", "CN=A , o=B"),
        (DataType::Rfc822Name, "A@B.C", "A@B.C"),
        (DataType::AnyUri, " http://a/ ", "http://a/"),
        (DataType::String, " a ", " a "),
    ] {
        assert_eq!(
            parse(data_type, text, &arena).canonical(&arena),
            canonical,
            "{data_type} {text}"
        );
    }
}
