//! A history behind a network, asked by whoever may block: commands and tests.

use std::sync::Arc;

use jiff::Timestamp;
use pdp_onap::history::{
    Admission, HistoryError, Listing, Operation, OperationHistory, OperationKey, Permit, Progress,
    Question, Reply, Window,
};
use tokio::runtime::{Builder, Runtime};

use crate::asynchronous::AsyncHistory;

/// Drives the calls of a history on threads of its own and waits for them. Windows end at the store's
/// own time, whatever instant is given.
#[derive(Debug)]
pub struct Blocking {
    runtime: Runtime,
    history: Arc<dyn AsyncHistory>,
}

impl Blocking {
    /// Makes the history within a new runtime.
    ///
    /// # Errors
    /// There are no threads to be had, or what `make` says.
    pub fn new(
        make: impl AsyncFnOnce() -> Result<Arc<dyn AsyncHistory>, HistoryError>,
    ) -> Result<Self, HistoryError> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(|error| HistoryError::Unavailable(error.to_string()))?;
        let history = runtime.block_on(make())?;
        Ok(Self { runtime, history })
    }
}

impl OperationHistory for Blocking {
    fn now(&self) -> Timestamp {
        self.runtime.block_on(self.history.now()).unwrap_or_else(|_| Timestamp::now())
    }

    fn record(&self, operation: Operation) -> Result<(), HistoryError> {
        self.runtime.block_on(self.history.record(operation))
    }

    fn record_if(&self, permit: &Permit<'_>) -> Result<Admission, HistoryError> {
        self.runtime.block_on(self.history.record_if(*permit))
    }

    fn count_recent(
        &self,
        key: OperationKey<'_>,
        window: Window,
        _now: Timestamp,
    ) -> Result<u64, HistoryError> {
        match self.runtime.block_on(self.history.answer(Question::Count(key, window)))? {
            Reply::Count(count) => Ok(count),
            _ => Err(mismatch()),
        }
    }

    fn last_outcome(&self, closed_loop_name: &str) -> Result<Option<Progress>, HistoryError> {
        let question = Question::LastOutcome(closed_loop_name);
        match self.runtime.block_on(self.history.answer(question))? {
            Reply::LastOutcome(progress) => Ok(progress),
            _ => Err(mismatch()),
        }
    }

    fn permitted(&self, key: OperationKey<'_>, request_id: &str) -> Result<bool, HistoryError> {
        let question = Question::Permitted(key, request_id);
        match self.runtime.block_on(self.history.answer(question))? {
            Reply::Permitted(permitted) => Ok(permitted),
            _ => Err(mismatch()),
        }
    }

    fn list(&self, listing: &Listing<'_>) -> Result<Vec<Operation>, HistoryError> {
        self.runtime.block_on(self.history.list(*listing))
    }

    fn prune(&self, before: Timestamp) -> Result<u64, HistoryError> {
        let age = self.now().duration_since(before);
        self.runtime.block_on(self.history.prune(age))
    }
}

fn mismatch() -> HistoryError {
    HistoryError::Refused("it answered another question".into())
}
