//! `--spawn`: the service is started, watched and stopped. A script stands in for pdp and names the
//! address of a stub.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::stub::{Faults, Stub};
use crate::support::{check, command, folder, record};

/// A `pdp` that says it listens at `url` and then does as `then` says.
fn script(folder: &Path, url: &str, then: &str) -> PathBuf {
    let path = folder.join("pdp");
    let text = format!(
        "#!/bin/sh\necho \"$@\" $PDP_HISTORY__RETENTION > {}/arguments\necho 'listening on {url} (3 policies in 1 ms)'\n{then}\n",
        folder.display()
    );
    std::fs::write(&path, text).expect("a small file");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))
        .expect("a script of our own");
    path
}

fn args(pdp: &Path, folder: &Path, duration: &str) -> String {
    format!(
        "s3p --spawn --pdp {} --policies {} --users 1 --duration {duration} --report {}",
        pdp.display(),
        folder.display(),
        folder.display()
    )
}

#[test]
fn the_service_is_started_sampled_and_stopped() {
    let stub = Stub::start(Faults { delay: Duration::from_millis(1), ..Faults::default() });
    let folder = folder();
    let pdp = script(folder.path(), &stub.url(), "exec sleep 600");
    let (out, _) = check(&args(&pdp, folder.path(), "2s"), 0);
    assert!(out.contains("resident memory (RSS)"), "{out}");
    let given = std::fs::read_to_string(folder.path().join("arguments")).expect("the script ran");
    assert_eq!(
        given.trim(),
        format!(
            "serve --state none --listen 127.0.0.1:0 --policies {} 10m",
            folder.path().display()
        )
    );
    let record = record(folder.path());
    let pid = record["target"]["pid"].as_u64().expect("the pid is known");
    assert!(!Path::new(&format!("/proc/{pid}/fd/0")).exists(), "process {pid} is still there");
    assert_eq!(record["resources"]["source"], "procfs");
}

#[test]
fn a_service_that_dies_half_way_ends_the_run_with_its_last_words() {
    let stub = Stub::start(Faults { delay: Duration::from_millis(1), ..Faults::default() });
    let folder = folder();
    let pdp = script(folder.path(), &stub.url(), "sleep 6; echo 'out of memory' >&2; exit 7");
    let started = Instant::now();
    let (out, err) = check(&args(&pdp, folder.path(), "300s"), 1);
    assert!(started.elapsed() < Duration::from_secs(60), "the run ends with the service");
    let last = out.lines().last().unwrap_or_default();
    assert!(last.starts_with("SOAK FAIL"), "{out}");
    assert!(last.contains("reason=the service ended by itself (exit status 7) after "), "{last}");
    assert!(last.ends_with(" of 5m"), "{last}");
    assert!(err.contains("its last lines:") && err.contains("  | out of memory"), "{err}");
    assert_eq!(record(folder.path())["exit_code"], 1);
}

#[test]
fn no_service_is_left_behind_however_the_run_is_ended() {
    let stub = Stub::start(Faults { delay: Duration::from_millis(1), ..Faults::default() });
    let folder = folder();
    let pdp = script(folder.path(), &stub.url(), "echo $$ > pid; exec sleep 600");
    let mut command = command(&args(&pdp, folder.path(), "300s"));
    let child = command.current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = child.spawn().expect("soak can be started");
    let deadline = Instant::now() + Duration::from_secs(30);
    while stub.requests() < 50 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    for _ in 0..2 {
        let pid = rustix::process::Pid::from_child(&child);
        // The first one may have been enough.
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        std::thread::sleep(Duration::from_millis(60));
    }
    assert_eq!(child.wait().expect("soak can be waited for").code(), Some(130));
    let pid = std::fs::read_to_string(folder.path().join("pid")).expect("the script ran");
    let status = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    assert!(status.is_empty() || status.contains(") Z "), "the service is still there: {status}");
}

#[test]
fn the_service_dies_with_a_run_that_is_killed() {
    let stub = Stub::start(Faults { delay: Duration::from_millis(1), ..Faults::default() });
    let folder = folder();
    let pdp = script(folder.path(), &stub.url(), "echo $$ > pid; exec sleep 600");
    let mut command = command(&args(&pdp, folder.path(), "300s"));
    let child = command.current_dir(folder.path()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = child.spawn().expect("soak can be started");
    let deadline = Instant::now() + Duration::from_secs(30);
    while stub.requests() < 50 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = std::fs::read_to_string(folder.path().join("pid")).expect("the script ran");
    child.kill().expect("it is ours");
    child.wait().expect("soak can be waited for");
    let alive = || {
        let stat =
            std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    };
    let deadline = Instant::now() + Duration::from_secs(10);
    while alive() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(!alive(), "the service outlived its run");
}

#[test]
fn a_service_that_cannot_start_is_a_target_error() {
    let folder = folder();
    let pdp = folder.path().join("pdp");
    std::fs::write(&pdp, "#!/bin/sh\necho 'error: port in use' >&2\nexit 3\n")
        .expect("a small file");
    std::fs::set_permissions(&pdp, std::fs::Permissions::from_mode(0o755))
        .expect("a script of our own");
    let (_, err) = check(&args(&pdp, folder.path(), "2s"), 3);
    assert!(err.contains("exit status 3") && err.contains("port in use"), "{err}");
}
