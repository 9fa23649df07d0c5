//! The thread that sends spans.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::SpanCounts;
use super::post::{Collector, Refusal};
use super::span::{Resource, Span, body};
use crate::telemetry::outbox::Message;

/// Spans that are sent together, at most.
const BATCH: usize = 512;
/// How long a span waits for others.
const DELAY: Duration = Duration::from_secs(1);
/// The longest pause before a collector that does not answer is tried again.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Sends spans in batches. One batch is kept until the collector is back; the queue behind it has its
/// bound.
pub(super) struct Exporter {
    collector: Collector,
    resource: Resource,
    counts: Arc<SpanCounts>,
    batch: Vec<Span>,
    /// Before this the collector is left alone; none while it answers.
    pause: Option<(Instant, Duration)>,
}

impl Exporter {
    pub(super) fn new(collector: Collector, resource: Resource, counts: Arc<SpanCounts>) -> Self {
        Self { collector, resource, counts, batch: Vec::with_capacity(BATCH), pause: None }
    }

    /// Until it is told to end, or nobody is left to tell it anything.
    pub(super) fn run(mut self, messages: &Receiver<Message<Span>>) {
        let mut due = Instant::now() + DELAY;
        loop {
            let wait = match self.pause {
                Some((until, _)) => until,
                None => due,
            };
            let wait = wait.saturating_duration_since(Instant::now());
            // A batch that cannot be sent leaves the rest where it has a bound.
            let full = self.batch.len() >= BATCH;
            let message = match (full, self.pause) {
                (true, Some(_)) => {
                    std::thread::sleep(wait.min(Duration::from_millis(100)));
                    Err(RecvTimeoutError::Timeout)
                }
                (true, None) => Err(RecvTimeoutError::Timeout),
                (false, _) => messages.recv_timeout(wait),
            };
            let ends = match message {
                Ok(Message::Item(span)) => {
                    if self.batch.is_empty() {
                        due = Instant::now() + DELAY;
                    }
                    self.batch.push(span);
                    false
                }
                Ok(Message::Wake) | Err(RecvTimeoutError::Timeout) => false,
                Ok(Message::End) | Err(RecvTimeoutError::Disconnected) => true,
            };
            let may = self.pause.is_none_or(|(until, _)| Instant::now() >= until);
            let should = self.batch.len() >= BATCH || Instant::now() >= due;
            if !self.batch.is_empty() && (ends || may && should) {
                self.send();
            }
            if self.batch.is_empty() {
                due = Instant::now() + DELAY;
            }
            if ends {
                self.counts.dropped.fetch_add(self.batch.len() as u64, Relaxed);
                return;
            }
        }
    }

    fn send(&mut self) {
        let count = self.batch.len() as u64;
        match self.collector.post(&body(&self.resource, &self.batch)) {
            Ok(()) => {
                self.counts.sent.fetch_add(count, Relaxed);
                self.batch.clear();
                if self.pause.take().is_some() {
                    tracing::info!("spans are sent again to {}", self.collector.url());
                }
            }
            Err(Refusal::ForNow(why)) => {
                if self.pause.is_none() {
                    tracing::warn!("spans wait, then are dropped: {}: {why}", self.collector.url());
                }
                let pause = self.pause.map_or(DELAY, |(_, last)| (last * 2).min(LONGEST_PAUSE));
                self.pause = Some((Instant::now() + pause, pause));
            }
            Err(Refusal::ForGood(why)) => {
                if self.counts.refused.fetch_add(count, Relaxed) == 0 {
                    tracing::warn!("spans are refused: {}: {why}", self.collector.url());
                }
                self.batch.clear();
            }
        }
    }
}
