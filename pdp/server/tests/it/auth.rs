use crate::support::{DECISION, Folder, HEALTH, Server};

const BASIC: &str = "Basic YWRtaW46c2VjcmV0"; // admin:secret

fn server() -> Server {
    let folder = Folder::new(&[("password", "secret\n")]);
    let config = folder.write(
        "pdp.yaml",
        &format!(
            "auth: {{user: admin, password_file: {}/password}}\npolicies: {{paths: []}}\nstate: {{folder: none}}\nserver: {{listen: [\"127.0.0.1:0\"]}}\n",
            folder.text()
        ),
    );
    Server::spawn(&["serve", "--config", &config.display().to_string()], &[])
}

#[test]
fn every_path_but_the_probes_asks_for_credentials() {
    let server = server();
    for path in [HEALTH, "/metrics", DECISION, "/nothing"] {
        let reply = server.get(path);
        assert_eq!(reply.status, 401, "{path}");
        assert_eq!(
            reply.header("WWW-Authenticate"),
            Some("Basic realm=\"RestServerParameters-realm\"")
        );
        assert_eq!(reply.header("X-MinorVersion"), None);
    }
    assert_eq!(server.get("/livez").status, 200);
    assert_eq!(server.get("/readyz").status, 200);
    let server = server.sign(BASIC);
    assert_eq!(server.get(HEALTH).status, 200);
    assert_eq!(server.get("/metrics").status, 200);
    assert_eq!(server.get("/nothing").status, 404);
}

#[test]
fn wrong_credentials_are_refused() {
    let server = server().sign("Basic YWRtaW46c2VjcmV4");
    assert_eq!(server.get(HEALTH).status, 401);
}

#[test]
fn the_password_is_not_shown() {
    let printed = crate::support::run_with_input(
        &["serve", "--print-config"],
        "",
        &[("PDP_AUTH__USER", "admin"), ("PDP_AUTH__PASSWORD", "hush-hush")],
    );
    assert_eq!(printed.code, 0);
    assert!(printed.out.contains("admin") && !printed.out.contains("hush"), "{}", printed.out);
}

#[test]
fn readiness_names_policies_only_to_whom_may_ask() {
    let folder = Folder::new(&[("secret-project.yaml", "topology_template: [\n")]);
    let open = Server::start(&folder, &[]);
    assert!(open.get("/readyz").body.contains("secret-project"), "without credentials all may ask");
    let config = Folder::new(&[("pdp.yaml", "auth: {user: admin, password: secret}\n")]);
    let config = config.path().join("pdp.yaml").display().to_string();
    let server = Server::start(&folder, &["--config", &config]);
    let reply = server.get("/readyz");
    assert_eq!((reply.status, &reply.json()["policiesRefused"]), (200, &serde_json::json!(1)));
    assert!(!reply.body.contains("secret-project"), "{}", reply.body);
    let server = server.sign(BASIC);
    assert!(server.get("/readyz").body.contains("secret-project"));
}
