//! What a user carries, and the one way it sends a request.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use goose::goose::{GooseMethod, GooseRequest, Transaction};
use goose::prelude::*;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use reqwest::{Method, Url};

use super::deployment::OwnPolicy;
use super::laps::{Lap, StopWatch};
use super::limiter::LimiterTarget;
use super::requests;
use super::rng::Rng;
use super::shared::Shared;
use crate::measure::endpoint::Endpoint;
use crate::measure::recorder::{Outcome, Sample};
use crate::oracle::Expectation;
use crate::target::connect::SetupTimes;
use crate::target::exchange::InFlight;

/// A user whose request got no answer waits so long, lest a dead service be drowned in attempts.
const PAUSE: Duration = Duration::from_millis(50);

/// One user's memory.
#[derive(Clone, Debug)]
pub struct UserState {
    pub(super) shared: Arc<Shared>,
    pub(super) cohort: usize,
    pub(super) instance: String,
    pub(super) limiter: LimiterTarget,
    pub(super) policy: OwnPolicy,
    pub(super) rng: Rng,
    pub(super) turn: u64,
    pub(super) monitoring: Bytes,
    watch: Option<StopWatch>,
    setup: SetupTimes,
}

/// The transaction with which a user starts.
pub(super) fn enter(shared: &Arc<Shared>, cohort: usize) -> Transaction {
    let shared = Arc::clone(shared);
    let function: goose::goose::TransactionFunction = Arc::new(move |user| {
        let shared = Arc::clone(&shared);
        Box::pin(async move {
            let team = &shared.cohorts[cohort];
            let number = team.started.fetch_add(1, Ordering::Relaxed);
            let setup = SetupTimes::default();
            match shared.client.builder(&shared.scheme, Some(&setup)).build() {
                Ok(client) => user.client = client,
                // The preflight built several of these; there is no going on without one.
                Err(error) => {
                    goose::trigger_killswitch(&format!("no HTTP client for a user: {error}"))
                }
            }
            // No two users of a load share a number.
            let before: u32 = shared.cohorts[..cohort].iter().map(|team| team.cohort.users).sum();
            let place = before as usize + number;
            let instance = format!("soak-{}-{number}", team.cohort.name);
            let state = UserState {
                cohort,
                limiter: LimiterTarget::new(&shared.tag, place),
                policy: OwnPolicy::new(&shared.tag, place),
                rng: Rng::of(shared.seed, place),
                turn: 0,
                monitoring: requests::monitoring(&instance),
                watch: shared.quota.map(StopWatch::new),
                setup,
                instance,
                shared: Arc::clone(&shared),
            };
            let wait = team.cohort.spacing * number as u32;
            user.set_session_data(state);
            shared.started.get_or_init(Instant::now);
            let start = Instant::now() + wait;
            while Instant::now() < start && !goose::is_killswitch_triggered() {
                tokio::time::sleep(PAUSE.min(start.saturating_duration_since(Instant::now())))
                    .await;
            }
            shared.recorder.user_started();
            Ok(())
        })
    });
    Transaction::new(function).set_name("enter").set_on_start()
}

/// The transaction with which a user ends.
pub(super) fn leave(shared: &Arc<Shared>) -> Transaction {
    let shared = Arc::clone(shared);
    let function: goose::goose::TransactionFunction = Arc::new(move |_| {
        let shared = Arc::clone(&shared);
        Box::pin(async move {
            shared.recorder.user_stopped();
            Ok(())
        })
    });
    Transaction::new(function).set_name("leave").set_on_stop()
}

/// A user's memory.
pub(super) fn state(user: &mut GooseUser) -> &mut UserState {
    user.get_session_data_unchecked_mut::<UserState>()
}

/// Asks an endpoint at its address.
pub(super) async fn exchange(
    user: &mut GooseUser,
    endpoint: Endpoint,
    body: Option<Bytes>,
    expected: &Expectation,
) -> Worth {
    let url = state(user).shared.urls[endpoint.index()].clone();
    exchange_at(user, endpoint, url, body, expected).await
}

/// Sends one request, reads and checks its answer, and records it. Says whether the answer was the
/// expected one, another decision, or none.
pub(super) async fn exchange_at(
    user: &mut GooseUser,
    endpoint: Endpoint,
    url: Url,
    body: Option<Bytes>,
    expected: &Expectation,
) -> Worth {
    if state(user).watch.as_ref().is_some_and(StopWatch::is_finished) {
        tokio::time::sleep(PAUSE).await;
        return Worth::Nothing;
    }
    let (method, goose_method) = match endpoint.method() {
        "GET" => (Method::GET, GooseMethod::Get),
        "DELETE" => (Method::DELETE, GooseMethod::Delete),
        _ => (Method::POST, GooseMethod::Post),
    };
    let media_type = HeaderValue::from_static(endpoint.media_type());
    let mut request = user.client.request(method, url).header(ACCEPT, media_type.clone());
    let size = body.as_ref().map_or(0, Bytes::len);
    if let Some(body) = body {
        request = request.header(CONTENT_TYPE, media_type).body(body);
    }
    let request = GooseRequest::builder()
        .method(goose_method)
        .name(endpoint.name())
        .set_request_builder(request)
        .build();
    let in_flight = InFlight::begin(size);
    let mut sample = match user.request(request).await {
        Ok(answer) => {
            let first_byte = answer.request.response_time_micros();
            let mut sample = in_flight.finish(answer.response, expected).await;
            sample.ttfb_us = sample.ttfb_us.map(|_| first_byte);
            sample
        }
        Err(error) => Sample {
            us: 1,
            outcome: Outcome::Failed { class: "not sent".to_owned(), sample: error.to_string() },
            ..Sample::default()
        },
    };
    let worth = match sample.outcome {
        Outcome::Ok => Worth::Expected,
        Outcome::Wrong(_) => Worth::Other,
        Outcome::Failed { .. } => Worth::Nothing,
    };
    let memory = state(user);
    (sample.connect_us, sample.tls_us) = memory.setup.take();
    memory.note(endpoint, sample).await;
    worth
}

impl UserState {
    /// Hands the sample on to whoever counts.
    async fn note(&mut self, endpoint: Endpoint, sample: Sample) {
        let shared = Arc::clone(&self.shared);
        let (answered, us) = (sample.status.is_some(), sample.us);
        if let Some((from, to, took)) = self.watch.as_mut().and_then(|watch| watch.take(us)) {
            shared.keep_lap(Lap { client: self.instance.clone(), from, to, took });
            if self.watch.as_ref().is_some_and(StopWatch::is_finished) {
                shared.finished.fetch_add(1, Ordering::Relaxed);
            }
        }
        shared.first_us.get_or_init(|| us);
        shared.cohorts[self.cohort].requests.fetch_add(1, Ordering::Relaxed);
        shared.recorder.record(endpoint, &self.instance, sample);
        if !answered {
            tokio::time::sleep(PAUSE).await;
        }
    }
}

/// What an answer was worth to the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Worth {
    /// As expected.
    Expected,
    /// A proper answer, but another one.
    Other,
    /// A failure: what the service did is not known.
    Nothing,
}
