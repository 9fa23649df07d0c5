//! The decision path over HTTP beside the least that any such service does.
//!
//! The peer is an actix-web handler with the same allocator, workers and settings. It parses the body
//! into `serde_json::Value` and sends the same bytes and headers as the service. Both are asked in
//! turn over keep-alive connections by the same clients; medians over the rounds are compared.
//!
//! `cargo bench -p pdp-bench --bench http -- [--xacml | --frequency [--history URL]] [--tracing] [--rounds N]
//! [--seconds N] [--connections N]`
//!
//! With `--xacml` both are asked in XACML's JSON profile instead of ONAP's decision request. With
//! `--frequency` a limiter decides that counts 100 operations of the embedded history, or of the one that
//! is named. With `--tracing` the service sends a span of each request to a collector beside it, and the peer
//! is the service that traces nothing.

#![allow(clippy::print_stdout)] // figures are what a bench prints

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use actix_web::dev::ServerHandle;
use actix_web::middleware::from_fn;
use actix_web::{App as HttpApp, HttpResponse, HttpServer, rt, web};
use hdrhistogram::Histogram;
use pdp_server::app::App;
use pdp_server::config::Config;
use pdp_server::rest::{self, Worker};

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// What is asked, and of which policy.
#[derive(Clone, Copy)]
struct Question {
    path: &'static str,
    file: &'static str,
    policy: &'static str,
    request: &'static str,
}

const ONAP: Question = Question {
    path: "/policy/pdpx/v1/decision",
    file: "policy.yaml",
    policy: "\
topology_template:
  policies:
  - bench.guard.minmax:
      type: onap.policies.controlloop.guard.common.MinMax
      type_version: 1.0.0
      version: 1.0.0
      properties: {actor: SO, operation: Grow, target: vnf-1, id: loop-1, min: 1, max: 3}
",
    request: r#"{"ONAPName":"Policy","ONAPComponent":"drools-pdp","ONAPInstance":"usecase-template","requestId":"unique-request-id-1","action":"guard","resource":{"guard":{"actor":"SO","operation":"Grow","clname":"loop-1","target":"vnf-1","vfCount":"1"}}}"#,
};

const XACML: Question = Question {
    path: "/policy/pdpx/v1/xacml",
    file: "policy.xml",
    policy: r#"<Policy xmlns="urn:oasis:names:tc:xacml:3.0:core:schema:wd-17" PolicyId="bench" Version="1.0" RuleCombiningAlgId="urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:deny-unless-permit">
  <Target><AnyOf><AllOf><Match MatchId="urn:oasis:names:tc:xacml:1.0:function:string-equal">
    <AttributeValue DataType="http://www.w3.org/2001/XMLSchema#string">vnf-1</AttributeValue>
    <AttributeDesignator Category="urn:oasis:names:tc:xacml:3.0:attribute-category:resource" AttributeId="urn:oasis:names:tc:xacml:1.0:resource:resource-id" DataType="http://www.w3.org/2001/XMLSchema#string" MustBePresent="false"/>
  </Match></AllOf></AnyOf></Target>
  <Rule RuleId="grow" Effect="Permit"/>
</Policy>
"#,
    request: r#"{"Request":{"AccessSubject":{"Attribute":[{"AttributeId":"urn:oasis:names:tc:xacml:1.0:subject:subject-id","Value":"Julius Hibbert"}]},"Resource":{"Attribute":[{"AttributeId":"urn:oasis:names:tc:xacml:1.0:resource:resource-id","Value":"vnf-1"}]},"Action":{"Attribute":[{"AttributeId":"urn:oasis:names:tc:xacml:1.0:action:action-id","Value":"grow"}]}}}"#,
};

const FREQUENCY: Question = Question {
    path: "/policy/pdpx/v1/decision",
    file: "policy.yaml",
    policy: "\
topology_template:
  policies:
  - bench.guard.frequency:
      type: onap.policies.controlloop.guard.common.FrequencyLimiter
      type_version: 1.0.0
      version: 1.0.0
      properties: {actor: SO, operation: Build, target: vnf-1, id: loop-1, timeWindow: 1, timeUnits: hour, limit: 1000000}
",
    request: r#"{"ONAPName":"Policy","ONAPComponent":"drools-pdp","ONAPInstance":"usecase-template","requestId":"unique-request-id-1","action":"guard","resource":{"guard":{"actor":"SO","operation":"Build","clname":"loop-1","target":"vnf-1"}}}"#,
};

struct Options {
    question: Question,
    /// The operations history; none: nothing asks one.
    history: Option<String>,
    /// What tracing costs is asked, not what the service does.
    tracing: bool,
    rounds: usize,
    seconds: u64,
    connections: usize,
    workers: usize,
}

