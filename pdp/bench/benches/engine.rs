//! Decisions in process: guard min/max, guard frequency limiter and monitoring, with 1, 100 and
//! 10,000 policies, and cedar-policy on the min/max rule in the same run.
//!
//! Every policy has a target of its own and requests are drawn over all of them, so that neither side
//! lives in the cache of one hot request. One iteration takes a read request to its decision.

use std::hint::black_box;
use std::str::FromStr;
use std::time::Duration;

use cedar_policy::{Authorizer, Context as CedarContext, Entities, EntityUid, PolicySet, Request};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use jiff::Timestamp;
use pdp_engine::compile::{Build, CompileLimits};
use pdp_engine::context::{Context, Instant, Limits, Scratch};
use pdp_engine::eval::{self, Outcome};
use pdp_engine::finder::Finder;
use pdp_engine::model::{Decision, RequestOptions};
use pdp_engine::program::{Program, Root};
use pdp_history::{AnchoredClock, MemoryHistory, Settings};
use pdp_onap::decision::DecisionRequest;
use pdp_onap::history::{Operation, OperationHistory};
use pdp_onap::pip::{Guard, HistoryFinder};
use pdp_onap::tosca::{self, Limits as ToscaLimits, Syntax};
use pdp_onap::{Application, translate};

#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

const SIZES: [usize; 3] = [1, 100, 10_000];
const LOOP: &str = "ControlLoop-vDNS-6f37f56d-a87d-4b85-b6a9-cc953cf779b3";

fn program(application: Application, policies: impl Iterator<Item = String>) -> Program {
    let root = Root::all(application.row().combining);
    let mut build = Build::new(root, &Guard, CompileLimits::default());
    for text in policies {
        let template = tosca::read(text.as_bytes(), Syntax::Json, &ToscaLimits::default());
        let policy = &template.expect("the document is well formed").policies[0];
        let translated = translate::translate(policy).expect("the policy is complete");
        build.add(&translated.policy, "bench").expect("the policy compiles");
    }
    build.finish().0
}

fn guard(kind: &str, number: usize, own: &str) -> String {
    format!(
        r#"{{"name":"guard.{number}","version":"1.0.0","type":"onap.policies.controlloop.guard.common.{kind}",
        "type_version":"1.0.0","properties":{{"actor":"SO","operation":"VF Module Create","id":"{LOOP}",
        "target":"target-{number:08}",{own}}}}}"#
    )
}

fn guard_request(number: usize) -> String {
    format!(
        r#"{{"ONAPName":"Policy","ONAPComponent":"drools-pdp","ONAPInstance":"usecase-template",
        "requestId":"unique-request-id-1","action":"guard","resource":{{"guard":{{"actor":"SO",
        "operation":"VF Module Create","clname":"{LOOP}","target":"target-{number:08}","vfCount":1}}}}}}"#
    )
}

/// Numbers that visit all of `count` in an order that no prefetcher guesses.
fn spread(count: usize) -> impl Iterator<Item = usize> + Clone {
    (0..count).map(move |at| (at * 7_919 + 13) % count)
}

fn decide(
    criterion: &mut Criterion,
    name: &str,
    application: Application,
    policies: impl Fn(usize) -> String,
    request: impl Fn(usize) -> String,
    finder: &dyn Finder,
) {
    let mut group = criterion.benchmark_group(name);
    for size in SIZES {
        let program = program(application, (0..size).map(&policies));
        let bodies: Vec<String> = spread(size).map(&request).collect();
        let requests: Vec<DecisionRequest<'_>> = bodies
            .iter()
            .map(|body| DecisionRequest::from_json(body.as_bytes()).expect("the body is right"))
            .collect();
        let limits = Limits::default();
        let mut scratch = Scratch::new();
        let mut next = requests.iter().cycle();
        group.bench_function(BenchmarkId::new("pdp", size), |bencher| {
            bencher.iter(|| {
                let request = next.next().expect("a cycle does not end");
                let now = Instant { seconds: 1_800_000_000, nanos: 0 };
                let mut context = Context::new(&program, &mut scratch, now, &limits);
                let options = RequestOptions::default();
                request.drive(application, options, &mut context).expect("the values are right");
                match eval::decide(&mut context, finder) {
                    Outcome::Done(answer) => {
                        assert_eq!(answer.decision, Decision::Permit);
                        black_box(answer.decision)
                    }
                    Outcome::Pending => unreachable!("every supplier answers at once"),
                }
            });
        });
    }
    group.finish();
}

