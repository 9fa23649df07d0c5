//! Runs handed cases against the real binary: `make cases CASES=DIR`.
//!
//! `CASES` is a folder with a `cases.json`, a suite of XACML tests, or a folder of such folders. Each case starts a service
//! of its own, calls a command, or calls the part that it names, so that cases cannot disturb each other.
//! What does not exist here is skipped with a printed reason. The last line of each folder is
//! `FOLDER: N passed, N failed, N skipped`.

#![allow(missing_docs, unreachable_pub)] // one program of tests
#![allow(clippy::print_stdout)] // the report of the run

#[path = "../it/support/mod.rs"]
#[allow(dead_code, unused_imports)] // shared with the integration tests
mod support;

mod case;
mod command;
mod expect;
mod inside;
mod part;
mod plan;
mod policies;
mod request;
mod suite;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use case::{Case, Outcome};

fn main() -> ExitCode {
    let Some(root) = std::env::var_os("CASES").map(PathBuf::from) else {
        println!("CASES names no folder: nothing to run");
        return ExitCode::SUCCESS;
    };
    let folders = folders(&root);
    if folders.is_empty() {
        println!("{}: no folder with a cases.json, no suite", root.display());
        return ExitCode::FAILURE;
    }
    let failed: usize = folders.iter().map(|folder| run(&root, folder)).sum();
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Folders that hold a `cases.json` or are a suite, at any depth.
fn folders(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    if suite::is(root) {
        return vec![root.to_owned()];
    }
    if root.join("cases.json").is_file() {
        found.push(root.to_owned());
    }
    let mut below: Vec<PathBuf> = std::fs::read_dir(root)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    below.sort();
    for folder in below {
        found.extend(folders(&folder));
    }
    found
}

/// Runs the cases of one folder and says how many failed.
fn run(root: &Path, folder: &Path) -> usize {
    let name =
        folder.strip_prefix(root).ok().filter(|name| *name != Path::new("")).unwrap_or(folder);
    let name = name.display();
    if suite::is(folder) {
        return suite::run_suite(&name.to_string(), folder);
    }
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for case in Case::read(folder) {
        match case.run() {
            Outcome::Passed => passed += 1,
            Outcome::Failed(reason) => {
                failed += 1;
                println!("{name}/{}: FAILED: {reason}", case.name());
            }
            Outcome::Skipped(reason) => {
                skipped += 1;
                println!("{name}/{}: skipped: {reason}", case.name());
            }
        }
    }
    if plan::is(folder) {
        let (held, broken) = plan::run(&name.to_string(), folder);
        passed += held;
        failed += broken;
    }
    println!("{name}: {passed} passed, {failed} failed, {skipped} skipped");
    failed
}
