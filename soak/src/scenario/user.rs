//! What a user carries, and the one way it sends a request.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use goose::goose::{GooseMethod, GooseRequest, Transaction};
use goose::prelude::*;
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Method, Url};

use super::limiter::LimiterTarget;
use super::rng::Rng;
use super::{Group, requests};
use crate::measure::endpoint::Endpoint;
use crate::measure::recorder::{Outcome, Recorder, Sample};
use crate::oracle::Expectation;
use crate::target::client::ClientSettings;
use crate::target::exchange::InFlight;

/// A user whose request got no answer waits so long, lest a dead service be drowned in attempts.
const PAUSE_AFTER_NO_ANSWER: Duration = Duration::from_millis(50);

/// What all users share.
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
    /// Tells this run's limiter targets from those of other runs.
    pub run_tag: String,
    /// The seed.
    pub seed: u64,
    /// Users in each group.
    pub users_per_group: u32,
    /// The moment the first user started.
    pub started: std::sync::OnceLock<Instant>,
    /// Operations that the service acknowledged.
    pub operations: AtomicU64,
    /// The numbers given out in each group so far.
    pub numbers: [AtomicUsize; Group::ALL.len()],
}

/// One user's memory.
#[derive(Clone, Debug)]
pub struct UserState {
    pub(super) shared: Arc<Shared>,
    pub(super) instance: String,
    pub(super) limiter: LimiterTarget,
    pub(super) rng: Rng,
    pub(super) turn: u64,
    pub(super) monitoring: Bytes,
}

/// The transaction with which a user starts.
pub(super) fn enter(shared: &Arc<Shared>, group: Group) -> Transaction {
    let shared = Arc::clone(shared);
    let function: goose::goose::TransactionFunction = Arc::new(move |user| {
        let shared = Arc::clone(&shared);
        Box::pin(async move {
            let number = shared.numbers[group as usize].fetch_add(1, Ordering::Relaxed);
            match shared.client.builder(&shared.scheme).build() {
                Ok(client) => user.client = client,
                // The preflight built several of these; there is no going on without one.
                Err(error) => {
                    goose::trigger_killswitch(&format!("no HTTP client for a user: {error}"))
                }
            }
            let instance = format!("soak-{}-{number}", group.name());
            let state = UserState {
                limiter: LimiterTarget::new(&shared.run_tag, number),
                rng: Rng::of(shared.seed, number),
                turn: 0,
                monitoring: requests::monitoring(&instance),
                instance,
                shared: Arc::clone(&shared),
            };
            user.set_session_data(state);
            shared.recorder.user_started();
            shared.started.get_or_init(Instant::now);
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

/// Sends one request, reads and checks its answer, and records it. Says whether the answer was the
/// expected one, another decision, or none.
pub(super) async fn exchange(
    user: &mut GooseUser,
    endpoint: Endpoint,
    body: Option<Bytes>,
    expected: &Expectation,
) -> Worth {
    let shared = Arc::clone(&state(user).shared);
    let (method, goose_method) = if body.is_some() {
        (Method::POST, GooseMethod::Post)
    } else {
        (Method::GET, GooseMethod::Get)
    };
    let mut request = user.client.request(method, shared.urls[endpoint.index()].clone());
    let size = body.as_ref().map_or(0, Bytes::len);
    if let Some(body) = body {
        request =
            request.header(CONTENT_TYPE, HeaderValue::from_static("application/json")).body(body);
    }
    let request = GooseRequest::builder()
        .method(goose_method)
        .name(endpoint.name())
        .set_request_builder(request)
        .build();
    let in_flight = InFlight::begin(size);
    let sample = match user.request(request).await {
        Ok(answer) => {
            let first_byte = answer.request.response_time_micros();
            let mut sample = in_flight.finish(answer.response, expected).await;
            sample.ttfb_us = sample.ttfb_us.map(|_| first_byte);
            sample
        }
        Err(error) => Sample {
            us: 1,
            ttfb_us: None,
            status: None,
            bytes_in: 0,
            bytes_out: 0,
            outcome: Outcome::Failed { class: "not sent".to_owned(), sample: error.to_string() },
        },
    };
    let worth = match sample.outcome {
        Outcome::Ok => Worth::Expected,
        Outcome::Wrong(_) => Worth::Other,
        Outcome::Failed { .. } => Worth::Nothing,
    };
    let answered = sample.status.is_some();
    shared.recorder.record(endpoint, sample);
    if !answered {
        tokio::time::sleep(PAUSE_AFTER_NO_ANSWER).await;
    }
    worth
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
