//! The reports of a real run: they follow their schema, stand alone, and can be made again.

use std::time::Duration;

use crate::stub::{Faults, Stub};
use crate::support::{check, ended, folder, follows_schema, record, start};

#[test]
fn reports_follow_the_schema_stand_alone_and_can_be_made_again() {
    let stub = Stub::start(Faults {
        lie_every: Some(5),
        fail_every: Some(7),
        delay: Duration::from_millis(1),
        ..Faults::default()
    });
    let folder = folder();
    let first = folder.path().join("first");
    let args = format!(
        "s3p --target {} --users 2 --duration 5s --pid {} --report {}",
        stub.url(),
        std::process::id(),
        first.display()
    );
    check(&args, 4);
    let stored = record(&first);
    follows_schema(&stored);
    assert_eq!(stored["resources"]["source"], "procfs");
    for member in ["before", "after", "delta"] {
        for field in ["cpu_s", "rss", "anon", "pss", "fds", "threads", "ctx"] {
            assert!(!stored["resources"][member][field].is_null(), "{member}.{field}");
        }
    }
    let names: Vec<&str> = stored["phases"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|p| p["name"].as_str())
        .collect();
    assert_eq!(names, ["first", "warmup", "steady", "cooldown"]);

    let page = std::fs::read_to_string(first.join("report.html")).expect("report.html was written");
    stands_alone(&page);
    assert!(
        page.contains("wrong decision") && page.contains("<polyline"),
        "the page tells what happened"
    );

    let again = folder.path().join("again");
    let (out, _) = check(
        &format!("report {} --report {}", first.join("report.json").display(), again.display()),
        4,
    );
    assert!(out.contains("SOAK FAIL"), "{out}");
    assert_eq!(record(&again), stored, "judging the same record by the same rules changes nothing");
    assert_eq!(std::fs::read_to_string(again.join("report.html")).expect("a page"), page);
}

#[test]
fn the_verdict_line_goes_into_a_file_however_the_run_ends() {
    let stub = Stub::start(Faults { delay: Duration::from_millis(1), ..Faults::default() });
    let folder = folder();
    let file = folder.path().join("termination-log");
    // As in a container, where the file is there before and cannot be replaced.
    std::fs::write(
        &file,
        "left by somebody else, and longer than anything that will stand here".repeat(20),
    )
    .expect("a small file");
    let args = format!("s3p --target {} --users 1 --duration 1s", stub.url());
    let (out, _) = check(&format!("{args} --verdict-file {}", file.display()), 0);
    let line = std::fs::read_to_string(&file).expect("the file is there");
    assert_eq!(Some(line.trim_end()), out.lines().last());
    let nobody =
        format!("s3p --target http://127.0.0.1:9 --wait 100ms --verdict-file {}", file.display());
    check(&nobody, 3);
    let line = std::fs::read_to_string(&file).expect("the file is there");
    assert!(
        line.starts_with("SOAK FAIL reason=http://127.0.0.1:9/") && line.lines().count() == 1,
        "{line}"
    );
    let (_, err) = check(&format!("{args} --verdict-file {}/no/such", folder.path().display()), 2);
    assert!(err.contains("--verdict-file: cannot write"), "{err}");
}

fn stands_alone(page: &str) {
    assert!(page.len() < 1 << 20, "{} bytes", page.len());
    for word in ["<script", "<link", "<img", "<iframe", "@import", "url("] {
        assert!(!page.contains(word), "{word}");
    }
    // Namespaces and the target's address are the only addresses, and none is loaded.
    assert!(!page.contains("src=") && !page.contains("href="));
}

#[test]
fn reports_that_could_not_be_written_are_not_claimed() {
    for becomes_a_file in [false, true] {
        let stub = Stub::start(Faults { delay: Duration::from_millis(1), ..Faults::default() });
        let folder = folder();
        let out = folder.path().join("out");
        let args = format!(
            "s3p --target {} --users 1 --duration 3s --report {}",
            stub.url(),
            out.display()
        );
        let child = start(&args);
        let deadline = std::time::Instant::now() + Duration::from_secs(30);
        while stub.requests() < 100 && std::time::Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(20));
        }
        std::fs::remove_dir_all(&out).expect("the folder was made");
        if becomes_a_file {
            std::fs::write(&out, "").expect("a small file");
        }
        let (text, err) =
            ended(child.wait_with_output().expect("soak can be waited for"), &args, 2);
        let error = format!("error: cannot write {}/report.json (", out.display());
        assert!(err.contains(&error) && !err.contains("reports:"), "{err}");
        let last = text.lines().last().unwrap_or_default();
        assert!(last.starts_with("SOAK FAIL") && last.contains("reason=cannot write"), "{text}");
    }
}

#[test]
fn nothing_but_the_two_reports_stays_in_the_folder() {
    let stub = Stub::start(Faults { delay: Duration::from_millis(1), ..Faults::default() });
    let folder = folder();
    let args = format!(
        "s3p --target {} --users 1 --duration 1s --report {}",
        stub.url(),
        folder.path().display()
    );
    check(&args, 0);
    let mut names: Vec<_> = std::fs::read_dir(folder.path())
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["report.html", "report.json"]);
}
