//! The snapshot follows the policy files.

use std::fs;
use std::os::unix::fs::symlink;

use crate::support::{DECISION, Folder, MONITORING, Server, eventually, guard_request};

fn min_max(name: &str, target: &str, max: u32) -> String {
    format!(
        "topology_template:\n  policies:\n  - {name}:\n      type: onap.policies.controlloop.guard.common.MinMax\n      \
         type_version: 1.0.0\n      version: 1.0.0\n      \
         properties: {{actor: SO, operation: Grow, target: {target}, max: {max}}}\n"
    )
}

/// What the guard says of a number of VF modules.
fn grow(server: &Server, target: &str, count: u32) -> String {
    let reply = server.post(DECISION, &guard_request("Grow", target, count));
    reply.json()["status"].as_str().unwrap_or_default().to_owned()
}

fn ready(server: &Server, member: &str) -> serde_json::Value {
    server.get("/readyz").json()[member].clone()
}

#[test]
fn files_that_come_change_and_go_are_followed() {
    let folder = Folder::new(&[("one.yaml", &min_max("test.one", "vnf-1", 3))]);
    let server = Server::start(&folder, &[]);
    assert_eq!(grow(&server, "vnf-1", 5), "Deny");
    folder.write("deep/in/two.yaml", &min_max("test.two", "vnf-2", 3));
    eventually("a new file decides", || grow(&server, "vnf-2", 5) == "Deny");
    folder.write("one.yaml", &min_max("test.one", "vnf-1", 9));
    eventually("a changed file decides anew", || grow(&server, "vnf-1", 5) == "Permit");
    fs::remove_file(folder.path().join("deep/in/two.yaml")).expect("it is there");
    eventually("a file that is gone no longer decides", || grow(&server, "vnf-2", 5) == "Permit");
    // Written elsewhere and put in place at once, as careful programs do.
    let aside = folder.write(".aside", &min_max("test.one", "vnf-1", 4));
    fs::rename(aside, folder.path().join("one.yaml")).expect("the folder is writable");
    eventually("a replaced file decides", || grow(&server, "vnf-1", 5) == "Deny");
    let metrics = server.get("/metrics").body;
    for line in [
        "pdpx_policy_deployments_total{operation=\"deploy\",status=\"SUCCESS\"} 4",
        "pdpx_policy_deployments_total{operation=\"undeploy\",status=\"SUCCESS\"} 1",
        "pdp_policies 1",
    ] {
        assert!(metrics.contains(line), "{line}: {metrics}");
    }
}

#[test]
fn a_broken_file_leaves_its_last_good_state_deciding_and_says_so() {
    let folder =
        Folder::new(&[("one.yaml", &min_max("test.one", "vnf-1", 3)), ("two.yaml", MONITORING)]);
    let server = Server::start(&folder, &[]);
    for (broken, says) in [
        ("topology_template: [\n", "one.yaml:"),
        (&min_max("test.one", "vnf-1", 3).replace("max: 3", "max: many"), "max"),
        (&min_max("test.one", "vnf-1", 3).replace("common.MinMax", "common.MinMx"), "MinMax"),
    ] {
        folder.write("one.yaml", broken);
        eventually("the problem is told", || {
            ready(&server, "problems")[0].as_str().is_some_and(|text| text.contains(says))
        });
        assert_eq!(grow(&server, "vnf-1", 5), "Deny", "{broken}");
        assert_eq!(ready(&server, "policies"), 2);
        assert_eq!(ready(&server, "policiesRefused"), 1);
        assert!(server.get("/metrics").body.contains("pdp_policies_refused 1"));
        assert!(server.log().contains("one.yaml:"), "{}", server.log());
        assert_eq!(server.get("/readyz").status, 200);
    }
    folder.write("one.yaml", &min_max("test.one", "vnf-1", 9));
    eventually("the mended file decides", || grow(&server, "vnf-1", 5) == "Permit");
    assert_eq!(ready(&server, "problems"), serde_json::json!([]));
    assert_eq!(ready(&server, "policiesRefused"), 0);
}

#[test]
fn of_a_file_with_several_policies_each_goes_its_way() {
    let both = |one: u32, two: u32| {
        let list = min_max("test.two", "vnf-2", two);
        min_max("test.one", "vnf-1", one) + list.split_once("policies:\n").expect("it has some").1
    };
    let folder = Folder::new(&[("both.yaml", &both(3, 3))]);
    let server = Server::start(&folder, &[]);
    folder.write("both.yaml", &both(3, 9).replacen("max: 3", "max: many", 1));
    eventually("the good one follows", || grow(&server, "vnf-2", 5) == "Permit");
    assert_eq!(grow(&server, "vnf-1", 5), "Deny", "the broken one is as it was");
    folder.write("both.yaml", &min_max("test.two", "vnf-2", 9));
    eventually("one that is gone decides no more", || grow(&server, "vnf-1", 5) == "Permit");
    // A look while the file is written finds none.
    eventually("the other one decides", || {
        ready(&server, "policies") == 1 && ready(&server, "policiesRefused") == 0
    });
}

