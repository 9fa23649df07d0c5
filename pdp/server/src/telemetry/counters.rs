//! The counters of one worker, and the sum over all of them.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use pdp_engine::model::Decision;
use pdp_onap::{APPLICATIONS, Application};

use super::histogram::{Histogram, add};
use crate::rest::{CODES, ENDPOINTS};

const DECISIONS: usize = 4;

/// Why a guard decision was Indeterminate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the variants are the causes, by their own names
pub enum Cause {
    MissingAttribute,
    LookUp,
    Limit,
    Processing,
    Policy,
}

impl Cause {
    /// Every cause.
    pub const ALL: [Self; 5] =
        [Self::MissingAttribute, Self::LookUp, Self::Limit, Self::Processing, Self::Policy];

    /// Its name in metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::MissingAttribute => "missing_attribute",
            Self::LookUp => "look_up",
            Self::Limit => "limit",
            Self::Processing => "processing",
            Self::Policy => "policy",
        }
    }
}

/// What came of asking for an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the variants are the results, by their own names
pub enum LookUp {
    Found,
    Empty,
    Failed,
}

impl LookUp {
    /// Every result.
    pub const ALL: [Self; 3] = [Self::Found, Self::Empty, Self::Failed];

    /// Its name in metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Found => "found",
            Self::Empty => "empty",
            Self::Failed => "failed",
        }
    }
}

/// Decisions of one application: Permit, Deny, NotApplicable, Indeterminate.
#[derive(Debug, Default)]
pub struct DecisionCounts {
    counts: [AtomicU64; DECISIONS],
    pub(super) took: Histogram,
}

impl DecisionCounts {
    /// How many decisions came out as `decision`.
    pub fn of(&self, decision: Decision) -> u64 {
        self.counts[index(decision)].load(Relaxed)
    }
}

const fn index(decision: Decision) -> usize {
    match decision {
        Decision::Permit => 0,
        Decision::Deny => 1,
        Decision::NotApplicable => 2,
        Decision::Indeterminate => 3,
    }
}

/// The counters of one worker thread. Only that thread writes them.
#[derive(Debug, Default)]
pub struct Counters {
    pub(super) requests: [[Histogram; CODES.len()]; ENDPOINTS + 1],
    pub(super) decisions: [DecisionCounts; APPLICATIONS.len()],
    pub(super) look_ups: [Histogram; LookUp::ALL.len()],
    indeterminate: [AtomicU64; Cause::ALL.len()],
    errors: AtomicU64,
    begun: AtomicU64,
    ended: AtomicU64,
}

/// The sum over all workers.
pub type Totals = Counters;

impl Counters {
    /// A request came in.
    pub fn request_begins(&self) {
        add(&self.begun, 1);
    }

    /// A request was answered: by which row of the route table (none: no row), with which status.
    pub fn request_ends(&self, endpoint: Option<usize>, status: u16, took: std::time::Duration) {
        let code = CODES.iter().position(|code| *code == status).unwrap_or(CODES.len() - 1);
        self.requests[endpoint.unwrap_or(ENDPOINTS)][code].observe(super::REQUEST_BOUNDS, took);
        add(&self.ended, 1);
    }

    /// A request came in and its client left before it was answered.
    pub fn request_abandoned(&self) {
        add(&self.ended, 1);
    }

    /// A decision was made; `decision` is the raw one, not what the client reads.
    pub fn decision(
        &self,
        application: Application,
        decision: Decision,
        took: std::time::Duration,
    ) {
        let counts = &self.decisions[application as usize];
        add(&counts.counts[index(decision)], 1);
        counts.took.observe(super::DECISION_BOUNDS, took);
    }

    /// A request for several decisions got another one; the first one's time is that of all.
    pub fn further(&self, application: Application, decision: Decision) {
        add(&self.decisions[application as usize].counts[index(decision)], 1);
    }

    /// An attribute was asked for outside the request.
    pub fn look_up(&self, result: LookUp, took: std::time::Duration) {
        self.look_ups[result as usize].observe(super::DECISION_BOUNDS, took);
    }

    /// A guard decision was Indeterminate.
    pub fn guard_indeterminate(&self, cause: Cause) {
        add(&self.indeterminate[cause as usize], 1);
    }

    /// A request could not be decided at all.
    pub fn error(&self) {
        add(&self.errors, 1);
    }

