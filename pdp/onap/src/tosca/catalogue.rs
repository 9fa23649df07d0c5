//! The policy types that the service supports: one row each.

use crate::application::Application;
use crate::problem::{Problem, did_you_mean};
use crate::tosca::ToscaPolicy;
use crate::translate::{self, Translator};

/// A supported policy type, or a family of them.
#[derive(Clone, Copy, Debug)]
pub struct TypeRow {
    /// The type's name, or what the names of the family begin with.
    pub name: &'static str,
    /// The only version that is supported; none: every version.
    pub version: Option<&'static str>,
    /// `name` is a beginning.
    pub family: bool,
    /// The application whose policies are of this type.
    pub application: Application,
    /// Several policies of one name and version may be deployed, as long as they differ.
    pub repeatable: bool,
    /// The policy stands in a document of its own inside the TOSCA policy.
    pub embedded: bool,
    /// How a policy of the type becomes one of the engine.
    pub translate: Translator,
}

/// Every supported type.
pub const TYPES: &[TypeRow] = &[
    family("onap.policies.monitoring.", Application::Monitoring, translate::combined),
    one("onap.policies.Naming", Application::Naming, translate::combined),
    one(
        "onap.policies.controlloop.guard.common.FrequencyLimiter",
        Application::Guard,
        translate::guard_frequency,
    ),
    one(
        "onap.policies.controlloop.guard.common.MinMax",
        Application::Guard,
        translate::guard_min_max,
    ),
    one(
        "onap.policies.controlloop.guard.common.Blacklist",
        Application::Guard,
        translate::guard_blacklist,
    ),
    one(
        "onap.policies.controlloop.guard.common.Filter",
        Application::Guard,
        translate::guard_filter,
    ),
    TypeRow {
        repeatable: true,
        ..one(
            "onap.policies.controlloop.guard.coordination.FirstBlocksSecond",
            Application::Guard,
            translate::guard_coordination,
        )
    },
    TypeRow {
        embedded: true,
        ..one("onap.policies.native.Xacml", Application::Native, translate::native_xacml)
    },
    one("onap.policies.native.ToscaXacml", Application::Native, translate::tosca_xacml),
];

const fn one(name: &'static str, application: Application, translate: Translator) -> TypeRow {
    TypeRow {
        name,
        version: Some("1.0.0"),
        family: false,
        application,
        repeatable: false,
        embedded: false,
        translate,
    }
}

const fn family(name: &'static str, application: Application, translate: Translator) -> TypeRow {
    TypeRow { version: None, family: true, ..one(name, application, translate) }
}

impl TypeRow {
    fn is_named(&self, name: &str) -> bool {
        if self.family { name.starts_with(self.name) } else { name == self.name }
    }
}

/// The row of a type in a version.
pub fn find(name: &str, version: &str) -> Option<&'static TypeRow> {
    TYPES
        .iter()
        .find(|row| row.is_named(name) && row.version.is_none_or(|supported| supported == version))
}

/// The row of a policy's type.
///
/// # Errors
/// The type is not supported: what is, and which name is near.
pub fn of_policy(policy: &ToscaPolicy) -> Result<&'static TypeRow, Box<Problem>> {
    let (name, version) = (&*policy.type_name, &*policy.type_version);
    if let Some(row) = find(name, version) {
        return Ok(row);
    }
    let other_version = TYPES.iter().find(|row| row.is_named(name)).and_then(|row| row.version);
    let (path, position, message) = match other_version {
        Some(supported) => (
            "type_version",
            policy.type_version_position,
            format!("`{name}` is supported in version {supported}, not {version}"),
        ),
        None => {
            let hint = did_you_mean(name, TYPES.iter().map(|row| row.name));
            let message = if hint.is_empty() {
                let known: Vec<String> = TYPES
                    .iter()
                    .map(|row| format!("{}{}", row.name, if row.family { "*" } else { "" }))
                    .collect();
                format!(
                    "`{name}` is not a supported policy type; supported are {}",
                    known.join(", ")
                )
            } else {
                format!("`{name}` is not a supported policy type{hint}")
            };
            ("type", policy.type_position, message)
        }
    };
    let says = if name.starts_with("onap.policies.controlloop.guard.") {
        format!("Unknown guard policy type {name}")
    } else {
        format!("Application not found for policy type {name} {version}")
    };
    let problem = Problem::error("policy-type", &policy.name, path, position, message);
    Err(Box::new(problem.onap_says(says)))
}
