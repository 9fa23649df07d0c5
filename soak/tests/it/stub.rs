//! A decision service in a few lines, honest or faulty as a test needs it. It decides as the shipped
//! policies demand and keeps the history in memory.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

/// So many operations are remembered: what is kept for ever looks like a leak, and is one.
const REMEMBERED: usize = 256;

/// What is wrong with it.
#[derive(Clone, Default)]
pub(crate) struct Faults {
    /// Every so many limiter decisions is the opposite of the right one.
    pub(crate) lie_every: Option<u64>,
    /// Every so many decisions is answered with status 500.
    pub(crate) fail_every: Option<u64>,
    /// From this many requests on, connections are closed without an answer.
    pub(crate) close_after: Option<u64>,
    /// Every request keeps so many bytes for ever.
    pub(crate) leak: usize,
    /// So many bytes are kept for ever in each minute, whether anybody asks or not.
    pub(crate) leak_per_minute: usize,
    /// The metrics page does not tell what the allocator knows.
    pub(crate) no_allocator: bool,
    /// Every answer takes so long.
    pub(crate) delay: Duration,
    /// Each answer takes so much longer than the one before.
    pub(crate) slower: Duration,
    /// The guard policies are not there: everything is permitted.
    pub(crate) no_guards: bool,
    /// The administration paths refuse to work.
    pub(crate) no_administration: bool,
    /// Nobody's credentials are looked at by the decision path.
    pub(crate) lets_all_decide: bool,
    /// Only these credentials are let in, as `user:password` in base64.
    pub(crate) basic: Option<String>,
}

/// A running stub; it stops when dropped.
pub(crate) struct Stub {
    address: SocketAddr,
    inner: Arc<Inner>,
}

#[derive(Default)]
struct Inner {
    faults: Faults,
    stopped: AtomicBool,
    connections: AtomicU64,
    requests: AtomicU64,
    decisions: AtomicU64,
    limiter: AtomicU64,
    /// The latest targets, each as often as an operation on it was recorded.
    history: Mutex<VecDeque<String>>,
    leaked: Mutex<Vec<Vec<u8>>>,
}

impl Stub {
    pub(crate) fn start(faults: Faults) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free loopback port");
        let address = listener.local_addr().expect("a bound listener has an address");
        let inner = Arc::new(Inner { faults, ..Inner::default() });
        if inner.faults.leak_per_minute > 0 {
            let inner = Arc::clone(&inner);
            std::thread::spawn(move || inner.leak_slowly());
        }
        let shared = Arc::clone(&inner);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if shared.stopped.load(Ordering::Relaxed) {
                    return;
                }
                shared.connections.fetch_add(1, Ordering::Relaxed);
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || shared.serve(stream));
            }
        });
        Self { address, inner }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn requests(&self) -> u64 {
        self.inner.requests.load(Ordering::Relaxed)
    }

    pub(crate) fn connections(&self) -> u64 {
        self.inner.connections.load(Ordering::Relaxed)
    }
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.inner.stopped.store(true, Ordering::Relaxed);
        // Wakes the listener, which then sees that it shall stop.
        let _ = TcpStream::connect(self.address);
    }
}

