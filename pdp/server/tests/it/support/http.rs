//! Just enough HTTP/1.1 to ask and to misbehave.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// Reads one answer; its body as long as it says.
    pub fn read(stream: &TcpStream) -> std::io::Result<Self> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let status = line.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            headers.push((name.to_owned(), value.trim().to_owned()));
        }
        let mut reply = Self { status, headers, body: String::new() };
        let length: usize =
            reply.header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        reply.body = String::from_utf8_lossy(&body).into_owned();
        Ok(reply)
    }
}

/// Sends bytes and reads one answer.
#[track_caller]
pub fn exchange(address: &str, request: &[u8]) -> Reply {
    let mut stream = TcpStream::connect(address).expect("the service listens");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a socket takes a timeout");
    // A refused body may close the connection while we still write.
    let _ = stream.write_all(request);
    Reply::read(&stream).expect("the service answers")
}
