use crate::support::{Folder, MIN_MAX, MONITORING, run};

const BAD: &str = "\
topology_template:
  policies:
  - test.bad:
      type: onap.policies.controlloop.guard.common.MinMax
      type_version: 1.0.0
      version: 1.0.0
      properties: {actor: SO, operation: Grow, max: many}
";

#[test]
fn clean_policies_end_with_0() {
    let folder = Folder::new(&[("a.yaml", MIN_MAX)]);
    let ended = run(&["check", &folder.text()]);
    assert_eq!(ended.code, 0, "{} {}", ended.out, ended.err);
    assert!(ended.out.starts_with("1 policy, 0 refused; 0 errors"), "{}", ended.out);
}

#[test]
fn each_problem_is_a_line_with_its_place_and_code() {
    let folder = Folder::new(&[("a.yaml", MIN_MAX), ("bad.yaml", BAD), ("worse.yaml", "a: [")]);
    let ended = run(&["check", &folder.text()]);
    assert_eq!(ended.code, 4, "{} {}", ended.out, ended.err);
    let pattern = |line: &str| {
        let mut parts = line.splitn(4, ':');
        let file = parts.next().unwrap_or_default().ends_with(".yaml");
        let numbers = parts.next().and_then(|text| text.parse::<u32>().ok()).is_some()
            && parts.next().and_then(|text| text.parse::<u32>().ok()).is_some();
        let rest = parts.next().unwrap_or_default();
        file && numbers && rest.starts_with(" error: ") && rest.ends_with(']')
    };
    let problems: Vec<&str> = ended.out.lines().filter(|line| line.contains(".yaml:")).collect();
    assert!(problems.len() >= 3, "{}", ended.out);
    assert!(problems.iter().all(|line| pattern(line)), "{}", ended.out);
}

#[test]
fn warnings_count_only_under_strict() {
    let folder = Folder::new(&[("a.yaml", MONITORING), ("b.yaml", MONITORING)]);
    assert_eq!(run(&["check", &folder.text()]).code, 0);
    assert_eq!(run(&["check", "--strict", &folder.text()]).code, 4);
}

#[test]
fn json_and_sarif_hold_the_same_problems() {
    let folder = Folder::new(&[("bad.yaml", BAD)]);
    let json: serde_json::Value =
        serde_json::from_str(&run(&["check", "--format", "json", &folder.text()]).out)
            .expect("it is JSON");
    let problems = json["problems"].as_array().expect("a list");
    assert!(
        problems.iter().all(|one| one["line"].as_u64() >= Some(3) && one["code"].is_string()),
        "{json}"
    );
    let sarif: serde_json::Value =
        serde_json::from_str(&run(&["check", "--format", "sarif", &folder.text()]).out)
            .expect("it is JSON");
    assert_eq!(sarif["version"], "2.1.0");
    let results = sarif["runs"][0]["results"].as_array().expect("a list");
    assert_eq!(results.len(), problems.len());
    assert_eq!(results[0]["ruleId"], problems[0]["code"]);
    assert_eq!(
        results[0]["locations"][0]["physicalLocation"]["region"]["startLine"],
        problems[0]["line"]
    );
}

#[test]
fn the_listing_shows_the_compiled_policy() {
    let folder = Folder::new(&[("a.yaml", MIN_MAX)]);
    let ended = run(&["check", "--listing", &folder.text()]);
    assert!(ended.out.contains("test.guard.minmax"), "{}", ended.out);
}

#[test]
fn files_that_cannot_be_read_say_what_to_do() {
    let folder = Folder::new(&[("a.yaml", MIN_MAX)]);
    let utf16: Vec<u8> = MIN_MAX.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let marked: Vec<u8> = [&[0xFF, 0xFE], &utf16[..]].concat();
    std::fs::write(folder.path().join("marked.yaml"), marked).expect("the folder is writable");
    std::fs::write(folder.path().join("latin.yaml"), b"a: \xE9\n").expect("the folder is writable");
    std::os::unix::fs::symlink("nowhere.yaml", folder.path().join("link.yaml"))
        .expect("a link can be made");
    let ended = run(&["check", &folder.text()]);
    assert_eq!(ended.code, 4, "{}", ended.out);
    for text in [
        "marked.yaml:1:1: error: the text is not UTF-8, it looks like UTF-16: save the file as UTF-8 [",
        "latin.yaml:1:4: error: the text is not UTF-8: save the file as UTF-8 [",
        "link.yaml:1:1: error: the link leads to no file (",
        "1 policy, 3 refused; 3 errors, 0 warnings",
    ] {
        assert!(ended.out.contains(text), "{text}: {}", ended.out);
    }
}
