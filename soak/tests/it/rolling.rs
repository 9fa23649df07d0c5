//! Replicas behind a real proxy are replaced one after another while the suite loads them: no request of any
//! group fails, and no decision is wrong. What they count they share in a real Redis.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::proxy::{REPLICAS, configuration, standing};
use crate::real::{Bare, pdp, policies};
use crate::servers::{Database, Kind};
use crate::support::{ended, folder, record, start};
use crate::tool::{Running, quiet_ports, tool};

/// So many decisions tell load from a preflight.
const LOAD: u64 = 200;

#[track_caller]
fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(90);
    while !holds() {
        assert!(Instant::now() < deadline, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).expect("it is running");
}

#[track_caller]
fn stopped(child: &mut Child) -> ExitStatus {
    send(child, Signal::TERM);
    let mut status = None;
    eventually("it stops", || {
        status = child.try_wait().expect("the child is ours");
        status.is_some()
    });
    status.expect("it has ended")
}

/// How many decisions a replica has answered since it started.
fn decided(port: u16) -> u64 {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return 0 };
    let mut page = String::new();
    let request = b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    if stream.write_all(request).and_then(|()| stream.read_to_string(&mut page)).is_err() {
        return 0;
    }
    let name = "pdp_request_duration_seconds_count{endpoint=\"decision\",code=\"200\"} ";
    let count = page.lines().find_map(|line| line.strip_prefix(name));
    count.and_then(|count| count.parse().ok()).unwrap_or(0)
}

fn replica(pdp: &Path, port: u16, history: &str) -> Bare {
    let settings = [
        ("PDP_HISTORY__URL", history),
        ("PDP_GUARD__INDETERMINATE", "deny"),
        ("PDP_SERVER__DRAIN", "3s"),
    ];
    Bare::start_at(&format!("127.0.0.1:{port}"), pdp, &policies(), &settings)
}

#[test]
fn no_request_of_a_soak_fails_while_replicas_are_replaced() {
    let (Some(pdp), Some(haproxy)) = (pdp(), tool("haproxy")) else { return };
    let Some(database) = Database::start(Kind::Redis) else { return };
    let [front, statistics, a, b, c] = quiet_ports();
    let (ports, history, folder) = ([a, b, c], database.url(), folder());
    let at = |name: &str| folder.path().join(name).display().to_string();
    let written = std::fs::write(at("haproxy.cfg"), configuration(front, statistics, ports));
    written.and_then(|()| std::fs::write(at("rules"), "errors <= 0\n")).expect("small files");
    let mut replicas = ports.map(|port| replica(&pdp, port, &history));
    let mut haproxy = Running::start(Command::new(haproxy).args(["-db", "-f", &at("haproxy.cfg")]));
    let up = |name: &str| standing(statistics, name) == "UP";
    eventually("all replicas are up", || REPLICAS.iter().all(|name| up(name)));

    // It is interrupted once all is done, however long that takes here.
    let args = format!(
        "s3p --target http://127.0.0.1:{front} --users 2 --duration 900s --rules {} --report {}",
        at("rules"),
        folder.path().display()
    );
    let mut soak = start(&args);
    eventually("all are under load", || ports.iter().all(|port| decided(*port) > LOAD));
    for ((name, port), running) in REPLICAS.iter().zip(ports).zip(&mut replicas) {
        assert_eq!(stopped(&mut running.child).code(), Some(0), "replica {name}");
        eventually("the proxy has seen it go", || standing(statistics, name) == "DOWN");
        *running = replica(&pdp, port, &history);
        eventually("it is under load again", || up(name) && decided(port) > LOAD);
    }
    haproxy.check();
    assert!(soak.try_wait().expect("the child is ours").is_none(), "the load has lasted");
    send(&soak, Signal::INT);
    let (out, _) = ended(soak.wait_with_output().expect("soak can be waited for"), &args, 130);
    let record = record(folder.path());
    let totals = &record["totals"];
    assert_eq!(totals["all"]["failed"], 0, "{out}");
    assert_eq!(totals["decisions"]["wrong"], 0, "{out}");
    assert!(totals["decisions"]["count"].as_u64() > Some(6 * LOAD), "{totals}");
}
