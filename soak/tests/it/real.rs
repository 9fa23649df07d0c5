//! The suite against the real service, if it has been built beside: `cargo build --bin pdp`, or a test of the
//! whole workspace. Without it the tests say loudly that they looked at nothing.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::support::{check, endpoint, folder, follows_schema, record};

pub(crate) fn pdp() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_BIN_EXE_soak")).with_file_name("pdp");
    if !path.is_file() {
        assert!(
            std::env::var_os("REQUIRE_SERVERS").is_none(),
            "there is no {}, and REQUIRE_SERVERS is set: `cargo build --bin pdp` makes it",
            path.display()
        );
        eprintln!("SKIPPED: there is no {}; `cargo build --bin pdp` makes it", path.display());
        return None;
    }
    Some(path)
}

/// The shipped policies.
pub(crate) fn policies() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies")
}

/// A service that keeps nothing.
pub(crate) struct Bare {
    pub(crate) child: Child,
    url: String,
}

impl Bare {
    fn start(pdp: &Path, policies: &Path, environment: &[(&str, &str)]) -> Self {
        Self::start_at("127.0.0.1:0", pdp, policies, environment)
    }

    pub(crate) fn start_at(
        address: &str,
        pdp: &Path,
        policies: &Path,
        environment: &[(&str, &str)],
    ) -> Self {
        let mut child = Command::new(pdp)
            .args(["serve", "--state", "none", "--listen", address, "--policies"])
            .arg(policies)
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("pdp can be started");
        let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let line = lines.by_ref().map_while(Result::ok).find(|line| line.starts_with("listening"));
        let line = line.expect("the service says where it listens");
        let url = line.split(' ').nth(2).expect("listening on URL").to_owned();
        // It may say more, and must not find its output closed.
        std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        Self { child, url }
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        // It is ours, and may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn run(args: &str) -> (String, Value) {
    let folder = folder();
    let (out, _) = check(&format!("{args} --report {}", folder.path().display()), 0);
    let record = record(folder.path());
    follows_schema(&record);
    (out, record)
}

#[test]
fn policies_are_brought_to_a_service_that_lacks_them_and_taken_away_again() {
    let Some(pdp) = pdp() else { return };
    let empty = folder();
    let bare = Bare::start(&pdp, empty.path(), &[]);
    let brought = "The service lacked these policies; the run has deployed them";
    for args in [
        "s3p --full --users 1 --duration 2s",
        "groups --requests 20 --subject mapping",
        "mix --instances 1 --duration 2s",
    ] {
        // Each finds nothing there, so the one before has left nothing.
        let (out, record) = run(&format!("{args} --target {}", bare.url));
        assert!(out.contains(brought), "{args}: {out}");
        assert_eq!(record["totals"]["decisions"]["wrong"], 0);
    }
}

#[test]
fn policies_are_taken_away_from_an_interrupted_run_too() {
    let Some(pdp) = pdp() else { return };
    let empty = folder();
    let bare = Bare::start(&pdp, empty.path(), &[]);
    for _ in 0..2 {
        let args = format!("s3p --users 1 --duration 300s --deadline 2s --target {}", bare.url);
        let (out, _) = check(&args, 1);
        assert!(
            out.contains("the deadline was reached") && out.contains("The service lacked"),
            "{out}"
        );
    }
}

#[test]
fn a_service_whose_policies_may_not_be_touched_is_left_alone() {
    let Some(pdp) = pdp() else { return };
    let empty = folder();
    // The administration has an address of its own, which is not known here.
    let bare = Bare::start(&pdp, empty.path(), &[("PDP_SERVER__ADMINISTRATION", "127.0.0.1:0")]);
    let (_, err) = check(&format!("s3p --users 1 --duration 2s --target {}", bare.url), 3);
    for words in
        ["the monitoring policy `onap.restart.tca`", "the run would deploy them", "answers 404"]
    {
        assert!(err.contains(words), "{words}: {err}");
    }
    // What the service has already is not brought, and not taken away.
    let whole = Bare::start(&pdp, &policies(), &[]);
    for _ in 0..2 {
        let (out, _) = run(&format!("groups --requests 20 --target {}", whole.url));
        assert!(!out.contains("The service lacked"), "{out}");
    }
}

#[test]
fn the_published_plan_passes_on_a_service_of_its_own() {
    let Some(pdp) = pdp() else { return };
    let spawn = format!("--spawn --pdp {} --policies {}", pdp.display(), policies().display());
    let (_, record) = run(&format!("s3p --full --users 1 --duration 3s {spawn}"));
    assert_eq!(record["totals"]["all"]["failed"], 0);
    assert_eq!(record["totals"]["decisions"]["wrong"], 0);
    assert_eq!(record["resources"]["source"], "procfs");
    for member in ["before", "after"] {
        let sample = &record["resources"][member];
        for field in ["cpu_s", "anon", "fds", "sockets", "tcp", "threads"] {
            assert!(!sample[field].is_null(), "{member}.{field}");
        }
        assert!(sample["heap"]["allocated"].as_u64() > Some(0), "the allocator is told: {sample}");
    }
}

#[test]
fn every_mode_runs_on_the_mapping_of_twenty_thousand_subjects() {
    let Some(pdp) = pdp() else { return };
    let spawn = format!("--spawn --pdp {} --policies {}", pdp.display(), policies().display());
    let (_, record) = run(&format!("groups --requests 300 --subject mapping {spawn}"));
    assert_eq!(endpoint(&record, "map-identity")["ok"], 300);
    let (out, record) = run(&format!("secure --step 1s --subject mapping {spawn}"));
    let rows = record["secure"].as_array().expect("a list");
    assert_eq!(
        rows.len(),
        12,
        "three transports, with and without credentials, kept and new: {out}"
    );
    for row in rows {
        assert_eq!(row["credentials"].as_bool(), Some(row["refusals"]["wrong"] == 401), "{row}");
        assert_eq!(row["transport"] != "plain", row["tls_us"]["count"].as_u64() > Some(0), "{row}");
        assert!(row["first_us"].is_number() && row["time_ratio"].is_number(), "{row}");
    }
    let folder = folder();
    let report = folder.path().display();
    let args = format!("ramp --max-users 2 --step 2s --subject mapping --report {report} {spawn}");
    // A generator that shares two cores with everything else may well be the limit.
    let code = crate::support::soak(&args).status.code();
    assert!(matches!(code, Some(0 | 7)), "{code:?}");
    let record = crate::support::record(folder.path());
    assert_eq!(record["totals"]["all"]["failed"], 0);
    assert_eq!(record["totals"]["decisions"]["wrong"], 0);
    assert_eq!(record["run"]["workload"]["subject"], "mapping");
}
