//! A load plan (`plan.json` beside the cases): each request of each group once, in the plan's order, on
//! one host and port.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::expect;
use crate::support::{Folder, Reply, Server};

/// How many times the groups between set-up and teardown are asked.
const ROUNDS: usize = 3;

pub fn is(folder: &Path) -> bool {
    folder.join("plan.json").is_file()
}

/// Runs the plan of a folder and prints what failed. Returns how many requests passed, and how many not.
pub fn run(name: &str, folder: &Path) -> (usize, usize) {
    let plan = read(&folder.join("plan.json"));
    let policies = presupposed(folder, &plan);
    let server = Server::start(&policies, &[]);
    let (mut passed, mut failed) = (0, 0);
    for group in plan["order"].as_array().into_iter().flatten() {
        let names: Vec<&Value> = match group {
            Value::Array(parallel) => parallel.iter().collect(),
            one => vec![one],
        };
        let rounds = if names.len() > 1 { ROUNDS } else { 1 };
        let steps = |name: &Value| {
            let mut groups = plan["groups"].as_array().into_iter().flatten();
            let group = groups.find(|group| group["name"] == *name);
            group.and_then(|group| group["steps"].as_array()).cloned().unwrap_or_default()
        };
        for step in (0..rounds).flat_map(|_| names.iter().flat_map(|name| steps(name))) {
            match ask(&server, folder, &plan["variables"]["headers"], &step) {
                Ok(()) => passed += 1,
                Err(reason) => {
                    failed += 1;
                    println!("{name}/plan: {}: FAILED: {reason}", step["name"]);
                }
            }
        }
    }
    let left = server.get("/policy/pap/v1/policies/status");
    if left.json() == json!([]) {
        passed += 1;
    } else {
        failed += 1;
        println!("{name}/plan: FAILED: after the teardown policies are deployed: {}", left.body);
    }
    (passed, failed)
}

fn read(path: &Path) -> Value {
    let text = fs::read_to_string(path).expect("it was found just now");
    serde_json::from_str(&text).expect("a plan and its cases are JSON")
}

/// Policies that the cases have beside those that the plan creates.
fn presupposed(folder: &Path, plan: &Value) -> Folder {
    let groups = plan["groups"].as_array().into_iter().flatten();
    let steps = groups.flat_map(|group| group["steps"].as_array().into_iter().flatten());
    let bodies: Vec<&str> = steps.filter_map(|step| step["body"].as_str()).collect();
    let cases = read(&folder.join("cases.json"));
    let files = cases.as_array().into_iter().flatten();
    let files = files.flat_map(|case| case["policies"].as_array().into_iter().flatten());
    let files = files.filter_map(|entry| entry.as_str().or(entry["file"].as_str()));
    let policies = Folder::new(&[]);
    for file in files.filter(|file| !bodies.contains(file)) {
        let path = folder.join(file);
        let text = fs::read_to_string(&path).expect("the case names a file that is there");
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        policies.write(name, &text);
    }
    policies
}

fn ask(server: &Server, folder: &Path, headers: &Value, step: &Value) -> Result<(), String> {
    let body = match step["body"].as_str() {
        Some(file) => fs::read_to_string(folder.join(file)).map_err(|error| error.to_string())?,
        None => String::new(),
    };
    let headers = headers.as_object().into_iter().flatten();
    let headers: Vec<(&str, &str)> =
        headers.map(|(name, value)| (&**name, value.as_str().unwrap_or_default())).collect();
    let path = format!("/{}", step["path"].as_str().unwrap_or_default());
    let method = step["method"].as_str().unwrap_or_default();
    let reply = server.send(method, &path, &headers, &body);
    let found =
        |reason: String, reply: &Reply| format!("{reason}; answer {} {}", reply.status, reply.body);
    match &step["expect"] {
        // Nothing is asserted, but a service that breaks is no answer.
        Value::Null if reply.status < 500 => Ok(()),
        Value::Null => Err(found("the service failed".into(), &reply)),
        expect => expect::check(expect, &reply).map_err(|reason| found(reason, &reply)),
    }
}