#[test]
fn two_files_that_disagree_change_nothing_until_one_gives_way() {
    let folder = Folder::new(&[("a.yaml", &min_max("test.one", "vnf-1", 3))]);
    let server = Server::start(&folder, &[]);
    folder.write("b.yaml", &min_max("test.one", "vnf-1", 9));
    eventually("both are refused", || ready(&server, "policiesRefused") == 2);
    assert_eq!(grow(&server, "vnf-1", 5), "Deny", "what decided goes on");
    let told = ready(&server, "problems").to_string();
    assert!(told.contains("a.yaml") && told.contains("b.yaml"), "{told}");
    fs::remove_file(folder.path().join("a.yaml")).expect("it is there");
    eventually("the other one decides", || grow(&server, "vnf-1", 5) == "Permit");
    assert_eq!(ready(&server, "policiesRefused"), 0);
}

#[test]
fn a_config_map_that_is_turned_to_another_version_is_followed() {
    let folder = Folder::new(&[
        ("..2026_01/one.yaml", &min_max("test.one", "vnf-1", 3)),
        ("..2026_02/one.yaml", &min_max("test.one", "vnf-1", 9)),
        ("..2026_03/two.yaml", &min_max("test.two", "vnf-2", 3)),
    ]);
    let at = |name: &str| folder.path().join(name);
    let turn = |version: &str| {
        symlink(version, at("..data_tmp")).expect("the folder takes links");
        fs::rename(at("..data_tmp"), at("..data")).expect("a link is replaced at once");
    };
    turn("..2026_01");
    symlink("..data/one.yaml", at("one.yaml")).expect("the folder takes links");
    let server = Server::start(&folder, &[]);
    assert_eq!(grow(&server, "vnf-1", 5), "Deny");
    turn("..2026_02");
    fs::remove_dir_all(at("..2026_01")).expect("it is there");
    eventually("the new version decides", || grow(&server, "vnf-1", 5) == "Permit");
    turn("..2026_03");
    symlink("..data/two.yaml", at("two.yaml")).expect("the folder takes links");
    fs::remove_file(at("one.yaml")).expect("it is there");
    eventually("a new key decides", || grow(&server, "vnf-2", 5) == "Deny");
    // A look between the two steps still finds the old key.
    eventually("the old key is gone", || {
        ready(&server, "policies") == 1 && ready(&server, "policiesRefused") == 0
    });
}

#[test]
fn a_configuration_in_a_config_map_is_read_through_its_links() {
    let config = |reads: &str| {
        format!(
            "limits: {{decision_steps: 1}}\nguard: {{indeterminate: {reads}}}\npolicies: {{paths: [POLICIES]}}\n"
        )
    };
    let folder = Folder::new(&[]);
    let at = |name: &str| folder.path().join(name);
    let policies = at("mounted").display().to_string();
    for (version, reads) in [("..2026_01", "permit"), ("..2026_02", "deny")] {
        let text = config(reads).replace("POLICIES", &policies);
        folder.write(&format!("mounted/{version}/pdp.yaml"), &text);
        folder.write(&format!("mounted/{version}/one.yaml"), &min_max("test.one", "vnf-1", 3));
        symlink(version, at("mounted/..data_tmp")).expect("the folder takes links");
        fs::rename(at("mounted/..data_tmp"), at("mounted/..data")).expect("it is writable");
        if reads == "permit" {
            symlink("..data/pdp.yaml", at("mounted/pdp.yaml")).expect("the folder takes links");
            symlink("..data/one.yaml", at("mounted/one.yaml")).expect("the folder takes links");
        }
        let file = at("mounted/pdp.yaml").display().to_string();
        let server = Server::spawn(
            &["serve", "--config", &file, "--listen", "127.0.0.1:0", "--state", "none"],
            &[],
        );
        // A decision without room is Indeterminate.
        assert_eq!(grow(&server, "vnf-1", 5).to_lowercase(), reads);
        assert_eq!(ready(&server, "policies"), 1, "each key is read once, through its own link");
    }
}

