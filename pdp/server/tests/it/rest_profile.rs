//! The REST profile of XACML: its assertions, and what it says of media types and statuses.

use crate::support::{Folder, Reply, Server, XACML};

const RELATION: &str = "http://docs.oasis-open.org/ns/xacml/relation/pdp";
const XML: &str = r#"<Request xmlns="urn:oasis:names:tc:xacml:3.0:core:schema:wd-17" CombinedDecision="false" ReturnPolicyIdList="false"><Attributes Category="urn:c"/></Request>"#;
const JSON: &str = r#"{"Request": {"AccessSubject": [{}]}}"#;

fn server() -> Server {
    Server::start(&Folder::new(&[]), &[])
}

/// `home:status`, `home:body` and `home:pdp`: the entry point links to the decision point, which is there.
#[test]
fn the_home_document_leads_to_the_decision_point() {
    let server = server();
    let reply = server.get("/");
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/xml")));
    assert!(reply.body.contains("http://ietf.org/ns/home-documents"), "{}", reply.body);
    let link = reply.body.split_once(RELATION).map(|(_, rest)| rest).unwrap_or_default();
    let href = link.split("href=\"").nth(1).and_then(|rest| rest.split('"').next());
    let href = href.expect("the relation has a link");
    let reply = server.send("POST", href, &[("Content-Type", "application/xacml+xml")], XML);
    assert_eq!(reply.status, 200, "{}", reply.body);
    let json = server.send("GET", "/", &[("Accept", "application/json")], "").json();
    assert_eq!(json["resources"][RELATION]["href"], href);
}

/// `pdp:xacml:status` and `pdp:xacml:body`, in every pair of types.
#[test]
fn a_request_gets_a_response_in_the_type_that_is_wanted() {
    let server = server();
    let requests = [
        ("application/xacml+xml", XML),
        ("application/xacml+xml; charset=utf-8; version=3.0", XML),
        ("application/xml", XML),
        ("application/xacml+json", JSON),
        ("application/xacml+json; version=1.1", JSON),
        ("application/json", JSON),
    ];
    let wishes = [
        ("application/xacml+xml", "application/xacml+xml"),
        ("application/xacml+xml; version=3.0", "application/xacml+xml"),
        ("application/xml", "application/xml"),
        ("application/xacml+json", "application/xacml+json"),
        ("application/json", "application/json"),
        ("application/xacml+json;q=0.5, application/xacml+xml;q=0.6", "application/xacml+xml"),
        ("text/html, application/xacml+json;q=0.1", "application/xacml+json"),
    ];
    for (content_type, body) in requests {
        for (accept, media_type) in wishes {
            let headers = [("Content-Type", content_type), ("Accept", accept)];
            let reply = server.send("POST", XACML, &headers, body);
            assert_eq!(reply.status, 200, "{content_type}, {accept}: {}", reply.body);
            assert_eq!(reply.header("content-type"), Some(media_type), "{content_type}, {accept}");
            assert_eq!(reply.header("cache-control"), Some("no-store"));
            assert!(is_response(&reply), "{}", reply.body);
        }
    }
}

fn is_response(reply: &Reply) -> bool {
    if reply.header("content-type").is_some_and(|media_type| media_type.ends_with("json")) {
        reply.json()["Response"].is_array()
    } else {
        reply.body.contains("<Response xmlns=\"urn:oasis:names:tc:xacml:3.0:core:schema:wd-17\"")
    }
}

#[test]
fn who_wants_nothing_in_particular_gets_onap_s_json_or_plain_types_back() {
    let server = server();
    for (content_type, body, media_type) in [
        ("application/xacml+xml", XML, "application/xacml+json"),
        ("application/xacml+json", JSON, "application/xacml+json"),
        ("application/xml", XML, "application/xml"),
        ("application/json", JSON, "application/json"),
    ] {
        for accept in [None, Some("*/*"), Some("text/html, */*;q=0.5")] {
            let mut headers = vec![("Content-Type", content_type)];
            headers.extend(accept.map(|accept| ("Accept", accept)));
            let reply = server.send("POST", XACML, &headers, body);
            assert_eq!(reply.header("content-type"), Some(media_type), "{accept:?}");
        }
    }
}

