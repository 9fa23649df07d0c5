//! A decision that is made goes into the decision log.

use std::time::Duration;

use jiff::Timestamp;
use pdp_engine::model::Decision;
use pdp_onap::Application;

use super::request_id::RequestId;
use crate::decide::Ruling;
use crate::rest::Worker;
use crate::telemetry::{Applied, Cause, Entry};

/// What the log tells of a decision.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    pub(super) application: Application,
    pub(super) decision: Decision,
    pub(super) cause: Option<Cause>,
    pub(super) took: Duration,
}

impl Made {
    pub(super) fn of(ruling: &Ruling) -> Self {
        let all_alike = ruling.further.iter().all(|further| *further == ruling.decision);
        Self {
            application: ruling.application,
            decision: if all_alike { ruling.decision } else { Decision::Indeterminate },
            cause: ruling.indeterminate.as_ref().map(|(cause, _)| *cause),
            took: ruling.took,
        }
    }

    /// Logs it, where decisions are logged.
    pub(super) fn log(&self, worker: &Worker, id: &RequestId, applied: &Applied) {
        let Some(log) = &worker.app.decision_log else { return };
        log.write(&Entry {
            time: Timestamp::now(),
            id: id.text(),
            trace_id: None,
            application: self.application.name(),
            decision: self.decision,
            cause: self.cause,
            policies: applied.into(),
            took: self.took,
        });
    }
}