impl Options {
    fn of_arguments() -> Self {
        let arguments: Vec<String> = std::env::args().collect();
        let number = |name: &str, default: u64| {
            arguments
                .iter()
                .position(|argument| argument == name)
                .and_then(|at| arguments.get(at + 1))
                .map_or(default, |text| text.parse().expect("a flag takes a whole number"))
        };
        let small = |number: u64| usize::try_from(number).expect("a small number");
        let cores = thread::available_parallelism().map_or(1, usize::from) as u64;
        let has = |name: &str| arguments.iter().any(|argument| argument == name);
        let frequency = has("--frequency");
        let place = arguments.iter().position(|argument| argument == "--history");
        let history = place.and_then(|at| arguments.get(at + 1)).cloned();
        Self {
            question: match (has("--xacml"), frequency) {
                (true, _) => XACML,
                (_, true) => FREQUENCY,
                _ => ONAP,
            },
            history: frequency.then(|| history.unwrap_or_else(|| "embedded".into())),
            tracing: has("--tracing") && !frequency,
            rounds: small(number("--rounds", 5)),
            seconds: number("--seconds", 4),
            connections: small(number("--connections", 10)),
            workers: small(number("--workers", cores)),
        }
    }
}

/// What one round measured.
struct Round {
    per_second: f64,
    latency: Histogram<u64>,
}

fn main() {
    let options = Options::of_arguments();
    let state = tempfile::tempdir().expect("a temporary folder");
    let collector = options.tracing.then(start_collector);
    let (service, ours) = start_service(&options, state.path(), collector);
    if options.history.is_some() {
        for _ in 0..100 {
            let now = jiff::Timestamp::now();
            let row = format!(
                r#"{{"actor":"SO","operation":"Build","target":"vnf-1","outcome":"Success","starttime":"{now}","endtime":"{now}"}}"#
            );
            let recorded = send("/policy/pdpx/v1/operations", &row, ours).body;
            assert!(recorded.contains("Build"), "it is recorded: {recorded}");
        }
    }
    let answer = ask_once(options.question, ours);
    println!("answer: {}", answer.body);
    let (peer, theirs) = if options.tracing {
        start_service(&options, state.path(), None)
    } else {
        start_peer(options.question.path, options.workers, answer)
    };
    for address in [ours, theirs] {
        load(options.question, address, options.connections, Duration::from_secs(1)); // warm up
    }
    let mut rounds = (Vec::new(), Vec::new());
    for round in 1..=options.rounds {
        let whole = Duration::from_secs(options.seconds);
        let ask = |address| load(options.question, address, options.connections, whole);
        let (one, two) = (ask(ours), ask(theirs));
        println!(
            "round {round}: service {:.0}/s p99 {} us, peer {:.0}/s p99 {} us",
            one.per_second,
            one.latency.value_at_quantile(0.99),
            two.per_second,
            two.latency.value_at_quantile(0.99)
        );
        rounds.0.push(one);
        rounds.1.push(two);
    }
    report(&rounds.0, &rounds.1, &options);
    for handle in [service, peer] {
        rt::System::new().block_on(handle.stop(false));
    }
}

#[allow(clippy::cast_precision_loss)] // microseconds
fn report(ours: &[Round], theirs: &[Round], options: &Options) {
    let rate = |rounds: &[Round]| median(rounds.iter().map(|round| round.per_second));
    let at = |rounds: &[Round], quantile: f64| {
        median(rounds.iter().map(|round| round.latency.value_at_quantile(quantile) as f64))
    };
    println!(
        "{} connections, {} workers, medians of {} rounds of {} s:",
        options.connections, options.workers, options.rounds, options.seconds
    );
    println!(
        "throughput  service {:.0}/s  peer {:.0}/s  ratio {:.3}",
        rate(ours),
        rate(theirs),
        rate(ours) / rate(theirs)
    );
    for (name, quantile) in [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)] {
        println!(
            "{name:<10}  service {:.0} us  peer {:.0} us  ratio {:.3}",
            at(ours, quantile),
            at(theirs, quantile),
            at(ours, quantile) / at(theirs, quantile).max(1.0)
        );
    }
}

fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = numbers.collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it is bound");
    (listener, address)
}

/// A collector that takes all spans and keeps none.
fn start_collector() -> String {
    let (listener, address) = listener();
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            message(&mut BufReader::new(&stream));
            let taken = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
            stream.write_all(taken).expect("it reads");
        }
    });
    format!("http://{address}")
}

