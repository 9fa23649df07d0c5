//! Keeps decisions from waiting for a store that does not answer.
//!
//! Each call has a deadline. After a few failures in a row the store is not asked any more but for one
//! probe every now and then; the first that succeeds opens the way again.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use pdp_onap::history::{Admission, HistoryError, Listing, Operation, Permit, Question, Reply};
use tokio::time::timeout;

use crate::asynchronous::{AsyncHistory, Later};

/// Failures in a row after which the store is left alone.
const FAILURES: u32 = 3;
/// Between two probes.
const PAUSE: Duration = Duration::from_millis(250);

/// Whether a store answers, as all that ask it have seen.
#[derive(Debug)]
pub struct Breaker {
    failures: AtomicU32,
    /// When the next probe may go, in milliseconds from `start`; 0: the way is open.
    next_probe: AtomicU64,
    start: Instant,
    // Locked where something has failed, never by a call that goes well.
    cause: Mutex<String>,
}

impl Default for Breaker {
    fn default() -> Self {
        Self {
            failures: AtomicU32::new(0),
            next_probe: AtomicU64::new(0),
            start: Instant::now(),
            cause: Mutex::default(),
        }
    }
}

impl Breaker {
    fn millis(&self) -> u64 {
        // From 1 on, since 0 says that the way is open.
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX - 1_000_000) + 1
    }

    /// May the store be asked now?
    fn admit(&self) -> Result<(), HistoryError> {
        let next = self.next_probe.load(Ordering::Acquire);
        if next == 0 {
            return Ok(());
        }
        let now = self.millis();
        let later = now + PAUSE.as_millis() as u64;
        let probes = now >= next
            && self
                .next_probe
                .compare_exchange(next, later, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok();
        if probes {
            return Ok(());
        }
        Err(HistoryError::Unavailable(format!(
            "{} (it is asked again every {} ms)",
            self.cause(),
            PAUSE.as_millis()
        )))
    }

    fn note<T>(&self, result: &Result<T, HistoryError>) {
        match result {
            // A store that refuses is there.
            Ok(_) | Err(HistoryError::Refused(_)) => {
                if self.failures.load(Ordering::Relaxed) > 0 {
                    self.failures.store(0, Ordering::Relaxed);
                    if self.next_probe.swap(0, Ordering::AcqRel) != 0 {
                        tracing::info!("the operations history answers again");
                    }
                }
            }
            Err(error) => {
                let (HistoryError::Unavailable(cause)
                | HistoryError::Timeout(cause)
                | HistoryError::Refused(cause)) = error;
                cause.clone_into(&mut self.cause.lock().unwrap_or_else(PoisonError::into_inner));
                let failures = self.failures.fetch_add(1, Ordering::Relaxed).saturating_add(1);
                if failures >= FAILURES {
                    let later = self.millis() + PAUSE.as_millis() as u64;
                    if self.next_probe.swap(later, Ordering::AcqRel) == 0 {
                        tracing::warn!(
                            "the operations history failed {failures} times in a row; it is asked again in {} s: {error}",
                            PAUSE.as_secs_f32()
                        );
                    }
                }
            }
        }
    }

    fn cause(&self) -> String {
        self.cause.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What is wrong; none while the store answers.
    pub fn fault(&self) -> Option<String> {
        (self.failures.load(Ordering::Relaxed) > 0).then(|| self.cause())
    }
}

/// How long calls may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadlines {
    /// A look-up, and recording a Permit: a decision waits for it.
    pub look_up: Duration,
    /// Recording, listing, pruning.
    pub other: Duration,
}

/// A store behind a breaker, with deadlines.
#[derive(Debug)]
pub struct Guarded {
    /// The store.
    pub inner: Arc<dyn AsyncHistory>,
    /// What is known of it.
    pub breaker: Arc<Breaker>,
    /// How long calls may take.
    pub deadlines: Deadlines,
}

impl Guarded {
    fn call<'a, T: Send + 'a>(&'a self, within: Duration, call: Later<'a, T>) -> Later<'a, T> {
        Box::pin(async move {
            self.breaker.admit()?;
            let result = timeout(within, call).await.unwrap_or_else(|_| {
                Err(HistoryError::Timeout(format!("the limit is {} ms", within.as_millis())))
            });
            self.breaker.note(&result);
            result
        })
    }
}

impl AsyncHistory for Guarded {
    fn now(&self) -> Later<'_, Timestamp> {
        self.call(self.deadlines.other, self.inner.now())
    }

    fn answer<'a>(&'a self, question: Question<'a>) -> Later<'a, Reply> {
        self.call(self.deadlines.look_up, self.inner.answer(question))
    }

    fn record(&self, operation: Operation) -> Later<'_, ()> {
        self.call(self.deadlines.other, self.inner.record(operation))
    }

    fn record_if<'a>(&'a self, permit: Permit<'a>) -> Later<'a, Admission> {
        self.call(self.deadlines.look_up, self.inner.record_if(permit))
    }

    fn list<'a>(&'a self, listing: Listing<'a>) -> Later<'a, Vec<Operation>> {
        self.call(self.deadlines.other, self.inner.list(listing))
    }

    fn prune(&self, age: SignedDuration) -> Later<'_, u64> {
        self.call(self.deadlines.other, self.inner.prune(age))
    }

    fn fault(&self) -> Option<String> {
        self.breaker.fault()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_closes_after_failures_and_opens_with_the_first_success() {
        let breaker = Breaker::default();
        let failed: Result<(), _> = Err(HistoryError::Unavailable("no route".into()));
        for _ in 0..FAILURES {
            assert_eq!(breaker.admit(), Ok(()));
            breaker.note(&failed);
        }
        let refused = breaker.admit().expect_err("it is left alone").to_string();
        assert!(refused.contains("no route") && refused.contains("250 ms"), "{refused}");
        assert_eq!(breaker.fault().as_deref(), Some("no route"));
        breaker.note(&Ok(()));
        assert_eq!((breaker.admit(), breaker.fault()), (Ok(()), None));
    }

    #[test]
    fn one_probe_goes_at_a_time() {
        let breaker = Breaker::default();
        breaker.failures.store(FAILURES, Ordering::Relaxed);
        breaker.next_probe.store(1, Ordering::Relaxed);
        assert_eq!(breaker.admit(), Ok(()));
        assert!(breaker.admit().is_err());
    }

    #[test]
    fn a_refusal_is_no_failure() {
        let breaker = Breaker::default();
        for _ in 0..10 {
            breaker.note::<()>(&Err(HistoryError::Refused("too long".into())));
        }
        assert_eq!(breaker.admit(), Ok(()));
    }
}
