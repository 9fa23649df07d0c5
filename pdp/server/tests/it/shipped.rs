use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{DECISION, Server, run};

fn policies() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../policies")
}

/// Requests that stand beside the shipped policies, with the answers to them.
fn pairs(folder: &Path) -> Vec<(PathBuf, PathBuf)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the folder ships").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(pairs(&path));
            continue;
        }
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let answer = path.with_file_name(name.replace(".request.json", ".response.json"));
        if name.ends_with(".request.json") && answer.is_file() {
            found.push((path, answer));
        }
    }
    found
}

#[test]
fn shipped_requests_are_answered_as_written_beside_them() {
    let folder = policies().display().to_string();
    let server = Server::spawn(
        &["serve", "--policies", &folder, "--listen", "127.0.0.1:0", "--state", "none", "--strict"],
        &[],
    );
    let pairs = pairs(&policies());
    assert!(!pairs.is_empty());
    let read = |path: &Path| fs::read_to_string(path).expect("it was found just now");
    for (request, answer) in pairs {
        let expected: Value = serde_json::from_str(&read(&answer)).expect("an answer is JSON");
        let path = request.display().to_string();
        let decided = run(&["decide", "--policies", &folder, "--request", &path]);
        let decided: Value = serde_json::from_str(&decided.out).expect(&decided.err);
        assert_eq!(decided, expected, "{path}");
        if expected["Response"].is_null() {
            let reply = server.post(DECISION, &read(&request));
            assert_eq!((reply.status, reply.json()), (200, expected), "{path}");
        }
    }
}

#[test]
fn shipped_policies_are_clean() {
    let checked = run(&["check", "--strict", &policies().display().to_string()]);
    assert_eq!(checked.code, 0, "{}", checked.out);
}

#[test]
fn shipped_tests_pass_and_decide_every_rule() {
    let tested = run(&["test", &policies().display().to_string(), "--coverage"]);
    assert_eq!(tested.code, 0, "{} {}", tested.out, tested.err);
    assert!(!tested.out.contains("no test decides"), "{}", tested.out);
    for folder in ["s3p", "demo", "mapping"] {
        let tested = run(&["test", &policies().join(folder).display().to_string()]);
        assert_eq!(tested.code, 0, "{folder}: {} {}", tested.out, tested.err);
    }
}
