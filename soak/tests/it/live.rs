//! Services that leak or slow down for real, each in a process of its own with the allocator of the real
//! service: large faults are found within a minute, small ones in a quarter of an hour, and none where
//! there is none.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::stub::{Faults, Stub};
use crate::support::{command, ended, folder, record};

/// Tells a process of this very test binary that it is a service, and what is wrong with it.
const FAULT: &str = "SOAK_TEST_SERVICE";

#[test]
#[ignore = "is the service that the tests beside it start, and does nothing by itself"]
fn service() {
    let Ok(faults) = std::env::var(FAULT) else { return };
    let number = |name: &str| -> u64 {
        let word = faults.split(' ').find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        word.map_or(0, |number| number.parse().expect("a number"))
    };
    let stub = Stub::start(Faults {
        leak_per_minute: number("leak_kib") as usize * 1024,
        slower: Duration::from_micros(number("slower_us")),
        no_allocator: number("hidden") > 0,
        delay: Duration::from_millis(10),
        ..Faults::default()
    });
    writeln!(std::io::stdout(), "listening on {}", stub.url()).expect("somebody reads this");
    // Until whoever started it lets go.
    let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
}

struct Service {
    child: Child,
    url: String,
    /// It says more while it runs, and would not outlive a closed pipe.
    _out: Lines<BufReader<ChildStdout>>,
}

impl Service {
    fn start(faults: &str) -> Self {
        let mut child = Command::new(std::env::current_exe().expect("this binary"))
            .args(["--exact", "live::service", "--ignored", "--nocapture"])
            .env(FAULT, faults)
            // Its threads come and go with connections, which those of the real service do not, and would take
            // what they keep at hand with them.
            .env("_RJEM_MALLOC_CONF", "tcache:false")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this binary can be started");
        let mut out = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let mut lines = out.by_ref().map_while(Result::ok);
        let ready = lines.find(|line| line.contains("listening on "));
        let ready = ready.expect("the service says where it listens");
        let (_, url) = ready.split_once("listening on ").expect("it says so");
        Self { child, url: url.to_owned(), _out: out }
    }

    /// Starts a run against it.
    fn judge(&self, duration: &str, rules: &Path, report: &Path) -> (Child, String) {
        let args = format!(
            "s3p --target {} --pid {} --users 1 --duration {duration} --seed 1 --quiet --rules {} --report {}",
            self.url,
            self.child.id(),
            rules.display(),
            report.display()
        );
        let run = command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        (run.expect("soak can be started"), args)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // It is ours, and may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Services with a fault each, all judged at once: their faults, the rules, the exit code, and what the
/// verdict line must say.
fn judge_all(duration: &str, cases: &[(&str, &str, i32, &str)]) {
    let folder = folder();
    let mut runs = Vec::new();
    for (place, (faults, rules, ..)) in cases.iter().enumerate() {
        let service = Service::start(faults);
        let (file, report) =
            (folder.path().join(format!("{place}.rules")), folder.path().join(place.to_string()));
        std::fs::write(&file, format!("{rules}\n")).expect("a small file");
        let (run, args) = service.judge(duration, &file, &report);
        runs.push((service, run, args, report));
    }
    let mut ends = Vec::new();
    for ((_service, run, args, report), (faults, ..)) in runs.into_iter().zip(cases) {
        let output = run.wait_with_output().expect("soak can be waited for");
        eprintln!("`{faults}` {:?}: {}", output.status.code(), record_text(&report));
        ends.push((output, args));
    }
    // Were one not as it should be, the reports of all would be worth looking at.
    let kept = folder.keep();
    for ((output, args), (faults, _, code, words)) in ends.into_iter().zip(cases) {
        let (out, _) = ended(output, &args, *code);
        assert!(out.contains(words), "`{faults}` ({}): {out}", kept.display());
    }
    std::fs::remove_dir_all(&kept).expect("the folder is ours");
}

/// What the trends came to.
fn record_text(report: &Path) -> String {
    let record = record(report);
    let verdicts = record["verdicts"].as_array().expect("a list").iter();
    let trends = verdicts.filter(|verdict| {
        let id = verdict["id"].as_str().unwrap_or_default();
        id.starts_with("leak") || id.starts_with("drift")
    });
    trends.filter_map(|verdict| verdict["why"].as_str()).collect::<Vec<_>>().join("; ")
}

#[test]
fn large_faults_are_found_within_a_minute_and_none_where_there_is_none() {
    let leak = "leak < 1MiB/min over 30s";
    judge_all(
        "64s",
        &[
            ("leak_kib=8192", leak, 5, "reason=allocated memory grows: +8."),
            ("leak_kib=8192 hidden=1", leak, 5, "reason=anonymous memory grows: +"),
            ("", leak, 0, "reason=every rule passed"),
            ("hidden=1", leak, 0, "reason=every rule passed"),
            ("slower_us=50", "drift < 20% over 30s", 5, "reason=p50 of decisions went from "),
        ],
    );
}

#[test]
#[ignore = "takes a quarter of an hour"]
fn small_leaks_are_found_in_a_quarter_of_an_hour_and_none_where_there_is_none() {
    let leak = "leak = none";
    judge_all(
        "15m",
        &[
            ("leak_kib=8", leak, 5, "reason=allocated memory grows: +"),
            ("leak_kib=64 hidden=1", leak, 5, "reason=anonymous memory grows: +"),
            ("", leak, 0, "reason=every rule passed"),
            ("hidden=1", leak, 0, "reason=every rule passed"),
        ],
    );
}
