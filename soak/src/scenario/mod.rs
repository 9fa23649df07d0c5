//! The users of a load: cohorts that act side by side, on goose, in a closed loop without think time.

pub mod activity;
pub mod decisions;
pub mod deployment;
pub mod identity;
pub mod laps;
pub mod limiter;
pub mod mixture;
pub mod open;
pub mod probes;
pub mod requests;
pub mod rng;
pub mod shared;
pub mod user;

use std::sync::Arc;
use std::time::Duration;

use goose::config::GooseConfiguration;
use goose::goose::Scenario;
use goose::prelude::*;

pub use activity::{Activity, Cohort, Subject};
use shared::Shared;

/// Runs the load to its end, or until the killswitch is thrown.
pub async fn attack(shared: Arc<Shared>, host: &str, duration: Duration) -> Result<(), GooseError> {
    let users = shared.users();
    let mut configuration = GooseConfiguration::parse_args_default::<&str>(&[])?;
    configuration.host = Some(host.to_owned());
    configuration.users = Some(users);
    // All at once: the warm-up is set apart by time, and instances that come one by one wait by themselves.
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
    for (place, team) in shared.cohorts.iter().enumerate() {
        let scenario = Scenario::new(&team.cohort.name)
            .set_weight(team.cohort.users as usize)?
            .register_transaction(user::enter(&shared, place));
        let scenario = team
            .cohort
            .activity
            .transactions()
            .into_iter()
            .fold(scenario, Scenario::register_transaction);
        attack = attack.register_scenario(scenario.register_transaction(user::leave(&shared)));
    }
    attack.execute().await.map(|_| ())
}
