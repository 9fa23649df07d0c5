//! A history as a service uses it: no call blocks the thread.

use std::fmt;

use futures_util::future::{self, BoxFuture};
use jiff::{SignedDuration, Timestamp};
use pdp_onap::history::{
    Admission, HistoryError, Listing, Operation, OperationHistory, Permit, Question, Reply,
};

use crate::embedded::EmbeddedHistory;
use crate::memory::MemoryHistory;

/// What comes later.
pub type Later<'a, T> = BoxFuture<'a, Result<T, HistoryError>>;

/// A history that is asked without blocking the thread. Its methods err as those of
/// [`OperationHistory`] do.
pub trait AsyncHistory: Send + Sync + fmt::Debug {
    /// The history itself, where it answers questions at once.
    fn at_once(&self) -> Option<&dyn OperationHistory> {
        None
    }

    /// The time by the history's own clock.
    fn now(&self) -> Later<'_, Timestamp>;

    /// Answers a question that a decision asks; a window ends now, by the history's own clock.
    fn answer<'a>(&'a self, question: Question<'a>) -> Later<'a, Reply>;

    /// Records an operation.
    fn record(&self, operation: Operation) -> Later<'_, ()>;

    /// Records a Permit if all its limits hold, as one step that no other record comes between.
    fn record_if<'a>(&'a self, permit: Permit<'a>) -> Later<'a, Admission>;

    /// The rows that are asked for, the latest recorded first.
    fn list<'a>(&'a self, listing: Listing<'a>) -> Later<'a, Vec<Operation>>;

    /// Forgets what is older than an age, and says how much that was.
    fn prune(&self, age: SignedDuration) -> Later<'_, u64>;

    /// What is wrong with it as far as it is known; nothing while it answers.
    fn fault(&self) -> Option<String> {
        None
    }

    /// Makes counts exact up to a number from when this returns.
    ///
    /// # Errors
    /// What was forgotten could not be brought back.
    fn count_at_least(&self, _number: usize) -> Result<(), HistoryError> {
        Ok(())
    }
}

fn at_once<'a, T: Send + 'a>(result: Result<T, HistoryError>) -> Later<'a, T> {
    Box::pin(future::ready(result))
}

impl AsyncHistory for MemoryHistory {
    fn at_once(&self) -> Option<&dyn OperationHistory> {
        Some(self)
    }

    fn now(&self) -> Later<'_, Timestamp> {
        at_once(Ok(OperationHistory::now(self)))
    }

    fn answer<'a>(&'a self, question: Question<'a>) -> Later<'a, Reply> {
        at_once(OperationHistory::answer(self, question, OperationHistory::now(self)))
    }

    fn record(&self, operation: Operation) -> Later<'_, ()> {
        at_once(OperationHistory::record(self, operation))
    }

    fn record_if<'a>(&'a self, permit: Permit<'a>) -> Later<'a, Admission> {
        at_once(OperationHistory::record_if(self, &permit))
    }

    fn list<'a>(&'a self, listing: Listing<'a>) -> Later<'a, Vec<Operation>> {
        at_once(OperationHistory::list(self, &listing))
    }

    fn prune(&self, age: SignedDuration) -> Later<'_, u64> {
        at_once(OperationHistory::prune(self, before(self, age)))
    }

    fn count_at_least(&self, number: usize) -> Result<(), HistoryError> {
        Self::count_at_least(self, number);
        Ok(())
    }
}

impl AsyncHistory for EmbeddedHistory {
    fn at_once(&self) -> Option<&dyn OperationHistory> {
        Some(self)
    }

    fn now(&self) -> Later<'_, Timestamp> {
        at_once(Ok(OperationHistory::now(self)))
    }

    fn answer<'a>(&'a self, question: Question<'a>) -> Later<'a, Reply> {
        match question {
            Question::Permitted(key, id) => {
                let permitted = self.permitted_later(key, id);
                Box::pin(async move { permitted.await.map(Reply::Permitted) })
            }
            _ => at_once(OperationHistory::answer(self, question, OperationHistory::now(self))),
        }
    }

    fn record(&self, operation: Operation) -> Later<'_, ()> {
        self.record_later(operation)
    }

    fn record_if<'a>(&'a self, permit: Permit<'a>) -> Later<'a, Admission> {
        self.record_if_later(permit)
    }

    fn list<'a>(&'a self, listing: Listing<'a>) -> Later<'a, Vec<Operation>> {
        at_once(OperationHistory::list(self, &listing))
    }

    fn prune(&self, age: SignedDuration) -> Later<'_, u64> {
        self.prune_later(before(self, age))
    }

    fn fault(&self) -> Option<String> {
        Self::fault(self)
    }

    fn count_at_least(&self, number: usize) -> Result<(), HistoryError> {
        Self::count_at_least(self, number)
    }
}

fn before(history: &dyn OperationHistory, age: SignedDuration) -> Timestamp {
    history.now().checked_sub(age).unwrap_or(Timestamp::MIN)
}
