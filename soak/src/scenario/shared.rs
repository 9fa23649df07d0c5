//! What all users of one load share.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Instant;

use reqwest::Url;

use super::Cohort;
use super::laps::{Lap, Quota};
use crate::measure::endpoint::Endpoint;
use crate::measure::histogram::Latencies;
use crate::measure::recorder::Recorder;
use crate::plan::Leg;
use crate::target::Target;
use crate::target::client::ClientSettings;

/// What all users of one load share.
#[derive(Debug)]
pub struct Shared {
    /// Where measurements go.
    pub recorder: Recorder,
    /// How clients are built.
    pub client: ClientSettings,
    /// The target's scheme.
    pub scheme: String,
    /// The address of each endpoint.
    pub urls: [Url; Endpoint::COUNT],
    /// Tells this load's limiter targets and policies from those of others.
    pub tag: String,
    /// The seed.
    pub seed: u64,
    /// The users by cohort.
    pub cohorts: Vec<Team>,
    /// What each user does before it stops, if the load is measured in requests.
    pub quota: Option<Quota>,
    /// The moment the first user started.
    pub started: OnceLock<Instant>,
    /// The time of the very first request, connection included.
    pub first_us: OnceLock<u64>,
    /// Operations that the service acknowledged.
    pub operations: AtomicU64,
    /// Whether the load shall end, for those who are not goose's.
    pub over: AtomicBool,
    /// How late the scheduler let go of requests that have an intended time.
    pub lag: Mutex<Latencies>,
    /// Requests that were due and never sent.
    pub not_sent: AtomicU64,
    /// Users that have done their quota.
    pub finished: AtomicUsize,
    laps: Mutex<Vec<Lap>>,
}

/// A cohort at work.
#[derive(Debug)]
pub struct Team {
    /// What was planned.
    pub cohort: Cohort,
    /// Users that have started.
    pub started: AtomicUsize,
    /// Requests sent since the start.
    pub requests: AtomicU64,
}

impl Shared {
    /// Everything at its beginning.
    pub fn new(
        target: &Target,
        client: ClientSettings,
        leg: &Leg,
        tag: String,
        seed: u64,
        recorder: Recorder,
    ) -> Self {
        let team = |cohort: &Cohort| Team {
            cohort: cohort.clone(),
            started: AtomicUsize::new(0),
            requests: AtomicU64::new(0),
        };
        Self {
            recorder,
            client,
            scheme: target.url.scheme().to_owned(),
            urls: Endpoint::ALL.map(|endpoint| target.endpoint(endpoint)),
            tag,
            seed,
            cohorts: leg.cohorts.iter().map(team).collect(),
            quota: leg.quota,
            started: OnceLock::new(),
            first_us: OnceLock::new(),
            operations: AtomicU64::new(0),
            over: AtomicBool::new(false),
            lag: Mutex::default(),
            not_sent: AtomicU64::new(0),
            finished: AtomicUsize::new(0),
            laps: Mutex::default(),
        }
    }

    /// All users there shall be.
    pub fn users(&self) -> usize {
        self.cohorts.iter().map(|team| team.cohort.users as usize).sum()
    }

    /// Whether every user has done its quota.
    pub fn all_finished(&self) -> bool {
        self.quota.is_some() && self.finished.load(Ordering::Relaxed) >= self.users()
    }

    /// Keeps a timed group of requests.
    pub fn keep_lap(&self, lap: Lap) {
        self.laps.lock().unwrap_or_else(PoisonError::into_inner).push(lap);
    }

    /// The timed groups, by client and place.
    pub fn laps(&self) -> Vec<Lap> {
        let mut laps = self.laps.lock().unwrap_or_else(PoisonError::into_inner).clone();
        laps.sort_by(|a, b| (&a.client, a.from).cmp(&(&b.client, b.from)));
        laps
    }
}
