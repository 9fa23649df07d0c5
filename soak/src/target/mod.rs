//! The service under test: started or attached to, asked whether it has what the run needs, and
//! watched.

pub mod administration;
pub mod certificates;
pub mod client;
pub mod connect;
pub mod exchange;
pub mod preflight;
pub mod provisions;
pub mod refusals;
pub mod spawn;
pub mod tls;
pub mod user_policies;

use std::sync::Mutex;

use reqwest::Url;

use crate::measure::endpoint::Endpoint;
use crate::plan::{SetupError, TargetPlan};
use crate::run::interrupt;
use crate::sampler::process::ProcessReader;
use spawn::Spawned;

/// The service under test.
#[derive(Debug)]
pub struct Target {
    /// Its address, ending in `/`.
    pub url: Url,
    /// The address of its administration paths, ending in `/`.
    pub administration: Url,
    /// Its process, if it is on this machine and known.
    pub pid: Option<u32>,
    spawned: Option<Mutex<Spawned>>,
}

impl Target {
    /// Attaches to a service, or starts one.
    pub fn open(plan: &TargetPlan) -> Result<Self, SetupError> {
        match plan {
            TargetPlan::Attach { url, administration, pid } => {
                let administration = administration.as_ref().unwrap_or(url).clone();
                Ok(Self { url: url.clone(), administration, pid: *pid, spawned: None })
            }
            TargetPlan::Spawn { pdp, policies, settings } => {
                let (spawned, url) = Spawned::start(pdp, policies, settings, interrupt::requested)?;
                let pid = Some(spawned.pid());
                let administration = url.clone();
                Ok(Self { url, administration, pid, spawned: Some(Mutex::new(spawned)) })
            }
        }
    }

    /// The address of an endpoint.
    pub fn endpoint(&self, endpoint: Endpoint) -> Url {
        match endpoint {
            Endpoint::DeployPolicy | Endpoint::UndeployPolicy => {
                self.administration_path(endpoint.path())
            }
            _ => self.join(endpoint.path()),
        }
    }

    /// The address of a path below that of the administration.
    pub fn administration_path(&self, path: &str) -> Url {
        self.administration.join(path).expect("a relative path joins any http address")
    }

    /// Whether it ran before, and goes on running after.
    pub fn is_attached(&self) -> bool {
        self.spawned.is_none()
    }

    /// The address of a path below the target's.
    pub fn join(&self, path: &str) -> Url {
        self.url.join(path).expect("a relative path joins any http address")
    }

    /// Whether it is this machine that the service runs on, as far as can be told.
    pub fn is_local(&self) -> bool {
        let loopback = match self.url.host_str() {
            Some("localhost") => true,
            Some(host) => host
                .trim_matches(['[', ']'])
                .parse::<std::net::IpAddr>()
                .is_ok_and(|address| address.is_loopback()),
            None => false,
        };
        self.pid.is_some() || loopback
    }

    /// Why the service is no more, if its process has ended.
    pub fn death(&self) -> Option<String> {
        if let Some(spawned) = &self.spawned {
            return spawned.lock().ok()?.death();
        }
        let pid = self.pid?;
        (!ProcessReader::new(pid).is_alive())
            .then(|| format!("the service (process {pid}) ended by itself"))
    }

    /// The last lines of a service that was started and has ended by itself.
    pub fn last_lines(&self) -> Option<Vec<String>> {
        let mut spawned = self.spawned.as_ref()?.lock().ok()?;
        spawned.death()?;
        Some(spawned.last_lines())
    }

    /// Stops a service that was started; says what was odd about its end.
    pub fn close(self) -> Option<String> {
        let spawned = self.spawned?.into_inner().ok()?;
        spawned.stop()
    }
}
