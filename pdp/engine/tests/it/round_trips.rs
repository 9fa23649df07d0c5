//! Properties of readers and writers: what is written is read back, and no bytes make a reader panic.

use pdp_engine::format::cursor::ReadLimits;
use pdp_engine::format::{xacml3_json, xacml3_xml};
use pdp_engine::model::{
    Answer, AssignedValue, Decision, NoticeKind, OwnedAttribute, OwnedCategory, OwnedRequest,
    RequestOptions, ReturnedNotice, Status,
};
use pdp_engine::value::{Arena, DataType, OwnedValue, Value};
use proptest::prelude::*;

use crate::formats::{listing, read_json, read_xml};

/// Any text that XML can hold.
fn xml_text() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        4 => any::<char>(),
        2 => proptest::sample::select(vec!['<', '>', '&', '"', '\'', ']', '\r', '\n', '\t', ' ', ';', '#']),
    ];
    proptest::collection::vec(character, 0..40).prop_map(|characters| {
        characters
            .into_iter()
            .filter(|c| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{FFFD}' | '\u{10000}'..))
            .collect()
    })
}

/// A text without blanks at its ends, as identifiers are.
fn identifier() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9:/<>&\"'é-]{1,12}"
}

fn value() -> impl Strategy<Value = OwnedValue> {
    let parsed = |data_type: DataType, text: String| {
        let arena = Arena::new();
        let text: &str = arena.alloc_str(&text);
        OwnedValue::from(&Value::parse(data_type, text, &arena).expect("a text of its type"))
    };
    prop_oneof![
        xml_text().prop_map(move |text| parsed(DataType::String, text)),
        "[+-]?[0-9]{1,30}".prop_map(move |text| parsed(DataType::Integer, text)),
        "-?[0-9]{1,5}(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,2})?|INF|-INF|NaN"
            .prop_map(move |text| parsed(DataType::Double, text)),
        "true|false|0|1".prop_map(move |text| parsed(DataType::Boolean, text)),
        "20[0-9]{2}-0[1-9]-1[0-9](Z|[+]05:30)?".prop_map(move |text| parsed(DataType::Date, text)),
        xml_text().prop_map(|text| OwnedValue::from(&Value::foreign("urn:own", &text))),
        ("[/a-z:\\[\\]<>&]{1,20}", identifier(), "[a-wyz][a-z0-9]{0,3}", identifier()).prop_map(
            |(path, category, prefix, uri)| {
                OwnedValue::xpath(&path, &category, [(prefix.as_str(), uri.as_str())])
                    .expect("a path and a category")
            }
        ),
    ]
}

prop_compose! {
    fn attribute()(
        id in identifier(),
        issuer in proptest::option::of(xml_text()),
        include_in_result in any::<bool>(),
        values in proptest::collection::vec(value(), 1..4),
    ) -> OwnedAttribute {
        OwnedAttribute { id, issuer, include_in_result, values }
    }
}

prop_compose! {
    fn category()(
        category in identifier(),
        xml_id in proptest::option::of("[a-z]{1,4}"),
        attributes in proptest::collection::vec(attribute(), 0..3),
    ) -> OwnedCategory {
        OwnedCategory { category, xml_id, content: None, attributes }
    }
}

prop_compose! {
    fn request()(
        return_policy_ids in any::<bool>(),
        combined_decision in any::<bool>(),
        categories in proptest::collection::vec(category(), 1..4),
        references in proptest::collection::vec(proptest::collection::vec("[a-z]{1,4}", 1..3), 0..3),
    ) -> OwnedRequest {
        let options = RequestOptions { return_policy_ids, combined_decision };
        OwnedRequest { options, categories, references }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn requests_come_back_from_either_format(request in request()) {
        let expected = listing(&request);
        let mut xml = Vec::new();
        xacml3_xml::request::write(&request, &mut xml);
        let read = read_xml(&xml);
        prop_assert_eq!(&listing(&read.expect("what was written")), &expected);
        let mut json = Vec::new();
        xacml3_json::request::write(&request, &mut json);
        let read = read_json(&json);
        prop_assert_eq!(listing(&read.expect("what was written")), expected);
    }

    #[test]
    fn texts_come_back_from_xml(text in xml_text()) {
        let arena = Arena::new();
        let assignment = AssignedValue {
            attribute_id: "a",
            category: None,
            issuer: Some(&text),
            value: Value::string(&text),
        };
        let assignments = [assignment];
        let notices = [ReturnedNotice { kind: NoticeKind::Advice, id: "n", assignments: &assignments }];
        let answers = [Answer {
            decision: Decision::Deny,
            status: Status::OK,
            notices: &notices,
            attributes: &[],
            policies: &[],
        }];
        for json in [false, true] {
            let mut out = Vec::new();
            let read = if json {
                xacml3_json::response::write(&answers, &arena, &mut out);
                xacml3_json::response::read(&out, &ReadLimits::REQUEST)
            } else {
                xacml3_xml::response::write(&answers, &arena, &mut out);
                xacml3_xml::response::read(&out, &ReadLimits::REQUEST)
            };
            let read = read.expect("what was written");
            let assignment = &read.results[0].advice[0].assignments[0];
            prop_assert_eq!(assignment.value.as_value().as_string(), Some(text.as_str()));
            prop_assert_eq!(assignment.issuer.as_deref(), Some(text.as_str()));
        }
    }

    #[test]
    fn a_replayed_request_is_the_same(request in request()) {
        let arena = Arena::new();
        let mut recorder = pdp_engine::model::Recorder::new(&arena);
        request.replay(&mut recorder);
        prop_assert_eq!(listing(&recorder.finish()), listing(&request));
    }

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        read_all(&bytes);
    }

    #[test]
    fn no_markup_makes_a_reader_panic(pieces in proptest::collection::vec(0..PIECES.len(), 0..40)) {
        let document: String = pieces.iter().map(|piece| PIECES[*piece]).collect();
        read_all(document.as_bytes());
        read_all(format!("{HEAD}{document}").as_bytes());
        read_all(format!("{{\"Request\":{{\"Action\":{document}").as_bytes());
    }

    #[test]
    fn no_damage_to_a_document_makes_a_reader_panic(
        at in any::<proptest::sample::Index>(),
        byte in any::<u8>(),
        cut in any::<proptest::sample::Index>(),
        request in request(),
    ) {
        let mut xml = POLICY.as_bytes().to_vec();
        let mut json = Vec::new();
        xacml3_json::request::write(&request, &mut json);
        let mut other = Vec::new();
        xacml3_xml::request::write(&request, &mut other);
        for document in [&mut xml, &mut json, &mut other] {
            let place = at.index(document.len());
            document[place] = byte;
            read_all(document);
            document.truncate(cut.index(document.len()));
            read_all(document);
        }
    }
}