#[test]
fn a_folder_that_is_away_for_a_while_keeps_its_policies_deciding() {
    let outer = Folder::new(&[("policies/one.yaml", &min_max("test.one", "vnf-1", 3))]);
    let at = |name: &str| outer.path().join(name);
    let policies = at("policies").display().to_string();
    let server = Server::spawn(
        &["serve", "--policies", &policies, "--listen", "127.0.0.1:0", "--state", "none"],
        &[],
    );
    fs::rename(at("policies"), at("elsewhere")).expect("the folder is writable");
    eventually("it is told", || ready(&server, "policiesRefused") == 1);
    let problem = ready(&server, "problems")[0].to_string();
    assert!(problem.contains(&policies) && problem.contains("go on deciding"), "{problem}");
    assert!(server.log().contains("go on deciding"), "{}", server.log());
    assert_eq!(grow(&server, "vnf-1", 5), "Deny");
    outer.write("elsewhere/one.yaml", &min_max("test.one", "vnf-1", 9));
    fs::rename(at("elsewhere"), at("policies")).expect("the folder is writable");
    eventually("it is followed again", || grow(&server, "vnf-1", 5) == "Permit");
    assert_eq!(ready(&server, "policiesRefused"), 0);
}

#[test]
fn references_between_files_follow_too() {
    let set = |reference: &str| {
        format!(
            r#"<PolicySet xmlns="urn:oasis:names:tc:xacml:3.0:core:schema:wd-17" PolicySetId="top" Version="1.0"
  PolicyCombiningAlgId="urn:oasis:names:tc:xacml:3.0:policy-combining-algorithm:deny-overrides"><Target/>
  <PolicyIdReference>{reference}</PolicyIdReference></PolicySet>"#
        )
    };
    let leaf = r#"<Policy xmlns="urn:oasis:names:tc:xacml:3.0:core:schema:wd-17" PolicyId="leaf" Version="1.0"
  RuleCombiningAlgId="urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:deny-overrides"><Target/>
  <Rule RuleId="r" Effect="Permit"/></Policy>"#;
    let folder = Folder::new(&[("top.xml", &set("leaf"))]);
    let server = Server::start(&folder, &[]);
    assert_eq!(ready(&server, "policiesRefused"), 1, "its reference leads nowhere yet");
    folder.write("leaf.xml", leaf);
    eventually("both decide", || ready(&server, "policies") == 2);
    assert_eq!(ready(&server, "policiesRefused"), 0);
    folder.write("top.xml", &set("nowhere"));
    eventually("the broken set is told", || ready(&server, "policiesRefused") == 1);
    assert_eq!(ready(&server, "policies"), 2, "its last good state goes on");
    fs::remove_file(folder.path().join("leaf.xml")).expect("it is there");
    eventually("what refers to a policy that is gone is refused", || {
        ready(&server, "policies") == 0
    });
}

#[test]
fn problems_are_told_in_a_number_and_length_that_can_be_read() {
    let folder = Folder::new(&[]);
    let long = "x".repeat(10_000);
    for number in 0..30 {
        folder.write(
            &format!("{number:02}.yaml"),
            &min_max("test.one", &long, 3).replace("max: 3", "mx: 3"),
        );
    }
    symlink("nowhere", folder.path().join("link.yaml")).expect("the folder takes links");
    let server = Server::start(&folder, &[]);
    let body = server.get("/readyz").json();
    let problems = body["problems"].as_array().expect("a list").clone();
    assert_eq!(problems.len(), 20);
    assert!(problems.iter().all(|one| one.as_str().is_some_and(|it| it.chars().count() <= 601)));
    assert!(body["problemsLeftOut"].as_u64().is_some_and(|left| left >= 11), "{body}");
    assert_eq!(body["policiesRefused"], 31);
    for number in 0..30 {
        fs::remove_file(folder.path().join(format!("{number:02}.yaml"))).expect("it is there");
    }
    eventually("only the link is left", || ready(&server, "policiesRefused") == 1);
    let told = ready(&server, "problems").to_string();
    assert!(told.contains("link.yaml") && told.contains("leads to no file"), "{told}");
}

#[test]
fn files_that_go_while_others_are_read_are_no_fault() {
    let folder = Folder::new(&[("stays.yaml", &min_max("test.stays", "vnf-1", 3))]);
    let files: Vec<_> = (0..200)
        .map(|number| {
            let policy = min_max(&format!("test.n{number}"), "vnf-2", 9);
            folder.write(&format!("deep/{number:03}.yaml"), &policy)
        })
        .collect();
    let server = Server::start(&folder, &[]);
    assert_eq!(ready(&server, "policies"), 201);
    // From the last to the first, so slowly that the service looks at them meanwhile.
    for file in files.iter().rev() {
        fs::remove_file(file).expect("it is there");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    fs::remove_dir(folder.path().join("deep")).expect("it is empty");
    eventually("they decide no more", || ready(&server, "policies") == 1);
    let log = server.log();
    assert!(!log.contains("\"ERROR\"") && !log.contains("No such file"), "{log}");
    // What the watcher of files says to itself would name where it was built.
    assert!(!log.contains("notify") && !log.contains("registry/src"), "{log}");
    assert_eq!(grow(&server, "vnf-1", 5), "Deny");
}
