//! `pdp new`: what it writes can be checked, tested, decided by and served as it is.

use crate::support::{Folder, run};

const KINDS: [(&str, &str); 4] = [
    ("guard-frequency", "guard.frequency.request.json"),
    ("guard-minmax", "guard.minmax.request.json"),
    ("monitoring", "monitoring.latency.request.json"),
    ("xacml", "documents.request.json"),
];

#[test]
fn what_is_written_passes_check_test_and_decide() {
    for (kind, request) in KINDS {
        let folder = Folder::new(&[]);
        let path = format!("{}/my policies", folder.text());
        let written = run(&["new", kind, &path]);
        assert_eq!(written.code, 0, "{kind}: {}", written.err);
        let checked = run(&["check", "--strict", &path]);
        assert_eq!(checked.code, 0, "{kind}: {}", checked.out);
        let tested = run(&["test", &path, "--coverage"]);
        assert_eq!(tested.code, 0, "{kind}: {} {}", tested.out, tested.err);
        assert!(!tested.out.contains("no test decides policy"), "{kind}: {}", tested.out);
        let request = format!("{path}/{request}");
        let decided = run(&["decide", "--policies", &path, "--request", &request, "--explain"]);
        assert_eq!(decided.code, 0, "{kind}: {}", decided.err);
        assert!(decided.out.contains("example."), "{kind}: {}", decided.out);
        // The commands that are suggested are those that were run here.
        for command in [
            format!("pdp check '{path}'"),
            format!("pdp test '{path}' --coverage"),
            format!("pdp decide --policies '{path}' --request '{request}' --explain"),
            format!("pdp serve --policies '{path}' --state none"),
        ] {
            assert!(written.out.contains(&command), "{kind}: {command}: {}", written.out);
        }
    }
}

#[test]
fn kinds_stand_beside_each_other_and_nothing_is_overwritten() {
    let folder = Folder::new(&[]);
    let path = folder.text();
    for (kind, _) in KINDS {
        assert_eq!(run(&["new", kind, &path]).code, 0, "{kind}");
    }
    assert_eq!(run(&["test", &path]).code, 0);
    folder.write("guard.minmax.test.yaml", "mine");
    std::fs::remove_file(folder.path().join("guard.minmax.yaml")).expect("it was written");
    let again = run(&["new", "guard-minmax", &path]);
    assert_eq!(again.code, 2, "{}", again.out);
    assert!(again.err.contains("there already"), "{}", again.err);
    assert!(!folder.path().join("guard.minmax.yaml").exists(), "all or nothing");
    let kept = std::fs::read_to_string(folder.path().join("guard.minmax.test.yaml"));
    assert_eq!(kept.expect("it is there"), "mine");
}

#[test]
fn wrong_kinds_and_folders_are_exit_2() {
    let folder = Folder::new(&[("file", "")]);
    let file = format!("{}/file", folder.text());
    for (arguments, text) in [
        (vec!["new", "guard-minmx", "x"], "guard-minmax"),
        (vec!["new", "xacml"], "DIR"),
        (vec!["new", "xacml", &file], "cannot be written"),
    ] {
        let ended = run(&arguments);
        assert_eq!(ended.code, 2, "{arguments:?}");
        assert!(ended.err.contains(text), "{arguments:?}: {}", ended.err);
    }
}
