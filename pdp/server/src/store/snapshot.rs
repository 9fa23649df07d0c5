//! What decides now: programs and what is known about the policies in them.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use pdp_engine::program::Program;
use pdp_onap::{APPLICATIONS, Application};

/// The programs of all applications. Never changes; a request takes it once.
#[derive(Debug)]
pub struct Snapshot {
    /// By the order of [`APPLICATIONS`].
    pub(super) programs: [Program; APPLICATIONS.len()],
    /// The policies that decide, in the order they were read.
    pub policies: Vec<Deployed>,
    /// The largest number of operations that a guard policy counts to.
    pub counts_to: usize,
    /// How many policies and files were refused.
    pub refused: usize,
    /// How long it took to read and compile.
    pub build_time: Duration,
}

impl Snapshot {
    /// The program of an application.
    pub fn program(&self, application: Application) -> &Program {
        &self.programs[application as usize]
    }
}

/// A policy that decides.
#[derive(Clone, Debug)]
pub struct Deployed {
    /// Its name or identifier.
    pub id: String,
    /// Its version.
    pub version: String,
    /// The application that it belongs to.
    pub application: Application,
    /// The file it was read from.
    pub file: Arc<Path>,
}
