//! Requests and responses in XML and JSON: what is read, what is refused and where, what is written.

use pdp_engine::error::ReadError;
use pdp_engine::format::cursor::ReadLimits;
use pdp_engine::format::xacml3_json::{self, request::read_expanding};
use pdp_engine::format::xacml3_xml;
use pdp_engine::model::{
    Answer, AssignedValue, Decision, MissingAttribute, NoticeKind, OwnedRequest, OwnedResponse,
    PolicyIdentifier, PolicyKind, Recorder, ReturnedAttribute, ReturnedNotice, Status, StatusCode,
};
use pdp_engine::value::{Arena, Data, DataType, Value};

const NAMESPACE: &str = "urn:oasis:names:tc:xacml:3.0:core:schema:wd-17";
const SUBJECT: &str = "urn:oasis:names:tc:xacml:1.0:subject-category:access-subject";
const XS: &str = "http://www.w3.org/2001/XMLSchema#";
const XPATH: &str = "urn:oasis:names:tc:xacml:3.0:data-type:xpathExpression";

pub(crate) fn read_xml(document: &[u8]) -> Result<OwnedRequest, ReadError> {
    let arena = Arena::new();
    let mut recorder = Recorder::new(&arena);
    xacml3_xml::request::read(document, &ReadLimits::REQUEST, &mut recorder)?;
    Ok(recorder.finish())
}

pub(crate) fn read_json(document: &[u8]) -> Result<OwnedRequest, ReadError> {
    let arena = Arena::new();
    let mut recorder = Recorder::new(&arena);
    xacml3_json::request::read(document, &ReadLimits::REQUEST, &mut recorder)?;
    Ok(recorder.finish())
}

/// A request, one line for each thing it says.
pub(crate) fn listing(request: &OwnedRequest) -> String {
    let arena = Arena::new();
    let mut lines = Vec::new();
    if request.options.return_policy_ids || request.options.combined_decision {
        lines.push(format!("{:?}", request.options));
    }
    for category in &request.categories {
        lines.push(format!("{} {:?}", category.category, category.xml_id));
        lines.extend(category.content.iter().map(|content| format!("  content {content}")));
        for attribute in &category.attributes {
            for value in &attribute.values {
                let value = value.as_value();
                let mut line = format!(
                    "  {} {:?} {} {} {}",
                    attribute.id,
                    attribute.issuer.as_deref().unwrap_or("-"),
                    attribute.include_in_result,
                    value.type_uri().rsplit(['#', ':']).next().unwrap(),
                    value.lexical(&arena),
                );
                if let Data::XPathExpression(expression) = value.data() {
                    let namespaces: Vec<_> = expression.namespaces().collect();
                    line.push_str(&format!(" over {} {namespaces:?}", expression.category()));
                }
                lines.push(line);
            }
        }
    }
    lines.extend(request.references.iter().map(|ids| format!("reference {ids:?}")));
    lines.join("\n")
}

fn outcome(read: Result<OwnedRequest, ReadError>) -> String {
    match read {
        Ok(request) => listing(&request),
        Err(error) => format!("{error} [{}]", error.code),
    }
}

#[track_caller]
fn check_xml(document: &str, expected: &str) {
    let found = outcome(read_xml(document.as_bytes()));
    assert_eq!(found, expected, "\nfound:\n{found}\nexpected:\n{expected}");
}

#[track_caller]
fn check_json(document: &str, expected: &str) {
    let found = outcome(read_json(document.as_bytes()));
    assert_eq!(found, expected, "\nfound:\n{found}\nexpected:\n{expected}");
}

/// A request with `body` from line 2 on.
fn request(body: &str) -> String {
    format!(
        "<Request xmlns='{NAMESPACE}' ReturnPolicyIdList='false' CombinedDecision='0'>\n{body}</Request>"
    )
}

