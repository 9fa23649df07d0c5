//! Tells the crate what it was built with, for the versions in its reports.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../Cargo.lock");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let version = Command::new(rustc)
        .arg("--version")
        .output()
        .ok()
        .map(|output| output.stdout)
        .unwrap_or_default();
    println!("cargo::rustc-env=SOAK_RUSTC={}", String::from_utf8_lossy(&version).trim());
    println!(
        "cargo::rustc-env=SOAK_GOOSE={}",
        locked_version("goose").unwrap_or_else(|| "unknown".to_owned())
    );
}

/// The version of a package in the lock file.
fn locked_version(package: &str) -> Option<String> {
    let lock = std::fs::read_to_string("../Cargo.lock").ok()?;
    let mut lines = lock.lines().skip_while(|line| *line != format!("name = \"{package}\""));
    lines.nth(1)?.strip_prefix("version = \"")?.strip_suffix('"').map(str::to_owned)
}
