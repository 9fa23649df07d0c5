//! A policy that was read: what is known of it, and what it was compiled to.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use pdp_engine::compile::Lot;
use pdp_engine::error::{Diagnostic, Position};
use pdp_engine::model::{PolicyKind, Version};
use pdp_onap::Application;

use super::problem::Problem;
use super::snapshot::{Deployed, Identity, Source};

/// A policy that was read and compiled, not yet taken into a program.
#[derive(Debug)]
pub(super) struct Candidate {
    facts: Facts,
    /// What it was compiled to: its place among others.
    pub(super) lot: Arc<Lot>,
    pub(super) place: usize,
}

impl Candidate {
    pub(super) const fn new(facts: Facts, lot: Arc<Lot>, place: usize) -> Self {
        Self { facts, lot, place }
    }
}

impl Deref for Candidate {
    type Target = Facts;

    fn deref(&self) -> &Facts {
        &self.facts
    }
}

/// What is known of a policy beside what it says.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) application: Application,
    pub(super) kind: PolicyKind,
    /// Its name in the source.
    pub(super) name: Arc<str>,
    /// Its identifier in the program, which may differ.
    pub(super) id: Arc<str>,
    /// Its version, as written.
    pub(super) version: Arc<str>,
    /// The same, as the program has it.
    pub(super) number: Version,
    /// Name and version of its type, where it has one.
    pub(super) policy_type: Option<(Arc<str>, Arc<str>)>,
    /// The fingerprint of its type as it is defined now.
    pub(super) type_digest: u64,
    /// A number that is the same where two policies say the same.
    pub(super) fingerprint: u64,
    /// It may stand beside others of its name and version.
    pub(super) repeatable: bool,
    /// Places in it are places in a document inside the file.
    pub(super) embedded: bool,
    /// How many operations it counts to, where it counts.
    pub(super) counts_to: usize,
    /// The file, or a name to speak of where it came another way.
    pub(super) file: Arc<Path>,
    /// It came through the administration interface.
    pub(super) administered: bool,
    pub(super) position: Position,
}

impl Facts {
    /// What the compiler found in it, with the place in the file.
    pub(super) fn problem(&self, mut diagnostic: Diagnostic) -> Problem {
        if self.embedded {
            diagnostic.message = format!(
                "policy `{}`: properties.policy: the decoded document, {}: {}",
                self.name, diagnostic.position, diagnostic.message
            );
            diagnostic.position = self.position;
        }
        if self.policy_type.is_some() && !diagnostic.message.starts_with("policy `") {
            diagnostic.message = format!("policy `{}`: {}", self.name, diagnostic.message);
        }
        Problem::of_diagnostic(&self.file, diagnostic)
    }

    /// What tells it from the others.
    pub(super) fn identity(&self) -> Identity {
        Identity {
            application: self.application,
            kind: self.kind,
            id: Arc::clone(&self.id),
            version: self.number.clone(),
        }
    }

    /// The fingerprint of what it says.
    pub(super) fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.fingerprint.hash(&mut hasher);
        self.type_digest.hash(&mut hasher);
        hasher.finish()
    }

    /// What is known of it once it decides.
    pub(super) fn deployed(&self, since: Timestamp) -> Deployed {
        Deployed {
            id: Arc::clone(&self.name),
            version: Arc::clone(&self.version),
            application: self.application,
            policy_type: self.policy_type.clone(),
            source: if self.administered {
                Source::Administration
            } else {
                Source::File(Arc::clone(&self.file))
            },
            since,
            digest: self.digest(),
        }
    }
}
