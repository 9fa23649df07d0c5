//! Every mode against an honest service, briefly: it ends well, and its record holds the figures of the
//! report that it repeats.

use std::time::Duration;

use serde_json::Value;

use crate::stub::{Faults, Stub};
use crate::support::{check, endpoint, folder, follows_schema, record};

fn stub() -> Stub {
    Stub::start(Faults { delay: Duration::from_millis(2), ..Faults::default() })
}

/// Runs a mode to its end; gives its output and its record, which follows the schema.
fn run(args: &str, code: i32) -> (String, Value) {
    let stub = stub();
    let folder = folder();
    let args = format!("{args} --target {} --report {}", stub.url(), folder.path().display());
    let (out, _) = check(&args, code);
    let record = record(folder.path());
    follows_schema(&record);
    let page = std::fs::read_to_string(folder.path().join("report.html")).expect("a page");
    assert!(page.contains("<h1>"), "the page has a verdict");
    (out, record)
}

fn list<'a>(record: &'a Value, name: &str) -> &'a Vec<Value> {
    record[name].as_array().expect(name)
}

#[test]
fn groups_are_timed_singly_first_and_then_by_the_hundred() {
    let (out, record) = run("groups --requests 250 --group 100 --singly 2 --clients 2", 0);
    let places: Vec<(u64, u64)> = list(&record, "groups")
        .iter()
        .filter(|row| row["client"] == "soak-client-1-0")
        .map(|row| (row["from"].as_u64().unwrap_or(0), row["to"].as_u64().unwrap_or(0)))
        .collect();
    assert_eq!(places, [(1, 1), (2, 2), (3, 100), (101, 200), (201, 250)]);
    assert!(out.contains("Time from 3 to 100: "), "{out}");
    assert_eq!(record["totals"]["all"]["count"], 500);
    assert_eq!(record["run"]["end_reason"], "planned number of requests reached");
}

#[test]
fn a_ramp_has_a_row_for_each_number_of_users_and_looks_for_the_knee() {
    let stub = stub();
    let folder = folder();
    let to = folder.path().display();
    let args =
        format!("ramp --max-users 3 --step 2s --drop 1s --target {} --report {to}", stub.url());
    // A generator that shares two cores with everything else may well be the limit.
    let code = crate::support::soak(&args).status.code();
    assert!(matches!(code, Some(0 | 7)), "{code:?}");
    let record = record(folder.path());
    follows_schema(&record);
    let users: Vec<u64> =
        list(&record, "steps").iter().filter_map(|row| row["users"].as_u64()).collect();
    assert_eq!(users, [1, 2, 3]);
    for step in list(&record, "steps") {
        assert!(
            step["tps"].as_f64() > Some(0.0) && step["delay_ms"].as_f64() > Some(1.9),
            "{step}"
        );
        assert!(step["idle_cpu_pct"].is_number() && step["first_us"].is_number(), "{step}");
    }
    assert!(record["knee"]["limit"].is_string());
    let sum: u64 =
        list(&record, "intervals").iter().filter_map(|row| row["buc"]["n"].as_u64()).sum();
    assert_eq!(record["totals"]["all"]["count"].as_u64(), Some(sum));
}

#[test]
fn the_mixture_draws_every_action_writes_and_adds_up() {
    let (out, record) = run("mix --instances 3 --spacing 300ms --duration 5s --seed 3", 0);
    for name in [
        "decide-permit",
        "decide-deny",
        "decide-not-applicable",
        "healthcheck",
        "statistics",
        "deploy-policy",
        "undeploy-policy",
    ] {
        assert!(endpoint(&record, name)["count"].as_u64() > Some(0), "{name}");
    }
    let sum: u64 = list(&record, "methods").iter().filter_map(|row| row["count"].as_u64()).sum();
    assert_eq!(record["totals"]["all"]["count"].as_u64(), Some(sum));
    assert!(out.contains("page cache") && out.contains("disk written per second"), "{out}");
}

