//! Policies of the run's own, made before the load through the administration paths and removed after.

use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, Method};

use super::Target;
use crate::measure::endpoint::Endpoint;
use crate::oracle::excerpt;
use crate::plan::{SetupError, Station};
use crate::scenario::deployment::OwnPolicy;

/// The administration of one service.
#[derive(Debug)]
pub struct Administration<'a> {
    target: &'a Target,
    client: Option<Client>,
    policies: Vec<OwnPolicy>,
}

impl<'a> Administration<'a> {
    /// One policy for each user that deploys; none where nobody does.
    pub fn new(target: &'a Target, station: &Station, run_tag: &str) -> Self {
        let mut policies = Vec::new();
        if station.asks(Endpoint::DeployPolicy) {
            for (place, leg) in station.legs.iter().enumerate() {
                let tag = format!("{run_tag}l{place}");
                policies.extend((0..leg.users() as usize).map(|user| OwnPolicy::new(&tag, user)));
            }
        }
        let client = station.client.builder(target.url.scheme(), None).build().ok();
        Self { target, client, policies }
    }

    /// Makes the policies. They are not deployed yet.
    pub async fn set_up(&self) -> Result<(), SetupError> {
        for policy in &self.policies {
            let path = OwnPolicy::creation_path();
            let (status, answer) = self.send(Method::POST, &path, Some(policy.document())).await;
            if !matches!(status, 200 | 201) {
                return Err(SetupError::Target(format!(
                    "POST {} answers {status}, not 201 ({answer})\nhint: this mode writes; the administration \
                     paths must be there, and --user must have the right to them",
                    self.target.join(&path)
                )));
            }
        }
        Ok(())
    }

    /// Takes out of work and deletes what was made; says what stayed.
    pub async fn tear_down(&self) -> Vec<String> {
        let base = self.target.join(Endpoint::DeployPolicy.path());
        let mut stayed = Vec::new();
        for policy in &self.policies {
            // Most are not deployed at this moment, and then this is refused.
            let url = policy.deployment_url(&base);
            let path = url.path().trim_start_matches(self.target.url.path()).to_owned();
            self.send(Method::DELETE, &path, None).await;
            let (status, answer) = self.send(Method::DELETE, &policy.path(), None).await;
            if !matches!(status, 200 | 202 | 204) {
                stayed.push(format!("{} ({status}: {answer})", policy.id));
            }
        }
        match stayed.len() {
            0 => Vec::new(),
            n => vec![format!("{n} policies of the run were not removed: {}", stayed[0])],
        }
    }

    async fn send(&self, method: Method, path: &str, body: Option<bytes::Bytes>) -> (u16, String) {
        let Some(client) = &self.client else { return (0, "no HTTP client".to_owned()) };
        let request =
            client.request(method, self.target.join(path)).header(ACCEPT, "application/json");
        let request = match body {
            Some(body) => request.header(CONTENT_TYPE, "application/json").body(body),
            None => request,
        };
        match request.send().await {
            Ok(response) => {
                let status = response.status().as_u16();
                let body = response.bytes().await.unwrap_or_default();
                (status, excerpt(&body))
            }
            Err(error) => (0, super::exchange::cause(&error)),
        }
    }
}
