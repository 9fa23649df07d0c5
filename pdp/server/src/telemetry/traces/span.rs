//! Spans, and how OTLP writes them in JSON.

use pdp_engine::model::Decision;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::context::{SpanId, TraceId};
use super::{Answered, Traced};

/// A service answers.
const SERVER: u8 = 2;
/// The status of what failed through the service's own fault.
const ERROR: u8 = 2;
/// Flags: what the parent is, is known; it is somewhere else.
const PARENT_KNOWN: u32 = 0x100;
const PARENT_REMOTE: u32 = 0x200;
/// Policies that a span names at most.
const POLICIES: usize = 20;

/// Who sends spans.
#[derive(Debug)]
pub(super) struct Resource {
    pub(super) service: String,
    pub(super) instance: String,
}

/// What was decided.
#[derive(Debug)]
pub struct Decided {
    /// The id of the request, as in answers and log lines.
    pub request_id: String,
    /// The application that decided.
    pub application: &'static str,
    /// The decision itself, whatever the answer reads.
    pub decision: Decision,
    /// The policies that were found applicable.
    pub policies: Vec<String>,
}

impl Decided {
    /// Takes the first few of these policies in.
    pub fn naming<'a>(mut self, policies: impl Iterator<Item = &'a str>) -> Self {
        self.policies = policies.take(POLICIES).map(str::to_owned).collect();
        self
    }
}

/// One answered request.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Span {
    trace_id: TraceId,
    span_id: SpanId,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_span_id: Option<SpanId>,
    #[serde(skip_serializing_if = "String::is_empty")]
    trace_state: String,
    flags: u32,
    name: String,
    kind: u8,
    #[serde(serialize_with = "as_text")]
    start_time_unix_nano: i128,
    #[serde(serialize_with = "as_text")]
    end_time_unix_nano: i128,
    attributes: Vec<Attribute>,
    status: Status,
}

#[derive(Debug, Serialize)]
struct Status {
    code: u8,
}

#[derive(Debug, Serialize)]
struct Attribute {
    key: &'static str,
    value: Value,
}

/// 64 bit numbers are text in OTLP's JSON.
fn as_text<S: Serializer>(number: &i128, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}

fn text(key: &'static str, value: &str) -> Attribute {
    Attribute { key, value: json!({"stringValue": value}) }
}

impl Span {
    pub(super) fn of(traced: &Traced, answered: Answered<'_>) -> Self {
        let mut attributes = vec![
            text("http.request.method", answered.method),
            text("url.path", answered.path),
            Attribute {
                key: "http.response.status_code",
                value: json!({"intValue": answered.status.to_string()}),
            },
        ];
        attributes.extend(answered.route.map(|route| text("http.route", route)));
        if let Some(decided) = traced.decided.get() {
            let policies = decided.policies.iter().map(|name| json!({"stringValue": name}));
            let policies: Vec<Value> = policies.collect();
            attributes.extend([
                text("pdp.request_id", &decided.request_id),
                text("pdp.application", decided.application),
                text("pdp.decision", decided.decision.name()),
                Attribute {
                    key: "pdp.policies",
                    value: json!({"arrayValue": {"values": policies}}),
                },
            ]);
        }
        let name = match answered.route {
            Some(route) => format!("{} {route}", answered.method),
            None => answered.method.to_owned(),
        };
        let parent = traced.parent.as_ref();
        let remote = if parent.is_some() { PARENT_REMOTE } else { 0 };
        Self {
            trace_id: traced.id,
            span_id: traced.span,
            parent_span_id: parent.map(|parent| parent.span),
            trace_state: parent.map_or_else(String::new, |parent| parent.state.clone()),
            flags: u32::from(traced.sampled) | PARENT_KNOWN | remote,
            name,
            kind: SERVER,
            start_time_unix_nano: traced.begun.as_nanosecond(),
            end_time_unix_nano: jiff::Timestamp::now()
                .as_nanosecond()
                .max(traced.begun.as_nanosecond()),
            attributes,
            status: Status { code: if answered.status >= 500 { ERROR } else { 0 } },
        }
    }
}

/// The body of one request to the collector (`ExportTraceServiceRequest`).
pub(super) fn body(resource: &Resource, spans: &[Span]) -> Vec<u8> {
    let version = env!("CARGO_PKG_VERSION");
    let attributes = [
        text("service.name", &resource.service),
        text("service.version", version),
        text("service.instance.id", &resource.instance),
    ];
    let body = json!({"resourceSpans": [{
        "resource": {"attributes": attributes},
        "scopeSpans": [{"scope": {"name": "pdp", "version": version}, "spans": spans}]
    }]});
    body.to_string().into_bytes()
}
