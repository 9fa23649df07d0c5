//! Wrong command lines: nothing is sent, and the message says what to do.

use crate::stub::{Faults, Stub};
use crate::support::{check, folder};

/// Runs `soak s3p` with `args` and expects exit 2 and `words` in the message.
fn refused(args: &str, words: &[&str]) {
    let (_, err) = check(&format!("s3p {args}"), 2);
    for word in words {
        assert!(err.contains(word), "soak s3p {args}: `{word}` is not in\n{err}");
    }
}

#[test]
fn flags_are_checked_before_anything_starts() {
    refused("--half --spawn", &["--half"]);
    refused("", &["--target <URL>", "--spawn"]);
    refused("--target http://x --duration 10", &["--duration", "has no unit", "90s"]);
    refused("--target http://x --duration 1500ms", &["whole seconds"]);
    refused("--target http://x --users none", &["--users"]);
    refused("--target pdp:6969", &["`pdp:6969`", "http://127.0.0.1:6969"]);
    refused("--target ftp://x", &["not an http or https address"]);
    refused("--target http://u:p@x", &["--user and --password-file"]);
    refused("--target http://x --pid 4194305", &["no process 4194305"]);
    refused("--target http://x --header nonsense", &["--header", "`nonsense` has no colon"]);
    refused("--target http://x --user me", &["SOAK_PASSWORD"]);
    refused(
        "--target http://x --user me --password-file /nowhere",
        &["--password-file", "/nowhere"],
    );
    refused("--target http://x --cacert /dev/null", &["--cacert", "no certificate"]);
    refused("--spawn --pdp /nowhere/pdp", &["no binary /nowhere/pdp", "check --pdp"]);
    refused("--spawn --pdp /bin/true --policies /nowhere", &["/nowhere does not exist"]);
}

#[test]
fn mistakes_in_the_rules_are_told_with_their_places() {
    let folder = folder();
    let rules = folder.path().join("my.rules");
    std::fs::write(&rules, "p99 < 5ms for decisions\np99 < 5\nspeed > 3\n").expect("a small file");
    let args = format!("--target http://x --rules {}", rules.display());
    refused(
        &args,
        &["my.rules:2:8: a unit is missing", "my.rules:3:1: `speed` is not a metric", "soak rules"],
    );
    std::fs::write(&rules, "p99 < -5ms\nerror-rate < 200%\n").expect("a small file");
    refused(&args, &["my.rules:1:7: this can never be below zero", "my.rules:2:14: a rate is"]);
    std::fs::write(&rules, "").expect("a small file");
    refused(&args, &["my.rules:1:1: there is no rule"]);
    refused("--target http://x --rules /nowhere", &["--rules", "/nowhere"]);
}

#[test]
fn a_report_folder_that_cannot_be_written_is_found_before_the_run() {
    let stub = Stub::start(Faults::default());
    let folder = folder();
    let file = folder.path().join("a-file");
    std::fs::write(&file, "").expect("a small file");
    refused(
        &format!("--target {} --report {}", stub.url(), file.display()),
        &["--report", "a-file"],
    );
    assert_eq!(stub.requests(), 0, "nothing was sent");
}

#[test]
fn a_target_that_does_not_answer_is_told_apart_from_a_bad_command() {
    let (_, err) = check("s3p --target http://127.0.0.1:9 --wait 300ms", 3);
    assert!(err.contains("cannot connect") && err.contains("--wait"), "{err}");
    let stub = Stub::start(Faults { basic: Some("dTpw".to_owned()), ..Faults::default() });
    let (_, err) = check(&format!("s3p --target {}", stub.url()), 3);
    assert!(err.contains("status 401") && err.contains("--user"), "{err}");
}

#[test]
fn a_target_without_the_policies_is_told_what_is_missing() {
    let stub =
        Stub::start(Faults { no_guards: true, no_administration: true, ..Faults::default() });
    let (_, err) = check(&format!("s3p --target {}", stub.url()), 3);
    for words in [
        "the min/max guard at its maximum: expected Deny, got Permit",
        "the frequency limiter after a recorded operation",
        "hint: deploy the policies",
        "the run would deploy them by itself with the right to administer",
        "/policies answers 403",
    ] {
        assert!(err.contains(words), "{err}");
    }
}

#[test]
fn help_version_rules_and_schema_are_there() {
    let (out, _) = check("--help", 0);
    assert!(out.contains("Examples:") && out.contains("Exit codes:"), "{out}");
    let (out, _) = check("s3p --help", 0);
    assert!(out.contains("soak s3p --spawn"), "{out}");
    assert!(check("--version", 0).0.starts_with("soak "));
    assert!(check("rules", 0).0.contains("error-rate"));
    assert!(check("schema", 0).0.contains("soak-report/1"));
    let (_, err) = check("report /nowhere/report.json", 2);
    assert!(err.contains("/nowhere/report.json"), "{err}");
}
