//! Running `soak` as a person would and looking at what came of it.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

/// The command with the arguments given, separated by spaces.
pub(crate) fn command(args: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_soak"));
    command.args(args.split_whitespace()).env_remove("SOAK_PASSWORD").stdin(Stdio::null());
    command
}

/// Runs to the end.
pub(crate) fn soak(args: &str) -> Output {
    command(args).output().expect("soak can be started")
}

/// Starts and does not wait.
pub(crate) fn start(args: &str) -> Child {
    command(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("soak can be started")
}

/// Runs to the end and checks the exit code; gives standard output, then standard error.
pub(crate) fn check(args: &str, code: i32) -> (String, String) {
    ended(soak(args), args, code)
}

/// Checks the exit code of a command that has ended.
pub(crate) fn ended(output: Output, args: &str, code: i32) -> (String, String) {
    let out = String::from_utf8(output.stdout).expect("UTF-8");
    let err = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(code), "soak {args}\n--- out\n{out}\n--- err\n{err}");
    (out, err)
}

/// The stored record of a run.
pub(crate) fn record(folder: &Path) -> Value {
    let text =
        std::fs::read_to_string(folder.join("report.json")).expect("report.json was written");
    serde_json::from_str(&text).expect("report.json is JSON")
}

/// The row of an endpoint.
pub(crate) fn endpoint<'a>(record: &'a Value, name: &str) -> &'a Value {
    let rows = record["endpoints"].as_array().expect("endpoints is a list");
    rows.iter().find(|row| row["name"] == name).expect(name)
}

/// A temporary folder.
pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Whether a record is as `soak schema` says.
pub(crate) fn follows_schema(record: &Value) {
    let schema: Value = serde_json::from_str(&check("schema", 0).0).expect("the schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("the schema is a schema");
    let errors: Vec<String> = validator
        .iter_errors(record)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .take(5)
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
    // It is strict: a member it does not know is refused.
    let mut more = record.clone();
    more["run"]["unknown"] = Value::Bool(true);
    assert!(!validator.is_valid(&more));
}
