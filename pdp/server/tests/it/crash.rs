//! The service is killed at random moments of a storm of administration.
//!
//! Everything that was acknowledged is there after the restart, nothing is partial, a call that was
//! not answered is done or not begun, and it starts every time.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Folder, Reply, Server};

const POLICIES: &str = "/policy/api/v1/policies";
const PAP: &str = "/policy/pap/v1/pdps/policies";
const STATUS: &str = "/policy/pap/v1/policies/status";
/// Threads that administer, each its own policies.
const WRITERS: usize = 3;
/// Policies that go together in one call.
const TOGETHER: usize = 3;

/// Enough chance for a test, and told in its messages.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    Absent,
    Created,
    Deployed,
}

/// What a group of policies that is always changed in one call may be in.
type Believed = BTreeMap<(usize, u64), BTreeSet<State>>;

fn names((writer, group): (usize, u64)) -> Vec<String> {
    (0..TOGETHER).map(|member| format!("crash.{writer}.{group}.{member}")).collect()
}

/// The call that leads from a state to the next, and where it leads.
fn call(group: (usize, u64), state: State, chance: &mut Chance) -> Option<(Vec<String>, State)> {
    let request = |method: &str, path: &str, body: String| {
        format!(
            "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    };
    match state {
        State::Absent => {
            let policies: Vec<Value> = names(group)
                .iter()
                .map(|name| {
                    json!({name: {"type": "onap.policies.controlloop.guard.common.MinMax",
                        "type_version": "1.0.0", "version": "1.0.0",
                        "properties": {"actor": "SO", "operation": "Grow", "target": name, "max": 3}}})
                })
                .collect();
            let body = json!({"topology_template": {"policies": policies}}).to_string();
            Some((vec![request("POST", POLICIES, body)], State::Created))
        }
        State::Created if chance.below(3) > 0 => {
            let list: Vec<Value> =
                names(group).iter().map(|name| json!({"policy-id": name})).collect();
            let body = json!({"policies": list}).to_string();
            Some((vec![request("POST", PAP, body)], State::Deployed))
        }
        // Policies are undeployed and deleted one by one: only single ones take this way.
        State::Created | State::Deployed => None,
    }
}

fn exchange(address: &str, request: &str) -> Option<Reply> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(30))).ok()?;
    stream.write_all(request.as_bytes()).ok()?;
    Reply::read(&stream).ok()
}

/// Administers until the service is gone.
fn storm(
    address: &str,
    first: (usize, u64),
    mut believed: Believed,
    mut chance: Chance,
) -> Believed {
    let (writer, mut next) = first;
    loop {
        let known: Vec<(usize, u64)> = believed.keys().copied().collect();
        let pick = chance.below(known.len() as u64 + 1) as usize;
        let group = known.get(pick).copied().unwrap_or_else(|| {
            next += 1;
            (writer, next)
        });
        let states = believed.entry(group).or_insert_with(|| [State::Absent].into());
        let state = *states.first().expect("it is in some state");
        match call(group, state, &mut chance) {
            Some((requests, to)) => {
                for request in requests {
                    states.insert(to);
                    let Some(reply) = exchange(address, &request) else { return believed };
                    assert!([201, 202].contains(&reply.status), "{group:?}: {reply:?}");
                    *states = [to].into();
                }
            }
            None if state == State::Deployed && chance.below(2) == 0 => {
                // All members go, one after another; none of them comes back.
                for name in names(group) {
                    for path in
                        [format!("{PAP}/{name}"), format!("{POLICIES}/{name}/versions/1.0.0")]
                    {
                        let request = format!(
                            "DELETE {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
                        );
                        *states = [State::Absent, State::Created, State::Deployed].into();
                        let Some(reply) = exchange(address, &request) else {
                            return believed;
                        };
                        assert!([200, 202].contains(&reply.status), "{name}: {reply:?}");
                    }
                }
                *states = [State::Absent].into();
            }
            None => {}
        }
    }
}

/// What the service says of every policy.
fn seen(server: &Server) -> BTreeMap<String, State> {
    let mut states = BTreeMap::new();
    let policies = server.get(POLICIES).json();
    let policies = policies["topology_template"]["policies"].as_array().cloned();
    for policy in policies.expect("policies are listed") {
        for name in policy.as_object().expect("a map").keys() {
            states.insert(name.clone(), State::Created);
        }
    }
    for row in server.get(STATUS).json().as_array().expect("deployments are listed") {
        let name = row["policy"]["name"].as_str().expect("a name").to_owned();
        assert_eq!(row["state"], "SUCCESS", "{name}");
        assert!(states.insert(name.clone(), State::Deployed).is_some(), "{name} is not kept");
    }
    states
}

fn survive(kills: usize) {
    let state = Folder::new(&[]);
    let policies = Folder::new(&[]);
    let seed = u64::from(std::process::id()) << 20 | 1;
    eprintln!("seed {seed}");
    let mut chance = Chance(seed);
    let mut believed: Vec<Believed> = vec![Believed::new(); WRITERS];
    for kill in 0..kills {
        let (policies, state) = (policies.text(), state.text());
        let server = Server::spawn(
            &["serve", "--policies", &policies, "--listen", "127.0.0.1:0", "--state", &state],
            &[],
        );
        let seen = seen(&server);
        let deployed = seen.values().filter(|state| **state == State::Deployed).count();
        assert_eq!(server.get("/readyz").json()["policies"], deployed, "what is deployed decides");
        for mine in &mut believed {
            for (group, may_be) in mine.iter_mut() {
                let members: BTreeSet<State> = names(*group)
                    .iter()
                    .map(|name| seen.get(name).copied().unwrap_or(State::Absent))
                    .collect();
                assert!(
                    members.is_subset(may_be),
                    "seed {seed}, kill {kill}: {group:?} is {members:?}, may be {may_be:?}"
                );
                let whole = may_be.len() > 2 || members.len() == 1;
                assert!(whole, "seed {seed}, kill {kill}: {group:?} is partial: {members:?}");
                *may_be = members;
            }
            // What is gone, or stands between two states after a deletion, is left alone.
            mine.retain(|_, states| states.len() == 1 && !states.contains(&State::Absent));
        }
        let handles: Vec<_> = believed
            .drain(..)
            .enumerate()
            .map(|(writer, mine)| {
                let address = server.address.clone();
                let chance = Chance(chance.below(u64::MAX) | 1);
                // Names are never used again: what was left alone is still there.
                let first = (writer, kill as u64 * 1_000_000);
                thread::spawn(move || storm(&address, first, mine, chance))
            })
            .collect();
        thread::sleep(Duration::from_micros(chance.below(150_000)));
        server.signal("KILL");
        for handle in handles {
            believed.push(handle.join().expect("what is answered is as it should be"));
        }
    }
}

#[test]
fn twenty_kills_lose_nothing() {
    survive(20);
}

#[test]
#[ignore = "takes minutes: `make long`"]
fn two_hundred_kills_lose_nothing() {
    survive(200);
}
