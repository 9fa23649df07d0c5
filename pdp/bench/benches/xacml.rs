//! XACML from request to response in process, XML to XML and JSON to JSON, on a nested set of 300 rules,
//! and the decision alone.
//!
//! The set holds ten departments with three policies of ten rules each. Every rule has a target and a
//! condition, and requests are drawn over all rules. The limits beside it: parsing the same JSON body
//! into `serde_json::Value`, and reading the same XML body event by event, without deciding anything.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use pdp_engine::compile::{Build, CompileLimits};
use pdp_engine::context::multiple::Flat;
use pdp_engine::context::{Context, Instant, Limits, Scratch};
use pdp_engine::eval::trace::Unobserved;
use pdp_engine::finder::RequestOnly;
use pdp_engine::format::cursor::ReadLimits;
use pdp_engine::format::xacml3_xml;
use pdp_engine::model::{Decision, Recorder};
use pdp_engine::program::{Program, Root};
use pdp_engine::value::Arena;
use pdp_onap::Application;
use pdp_onap::pip::Guard;
use pdp_server::decide::{Formats, Wire};
use pdp_server::several::{Decider, finish};

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const DEPARTMENTS: usize = 10;
const POLICIES: usize = 3;
const RULES: usize = 10;

const STRING: &str = "http://www.w3.org/2001/XMLSchema#string";
const INTEGER: &str = "http://www.w3.org/2001/XMLSchema#integer";
const RESOURCE: &str = "urn:oasis:names:tc:xacml:3.0:attribute-category:resource";
const ACTION: &str = "urn:oasis:names:tc:xacml:3.0:attribute-category:action";
const SUBJECT: &str = "urn:oasis:names:tc:xacml:1.0:subject-category:access-subject";
const RESOURCE_ID: &str = "urn:oasis:names:tc:xacml:1.0:resource:resource-id";
const ACTION_ID: &str = "urn:oasis:names:tc:xacml:1.0:action:action-id";

fn equals(category: &str, id: &str, value: &str) -> String {
    format!(
        r#"<Target><AnyOf><AllOf><Match MatchId="urn:oasis:names:tc:xacml:1.0:function:string-equal"><AttributeValue DataType="{STRING}">{value}</AttributeValue><AttributeDesignator Category="{category}" AttributeId="{id}" DataType="{STRING}" MustBePresent="false"/></Match></AllOf></AnyOf></Target>"#
    )
}

fn rule(name: &str, number: usize) -> String {
    format!(
        r#"<Rule RuleId="{name}" Effect="Permit">{}<Condition><Apply FunctionId="urn:oasis:names:tc:xacml:1.0:function:integer-greater-than-or-equal"><Apply FunctionId="urn:oasis:names:tc:xacml:1.0:function:integer-one-and-only"><AttributeDesignator Category="{SUBJECT}" AttributeId="clearance" DataType="{INTEGER}" MustBePresent="true"/></Apply><AttributeValue DataType="{INTEGER}">{number}</AttributeValue></Apply></Condition></Rule>"#,
        equals(ACTION, ACTION_ID, &format!("action-{number}"))
    )
}

fn policy(department: usize, policy: usize) -> String {
    let rules: String = (0..RULES)
        .map(|number| rule(&format!("rule-{department}-{policy}-{number}"), number))
        .collect();
    format!(
        r#"<Policy PolicyId="policy-{department}-{policy}" Version="1.0" RuleCombiningAlgId="urn:oasis:names:tc:xacml:3.0:rule-combining-algorithm:deny-unless-permit">{}{rules}</Policy>"#,
        equals(RESOURCE, RESOURCE_ID, &format!("file-{policy}"))
    )
}

/// The whole set as a XACML document.
fn set() -> String {
    let departments: String = (0..DEPARTMENTS)
        .map(|department| {
            let policies: String = (0..POLICIES).map(|number| policy(department, number)).collect();
            format!(
                r#"<PolicySet PolicySetId="department-{department}" Version="1.0" PolicyCombiningAlgId="urn:oasis:names:tc:xacml:1.0:policy-combining-algorithm:first-applicable">{}{policies}</PolicySet>"#,
                equals(RESOURCE, "department", &format!("department-{department}"))
            )
        })
        .collect();
    format!(
        r#"<PolicySet xmlns="urn:oasis:names:tc:xacml:3.0:core:schema:wd-17" PolicySetId="root" Version="1.0" PolicyCombiningAlgId="urn:oasis:names:tc:xacml:3.0:policy-combining-algorithm:deny-overrides"><Target/>{departments}</PolicySet>"#
    )
}

fn program() -> Program {
    let text = set();
    let policy =
        xacml3_xml::policy::read(text.as_bytes(), &ReadLimits::POLICY).expect("it is well formed");
    let mut build = Build::new(
        Root::all(Application::Native.row().combining),
        &Guard,
        CompileLimits::default(),
    );
    build.add(&policy, "bench").expect("the set compiles");
    build.finish().0
}

/// Which rule a request asks for.
#[derive(Clone, Copy)]
struct Point {
    department: usize,
    policy: usize,
    rule: usize,
}

