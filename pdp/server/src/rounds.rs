//! Decisions that are taken more than once: what a round asked for is looked up, what it permitted is
//! recorded, and where either says something new the decision is taken again.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use jiff::Timestamp;
use pdp_engine::model::Decision;
use pdp_onap::history::{Admission, HistoryError, Permit, Question, Reply};
use tokio::time::timeout;

use crate::decide::Ruling;
use crate::rest::Worker;
use crate::suppliers::{OwnedKey, OwnedQuestion, Round};
use crate::telemetry::LookUp;

/// Rounds of one request, at most. Each asks for all that it can, so that more than two are rare.
const MOST: u32 = 8;

/// One request from round to round.
#[derive(Debug)]
pub struct Rounds<'w> {
    worker: &'w Worker,
    /// What is known so far.
    pub round: Round,
    /// The time of the request, in all its rounds.
    pub now: Timestamp,
    /// When the first round began.
    pub started: Instant,
    deadline: Duration,
    request_id: Option<&'w str>,
    /// It has been asked whether the request was permitted before.
    known: bool,
    number: u32,
}

impl<'w> Rounds<'w> {
    /// The first round.
    pub fn new(worker: &'w Worker, request_id: Option<&'w str>, record_permits: bool) -> Self {
        Self {
            worker,
            round: Round::first(record_permits),
            now: Timestamp::now(),
            started: Instant::now(),
            deadline: worker.app.config.history.deadline.get(),
            request_id: request_id.filter(|id| !id.is_empty()),
            known: false,
            number: 1,
        }
    }

    fn left(&self) -> Duration {
        self.deadline.saturating_sub(self.started.elapsed())
    }

    fn late(&self) -> HistoryError {
        HistoryError::Timeout(format!("the limit is {} ms", self.deadline.as_millis()))
    }

    /// Asks for what the round needs. After this the decision is taken again.
    pub async fn ask(&mut self) {
        let needs = std::mem::take(&mut self.round.needs);
        let answers = join_all(needs.iter().map(|need| self.look_up(need.as_question()))).await;
        for (need, answer) in needs.into_iter().zip(answers) {
            self.round.answer(need, answer);
        }
        self.number += 1;
        self.round.last = self.number >= MOST;
    }

    async fn look_up(&self, question: Question<'_>) -> Result<Reply, HistoryError> {
        let asked = Instant::now();
        let answer = self.worker.history.answer(question);
        let answer = timeout(self.left(), answer).await.unwrap_or_else(|_| Err(self.late()));
        let result = match &answer {
            Ok(Reply::LastOutcome(None) | Reply::Permitted(false)) => LookUp::Empty,
            Ok(_) => LookUp::Found,
            Err(_) => LookUp::Failed,
        };
        self.worker.counters.look_up(result, asked.elapsed());
        answer
    }

    /// Whether the decision stands. Where it does not, it is taken again with what is known then.
    pub async fn holds(&mut self, ruling: &Ruling) -> bool {
        if self.round.permitted_before {
            return true;
        }
        match (ruling.decision, self.round.counted.clone()) {
            (Decision::Permit, Some(counted)) if !self.round.permits.is_empty() => {
                self.record(counted).await
            }
            (Decision::Deny, Some(counted)) => {
                self.round.permitted_before = self.was_permitted(&counted).await;
                !self.round.permitted_before
            }
            _ => true,
        }
    }

    /// Whether a Permit is recorded for this very request, which comes again: then the limits that it
    /// has reached since are not held against it.
    async fn was_permitted(&mut self, counted: &OwnedKey) -> bool {
        let Some(id) = self.request_id.filter(|_| !self.round.last && !self.known) else {
            return false;
        };
        self.known = true;
        match self.look_up(Question::Permitted(counted.as_key(), id)).await {
            Ok(reply) => reply == Reply::Permitted(true),
            Err(error) => {
                tracing::warn!("a request that may have been permitted before reads Deny: {error}");
                false
            }
        }
    }

    /// Records a Permit that rests on limits which count it; false where they do not hold any more, or
    /// it could not be recorded.
    async fn record(&mut self, counted: OwnedKey) -> bool {
        let limits = self.round.permits.clone();
        let permit = Permit { key: counted.as_key(), request_id: self.request_id, limits: &limits };
        let recorded = self.worker.history.record_if(permit);
        let recorded = timeout(self.left(), recorded).await.unwrap_or_else(|_| Err(self.late()));
        let answers: Vec<Result<Reply, HistoryError>> = match recorded {
            Ok(Admission::Recorded | Admission::Known) => return true,
            Ok(Admission::Refused(counts)) if !self.round.last => {
                counts.into_iter().map(|count| Ok(Reply::Count(count))).collect()
            }
            Ok(Admission::Refused(_)) => {
                let crowded = HistoryError::Refused("the counts keep changing".into());
                vec![Err(crowded); limits.len()]
            }
            Err(error) => vec![Err(error); limits.len()],
        };
        for ((window, _), answer) in limits.iter().zip(answers) {
            self.round.answer(OwnedQuestion::Count(counted.clone(), *window), answer);
        }
        false
    }
}
