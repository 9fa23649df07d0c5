//! `pdp test`.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;

use crate::support::{FREQUENCY, Folder, MIN_MAX, run};

const RIGHT: &str = "\
tests:
- name: a fourth is denied
  request: &grow
    action: guard
    resource: {guard: {actor: SO, operation: Grow, target: vnf-1, clname: loop-1, vfCount: 3}}
  expect: {decision: Deny, status: Deny, obligations: [], policies: [test.guard.minmax]}
- name: a second build is denied
  now: 2026-01-01T00:05:00Z
  operations:
  - {actor: SO, operation: Build, target: vnf-2, outcome: Success, endtime: 2026-01-01T00:00:00Z}
  request:
    action: guard
    resource: {guard: {actor: SO, operation: Build, target: vnf-2, clname: loop-1}}
  expect: {status: Deny}
";

fn folder(tests: &str) -> Folder {
    Folder::new(&[("minmax.yaml", MIN_MAX), ("frequency.yaml", FREQUENCY), ("a.test.yaml", tests)])
}

#[test]
fn tests_that_hold_end_with_0_and_the_count() {
    let ended = run(&["test", &folder(RIGHT).text()]);
    assert_eq!((ended.code, ended.out.as_str()), (0, "2 passed, 0 failed\n"), "{}", ended.err);
}

#[test]
fn a_failure_is_a_table_with_the_explanation() {
    let tests = RIGHT.replace("decision: Deny, status: Deny", "decision: Permit, status: Permit");
    let ended = run(&["test", &folder(&tests).text()]);
    assert_eq!(ended.code, 1, "{}", ended.err);
    for text in [
        "a.test.yaml:2:3: a fourth is denied\n",
        "            expected  found\n  decision  Permit    Deny\n  status    Permit    Deny\n",
        "  why:\n    Deny: no rule of policy `test.guard.minmax` says so",
        "- 3 > resource vf-count (3): no",
    ] {
        assert!(ended.out.contains(text), "{text}: {}", ended.out);
    }
    assert!(ended.out.ends_with("\n1 passed, 1 failed\n"), "{}", ended.out);
}

#[test]
fn obligations_and_policies_are_all_of_them_in_any_order() {
    let expecting = |expect: &str| {
        let tests = RIGHT.replace(
            "{decision: Deny, status: Deny, obligations: [], policies: [test.guard.minmax]}",
            expect,
        );
        run(&["test", &folder(&tests).text()]).code
    };
    assert_eq!(expecting("{policies: [test.guard.minmax]}"), 0);
    assert_eq!(expecting("{policies: []}"), 1);
    assert_eq!(expecting("{policies: [test.guard.minmax, other]}"), 1);
    assert_eq!(expecting("{obligations: [other]}"), 1);
    assert_eq!(expecting("{status: Permit}"), 1);
}

#[test]
fn coverage_names_what_no_test_decides() {
    let folder = folder(RIGHT);
    let ended = run(&["test", &folder.text(), "--coverage"]);
    assert_eq!(ended.code, 0, "{}", ended.err);
    assert!(ended.out.contains("coverage: rules 1/4, policies 2/2"), "{}", ended.out);
    let open = "minmax.yaml:7:80: no test decides rule test.guard.minmax:minrule\n";
    assert!(ended.out.contains(open), "{}", ended.out);
    let ended = run(&["test", &folder.text(), "--coverage", "--format", "json"]);
    let report: Value = serde_json::from_str(&ended.out).expect("it is JSON");
    assert_eq!((&report["passed"], &report["failed"]), (&2.into(), &0.into()), "{report:#}");
    assert_eq!(report["coverage"][1]["rules"], 2, "{report:#}");
    assert_eq!(report["coverage"][1]["rulesDecided"], 0, "{report:#}");
}

