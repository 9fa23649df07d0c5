//! Services with a known fault: each is found, counted in the right place, and ends the run with
//! the right code.

use std::time::Duration;

use crate::stub::{Faults, Stub};
use crate::support::{check, endpoint, folder, record};

#[test]
fn an_honest_service_passes_and_its_counts_add_up() {
    let stub = Stub::start(Faults { delay: Duration::from_millis(1), ..Faults::default() });
    let folder = folder();
    let args = format!(
        "s3p --target {} --users 2 --duration 5s --seed 7 --report {}",
        stub.url(),
        folder.path().display()
    );
    let (out, err) = check(&args, 0);
    assert!(
        out.lines().last().is_some_and(|line| line.starts_with("SOAK PASS decisions=")),
        "{out}"
    );
    assert!(err.contains("TotXact") && err.contains("BucTPM"), "{err}");

    let record = record(folder.path());
    let totals = &record["totals"];
    assert_eq!(
        (totals["all"]["failed"].as_u64(), totals["all"]["wrong"].as_u64()),
        (Some(0), Some(0))
    );
    let sum: u64 = record["endpoints"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|row| row["count"].as_u64())
        .sum();
    let buckets: u64 = record["intervals"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|row| row["buc"]["n"].as_u64())
        .sum();
    assert_eq!(Some(sum), totals["all"]["count"].as_u64());
    assert_eq!(sum, buckets);
    // A permit is recorded once, and is followed by a denial at least, but for that of each user which the
    // end of the load cuts off.
    let limiter = endpoint(&record, "guard-frequency")["count"].as_u64().expect("a count");
    let recorded = endpoint(&record, "record-operation")["count"].as_u64().expect("a count");
    assert!(recorded >= 2 && limiter + 2 >= 2 * recorded, "{limiter} {recorded}");
    for group in record["run"]["workload"]["groups"].as_array().expect("a list") {
        assert_eq!(group["users"], 2, "{group}");
    }
    assert_eq!(
        (record["run"]["seed"].as_u64(), record["target"]["version"].as_str()),
        (Some(7), Some("9.9.9"))
    );
    assert_eq!(record["resources"]["source"], "metrics");
}

#[test]
fn wrong_decisions_are_found_and_are_not_errors() {
    let stub = Stub::start(Faults {
        lie_every: Some(5),
        delay: Duration::from_millis(1),
        ..Faults::default()
    });
    let folder = folder();
    let args = format!(
        "s3p --target {} --users 2 --duration 4s --quiet --report {}",
        stub.url(),
        folder.path().display()
    );
    let (out, _) = check(&args, 4);
    assert!(
        out.starts_with("SOAK FAIL") && out.contains("wrong decision") && out.contains("errors=0"),
        "{out}"
    );
    assert_eq!(out.lines().count(), 1, "quiet prints the verdict line alone");
    let record = record(folder.path());
    let row = endpoint(&record, "guard-frequency");
    assert!(row["wrong"].as_u64() > Some(0) && row["failed"] == 0, "{row}");
    assert!(
        row["wrong_samples"][0].as_str().is_some_and(|words| words.contains("expected")),
        "{row}"
    );
}

#[test]
fn failed_requests_break_the_error_rule() {
    let stub = Stub::start(Faults {
        fail_every: Some(7),
        delay: Duration::from_millis(1),
        ..Faults::default()
    });
    let folder = folder();
    let args = format!(
        "s3p --target {} --users 2 --duration 4s --report {}",
        stub.url(),
        folder.path().display()
    );
    let (out, _) = check(&args, 1);
    assert!(out.contains("status 500") && out.contains("error rate of all requests"), "{out}");
    let record = record(folder.path());
    assert_eq!(record["totals"]["all"]["wrong"], 0);
    assert!(endpoint(&record, "monitoring")["status"]["500"].as_u64() > Some(0));
}

#[test]
fn a_leaking_service_breaks_its_memory_rule() {
    // The stub lives in this very process, so this is the process to sample.
    let stub = Stub::start(Faults {
        leak: 1 << 18,
        delay: Duration::from_millis(10),
        ..Faults::default()
    });
    let folder = folder();
    let rules = folder.path().join("memory.rules");
    std::fs::write(&rules, "rss_delta < 8MiB\n").expect("a small file");
    let args = format!(
        "s3p --target {} --users 1 --duration 3s --pid {} --rules {}",
        stub.url(),
        std::process::id(),
        rules.display()
    );
    let (out, _) = check(&args, 5);
    assert!(out.contains("growth of resident memory is +"), "{out}");
}

