//! Policies: read, translated, compiled, decided.

use pdp_engine::compile::{Build, CompileLimits};
use pdp_engine::context::{Context, Instant, Limits, Scratch};
use pdp_engine::eval::{self, Outcome};
use pdp_engine::finder::RequestOnly;
use pdp_engine::format::cursor::ReadLimits;
use pdp_engine::format::{xacml3_json, xacml3_xml};
use pdp_engine::model::{Decision, Policy};
use pdp_engine::program::{Program, Root};
use pdp_onap::pip::Guard;
use pdp_onap::tosca::{self, Limits as ToscaLimits, Syntax};
use pdp_onap::{Application, translate};

use crate::two;

fn compiled(policy: &Policy) -> Option<Program> {
    let root = Root::all(Application::Native.row().combining);
    let mut build = Build::new(root, &Guard, CompileLimits::default());
    build.add(policy, "fuzz").ok()?;
    let (program, refused) = build.finish();
    refused.is_empty().then_some(program)
}

/// A XACML policy: everything that is wrong with it is told, and what is right compiles.
pub fn policy_xml(data: &[u8]) {
    let reading = xacml3_xml::policy::read_all(data, &ReadLimits::POLICY);
    if let Some(policy) = &reading.policy {
        let _ = compiled(policy);
    }
}

fn tosca(data: &[u8], syntax: Syntax) {
    let Ok(template) = tosca::read(data, syntax, &ToscaLimits::default()) else { return };
    for policy in &template.policies {
        if let Ok(translated) = translate::translate(policy) {
            let _ = compiled(&translated.policy);
        }
    }
}

/// A TOSCA document in YAML.
pub fn tosca_yaml(data: &[u8]) {
    tosca(data, Syntax::Yaml);
}

/// A TOSCA document in JSON.
pub fn tosca_json(data: &[u8]) {
    tosca(data, Syntax::Json);
}

/// Policy, zero byte, request in XML or JSON. The index changes no decision.
pub fn decide(data: &[u8]) {
    let Some((policy, request)) = two(data) else { return };
    let Ok(policy) = xacml3_xml::policy::read(policy, &ReadLimits::POLICY) else { return };
    let Some(program) = compiled(&policy) else { return };
    let indexed = decision(&program, request, true);
    let plain = decision(&program, request, false);
    // A limit may be met on one way and not on the other.
    if let (Some((one, false)), Some((other, false))) = (indexed, plain) {
        assert_eq!(one, other);
    }
}

/// The decision, and whether a limit may have ended it.
fn decision(program: &Program, request: &[u8], indexed: bool) -> Option<(Decision, bool)> {
    let limits = Limits { indexed, ..Limits::default() };
    let mut scratch = Scratch::new();
    let now = Instant { seconds: 1_800_000_000, nanos: 0 };
    let mut context = Context::new(program, &mut scratch, now, &limits);
    let read = match request.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'<') => xacml3_xml::request::read(request, &ReadLimits::REQUEST, &mut context),
        _ => xacml3_json::request::read(request, &ReadLimits::REQUEST, &mut context),
    };
    read.ok()?;
    let Outcome::Done(answer) = eval::decide(&mut context, &RequestOnly) else {
        panic!("nothing is pending where nobody supplies");
    };
    let limited = answer.status.message.is_some_and(|message| message.contains("limit"));
    let mut out = Vec::new();
    xacml3_xml::response::write(&[answer], context.arena(), &mut out);
    xacml3_xml::response::read(&out, &ReadLimits::POLICY)
        .unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(&out)));
    out.clear();
    xacml3_json::response::write(&[answer], context.arena(), &mut out);
    xacml3_json::response::read(&out, &ReadLimits::POLICY)
        .unwrap_or_else(|error| panic!("{error}\n{}", String::from_utf8_lossy(&out)));
    Some((answer.decision, limited))
}
