//! The shipped policies: all of them load together without a problem, and each example request is
//! answered as the file beside it says. `UPDATE_EXPECT=1` writes these files anew; read the diff.

use std::path::{Path, PathBuf};

use pdp_engine::combine::Algorithm;
use pdp_engine::context::{Context, Instant, Limits as DecisionLimits, Scratch};
use pdp_engine::eval::{self, Outcome};
use pdp_engine::finder::RequestOnly;
use pdp_engine::format::cursor::ReadLimits;
use pdp_engine::format::{xacml3_json, xacml3_xml};
use pdp_engine::model::Policy;
use pdp_onap::tosca::{self, Limits, Syntax};
use pdp_onap::{APPLICATIONS, Application, translate};
use serde_json::Value;

use crate::service::{History, decide, program};

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("it can be listed").path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
    found.sort();
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).expect("names are plain")
}

/// Every policy with its application.
fn policies(files: &[PathBuf]) -> Vec<(Application, Policy)> {
    let mut found = Vec::new();
    for file in files {
        let is_example =
            [".request.", ".response.", ".test."].iter().any(|it| name(file).contains(it));
        let extension = file.extension().and_then(|it| it.to_str()).unwrap_or_default();
        let text = std::fs::read(file).expect("it can be read");
        if extension == "xml" {
            let policy = xacml3_xml::policy::read(&text, &ReadLimits::default());
            found.push((Application::Native, policy.expect("it is a policy")));
        } else if let Some(syntax) = Syntax::of_extension(extension)
            && !is_example
        {
            let template = tosca::read(&text, syntax, &Limits::default()).expect("it is TOSCA");
            assert_eq!(template.problems, [], "{}", file.display());
            for policy in &template.policies {
                let translated = translate::translate(policy).expect("it is complete");
                assert_eq!(translated.warnings, [], "{}", file.display());
                found.push((translated.application, translated.policy));
            }
        }
    }
    found
}

/// The answer to a XACML request.
fn decide_natively(policies: &[(Application, Policy)], body: &[u8]) -> Vec<u8> {
    let program = program(policies, Application::Native, Algorithm::CombinedPermitOverrides);
    let mut scratch = Scratch::new();
    let limits = DecisionLimits::default();
    let mut context = Context::new(&program, &mut scratch, Instant::default(), &limits);
    xacml3_json::request::read(body, &ReadLimits::default(), &mut context).expect("a request");
    let Outcome::Done(answer) = eval::decide(&mut context, &RequestOnly) else {
        panic!("everything is in the request");
    };
    let mut out = Vec::new();
    xacml3_json::response::write(&[answer], context.arena(), &mut out);
    out
}

#[test]
fn shipped_examples_are_answered_as_they_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../policies");
    let mut all = Vec::new();
    files(&folder, &mut all);
    let policies = policies(&all);
    for row in APPLICATIONS {
        let here = policies.iter().filter(|(of, _)| *of == row.application).count();
        let expected = match row.application {
            Application::Match | Application::Authorization => 0,
            _ => 1,
        };
        assert!(here >= expected, "{}", row.name);
    }
    let mut asked = 0;
    for request in all.iter().filter(|file| name(file).contains(".request.")) {
        let body = std::fs::read(request).expect("it can be read");
        let is_xacml = body.windows(10).any(|window| window == b"\"Request\":");
        let answer = if is_xacml {
            decide_natively(&policies, &body)
        } else {
            decide(&policies, &body, &History::default())
        };
        let answer: Value = serde_json::from_slice(&answer).expect("answers are JSON");
        let beside = request.with_file_name(name(request).replace(".request.", ".response."));
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            let text = serde_json::to_string_pretty(&answer).expect("it is a value");
            std::fs::write(&beside, text + "\n").expect("it can be written");
        }
        let expected = std::fs::read(&beside).unwrap_or_else(|_| panic!("no {}", beside.display()));
        let expected: Value = serde_json::from_slice(&expected).expect("it is JSON");
        assert_eq!(answer, expected, "{}", request.display());
        asked += 1;
    }
    assert!(asked >= 9, "only {asked} requests");
}