impl Inner {
    fn leak_slowly(&self) {
        while !self.stopped.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_secs(1));
            let leaked = vec![1; self.faults.leak_per_minute / 60];
            self.leaked.lock().expect("no panics here").push(leaked);
        }
    }

    fn metrics(&self) -> String {
        let mut page = "process_cpu_seconds_total 1\nprocess_resident_memory_bytes 1048576\n\
                        process_open_fds 5\nprocess_threads 2\npdp_build_info{version=\"9.9.9\"} 1\n"
            .to_owned();
        if !self.faults.no_allocator {
            // The figures are those of the last epoch.
            tikv_jemalloc_ctl::epoch::advance().expect("the allocator has statistics");
            let allocated = tikv_jemalloc_ctl::stats::allocated::read().expect("it has this one");
            page.push_str(&format!("pdp_allocator_bytes{{state=\"allocated\"}} {allocated}\n"));
        }
        page
    }

    fn serve(&self, stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        let Ok(mut writer) = stream.try_clone() else {
            return;
        };
        let mut reader = BufReader::new(stream);
        while let Some(request) = Request::read(&mut reader) {
            let number = self.requests.fetch_add(1, Ordering::Relaxed);
            let gone = self.faults.close_after.is_some_and(|limit| number >= limit);
            if gone || self.stopped.load(Ordering::Relaxed) {
                return;
            }
            if self.faults.leak > 0 {
                self.leaked.lock().expect("no panics here").push(vec![1; self.faults.leak]);
            }
            std::thread::sleep(self.faults.delay + self.faults.slower * number as u32);
            let (status, body) = self.answer(&request);
            let head = format!(
                "HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            if writer
                .write_all(head.as_bytes())
                .and_then(|()| writer.write_all(body.as_bytes()))
                .is_err()
            {
                return;
            }
        }
    }

    fn answer(&self, request: &Request) -> (u16, String) {
        if let Some(basic) = &self.faults.basic
            && !(self.faults.lets_all_decide && request.path.contains("/decision"))
            && request.authorization != format!("Basic {basic}")
        {
            return (401, "{}".to_owned());
        }
        if self.faults.no_administration && request.path.starts_with("/policy/api/") {
            return (403, json!({"error": "not you"}).to_string());
        }
        match request.path.as_str() {
            "/policy/pdpx/v1/healthcheck" => {
                (200, json!({"healthy": true, "code": 200}).to_string())
            }
            "/policy/pdpx/v1/statistics" => (
                200,
                json!({"code": 200, "permitDecisionsCount": 1, "denyDecisionsCount": 1})
                    .to_string(),
            ),
            "/policy/pdpx/v1/operations" => {
                let row: Value = serde_json::from_slice(&request.body).unwrap_or_default();
                for field in [
                    "closedLoopName",
                    "requestId",
                    "actor",
                    "operation",
                    "target",
                    "starttime",
                    "outcome",
                    "endtime",
                ] {
                    if !row[field].is_string() {
                        return (400, format!("{field} is missing"));
                    }
                }
                let mut history = self.history.lock().expect("no panics here");
                if history.len() == REMEMBERED {
                    history.pop_front();
                }
                history.push_back(row["target"].to_string());
                (201, String::new())
            }
            "/policy/pdpx/v1/decision?abbrev=true" => {
                (200, json!({"policies": {"onap.restart.tca": {"type": "t"}}}).to_string())
            }
            "/policy/pap/v1/pdps/policies" => (202, "{}".to_owned()),
            path if path.starts_with("/policy/pap/v1/pdps/policies/") => (202, "{}".to_owned()),
            path if path.starts_with("/policy/api/v1/") && request.method == "POST" => {
                (201, "{}".to_owned())
            }
            path if path.starts_with("/policy/api/v1/") => (200, "{}".to_owned()),
            "/policy/pdpx/v1/decision" => {
                self.decide(&serde_json::from_slice(&request.body).unwrap_or_default())
            }
            "/metrics" => (200, self.metrics()),
            _ => (404, String::new()),
        }
    }

    fn decide(&self, request: &Value) -> (u16, String) {
        let number = self.decisions.fetch_add(1, Ordering::Relaxed) + 1;
        // The preflight's decisions are answered well.
        if number > 10 && self.faults.fail_every.is_some_and(|every| number.is_multiple_of(every)) {
            return (500, "out of order".to_owned());
        }
        if request["action"] == "configure" {
            let id = request["resource"]["policy-id"].as_str().unwrap_or_default();
            if id.starts_with("soak.no.") {
                return (200, json!({"status": "error", "policies": {}}).to_string());
            }
            return (200, json!({"policies": {id: {"type": "t", "properties": {}}}}).to_string());
        }
        let named = match request["action"].as_str() {
            Some("naming") => Some("SDNC_Policy.ONAP_NF_NAMING_TIMESTAMP"),
            Some("optimize") => Some("OSDF_CASABLANCA.Affinity_Default"),
            _ => None,
        };
        if let Some(id) = named {
            return (200, json!({"policies": {id: {"type": "t"}}}).to_string());
        }
        let guard = &request["resource"]["guard"];
        let mut permit = if guard["target"] == "e6130d03-56f1-4b0a-9a1d-e1b2ebc30e0e" {
            guard["vfCount"]
                .as_str()
                .and_then(|count| count.parse::<u32>().ok())
                .is_some_and(|count| count < 2)
        } else {
            let target = guard["target"].to_string();
            let history = self.history.lock().expect("no panics here");
            let recorded = history.iter().any(|known| *known == target);
            let number = self.limiter.fetch_add(1, Ordering::Relaxed) + 1;
            let lie = number > 10
                && self.faults.lie_every.is_some_and(|every| number.is_multiple_of(every));
            recorded == lie
        };
        permit |= self.faults.no_guards;
        (200, json!({"status": if permit { "Permit" } else { "Deny" }}).to_string())
    }
}

struct Request {
    method: String,
    path: String,
    authorization: String,
    body: Vec<u8>,
}

impl Request {
    fn read(reader: &mut BufReader<TcpStream>) -> Option<Self> {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let mut words = line.split(' ');
        let (method, path) = (words.next()?.to_owned(), words.next()?.to_owned());
        let (mut length, mut authorization) = (0, String::new());
        loop {
            line.clear();
            reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
            let header = line.trim_end();
            if header.is_empty() {
                break;
            }
            let (name, value) = header.split_once(':')?;
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().ok()?,
                "authorization" => authorization = value.trim().to_owned(),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        Some(Self { method, path, authorization, body })
    }
}
