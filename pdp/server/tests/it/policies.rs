use crate::support::{
    DECISION, Folder, MIN_MAX, MONITORING, STATISTICS, Server, guard_request, run,
};

const BROKEN: &str = "\
topology_template:
  policies:
  - test.guard.broken:
      type: onap.policies.controlloop.guard.common.FrequencyLimiter
      type_version: 1.0.0
      version: 1.0.0
      properties: {actor: SO, operation: Build, timeWindow: 10, timeUnits: minute}
  - test.guard.unknown:
      type: onap.policies.unheard.of
      type_version: 1.0.0
      version: 1.0.0
      properties: {}
";

#[test]
fn bad_policies_are_named_and_the_others_decide() {
    let folder = Folder::new(&[
        ("good.yaml", MIN_MAX),
        ("broken.yaml", BROKEN),
        ("syntax.yaml", "topology_template: [\n"),
        ("syntax.json", "{\"topology_template\": }"),
        ("syntax.xml", "<Policy"),
        ("ignored.request.json", "{"),
        ("ignored.txt", "{"),
        (".hidden/also.yaml", "["),
    ]);
    let server = Server::start(&folder, &[]);
    assert!(server.ready.contains("(1 policy in"), "{}", server.ready);
    let log = server.log();
    for text in ["broken.yaml:", "syntax.yaml:", "syntax.json:1:", "syntax.xml:1:", "5 refused"] {
        assert!(log.contains(text), "{text}: {log}");
    }
    for text in ["ignored", "hidden"] {
        assert!(!log.contains(text), "{text}: {log}");
    }
    let reply = server.post(DECISION, &guard_request("Grow", "vnf-1", 4));
    assert_eq!(reply.json()["status"], "Deny");
    assert_eq!(server.get(STATISTICS).json()["deployFailureCount"], 5);
}

#[test]
fn strict_ends_with_4() {
    let folder = Folder::new(&[("good.yaml", MIN_MAX), ("broken.yaml", BROKEN)]);
    let ended = run(&[
        "serve",
        "--policies",
        &folder.text(),
        "--listen",
        "127.0.0.1:0",
        "--state",
        "none",
        "--strict",
    ]);
    assert_eq!(ended.code, 4, "{}", ended.err);
    assert!(ended.err.contains("error: 2 policies were refused"), "{}", ended.err);
}

#[test]
fn equal_twins_load_once_and_unequal_ones_not_at_all() {
    let other = MONITORING.replace("500", "501");
    let folder =
        Folder::new(&[("a.yaml", MONITORING), ("b.yaml", MONITORING), ("c.yaml", MIN_MAX)]);
    let server = Server::start(&folder, &[]);
    assert!(server.ready.contains("(2 policies in"), "{}", server.ready);
    assert!(server.log().contains("duplicate-policy"), "{}", server.log());
    folder.write("b.yaml", &other);
    let server = Server::start(&folder, &[]);
    assert!(server.ready.contains("(1 policy in"), "{}", server.ready);
    let log = server.log();
    assert!(
        log.contains("a.yaml:4:") && log.contains("b.yaml:4:") && log.contains("2 refused"),
        "{log}"
    );
}

#[test]
fn an_empty_folder_is_a_warning() {
    let server = Server::start(&Folder::new(&[("README.md", "")]), &["--strict"]);
    assert!(server.log().contains("empty-folder"), "{}", server.log());
}

#[test]
fn what_a_mounted_config_map_looks_like_is_read_once() {
    let folder = Folder::new(&[("..2026_01_01/m.yaml", MONITORING)]);
    let link = |target: &str, name: &str| {
        std::os::unix::fs::symlink(target, folder.path().join(name)).expect("links can be made");
    };
    link("..2026_01_01", "..data");
    link("..data/m.yaml", "m.yaml");
    let server = Server::start(&folder, &[]);
    assert!(server.ready.contains("(1 policy in"), "{}", server.ready);
}

#[test]
fn a_folder_that_links_to_itself_ends() {
    let folder = Folder::new(&[("m.yaml", MONITORING)]);
    std::os::unix::fs::symlink(".", folder.path().join("again")).expect("links can be made");
    let server = Server::start(&folder, &[]);
    assert!(server.ready.contains("(1 policy in"), "{}", server.ready);
    assert!(server.log().contains("a link leads back"), "{}", server.log());
}