#[test]
fn the_matrix_counts_by_client_and_threads() {
    let (out, record) = run("matrix --clients 2 --threads 1,2 --step 3s --interval 1s", 0);
    let cells: Vec<(&str, u64)> = list(&record, "matrix")
        .iter()
        .map(|row| (row["client"].as_str().unwrap_or(""), row["threads"].as_u64().unwrap_or(0)))
        .collect();
    assert_eq!(cells, [("client-1", 1), ("client-2", 1), ("client-1", 2), ("client-2", 2)]);
    assert!(out.contains("Jain's index"), "{out}");
    // Unlike the log that it repeats: a bucket's average is its own, not that since the start.
    let rows = list(&record, "intervals");
    assert!(rows.iter().any(|row| row["buc"]["avg"] != row["tot"]["avg"]));
}

#[test]
fn a_rate_is_sent_at_its_moments_and_corrected_from_them() {
    let stub = stub();
    let folder = folder();
    let jtl = folder.path().join("run.jtl");
    let args = format!(
        "rate --rate 100 --duration 4s --target {} --report {} --jtl {} --junit {}",
        stub.url(),
        folder.path().display(),
        jtl.display(),
        folder.path().join("junit.xml").display()
    );
    // On a machine with other work the scheduler may be late; the figures are there all the same.
    let code = crate::support::soak(&args).status.code();
    assert!(matches!(code, Some(0 | 1 | 7)), "{code:?}");
    let record = record(folder.path());
    follows_schema(&record);
    let rate = &record["rate"];
    assert_eq!(rate["intended"].as_u64(), Some(400), "{rate}");
    assert!(rate["not_sent"].as_u64() < Some(40), "{rate}");
    assert!(
        rate["corrected_us"]["p50"].as_u64() >= rate["uncorrected_us"]["min"].as_u64(),
        "{rate}"
    );
    assert_eq!(record["run"]["workload"]["model"], "open");
    let lines = std::fs::read_to_string(&jtl).expect("the lines were written");
    let requests = record["totals"]["all"]["count"].as_u64().expect("a count") as usize;
    assert_eq!(lines.lines().count(), requests + 1, "a header and a line for each request");
    let junit = std::fs::read_to_string(folder.path().join("junit.xml")).expect("it was written");
    assert!(junit.contains("<testsuite name=\"soak.rate\""), "{junit}");
}

#[test]
fn new_and_kept_connections_are_told_apart() {
    let (_, record) = run("secure --step 2s", 0);
    let rows = list(&record, "secure");
    let ways: Vec<&str> = rows.iter().filter_map(|row| row["connection"].as_str()).collect();
    assert_eq!(ways, ["kept", "new"]);
    let connections = |row: &Value| row["connect_us"]["count"].as_u64().unwrap_or(0);
    // A kept connection may still be lost and opened again.
    assert!(connections(&rows[1]) > 10 * connections(&rows[0]).max(1), "{rows:?}");
}

#[test]
fn the_full_plan_asks_all_seven_decisions() {
    let (_, record) = run("s3p --full --users 1 --duration 3s", 0);
    for name in [
        "monitoring",
        "monitoring-abbrev",
        "naming",
        "optimization",
        "guard-default",
        "guard-frequency",
        "guard-minmax",
    ] {
        assert!(endpoint(&record, name)["ok"].as_u64() > Some(0), "{name}");
    }
}

#[test]
fn a_deadline_ends_the_run_and_leaves_its_report() {
    let (out, record) = run("s3p --users 1 --duration 300s --deadline 3s", 1);
    assert!(out.contains("the deadline was reached after"), "{out}");
    assert!(record["totals"]["all"]["count"].as_u64() > Some(0));
}

#[test]
fn a_run_is_no_regression_against_itself_and_others_are_refused() {
    let stub = stub();
    let folder = folder();
    let to = folder.path().display();
    check(&format!("s3p --users 1 --duration 2s --target {} --report {to}", stub.url()), 0);
    let stored = folder.path().join("report.json");
    let (out, _) = check(&format!("compare {0} {0}", stored.display()), 0);
    assert!(out.contains("SOAK PASS compared="), "{out}");
    let args =
        format!("groups --requests 20 --target {} --baseline {}", stub.url(), stored.display());
    let (out, _) = check(&args, 2);
    assert!(out.contains("the runs are not alike: mode `s3p` against `groups`"), "{out}");
}
