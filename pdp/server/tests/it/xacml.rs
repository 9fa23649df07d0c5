use serde_json::json;

use crate::support::{Folder, MIN_MAX, STATISTICS, Server, XACML, run};

const POLICY: &str = r#"<Policy xmlns="urn:oasis:names:tc:xacml:3.0:core:schema:wd-17" PolicyId="urn:test:doctors" Version="1.0"
    RuleCombiningAlgId="urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:deny-unless-permit">
  <Target/>
  <Rule RuleId="permit" Effect="Permit">
    <Target><AnyOf><AllOf>
      <Match MatchId="urn:oasis:names:tc:xacml:1.0:function:string-equal">
        <AttributeValue DataType="http://www.w3.org/2001/XMLSchema#string">alice</AttributeValue>
        <AttributeDesignator Category="urn:oasis:names:tc:xacml:1.0:subject-category:access-subject"
            AttributeId="urn:oasis:names:tc:xacml:1.0:subject:subject-id"
            DataType="http://www.w3.org/2001/XMLSchema#string" MustBePresent="false"/>
      </Match>
    </AllOf></AnyOf></Target>
  </Rule>
</Policy>
"#;

const XML: &str = r#"<Request xmlns="urn:oasis:names:tc:xacml:3.0:core:schema:wd-17" CombinedDecision="false" ReturnPolicyIdList="false">
  <Attributes Category="urn:oasis:names:tc:xacml:1.0:subject-category:access-subject">
    <Attribute AttributeId="urn:oasis:names:tc:xacml:1.0:subject:subject-id" IncludeInResult="false">
      <AttributeValue DataType="http://www.w3.org/2001/XMLSchema#string">alice</AttributeValue>
    </Attribute>
  </Attributes>
</Request>"#;

fn json_request(name: &str) -> String {
    json!({"Request": {"AccessSubject": {"Attribute": [
        {"AttributeId": "urn:oasis:names:tc:xacml:1.0:subject:subject-id", "Value": name}
    ]}}})
    .to_string()
}

fn server() -> Server {
    Server::start(&Folder::new(&[("p.xml", POLICY), ("g.yaml", MIN_MAX)]), &[])
}

#[test]
fn requests_and_responses_are_in_xml_or_json_independently() {
    let server = server();
    for (content_type, body) in [
        ("application/xacml+json", json_request("alice")),
        ("application/json", json_request("alice")),
        ("application/xacml+xml", XML.to_owned()),
        ("application/xml", XML.to_owned()),
    ] {
        let headers = [("Content-Type", content_type)];
        let reply = server.send("POST", XACML, &headers, &body);
        assert_eq!(reply.status, 200);
        let permit = ["\"Decision\":\"Permit\"", "<Decision>Permit</Decision>"];
        assert!(permit.iter().any(|text| reply.body.contains(text)), "{}", reply.body);
        let headers = [("Content-Type", content_type), ("Accept", "application/xacml+xml")];
        let reply = server.send("POST", XACML, &headers, &body);
        assert_eq!(reply.header("content-type"), Some("application/xacml+xml"));
        assert!(reply.body.contains("<Decision>Permit</Decision>"), "{}", reply.body);
        assert_eq!(reply.header("X-LatestVersion"), Some("1.0.0"));
    }
    let reply =
        server.send("POST", XACML, &[("Content-Type", "application/json")], &json_request("bob"));
    assert_eq!(reply.json()["Response"][0]["Decision"], "Deny");
    let counts = server.get(STATISTICS).json()["applicationMetrics"]["native"].clone();
    assert_eq!(counts, json!({"permit_decisions_count": 8, "deny_decisions_count": 1}));
}