/// A request with one value; the attribute begins on line 3.
fn value(value: &str) -> String {
    request(&format!(
        "<Attributes Category='c'>\n<Attribute AttributeId='a' IncludeInResult='false'>{value}</Attribute></Attributes>"
    ))
}

#[test]
fn an_xml_request_is_read_whole() {
    check_xml(
        &format!(
            r#"<?xml version="1.0"?>
<q:Request xmlns:q="{NAMESPACE}" xmlns="urn:d" xmlns:m="urn:m&amp;m" ReturnPolicyIdList="1" CombinedDecision="true">
  <q:RequestDefaults><q:XPathVersion>http://www.w3.org/TR/1999/REC-xpath-19991116</q:XPathVersion></q:RequestDefaults>
  <q:Attributes Category="{SUBJECT}" xml:id="s">
    <q:Content>
      <m:record><x xmlns="">1</x></m:record>
    </q:Content>
    <q:Attribute AttributeId="a" Issuer=" me " IncludeInResult="true">
      <q:AttributeValue DataType="{XS}integer">
        007
      </q:AttributeValue>
      <q:AttributeValue DataType="{XS}string"> a &lt; b<![CDATA[ <c>]]> </q:AttributeValue>
      <q:AttributeValue DataType="urn:own"><b>x</b></q:AttributeValue>
    </q:Attribute>
    <q:Attribute AttributeId="p" IncludeInResult="0"><q:AttributeValue DataType="{XPATH}" XPathCategory="{SUBJECT}">
      //m:record </q:AttributeValue></q:Attribute>
  </q:Attributes>
  <q:Attributes Category="{SUBJECT}"/>
  <q:MultiRequests><q:RequestReference><q:AttributesReference ReferenceId="s"/><q:AttributesReference ReferenceId="t"/></q:RequestReference></q:MultiRequests>
</q:Request>"#
        ),
        &format!(
            r#"RequestOptions {{ return_policy_ids: true, combined_decision: true }}
{SUBJECT} Some("s")
  content <m:record xmlns:q="{NAMESPACE}" xmlns="urn:d" xmlns:m="urn:m&amp;m"><x xmlns="">1</x></m:record>
  a " me " true integer 007
  a " me " true string  a < b <c> 
  a " me " true own <b>x</b>
  p "-" false xpathExpression //m:record over {SUBJECT} [("q", "{NAMESPACE}"), ("m", "urn:m&m")]
{SUBJECT} None
reference ["s", "t"]"#
        ),
    );
}

#[test]
fn a_bad_xml_request_is_refused_with_its_place() {
    check_xml(&request(""), "1:1: `Request` needs at least one `Attributes` [xml-element]");
    check_xml(
        &format!("<Request xmlns='{NAMESPACE}' CombinedDecision='0'/>"),
        "1:1: `Request` needs the attribute `ReturnPolicyIdList` [xml-attribute]",
    );
    check_xml(
        &request("<Attributes Category='c'>\n <Attribute IncludeInResult='false'/></Attributes>"),
        "3:2: `Attribute` needs the attribute `AttributeId` [xml-attribute]",
    );
    check_xml(&value(""), "3:1: `Attribute` needs at least one `AttributeValue` [xml-element]");
    check_xml(
        &value(&format!("\n <AttributeValue DataType='{XS}integer'>seven</AttributeValue>")),
        "4:2: `seven` is not an integer: expected an optional sign and decimal digits [value]",
    );
    check_xml(
        &value(&format!("<AttributeValue DataType='{XS}string'><b/></AttributeValue>")),
        "3:119: `AttributeValue` holds text, not elements [xml-element]",
    );
    check_xml(
        &value(&format!("<AttributeValue DataType='{XPATH}'>/a</AttributeValue>")),
        "3:52: `/a` is not an xpathExpression: it needs an XPathCategory [value]",
    );
    check_xml(
        &request("<Attributes Category='c'><Content><a/><b/></Content></Attributes>"),
        "2:39: `Content` holds one element; this is a second one [xml-element]",
    );
    check_xml(
        &request("<Attributes Category='c'><Content>text</Content></Attributes>"),
        "2:35: `Content` holds one element and no text [xml-text]",
    );
    check_xml(
        &request("<Attributes Category='c'><Content><a><b></a></Content></Attributes>"),
        "2:41: `</b>` was expected here, not `</a>` [xml-syntax]",
    );
    check_xml(&request("<Subject/>"), "2:1: XACML 3.0 has no element `Subject` [xml-element]");
}