const HEAD: &str = "<Policy xmlns='urn:oasis:names:tc:xacml:3.0:core:schema:wd-17' PolicyId='p' Version='1' RuleCombiningAlgId='a'>";

const POLICY: &str = r#"<?xml version="1.0"?><Policy xmlns="urn:oasis:names:tc:xacml:3.0:core:schema:wd-17" xmlns:k="urn:k" PolicyId="p" Version="1.0" RuleCombiningAlgId="a"><Description>d <![CDATA[x]]></Description><Target><AnyOf><AllOf><Match MatchId="m"><AttributeValue DataType="t">v&#233;</AttributeValue><AttributeSelector Category="c" Path="//k:x" DataType="t" MustBePresent="false"/></Match></AllOf></AnyOf></Target><!-- c --><Rule RuleId="r" Effect="Permit"><Condition><Apply FunctionId="f"><Function FunctionId="g"/></Apply></Condition></Rule></Policy>"#;

const PIECES: [&str; 34] = [
    "<",
    ">",
    "/",
    "</",
    "/>",
    "<a",
    "<a>",
    "</a>",
    "<a/>",
    "<Target/>",
    "<Rule",
    "'",
    "\"",
    "=",
    " x='1'",
    " xmlns='u'",
    " xmlns:p='u'",
    "p:",
    "&",
    "&amp;",
    "&#x41;",
    ";",
    "<![CDATA[",
    "]]>",
    "<!--",
    "-->",
    "<?x ",
    "?>",
    "<!DOCTYPE a",
    "[",
    "]",
    "{",
    "}",
    "\u{FEFF}",
];

/// Every reader on the same bytes: what it answers does not matter.
fn read_all(bytes: &[u8]) {
    let _ = xacml3_xml::policy::read(bytes, &ReadLimits::POLICY);
    let _ = read_xml(bytes);
    let _ = read_json(bytes);
    let _ = xacml3_xml::response::read(bytes, &ReadLimits::REQUEST);
    let _ = xacml3_json::response::read(bytes, &ReadLimits::REQUEST);
}

#[test]
fn equal_content_is_equal_wherever_it_stands() {
    let read = |text: &str| xacml3_xml::policy::read(text.as_bytes(), &ReadLimits::POLICY).unwrap();
    let policy = read(POLICY);
    let moved = read(&POLICY.replace("<Target>", "\n <Target>").replace("<Apply", "\n<Apply"));
    assert!(policy.same_content(&moved) && policy != moved);
    for (from, to) in [
        ("RuleId=\"r\"", "RuleId=\"s\""),
        ("Effect=\"Permit\"", "Effect=\"Deny\""),
        ("Version=\"1.0\"", "Version=\"1\""),
        ("Description>d", "Description>e"),
        ("v&#233;", "v"),
        ("//k:x", "//k:y"),
        ("urn:k", "urn:l"),
        ("FunctionId=\"g\"", "FunctionId=\"h\""),
        ("<Function FunctionId=\"g\"/>", "<VariableReference VariableId=\"g\"/>"),
        ("<Function FunctionId=\"g\"/>", ""),
        ("MustBePresent=\"false\"", "MustBePresent=\"true\""),
    ] {
        let other = read(&POLICY.replacen(from, to, 1));
        assert!(!policy.same_content(&other), "{from} and {to}");
    }
}
