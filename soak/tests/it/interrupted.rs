//! Ctrl-C and SIGTERM end the load at once and still leave a report.

use std::time::Duration;

use crate::stub::{Faults, Stub};
use crate::support::{ended, folder, record, start};

fn interrupt_with(signal: rustix::process::Signal) {
    let stub = Stub::start(Faults { delay: Duration::from_millis(1), ..Faults::default() });
    let folder = folder();
    let args = format!(
        "s3p --target {} --users 1 --duration 600s --report {}",
        stub.url(),
        folder.path().display()
    );
    let child = start(&args);
    // The load has begun once more has been asked than the preflight asks.
    let deadline = std::time::Instant::now() + Duration::from_secs(30);
    while stub.requests() < 100 && std::time::Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(50));
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, signal).expect("soak is running");
    let output = child.wait_with_output().expect("soak can be waited for");
    let (out, _) = ended(output, &args, 130);
    assert!(out.contains("reason=interrupted after"), "{out}");
    let record = record(folder.path());
    assert_eq!(
        (record["result"].as_str(), record["exit_code"].as_u64()),
        (Some("FAIL"), Some(130))
    );
    assert!(record["totals"]["all"]["count"].as_u64() > Some(0));
    assert!(record["run"]["actual_s"].as_f64() < Some(60.0));
}

#[test]
fn a_run_that_is_killed_leaves_a_report_of_what_it_had_measured() {
    let stub = Stub::start(Faults { delay: Duration::from_millis(1), ..Faults::default() });
    let folder = folder();
    let args = format!(
        "s3p --target {} --users 1 --duration 600s --report {}",
        stub.url(),
        folder.path().display()
    );
    let mut child = start(&args);
    let written = folder.path().join("report.html");
    let deadline = std::time::Instant::now() + Duration::from_secs(60);
    while !written.exists() && std::time::Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(50));
    }
    child.kill().expect("it is ours");
    child.wait().expect("soak can be waited for");
    let record = record(folder.path());
    crate::support::follows_schema(&record);
    let reason = record["reason"].as_str().expect("there is a reason");
    assert!(reason.starts_with("the run had not ended when this was written, after "), "{reason}");
    assert_eq!((record["result"].as_str(), record["exit_code"].as_u64()), (Some("FAIL"), Some(1)));
    assert!(record["totals"]["all"]["count"].as_u64() > Some(0));
    assert!(record["run"]["actual_s"].as_f64() >= Some(5.0));
    assert!(record["resources"]["after"].is_object());
}

#[test]
fn ctrl_c_leaves_a_report() {
    interrupt_with(rustix::process::Signal::INT);
}

#[test]
fn sigterm_leaves_a_report() {
    interrupt_with(rustix::process::Signal::TERM);
}
