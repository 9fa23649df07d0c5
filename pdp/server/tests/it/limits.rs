use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::support::{DECISION, Folder, OPERATIONS, Reply, Server, exchange};

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
