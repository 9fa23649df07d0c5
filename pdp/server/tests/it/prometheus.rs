//! What a real Prometheus makes of `/metrics`.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::support::{
    DECISION, FREQUENCY, Folder, HEALTH, MIN_MAX, MONITORING, Running, Server, XACML, eventually,
    exchange, guard_request, quiet_ports, tool,
};

/// Every series of the contract, as a query, and the least that its sum over both services must be.
const SERIES: [(&str, f64); 29] = [
    ("process_cpu_seconds_total", 0.0),
    ("process_resident_memory_bytes", 1.0),
    ("process_open_fds", 1.0),
    ("process_threads", 1.0),
    ("process_start_time_seconds", 1.0),
    ("jvm_threads_current", 1.0),
    ("pdpx_policy_decisions_total{application=\"guard\",status=\"permit\"}", 1.0),
    ("pdpx_policy_decisions_total{application=\"guard\",status=\"deny\"}", 1.0),
    ("pdpx_policy_decisions_total{application=\"guard\",status=\"indeterminant\"}", 1.0),
    ("pdpx_policy_decisions_total{application=\"guard\",status=\"not_applicable\"}", 1.0),
    ("pdpx_policy_decisions_total{application=\"monitoring\",status=\"permit\"}", 1.0),
    ("pdpx_policy_decisions_total{application=\"native\"}", 1.0),
    ("pdpx_policy_deployments_total{operation=\"deploy\",status=\"SUCCESS\"}", 3.0),
    ("pdp_request_duration_seconds_count{endpoint=\"decision\",code=\"200\"}", 6.0),
    ("histogram_quantile(0.99, sum by (le) (pdp_request_duration_seconds_bucket))", 0.000_001),
    ("histogram_quantile(0.5, sum by (le) (pdp_decision_duration_seconds_bucket))", 0.000_000_1),
    ("pdp_attribute_lookup_duration_seconds_count{supplier=\"history\",result=\"found\"}", 1.0),
    ("pdp_guard_indeterminate_total{cause=\"limit\"}", 1.0),
    ("pdp_policies", 3.0),
    ("pdp_policies_refused", 0.0),
    ("pdp_snapshot_build_seconds", 0.000_001),
    ("pdp_allocator_bytes{state=\"resident\"}", 1.0),
    ("pdp_build_info", 1.0),
    ("pdp_ready", 1.0),
    ("pdp_requests_in_flight", 1.0),
    ("pdp_workers", 1.0),
    ("pdp_certificate_refused", 0.0),
    ("pdp_last_deployment_timestamp_seconds > process_start_time_seconds - 2", 1.0),
    ("pdp_decision_errors_total", 1.0),
];

/// A service that was asked for decisions of each kind but one.
fn asked() -> Server {
    let policies = Folder::new(&[
        ("min_max.yaml", MIN_MAX),
        ("frequency.yaml", FREQUENCY),
        ("monitoring.yaml", MONITORING),
    ]);
    let server = Server::start(&policies, &[]);
    for body in [
        &guard_request("Grow", "vnf-1", 1),
        &guard_request("Grow", "vnf-1", 9),
        &guard_request("Shrink", "vnf-1", 1),
        &guard_request("Build", "vnf-2", 0),
        r#"{"action": "configure", "resource": {"policy-id": "test.monitoring.one"}}"#,
        r#"{"action": "dance"}"#,
    ] {
        server.post(DECISION, body);
    }
    server.send("POST", XACML, &[("Content-Type", "application/json")], r#"{"Request": {"Action": [{"Attribute": [{"AttributeId": "urn:oasis:names:tc:xacml:1.0:action:action-id", "Value": "read"}]}]}}"#);
    server.get(HEALTH);
    server
}

/// One whose decisions have no room: they are Indeterminate.
fn starved() -> Server {
    let policies = Folder::new(&[("min_max.yaml", MIN_MAX)]);
    let folder = policies.text();
    let arguments = ["serve", "--policies", &folder, "--listen", "127.0.0.1:0", "--state", "none"];
    let server = Server::spawn(&arguments, &[("PDP_LIMITS__DECISION_STEPS", "1")]);
    server.post(DECISION, &guard_request("Grow", "vnf-1", 1));
    server
}

#[test]
fn promtool_finds_nothing_wrong() {
    let Some(promtool) = tool("promtool") else { return };
    let text = asked().get("/metrics").body;
    let mut child = Command::new(promtool)
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("promtool runs");
    child.stdin.take().expect("it is piped").write_all(text.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let said = [output.stdout, output.stderr].concat();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&said).as_ref()), (Some(0), ""));
}

fn encoded(query: &str) -> String {
    query
        .bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => char::from(byte).to_string(),
            byte => format!("%{byte:02X}"),
        })
        .collect()
}

/// The one value that a query yields.
fn value(prometheus: &str, query: &str) -> Option<f64> {
    let path = format!("/api/v1/query?query={}", encoded(query));
    let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    let answer = exchange(prometheus, request.as_bytes());
    let answer: serde_json::Value = serde_json::from_str(&answer.body).ok()?;
    let result = answer["data"]["result"].as_array()?;
    assert!(result.len() < 2, "{query} yields several series: {answer}");
    result.first()?["value"][1].as_str()?.parse().ok()
}

#[test]
fn a_real_prometheus_scrapes_it() {
    let Some(prometheus) = tool("prometheus") else { return };
    let (server, starved) = (asked(), starved());
    let [port] = quiet_ports();
    let address = format!("127.0.0.1:{port}");
    let settings = Folder::new(&[(
        "prometheus.yml",
        &format!(
            "global: {{scrape_interval: 1s}}\nscrape_configs:\n- job_name: pdp\n  \
             static_configs: [{{targets: ['{}', '{}']}}]\n",
            server.address, starved.address
        ),
    )]);
    let at = |name: &str| settings.path().join(name).display().to_string();
    let mut running = Running::start(Command::new(prometheus).args([
        format!("--config.file={}", at("prometheus.yml")),
        format!("--storage.tsdb.path={}", at("data")),
        format!("--web.listen-address={address}"),
        "--log.level=error".to_owned(),
    ]));
    eventually("it listens", || {
        running.check();
        std::net::TcpStream::connect(&address).is_ok()
    });
    eventually("it has scraped the service", || value(&address, "sum(up)") == Some(2.0));
    for (query, least) in SERIES {
        let value = value(&address, &format!("sum({query})"));
        assert!(value.is_some_and(|value| value >= least), "{query}: {value:?}");
    }
}