#[test]
fn a_service_that_slows_down_breaks_its_latency_rule() {
    let stub = Stub::start(Faults { slower: Duration::from_micros(200), ..Faults::default() });
    let folder = folder();
    let rules = folder.path().join("fast.rules");
    std::fs::write(&rules, "p99 < 5ms for decisions\n").expect("a small file");
    let args =
        format!("s3p --target {} --users 1 --duration 4s --rules {}", stub.url(), rules.display());
    let (out, _) = check(&args, 1);
    assert!(out.contains("p99 of decisions is "), "{out}");
}

#[test]
fn a_service_that_stops_answering_ends_in_errors_and_a_report() {
    let stub = Stub::start(Faults {
        close_after: Some(60),
        delay: Duration::from_millis(1),
        ..Faults::default()
    });
    let folder = folder();
    let args = format!(
        "s3p --target {} --users 1 --duration 6s --report {}",
        stub.url(),
        folder.path().display()
    );
    let (out, _) = check(&args, 1);
    assert!(out.contains("connection broken"), "{out}");
    let last = out.lines().last().unwrap_or_default();
    assert!(last.contains("reason=the service stopped answering as expected 0"), "{last}");
    assert!(last.contains("into the load (at 2"), "{last}");
    assert!(record(folder.path())["totals"]["all"]["failed"].as_u64() > Some(0));
}

#[test]
fn credentials_are_sent() {
    let stub = Stub::start(Faults {
        basic: Some("aGVhbHRoY2hlY2s6c2VjcmV0".to_owned()),
        delay: Duration::from_millis(1),
        ..Faults::default()
    });
    let folder = folder();
    let password = folder.path().join("password");
    std::fs::write(&password, "secret\n").expect("a small file");
    let args = format!(
        "s3p --target {} --users 1 --duration 1s --user healthcheck --password-file {} --report {}",
        stub.url(),
        password.display(),
        folder.path().display()
    );
    check(&args, 0);
    let text = std::fs::read_to_string(folder.path().join("report.json")).expect("the report");
    assert!(
        !text.contains("secret") && !text.contains("aGVhbHRoY2hlY2s6c2VjcmV0"),
        "the report keeps secrets"
    );
}

#[test]
fn a_service_that_lets_everybody_decide_is_found() {
    for (lets_all_decide, code) in [(false, 0), (true, 1)] {
        let stub = Stub::start(Faults {
            basic: Some("aGVhbHRoY2hlY2s6c2VjcmV0".to_owned()),
            lets_all_decide,
            delay: Duration::from_millis(1),
            ..Faults::default()
        });
        let folder = folder();
        let password = folder.path().join("password");
        std::fs::write(&password, "secret").expect("a small file");
        let args = format!(
            "secure --target {} --step 1s --user healthcheck --password-file {} --report {}",
            stub.url(),
            password.display(),
            folder.path().display()
        );
        let (out, _) = check(&args, code);
        let others = &record(folder.path())["secure"][0]["refusals"];
        if lets_all_decide {
            let why =
                "over plain, a request without credentials was answered with status 200, not 401";
            assert!(out.contains(why), "{out}");
        } else {
            assert_eq!(
                (others["missing"].as_u64(), others["wrong"].as_u64()),
                (Some(401), Some(401))
            );
            assert!(out.contains("nobody else was let in"), "{out}");
        }
    }
}

#[test]
fn connections_can_be_made_anew_for_each_request() {
    let stub = Stub::start(Faults { delay: Duration::from_millis(1), ..Faults::default() });
    let folder = folder();
    let args = format!(
        "s3p --target {} --users 1 --duration 2s --keep-alive no --report {}",
        stub.url(),
        folder.path().display()
    );
    check(&args, 0);
    let requests = record(folder.path())["totals"]["all"]["count"].as_u64().expect("a count");
    assert!(
        stub.connections() >= requests,
        "{} connections for {requests} requests",
        stub.connections()
    );
}
