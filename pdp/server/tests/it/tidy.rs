//! Rules of the house that no compiler knows: who may import whom.

use std::fs;
use std::path::{Path, PathBuf};

/// The engine's modules in reading order: each uses only those before it.
const ENGINE: [&str; 13] = [
    "value", "ids", "error", "model", "xpath", "format", "function", "combine", "finder",
    "program", "compile", "context", "eval",
];

/// What must not be named in a crate's sources, with the reason.
const BANNED: [(&str, &[&str], &str); 4] = [
    (
        "pdp/engine/src",
        &[
            "tokio",
            "actix",
            "TcpStream",
            "TcpListener",
            "UdpSocket",
            "std::fs",
            "std::thread",
            "std::time::Instant",
            "SystemTime",
            "pdp_onap",
        ],
        "the engine is pure: no I/O, no clock, no thread, no word of ONAP",
    ),
    (
        "pdp/onap/src",
        &["tokio", "actix", "std::net", "std::fs", "sqlx", "rdkafka", "pdp_history"],
        "pdp-onap turns values into values",
    ),
    (
        "pdp/history/src",
        &["actix", "pdp_server", "rdkafka"],
        "a history knows no HTTP and no store",
    ),
    ("soak/src", &["pdp_engine", "pdp_onap", "pdp_history", "pdp_server"], "soak speaks HTTP only"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every Rust file below a folder with its text, comments left out.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).expect("a source file is readable");
            let code: Vec<&str> =
                text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            found.push((path, code.join("\n")));
        }
    }
    found
}

#[test]
fn crates_name_only_what_they_may_know() {
    for (folder, words, reason) in BANNED {
        for (path, code) in sources(&root().join(folder)) {
            if is_test(&path) {
                continue;
            }
            for word in words {
                assert!(!names(&code, word), "{}: `{word}`: {reason}", path.display());
            }
        }
    }
}

/// Tests may open files and read clocks.
fn is_test(path: &Path) -> bool {
    path.ends_with("tests.rs") || path.components().any(|part| part.as_os_str() == "tests")
}

/// Whether `word` stands in `code` as a path of its own, not as part of a longer name.
fn names(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        !part(before) && !part(after)
    })
}

#[test]
fn engine_modules_use_only_earlier_ones() {
    let mut wrong = Vec::new();
    for (number, module) in ENGINE.iter().enumerate() {
        let folder = root().join("pdp/engine/src").join(module);
        let mut files = sources(&folder);
        let file = folder.with_extension("rs");
        if let Ok(text) = fs::read_to_string(&file) {
            files.push((file, text));
        }
        for (path, code) in files {
            if is_test(&path) {
                continue;
            }
            // Tests at the end of a file may use anything.
            let code = code.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned();
            for later in &ENGINE[number + 1..] {
                if names(&code, &format!("crate::{later}")) {
                    wrong.push(format!("{} uses `{later}`", path.display()));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "a module uses only those before it in {ENGINE:?}:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn arrows_between_crates_point_at_the_engine() {
    let crates = ["pdp-engine", "pdp-onap", "pdp-history", "pdp-server"];
    for (number, folder) in ["engine", "onap", "history", "server"].iter().enumerate() {
        let path = root().join("pdp").join(folder).join("Cargo.toml");
        let manifest = fs::read_to_string(&path).expect("a crate has a manifest");
        let dependencies = manifest.split("[dependencies]").nth(1).unwrap_or_default();
        let dependencies = dependencies.split("\n[").next().unwrap_or_default();
        for later in &crates[number + 1..] {
            assert!(!dependencies.contains(later), "{}: depends on {later}", path.display());
        }
    }
}

/// Whatever the engine is to need one day: if it opens a socket, a file or a runtime, it is not the
/// engine's.
#[test]
fn the_engine_depends_on_no_runtime_network_or_file() {
    const MAY: &[&str] = &[
        "base64",
        "bumpalo",
        "fancy-regex",
        "foldhash",
        "hashbrown",
        "itoa",
        "memchr",
        "num-bigint",
        "num-traits",
        "quick-xml",
        "regex",
        "regex-syntax",
        "ryu",
        "serde",
        "serde_json",
        "strsim",
        "thiserror",
    ];
    let manifest = fs::read_to_string(root().join("pdp/engine/Cargo.toml")).expect("a manifest");
    let (_, dependencies) = manifest.split_once("[dependencies]").expect("it has dependencies");
    let dependencies = dependencies.split("\n[").next().unwrap_or_default();
    for line in dependencies.lines().filter(|line| !line.trim().is_empty()) {
        let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
        assert!(
            MAY.contains(&name),
            "pdp-engine depends on `{name}`: if it is pure (no async runtime, no network, no files, no \
             clock), add it to this list"
        );
    }
}

#[test]
fn files_are_of_a_size_that_can_be_read() {
    for folder in
        ["pdp/engine/src", "pdp/onap/src", "pdp/history/src", "pdp/server/src", "soak/src"]
    {
        for (path, code) in sources(&root().join(folder)) {
            // Tables are long by nature; everything else has a seam somewhere.
            let lines = code.lines().count();
            assert!(lines <= 1200, "{} has {lines} lines: split it", path.display());
        }
    }
}