fn min_max(criterion: &mut Criterion) {
    let history = MemoryHistory::new(AnchoredClock::start(), Settings::default());
    let finder = HistoryFinder { history: &history, now: Timestamp::now() };
    let policy = |number| guard("MinMax", number, r#""min":1,"max":2"#);
    decide(criterion, "guard-min-max", Application::Guard, policy, guard_request, &finder);
}

fn frequency(criterion: &mut Criterion) {
    let history = MemoryHistory::new(AnchoredClock::start(), Settings::default());
    let now = Timestamp::now();
    for number in 0..100 {
        let row = Operation {
            actor: Some("SO".into()),
            operation: Some("VF Module Create".into()),
            target: Some(format!("target-{number:08}")),
            outcome: Some("SUCCESS".into()),
            end_time: Some(now),
            ..Operation::default()
        };
        history.record(row).expect("the history takes rows");
    }
    let finder = HistoryFinder { history: &history, now };
    let policy = |number| {
        guard("FrequencyLimiter", number, r#""limit":5,"timeWindow":10,"timeUnits":"minute""#)
    };
    decide(criterion, "guard-frequency", Application::Guard, policy, guard_request, &finder);
}

fn monitoring(criterion: &mut Criterion) {
    let history = MemoryHistory::new(AnchoredClock::start(), Settings::default());
    let finder = HistoryFinder { history: &history, now: Timestamp::now() };
    let policy = |number: usize| {
        format!(
            r#"{{"name":"monitoring.{number}","version":"1.0.0","type":"onap.policies.monitoring.t{number}",
            "type_version":"1.0.0","properties":{{"threshold":{number}}}}}"#
        )
    };
    let request = |number: usize| {
        format!(
            r#"{{"ONAPName":"DCAE","action":"configure","resource":{{"policy-id":"monitoring.{number}"}}}}"#
        )
    };
    decide(criterion, "monitoring", Application::Monitoring, policy, request, &finder);
}

/// The min/max rule in Cedar: one policy per target, the count in the context.
fn cedar(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("guard-min-max");
    for size in SIZES {
        let text: String = (0..size)
            .map(|number| {
                format!(
                    r#"permit(principal == Actor::"SO", action == Action::"VF Module Create",
                    resource == Target::"target-{number:08}")
                    when {{ context.loop == "{LOOP}" && context.vfCount < 2 }};"#
                )
            })
            .collect();
        let policies = PolicySet::from_str(&text).expect("the policies are well formed");
        let entities = Entities::empty();
        let uid = |text: &str| EntityUid::from_str(text).expect("the identifier is well formed");
        let requests: Vec<Request> = spread(size)
            .take(1_000)
            .map(|number| {
                let context = serde_json::json!({ "loop": LOOP, "vfCount": 1 });
                let context = CedarContext::from_json_value(context, None).expect("it is a record");
                let target = uid(&format!(r#"Target::"target-{number:08}""#));
                let action = uid(r#"Action::"VF Module Create""#);
                Request::new(uid(r#"Actor::"SO""#), action, target, context, None)
                    .expect("the request is right")
            })
            .collect();
        let authorizer = Authorizer::new();
        let mut next = requests.iter().cycle();
        group.bench_function(BenchmarkId::new("cedar-policy", size), |bencher| {
            bencher.iter(|| {
                let request = next.next().expect("a cycle does not end");
                let answer = authorizer.is_authorized(request, &policies, &entities);
                assert_eq!(answer.decision(), cedar_policy::Decision::Allow);
                black_box(answer.decision())
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(3));
    targets = min_max, cedar, frequency, monitoring
}
criterion_main!(benches);
