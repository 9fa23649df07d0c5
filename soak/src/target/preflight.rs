//! Before any load: does the target answer, and does it decide as the shipped policies demand?
//!
//! The first request to each endpoint is made on a connection of its own; its time is what a
//! command-line client would wait.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use bytes::Bytes;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, Method};

use super::Target;
use super::client::ClientSettings;
use super::exchange::InFlight;
use crate::measure::endpoint::Endpoint;
use crate::measure::recorder::{Outcome, Sample};
use crate::oracle::{Decision, Expectation};
use crate::plan::{SetupError, Station};
use crate::run::interrupt;
use crate::sampler::scrape;
use crate::scenario::limiter::LimiterTarget;
use crate::scenario::{identity, requests};

/// What the preflight found out.
#[derive(Clone, Debug, Default)]
pub struct Preflight {
    /// The time of the first request to each endpoint, connection set-up included.
    pub first_us: [Option<u64>; Endpoint::COUNT],
    /// The service's version, if its metrics page tells it.
    pub version: Option<String>,
    /// Whether there is a metrics page.
    pub has_metrics: bool,
    /// How long the preflight took.
    pub took: Duration,
}

/// What the target does not have.
#[derive(Clone, Debug, Default)]
pub struct Missing {
    /// In words, one for each question that was not answered as expected.
    pub words: Vec<String>,
    /// What the questions were about.
    pub endpoints: BTreeSet<Endpoint>,
}

impl Missing {
    /// The error; `tried` says what was done about it.
    pub fn error(&self, target: &Target, tried: &str) -> SetupError {
        SetupError::Target(format!(
            "{} answers, but not as the run needs:\n  - {}\nhint: deploy the policies of the `policies` folder there \
             (`pdp serve --policies policies` does), and keep other guard policies for `{}` / `{}` away{tried}",
            target.url,
            self.words.join("\n  - "),
            requests::ACTOR,
            requests::OPERATION,
        ))
    }
}

/// Waits for the target and asks it one of everything that the run will ask.
pub async fn preflight(
    target: &Target,
    station: &Station,
    wait: Duration,
    run_tag: &str,
) -> Result<Result<Preflight, Missing>, SetupError> {
    let started = Instant::now();
    let settings = &station.client;
    let mut asker =
        Asker { target, settings, found: Preflight::default(), missing: Missing::default() };
    asker.wait_for_health(wait).await?;
    for endpoint in Endpoint::ALL.into_iter().filter(|endpoint| station.asks(*endpoint)) {
        asker.question(endpoint, run_tag).await;
    }
    asker.metrics().await;
    asker.found.took = started.elapsed();
    if interrupt::requested() {
        return Err(SetupError::Interrupted);
    }
    asker.missing.words.dedup();
    Ok(if asker.missing.words.is_empty() { Ok(asker.found) } else { Err(asker.missing) })
}

struct Asker<'a> {
    target: &'a Target,
    settings: &'a ClientSettings,
    found: Preflight,
    missing: Missing,
}

const NAME: &str = "soak-preflight";

