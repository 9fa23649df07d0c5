//! Policies are compiled where they are read, by whichever thread reads them.

use std::sync::Arc;
use std::time::Duration;

use pdp_engine::compile::{CompileLimits, Lot, LotBuilder};
use pdp_engine::finder::{AttributeName, Catalogue, Supplier};
use pdp_engine::model::{ExpectedAttribute, Policy};
use pdp_onap::tosca::ToscaPolicy;
use pdp_onap::translate::self_counting;
use pdp_onap::types::{TypeName, Types};
use pdp_onap::{APPLICATIONS, Application, pip};

use super::candidate::{Candidate, Facts};
use super::source::Sources;

/// Policies being compiled, those of one application together.
pub(super) struct Lots<'l> {
    lots: [Option<LotBuilder<'l>>; APPLICATIONS.len()],
    guard: &'l Guard,
    record_permits: bool,
    /// The type of the policy before, and its fingerprint: most policies of a document have it too.
    policy_type: Option<(TypeName, u64)>,
}

/// A policy that is compiled, in a lot that is not finished.
#[derive(Debug)]
pub(super) struct Draft {
    facts: Facts,
    place: usize,
}

impl<'l> Lots<'l> {
    pub(super) fn new(guard: &'l Guard, sources: &Sources) -> Self {
        let lots = std::array::from_fn(|_| None);
        Self { lots, guard, record_permits: sources.record_permits, policy_type: None }
    }

    /// The name and version of a policy's type, and the fingerprint of that.
    pub(super) fn policy_type(&mut self, policy: &ToscaPolicy, types: &Types) -> (TypeName, u64) {
        let (name, version) = (&*policy.type_name, &*policy.type_version);
        let known = self.policy_type.as_ref();
        if let Some(known) = known.filter(|((a, b), _)| **a == *name && **b == *version) {
            return known.clone();
        }
        let named = match types.find(name, version) {
            Some(known) => (Arc::clone(&known.name), Arc::clone(&known.version)),
            None => (Arc::from(name), Arc::from(version)),
        };
        self.policy_type.insert((named, types.digest(name, version))).clone()
    }

    pub(super) fn compile(&mut self, facts: Facts, policy: &Policy) -> Draft {
        let catalogue = self.guard.catalogue(facts.application);
        let lot = self.lots[facts.application as usize]
            .get_or_insert_with(|| LotBuilder::new(catalogue, CompileLimits::default()));
        let file = facts.file.to_string_lossy();
        let place = match self.record_permits {
            true => lot.add(&self_counting::counting(policy), &file),
            false => lot.add(policy, &file),
        };
        Draft { facts, place }
    }

    pub(super) fn finish(self) -> Finished {
        Finished(self.lots.map(|lot| lot.map_or_else(Arc::default, |lot| Arc::new(lot.finish()))))
    }
}

/// The lots of all applications, finished.
pub(super) struct Finished([Arc<Lot>; APPLICATIONS.len()]);

impl Finished {
    pub(super) fn place(&self, Draft { facts, place }: Draft) -> Candidate {
        let lot = Arc::clone(&self.0[facts.application as usize]);
        Candidate::new(facts, lot, place)
    }

    /// The same for a policy that may have been refused before.
    pub(super) fn placed<W, E>(&self, draft: Result<(Draft, W), E>) -> Result<(Candidate, W), E> {
        draft.map(|(draft, with)| (self.place(draft), with))
    }
}

impl Sources {
    /// What guard policies may ask.
    pub(super) fn guard(&self) -> Guard {
        Guard { retention: self.retention }
    }
}

/// The operations history as guard policies may ask it: not beyond what it keeps.
pub(super) struct Guard {
    retention: Duration,
}

impl Guard {
    /// What policies of an application may ask.
    pub(super) fn catalogue(&self, application: Application) -> &dyn Catalogue {
        if application == Application::Guard { self } else { &pip::Unaided }
    }
}

impl Catalogue for Guard {
    fn supplier(&self, name: &AttributeName) -> Result<Option<Supplier>, String> {
        let Some(supplier) = pip::Guard.supplier(name)? else { return Ok(None) };
        let window = u64::try_from(supplier.number).unwrap_or_default();
        if window > self.retention.as_secs() {
            return Err(format!(
                "a window of {window} seconds is longer than operations are kept ({} seconds): \
                 shorten it, or raise history.retention",
                self.retention.as_secs()
            ));
        }
        Ok(Some(supplier))
    }

    fn expected(&self) -> &'static [ExpectedAttribute] {
        pip::Guard.expected()
    }
}
