//! What decides now: programs and what is known about the policies in them.

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use imbl::OrdMap;
use jiff::Timestamp;
use pdp_engine::model::{PolicyKind, Version};
use pdp_engine::program::Program;
use pdp_onap::types::Types;
use pdp_onap::{APPLICATIONS, Application};

use super::problem::Problem;

/// The programs of all applications. Never changes; a request takes it once. The next one shares
/// with it what did not change.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// By the order of [`APPLICATIONS`].
    pub(super) programs: [Program; APPLICATIONS.len()],
    /// The policies that decide.
    pub policies: OrdMap<Identity, Arc<Deployed>>,
    /// The policy types that are known.
    pub types: Arc<Types>,
    /// The largest number of operations that a guard policy counts to.
    pub counts_to: usize,
    /// How many policies and files are refused.
    pub refused: usize,
    /// Why they are.
    pub problems: Arc<[Problem]>,
    /// How long it took to read and compile what is new.
    pub build_time: Duration,
}

impl Snapshot {
    /// The program of an application.
    pub fn program(&self, application: Application) -> &Program {
        &self.programs[application as usize]
    }
}

/// What makes a policy that policy. Kinds and applications have name spaces of their own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Identity {
    /// The application that it belongs to.
    pub application: Application,
    /// Policy or policy set.
    pub kind: PolicyKind,
    /// Its identifier in the program; that of a translated policy may differ from its name.
    pub id: Arc<str>,
    /// Its version.
    pub version: Version,
}

/// A policy that decides.
#[derive(Clone, Debug)]
pub struct Deployed {
    /// Its name or identifier in its source.
    pub id: Arc<str>,
    /// Its version, as written.
    pub version: Arc<str>,
    /// The application that it belongs to.
    pub application: Application,
    /// Name and version of its type, where it has one.
    pub policy_type: Option<(Arc<str>, Arc<str>)>,
    /// Where it came from.
    pub source: Source,
    /// Since when it decides.
    pub since: Timestamp,
    /// The fingerprint of what it says.
    pub(super) digest: u64,
}

/// Where a policy came from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// A file.
    File(Arc<Path>),
    /// The administration interface; kept in the state folder.
    Administration,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => path.display().fmt(f),
            Self::Administration => f.write_str("administration"),
        }
    }
}
