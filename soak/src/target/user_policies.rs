//! Policies of the users' own, made before the load through the administration paths and removed after.

use super::Target;
use super::administration::Administration;
use crate::measure::endpoint::Endpoint;
use crate::plan::{SetupError, Station};
use crate::scenario::deployment::OwnPolicy;

/// One policy for each user that deploys; none where nobody does.
#[derive(Debug)]
pub struct UserPolicies<'a> {
    administration: Administration<'a>,
    policies: Vec<OwnPolicy>,
}

impl<'a> UserPolicies<'a> {
    /// Those that the users of a station need.
    pub fn new(target: &'a Target, station: &Station, run_tag: &str) -> Self {
        let mut policies = Vec::new();
        if station.asks(Endpoint::DeployPolicy) {
            for (place, leg) in station.legs.iter().enumerate() {
                let tag = format!("{run_tag}l{place}");
                policies.extend((0..leg.users() as usize).map(|user| OwnPolicy::new(&tag, user)));
            }
        }
        Self { administration: Administration::new(target, &station.client), policies }
    }

    /// Makes the policies. They are not deployed yet.
    pub async fn set_up(&self) -> Result<(), SetupError> {
        for policy in &self.policies {
            let document = policy.document();
            let made = self.administration.create(&policy.name, "application/json", document).await;
            if !made.is_good() {
                return Err(SetupError::Target(format!(
                    "{}, not 201\nhint: this mode writes; the administration paths must be there (--administration \
                     URL if they have an address of their own), and --user must have the right to them",
                    made.told()
                )));
            }
        }
        Ok(())
    }

    /// Takes out of work and deletes what was made; says what stayed.
    pub async fn tear_down(&self) -> Vec<String> {
        let mut stayed = Vec::new();
        for policy in &self.policies {
            // Most are not deployed at this moment, and then this is refused.
            self.administration.undeploy(&policy.name).await;
            let gone = self.administration.delete(&policy.name).await;
            if !gone.is_good() {
                stayed.push(gone.told());
            }
        }
        match stayed.len() {
            0 => Vec::new(),
            n => vec![format!("{n} policies of the run were not removed: {}", stayed[0])],
        }
    }
}
