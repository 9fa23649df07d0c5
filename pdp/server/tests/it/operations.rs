use serde_json::json;

use crate::support::{Folder, OPERATIONS, Server};

fn row(target: &str, end: &str) -> String {
    json!({
        "requestId": "r1", "actor": "SO", "operation": "Build", "target": target,
        "outcome": "SUCCESS", "starttime": end, "endtime": end, "closedLoopName": "loop-1"
    })
    .to_string()
}

#[test]
fn what_is_recorded_can_be_listed_by_filter() {
    let server = Server::start(&Folder::new(&[]), &[]);
    let (early, late) = ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00+02:00");
    for (target, end) in [("vnf-1", early), ("vnf-2", late), ("vnf-1", late)] {
        let reply = server.post(OPERATIONS, &row(target, end));
        assert_eq!(reply.status, 201, "{}", reply.body);
        assert_eq!(reply.json()["target"], target);
    }
    let count = |query: &str| {
        let reply = server.get(&format!("{OPERATIONS}{query}"));
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.json().as_array().map(Vec::len)
    };
    assert_eq!(count(""), Some(3));
    assert_eq!(count("?target=vnf-1"), Some(2));
    assert_eq!(count("?target=vnf-1&actor=APPC"), Some(0));
    assert_eq!(count("?closedLoopName=loop-1&limit=1"), Some(1));
    assert_eq!(count("?since=2026-01-01T12:00:00Z"), Some(2));
    assert_eq!(count("?unknown=1"), Some(3));
}
