//! Replicas behind a proxy are replaced one after another while clients go on asking.

use std::io::Write;
use std::net::TcpStream;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::Duration;

use crate::proxy::{REPLICAS, configuration, standing};
use crate::support::{
    DECISION, Folder, MIN_MAX, Reply, Running, Server, eventually, exchange, guard_request,
    quiet_ports, tool,
};

const CLIENTS: usize = 6;

fn replica(policies: &str, port: u16) -> Server {
    let listen = format!("127.0.0.1:{port}");
    let arguments = ["serve", "--policies", policies, "--listen", &listen, "--state", "none"];
    Server::spawn(&arguments, &[("PDP_SERVER__DRAIN", "3s")])
}

/// Asks until it is told to stop; on connections that are kept, or on one for each request.
fn ask(front: u16, keep: bool, stop: &AtomicBool, answered: &AtomicU64) -> Vec<String> {
    let mut faults = Vec::new();
    let mut open: Option<TcpStream> = None;
    let mut count = 0;
    while !stop.load(Relaxed) {
        count = count % 5 + 1;
        let expected = if count <= 2 { r#"{"status":"Permit"}"# } else { r#"{"status":"Deny"}"# };
        let body = guard_request("Grow", "vnf-1", count);
        let close = if keep { "" } else { "Connection: close\r\n" };
        let request = format!(
            "POST {DECISION} HTTP/1.1\r\nHost: x\r\n{close}Content-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = match open.take() {
            Some(stream) => stream,
            None => TcpStream::connect(("127.0.0.1", front)).expect("the proxy listens"),
        };
        let reply = stream.write_all(request.as_bytes()).and_then(|()| Reply::read(&stream));
        match reply {
            Ok(reply) if reply.status == 200 && reply.body == expected => {
                answered.fetch_add(1, Relaxed);
                let closed = reply.header("connection").is_some_and(|it| it == "close");
                open = (keep && !closed).then_some(stream);
            }
            Ok(reply) => faults.push(format!("{} {}", reply.status, reply.body)),
            Err(error) => faults.push(error.to_string()),
        }
        thread::sleep(Duration::from_millis(2));
    }
    faults
}

#[test]
fn replicas_are_replaced_without_a_failed_request() {
    let Some(haproxy) = tool("haproxy") else { return };
    let [front, statistics, a, b, c] = quiet_ports();
    let ports = [a, b, c];
    let policies = Folder::new(&[("p.yaml", MIN_MAX)]);
    let text = policies.text();
    let settings = Folder::new(&[("haproxy.cfg", &configuration(front, statistics, ports))]);
    let mut replicas: Vec<Server> = ports.iter().map(|port| replica(&text, *port)).collect();
    let mut haproxy = Running::start(
        Command::new(haproxy).arg("-db").arg("-f").arg(settings.path().join("haproxy.cfg")),
    );
    eventually("the proxy listens", || TcpStream::connect(("127.0.0.1", statistics)).is_ok());
    let up = |name: &str| standing(statistics, name) == "UP";
    eventually("all replicas are up", || REPLICAS.iter().all(|name| up(name)));

    let (stop, answered) = (&AtomicBool::new(false), &AtomicU64::new(0));
    let faults: Vec<String> = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| scope.spawn(move || ask(front, client % 2 == 0, stop, answered)))
            .collect();
        for ((name, port), running) in REPLICAS.iter().zip(ports).zip(&mut replicas) {
            let before = answered.load(Relaxed);
            running.signal("TERM");
            assert_eq!(running.wait().code(), Some(0), "{}", running.log());
            assert!(!running.log().contains("cut off"), "{}", running.log());
            eventually("the proxy has seen it go", || standing(statistics, name) == "DOWN");
            *running = replica(&text, port);
            eventually("it is up again", || up(name));
            assert!(answered.load(Relaxed) > before, "clients were answered meanwhile");
            eventually("it is asked again", || {
                running.get("/metrics").body.contains("endpoint=\"decision\",code=\"200\"")
            });
        }
        haproxy.check();
        stop.store(true, Relaxed);
        clients.into_iter().flat_map(|client| client.join().expect("it did not panic")).collect()
    });
    let answered = answered.load(Relaxed);
    assert!(faults.is_empty(), "{} of {answered} failed: {:?}", faults.len(), &faults[..1]);
    assert!(answered > 100, "{answered}");
    // The proxy is what stands between: asked directly, a replica that is gone refuses.
    drop(replicas);
    assert!(TcpStream::connect(("127.0.0.1", a)).is_err());
    let reply = exchange(
        &format!("127.0.0.1:{front}"),
        b"GET /livez HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    );
    assert_eq!(reply.status, 503, "without replicas the proxy has nobody to ask");
}
