use serde_json::json;

use crate::support::{DECISION, FREQUENCY, Folder, MIN_MAX, Server, guard_request, run};

/// A decision that runs out of steps cannot be determined.
fn starved(indeterminate: &str) -> Server {
    let folder = Folder::new(&[("g.yaml", MIN_MAX)]);
    Server::spawn(
        &["serve", "--policies", &folder.text(), "--listen", "127.0.0.1:0", "--state", "none"],
        &[("PDP_LIMITS__DECISION_STEPS", "1"), ("PDP_GUARD__INDETERMINATE", indeterminate)],
    )
}

#[test]
fn what_cannot_be_determined_reads_as_the_setting_says() {
    for (setting, status) in [("permit", "Permit"), ("deny", "Deny")] {
        let server = starved(setting);
        let reply = server.post(DECISION, &guard_request("Grow", "vnf-1", 1));
        assert_eq!((reply.status, &reply.json()["status"]), (200, &json!(status)), "{setting}");
        let message = reply.json()["message"].as_str().unwrap_or_default().to_owned();
        assert!(message.contains("limit") && message.contains('1'), "{message}");
        let metrics = server.get("/metrics").body;
        assert!(metrics.contains("pdp_guard_indeterminate_total{cause=\"limit\"} 1"), "{metrics}");
        assert!(metrics.contains("status=\"indeterminant\"} 1"), "{metrics}");
        let log = server.log();
        assert!(log.contains("Indeterminate") && log.contains("request_id"), "{log}");
    }
}

#[test]
fn other_values_of_the_setting_are_refused() {
    let folder = Folder::new(&[("c.yaml", "guard: {indeterminate: maybe}\n")]);
    let ended = run(&["serve", "--config", &format!("{}/c.yaml", folder.text())]);
    assert_eq!(ended.code, 2);
    assert!(
        ended.err.contains("guard.indeterminate") && ended.err.contains("c.yaml:1:"),
        "{}",
        ended.err
    );
}

#[test]
fn a_window_beyond_the_retention_is_refused_at_load() {
    let folder =
        Folder::new(&[("f.yaml", &FREQUENCY.replace("timeUnits: minute", "timeUnits: month"))]);
    let server = Server::start(&folder, &[]);
    assert!(server.ready.contains("(0 policies in"), "{}", server.ready);
    let log = server.log();
    assert!(log.contains("f.yaml:") && log.contains("history.retention"), "{log}");
}
