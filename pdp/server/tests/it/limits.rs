use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::support::{DECISION, Folder, OPERATIONS, Reply, Server, XACML, exchange};

#[test]
fn a_body_over_the_limit_is_413() {
    let server = Server::spawn(
        &[
            "serve",
            "--policies",
            &Folder::new(&[]).text(),
            "--listen",
            "127.0.0.1:0",
            "--state",
            "none",
        ],
        &[("PDP_LIMITS__REQUEST_BYTES", "100")],
    );
    let padding = " ".repeat(80);
    assert_eq!(server.post(DECISION, &format!("{{\"action\": \"guard\"}}{padding}")).status, 200);
    let reply = server.post(DECISION, &format!("{{\"action\": \"guard\"}}{padding}{padding}"));
    assert_eq!(reply.status, 413);
    assert!(reply.body.contains("100 bytes"), "{}", reply.body);
    // Without a length the limit holds while the body is read.
    let chunked = format!(
        "POST {DECISION} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n50\r\n{}\r\n50\r\n{}\r\n0\r\n\r\n",
        " ".repeat(0x50),
        " ".repeat(0x50)
    );
    assert_eq!(exchange(&server.address, chunked.as_bytes()).status, 413);
}

#[test]
fn a_chunked_body_is_put_together() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let chunked = format!(
        "POST {DECISION} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{{\"ac\r\n10\r\ntion\": \"guard\"}} \r\n0\r\n\r\n"
    );
    let reply = exchange(&server.address, chunked.as_bytes());
    assert_eq!((reply.status, reply.body.as_str()), (200, r#"{"status":"Permit"}"#));
}

#[test]
fn deep_bodies_are_skipped_or_refused() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let deep =
        format!("{{\"action\": \"guard\", \"x\": {}{}}}", "[".repeat(5000), "]".repeat(5000));
    // What nobody reads is skipped without descending.
    assert_eq!(server.post(DECISION, &deep).status, 200);
    let deep = deep.replacen("\"x\"", "\"resource\"", 1);
    assert_eq!(server.post(DECISION, &deep).status, 400);
    let yaml = format!("action: guard\nx: {}{}\n", "[".repeat(5000), "]".repeat(5000));
    let reply = server.send("POST", DECISION, &[("Content-Type", "application/yaml")], &yaml);
    assert_eq!(reply.status, 400);
    assert_eq!(server.post(DECISION, r#"{"action": "guard"}"#).status, 200);
}

#[test]
fn a_body_that_stalls_is_answered_and_its_connection_closed() {
    let folder = Folder::new(&[]);
    let server = Server::spawn(
        &["serve", "--policies", &folder.text(), "--listen", "127.0.0.1:0", "--state", "none"],
        &[("PDP_SERVER__BODY_TIMEOUT", "300ms")],
    );
    for framing in ["Content-Length: 100\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"]
    {
        for path in [DECISION, OPERATIONS] {
            let mut stream = TcpStream::connect(&server.address).expect("the service listens");
            stream.set_read_timeout(Some(Duration::from_secs(10))).expect("it takes a timeout");
            let head =
                format!("POST {path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n");
            stream.write_all(format!("{head}{framing}").as_bytes()).expect("it is sent");
            let reply = Reply::read(&stream).expect("the service answers");
            assert_eq!(reply.status, 408, "{}", reply.body);
            assert!(reply.body.contains("\"REQUEST_TIMEOUT\""), "{}", reply.body);
            assert_eq!(reply.header("connection"), Some("close"));
            let rest = stream.read(&mut [0; 16]).expect("the connection is closed in time");
            assert_eq!(rest, 0);
        }
    }
}

#[test]
fn a_policy_file_over_the_limit_is_refused() {
    let folder = Folder::new(&[("big.yaml", &"#".repeat(3000))]);
    let server = Server::spawn(
        &["serve", "--policies", &folder.text(), "--listen", "127.0.0.1:0", "--state", "none"],
        &[("PDP_LIMITS__POLICY_BYTES", "2000")],
    );
    assert!(server.log().contains("the limit is 2000"), "{}", server.log());
}

/// Far less than reading or deciding it all would take in a debug build.
const QUICK: Duration = Duration::from_secs(2);

#[test]
fn a_thousand_repeated_categories_are_refused_by_the_limit() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let json = format!(r#"{{"Request": {{"Resource": [{}]}}}}"#, vec!["{}"; 1000].join(","));
    let attributes =
        r#"<Attributes Category="urn:oasis:names:tc:xacml:3.0:attribute-category:resource"/>"#;
    let xml = format!(
        r#"<Request xmlns="urn:oasis:names:tc:xacml:3.0:core:schema:wd-17" CombinedDecision="false" ReturnPolicyIdList="false">{}</Request>"#,
        attributes.repeat(1000)
    );
    for (content_type, body) in [("application/xacml+json", json), ("application/xacml+xml", xml)] {
        let started = std::time::Instant::now();
        let headers = [("Content-Type", content_type), ("Accept", "application/xacml+json")];
        let reply = server.send("POST", XACML, &headers, &body);
        assert!(started.elapsed() < QUICK, "{content_type}: {:?}", started.elapsed());
        let results = reply.json()["Response"].clone();
        assert_eq!(results.as_array().map(Vec::len), Some(1), "{}", reply.body);
        assert_eq!(results[0]["Decision"], "Indeterminate", "{}", reply.body);
        assert!(reply.body.contains("limit of 256 individual decisions"), "{}", reply.body);
    }
}

#[test]
fn large_yaml_bodies_are_refused_before_they_cost() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let flow = format!("action: guard\nx: [{}1]\n", "1,".repeat(450_000));
    let block = format!("action: guard\nx:\n{}", "- 1\n".repeat(220_000));
    let keys: String = (0..80_000).map(|key| format!("k{key}: 1\n")).collect();
    let aliases = format!("a: &a [{}1]\nb: [{}*a]\n", "1,".repeat(100), "*a,".repeat(200_000));
    for body in [flow, block, keys, aliases] {
        for path in [DECISION, OPERATIONS] {
            let started = std::time::Instant::now();
            let reply = server.send("POST", path, &[("Content-Type", "application/yaml")], &body);
            assert_eq!(reply.status, 400, "{path}: {} {}", &body[..40], reply.body);
            assert!(started.elapsed() < QUICK, "{path} {}: {:?}", &body[..40], started.elapsed());
        }
    }
    assert_eq!(server.post(DECISION, r#"{"action": "guard"}"#).status, 200);
}