/// `pdp:xacml:invalid`, and the types that are not understood or not offered.
#[test]
fn what_is_no_request_is_refused() {
    let server = server();
    for (content_type, accept, body, status) in [
        ("application/xacml+xml", "*/*", "<Request/>", 400),
        ("application/xacml+xml", "*/*", JSON, 400),
        ("application/xacml+json", "*/*", XML, 400),
        ("application/xacml+json", "*/*", "", 400),
        ("text/plain", "*/*", XML, 415),
        ("application/xacml+xml; charset=ebcdic-cp-us", "*/*", XML, 415),
        ("application/xacml+xml", "text/html", XML, 406),
        ("application/xacml+xml", "application/xacml+xml;q=0", XML, 406),
    ] {
        let headers = [("Content-Type", content_type), ("Accept", accept)];
        let reply = server.send("POST", XACML, &headers, body);
        assert_eq!(reply.status, status, "{content_type}, {accept}, {body}: {}", reply.body);
    }
    let reply = server.send("POST", XACML, &[("Content-Type", "application/xml")], "<Request>\n<");
    let place = reply.header("X-Error-Detail").unwrap_or_default();
    assert!(place.contains('1') && reply.status == 400, "{place}: {}", reply.body);
}

#[test]
fn xml_in_utf_16_is_read() {
    let server = server();
    let text = format!(
        "\u{feff}{}",
        XML.replace("<Request", "<?xml version=\"1.0\" encoding=\"UTF-16\"?><Request")
    );
    let body: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let head = format!(
        "POST {XACML} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/xacml+xml; charset=utf-16\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let reply = crate::support::exchange(&server.address, &[head.as_bytes(), &body].concat());
    assert_eq!(reply.status, 200, "{}", reply.body);
}

#[test]
fn a_scope_walks_the_tree_of_the_configuration() {
    let folder = Folder::new(&[]);
    let config = folder.write(
        "pdp.yaml",
        "policies: {paths: []}\nstate: {folder: none}\nserver: {listen: [\"127.0.0.1:0\"]}\nxacml: {resources: {urn:top: [urn:a, urn:b], urn:a: [urn:c]}}\n",
    );
    let server = Server::spawn(&["serve", "--config", &config.display().to_string()], &[]);
    let body = |scope: &str| {
        serde_json::json!({"Request": {"Resource": {"Attribute": [
            {"AttributeId": "urn:oasis:names:tc:xacml:1.0:resource:resource-id", "Value": "urn:top",
             "DataType": "anyURI", "IncludeInResult": true},
            {"AttributeId": "urn:oasis:names:tc:xacml:2.0:resource:scope", "Value": scope}
        ]}}})
        .to_string()
    };
    for (scope, results) in [("Immediate", 1), ("Children", 3), ("Descendants", 4)] {
        let reply =
            server.send("POST", XACML, &[("Content-Type", "application/json")], &body(scope));
        assert_eq!(
            reply.json()["Response"].as_array().map(Vec::len),
            Some(results),
            "{scope}: {}",
            reply.body
        );
    }
}

#[test]
fn a_root_that_is_refused_stops_the_start() {
    let policy = r#"<Policy xmlns="urn:oasis:names:tc:xacml:3.0:core:schema:wd-17" PolicyId="p" Version="1.0" RuleCombiningAlgId="urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:deny-overrides"><Target/>
  <Rule RuleId="r" Effect="Permit"/><Rule RuleId="r" Effect="Deny"/></Policy>"#;
    let folder = Folder::new(&[("p.xml", policy)]);
    let root = format!("{}/p.xml", folder.text());
    let arguments = [
        "serve",
        "--policies",
        &root,
        "--root",
        &root,
        "--listen",
        "127.0.0.1:0",
        "--state",
        "none",
    ];
    let ended = crate::support::run(&arguments);
    assert_eq!(ended.code, 4, "{}", ended.err);
    assert!(
        ended.err.contains("the root was refused") && ended.err.contains("p.xml:"),
        "{}",
        ended.err
    );
}
