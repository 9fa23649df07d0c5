//! What users do, and how many of them do it.

use std::time::Duration;

use clap::ValueEnum;
use goose::goose::Transaction;

use super::{decisions, identity, mixture, probes};
use crate::measure::endpoint::Endpoint;

/// What a user does over and over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Health checks.
    Health,
    /// Statistics.
    Statistics,
    /// Monitoring, frequency limiter, min/max.
    Decisions,
    /// All seven decisions of the published plan.
    FullDecisions,
    /// One kind of decision alone.
    One(Subject),
    /// One of six actions, drawn anew each turn.
    Mixture,
}

/// The one decision that `groups`, `ramp`, `secure`, `matrix` and `rate` ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Subject {
    /// The min/max guard, which meets the history as well.
    Guard,
    /// A certificate subject and group that become a local account.
    Mapping,
}

impl Activity {
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
            Self::FullDecisions => &[
                Endpoint::Monitoring,
                Endpoint::MonitoringAbbrev,
                Endpoint::Naming,
                Endpoint::Optimization,
                Endpoint::GuardDefault,
                Endpoint::GuardFrequency,
                Endpoint::RecordOperation,
                Endpoint::GuardMinMax,
            ],
            Self::One(Subject::Guard) => &[Endpoint::GuardMinMax],
            Self::One(Subject::Mapping) => &[Endpoint::MapIdentity],
            Self::Mixture => &[
                Endpoint::DecidePermit,
                Endpoint::DecideDeny,
                Endpoint::DecideNotApplicable,
                Endpoint::Healthcheck,
                Endpoint::Statistics,
                Endpoint::DeployPolicy,
                Endpoint::UndeployPolicy,
            ],
        }
    }

    /// The turn of a user.
    pub(super) fn transactions(self) -> Vec<Transaction> {
        match self {
            Self::Health => vec![probes::health()],
            Self::Statistics => vec![probes::statistics()],
            Self::Decisions => decisions::sequence(),
            Self::FullDecisions => decisions::full_sequence(),
            Self::One(Subject::Guard) => vec![decisions::minmax()],
            Self::One(Subject::Mapping) => vec![identity::map()],
            Self::Mixture => vec![mixture::action()],
        }
    }
}

/// Users that do the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cohort {
    /// The name in reports.
    pub name: String,
    /// What they do.
    pub activity: Activity,
    /// How many they are.
    pub users: u32,
    /// Each starts so long after the one before.
    pub spacing: Duration,
}

impl Cohort {
    /// Users who all start at once.
    pub fn new(name: impl Into<String>, activity: Activity, users: u32) -> Self {
        Self { name: name.into(), activity, users, spacing: Duration::ZERO }
    }

    /// The groups of the published plan.
    pub fn s3p(users: u32, full: bool) -> Vec<Self> {
        let decisions = if full { Activity::FullDecisions } else { Activity::Decisions };
        vec![
            Self::new("health", Activity::Health, users),
            Self::new("statistics", Activity::Statistics, users),
            Self::new("decisions", decisions, users),
        ]
    }
}
