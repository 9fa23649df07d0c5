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
    assert!(ended.out.starts_with("1 policies, 0 refused"), "{}", ended.out);
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
