//! The applications: which action each answers, and how its policies are combined.

use pdp_engine::combine::Algorithm;

/// An application of the decision service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs)] // the variants are the applications, by their own names
pub enum Application {
    Monitoring,
    Naming,
    Match,
    Optimization,
    Guard,
    Native,
    Authorization,
}

/// What is known of an application.
#[derive(Clone, Copy, Debug)]
pub struct ApplicationRow {
    /// The application.
    pub application: Application,
    /// Its name, in statistics and metrics.
    pub name: &'static str,
    /// The action of the requests that it answers.
    pub action: &'static str,
    /// The algorithm that combines its policies.
    pub combining: Algorithm,
    /// How many policy types it reports in statistics.
    pub reported_types: u32,
    /// The class that implements it in the Java service; configuration files name it.
    pub class: &'static str,
}

/// Every application; the order is that of [`Application`].
pub const APPLICATIONS: &[ApplicationRow] = &[
    ApplicationRow {
        application: Application::Monitoring,
        name: "monitoring",
        action: "configure",
        combining: Algorithm::CombinedPermitOverrides,
        reported_types: 1,
        class: "org.onap.policy.xacml.pdp.application.monitoring.MonitoringPdpApplication",
    },
    ApplicationRow {
        application: Application::Naming,
        name: "naming",
        action: "naming",
        combining: Algorithm::CombinedPermitOverrides,
        reported_types: 1,
        class: "org.onap.policy.xacml.pdp.application.naming.NamingPdpApplication",
    },
    ApplicationRow {
        application: Application::Match,
        name: "match",
        action: "match",
        combining: Algorithm::CombinedPermitOverrides,
        reported_types: 1,
        class: "org.onap.policy.xacml.pdp.application.match.MatchPdpApplication",
    },
    ApplicationRow {
        application: Application::Optimization,
        name: "optimization",
        action: "optimize",
        combining: Algorithm::CombinedPermitOverrides,
        reported_types: 9,
        class: "org.onap.policy.xacml.pdp.application.optimization.OptimizationPdpApplication",
    },
    ApplicationRow {
        application: Application::Guard,
        name: "guard",
        action: "guard",
        combining: Algorithm::DenyOverrides,
        reported_types: 5,
        class: "org.onap.policy.xacml.pdp.application.guard.GuardPdpApplication",
    },
    ApplicationRow {
        application: Application::Native,
        name: "native",
        action: "native",
        combining: Algorithm::CombinedPermitOverrides,
        reported_types: 2,
        class: "org.onap.policy.xacml.pdp.application.nativ.NativePdpApplication",
    },
    // The tutorial's: there while a policy of its type is deployed.
    ApplicationRow {
        application: Application::Authorization,
        name: "tutorial",
        action: "authorize",
        combining: Algorithm::CombinedPermitOverrides,
        reported_types: 0,
        class: "org.onap.policy.tutorial.tutorial.TutorialApplication",
    },
];

impl Application {
    /// The application that answers requests with this action.
    pub fn of_action(action: &str) -> Option<Self> {
        APPLICATIONS.iter().find(|row| row.action == action).map(|row| row.application)
    }

    /// The application of this name, or that this Java class implements.
    pub fn of_name(name: &str) -> Option<Self> {
        APPLICATIONS
            .iter()
            .find(|row| row.name == name || row.class == name)
            .map(|row| row.application)
    }

    /// Whether every key of a request's `resource` may mean something to it.
    pub(crate) const fn reads_all_of_resource(self) -> bool {
        matches!(self, Self::Match | Self::Optimization | Self::Authorization)
    }

    /// What is known of it.
    pub fn row(self) -> &'static ApplicationRow {
        &APPLICATIONS[self as usize]
    }

    /// Its name, in statistics and metrics.
    pub fn name(self) -> &'static str {
        self.row().name
    }
}
