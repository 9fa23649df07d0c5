//! TOSCA documents: from text to policies whose names, versions and metadata are settled.
//!
//! [`read`] takes a document apart. What is wrong with one policy is a [`Problem`] in the result,
//! so that the others can still be used; only a text that cannot be read at all is an error.

pub mod catalogue;
mod fingerprint;
mod json;
mod keys;
mod name;
mod node;
mod policy;
mod scalar;
mod taking;
mod template;
mod write;
mod yaml;

use pdp_engine::error::{Position, ReadError};

pub(crate) use name::{name_fault, shown, version_fault};
pub(crate) use node::whole;
pub use node::{Entry, Limits, Node, NodeKind};
pub use policy::ToscaPolicy;
pub use template::ServiceTemplate;
pub(crate) use write::json_text;
pub use write::{json as write_json, yaml as write_yaml};

#[cfg(doc)]
use crate::Problem;

/// How a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// YAML, with the scalars of version 1.1.
    Yaml,
    /// JSON.
    Json,
}

impl Syntax {
    /// The syntax that goes with a file's extension.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension {
            "yaml" | "yml" => Some(Self::Yaml),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// Reads the policies and types of a TOSCA document.
///
/// ```
/// use pdp_onap::tosca::{self, Limits, Syntax};
///
/// let text = b"
/// topology_template:
///   policies:
///   - onap.demo.threshold:
///       type: onap.policies.monitoring.tcagen2
///       type_version: 1.0.0
///       version: 1.0.0
///       properties: { threshold: 500 }
/// ";
/// let template = tosca::read(text, Syntax::Yaml, &Limits::default())?;
/// assert!(template.problems.is_empty());
/// assert_eq!(template.policies[0].name, "onap.demo.threshold");
/// # Ok::<(), pdp_engine::error::ReadError>(())
/// ```
///
/// # Errors
/// The text is not a document of that syntax, or goes beyond a limit.
pub fn read(text: &[u8], syntax: Syntax, limits: &Limits) -> Result<ServiceTemplate, ReadError> {
    read_with(text, syntax, limits, |policies| policies)
}

/// The same, and hands the policies on as they are read, in order and some at a time, on all cores where
/// there are many: a long document is never held as a whole. What `work` makes of them is what the
/// template holds.
///
/// # Errors
/// The text is not a document of that syntax, or goes beyond a limit. `work` may have been called then.
///
/// # Panics
/// `work` has.
pub fn read_with<P: Send>(
    text: &[u8],
    syntax: Syntax,
    limits: &Limits,
    work: impl Fn(Vec<ToscaPolicy>) -> Vec<P> + Sync,
) -> Result<ServiceTemplate<P>, ReadError> {
    let text = checked(text, limits)?;
    let mut taken = taking::Taking::new(&work);
    let document = match syntax {
        Syntax::Yaml => yaml::read(text, limits),
        Syntax::Json => json::read(text, limits, Some(&mut taken)),
    };
    document.map(|document| taken.document(document))
}

/// Reads a document without asking what it means.
///
/// # Errors
/// The text is not a document of that syntax, or goes beyond a limit.
pub fn document(text: &[u8], syntax: Syntax, limits: &Limits) -> Result<Node, ReadError> {
    let text = checked(text, limits)?;
    match syntax {
        Syntax::Yaml => yaml::read(text, limits),
        Syntax::Json => json::read(text, limits, None),
    }
}

fn checked<'t>(text: &'t [u8], limits: &Limits) -> Result<&'t str, ReadError> {
    if text.len() > limits.bytes {
        let message = format!("the document is longer than {} bytes", limits.bytes);
        return Err(ReadError::at(Position::default(), "limit", message));
    }
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    std::str::from_utf8(text).map_err(|error| {
        let position = Position::of_offset(text, error.valid_up_to());
        ReadError::at(position, "encoding", "the text is not UTF-8")
    })
}
