//! Many policies, many deployments: what they cost and what they leave behind.

use std::time::{Duration, Instant};

use pdp_onap::Application;
use pdp_server::config::Xacml;
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

#[test]
#[ignore = "prints a figure: run it by its name with --nocapture, for figures with --release"]
#[allow(clippy::print_stdout)] // that is what it is for
fn one_deployment_among_a_hundred_thousand() {
    let started = Instant::now();
    let store = store(100_000);
    println!(
        "100,000 policies loaded in {:?} (limit 1 s), {} KiB resident",
        started.elapsed(),
        resident()
    );
    let mut took: Vec<Duration> = Vec::new();
    for at in 0..1_000 {
        let one = policy(&format!("one.{at}"), "1.0.0", at);
        let started = Instant::now();
        deploy(&store, &one);
        took.push(started.elapsed());
    }
    took.sort();
    println!(
        "one deployment: median {:?}, 99 % {:?}, longest {:?} (limit 20 ms)",
        took[500], took[990], took[999]
    );
    let mut took: Vec<Duration> = Vec::new();
    for at in 0..1_000 {
        let one = policy(&format!("many.{}", at * 97), "1.0.0", at);
        let started = Instant::now();
        undeploy(&store, &one);
        took.push(started.elapsed());
    }
    took.sort();
    println!(
        "one undeployment: median {:?}, 99 % {:?}, longest {:?}; {} KiB resident",
        took[500],
        took[990],
        took[999],
        resident()
    );
}
