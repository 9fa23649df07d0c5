//! The administration paths of a service: policies are made, deployed, undeployed and deleted.

use bytes::Bytes;
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use reqwest::{Client, Method};
use serde_json::json;

use super::Target;
use super::client::ClientSettings;
use crate::measure::endpoint::Endpoint;
use crate::oracle::excerpt;

/// What names a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyName {
    /// Its name.
    pub id: String,
    /// Its version.
    pub version: &'static str,
    /// Its type; its version is always 1.0.0.
    pub type_name: &'static str,
}

impl PolicyName {
    /// The path below which policies of its type are created.
    pub fn creation_path(&self) -> String {
        format!("policy/api/v1/policytypes/{}/versions/1.0.0/policies", self.type_name)
    }

    /// The path of the created policy.
    pub fn path(&self) -> String {
        format!("{}/{}/versions/{}", self.creation_path(), self.id, self.version)
    }

    /// The path that undeploys it.
    pub fn deployment_path(&self) -> String {
        format!("{}/{}/versions/{}", Endpoint::DeployPolicy.path(), self.id, self.version)
    }

    /// The body that deploys it.
    pub fn deployment(&self) -> Bytes {
        let body =
            json!({ "policies": [ { "policy-id": self.id, "policy-version": self.version } ] });
        Bytes::from(body.to_string())
    }
}

/// What came back: the status, 0 if nothing did, and the beginning of the answer or the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// Some of the answer.
    pub words: String,
    /// What was asked.
    pub asked: String,
}

impl Answer {
    /// Whether it was done.
    pub fn is_good(&self) -> bool {
        matches!(self.status, 200..=299)
    }

    /// What was asked and what came back, in one phrase.
    pub fn told(&self) -> String {
        match self.status {
            0 => format!("{} fails: {}", self.asked, self.words),
            status => format!("{} answers {status} ({})", self.asked, self.words),
        }
    }
}

/// The paths, with the credentials of the run.
#[derive(Debug)]
pub struct Administration<'a> {
    target: &'a Target,
    client: Option<Client>,
}

impl<'a> Administration<'a> {
    /// Those of a service.
    pub fn new(target: &'a Target, settings: &ClientSettings) -> Self {
        let client = settings.builder(target.administration.scheme(), None).build().ok();
        Self { target, client }
    }

    /// Whether the policy exists.
    pub async fn find(&self, policy: &PolicyName) -> Answer {
        self.send(Method::GET, &policy.path(), None).await
    }

    /// Makes a policy; it is not deployed by that.
    pub async fn create(
        &self,
        policy: &PolicyName,
        media_type: &'static str,
        document: Bytes,
    ) -> Answer {
        self.send(Method::POST, &policy.creation_path(), Some((media_type, document))).await
    }

    /// Deploys a policy that was made.
    pub async fn deploy(&self, policy: &PolicyName) -> Answer {
        let body = ("application/json", policy.deployment());
        self.send(Method::POST, Endpoint::DeployPolicy.path(), Some(body)).await
    }

    /// Takes a policy out of work; refused if it is not deployed.
    pub async fn undeploy(&self, policy: &PolicyName) -> Answer {
        self.send(Method::DELETE, &policy.deployment_path(), None).await
    }

    /// Deletes a policy that is not deployed.
    pub async fn delete(&self, policy: &PolicyName) -> Answer {
        self.send(Method::DELETE, &policy.path(), None).await
    }

    async fn send(&self, method: Method, path: &str, body: Option<(&str, Bytes)>) -> Answer {
        let url = self.target.administration_path(path);
        let asked = format!("{method} {url}");
        let told = |status, words| Answer { status, words, asked: asked.clone() };
        let Some(client) = &self.client else { return told(0, "no HTTP client".to_owned()) };
        let request = client.request(method, url).header(ACCEPT, "application/json");
        let request = match body {
            Some((media_type, body)) => request.header(CONTENT_TYPE, media_type).body(body),
            None => request,
        };
        match request.send().await {
            Ok(response) => {
                let status = response.status().as_u16();
                let body = response.bytes().await.unwrap_or_default();
                told(status, excerpt(&body))
            }
            Err(error) => told(0, super::exchange::cause(&error)),
        }
    }
}
