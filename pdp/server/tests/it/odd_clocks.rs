//! The service while the machine's wall clock steps by an hour: libfaketime makes the steps.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::support::{DECISION, FREQUENCY, Folder, OPERATIONS, Server, eventually, guard_request};

/// The library; none where it is not installed, which is said loudly, and is a failure where
/// REQUIRE_SERVERS is set.
fn library() -> Option<PathBuf> {
    let folders = fs::read_dir("/usr/lib").expect("every machine has it").flatten();
    let found = folders
        .map(|folder| folder.path().join("faketime/libfaketime.so.1"))
        .chain(["/usr/lib/faketime/libfaketime.so.1".into()])
        .find(|file| file.exists());
    if found.is_none() {
        assert!(
            std::env::var_os("REQUIRE_SERVERS").is_none(),
            "faketime is not installed, and REQUIRE_SERVERS is set: see .ci/prepare"
        );
        // Standard error, past the capture of a test that passes.
        let _ = std::io::Write::write_all(
            &mut std::io::stderr(),
            b"SKIPPED: faketime is not installed, see .ci/prepare\n",
        );
    }
    found
}

/// A service whose wall clock is as far off as a file says.
fn start(library: &Path, offset: &Path, policies: &Folder, state: &Folder) -> Server {
    let (policies, state) = (policies.text(), state.text());
    let arguments =
        ["serve", "--policies", &policies, "--listen", "127.0.0.1:0", "--state", &state];
    let (library, offset) = (library.display().to_string(), offset.display().to_string());
    Server::spawn(
        &arguments,
        &[
            ("LD_PRELOAD", &library),
            ("FAKETIME_TIMESTAMP_FILE", &offset),
            ("FAKETIME_NO_CACHE", "1"),
            // A step of the wall clock is none of the clock since boot.
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
            ("DONT_FAKE_MONOTONIC", "1"),
        ],
    )
}

/// The hour that the service's wall clock shows, by the header of any answer.
fn wall(server: &Server) -> jiff::Timestamp {
    let reply = server.get("/livez");
    let date = reply.header("date").expect("every answer has a date");
    jiff::fmt::rfc2822::parse(date).expect("it is a date").timestamp()
}

fn decision(server: &Server) -> String {
    let answer = server.post(DECISION, &guard_request("Build", "vnf-2", 0)).json();
    answer["status"].as_str().unwrap_or_default().to_owned()
}

fn report(server: &Server, end: jiff::Timestamp) -> u16 {
    let row = json!({
        "actor": "SO", "operation": "Build", "target": "vnf-2", "outcome": "Success",
        "starttime": end, "endtime": end
    });
    server.post(OPERATIONS, &row.to_string()).status
}

/// A limiter of ten minutes goes on as if nothing had happened, while the service runs and over its
/// restart, whichever way the clock steps.
#[test]
fn a_step_of_the_wall_clock_changes_no_window() {
    let Some(library) = library() else { return };
    for step in ["-1h", "+1h"] {
        let policies = Folder::new(&[("p.yaml", FREQUENCY)]);
        let (state, files) = (Folder::new(&[]), Folder::new(&[]));
        let offset = files.write("offset", "+0\n");
        let mut server = start(&library, &offset, &policies, &state);
        assert_eq!(decision(&server), "Permit");
        assert_eq!(report(&server, jiff::Timestamp::now()), 201);
        assert_eq!(decision(&server), "Deny");

        files.write("offset", &format!("{step}\n"));
        eventually("the service sees the step", || {
            let apart = wall(&server).duration_since(jiff::Timestamp::now()).as_secs().abs();
            (3500..=3700).contains(&apart)
        });
        assert_eq!(decision(&server), "Deny", "{step} while it runs");
        server.signal("TERM");
        server.wait();

        let mut server = start(&library, &offset, &policies, &state);
        assert_eq!(decision(&server), "Deny", "{step} over a restart");
        let log = server.log();
        assert!(log.contains("apart from the clock of the operations history"), "{log}");
        server.signal("KILL");
        server.wait();

        files.write("offset", "+0\n");
        let server = start(&library, &offset, &policies, &state);
        assert_eq!(decision(&server), "Deny", "{step} and back over a crash");
        let log = server.log();
        assert!(!log.contains("apart from the clock"), "{log}");
    }
}
