use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{DECISION, Folder, HEALTH, Reply, STATISTICS, Server};

#[test]
fn both_signals_end_it_cleanly() {
    for signal in ["TERM", "INT"] {
        let mut server = Server::start(&Folder::new(&[]), &[]);
        server.signal(signal);
        assert_eq!(server.wait().code(), Some(0), "{signal}: {}", server.log());
    }
}

#[test]
fn what_is_in_flight_is_finished() {
    let mut server = Server::start(&Folder::new(&[]), &[]);
    let mut stream = TcpStream::connect(&server.address).expect("it listens");
    let body = r#"{"action": "guard"}"#;
    write!(
        stream,
        "POST {DECISION} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{}",
        body.len(),
        &body[..5]
    )
    .expect("it reads");
    thread::sleep(Duration::from_millis(200));
    server.signal("TERM");
    thread::sleep(Duration::from_millis(300));
    stream.write_all(&body.as_bytes()[5..]).expect("it still reads");
    let reply = Reply::read(&stream).expect("it still answers");
    assert_eq!((reply.status, reply.body.as_str()), (200, r#"{"status":"Permit"}"#));
    assert_eq!(reply.header("connection"), Some("close"));
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn readiness_turns_before_the_listener_closes() {
    let mut server = Server::spawn(
        &[
            "serve",
            "--policies",
            &Folder::new(&[]).text(),
            "--listen",
            "127.0.0.1:0",
            "--state",
            "none",
        ],
        &[("PDP_SERVER__DRAIN", "2s")],
    );
    assert_eq!(server.get("/readyz").status, 200);
    server.signal("TERM");
    thread::sleep(Duration::from_millis(300));
    let ready = server.get("/readyz");
    assert_eq!((ready.status, &ready.json()["draining"]), (503, &true.into()));
    assert_eq!(server.get("/livez").status, 200);
    assert_eq!(server.post(DECISION, r#"{"action": "guard"}"#).status, 200);
    // Whoever watches it from behind a balancer sees no fault.
    assert_eq!(server.get(HEALTH).json()["healthy"], true);
    assert_eq!(server.get(STATISTICS).json()["code"], 200);
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn connections_are_closed_in_order_while_it_drains() {
    let mut server = Server::spawn(
        &[
            "serve",
            "--policies",
            &Folder::new(&[]).text(),
            "--listen",
            "127.0.0.1:0",
            "--state",
            "none",
        ],
        &[("PDP_SERVER__DRAIN", "2s")],
    );
    let kept = || {
        let mut stream = TcpStream::connect(&server.address).expect("it listens");
        stream.write_all(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n").expect("it reads");
        let reply = Reply::read(&stream).expect("it answers");
        assert_eq!((reply.status, reply.header("connection")), (200, None));
        stream
    };
    let (mut asking, mut idle) = (kept(), kept());
    server.signal("TERM");
    thread::sleep(Duration::from_millis(300));
    // One that asks again is answered, told to close, and closed.
    asking.write_all(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n").expect("it still reads");
    let reply = Reply::read(&asking).expect("it still answers");
    assert_eq!((reply.status, reply.header("connection")), (200, Some("close")));
    let mut rest = Vec::new();
    assert_eq!(asking.read_to_end(&mut rest).expect("it ends in order"), 0);
    // One that does not is closed in the end.
    assert_eq!(idle.read_to_end(&mut rest).expect("it ends in order"), 0);
    assert_eq!(server.wait().code(), Some(0));
}

#[test]
fn idle_connections_do_not_hold_it() {
    let mut server = Server::start(&Folder::new(&[]), &[]);
    let mut stream = TcpStream::connect(&server.address).expect("it listens");
    stream.write_all(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n").expect("it reads");
    assert_eq!(Reply::read(&stream).expect("it answers").status, 200);
    let started = Instant::now();
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0));
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let mut server = Server::start(&Folder::new(&[]), &[]);
    let mut stream = TcpStream::connect(&server.address).expect("it listens");
    write!(stream, "POST {DECISION} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n")
        .expect("it reads");
    thread::sleep(Duration::from_millis(200));
    server.signal("TERM");
    thread::sleep(Duration::from_millis(300));
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(130));
}

#[test]
fn what_is_cut_off_is_told() {
    let folder = Folder::new(&[]);
    let mut server = Server::spawn(
        &["serve", "--policies", &folder.text(), "--listen", "127.0.0.1:0", "--state", "none"],
        &[("PDP_SERVER__SHUTDOWN", "1s")],
    );
    let mut stream = TcpStream::connect(&server.address).expect("it listens");
    write!(stream, "POST {DECISION} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n")
        .expect("it reads");
    thread::sleep(Duration::from_millis(200));
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0));
    assert!(server.log().contains("1 request was not finished within 1s"), "{}", server.log());
}

#[test]
fn clients_that_leave_are_not_counted_as_in_flight() {
    let mut server = Server::start(&Folder::new(&[]), &[]);
    let mut stream = TcpStream::connect(&server.address).expect("it listens");
    write!(stream, "POST {DECISION} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n")
        .expect("it reads");
    thread::sleep(Duration::from_millis(200));
    drop(stream);
    thread::sleep(Duration::from_millis(200));
    server.signal("TERM");
    assert_eq!(server.wait().code(), Some(0));
    let log = server.log();
    assert!(log.contains("\"in_flight\":0") && !log.contains("cut off"), "{log}");
}
