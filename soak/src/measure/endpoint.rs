//! The endpoints that a run tells apart, by the names that reports use.

use serde::{Deserialize, Serialize};

/// Whether an endpoint asks for a decision or only supports the asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Asks the service to decide.
    Decision,
    /// Health, statistics, and what keeps the history current.
    Probe,
}

/// One endpoint of the run. The discriminant is its place in every table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Endpoint {
    /// Is the service alive.
    Healthcheck,
    /// The service's own counters.
    Statistics,
    /// A monitoring decision, which hands out policy content.
    Monitoring,
    /// A guard decision that a frequency limiter settles.
    GuardFrequency,
    /// A guard decision that a min/max policy settles.
    GuardMinMax,
    /// An entry for the operations history.
    RecordOperation,
}

impl Endpoint {
    /// All endpoints, in the order of the tables.
    pub const ALL: [Self; 6] = [
        Self::Healthcheck,
        Self::Statistics,
        Self::Monitoring,
        Self::GuardFrequency,
        Self::GuardMinMax,
        Self::RecordOperation,
    ];

    /// How many endpoints there are.
    pub const COUNT: usize = Self::ALL.len();

    /// The place in tables indexed by endpoint.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The name in reports and rules.
    pub fn name(self) -> &'static str {
        match self {
            Self::Healthcheck => "healthcheck",
            Self::Statistics => "statistics",
            Self::Monitoring => "monitoring",
            Self::GuardFrequency => "guard-frequency",
            Self::GuardMinMax => "guard-minmax",
            Self::RecordOperation => "record-operation",
        }
    }

    /// Decision or probe.
    pub fn kind(self) -> Kind {
        match self {
            Self::Monitoring | Self::GuardFrequency | Self::GuardMinMax => Kind::Decision,
            Self::Healthcheck | Self::Statistics | Self::RecordOperation => Kind::Probe,
        }
    }

    /// The request method.
    pub fn method(self) -> &'static str {
        match self {
            Self::Healthcheck | Self::Statistics => "GET",
            _ => "POST",
        }
    }

    /// The path below the target's address.
    pub fn path(self) -> &'static str {
        match self {
            Self::Healthcheck => "policy/pdpx/v1/healthcheck",
            Self::Statistics => "policy/pdpx/v1/statistics",
            Self::RecordOperation => "policy/pdpx/v1/operations",
            Self::Monitoring | Self::GuardFrequency | Self::GuardMinMax => {
                "policy/pdpx/v1/decision"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_discriminants() {
        for (place, endpoint) in Endpoint::ALL.into_iter().enumerate() {
            assert_eq!(endpoint.index(), place, "{}", endpoint.name());
        }
    }
}
