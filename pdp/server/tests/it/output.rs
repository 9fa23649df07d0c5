//! Output that goes nowhere.

use std::fs::File;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Folder, HEALTH, Reply, exchange, run};

fn pdp(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pdp"));
    command.args(arguments).stdin(Stdio::null());
    command
}

fn full() -> Stdio {
    File::create("/dev/full").expect("Linux has it").into()
}

/// A pipe that nobody reads.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().expect("a pipe can be made");
    drop(reader);
    writer.into()
}

fn try_health(address: &str) -> Option<Reply> {
    std::net::TcpStream::connect(address).ok()?;
    let request = format!("GET {HEALTH} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    Some(exchange(address, request.as_bytes()))
}

#[test]
fn a_log_that_cannot_be_written_ends_nothing() {
    for log in [full(), closed()] {
        let folder = Folder::new(&[]);
        let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = free.local_addr().expect("it is bound").to_string();
        drop(free);
        let arguments =
            ["serve", "-vv", "--policies", &folder.text(), "--listen", &address, "--state", "none"];
        // The ready line has no reader either.
        let mut child =
            pdp(&arguments).stdout(closed()).stderr(log).spawn().expect("the binary runs");
        let started = Instant::now();
        while try_health(&address).is_none() && started.elapsed() < Duration::from_secs(30) {
            std::thread::sleep(Duration::from_millis(20));
        }
        for _ in 0..2 {
            assert_eq!(exchange(&address, b"BAD\r\n\r\n").status, 400);
        }
        let reply = try_health(&address);
        let ended = child.try_wait().expect("the child is ours");
        let _ = child.kill();
        let _ = child.wait();
        assert_eq!(ended, None);
        assert_eq!(reply.map(|reply| reply.status), Some(200));
    }
}

#[test]
fn a_reader_that_has_gone_is_a_quiet_end_and_a_full_disk_an_error() {
    let folder = Folder::new(&[]);
    for arguments in
        [vec!["functions"], vec!["check", &folder.text()], vec!["serve", "--print-config"]]
    {
        let ended = pdp(&arguments).stdout(closed()).output().expect("the binary runs");
        assert_eq!((ended.status.code(), ended.stderr.len()), (Some(0), 0), "{arguments:?}");
        let ended = pdp(&arguments).stdout(full()).output().expect("the binary runs");
        let err = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert_eq!(ended.status.code(), Some(2), "{arguments:?}: {err}");
        assert!(err.starts_with("error: cannot write"), "{err}");
        assert!(!err.contains("panicked"), "{err}");
        // Not even the complaint can be written.
        let ended = pdp(&arguments).stdout(full()).stderr(full()).status().expect("it runs");
        assert_eq!(ended.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn a_search_that_finds_no_function_says_so() {
    for (text, hint) in [
        ("string-eqal", "did you mean `string-equal`?"),
        ("zzzzz", "lists all of them"),
        (&"z".repeat(10_000), "lists all of them"),
    ] {
        let ended = run(&["functions", text]);
        assert_eq!((ended.code, ended.out.as_str()), (2, ""), "{}", ended.err);
        assert!(ended.err.contains("no function has") && ended.err.contains(hint), "{}", ended.err);
        assert!(ended.err.len() < 500, "{}", ended.err.len());
    }
    assert_eq!(run(&["functions", "string-equal"]).code, 0);
}
