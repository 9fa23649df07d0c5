//! Suites of XACML tests, which `pdp conformance` runs.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::run;

/// Whether a folder is a suite.
pub fn is(folder: &Path) -> bool {
    ["manifest.json", "vectors.json"].iter().any(|name| {
        let text = fs::read_to_string(folder.join(name)).unwrap_or_default();
        serde_json::from_str::<Value>(&text).is_ok_and(|manifest| manifest["suite"].is_string())
    })
}

/// Runs a suite, prints what failed or was skipped, and says how many failed.
pub fn run_suite(name: &str, folder: &Path) -> usize {
    let ended = run(&["conformance", "--http", &folder.display().to_string()]);
    let mut lines: Vec<&str> = ended.out.lines().collect();
    let summary = lines.pop().unwrap_or_default();
    for line in lines {
        println!("{line}");
    }
    let failed = summary
        .split(", ")
        .find_map(|part| part.strip_suffix(" failed"))
        .and_then(|number| number.parse().ok());
    match failed {
        Some(failed) => {
            println!("{name}: {summary}");
            failed
        }
        None => {
            println!("{name}: 0 passed, 1 failed, 0 skipped: {}", ended.err.trim());
            1
        }
    }
}
