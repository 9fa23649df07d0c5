//! A decision that is made goes into the decision log and the request's span.

use std::time::Duration;

use jiff::Timestamp;
use pdp_engine::model::Decision;
use pdp_onap::Application;

use super::request_id::RequestId;
use crate::decide::Ruling;
use crate::rest::Worker;
use crate::telemetry::{Applied, Cause, Decided, Entry};

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

    /// Logs and traces it, where decisions are logged and traced.
    pub(super) fn log(&self, worker: &Worker, id: &RequestId, applied: &Applied) {
        if let Some(traced) = id.traced().filter(|traced| traced.is_sampled()) {
            let decided = Decided {
                request_id: id.text().to_owned(),
                application: self.application.name(),
                decision: self.decision,
                policies: Vec::new(),
            };
            traced.decided(decided.naming(applied.names()));
        }
        let Some(log) = &worker.app.decision_log else { return };
        log.write(&Entry {
            time: Timestamp::now(),
            id: id.text(),
            trace_id: id.trace(),
            application: self.application.name(),
            decision: self.decision,
            cause: self.cause,
            policies: applied.into(),
            took: self.took,
        });
    }
}
