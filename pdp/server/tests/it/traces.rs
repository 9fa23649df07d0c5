//! Requests as spans, sent to a collector.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;

use crate::support::{
    DECISION, Folder, HEALTH, MIN_MAX, Server, eventually, guard_request, run_with_input,
};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SAMPLED: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const UNSAMPLED: &str = "00-4bf92f3577b34da6a3ce929d0e0e4737-00f067aa0ba902b7-00";

/// What a collector does with what it is sent.
#[derive(Clone, Copy)]
enum Temper {
    Takes,
    Answers(u16),
    /// Takes connections and says nothing.
    Hangs,
}

/// A collector that takes OTLP over HTTP in JSON.
struct Collector {
    endpoint: String,
    temper: Arc<Mutex<Temper>>,
    heads: Arc<Mutex<Vec<String>>>,
    bodies: Arc<Mutex<Vec<Value>>>,
}

impl Collector {
    fn start(temper: Temper) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let endpoint = format!("http://{}", listener.local_addr().expect("it is bound"));
        let temper = Arc::new(Mutex::new(temper));
        let (heads, bodies) = (Arc::default(), Arc::default());
        let it = Self { endpoint, temper, heads, bodies };
        let (temper, heads, bodies) =
            (Arc::clone(&it.temper), Arc::clone(&it.heads), Arc::clone(&it.bodies));
        thread::spawn(move || {
            let mut held = Vec::new();
            for stream in listener.incoming().map_while(Result::ok) {
                let temper = *temper.lock().expect("no test panics with it");
                let status = match temper {
                    Temper::Takes => 200,
                    Temper::Answers(status) => status,
                    Temper::Hangs => {
                        held.push(stream);
                        continue;
                    }
                };
                let mut reader = BufReader::new(&stream);
                let mut head = String::new();
                while reader.read_line(&mut head).is_ok_and(|read| read > 2) {}
                let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: "));
                let length = length.and_then(|text| text.parse().ok()).unwrap_or(0);
                let mut body = vec![0; length];
                reader.read_exact(&mut body).expect("the body is as long as it says");
                let _ = write!(&stream, "HTTP/1.1 {status} X\r\nContent-Length: 2\r\n\r\n{{}}");
                if status == 200 {
                    let body = serde_json::from_slice(&body).expect("it is JSON");
                    bodies.lock().expect("no test panics with it").push(body);
                    heads.lock().expect("no test panics with it").push(head);
                }
            }
        });
        it
    }

    fn turn(&self, temper: Temper) {
        *self.temper.lock().expect("no test panics with it") = temper;
    }

    fn spans(&self) -> Vec<Value> {
        let bodies = self.bodies.lock().expect("no test panics with it");
        let spans = bodies.iter().flat_map(|body| {
            body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().expect("a list").clone()
        });
        spans.collect()
    }
}

fn serve(variables: &[(&str, &str)]) -> Server {
    let policies = Folder::new(&[("g.yaml", MIN_MAX)]);
    let folder = policies.text();
    let arguments = ["serve", "--policies", &folder, "--listen", "127.0.0.1:0", "--state", "none"];
    Server::spawn(&arguments, variables)
}

fn ask(server: &Server, headers: &[(&str, &str)]) {
    let headers = [&[("Content-Type", "application/json")], headers].concat();
    let reply = server.send("POST", DECISION, &headers, &guard_request("Grow", "vnf-1", 9));
    assert_eq!((reply.status, reply.body.as_str()), (200, r#"{"status":"Deny"}"#));
}

/// Texts and numbers of a span's attributes, by key.
fn attributes(span: &Value) -> BTreeMap<&str, String> {
    let list = span["attributes"].as_array().expect("a list");
    let shown = |value: &Value| match value {
        Value::Object(kinds) => kinds.values().next().map(|value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }),
        _ => None,
    };
    list.iter().filter_map(|it| Some((it["key"].as_str()?, shown(&it["value"])?))).collect()
}

fn counted(server: &Server, result: &str) -> u64 {
    let name = format!("pdp_trace_spans_total{{result=\"{result}\"}} ");
    let metrics = server.get("/metrics").body;
    let line = metrics.lines().find_map(|line| line.strip_prefix(&name));
    line.and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("{metrics}"))
}