#[test]
fn what_cannot_be_read_is_400_with_onap_s_words() {
    let server = server();
    for (content_type, body, status, text) in [
        ("application/xacml+json", "{", 400, r#"{"errorDetails":"invalid JSON xacml request"}"#),
        (
            "application/xacml+xml",
            "<Request>",
            400,
            r#"{"errorDetails":"invalid XML xacml request"}"#,
        ),
        ("application/xacml+json", "", 400, "no body"),
        ("application/yaml", "a: b", 415, "application/xacml+xml"),
    ] {
        let reply = server.send("POST", XACML, &[("Content-Type", content_type)], body);
        assert_eq!(reply.status, status, "{content_type} {body}: {}", reply.body);
        assert!(reply.body.contains(text), "{content_type} {body}: {}", reply.body);
    }
}

#[test]
fn without_the_native_application_it_is_500_with_onap_s_words() {
    let folder = Folder::new(&[]);
    let server = Server::spawn(
        &["serve", "--policies", &folder.text(), "--listen", "127.0.0.1:0", "--state", "none"],
        &[("PDP_APPLICATIONS__EXCLUDE", "native")],
    );
    let reply =
        server.send("POST", XACML, &[("Content-Type", "application/json")], &json_request("bob"));
    assert_eq!((reply.status, &reply.json()["code"]), (500, &json!("INTERNAL_SERVER_ERROR")));
    assert_eq!(reply.json()["error"], "Native PDP application cannot be found");
}

#[test]
fn decide_takes_xacml_requests_and_answers_in_the_format_that_is_asked_for() {
    let folder =
        Folder::new(&[("p/p.xml", POLICY), ("r.xml", XML), ("r.json", &json_request("bob"))]);
    let at = |name: &str| format!("{}/{name}", folder.text());
    let decide = |request: &str, more: &[&str]| {
        let (policies, request) = (at("p"), at(request));
        let mut arguments = vec!["decide", "--policies", &policies, "--request", &request];
        arguments.extend(more);
        run(&arguments)
    };
    assert!(decide("r.xml", &[]).out.contains("<Decision>Permit</Decision>"));
    assert!(decide("r.xml", &["--response", "json"]).out.contains("\"Permit\""));
    assert!(decide("r.json", &[]).out.contains("\"Deny\""));
    let root = at("p/p.xml");
    assert_eq!(decide("r.json", &["--root", &root]).code, 0);
    folder.write("other.xml", POLICY);
    let missing = decide("r.json", &["--root", &at("other.xml")]);
    assert_eq!(missing.code, 2, "{}", missing.err);
    folder.write("r.xml", "<Request/>");
    let refused = decide("r.xml", &[]);
    assert_eq!(refused.code, 5, "{}", refused.err);
    assert!(refused.err.contains("r.xml:1:"), "{}", refused.err);
}

#[test]
fn the_entry_point_links_to_the_decision_point() {
    let server = server();
    let relation = "http://docs.oasis-open.org/ns/xacml/relation/pdp";
    for (accept, media_type) in [
        ("*/*", "application/xml"),
        ("application/home+xml", "application/home+xml"),
        ("application/json", "application/json"),
    ] {
        let reply = server.send("GET", "/", &[("Accept", accept)], "");
        assert_eq!((reply.status, reply.header("content-type")), (200, Some(media_type)));
        assert!(reply.body.contains(relation) && reply.body.contains(XACML), "{}", reply.body);
    }
    assert_eq!(server.send("POST", "/", &[], "").status, 405);
    assert_eq!(server.send("GET", "/", &[("Accept", "image/png")], "").status, 406);
}

#[test]
fn several_decisions_in_one_request_get_a_result_each() {
    let server = server();
    let named = |name: &str| {
        json!({"Attribute": [{
            "AttributeId": "urn:oasis:names:tc:xacml:1.0:subject:subject-id", "Value": name,
            "IncludeInResult": true
        }]})
    };
    let mut request = json!({"Request": {"AccessSubject": [named("alice"), named("bob")]}});
    let headers = [("Content-Type", "application/xacml+json")];
    let reply = server.send("POST", XACML, &headers, &request.to_string());
    let results = reply.json()["Response"].clone();
    let decisions: Vec<&str> = results
        .as_array()
        .expect("an array")
        .iter()
        .filter_map(|r| r["Decision"].as_str())
        .collect();
    assert_eq!(decisions, ["Permit", "Deny"], "{}", reply.body);
    request["Request"]["CombinedDecision"] = true.into();
    let reply = server.send("POST", XACML, &headers, &request.to_string());
    let results = reply.json()["Response"].clone();
    assert_eq!(results.as_array().map(Vec::len), Some(1), "{}", reply.body);
    assert_eq!(results[0]["Decision"], "Indeterminate", "{}", reply.body);
}