/// A JSON request with one attribute in one category.
fn attribute(members: &str) -> String {
    format!("{{\"Request\":{{\"Action\":{{\"Attribute\":{{{members}}}}}}}}}")
}

/// The values of a JSON attribute: `type text` each, or the error.
fn json_values(members: &str) -> String {
    match read_json(attribute(&format!("\"AttributeId\":\"a\",{members}")).as_bytes()) {
        Ok(request) => {
            let arena = Arena::new();
            let values = &request.categories[0].attributes[0].values;
            let values = values.iter().map(|value| {
                let value = value.as_value();
                format!("{} {}", value.data_type().short_name(), value.lexical(&arena))
            });
            values.collect::<Vec<_>>().join(", ")
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn json_types_are_inferred_or_named() {
    for (members, expected) in [
        (r#""Value":"x""#, "string x"),
        (r#""Value":"\u00e9\n\ud83d\ude00""#, "string é\n😀"),
        (r#""Value":true"#, "boolean true"),
        (r#""Value":-0"#, "integer -0"),
        (r#""Value":123456789012345678901234567890"#, "integer 123456789012345678901234567890"),
        (r#""Value":1.50"#, "double 1.50"),
        (r#""Value":1e3"#, "double 1e3"),
        (r#""Value":[1, 2.5, 3]"#, "double 1, double 2.5, double 3"),
        (r#""Value":[1, 2]"#, "integer 1, integer 2"),
        (r#""Value":[]"#, ""),
        (r#""Value":["7", 8],"DataType":"integer""#, "integer 7, integer 8"),
        (r#""DataType":"boolean","Value":"1""#, "boolean 1"),
        (r#""DataType":"double","Value":["INF","NaN",5]"#, "double INF, double NaN, double 5"),
        (
            r#""DataType":"http://www.w3.org/2001/XMLSchema#date","Value":"2024-02-29""#,
            "date 2024-02-29",
        ),
        (r#""DataType":"urn:own","Value":"x""#, "foreign x"),
        (
            r#""Value":{"XPathCategory":"Resource","XPath":" /a:b ","Namespaces":[{"Prefix":"a","Namespace":"urn:a"},{"Namespace":"urn:d"}]}"#,
            "xpathExpression /a:b",
        ),
    ] {
        assert_eq!(json_values(members), expected, "{members}");
    }
}

#[test]
fn bad_json_values_are_refused_with_their_pointer() {
    const AT: &str = "at /Request/Action/Attribute/Value";
    for (members, expected) in [
        (r#""Value":null"#, ": null is not a value"),
        (r#""Value":[1,null]"#, "/1: null is not a value"),
        (r#""Value":[[1]]"#, "/0: an array is not a value"),
        (
            r#""Value":["a",1]"#,
            "/1: a number after a string: the values of one array have one type",
        ),
        (
            r#""Value":["a",true]"#,
            "/1: a boolean after a string: the values of one array have one type",
        ),
        (r#""Value":5,"DataType":"string""#, ": a number is not a string; write it as a string"),
        (
            r#""Value":["x",true],"DataType":"anyURI""#,
            "/1: a boolean is not an anyURI; write it as a string",
        ),
        (
            r#""Value":1.5,"DataType":"integer""#,
            ": `1.5` is not an integer: expected an optional sign and decimal digits",
        ),
        (
            r#""Value":["2024-01-01","soon"],"DataType":"date""#,
            "/1: `soon` is not a date: expected a year of at least four digits, as in 2024-01-31",
        ),
        (r#""Value":"\ud800""#, ": the string holds half of a surrogate pair"),
        (r#""Value":{}"#, ": an xpathExpression needs the member `XPathCategory`"),
        (r#""Value":{"XPathCategory":"c"}"#, ": an xpathExpression needs the member `XPath`"),
        (
            r#""Value":{"XPathCategory":"c","XPath":"/a","Namespaces":[{"Prefix":"x y","Namespace":"u"}]}"#,
            "/Namespaces/0: `x y` cannot be declared as a prefix",
        ),
        (
            r#""Value":"/a","DataType":"xpathExpression""#,
            ": an xpathExpression is an object, not a string",
        ),
        (
            r#""Value":1,"DataType":"urn:own""#,
            ": `urn:own` is no known data type, so that a number cannot be read as one; write a string",
        ),
    ] {
        let found = json_values(members);
        let found = found.strip_prefix(AT).unwrap_or(&found);
        assert_eq!(found, expected, "{members}");
    }
}

#[test]
fn json_members_come_in_any_order_and_single_objects_are_taken() {
    check_json(
        r#" {"Request":{"MultiRequests":{"RequestReference":{"ReferenceId":"s"}},
            "Category":{"Attribute":[{"Value":5,"DataType":"double","AttributeId":"n","IncludeInResult":true,"Issuer":"i"}],"Id":"s","CategoryId":"urn:c"},
            "AccessSubject":[{"Content":"<?xml version='1.0'?> <!-- c --><a b='1'/>"},{"Content":"PGE+PC9hPg=="}],
            "ReturnPolicyIdList":true}} "#,
        &format!(
            "RequestOptions {{ return_policy_ids: true, combined_decision: false }}
urn:c Some(\"s\")
  n \"i\" true double 5
{SUBJECT} None
  content <a b='1'/>
{SUBJECT} None
  content <a></a>
reference [\"s\"]"
        ),
    );
    // A shorthand names a category under Category as well; an id that only looks like one stays.
    check_json(
        r#"{"Request":{"Category":[{"CategoryId":"AccessSubject","Attribute":[{"AttributeId":"subject-id","Value":"x"}]}]}}"#,
        &format!("{SUBJECT} None\n  subject-id \"-\" false string x"),
    );
}

#[test]
fn short_attribute_ids_are_expanded_on_demand_only() {
    let document = br#"{"Request":{"AccessSubject":{"Attribute":[{"AttributeId":"subject-id","Value":"x"},{"AttributeId":"other","Value":"x"}]}}}"#;
    let arena = Arena::new();
    for (as_written, expected) in
        [(true, "subject-id"), (false, "urn:oasis:names:tc:xacml:1.0:subject:subject-id")]
    {
        let mut recorder = Recorder::new(&arena);
        let meant = |category: &str, id: &str| {
            assert_eq!((category, id), (SUBJECT, "subject-id"));
            as_written
        };
        read_expanding(document, &ReadLimits::REQUEST, &meant, &mut recorder).unwrap();
        let request = recorder.finish();
        assert_eq!(request.categories[0].attributes[0].id, expected);
        assert_eq!(request.categories[0].attributes[1].id, "other");
    }
}

#[test]
fn bad_json_requests_are_refused_with_their_pointer() {
    for (document, expected) in [
        ("", "at the top: EOF while parsing a value at line 1 column 0 [json-syntax]"),
        ("[]", "at the top: expected the document, found an array [json-type]"),
        ("{}", "at the top: the document needs the member `Request` [json-member]"),
        (r#"{"Request":{}}"#, "at /Request: a request needs at least one category [json-member]"),
        (
            r#"{"Request":{"Action":[]}} x"#,
            "at /Request: a request needs at least one category [json-member]",
        ),
        (
            r#"{"Request":{"Action":{}}} x"#,
            "at the top: trailing characters at line 1 column 27 [json-syntax]",
        ),
        (
            r#"{"Request":{"Action":{}},"Request":{}}"#,
            "at /Request: the member `Request` is there twice [json-member]",
        ),
        (
            r#"{"Request":{"Action":{"Id":"a","Id":"b"}}}"#,
            "at /Request/Action/Id: the member `Id` is there twice [json-member]",
        ),
        (
            r#"{"Request":{"Acton":{}}}"#,
            "at /Request: a request has no member `Acton`; did you mean `Action`? [json-member]",
        ),
        (
            r#"{"Request":{"Category":[{"CategoryId":"c"},{}]}}"#,
            "at /Request/Category/1: a category object needs the member `CategoryId` [json-member]",
        ),
        (
            r#"{"Request":{"Action":[{"Attribute":[{"AttributeId":"a"}]}]}}"#,
            "at /Request/Action/0/Attribute/0: an attribute object needs the member `Value` [json-member]",
        ),
        (
            r#"{"Request":{"Action":[{"Attribute":[{"Value":1}]}]}}"#,
            "at /Request/Action/0/Attribute/0: an attribute object needs the member `AttributeId` [json-member]",
        ),
        (
            r#"{"Request":{"Action":{"CategoryId":"other"}}}"#,
            "at /Request/Action: the category of `Action` is fixed; `other` is another one [json-member]",
        ),
        (
            r#"{"Request":{"Action":null}}"#,
            "at /Request/Action: expected an array, or a category object alone, found null [json-type]",
        ),
        (
            r#"{"Request":{"CombinedDecision":"true","Action":{}}}"#,
            "at /Request/CombinedDecision: expected a boolean, found string \"true\" [json-type]",
        ),
        (
            r#"{"Request":{"Action":{"Attribute":{"AttributeId":"a","Value":1,"DataType":"interger"}}}}"#,
            "at /Request/Action/Attribute/DataType: there is no data type `interger`; did you mean `integer`? [value]",
        ),
        (
            r#"{"Request":{"Action":{"Content":"<a>"}}}"#,
            "at /Request/Action/Content: the document ends before `</a>`, at 1:4 of the XML [xml-syntax]",
        ),
        (
            r#"{"Request":{"Action":{"Content":"?"}}}"#,
            "at /Request/Action/Content: Content is neither XML (it does not start with `<`) nor base64 [value]",
        ),
        (
            r#"{"Request":{"Action":{"Content":"<!DOCTYPE a><a/>"}}}"#,
            "at /Request/Action/Content: a document type declaration is not read; remove `<!DOCTYPE …>`, at 1:1 of the XML [xml-dtd]",
        ),
        (
            r#"{"Request":{"Action":{},"MultiRequests":{"RequestReference":[{"ReferenceId":["a",1]}]}}}"#,
            "at /Request/MultiRequests/RequestReference/0/ReferenceId/1: expected a string, found integer `1` [json-type]",
        ),
        (
            r#"{"Request":{"Action":{},"MultiRequests":{}}}"#,
            "at /Request/MultiRequests: MultiRequests needs the member `RequestReference` [json-member]",
        ),
        (
            r#"{"Request":{"Action":{}"#,
            "at /Request: EOF while parsing an object at line 1 column 23 [json-syntax]",
        ),
    ] {
        check_json(document, expected);
    }
    let bad = read_json(b"{\"a\":\n\"\xFF\"}").unwrap_err();
    assert_eq!(bad.to_string(), "at the top: byte 0xFF is not UTF-8 at line 2 column 2");
    let deep = format!(
        "{{\"Request\":{{\"Action\":{{\"Attribute\":{{\"AttributeId\":\"a\",\"Value\":{}",
        "[".repeat(1 << 20)
    );
    assert!(read_json(deep.as_bytes()).is_err());
}

#[test]
fn limits_of_json_requests() {
    let limits =
        ReadLimits { bytes: 200, attribute: 10, text: 20, nodes: 5, ..ReadLimits::REQUEST };
    let arena = Arena::new();
    let refused = |document: &str| {
        let document = arena.alloc_str(document);
        let mut recorder = Recorder::new(&arena);
        xacml3_json::request::read(document.as_bytes(), &limits, &mut recorder)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        refused(&" ".repeat(201)),
        "at the top: the document has 201 bytes; the limit `bytes` is 200"
    );
    assert_eq!(
        refused(&attribute(r#""AttributeId":"longer than ten","Value":1"#)),
        "at /Request/Action/Attribute/AttributeId: the text has 15 bytes; the limit `attribute` is 10"
    );
    assert_eq!(
        refused(&attribute(r#""AttributeId":"a","Value":"longer than all of twenty""#)),
        "at /Request/Action/Attribute/Value: the text has 25 bytes; the limit `text` is 20"
    );
    assert_eq!(
        refused(&attribute(r#""AttributeId":"a","Value":[1,2,3]"#)),
        "at /Request/Action/Attribute/Value/1: more objects and values than the limit `nodes`, 5"
    );
}

/// Hands an answer with every part to `check`.
fn with_answer(check: impl FnOnce(&[Answer<'_>], &Arena)) {
    let arena = Arena::new();
    let value = |data_type, text| Value::parse(data_type, text, &arena).unwrap();
    let version = "1.2".parse().unwrap();
    let path = Value::xpath("//m:a", "urn:res", [("m", "urn:m\"")], &arena).unwrap();
    let assign =
        |attribute_id, value| AssignedValue { attribute_id, category: None, issuer: None, value };
    let mail = [
        AssignedValue {
            category: Some("urn:c"),
            issuer: Some("<i>"),
            ..assign("to", Value::string("a & \"b\"\r\n"))
        },
        assign("count", value(DataType::Integer, "007")),
        assign("plain", Value::integer(7)),
        assign("share", value(DataType::Double, "5")),
        assign("infinite", Value::double(f64::INFINITY)),
        assign("late", value(DataType::Boolean, "1")),
        assign("path", path),
        assign("own", Value::foreign("urn:own", "<x/>")),
    ];
    let notices = [
        ReturnedNotice { kind: NoticeKind::Advice, id: "tell", assignments: &[] },
        ReturnedNotice { kind: NoticeKind::Obligation, id: "mail", assignments: &mail },
    ];
    let ids = [
        (DataType::String, Value::string("zoe")),
        (DataType::Integer, value(DataType::Integer, "1")),
        (DataType::Integer, value(DataType::Integer, "2")),
    ];
    let attribute = |category, id| ReturnedAttribute { category, id, issuer: None, values: &ids };
    let attributes =
        [attribute("urn:s", "id"), attribute("urn:s", "name"), attribute("urn:r", "id")];
    let policies = [
        PolicyIdentifier { kind: PolicyKind::PolicySet, id: "root", version: &version },
        PolicyIdentifier { kind: PolicyKind::Policy, id: "leaf", version: &version },
    ];
    let missing =
        MissingAttribute { category: "urn:s", id: "role", data_type: "urn:t", issuer: Some("hr") };
    let answers = [
        Answer {
            decision: Decision::Permit,
            status: Status::OK,
            notices: &notices,
            attributes: &attributes,
            policies: &policies,
        },
        Answer {
            decision: Decision::Indeterminate,
            status: Status {
                code: StatusCode::MissingAttribute,
                message: Some("no <role>"),
                missing: Some(missing),
            },
            notices: &[],
            attributes: &[],
            policies: &[],
        },
    ];
    check(&answers, &arena);
}

#[test]
fn responses_in_xml() {
    with_answer(|answers, arena| {
        let mut out = Vec::new();
        xacml3_xml::response::write(answers, arena, &mut out);
        let text = String::from_utf8(out).unwrap();
        let expected = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Response xmlns=\"{NAMESPACE}\">\
<Result><Decision>Permit</Decision><Status><StatusCode Value=\"urn:oasis:names:tc:xacml:1.0:status:ok\"/></Status>\
<Obligations><Obligation ObligationId=\"mail\">\
<AttributeAssignment AttributeId=\"to\" Category=\"urn:c\" Issuer=\"&lt;i&gt;\" DataType=\"{XS}string\">a &amp; \"b\"&#13;\n</AttributeAssignment>\
<AttributeAssignment AttributeId=\"count\" DataType=\"{XS}integer\">007</AttributeAssignment>\
<AttributeAssignment AttributeId=\"plain\" DataType=\"{XS}integer\">7</AttributeAssignment>\
<AttributeAssignment AttributeId=\"share\" DataType=\"{XS}double\">5</AttributeAssignment>\
<AttributeAssignment AttributeId=\"infinite\" DataType=\"{XS}double\">INF</AttributeAssignment>\
<AttributeAssignment AttributeId=\"late\" DataType=\"{XS}boolean\">1</AttributeAssignment>\
<AttributeAssignment AttributeId=\"path\" xmlns:m=\"urn:m&quot;\" XPathCategory=\"urn:res\" DataType=\"{XPATH}\">//m:a</AttributeAssignment>\
<AttributeAssignment AttributeId=\"own\" DataType=\"urn:own\">&lt;x/&gt;</AttributeAssignment>\
</Obligation></Obligations>\
<AssociatedAdvice><Advice AdviceId=\"tell\"></Advice></AssociatedAdvice>"
        );
        assert!(text.starts_with(&expected), "{text}");
        let expected = "<PolicyIdentifierList><PolicySetIdReference Version=\"1.2\">root</PolicySetIdReference>\
<PolicyIdReference Version=\"1.2\">leaf</PolicyIdReference></PolicyIdentifierList></Result>\
<Result><Decision>Indeterminate</Decision><Status><StatusCode Value=\"urn:oasis:names:tc:xacml:1.0:status:missing-attribute\"/>\
<StatusMessage>no &lt;role&gt;</StatusMessage>\
<StatusDetail><MissingAttributeDetail Category=\"urn:s\" AttributeId=\"role\" DataType=\"urn:t\" Issuer=\"hr\"/></StatusDetail></Status></Result></Response>\n";
        assert!(text.ends_with(expected), "{text}");
        assert_eq!(text.matches("<Attributes ").count(), 2, "grouped by category: {text}");
        check_whole(&xacml3_xml::response::read(text.as_bytes(), &ReadLimits::REQUEST).unwrap());
    });
}

#[test]
fn responses_in_json() {
    with_answer(|answers, arena| {
        let mut out = Vec::new();
        xacml3_json::response::write(answers, arena, &mut out);
        let text = String::from_utf8(out).unwrap();
        let expected = format!(
            r#"{{"Response":[{{"Decision":"Permit","Status":{{"StatusCode":{{"Value":"urn:oasis:names:tc:xacml:1.0:status:ok"}}}},"Obligations":[{{"Id":"mail","AttributeAssignment":[{{"AttributeId":"to","Value":"a & \"b\"\r\n","Category":"urn:c","Issuer":"<i>"}},{{"AttributeId":"count","Value":"007","DataType":"{XS}integer"}},{{"AttributeId":"plain","Value":7}},{{"AttributeId":"share","Value":5,"DataType":"{XS}double"}},{{"AttributeId":"infinite","Value":"INF","DataType":"{XS}double"}},{{"AttributeId":"late","Value":"1","DataType":"{XS}boolean"}},{{"AttributeId":"path","Value":{{"XPathCategory":"urn:res","XPath":"//m:a","Namespaces":[{{"Prefix":"m","Namespace":"urn:m\""}}]}},"DataType":"{XPATH}"}},{{"AttributeId":"own","Value":"<x/>","DataType":"urn:own"}}]}}],"AssociatedAdvice":[{{"Id":"tell"}}],"Category":[{{"CategoryId":"urn:s","Attribute":[{{"AttributeId":"id","IncludeInResult":true,"Value":"zoe"}},{{"AttributeId":"id","IncludeInResult":true,"Value":[1,2]}},{{"AttributeId":"name","#
        );
        assert!(text.starts_with(&expected), "{text}");
        let expected = r#""PolicyIdentifierList":{"PolicyIdReference":[{"Id":"leaf","Version":"1.2"}],"PolicySetIdReference":[{"Id":"root","Version":"1.2"}]}},{"Decision":"Indeterminate","Status":{"StatusCode":{"Value":"urn:oasis:names:tc:xacml:1.0:status:missing-attribute"},"StatusMessage":"no <role>","StatusDetail":[{"Category":"urn:s","AttributeId":"role","DataType":"urn:t","Issuer":"hr"}]}}]}"#;
        assert!(text.ends_with(expected), "{text}");
        check_whole(&xacml3_json::response::read(text.as_bytes(), &ReadLimits::REQUEST).unwrap());
    });
}

/// What the answer of [`with_answer`] reads back as, in either format.
fn check_whole(response: &OwnedResponse) {
    let arena = Arena::new();
    let [permit, missing] = &response.results[..] else { panic!("{response:?}") };
    assert_eq!(permit.decision, Decision::Permit);
    let values: Vec<_> = permit.obligations[0]
        .assignments
        .iter()
        .map(|assignment| {
            let value = assignment.value.as_value();
            (value.data_type(), arena.alloc_str(value.lexical(&arena)) as &str)
        })
        .collect();
    assert_eq!(
        values,
        [
            (DataType::String, "a & \"b\"\r\n"),
            (DataType::Integer, "007"),
            (DataType::Integer, "7"),
            (DataType::Double, "5"),
            (DataType::Double, "INF"),
            (DataType::Boolean, "1"),
            (DataType::XPathExpression, "//m:a"),
            (DataType::Foreign, "<x/>"),
        ]
    );
    assert_eq!(permit.advice[0].id, "tell");
    assert_eq!(permit.categories.len(), 2);
    assert_eq!(permit.policies.as_ref().unwrap().len(), 2);
    assert_eq!(missing.status.codes, [StatusCode::MissingAttribute.uri()]);
    assert_eq!(missing.status.message.as_deref(), Some("no <role>"));
    assert_eq!(missing.status.missing[0].issuer.as_deref(), Some("hr"));
    assert!(missing.policies.is_none());
}

#[test]
fn declarations_are_not_repeated_without_bound() {
    let declarations: String =
        (0..40).map(|n| format!(" xmlns:p{n}='{}'", "u".repeat(10_000))).collect();
    let value = format!("<AttributeValue DataType='{XPATH}' XPathCategory='c'>/a</AttributeValue>");
    let content = "<Attributes Category='c'><Content><a/></Content></Attributes>";
    let wide = |body: &str| request(body).replacen(" Return", &format!("{declarations} Return"), 1);
    for (body, place) in [
        (
            format!(
                "<Attributes Category='c'><Attribute AttributeId='a' IncludeInResult='0'>\n{}</Attribute></Attributes>",
                format!("{value}\n").repeat(100)
            ),
            "13:1",
        ),
        (format!("{content}\n").repeat(100), "12:35"),
    ] {
        check_xml(
            &wide(&body),
            &format!(
                "{place}: namespaces repeated for XPath and Content exceed the limit `bytes`, 4194304 [limit]"
            ),
        );
    }
    let many: String = (0..65).map(|n| format!(" xmlns:p{n}='u'")).collect();
    let refused = outcome(read_xml(format!("<Request{many}/>").as_bytes()));
    assert!(
        refused.ends_with("more namespace declarations in scope than the limit, 64 [limit]"),
        "{refused}"
    );
}
