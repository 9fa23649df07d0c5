use crate::support::{Folder, HEALTH, Server, run, run_with_input};

const ONAP: &str = r#"{
  "name": "XacmlPdpParameters", "pdpGroup": "defaultGroup", "pdpType": "xacml",
  "restServerParameters": {
    "host": "127.0.0.1", "port": 0, "userName": "${USER_NAME}", "password": "secret", "prometheus": true
  },
  "policyApiParameters": {"hostname": "policy-api", "port": 6969},
  "applicationParameters": {"applicationPath": "/opt/app/policy/pdpx/apps"},
  "topicParameterGroup": {"topicSources": [], "topicSinks": []}
}"#;

#[test]
fn unknown_keys_end_the_start_with_place_and_hint() {
    let folder = Folder::new(&[("pdp.yaml", "server:\n  lisen: []\n")]);
    let ended = run(&["serve", "--config", &format!("{}/pdp.yaml", folder.text())]);
    assert_eq!(ended.code, 2);
    assert!(ended.err.starts_with("error: unknown key `lisen` ("), "{}", ended.err);
    assert!(ended.err.contains("pdp.yaml:2:3)"), "{}", ended.err);
    assert!(ended.err.contains("hint: did you mean `listen`?"), "{}", ended.err);
}

#[test]
fn unknown_flags_and_files_are_exit_2() {
    for arguments in [
        &["serve", "--polices", "x"][..],
        &["serve", "--config", "/nowhere.yaml"],
        &["serve", "--policies", "/nowhere", "--state", "none"],
        &["serve", "--combining", "urn:x", "--state", "none"],
        &["nonsense"],
        &["serve", "-q", "-v"],
    ] {
        let ended = run(arguments);
        assert_eq!(ended.code, 2, "{arguments:?}: {}", ended.err);
        assert!(ended.err.starts_with("error:"), "{}", ended.err);
    }
}

#[test]
fn what_is_not_there_comes_with_a_hint() {
    let folder = Folder::new(&[]);
    let link = folder.path().join("link.yaml");
    std::os::unix::fs::symlink("nowhere.yaml", &link).expect("a link can be made");
    let link = link.display().to_string();
    let free = "127.0.0.1:0";
    for (arguments, hint) in [
        (vec!["serve", "--listen", free, "--policies", "/nowhere"], "hint: paths are taken from"),
        (vec!["serve", "--listen", free, "--policies", &link], "hint: `ls -l` shows"),
        (vec!["serve", "--config", &link], "hint: the link leads nowhere"),
        (
            vec!["serve", "--listen", "no.such.host.invalid:1"],
            "hint: give an address of this machine",
        ),
    ] {
        let ended = run(&[&arguments[..], &["--state", "none"]].concat());
        assert_eq!(ended.code, 2, "{arguments:?}: {}", ended.err);
        assert!(ended.err.contains(hint), "{arguments:?}: {}", ended.err);
    }
}

#[test]
fn onap_s_file_is_taken_as_it_is() {
    // Its port must be real, so that one is picked that is free just now.
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = free.local_addr().expect("it is bound").port();
    drop(free);
    let folder =
        Folder::new(&[("c.json", &ONAP.replace("\"port\": 0", &format!("\"port\": {port}")))]);
    let path = format!("{}/c.json", folder.text());
    // Without a command it is the service that starts.
    for mut arguments in
        [vec![path.as_str()], vec!["-c", &path], vec!["serve", "--config-file", &path]]
    {
        arguments.extend(["--state", "none"]);
        let server = Server::spawn(&arguments, &[("USER_NAME", "admin")]);
        assert!(server.ready.contains("(0 policies in"), "{}", server.ready);
        assert_eq!(server.get(HEALTH).status, 401);
        let log = server.log();
        assert_eq!(log.matches("topicParameterGroup").count(), 1, "{log}");
        assert!(log.contains("ACTIVE"), "{log}");
        let server = server.sign("Basic YWRtaW46c2VjcmV0");
        assert_eq!(server.get(HEALTH).status, 200);
    }
    let server = Server::spawn(
        &["serve", "--state", "none"],
        &[("USER_NAME", "admin"), ("CONFIG_FILE", &path)],
    );
    assert_eq!(server.get("/readyz").status, 200);
}

#[test]
fn print_config_shows_what_is_effective() {
    let folder = Folder::new(&[("pdp.toml", "[guard]\nindeterminate = \"deny\"\n")]);
    let ended = run_with_input(
        &[
            "serve",
            "--config",
            &format!("{}/pdp.toml", folder.text()),
            "--print-config",
            "--state",
            "none",
        ],
        "",
        &[("PDP_SERVER__WORKERS", "3"), ("PDP_NONSENSE", "1")],
    );
    assert_eq!(ended.code, 0, "{}", ended.err);
    for line in ["indeterminate: deny", "workers: 3", "folder: none"] {
        assert!(ended.out.contains(line), "{line}: {}", ended.out);
    }
    assert!(ended.err.contains("PDP_NONSENSE"), "{}", ended.err);
}

#[test]
fn log_lines_are_json_away_from_a_terminal() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let log = server.log();
    let first = log.lines().next().unwrap_or_default();
    let line: serde_json::Value = serde_json::from_str(first).expect(first);
    assert!(line["message"].is_string() && line["level"].is_string(), "{line}");
    let server = Server::start(&Folder::new(&[]), &["--log-format", "text"]);
    assert!(!server.log().starts_with('{'), "{}", server.log());
    let server = Server::start(&Folder::new(&[]), &["-q"]);
    assert_eq!(server.log(), "");
}

#[test]
fn settings_that_cannot_be_meant_end_the_start_and_secrets_are_not_repeated() {
    let folder = Folder::new(&[("empty", "\n"), ("full", "abc\n")]);
    let file = |name: &str| folder.path().join(name).display().to_string();
    for (settings, said) in [
        ("server: {listen: []}".to_owned(), "`server.listen` is empty"),
        ("state: {folder: \"\"}".to_owned(), "`state.folder` is empty"),
        (format!("auth: {{user: u, password_file: {}}}", file("empty")), "password file is empty"),
        (
            format!("auth: {{user: u, password: x, password_file: {}}}", file("full")),
            "the password is given twice",
        ),
        ("auth: {user: u, password: 12345678}".to_owned(), "`auth.password`: expected text"),
        ("server: {tls: {keystore_password: 12345678}}".to_owned(), "expected text"),
    ] {
        let path = folder.write("c.yaml", &settings).display().to_string();
        let ended = run(&["serve", "--config", &path]);
        assert_eq!(ended.code, 2, "{settings}: {}", ended.err);
        assert!(ended.err.contains(said), "{settings}: {}", ended.err);
        assert!(!ended.err.contains("12345678"), "{settings}: {}", ended.err);
    }
}
