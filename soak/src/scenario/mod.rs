//! The S3P groups as goose scenarios: health, statistics, decisions, each with the same number of
//! users, side by side, in a closed loop without think time.

pub mod decisions;
pub mod limiter;
pub mod probes;
pub mod requests;
pub mod rng;
pub mod user;

use std::sync::Arc;
use std::time::Duration;

use goose::config::GooseConfiguration;
use goose::goose::Scenario;
use goose::prelude::*;

use crate::measure::endpoint::Endpoint;
use user::Shared;

/// A group of users and what it asks for, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Health checks.
    Health,
    /// Statistics.
    Statistics,
    /// Monitoring, frequency limiter, min/max.
    Decisions,
}

impl Group {
    /// All groups.
    pub const ALL: [Self; 3] = [Self::Health, Self::Statistics, Self::Decisions];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Health => "health",
            Self::Statistics => "statistics",
            Self::Decisions => "decisions",
        }
    }

    /// What it asks for.
    pub fn endpoints(self) -> &'static [Endpoint] {
        match self {
            Self::Health => &[Endpoint::Healthcheck],
            Self::Statistics => &[Endpoint::Statistics],
            Self::Decisions => &[
                Endpoint::Monitoring,
                Endpoint::GuardFrequency,
                Endpoint::RecordOperation,
                Endpoint::GuardMinMax,
            ],
        }
    }

    fn scenario(self, shared: &Arc<Shared>) -> Scenario {
        let scenario = Scenario::new(self.name()).register_transaction(user::enter(shared, self));
        let scenario = match self {
            Self::Health => scenario.register_transaction(probes::health()),
            Self::Statistics => scenario.register_transaction(probes::statistics()),
            Self::Decisions => {
                decisions::sequence().into_iter().fold(scenario, Scenario::register_transaction)
            }
        };
        scenario.register_transaction(user::leave(shared))
    }
}

/// Runs the load to its end, or until the killswitch is thrown.
pub async fn attack(shared: Arc<Shared>, host: &str, duration: Duration) -> Result<(), GooseError> {
    let users = shared.users_per_group as usize * Group::ALL.len();
    let mut configuration = GooseConfiguration::parse_args_default::<&str>(&[])?;
    configuration.host = Some(host.to_owned());
    configuration.users = Some(users);
    // All at once: the warm-up is set apart by time, not by a ramp.
    configuration.increase_rate = Some((users * 20).to_string());
    configuration.run_time = Some(duration.as_secs().to_string());
    configuration.quiet = 2;
    configuration.no_telnet = true;
    // The suite measures whole exchanges itself and keeps them in constant memory.
    configuration.no_metrics = true;
    configuration.no_print_metrics = true;

    let mut attack = GooseAttack::initialize_with_config(configuration)?
        // Every user takes a client of its own as it starts; this one is never used.
        .set_client_builder_without_cookies(
            goose::client::GooseClientBuilder::new().without_cookies(),
        )?;
    for group in Group::ALL {
        attack = attack.register_scenario(group.scenario(&shared));
    }
    attack.execute().await.map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_endpoint_belongs_to_one_group() {
        for endpoint in Endpoint::ALL {
            let groups = Group::ALL
                .into_iter()
                .filter(|group| group.endpoints().contains(&endpoint))
                .count();
            assert_eq!(groups, 1, "{}", endpoint.name());
        }
    }
}
