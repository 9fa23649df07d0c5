//! An open stream: requests have intended moments of sending, and a request that leaves late still
//! counts from its moment.
//!
//! A thread lets requests go when they are due; connections take them one by one. While all
//! connections wait for answers, due requests queue, as they would before a service that stalls.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use reqwest::Method;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use tokio::sync::Mutex;
use tokio::sync::mpsc::{Receiver, channel, error::TrySendError};

use super::rng::Rng;
use super::shared::Shared;
use super::{Activity, Subject, identity, requests};
use crate::measure::endpoint::Endpoint;
use crate::oracle::Expectation;
use crate::target::connect::SetupTimes;
use crate::target::exchange::InFlight;

/// Requests that may be due and unsent; more are counted and not sent.
const LONGEST_QUEUE: usize = 1 << 20;
/// The scheduler sleeps at most so long, to see that the load is over.
const GLANCE: Duration = Duration::from_millis(20);

/// Sends `pace` requests a second until the time is up, or the load shall end.
pub async fn attack(shared: Arc<Shared>, pace: f64, duration: Duration) -> Result<(), String> {
    let (sender, receiver) = channel::<Instant>(LONGEST_QUEUE);
    let receiver = Arc::new(Mutex::new(receiver));
    let team = &shared.cohorts[0].cohort;
    let subject = match team.activity {
        Activity::One(subject) => subject,
        other => return Err(format!("{other:?} cannot be sent as an open stream")),
    };
    let mut connections = Vec::new();
    for number in 0..team.users as usize {
        let setup = SetupTimes::default();
        let client = shared.client.builder(&shared.scheme, Some(&setup)).build();
        let connection = Connection {
            client: client.map_err(|error| format!("no HTTP client: {error}"))?,
            setup,
            name: format!("soak-{}-{number}", team.name),
            rng: Rng::of(shared.seed, number),
            subject,
            turn: 0,
        };
        connections.push(tokio::spawn(connection.work(Arc::clone(&shared), Arc::clone(&receiver))));
    }
    shared.cohorts[0].started.store(connections.len(), Ordering::Relaxed);
    let start = Instant::now();
    shared.started.get_or_init(|| start);
    let scheduler = {
        let shared = Arc::clone(&shared);
        thread::Builder::new()
            .name("soak-scheduler".to_owned())
            .spawn(move || {
                let due = |number: u64| start + Duration::from_secs_f64(number as f64 / pace);
                let mut number = 0;
                while due(number) < start + duration && !shared.over.load(Ordering::Acquire) {
                    let now = Instant::now();
                    let wait = due(number).saturating_duration_since(now);
                    if !wait.is_zero() {
                        thread::sleep(wait.min(GLANCE));
                        continue;
                    }
                    note_lag(&shared, now - due(number));
                    match sender.try_send(due(number)) {
                        Ok(()) => {}
                        Err(TrySendError::Full(_)) => {
                            shared.not_sent.fetch_add(1, Ordering::Relaxed);
                        }
                        Err(TrySendError::Closed(_)) => return,
                    }
                    number += 1;
                }
                // The connections end when the queue does.
            })
            .map_err(|error| format!("no thread for the scheduler: {error}"))?
    };
    for connection in connections {
        // One that has panicked has sent what it could.
        let _ = connection.await;
    }
    // It ended before the connections could.
    let _ = scheduler.join();
    Ok(())
}

fn note_lag(shared: &Shared, lag: Duration) {
    let mut lags = shared.lag.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    lags.record(lag.as_micros().max(1) as u64);
}

struct Connection {
    client: reqwest::Client,
    setup: SetupTimes,
    name: String,
    rng: Rng,
    subject: Subject,
    turn: u64,
}

impl Connection {
    async fn work(mut self, shared: Arc<Shared>, queue: Arc<Mutex<Receiver<Instant>>>) {
        shared.recorder.user_started();
        loop {
            let due = queue.lock().await.recv().await;
            let Some(due) = due else { break };
            if shared.over.load(Ordering::Acquire) {
                shared.not_sent.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            self.send(&shared, due).await;
        }
        shared.recorder.user_stopped();
    }

    async fn send(&mut self, shared: &Shared, due: Instant) {
        let (endpoint, body, expected) = self.question();
        let size = body.len();
        let request = self
            .client
            .request(Method::POST, shared.urls[endpoint.index()].clone())
            .header(ACCEPT, endpoint.media_type())
            .header(CONTENT_TYPE, endpoint.media_type())
            .body(body);
        let in_flight = InFlight::begin(size);
        let mut sample = in_flight.finish(request.send().await, &expected).await;
        sample.corrected_us = Some(due.elapsed().as_micros().max(1) as u64);
        (sample.connect_us, sample.tls_us) = self.setup.take();
        shared.first_us.get_or_init(|| sample.us);
        shared.cohorts[0].requests.fetch_add(1, Ordering::Relaxed);
        shared.recorder.record(endpoint, &self.name, sample);
    }

    fn question(&mut self) -> (Endpoint, bytes::Bytes, Expectation) {
        self.turn += 1;
        match self.subject {
            Subject::Guard => {
                let vf_count = self.rng.below(requests::MINMAX_COUNTS);
                let id = format!("{}-{}", self.name, self.turn);
                let body = requests::guard(&self.name, &id, requests::MINMAX_TARGET, vf_count);
                (Endpoint::GuardMinMax, body, requests::minmax_expected(vf_count))
            }
            Subject::Mapping => {
                let subject = self.rng.below(identity::SUBJECTS);
                (Endpoint::MapIdentity, identity::request(subject), identity::expected(subject))
            }
        }
    }
}