fn start_service(
    options: &Options,
    state: &Path,
    collector: Option<String>,
) -> (ServerHandle, SocketAddr) {
    let Options { question, workers, .. } = *options;
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join(question.file), question.policy)
        .expect("the folder is writable");
    let mut config = Config::default();
    config.policies.paths = vec![folder.path().to_owned()];
    config.state.folder = "none".into();
    config.tracing.otlp_endpoint = collector;
    if let Some(url) = &options.history {
        config.history.url.clone_from(url);
        config.history.create_schema = true;
        config.state.folder = state.display().to_string();
    }
    let app = Arc::new(App::build(config).expect("the policy is right"));
    app.lifecycle.started();
    let (listener, address) = listener();
    let handle = run(move || {
        HttpServer::new(move || {
            HttpApp::new()
                .app_data(Rc::new(Worker::new(Arc::clone(&app))))
                .wrap(from_fn(rest::edge))
                .configure(rest::configure)
        })
        .workers(workers)
        .disable_signals()
        .listen(listener)
        .expect("the port is ours")
        .run()
    });
    (handle, address)
}

fn start_peer(path: &'static str, workers: usize, answer: Answer) -> (ServerHandle, SocketAddr) {
    let (listener, address) = listener();
    let handle = run(move || {
        HttpServer::new(move || {
            let answer = web::Data::new(answer.clone());
            HttpApp::new().app_data(answer).route(path, web::post().to(peer))
        })
        .workers(workers)
        .disable_signals()
        .listen(listener)
        .expect("the port is ours")
        .run()
    });
    (handle, address)
}

async fn peer(body: web::Bytes, answer: web::Data<Answer>) -> HttpResponse {
    if serde_json::from_slice::<serde_json::Value>(&body).is_err() {
        return HttpResponse::BadRequest().finish();
    }
    let mut response = HttpResponse::Ok();
    for (name, value) in &answer.headers {
        response.insert_header((name.as_str(), value.as_str()));
    }
    response.body(answer.body.clone())
}

/// Runs a server in a thread of its own.
fn run(server: impl FnOnce() -> actix_web::dev::Server + Send + 'static) -> ServerHandle {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        rt::System::new().block_on(async move {
            let server = server();
            sender.send(server.handle()).expect("somebody waits for it");
            server.await.expect("the server runs");
        });
    });
    receiver.recv().expect("the server starts")
}

/// An answer of the service: what the peer sends too.
#[derive(Clone)]
struct Answer {
    headers: Vec<(String, String)>,
    body: String,
}

fn request(path: &str, request: &str) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nAccept: application/json\r\nContent-Length: {}\r\n\r\n{request}",
        request.len()
    )
    .into_bytes()
}

fn ask_once(question: Question, address: SocketAddr) -> Answer {
    send(question.path, question.request, address)
}

fn send(path: &str, body: &str, address: SocketAddr) -> Answer {
    let mut stream = TcpStream::connect(address).expect("the service listens");
    stream.write_all(&request(path, body)).expect("it reads");
    message(&mut BufReader::new(stream))
}

/// Reads a head and its body.
fn message(reader: &mut impl BufRead) -> Answer {
    let (mut headers, mut length) = (Vec::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("it answers");
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        let Some((name, value)) = line.split_once(": ") else { continue };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().expect("a length is a number"),
            "date" | "connection" => {}
            _ => headers.push((name.to_owned(), value.to_owned())),
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("it answers in full");
    Answer { headers, body: String::from_utf8(body).expect("JSON is UTF-8") }
}

/// Asks over so many connections, each waiting for its answer before it asks again.
#[allow(clippy::cast_precision_loss)] // counts
fn load(question: Question, address: SocketAddr, connections: usize, whole: Duration) -> Round {
    let clients: Vec<_> =
        (0..connections).map(|_| thread::spawn(move || client(question, address, whole))).collect();
    let mut latency = histogram();
    for client in clients {
        latency.add(client.join().expect("a client ends")).expect("the same bounds");
    }
    Round { per_second: latency.len() as f64 / whole.as_secs_f64(), latency }
}

fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, 60_000_000, 3).expect("these bounds are valid")
}

fn client(question: Question, address: SocketAddr, whole: Duration) -> Histogram<u64> {
    let mut latency = histogram();
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream.set_nodelay(true).expect("a socket takes options");
    let request = request(question.path, question.request);
    let mut buffer = [0; 4096];
    let started = Instant::now();
    while started.elapsed() < whole {
        let asked = Instant::now();
        stream.write_all(&request).expect("it reads");
        let mut read = 0;
        // Head and body are small; the body is JSON that ends with a brace.
        loop {
            let more = stream.read(&mut buffer[read..]).expect("it answers");
            assert!(more > 0, "the connection is kept");
            read += more;
            if buffer[..read].ends_with(b"}") {
                break;
            }
        }
        assert!(buffer.starts_with(b"HTTP/1.1 200"), "it decides");
        let took = u64::try_from(asked.elapsed().as_micros()).unwrap_or(u64::MAX);
        latency.saturating_record(took.max(1));
    }
    latency
}