    /// Decisions of one application.
    pub fn decisions(&self, application: Application) -> &DecisionCounts {
        &self.decisions[application as usize]
    }

    /// Guard decisions that were Indeterminate for this cause.
    pub fn indeterminate(&self, cause: Cause) -> u64 {
        self.indeterminate[cause as usize].load(Relaxed)
    }

    /// Requests that could not be decided at all.
    pub fn errors(&self) -> u64 {
        self.errors.load(Relaxed)
    }

    /// Requests that are being answered right now.
    pub fn in_flight(&self) -> u64 {
        self.begun.load(Relaxed).saturating_sub(self.ended.load(Relaxed))
    }

    fn absorb(&self, other: &Self) {
        for (mine, theirs) in self.requests.iter().flatten().zip(other.requests.iter().flatten()) {
            mine.absorb(theirs);
        }
        for (mine, theirs) in self.decisions.iter().zip(&other.decisions) {
            mine.took.absorb(&theirs.took);
            sum(&mine.counts, &theirs.counts);
        }
        for (mine, theirs) in self.look_ups.iter().zip(&other.look_ups) {
            mine.absorb(theirs);
        }
        sum(&self.indeterminate, &other.indeterminate);
        let singles = [
            (&self.errors, &other.errors),
            (&self.begun, &other.begun),
            (&self.ended, &other.ended),
        ];
        for (mine, theirs) in singles {
            add(mine, theirs.load(Relaxed));
        }
    }
}

fn sum(mine: &[AtomicU64], theirs: &[AtomicU64]) {
    for (mine, theirs) in mine.iter().zip(theirs) {
        add(mine, theirs.load(Relaxed));
    }
}

/// The counters of all workers.
#[derive(Debug, Default)]
pub struct Workers {
    // Locked when a worker starts and when somebody sums, never by a decision.
    counters: Mutex<Vec<Arc<Counters>>>,
}

impl Workers {
    /// Counters for one more worker.
    pub fn add(&self) -> Arc<Counters> {
        let counters = Arc::new(Counters::default());
        self.lock().push(Arc::clone(&counters));
        counters
    }

    /// The sum as it is now.
    pub fn totals(&self) -> Box<Totals> {
        let totals = Box::new(Totals::default());
        for counters in self.lock().iter() {
            totals.absorb(counters);
        }
        totals
    }

    /// Requests that are being answered right now.
    pub fn in_flight(&self) -> u64 {
        self.lock().iter().map(|counters| counters.in_flight()).sum()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Arc<Counters>>> {
        self.counters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Deployments since the start. Rare, so that all threads share them.
#[derive(Debug, Default)]
pub struct Deployments {
    /// Policies deployed.
    pub deployed: AtomicU64,
    /// Policies refused.
    pub refused: AtomicU64,
    /// Policies undeployed.
    pub undeployed: AtomicU64,
    /// Policies that could not be undeployed.
    pub undeploy_refused: AtomicU64,
    /// When what decides last changed, in seconds since 1970.
    changed: AtomicU64,
}

impl Deployments {
    /// What decides has changed now.
    pub fn change(&self) {
        let now = jiff::Timestamp::now().as_second();
        self.changed.store(u64::try_from(now).unwrap_or_default(), Relaxed);
    }

    /// When what decides last changed, in seconds since 1970.
    pub fn changed(&self) -> u64 {
        self.changed.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn totals_are_the_sum_over_workers() {
        let workers = Workers::default();
        let (one, two) = (workers.add(), workers.add());
        one.decision(Application::Guard, Decision::Permit, Duration::from_nanos(300));
        two.decision(Application::Guard, Decision::Permit, Duration::from_nanos(300));
        two.decision(Application::Guard, Decision::NotApplicable, Duration::from_nanos(300));
        two.request_begins();
        assert_eq!(workers.in_flight(), 1);
        two.request_ends(None, 999, Duration::from_micros(1));
        two.guard_indeterminate(Cause::LookUp);
        let totals = workers.totals();
        assert_eq!(totals.decisions(Application::Guard).of(Decision::Permit), 2);
        assert_eq!(totals.decisions(Application::Guard).of(Decision::NotApplicable), 1);
        assert_eq!(totals.decisions(Application::Monitoring).of(Decision::Permit), 0);
        assert_eq!(totals.indeterminate(Cause::LookUp), 1);
        assert_eq!(workers.in_flight(), 0);
    }
}
