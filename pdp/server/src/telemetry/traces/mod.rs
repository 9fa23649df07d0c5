//! Traces: each request becomes a span, sent by OTLP to a collector.
//!
//! The trace that a client is part of comes in with W3C's `traceparent` and `tracestate` and goes out
//! with the span; whether it is recorded is the client's decision, and that of `tracing.sample_percent`
//! for clients that are part of none. Spans are handed over without waiting; beyond the room of their
//! queue they are dropped and counted. Where nothing is traced, no span is made.

mod context;
mod endpoint;
mod export;
mod headers;
mod post;
mod span;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jiff::Timestamp;
use uuid::Uuid;

pub use context::{Parent, SpanId, TraceId};
use export::Exporter;
use post::Collector;
pub use span::Decided;
use span::{Resource, Span};

use super::outbox::Outbox;
use crate::config;
use crate::failure::Failure;

/// Spans that may wait to be sent.
const ROOM: usize = 4096;

/// What becomes of spans.
#[derive(Debug, Default)]
pub struct SpanCounts {
    /// Taken by the collector.
    pub sent: AtomicU64,
    /// Refused by the collector.
    pub refused: AtomicU64,
    /// There was no room for them, or no time at the end.
    pub dropped: AtomicU64,
}

/// Where spans go.
#[derive(Debug)]
pub struct Traces {
    spans: Outbox<Span>,
    counts: Arc<SpanCounts>,
    sample_percent: u64,
}

/// A request that is part of a trace.
#[derive(Debug)]
pub struct Traced {
    /// The trace.
    pub id: TraceId,
    span: SpanId,
    parent: Option<Parent>,
    sampled: bool,
    begun: Timestamp,
    decided: OnceLock<Decided>,
}

impl Traced {
    /// Whether its span is sent.
    pub fn is_sampled(&self) -> bool {
        self.sampled
    }

    /// Takes in what was decided; the first word holds.
    pub fn decided(&self, decided: Decided) {
        let _ = self.decided.set(decided);
    }
}

/// What is known of a request once it is answered.
#[derive(Clone, Copy, Debug)]
pub struct Answered<'a> {
    /// Its method.
    pub method: &'a str,
    /// Its path.
    pub path: &'a str,
    /// The path with its variable parts by name, where there is such a path.
    pub route: Option<&'static str>,
    /// The status of the answer.
    pub status: u16,
}

impl Traces {
    /// Starts sending; none where nothing is traced.
    ///
    /// # Errors
    /// A setting cannot be used.
    pub fn open(setting: &config::Tracing, instance: &str) -> Result<Option<Self>, Failure> {
        let Some(endpoint) = &setting.otlp_endpoint else { return Ok(None) };
        let collector = Collector::of(endpoint, setting)?;
        let counts = Arc::new(SpanCounts::default());
        let resource =
            Resource { service: setting.service_name.clone(), instance: instance.into() };
        let exporter = Exporter::new(collector, resource, Arc::clone(&counts));
        let spans = Outbox::start("traces", ROOM, move |messages| exporter.run(messages))?;
        Ok(Some(Self { spans, counts, sample_percent: setting.sample_percent.into() }))
    }

    /// A request begins, within a trace of its client or one of its own.
    pub fn begin(&self, parent: Option<Parent>) -> Traced {
        let random = Uuid::new_v4().as_u128();
        let (id, sampled) = match &parent {
            Some(parent) => (parent.trace, parent.sampled),
            None => {
                let id = TraceId::new(Uuid::new_v4().as_u128());
                (id, id.share() < self.sample_percent)
            }
        };
        let (span, begun) = (SpanId::new(random), Timestamp::now());
        Traced { id, span, parent, sampled, begun, decided: OnceLock::new() }
    }

    /// The request is answered: its span goes out, where the trace is recorded.
    pub fn end(&self, traced: &Traced, answered: Answered<'_>) {
        if traced.sampled && !self.spans.offer(Span::of(traced, answered)) {
            self.counts.dropped.fetch_add(1, Relaxed);
        }
    }

    /// Sends what is there, but takes no longer than `patience`; whether all was seen to.
    pub fn close(&self, patience: Duration) -> bool {
        self.spans.close(patience)
    }

    /// What became of spans.
    pub fn counts(&self) -> &SpanCounts {
        &self.counts
    }
}
