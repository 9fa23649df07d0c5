use crate::support::{DECISION, Folder, HEALTH, MIN_MAX, Server, guard_request};

#[test]
fn names_and_labels_are_those_of_the_contract() {
    let server = Server::start(&Folder::new(&[("g.yaml", MIN_MAX), ("bad.yaml", "a: [")]), &[]);
    server.post(DECISION, &guard_request("Grow", "vnf-1", 1));
    server.post(DECISION, &guard_request("Shrink", "vnf-1", 1));
    server.get(HEALTH);
    let reply = server.get("/metrics");
    assert_eq!(reply.status, 200);
    assert!(reply.header("content-type").is_some_and(|kind| kind.starts_with("text/plain")));
    for line in [
        "pdpx_policy_decisions_total{application=\"guard\",status=\"permit\"} 1",
        "pdpx_policy_decisions_total{application=\"guard\",status=\"not_applicable\"} 1",
        "pdpx_policy_deployments_total{operation=\"deploy\",status=\"SUCCESS\"} 1",
        "pdpx_policy_deployments_total{operation=\"deploy\",status=\"FAIL\"} 1",
        "jvm_threads_current ",
        "process_cpu_seconds_total ",
        "process_resident_memory_bytes ",
        "process_open_fds ",
        "process_threads ",
        "process_start_time_seconds ",
        "pdp_request_duration_seconds_bucket{endpoint=\"decision\",code=\"200\",le=\"0.001\"} ",
        "pdp_request_duration_seconds_count{endpoint=\"healthcheck\",code=\"200\"} 1",
        "pdp_decision_duration_seconds_count{application=\"guard\"} 2",
        "pdp_guard_indeterminate_total{cause=\"look_up\"} 0",
        "pdp_policies 1",
        "pdp_policies_refused 1",
        "pdp_snapshot_build_seconds ",
        "pdp_allocator_bytes{state=\"resident\"} ",
        "pdp_build_info{version=",
    ] {
        assert!(reply.body.contains(line), "{line}: {}", reply.body);
    }
}

#[test]
fn other_paths_are_one_series() {
    let server = Server::start(&Folder::new(&[]), &[]);
    for number in 0..20 {
        server.get(&format!("/random/{number}"));
    }
    let text = server.get("/metrics").body;
    assert!(
        text.contains("pdp_request_duration_seconds_count{endpoint=\"other\",code=\"404\"} 20"),
        "{text}"
    );
    assert!(!text.contains("/random"), "{text}");
}

#[test]
fn metrics_can_be_switched_off() {
    let server = Server::spawn(
        &[
            "serve",
            "--policies",
            &Folder::new(&[]).text(),
            "--listen",
            "127.0.0.1:0",
            "--state",
            "none",
        ],
        &[("PDP_METRICS__ENABLED", "false")],
    );
    assert_eq!(server.get("/metrics").status, 404);
}
