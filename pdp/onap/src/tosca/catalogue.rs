//! The policy types that the service supports: one row each.

use crate::application::Application;
use crate::problem::{Problem, did_you_mean};
use crate::tosca::ToscaPolicy;
use crate::translate;
use crate::translate::Translator::{self, Alone, ByType, Typed};
use crate::types::{PolicyType, Types};

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

/// Every supported type. Where a name fits several rows, the first one counts.
pub const TYPES: &[TypeRow] = &[
    family("onap.policies.monitoring.", Application::Monitoring, Typed(translate::combined)),
    one("onap.policies.Naming", Application::Naming, Typed(translate::combined)),
    family("onap.policies.match.", Application::Match, ByType(translate::matchable)),
    TypeRow {
        version: None,
        ..one(
            "onap.policies.optimization.service.SubscriberPolicy",
            Application::Optimization,
            ByType(translate::subscriber),
        )
    },
    family("onap.policies.optimization.", Application::Optimization, ByType(translate::matchable)),
    one(
        "onap.policies.controlloop.guard.common.FrequencyLimiter",
        Application::Guard,
        Alone(translate::guard_frequency),
    ),
    one(
        "onap.policies.controlloop.guard.common.MinMax",
        Application::Guard,
        Alone(translate::guard_min_max),
    ),
    one(
        "onap.policies.controlloop.guard.common.Blacklist",
        Application::Guard,
        Alone(translate::guard_blacklist),
    ),
    one(
        "onap.policies.controlloop.guard.common.Filter",
        Application::Guard,
        Alone(translate::guard_filter),
    ),
    TypeRow {
        repeatable: true,
        ..one(
            "onap.policies.controlloop.guard.coordination.FirstBlocksSecond",
            Application::Guard,
            Alone(translate::guard_coordination),
        )
    },
    TypeRow {
        embedded: true,
        ..one("onap.policies.native.Xacml", Application::Native, Alone(translate::native_xacml))
    },
    one("onap.policies.native.ToscaXacml", Application::Native, Alone(translate::tosca_xacml)),
    one("onap.policies.Authorization", Application::Authorization, Typed(translate::authorization)),
];

/// Types that no policy is of, and what policies of types derived from them are translated as.
const BASES: &[TypeRow] = &[
    family("onap.policies.Monitoring", Application::Monitoring, Typed(translate::combined)),
    family("onap.policies.Match", Application::Match, ByType(translate::matchable)),
    family("onap.policies.Optimization", Application::Optimization, ByType(translate::matchable)),
];

/// A type of one's own that is derived from none of these, but has matchable properties.
static MATCHABLE: TypeRow = family("", Application::Match, ByType(translate::matchable));

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

/// Whether a row stands for types of this name, in whatever version.
pub(crate) fn is_named(name: &str) -> bool {
    TYPES.iter().any(|row| row.is_named(name))
}

/// The row of the nearest ancestor that is supported, for a type of one's own.
fn of_ancestors(policy: &ToscaPolicy, types: &Types) -> Option<&'static TypeRow> {
    let chain = types.chain(&policy.type_name, &policy.type_version);
    let of = |it: &PolicyType| find(&it.name, &it.version);
    if let Some(row) = chain.iter().skip(1).find_map(|it| of(it)) {
        return Some(row);
    }
    let last = chain.last()?;
    // A parent whose definition nobody gave may still be one of the bases.
    let ends = chain.iter().skip(1).map(|it| &*it.name).chain(last.derived_from.as_deref());
    let mut ends = ends.filter_map(|name| {
        find(name, "1.0.0").or_else(|| BASES.iter().find(|row| row.name == name))
    });
    let own = !chain.first()?.standard;
    ends.next().or_else(|| {
        let matchable = || !types.matchable(&policy.type_name, &policy.type_version).is_empty();
        (own && matchable()).then_some(&MATCHABLE)
    })
}

/// The row of a policy's type.
///
/// # Errors
/// The type is not supported: what is, and which name is near.
pub fn of_policy(policy: &ToscaPolicy, types: &Types) -> Result<&'static TypeRow, Box<Problem>> {
    let (name, version) = (&*policy.type_name, &*policy.type_version);
    if let Some(row) = find(name, version).or_else(|| of_ancestors(policy, types)) {
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
