//! Answers that are not asked for again for a while.
//!
//! Off by default: a count from the cache may be as old as the setting says, so that a limiter may
//! permit for that long what it should not any more.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use pdp_onap::history::{Admission, Listing, Operation, Permit, Question, Reply};

use crate::asynchronous::{AsyncHistory, Later};

/// Answers that are kept; when there are more, all are forgotten.
const MOST: usize = 10_000;

/// A history with a cache before it, for one thread.
#[derive(Debug)]
pub struct Cached {
    inner: Arc<dyn AsyncHistory>,
    /// How old an answer may be.
    staleness: Duration,
    answers: Mutex<HashMap<String, (Reply, Instant)>>,
}

impl Cached {
    /// A cache before `inner`, whose answers are at most so old.
    pub fn new(inner: Arc<dyn AsyncHistory>, staleness: Duration) -> Self {
        Self { inner, staleness, answers: Mutex::default() }
    }

    fn known(&self, key: &str) -> Option<Reply> {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.get(key).filter(|(_, at)| at.elapsed() <= self.staleness).map(|(reply, _)| *reply)
    }

    fn keep(&self, key: String, reply: Reply, asked: Instant) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.len() >= MOST {
            answers.clear();
        }
        answers.insert(key, (reply, asked));
    }
}

fn name(question: &Question<'_>) -> String {
    // Debug quotes each text, so that no two questions read alike.
    format!("{question:?}")
}

impl AsyncHistory for Cached {
    fn now(&self) -> Later<'_, Timestamp> {
        self.inner.now()
    }

    fn answer<'a>(&'a self, question: Question<'a>) -> Later<'a, Reply> {
        if let Question::Permitted(..) = question {
            return self.inner.answer(question);
        }
        Box::pin(async move {
            let key = name(&question);
            if let Some(reply) = self.known(&key) {
                return Ok(reply);
            }
            // Its age counts from when it was asked for. A failure is not kept.
            let asked = Instant::now();
            let reply = self.inner.answer(question).await?;
            self.keep(key, reply, asked);
            Ok(reply)
        })
    }

    fn record(&self, operation: Operation) -> Later<'_, ()> {
        self.inner.record(operation)
    }

    fn record_if<'a>(&'a self, permit: Permit<'a>) -> Later<'a, Admission> {
        self.inner.record_if(permit)
    }

    fn list<'a>(&'a self, listing: Listing<'a>) -> Later<'a, Vec<Operation>> {
        self.inner.list(listing)
    }

    fn prune(&self, age: SignedDuration) -> Later<'_, u64> {
        self.inner.prune(age)
    }

    fn fault(&self) -> Option<String> {
        self.inner.fault()
    }
}

#[cfg(test)]
mod tests {
    use pdp_onap::history::{OperationKey, Window};

    use super::*;
    use crate::{AnchoredClock, MemoryHistory, Settings};

    fn counts(staleness: Duration) -> (u64, u64) {
        let memory = Arc::new(MemoryHistory::new(AnchoredClock::start(), Settings::default()));
        let cached = Cached::new(Arc::clone(&memory) as Arc<dyn AsyncHistory>, staleness);
        let key = OperationKey { actor: "SO", operation: "Scale", target: "vnf-1" };
        let window = Window::of_seconds(60).expect("a minute");
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let count = || match runtime.block_on(cached.answer(Question::Count(key, window))) {
            Ok(Reply::Count(count)) => count,
            other => panic!("not a count: {other:?}"),
        };
        let before = count();
        let permit = Permit { key, request_id: None, limits: &[] };
        runtime.block_on(cached.record_if(permit)).expect("there is room");
        (before, count())
    }

    #[test]
    fn an_answer_is_as_old_as_it_may_be() {
        assert_eq!(counts(Duration::from_secs(3600)), (0, 0));
        assert_eq!(counts(Duration::ZERO), (0, 1));
    }
}
