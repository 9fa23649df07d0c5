//! From TOSCA policies to policies of the engine: one file per kind.
//!
//! A translation builds a model and never decides. Each kind is a [`Translator`] that stands in a row
//! of the [`catalogue`]; [`translate`] picks the row.

mod authorization;
mod build;
mod combined;
mod guard;
mod guard_blacklist;
mod guard_coordination;
mod guard_filter;
mod guard_frequency;
mod guard_min_max;
mod matchable;
mod native_xacml;
mod properties;
pub mod self_counting;
mod subscriber;
mod time_range;
mod tosca_xacml;

use pdp_engine::error::Severity;
use pdp_engine::model;

pub(crate) use authorization::translate as authorization;
pub(crate) use combined::translate as combined;
pub(crate) use guard_blacklist::translate as guard_blacklist;
pub(crate) use guard_coordination::translate as guard_coordination;
pub(crate) use guard_filter::translate as guard_filter;
pub(crate) use guard_frequency::translate as guard_frequency;
pub(crate) use guard_min_max::translate as guard_min_max;
pub(crate) use matchable::translate as matchable;
pub(crate) use native_xacml::translate as native_xacml;
pub(crate) use subscriber::translate as subscriber;
pub(crate) use tosca_xacml::translate as tosca_xacml;

use crate::application::Application;
use crate::problem::Problem;
use crate::tosca::{ToscaPolicy, catalogue};
use crate::types::{PolicyType, Types};

/// Translates policies of one kind. What is wrong goes to the list; nothing comes back where the
/// policy cannot be used.
#[derive(Clone, Copy, Debug)]
pub enum Translator {
    /// By what the policy says, all of which the translation checks itself.
    Alone(fn(&ToscaPolicy, &mut Vec<Problem>) -> Option<model::Policy>),
    /// By what the policy says, checked against its type.
    Typed(fn(&ToscaPolicy, &mut Vec<Problem>) -> Option<model::Policy>),
    /// By what its type says of the policy's properties.
    ByType(fn(&ToscaPolicy, &Types, &mut Vec<Problem>) -> Option<model::Policy>),
}

/// A policy that was translated.
#[derive(Clone, Debug)]
pub struct Translated {
    /// The application that it belongs to.
    pub application: Application,
    /// Several of one name and version may be deployed, as long as they differ.
    pub repeatable: bool,
    /// The policy was read from a document inside the TOSCA policy: places in it are places there.
    pub embedded: bool,
    /// The policy.
    pub policy: model::Policy,
    /// What is legal in it, but surely not meant.
    pub warnings: Vec<Problem>,
}

/// Translates a policy of any supported type.
///
/// ```
/// use pdp_onap::tosca::{self, Limits, Syntax};
/// use pdp_onap::{Application, translate};
///
/// let text = br#"{"name": "guard.demo", "version": "1.0.0",
///   "type": "onap.policies.controlloop.guard.common.MinMax", "type_version": "1.0.0",
///   "properties": {"actor": "SO", "operation": "Scale", "target": "vnf-1", "max": 3}}"#;
/// let template = tosca::read(text, Syntax::Json, &Limits::default())?;
/// let translated = translate::translate(&template.policies[0]).expect("it is complete");
/// assert_eq!(translated.application, Application::Guard);
/// assert_eq!(translated.policy.id, "guard.demo");
/// # Ok::<(), pdp_engine::error::ReadError>(())
/// ```
///
/// # Errors
/// The type is not supported, or the properties are not those of the type: everything that is wrong.
pub fn translate(policy: &ToscaPolicy) -> Result<Translated, Vec<Problem>> {
    translate_with(policy, Types::standard())
}

/// The same with types of one's own: a policy of a derived type is translated as its nearest ancestor
/// that is supported, and must keep to its own type.
///
/// # Errors
/// As [`translate`].
pub fn translate_with(policy: &ToscaPolicy, types: &Types) -> Result<Translated, Vec<Problem>> {
    let row = catalogue::of_policy(policy, types).map_err(|problem| vec![*problem])?;
    let mut problems = Vec::new();
    let translated = match row.translate {
        Translator::Alone(translate) => {
            let translated = translate(policy, &mut problems);
            own_properties(policy, types, &mut problems);
            translated
        }
        Translator::Typed(translate) => {
            types.validate(policy, |_| false, &mut problems);
            translate(policy, &mut problems)
        }
        Translator::ByType(translate) => {
            types.validate(policy, |_| false, &mut problems);
            translate(policy, types, &mut problems)
        }
    };
    let refused = problems.iter().any(|problem| problem.severity == Severity::Error);
    match translated {
        Some(translated) if !refused => Ok(Translated {
            application: row.application,
            repeatable: row.repeatable,
            embedded: row.embedded,
            policy: translated,
            warnings: problems,
        }),
        _ => Err(problems),
    }
}

/// Checks what a derived type adds to a type whose translation checks its properties itself.
fn own_properties(policy: &ToscaPolicy, types: &Types, problems: &mut Vec<Problem>) {
    if catalogue::is_named(&policy.type_name) {
        return;
    }
    let supported = |it: &PolicyType| it.standard || catalogue::is_named(&it.name);
    let chain = types.chain(&policy.type_name, &policy.type_version);
    let added: Vec<String> = chain
        .iter()
        .filter(|it| !supported(it))
        .flat_map(|it| &it.properties)
        .map(|property| format!("properties.{}", property.name))
        .collect();
    // The translation knows only what the ancestor has.
    problems.retain(|it| it.code != "property-unknown" || !added.contains(&it.path));
    types.validate(policy, supported, problems);
}
