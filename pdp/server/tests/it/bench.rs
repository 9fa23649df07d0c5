use crate::support::{Folder, MIN_MAX, guard_request, run};

#[test]
fn the_members_of_the_report_are_the_contract() {
    let one = guard_request("Grow", "vnf-1", 1);
    let folder = Folder::new(&[
        ("p/g.yaml", MIN_MAX),
        ("one.json", &one),
        ("many.json", &format!("[{one}, {}]", guard_request("Grow", "vnf-2", 9))),
    ]);
    let policies = format!("{}/p", folder.text());
    for request in ["one.json", "many.json"] {
        let request = format!("{}/{request}", folder.text());
        let ended = run(&[
            "bench",
            "--policies",
            &policies,
            "--request",
            &request,
            "--seconds",
            "1",
            "--json",
        ]);
        assert_eq!(ended.code, 0, "{}", ended.err);
        let report: serde_json::Value = serde_json::from_str(&ended.out).expect(&ended.out);
        assert_eq!(report["policies"], 1);
        for path in [
            "/load_ms",
            "/ns_per_decision/p50",
            "/ns_per_decision/p99",
            "/ns_per_decision/mean",
            "/decisions_per_s",
            "/allocations_per_decision",
            "/rss_bytes",
        ] {
            assert!(
                report.pointer(path).is_some_and(serde_json::Value::is_number),
                "{path}: {report}"
            );
        }
        assert_eq!(report["allocations_per_decision"], 0.0, "{report}");
    }
}

#[test]
fn a_request_that_cannot_be_decided_is_exit_5() {
    let folder = Folder::new(&[("p/g.yaml", MIN_MAX), ("r.json", "{\"action\": \"foo\"}")]);
    let ended = run(&[
        "bench",
        "--policies",
        &format!("{}/p", folder.text()),
        "--request",
        &format!("{}/r.json", folder.text()),
    ]);
    assert_eq!(ended.code, 5, "{}", ended.err);
}