#[test]
fn a_request_within_a_trace_is_a_span_of_it() {
    let collector = Collector::start(Temper::Takes);
    let server = serve(&[
        ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.endpoint.as_str()),
        ("OTEL_SERVICE_NAME", "guards"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%2Cb,x-tenant=policy"),
    ]);
    let id = "6c5d9ad6-5c4c-4c4a-9a3a-0a3a5d4d9f01";
    let state = [("tracestate", "vendor=one"), ("tracestate", "other=two")];
    let headers = [("traceparent", SAMPLED), ("X-ONAP-RequestID", id), state[0], state[1]];
    ask(&server, &headers);
    ask(&server, &[("traceparent", UNSAMPLED)]);
    server.send("GET", HEALTH, &[("traceparent", SAMPLED)], "");
    server.send("GET", "/no/such/path", &[("traceparent", SAMPLED)], "");
    for untraced in ["/livez", "/readyz", "/metrics"] {
        server.send("GET", untraced, &[("traceparent", SAMPLED)], "");
    }
    eventually("all are sent", || counted(&server, "sent") == 3);
    let spans = collector.spans();
    let names: Vec<_> = spans.iter().filter_map(|span| span["name"].as_str()).collect();
    assert_eq!(names, ["POST /policy/pdpx/v1/decision", "GET /policy/pdpx/v1/healthcheck", "GET"]);
    let span = &spans[0];
    assert_eq!(span["traceId"], TRACE);
    assert_eq!(span["parentSpanId"], "00f067aa0ba902b7");
    assert_eq!(span["traceState"], "vendor=one,other=two");
    assert_eq!(span["kind"], 2);
    assert_eq!(span["flags"], 0x301);
    let own = span["spanId"].as_str().expect("an id");
    assert!(own.len() == 16 && own != "00f067aa0ba902b7", "{own}");
    assert_ne!(spans[1]["spanId"], spans[0]["spanId"]);
    let nanos = |name: &str| span[name].as_str().and_then(|text| text.parse::<u64>().ok());
    assert!(nanos("startTimeUnixNano") < nanos("endTimeUnixNano"), "{span}");
    let attributes = attributes(span);
    for (key, value) in [
        ("http.request.method", "POST"),
        ("url.path", DECISION),
        ("http.route", DECISION),
        ("http.response.status_code", "200"),
        ("pdp.request_id", id),
        ("pdp.application", "guard"),
        ("pdp.decision", "Deny"),
    ] {
        assert_eq!(attributes.get(key).map(String::as_str), Some(value), "{key}");
    }
    assert!(attributes["pdp.policies"].contains("test.guard.minmax"), "{attributes:?}");
    let body = collector.bodies.lock().expect("no test panics with it")[0].to_string();
    assert!(body.contains(r#"{"key":"service.name","value":{"stringValue":"guards"}}"#), "{body}");
    let head = collector.heads.lock().expect("no test panics with it")[0].to_lowercase();
    assert!(head.starts_with("post /v1/traces http/1.1\r\n"), "{head}");
    for header in ["content-type: application/json", "api-key: a,b\r\n", "x-tenant: policy\r\n"] {
        assert!(head.contains(header), "{header}: {head}");
    }
}

#[test]
fn a_request_without_a_trace_begins_one_for_the_share_that_is_asked_for() {
    for (percent, expected) in [("100", 20), ("0", 0)] {
        let collector = Collector::start(Temper::Takes);
        let mut server = serve(&[
            ("PDP_TRACING__OTLP_ENDPOINT", collector.endpoint.as_str()),
            ("PDP_TRACING__SAMPLE_PERCENT", percent),
        ]);
        for _ in 0..10 {
            ask(&server, &[]);
            // What cannot be read is as if it were not there.
            ask(&server, &[("traceparent", "00-not-a-trace")]);
        }
        server.signal("TERM");
        assert_eq!(server.wait().code(), Some(0));
        let spans = collector.spans();
        assert_eq!(spans.len(), expected, "what is left is sent when it stops");
        assert!(spans.iter().all(|span| span.get("parentSpanId").is_none()), "{spans:?}");
        let traces: std::collections::BTreeSet<_> =
            spans.iter().filter_map(|span| span["traceId"].as_str()).collect();
        assert_eq!(traces.len(), expected);
    }
}

#[test]
fn logs_name_the_trace() {
    let collector = Collector::start(Temper::Takes);
    let folder = Folder::new(&[]);
    let log = folder.path().join("decisions.jsonl").display().to_string();
    for endpoint in [Some(collector.endpoint.as_str()), None] {
        let mut variables =
            vec![("PDP_DECISION_LOG__TO", log.as_str()), ("PDP_LIMITS__DECISION_STEPS", "1")];
        variables.extend(endpoint.map(|endpoint| ("PDP_TRACING__OTLP_ENDPOINT", endpoint)));
        let mut server = serve(&variables);
        let headers = [("Content-Type", "application/json"), ("traceparent", SAMPLED)];
        server.send("POST", DECISION, &headers, &guard_request("Grow", "vnf-1", 9));
        server.signal("TERM");
        server.wait();
        let warned = server.log().lines().any(|line| {
            line.contains("Indeterminate") && line.contains("request_id") && line.contains(TRACE)
        });
        assert!(warned, "{}", server.log());
    }
    let text = std::fs::read_to_string(&log).expect("it is written");
    let named = format!("\"trace_id\":\"{TRACE}\"");
    assert_eq!(text.matches(&named).count(), 2, "also where nothing is traced: {text}");
}

#[test]
fn a_collector_that_is_away_holds_nothing_up_and_is_found_again() {
    let collector = Collector::start(Temper::Answers(503));
    let server = serve(&[("PDP_TRACING__OTLP_ENDPOINT", collector.endpoint.as_str())]);
    for _ in 0..20 {
        ask(&server, &[("traceparent", SAMPLED)]);
    }
    eventually("it is told", || server.log().contains("it answers 503"));
    collector.turn(Temper::Takes);
    eventually("what waited is sent", || counted(&server, "sent") == 20);
    assert_eq!((counted(&server, "dropped"), counted(&server, "refused")), (0, 0));
    collector.turn(Temper::Answers(400));
    ask(&server, &[("traceparent", SAMPLED)]);
    eventually("what is refused for good is let go", || counted(&server, "refused") == 1);
}

#[test]
fn one_that_hangs_or_is_not_there_has_a_bound() {
    let hanging = Collector::start(Temper::Hangs);
    for endpoint in [hanging.endpoint.as_str(), "http://127.0.0.1:9"] {
        let mut server = serve(&[("PDP_TRACING__OTLP_ENDPOINT", endpoint)]);
        let body = guard_request("Grow", "vnf-1", 9);
        let request = format!(
            "POST {DECISION} HTTP/1.1\r\nHost: x\r\ntraceparent: {SAMPLED}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = std::net::TcpStream::connect(&server.address).expect("it listens");
        for _ in 0..6_000 {
            stream.write_all(request.as_bytes()).expect("it reads");
            let reply = crate::support::Reply::read(&stream).expect("it answers");
            assert_eq!((reply.status, reply.body.as_str()), (200, r#"{"status":"Deny"}"#));
        }
        // A batch is in hand, some thousands wait, the rest is dropped.
        let dropped = counted(&server, "dropped");
        assert!((100..6_000).contains(&dropped), "{dropped}");
        server.signal("TERM");
        assert_eq!(server.wait().code(), Some(0), "{}", server.log());
    }
}

#[test]
fn settings_that_cannot_be_used_end_the_start() {
    for (name, value, says) in [
        ("PDP_TRACING__OTLP_ENDPOINT", "collector:4318", "tracing.otlp_endpoint"),
        ("PDP_TRACING__OTLP_ENDPOINT", "https://collector:4318", "tracing.ca"),
        ("PDP_TRACING__SAMPLE_PERCENT", "101", "tracing.sample_percent"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", "tracing.otlp_endpoint"),
        ("PDP_TRACING__OTLP_ENDPOINT", "http://collector:99999", "`99999` is no port"),
        ("PDP_TRACING__OTLP_ENDPOINT", "http://127.0.0.300:4318", "`127.0.0.300` is no host"),
        ("PDP_TRACING__OTLP_ENDPOINT", "http://u:hidden@collector", "tracing.headers"),
        ("PDP_TRACING__HEADERS", "hidden", "tracing.headers"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "a=hidden%0a", "OTEL_EXPORTER_OTLP_HEADERS"),
    ] {
        let arguments = ["serve", "--listen", "127.0.0.1:0", "--state", "none"];
        // Headers are looked at where there is a collector.
        let base = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9");
        let ended = run_with_input(&arguments, "", &[base, (name, value)]);
        assert_eq!(ended.code, 2, "{value}: {}", ended.err);
        assert!(ended.err.contains(says), "{value}: {}", ended.err);
        assert!(!ended.err.contains("hidden"), "{value}: {}", ended.err);
    }
    let shown = run_with_input(
        &["serve", "--print-config"],
        "",
        &[("OTEL_EXPORTER_OTLP_HEADERS", "api-key=secret")],
    );
    assert!(shown.out.contains("service_name: pdp"), "{}", shown.out);
    assert!(shown.out.contains("(hidden)") && !shown.out.contains("secret"), "{}", shown.out);
}
