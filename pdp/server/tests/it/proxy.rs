//! HAProxy before three replicas, as an operator would set it up.

use std::io::{Read, Write};
use std::net::TcpStream;

pub(crate) const REPLICAS: [&str; 3] = ["one", "two", "three"];

/// What an operator would write. Nothing is tried twice, so that no fault is covered up.
pub(crate) fn configuration(front: u16, statistics: u16, replicas: [u16; 3]) -> String {
    let servers: String = REPLICAS
        .iter()
        .zip(replicas)
        .map(|(name, port)| format!("  server {name} 127.0.0.1:{port} check\n"))
        .collect();
    format!(
        "global\n  maxconn 200\n\
         defaults\n  mode http\n  retries 0\n\
         \x20 timeout connect 5s\n  timeout client 30s\n  timeout server 30s\n\
         frontend decisions\n  bind 127.0.0.1:{front}\n  default_backend replicas\n\
         backend replicas\n  balance roundrobin\n  option httpchk GET /readyz\n\
         \x20 default-server inter 250ms fall 2 rise 2\n{servers}\
         frontend statistics\n  bind 127.0.0.1:{statistics}\n  stats enable\n  stats uri /\n"
    )
}

/// What the proxy says of a replica.
pub(crate) fn standing(statistics: u16, name: &str) -> String {
    let request = "GET /;csv HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", statistics)) else {
        return String::new();
    };
    let mut text = Vec::new();
    // The proxy may cut the connection once all is said.
    let _ = stream.write_all(request.as_bytes()).and_then(|()| stream.read_to_end(&mut text));
    let text = String::from_utf8_lossy(&text);
    let row = text.lines().find(|line| line.starts_with(&format!("replicas,{name},")));
    row.and_then(|row| row.split(',').nth(17)).unwrap_or_default().to_owned()
}
