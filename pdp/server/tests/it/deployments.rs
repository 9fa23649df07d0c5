//! Many policies, many deployments: what they cost and what they leave behind.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use pdp_engine::context::Limits;
use pdp_engine::model::Decision;
use pdp_onap::Application;
use pdp_onap::decision::DecisionRequest;
use pdp_server::config::{WhenIndeterminate, Xacml};
use pdp_server::decide::{Desk, Setting};
use pdp_server::store::{Administered, Combining, Document, HandOver, Sources, Store};

fn policy(name: &str, version: &str, target: usize) -> Document {
    let content = format!(
        r#"{{"type":"onap.policies.controlloop.guard.common.MinMax","type_version":"1.0.0","properties":{{"actor":"SO","operation":"Grow","target":"vnf-{target}","max":3}},"name":"{name}","version":"{version}","metadata":{{"policy-id":"{name}","policy-version":"{version}"}}}}"#
    );
    Document { name: name.to_owned(), version: version.to_owned(), content }
}

fn store(policies: usize) -> Store {
    let sources = Combining::of(&Xacml::default())
        .and_then(|combining| Sources::of_paths(&[], combining))
        .expect("nothing to read");
    let deployed: Vec<Document> =
        (0..policies).map(|at| policy(&format!("many.{at}"), "1.0.0", at)).collect();
    let hand_over: HandOver = Box::new(|take| {
        take(deployed);
        Ok(())
    });
    let administered = Administered { deployed: Some(hand_over), ..Administered::default() };
    Store::load(sources, administered, |_| {}).expect("the policies are right")
}

fn deploy(store: &Store, one: &Document) {
    store.deploy(std::slice::from_ref(one), || Ok::<(), ()>(())).expect("the policy is right");
}

fn undeploy(store: &Store, one: &Document) {
    let key = (one.name.clone(), one.version.clone());
    store.undeploy(&[key], || Ok::<(), ()>(())).expect("nothing refers to it");
}

/// Deploys and undeploys `cycles` times, a few policies at any time, each with a name of its own.
fn cycle(store: &Store, from: usize, cycles: usize) {
    let named = |at: usize| policy(&format!("cycle.{at}"), "1.0.0", at);
    for at in from..from + cycles {
        deploy(store, &named(at));
        if at - from >= 5 {
            undeploy(store, &named(at - 5));
        }
    }
    (from + cycles - 5..from + cycles).for_each(|at| undeploy(store, &named(at)));
}

/// Resident memory of this process, in KiB; 0 where the system does not tell.
fn resident() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|rest| rest.trim().trim_end_matches("kB").trim().parse().ok()).unwrap_or(0)
}

/// Cycles in ten parts, so that a slope can be told from a first growth.
#[allow(clippy::print_stdout)] // figures for whoever asks with --nocapture
fn memory_stays_flat(cycles: usize) {
    let store = store(10);
    cycle(&store, 0, 500);
    let part = cycles / 10;
    let started = Instant::now();
    let mut left = 0;
    let mut before = resident();
    for number in 0..10 {
        let from = 500 + number * part;
        left += allocation_counter::measure(|| cycle(&store, from, part)).bytes_current;
        let now = resident();
        println!(
            "{} cycles in {:?}: {left} bytes left allocated, {now} KiB resident ({:+})",
            (number + 1) * part,
            started.elapsed(),
            now - before
        );
        before = now;
    }
    let snapshot = store.current();
    let guard = snapshot.program(Application::Guard);
    assert_eq!((snapshot.policies.len(), guard.len()), (10, 10));
    assert!(guard.segments() <= 4, "{} segments", guard.segments());
    // What one cycle left behind would add up to more.
    assert!(left < 256 << 10, "{cycles} cycles left {left} bytes");
}

#[test]
fn deployments_come_and_go_without_a_trace() {
    memory_stays_flat(9_500);
}

#[test]
#[ignore = "takes minutes: `make long`"]
fn a_million_deployments_come_and_go_without_a_trace() {
    memory_stays_flat(500_000);
}

/// How long decisions took that were made one after another, until told to stop.
fn decide_until(store: &Store, stop: &AtomicBool) -> Vec<Duration> {
    let bodies: Vec<String> = (0..1_000)
        .map(|at| {
            format!(
                r#"{{"action":"guard","resource":{{"guard":{{"actor":"SO","operation":"Grow","target":"vnf-{}","vfCount":"2"}}}}}}"#,
                at * 97
            )
        })
        .collect();
    let requests: Vec<DecisionRequest<'_>> = bodies
        .iter()
        .map(|body| DecisionRequest::from_json(body.as_bytes()).expect("it is a request"))
        .collect();
    let (mut desk, mut took) = (Desk::default(), Vec::with_capacity(10_000_000));
    for request in requests.iter().cycle() {
        let started = Instant::now();
        let snapshot = store.current();
        let setting = Setting {
            snapshot: &snapshot,
            history: None,
            limits: &Limits::default(),
            indeterminate: WhenIndeterminate::default(),
            counters: None,
            now: None,
        };
        let ruling = desk.onap(&setting, request, []).expect("guard policies answer it");
        drop(snapshot);
        took.push(started.elapsed());
        assert_eq!(ruling.decision, Decision::Permit);
        if stop.load(Relaxed) || took.len() == took.capacity() {
            break;
        }
    }
    took
}

#[allow(clippy::print_stdout)] // figures for whoever asks with --nocapture
fn show(what: &str, mut took: Vec<Duration>) {
    took.sort_unstable();
    let at = |share: usize| took[(took.len() - 1) * share / 1_000];
    println!(
        "{what}: {} of them, median {:?}, 99 % {:?}, 99.9 % {:?}, longest {:?}",
        took.len(),
        at(500),
        at(990),
        at(999),
        at(1_000)
    );
}

/// Decides beside `work`, and shows how long both took.
fn beside(store: &Store, what: &str, work: impl FnOnce() -> Vec<Duration>) {
    let stop = AtomicBool::new(false);
    let (decided, worked) = thread::scope(|scope| {
        let deciding = scope.spawn(|| decide_until(store, &stop));
        let worked = work();
        stop.store(true, Relaxed);
        (deciding.join().expect("decisions are made"), worked)
    });
    if !worked.is_empty() {
        show(what, worked);
    }
    show(&format!("decisions during {what}"), decided);
}

#[test]
#[ignore = "prints figures: run it by its name with --nocapture, for figures with --release"]
#[allow(clippy::print_stdout)] // that is what it is for
fn deployments_among_a_hundred_thousand() {
    let started = Instant::now();
    let store = store(100_000);
    println!(
        "limits: 20 ms for a deployment, 5 ms for a decision\n100,000 policies loaded in {:?}, {} KiB resident",
        started.elapsed(),
        resident()
    );
    let each = |work: &dyn Fn(usize)| -> Vec<Duration> {
        let timed = |at| {
            let started = Instant::now();
            work(at);
            started.elapsed()
        };
        (0..1_000).map(timed).collect()
    };
    for _ in 0..5 {
        beside(&store, "quiet seconds", || {
            thread::sleep(Duration::from_secs(2));
            Vec::new()
        });
        beside(&store, "deployments", || {
            each(&|at| deploy(&store, &policy(&format!("one.{at}"), "1.0.0", at)))
        });
        beside(&store, "undeployments", || {
            each(&|at| undeploy(&store, &policy(&format!("one.{at}"), "1.0.0", at)))
        });
    }
    println!("{} KiB resident", resident());
}
