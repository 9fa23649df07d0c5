//! Requests in the JSON profile of XACML, over HTTP.

use serde_json::{Value, json};

use crate::support::{Folder, Reply, Server, XACML};

const JSON: (&str, &str) = ("Content-Type", "application/xacml+json");

fn server() -> Server {
    Server::start(&Folder::new(&[]), &[])
}

fn post(server: &Server, body: &str) -> Reply {
    server.send("POST", XACML, &[JSON], body)
}

/// Attributes, and the members that come back for them beside id and flag.
#[test]
fn values_come_back_as_what_they_were_read_as() {
    let server = server();
    let rows = [
        (r#""Value": "x""#, json!({"Value": "x"})),
        (r#""Value": true"#, json!({"Value": true})),
        (r#""Value": 7"#, json!({"Value": 7})),
        (r#""Value": 1.5"#, json!({"Value": 1.5})),
        (r#""Value": [1, 2]"#, json!({"Value": [1, 2]})),
        (r#""Value": ["a"]"#, json!({"Value": "a"})),
        (r#""Value": "7", "DataType": "integer""#, json!({"Value": 7})),
        (
            r#""Value": "http://a/", "DataType": "anyURI""#,
            json!({"Value": "http://a/", "DataType": "http://www.w3.org/2001/XMLSchema#anyURI"}),
        ),
        (
            r#""Value": "INF", "DataType": "http://www.w3.org/2001/XMLSchema#double""#,
            json!({"Value": "INF", "DataType": "http://www.w3.org/2001/XMLSchema#double"}),
        ),
    ];
    for (members, expected) in rows {
        let body = format!(
            r#"{{"Request": {{"AccessSubject": {{"Attribute": {{"AttributeId": "a", "IncludeInResult": true, {members}}}}}}}}}"#
        );
        let reply = post(&server, &body);
        assert_eq!(reply.status, 200, "{members}: {}", reply.body);
        let mut found = reply.json()["Response"][0]["Category"][0]["Attribute"][0].clone();
        let object = found.as_object_mut().unwrap_or_else(|| panic!("{members}: {}", reply.body));
        object.remove("AttributeId");
        object.remove("IncludeInResult");
        assert_eq!(found, expected, "{members}: {}", reply.body);
    }
}

#[test]
fn digits_beyond_53_bits_are_kept() {
    let body = r#"{"Request": {"Resource": [{"Attribute": [{"AttributeId": "a", "IncludeInResult": true, "Value": 123456789012345678901234567890}]}]}}"#;
    let reply = post(&server(), body);
    assert!(reply.body.contains(":123456789012345678901234567890"), "{}", reply.body);
}

#[test]
fn every_shape_that_the_profile_allows_is_read() {
    let server = server();
    for request in [
        json!({"AccessSubject": [], "Resource": {}, "Action": [{}]}),
        json!({"Category": {"CategoryId": "urn:c", "Attribute": []}}),
        json!({"Category": [{"CategoryId": "urn:c", "Attribute": {"AttributeId": "a", "Value": []}}]}),
        json!({"Category": [], "ReturnPolicyIdList": true, "CombinedDecision": false, "Action": {}}),
        json!({"Resource": {"Content": "<a><b>1</b></a>"}}),
        json!({"Resource": {"Content": "PGE+PGI+MTwvYj48L2E+"}}),
        json!({"Resource": {"Attribute": {
            "AttributeId": "a", "DataType": "xpathExpression",
            "Value": {"XPathCategory": "Resource", "XPath": "//p:b",
                      "Namespaces": [{"Prefix": "p", "Namespace": "urn:p"}, {"Namespace": "urn:d"}]}
        }}}),
        json!({
            "AccessSubject": [{"Id": "s1"}, {"Id": "s2"}],
            "MultiRequests": {"RequestReference": [{"ReferenceId": ["s1"]}, {"ReferenceId": ["s2"]}]}
        }),
    ] {
        let reply = post(&server, &json!({"Request": request}).to_string());
        let decision = reply.json()["Response"][0]["Decision"].clone();
        assert_eq!((reply.status, decision), (200, json!("NotApplicable")), "{request}");
    }
}

/// What a request holds, and where the answer says it is wrong.
#[test]
fn what_is_refused_is_placed_by_its_pointer() {
    let server = server();
    let attribute = |members: &str| {
        format!(r#"{{"Request": {{"Resource": [{{"Attribute": [{{{members}}}]}}]}}}}"#)
    };
    let value = "/Request/Resource/0/Attribute/0/Value";
    let rows = [
        ("[]".to_owned(), ""),
        ("{}".to_owned(), "Request"),
        (r#"{"Request": []}"#.to_owned(), "/Request"),
        (r#"{"Request": {"Resource": {}}, "Other": 1}"#.to_owned(), "Other"),
        (r#"{"Request": {"Resource": {}}, "Request": {}}"#.to_owned(), "twice"),
        (r#"{"Request": {"Resorce": []}}"#.to_owned(), "Resource"),
        (r#"{"Request": {"Resource": [1]}}"#.to_owned(), "/Request/Resource/0"),
        (r#"{"Request": {"Category": [{}]}}"#.to_owned(), "/Request/Category/0"),
        (r#"{"Request": {"CombinedDecision": "yes"}}"#.to_owned(), "/Request/CombinedDecision"),
        (r#"{"Request": {"ReturnPolicyIdList": null}}"#.to_owned(), "/Request/ReturnPolicyIdList"),
        (
            r#"{"Request": {"Resource": [{"Content": "<a>"}]}}"#.to_owned(),
            "/Request/Resource/0/Content",
        ),
        (
            r#"{"Request": {"Resource": [{"Content": "!"}]}}"#.to_owned(),
            "/Request/Resource/0/Content",
        ),
        (attribute(r#""AttributeId": "a", "Value": null"#), value),
        (attribute(r#""AttributeId": "a", "Value": [null]"#), value),
        (attribute(r#""AttributeId": "a", "Value": [1, "x"]"#), value),
        (attribute(r#""AttributeId": "a", "Value": {"x": 1}"#), value),
        (attribute(r#""AttributeId": "a", "Value": "x", "DataType": "integer""#), value),
        (attribute(r#""AttributeId": "a""#), "/Request/Resource/0/Attribute/0"),
        (attribute(r#""Value": 1"#), "/Request/Resource/0/Attribute/0"),
        (attribute(r#""AttributeId": "a", "AttributeId": "b", "Value": 1"#), "AttributeId"),
        (attribute(r#""AttributeId": "a", "Value": "\ud800""#), ""),
        (attribute(r#""AttributeId": "a", "Value": 1,"#), "line 1 column"),
    ];
    for (body, place) in rows {
        let reply = post(&server, &body);
        let detail = reply.header("X-Error-Detail").unwrap_or_default().to_owned();
        if reply.status == 200 {
            // Where it can be read and not decided, the profile asks for this.
            let result = &reply.json()["Response"][0];
            assert_eq!(result["Decision"], "Indeterminate", "{body}: {}", reply.body);
            let code = result["Status"]["StatusCode"]["Value"].as_str().unwrap_or_default();
            assert!(code.ends_with(":syntax-error"), "{body}: {}", reply.body);
            continue;
        }
        assert_eq!(reply.status, 400, "{body}: {}", reply.body);
        assert_eq!(reply.body, r#"{"errorDetails":"invalid JSON xacml request"}"#, "{body}");
        assert!(!detail.is_empty() && detail.contains(place), "{body}: {detail}");
    }
}

#[test]
fn short_ids_are_read_unless_the_setting_says_no() {
    let body = r#"{"Request": {"AccessSubject": [{"Attribute": [{"AttributeId": "subject-id", "IncludeInResult": true, "Value": "x"}]}]}}"#;
    let id = |reply: &Reply| -> Value {
        reply.json()["Response"][0]["Category"][0]["Attribute"][0]["AttributeId"].clone()
    };
    let whole = "urn:oasis:names:tc:xacml:1.0:subject:subject-id";
    assert_eq!(id(&post(&server(), body)), whole);
    let asks = Folder::new(&[(
        "p.xml",
        r#"<Policy xmlns="urn:oasis:names:tc:xacml:3.0:core:schema:wd-17" PolicyId="p" Version="1.0"
  RuleCombiningAlgId="urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:deny-overrides"><Target><AnyOf><AllOf>
  <Match MatchId="urn:oasis:names:tc:xacml:1.0:function:string-equal">
  <AttributeValue DataType="http://www.w3.org/2001/XMLSchema#string">x</AttributeValue>
  <AttributeDesignator Category="urn:oasis:names:tc:xacml:1.0:subject-category:access-subject" AttributeId="subject-id"
  DataType="http://www.w3.org/2001/XMLSchema#string" MustBePresent="false"/></Match></AllOf></AnyOf></Target>
  <Rule RuleId="r" Effect="Permit"/></Policy>"#,
    )]);
    let reply = post(&Server::start(&asks, &[]), body);
    assert_eq!(id(&reply), "subject-id", "a policy asks for it as it is written");
    assert_eq!(reply.json()["Response"][0]["Decision"], "Permit");
    let folder = Folder::new(&[]);
    let policies = folder.text();
    let strict = Server::spawn(
        &["serve", "--policies", &policies, "--listen", "127.0.0.1:0", "--state", "none"],
        &[("PDP_XACML__JSON__SHORT_IDS", "false")],
    );
    assert_eq!(id(&post(&strict, body)), "subject-id");
}