#[test]
fn build_servers_get_junit() {
    let tests = RIGHT.replace("status: Deny, obligations", "status: Permit, obligations");
    let ended = run(&["test", &folder(&tests).text(), "--format", "junit"]);
    assert_eq!(ended.code, 1, "{}", ended.err);
    assert!(ended.out.contains("<testsuite name=\"pdp test\" tests=\"2\" failures=\"1\">"));
    let failure = "<failure message=\"status: expected Permit, found Deny\">";
    assert!(ended.out.contains(failure), "{}", ended.out);
    assert!(!ended.out.contains("(\"SO\")"), "quotes are written as entities: {}", ended.out);
}

#[test]
fn a_request_that_is_refused_is_a_failed_test() {
    let tests = RIGHT.replace(
        "    action: guard\n    resource: {guard: {actor: SO, operation: Grow",
        "    action: guarded\n    resource: {guard: {actor: SO, operation: Grow",
    );
    let ended = run(&["test", &folder(&tests).text()]);
    assert_eq!(ended.code, 1, "{}", ended.err);
    assert!(ended.out.contains("the request was refused: No application for action guarded ("));
    assert!(ended.out.contains("a.test.yaml:2:3)"), "{}", ended.out);
}

#[test]
fn wrong_test_files_say_where_and_what_to_do() {
    let one = |text: &str| format!("tests:\n- {{name: x, {text}}}\n");
    for (tests, what, place, hint) in [
        ("".into(), "holds no tests", "a.test.yaml:1:1", "`policies` and `tests`"),
        ("[]\n".into(), "holds no tests", "a.test.yaml:1:1", ""),
        ("tests: []\n".into(), "`tests` is empty", "a.test.yaml:1:8", "pdp new"),
        ("tests: [\n".into(), "not YAML", "a.test.yaml:", ""),
        ("policy: x\n".into(), "unknown key `policy`", "a.test.yaml:1:1", "`policies`"),
        ("tests: [[x]]\n".into(), "`tests[0]`: expected keys", "a.test.yaml:1:9", ""),
        (one("expect: {status: ok}"), "`tests[0].request` is missing", "a.test.yaml:2:3", ""),
        (one("request: {}, expect: {}"), "`x` expects nothing", "a.test.yaml:2:34", ""),
        (one("request: {}, expect: [Permit]"), "`tests[0].expect`", "a.test.yaml:2:34", ""),
        (one("request: 5, expect: {status: ok}"), "expected a request", "a.test.yaml:2:22", ""),
        (one("requests: {}"), "unknown key `requests`", "a.test.yaml:2:13", "`request`"),
        (
            one("request: {file: no.json}, expect: {status: ok}"),
            "no.json` cannot be read",
            "a.test.yaml:2:29",
            "folder of the test file",
        ),
        (
            one("request: {file: a, action: b}, expect: {status: ok}"),
            "stands alone",
            "a.test.yaml:2:22",
            "",
        ),
        (
            one("request: {}, expect: {decision: permit}"),
            "`permit` is not one of Permit, Deny, NotApplicable, Indeterminate",
            "a.test.yaml:2:45",
            "did you mean `Permit`?",
        ),
        (one("now: noon, request: {}"), "missing", "a.test.yaml:2:3", ""),
        (
            one("now: noon, request: {}, expect: {status: ok}"),
            "`noon` is no time",
            "a.test.yaml:2:18",
            "2026-01-01T00:05:00Z",
        ),
        (
            one("operations: [{aktor: SO}], request: {}, expect: {status: ok}"),
            "unknown key `aktor`",
            "a.test.yaml:2:27",
            "`actor`",
        ),
        (
            one("operations: [{endtime: noon}], request: {}, expect: {status: ok}"),
            "`tests[0].operations[0].endtime`: expected a time such as 2026-01-01T08:00:00Z",
            "a.test.yaml:2:",
            "",
        ),
        (
            format!("policies: [nowhere]\n{}", one("request: {}, expect: {status: ok}")),
            "nowhere`",
            "a.test.yaml:1:12",
            "folder of the test file",
        ),
        (
            format!("policies: []\n{}", one("request: {}, expect: {status: ok}")),
            "`policies` is empty",
            "a.test.yaml:1:11",
            "leave it out",
        ),
        (
            "tests:\n- {name: ' ', request: {}, expect: {status: ok}}\n".to_owned(),
            "the test has no name",
            "a.test.yaml:2:10",
            "in a few words",
        ),
        (
            format!(
                "{}- {{name: x, request: {{}}, expect: {{status: ok}}}}\n",
                one("request: {}, expect: {status: ok}")
            ),
            "`x` stands at 2:3 already",
            "a.test.yaml:3:10",
            "",
        ),
    ] {
        let tests: String = tests;
        let ended = run(&["test", &folder(&tests).text()]);
        assert_eq!(ended.code, 2, "{tests}: {}", ended.err);
        for text in [what, place, hint] {
            assert!(ended.err.contains(text), "{tests}: {text}: {}", ended.err);
        }
    }
}

