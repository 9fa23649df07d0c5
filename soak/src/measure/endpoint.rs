//! The endpoints that a run tells apart, by the names that reports use.

use serde::{Deserialize, Serialize};

/// Whether an endpoint asks for a decision or only supports the asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Asks the service to decide.
    Decision,
    /// Health, statistics, administration, and what keeps the history current.
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
    /// The same without the policy's properties.
    MonitoringAbbrev,
    /// A naming decision.
    Naming,
    /// An optimization decision.
    Optimization,
    /// A guard decision to which no policy applies.
    GuardDefault,
    /// A guard decision that a frequency limiter settles.
    GuardFrequency,
    /// A guard decision that a min/max policy settles.
    GuardMinMax,
    /// A decision in the engine's own language: a certificate subject becomes a local account.
    MapIdentity,
    /// A guard decision that must be a Permit.
    DecidePermit,
    /// A guard decision that must be a Deny.
    DecideDeny,
    /// A decision for which there is no policy.
    DecideNotApplicable,
    /// An entry for the operations history.
    RecordOperation,
    /// A policy is put to work through the administration paths.
    DeployPolicy,
    /// A policy is taken out of work through the administration paths.
    UndeployPolicy,
}

use Endpoint::*;

impl Endpoint {
    /// All endpoints, in the order of the tables.
    pub const ALL: [Self; 16] = [
        Healthcheck,
        Statistics,
        Monitoring,
        MonitoringAbbrev,
        Naming,
        Optimization,
        GuardDefault,
        GuardFrequency,
        GuardMinMax,
        MapIdentity,
        DecidePermit,
        DecideDeny,
        DecideNotApplicable,
        RecordOperation,
        DeployPolicy,
        UndeployPolicy,
    ];

    /// How many endpoints there are.
    pub const COUNT: usize = Self::ALL.len();

    /// The place in tables indexed by endpoint.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The endpoint of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|endpoint| endpoint.name() == name)
    }

    /// The name in reports and rules.
    pub fn name(self) -> &'static str {
        match self {
            Healthcheck => "healthcheck",
            Statistics => "statistics",
            Monitoring => "monitoring",
            MonitoringAbbrev => "monitoring-abbrev",
            Naming => "naming",
            Optimization => "optimization",
            GuardDefault => "guard-default",
            GuardFrequency => "guard-frequency",
            GuardMinMax => "guard-minmax",
            MapIdentity => "map-identity",
            DecidePermit => "decide-permit",
            DecideDeny => "decide-deny",
            DecideNotApplicable => "decide-not-applicable",
            RecordOperation => "record-operation",
            DeployPolicy => "deploy-policy",
            UndeployPolicy => "undeploy-policy",
        }
    }

    /// Decision or probe.
    pub fn kind(self) -> Kind {
        match self {
            Healthcheck | Statistics | RecordOperation | DeployPolicy | UndeployPolicy => {
                Kind::Probe
            }
            _ => Kind::Decision,
        }
    }

    /// The request method.
    pub fn method(self) -> &'static str {
        match self {
            Healthcheck | Statistics => "GET",
            UndeployPolicy => "DELETE",
            _ => "POST",
        }
    }

    /// The path below the target's address, with its query. Undeployment names its policy behind it.
    pub fn path(self) -> &'static str {
        match self {
            Healthcheck => "policy/pdpx/v1/healthcheck",
            Statistics => "policy/pdpx/v1/statistics",
            RecordOperation => "policy/pdpx/v1/operations",
            MonitoringAbbrev => "policy/pdpx/v1/decision?abbrev=true",
            MapIdentity => "policy/pdpx/v1/xacml",
            DeployPolicy | UndeployPolicy => "policy/pap/v1/pdps/policies",
            _ => "policy/pdpx/v1/decision",
        }
    }

    /// The media type of requests and answers.
    pub fn media_type(self) -> &'static str {
        match self {
            MapIdentity => "application/xacml+json",
            _ => "application/json",
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
            assert_eq!(Endpoint::named(endpoint.name()), Some(endpoint));
        }
    }
}