impl Asker<'_> {
    /// Asks what an endpoint will be asked.
    async fn question(&mut self, endpoint: Endpoint, run_tag: &str) {
        let guard =
            |vf_count| Some(requests::guard(NAME, "preflight", requests::MINMAX_TARGET, vf_count));
        let minmax = |vf_count| requests::minmax_expected(vf_count);
        let most = requests::MINMAX_MAX;
        match endpoint {
            // Asked already, or part of another question, or in need of a policy of its own.
            Endpoint::Healthcheck
            | Endpoint::RecordOperation
            | Endpoint::DeployPolicy
            | Endpoint::UndeployPolicy => {}
            Endpoint::Statistics => {
                self.ask(endpoint, None, &Expectation::Statistics, "statistics").await;
            }
            Endpoint::Monitoring => {
                let what = format!("the monitoring policy `{}`", requests::MONITORING_POLICY);
                let body = Some(requests::monitoring(NAME));
                self.ask(endpoint, body, &requests::MONITORING_EXPECTED, &what).await;
            }
            Endpoint::MonitoringAbbrev => {
                let body = Some(requests::monitoring(NAME));
                let what = "the monitoring policy, abbreviated";
                self.ask(endpoint, body, &requests::ABBREVIATED_EXPECTED, what).await;
            }
            Endpoint::Naming => {
                let body = Some(requests::naming(NAME));
                self.ask(endpoint, body, &requests::NAMING_EXPECTED, "the naming policy").await;
            }
            Endpoint::Optimization => {
                let body = Some(requests::optimization(NAME));
                let what = "the optimization policy";
                self.ask(endpoint, body, &requests::OPTIMIZATION_EXPECTED, what).await;
            }
            Endpoint::GuardDefault => {
                let body = Some(requests::guard_default(NAME));
                let what = "a guard request that no policy is about";
                self.ask(endpoint, body, &requests::DEFAULT_EXPECTED, what).await;
            }
            Endpoint::GuardFrequency => self.limiter(run_tag).await,
            Endpoint::GuardMinMax => {
                let what = "the min/max guard below its maximum";
                self.ask(endpoint, guard(most - 1), &minmax(most - 1), what).await;
                let what = "the min/max guard at its maximum";
                self.ask(endpoint, guard(most), &minmax(most), what).await;
            }
            Endpoint::DecidePermit => {
                let what = "the min/max guard below its maximum";
                self.ask(endpoint, guard(most - 1), &minmax(most - 1), what).await;
            }
            Endpoint::DecideDeny => {
                let what = "the min/max guard at its maximum";
                self.ask(endpoint, guard(most), &minmax(most), what).await;
            }
            Endpoint::DecideNotApplicable => {
                let body = Some(requests::monitoring_of(NAME, requests::NO_SUCH_POLICY));
                let what = "a question to which there is no policy";
                self.ask(endpoint, body, &requests::NOTHING_EXPECTED, what).await;
            }
            Endpoint::MapIdentity => {
                for (subject, what) in [
                    (1, "the mapping policies, for a known subject"),
                    (0, "the mapping policies, for a subject of another organisation"),
                ] {
                    let body = Some(identity::request(subject));
                    self.ask(endpoint, body, &identity::expected(subject), what).await;
                }
            }
        }
    }

    async fn wait_for_health(&mut self, wait: Duration) -> Result<(), SetupError> {
        let deadline = Instant::now() + wait;
        loop {
            let sample = self.send(Endpoint::Healthcheck, None, &Expectation::Healthy).await;
            let (class, words) = match sample.outcome {
                Outcome::Ok => return Ok(()),
                Outcome::Wrong(words) => ("wrong".to_owned(), words),
                Outcome::Failed { class, sample } => (class, sample),
            };
            if interrupt::requested() {
                return Err(SetupError::Interrupted);
            }
            if let Some(death) = self.target.death() {
                return Err(SetupError::Target(death));
            }
            let url = self.target.endpoint(Endpoint::Healthcheck);
            let hint = match sample.status {
                Some(401 | 403) => "give --user NAME and --password-file FILE",
                Some(404) => "is this the address of a policy decision service?",
                Some(_) => "look at the service's log",
                None => {
                    "is the service running, and is the address right? --wait TIME waits longer"
                }
            };
            let refused = matches!(sample.status, Some(401 | 403 | 404));
            if refused || Instant::now() >= deadline {
                return Err(SetupError::Target(format!(
                    "{url} does not answer as it should: {class} ({words})\nhint: {hint}"
                )));
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// A fresh target is permitted, and denied once an operation on it is in the history.
    async fn limiter(&mut self, run_tag: &str) {
        let mut limiter = LimiterTarget::new(run_tag, 99_999);
        let name = limiter.name();
        let body = || Some(requests::guard("soak-preflight", "preflight", &name, 1));
        let permit = Expectation::Guard(limiter.expected());
        self.ask(
            Endpoint::GuardFrequency,
            body(),
            &permit,
            "the frequency limiter on a fresh target",
        )
        .await;
        let now = jiff::Timestamp::now();
        let operation = requests::operation("preflight", &name, now, now);
        self.ask(
            Endpoint::RecordOperation,
            Some(operation),
            &Expectation::Created,
            "recording an operation",
        )
        .await;
        limiter.recorded(Instant::now());
        let deny = Expectation::Guard(Decision::Deny);
        let what = "the frequency limiter after a recorded operation (is the policy there, does it read the history \
                    that is written, do the clocks agree?)";
        self.ask(Endpoint::GuardFrequency, body(), &deny, what).await;
    }

    async fn metrics(&mut self) {
        let Some(client) = self.client() else { return };
        let Ok(response) = client.get(self.target.join("metrics")).send().await else {
            return;
        };
        if response.status().is_success()
            && let Ok(page) = response.text().await
        {
            let sample = scrape::process_sample(&page, 0.0);
            self.found.has_metrics = sample.cpu_s.is_some() || sample.heap.is_some();
            self.found.version = scrape::version(&page);
        }
    }

    async fn ask(
        &mut self,
        endpoint: Endpoint,
        body: Option<Bytes>,
        expected: &Expectation,
        what: &str,
    ) {
        let words = match self.send(endpoint, body, expected).await.outcome {
            Outcome::Ok => return,
            Outcome::Wrong(words) => format!("{what}: {words}"),
            Outcome::Failed { class, sample } => {
                format!("{what}: {class} at /{} ({sample})", endpoint.path())
            }
        };
        self.missing.words.push(words);
        self.missing.endpoints.insert(endpoint);
    }

    async fn send(
        &mut self,
        endpoint: Endpoint,
        body: Option<Bytes>,
        expected: &Expectation,
    ) -> Sample {
        let Some(client) = self.client() else {
            let outcome = Outcome::Failed {
                class: "client".to_owned(),
                sample: "the HTTP client cannot be built".to_owned(),
            };
            return Sample { outcome, ..Sample::default() };
        };
        let method = if body.is_some() { Method::POST } else { Method::GET };
        let mut request = client
            .request(method, self.target.endpoint(endpoint))
            .header(ACCEPT, endpoint.media_type());
        let size = body.as_ref().map_or(0, Bytes::len);
        if let Some(body) = body {
            request = request.header(CONTENT_TYPE, endpoint.media_type()).body(body);
        }
        let in_flight = InFlight::begin(size);
        let sample = in_flight.finish(request.send().await, expected).await;
        let first = &mut self.found.first_us[endpoint.index()];
        if first.is_none() && sample.outcome == Outcome::Ok {
            *first = Some(sample.us);
        }
        sample
    }

    fn client(&self) -> Option<Client> {
        self.settings.builder(self.target.url.scheme(), None).build().ok()
    }
}