#[test]
fn every_wrong_file_is_told_in_one_run() {
    let folder = folder("tests: []\n");
    folder.write("b.test.yaml", "test: []\n");
    let ended = run(&["test", &folder.text()]);
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(ended.err.contains("a.test.yaml:1:8") && ended.err.contains("b.test.yaml:1:1"));
}

#[test]
fn exit_codes_tell_paths_and_policies_apart() {
    let refused = Folder::new(&[("p.yaml", "topology_template: [\n"), ("a.test.yaml", RIGHT)]);
    let alone = Folder::new(&[("a.test.yaml", RIGHT)]);
    let empty = Folder::new(&[("minmax.yaml", MIN_MAX)]);
    let file = format!("{}/minmax.yaml", empty.text());
    for (path, code, text) in [
        (refused.text(), 4, "p.yaml:"),
        (alone.text(), 2, "no policy to test"),
        (empty.text(), 2, "no test file (NAME.test.yaml)"),
        (file, 2, "ends in .test.yaml"),
        (format!("{}/nowhere", empty.text()), 2, "no such file or folder"),
    ] {
        let ended = run(&["test", &path]);
        assert_eq!(ended.code, code, "{path}: {}", ended.err);
        assert!(ended.err.contains(text), "{path}: {}", ended.err);
    }
    assert_eq!(run(&["test"]).code, 2);
}

#[test]
fn watching_runs_again_when_a_policy_changes() {
    let folder = folder(RIGHT);
    let mut child = Command::new(env!("CARGO_BIN_EXE_pdp"))
        .args(["test", &folder.text(), "--watch"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let (sender, lines) = mpsc::channel();
    let follow = |stream: Box<dyn std::io::Read + Send>| {
        let sender = sender.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(stream).lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
    };
    follow(Box::new(child.stdout.take().expect("it is piped")));
    follow(Box::new(child.stderr.take().expect("it is piped")));
    // Results and remarks come on two streams, in any order.
    let until = |result: &str| {
        let mut wanted = vec![result, "watching"];
        let mut seen = Vec::new();
        while let Ok(line) = lines.recv_timeout(Duration::from_secs(60)) {
            wanted.retain(|wanted| !line.contains(wanted));
            seen.push(line);
            if wanted.is_empty() {
                return Ok(());
            }
        }
        Err(seen)
    };
    let mut seen = until("2 passed, 0 failed");
    if seen.is_ok() {
        folder.write("minmax.yaml", &MIN_MAX.replace("max: 3", "max: 5"));
        seen = until("1 passed, 1 failed");
    }
    if seen.is_ok() {
        // What is wrong is told, and the watch goes on.
        folder.write("a.test.yaml", "tests: []\n");
        seen = until("`tests` is empty");
    }
    let _ = child.kill();
    let _ = child.wait();
    assert_eq!(seen, Ok(()));
}
