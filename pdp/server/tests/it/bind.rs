use std::net::TcpListener;

use crate::support::{Folder, Server, run};

#[test]
fn the_ready_line_says_where_and_how_many() {
    let server = Server::start(&Folder::new(&[("m.yaml", crate::support::MONITORING)]), &[]);
    let port = server.address.strip_prefix("127.0.0.1:").expect("the host as given");
    assert_ne!(port, "0");
    let rest = server.ready.split_once(' ').map(|(_, rest)| rest.to_owned()).unwrap_or_default();
    assert!(rest.contains("(1 policy in ") && rest.ends_with(" ms)"), "{}", server.ready);
}

#[test]
fn a_port_in_use_is_exit_3_with_a_hint() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = taken.local_addr().expect("it is bound").to_string();
    let folder = Folder::new(&[]);
    let ended =
        run(&["serve", "--listen", &address, "--policies", &folder.text(), "--state", "none"]);
    assert_eq!(ended.code, 3, "{}", ended.err);
    assert!(ended.err.contains(&format!("({address})")), "{}", ended.err);
    assert!(ended.err.contains("hint: another process has the port"), "{}", ended.err);
}

#[test]
fn beyond_loopback_needs_credentials_or_insecure() {
    let folder = Folder::new(&[]);
    let ended =
        run(&["serve", "--listen", "0.0.0.0:0", "--policies", &folder.text(), "--state", "none"]);
    assert_eq!(ended.code, 2, "{}", ended.err);
    assert!(ended.err.contains("--insecure"), "{}", ended.err);
    let server = Server::spawn(
        &[
            "serve",
            "--listen",
            "0.0.0.0:0",
            "--policies",
            &folder.text(),
            "--state",
            "none",
            "--insecure",
        ],
        &[],
    );
    assert!(server.log().contains("anyone on the network"), "{}", server.log());
}

#[test]
fn addresses_that_make_no_sense_are_named() {
    for address in ["6969", "localhost", "127.0.0.1:99999", ":6969"] {
        let ended = run(&["serve", "--listen", address, "--state", "none"]);
        assert_eq!(ended.code, 2, "{address}: {}", ended.err);
        assert!(ended.err.contains("HOST:PORT"), "{}", ended.err);
    }
}

#[test]
fn several_addresses_are_one_service() {
    let folder = Folder::new(&[]);
    let server = Server::start(&folder, &["--listen", "127.0.0.1:0"]);
    assert_eq!(server.get("/livez").status, 200);
}

#[test]
fn a_state_folder_has_one_owner() {
    let folder = Folder::new(&[]);
    let (state, policies) = (format!("{}/state", folder.text()), Folder::new(&[]));
    let arguments =
        ["serve", "--listen", "127.0.0.1:0", "--policies", &policies.text(), "--state", &state];
    let first = Server::spawn(&arguments, &[]);
    let ended = run(&arguments);
    assert_eq!(ended.code, 3, "{}", ended.err);
    assert!(ended.err.contains("in use") && ended.err.contains("--state none"), "{}", ended.err);
    drop(first);
    Server::spawn(&arguments, &[]);
}