/// All rules in an order that no prefetcher guesses.
fn points() -> impl Iterator<Item = Point> {
    let all = DEPARTMENTS * POLICIES * RULES;
    (0..all).map(move |at| (at * 7_919 + 13) % all).map(|number| Point {
        department: number / (POLICIES * RULES),
        policy: number / RULES % POLICIES,
        rule: number % RULES,
    })
}

fn json(point: Point) -> String {
    let Point { department, policy, rule } = point;
    format!(
        r#"{{"Request":{{"AccessSubject":{{"Attribute":[{{"AttributeId":"urn:oasis:names:tc:xacml:1.0:subject:subject-id","Value":"Julius Hibbert"}},{{"AttributeId":"clearance","Value":10}}]}},"Resource":{{"Attribute":[{{"AttributeId":"{RESOURCE_ID}","Value":"file-{policy}"}},{{"AttributeId":"department","Value":"department-{department}"}}]}},"Action":{{"Attribute":[{{"AttributeId":"{ACTION_ID}","Value":"action-{rule}"}}]}}}}}}"#
    )
}

fn xml(point: Point) -> String {
    let Point { department, policy, rule } = point;
    let attribute = |id: &str, data_type: &str, value: &str| {
        format!(
            r#"<Attribute AttributeId="{id}" IncludeInResult="false"><AttributeValue DataType="{data_type}">{value}</AttributeValue></Attribute>"#
        )
    };
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?><Request xmlns="urn:oasis:names:tc:xacml:3.0:core:schema:wd-17" ReturnPolicyIdList="false" CombinedDecision="false"><Attributes Category="{SUBJECT}">{}{}</Attributes><Attributes Category="{RESOURCE}">{}{}</Attributes><Attributes Category="{ACTION}">{}</Attributes></Request>"#,
        attribute("urn:oasis:names:tc:xacml:1.0:subject:subject-id", STRING, "Julius Hibbert"),
        attribute("clearance", INTEGER, "10"),
        attribute(RESOURCE_ID, STRING, &format!("file-{policy}")),
        attribute("department", STRING, &format!("department-{department}")),
        attribute(ACTION_ID, STRING, &format!("action-{rule}")),
    )
}

const NOW: Instant = Instant { seconds: 1_800_000_000, nanos: 0 };

fn request_to_response(criterion: &mut Criterion) {
    let program = program();
    let limits = Limits::default();
    let decider = Decider {
        program: &program,
        finder: &RequestOnly,
        hierarchy: &Flat,
        limits: &limits,
        now: NOW,
    };
    let mut group = criterion.benchmark_group("request-to-response");
    for (name, wire, bodies) in [
        ("json", Wire::Json, points().map(json).collect::<Vec<_>>()),
        ("xml", Wire::Xml, points().map(xml).collect()),
    ] {
        let formats = Formats { asked: wire, wanted: wire, short_ids: false };
        let (mut scratch, mut out) = (Scratch::new(), Vec::new());
        let mut next = bodies.iter().cycle();
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let body = next.next().expect("a cycle does not end");
                out.clear();
                let decision = decider
                    .decide(body.as_bytes(), formats, &mut scratch, &mut Unobserved, &mut out)
                    .expect("the request is right");
                assert_eq!(decision, Decision::Permit);
                black_box(&out).len()
            });
        });
    }
    let bodies: Vec<String> = points().map(json).collect();
    let mut next = bodies.iter().cycle();
    group.bench_function("limit: serde_json::Value of the JSON body", |bencher| {
        bencher.iter(|| {
            let body = next.next().expect("a cycle does not end");
            black_box(serde_json::from_str::<serde_json::Value>(body).expect("it is JSON"))
        });
    });
    let bodies: Vec<String> = points().map(xml).collect();
    let mut next = bodies.iter().cycle();
    group.bench_function("limit: quick-xml events of the XML body", |bencher| {
        bencher.iter(|| {
            let body = next.next().expect("a cycle does not end");
            let mut reader = quick_xml::Reader::from_str(body);
            let mut events = 0_usize;
            while !matches!(reader.read_event().expect("it is XML"), quick_xml::events::Event::Eof)
            {
                events += 1;
            }
            black_box(events)
        });
    });
    group.finish();
}

fn decision(criterion: &mut Criterion) {
    let program = program();
    let limits = Limits::default();
    let arena = Arena::new();
    let bodies: Vec<String> = points().map(xml).collect();
    let requests: Vec<_> = bodies
        .iter()
        .map(|body| {
            let mut recorder = Recorder::new(&arena);
            xacml3_xml::request::read(body.as_bytes(), &ReadLimits::REQUEST, &mut recorder)
                .expect("the request is right");
            recorder.finish()
        })
        .collect();
    let mut scratch = Scratch::new();
    let mut next = requests.iter().cycle();
    criterion.bench_function("decision of 300 rules, from the read request", |bencher| {
        bencher.iter(|| {
            let request = next.next().expect("a cycle does not end");
            let mut context = Context::new(&program, &mut scratch, NOW, &limits);
            request.replay(&mut context);
            let answer = finish(&mut context, &RequestOnly, &mut Unobserved);
            assert_eq!(answer.decision, Decision::Permit);
            black_box(answer.decision)
        });
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(3));
    targets = request_to_response, decision
}
criterion_main!(benches);
