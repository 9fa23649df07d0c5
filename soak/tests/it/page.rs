//! The page in Debian's Chromium: no serious violation of the accessibility rules, no request leaves it,
//! and it can be read by keyboard, in the dark, on a small screen and in print.
//!
//! Needs chromium, node and npm, which `.ci/prepare` installs. Without them the test says loudly that it
//! looked at nothing.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::stub::{Faults, Stub};
use crate::support::{check, folder, soak};

const BROWSER: &str = "/usr/bin/chromium";
const FILES: [&str; 3] = ["package.json", "package-lock.json", "check.mjs"];

/// The folder with the script and what it needs, or why there is none.
fn tools() -> Result<PathBuf, String> {
    if !Path::new(BROWSER).is_file() {
        return Err(format!("there is no {BROWSER}"));
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page");
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    for name in FILES {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/page").join(name);
        std::fs::copy(from, folder.join(name)).map_err(|error| format!("{name}: {error}"))?;
    }
    if !folder.join("node_modules/.package-lock.json").is_file() {
        let npm = Command::new("npm")
            .args(["ci", "--no-audit", "--no-fund", "--silent"])
            .current_dir(&folder)
            .output()
            .map_err(|error| format!("npm: {error}"))?;
        if !npm.status.success() {
            return Err(format!("npm ci: {}", String::from_utf8_lossy(&npm.stderr).trim()));
        }
    }
    Ok(folder)
}

/// Looks at a page; what is wrong with it is in the answer.
fn look(tools: &Path, page: &Path) -> Value {
    let node = Command::new("node")
        .args(["check.mjs", BROWSER])
        .arg(page)
        .current_dir(tools)
        .output()
        .expect("node came with npm");
    let err = String::from_utf8_lossy(&node.stderr);
    assert!(node.status.success(), "{err}");
    serde_json::from_slice(&node.stdout).expect("the script prints JSON")
}

/// A report as if the run had lasted 6000 s: its rows over and over.
fn stretch(from: &Path, to: &Path) {
    let text = std::fs::read_to_string(from).expect("the report was written");
    let mut record: Value = serde_json::from_str(&text).expect("it is JSON");
    let over = |rows: &Value| -> Value {
        let rows = rows.as_array().expect("a list");
        let repeated = rows.iter().cycle().take(600).cloned().enumerate();
        let moved = repeated.map(|(place, mut row)| {
            row["t"] = ((place + 1) * 10).into();
            row
        });
        moved.collect()
    };
    record["intervals"] = over(&record["intervals"]);
    for part in ["server", "generator", "host"] {
        record["resources"][part] = over(&record["resources"][part]);
    }
    record["heatmap"]["columns"] = over(&record["heatmap"]["columns"]);
    record["heatmap"]["columns"].as_array_mut().expect("a list").truncate(100);
    (record["run"]["planned_s"], record["run"]["actual_s"]) = (6000.into(), 6000.into());
    std::fs::write(to, record.to_string()).expect("a file");
}

#[test]
fn the_page_can_be_read_by_everyone_and_asks_nobody() {
    let tools = match tools() {
        Ok(tools) => tools,
        Err(why) => {
            eprintln!(
                "SKIPPED: no page was looked at: {why}; `make prepare` as root installs what is needed"
            );
            return;
        }
    };
    // Each run has a service of its own: the faults spare a service's first decisions, which are the
    // ones of the preflight.
    let faulty = || {
        Stub::start(Faults {
            lie_every: Some(5),
            fail_every: Some(7),
            delay: Duration::from_millis(1),
            ..Faults::default()
        })
    };
    let folder = folder();
    let (first, second) = (folder.path().join("s3p"), folder.path().join("ramp"));
    let pid = std::process::id();
    // With errors and wrong decisions, so that every table is on the page.
    let stub = faulty();
    let args = format!("--target {} --pid {pid} --report", stub.url());
    check(&format!("s3p --users 1 --duration 5s {args} {}", first.display()), 4);
    let stub = faulty();
    let args = format!("--target {} --pid {pid} --report", stub.url());
    // A ramp asks no limiter, which is what this service lies about; where the generator was the limit, that
    // outranks its failures.
    let args = format!("ramp --max-users 3 --step 2s {args} {}", second.display());
    let code = soak(&args).status.code();
    assert!(matches!(code, Some(1 | 7)), "soak {args}: {code:?}");
    let third = folder.path().join("long");
    stretch(&first.join("report.json"), &folder.path().join("long.json"));
    let long = folder.path().join("long.json");
    check(&format!("report {} --report {}", long.display(), third.display()), 4);
    for page in [first, second, third] {
        let told = look(&tools, &page.join("report.html"));
        eprintln!("{}: drawn after {} ms at most", page.display(), told["drawn_ms"]);
        for wrong in ["left", "violations", "errors", "hidden", "sideways"] {
            assert_eq!(told[wrong], Value::Array(Vec::new()), "{}: {wrong}", page.display());
        }
        let headings = told["headings"].as_array().expect("a list");
        assert_eq!(
            headings[1..3],
            ["Rules", "Endpoints"],
            "the verdict is followed by its reasons"
        );
        assert!(matches!(headings[0].as_str(), Some("PASS" | "FAIL")), "{told}");
        assert_eq!(told["details"], true, "the data of a plot opens by keyboard");
    }
}
