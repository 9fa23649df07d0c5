//! Children as combining algorithms see them.

use super::trace::Observer;
use super::{Abort, Activation, Evaluation, Valued};
use crate::combine::{self, Algorithm, Applicability, Children, Verdict};
use crate::model::{Status, StatusCode};
use crate::program::Location;
use crate::program::code::{ChildNode, Span};

/// What stands at a child's place.
#[derive(Clone, Copy)]
pub(super) enum Child<'a> {
    /// A child inside an instance.
    Inner(&'a Activation<'a>, ChildNode),
    /// An instance.
    Instance(Location),
}

/// Which children there are.
#[derive(Clone, Copy)]
pub(super) enum Family<'a> {
    /// All children of a policy.
    Inner(&'a Activation<'a>, Span),
    /// Those that the index proposed, by place.
    Proposed(&'a Activation<'a>, Span, &'a [u32]),
    /// Instances.
    Instances(&'a [Location]),
}

impl<'a> Family<'a> {
    fn get(&self, at: usize) -> Option<Child<'a>> {
        match self {
            Family::Inner(activation, span) => {
                let node = span.of(&activation.code.children).get(at)?;
                Some(Child::Inner(activation, *node))
            }
            Family::Proposed(activation, span, proposed) => {
                let node = span.of(&activation.code.children)[*proposed.get(at)? as usize];
                Some(Child::Inner(activation, node))
            }
            Family::Instances(locations) => Some(Child::Instance(*locations.get(at)?)),
        }
    }

    fn written(&self) -> usize {
        match self {
            Family::Inner(_, span) | Family::Proposed(_, span, _) => span.len as usize,
            Family::Instances(locations) => locations.len(),
        }
    }
}

/// One policy's children while they are combined.
struct Run<'e, 'c, 'a, O> {
    evaluation: &'e mut Evaluation<'c, 'a, O>,
    family: Family<'a>,
    next: usize,
    current: Option<Child<'a>>,
    marked: Option<Child<'a>>,
    /// The first status of each kind of Indeterminate: P, D, DP.
    statuses: [Option<&'a Status<'a>>; 3],
    /// The first of any kind.
    first: Option<&'a Status<'a>>,
    /// That of the child evaluated last.
    last: Option<&'a Status<'a>>,
    failure: Option<&'a Status<'a>>,
}

impl<'a, O: Observer> Run<'_, '_, 'a, O> {
    fn value(&mut self, child: Option<Child<'a>>) -> Result<Verdict, Abort> {
        let Some(child) = child else { return Ok(Verdict::NotApplicable) };
        let valued = match child {
            Child::Inner(activation, node) => self.evaluation.child(activation, node)?,
            Child::Instance(location) => self.evaluation.instance(location, 0)?,
        };
        self.last = valued.status;
        if let Some(status) = valued.status {
            let kind = match valued.verdict {
                Verdict::IndeterminateP => 0,
                Verdict::IndeterminateD => 1,
                _ => 2,
            };
            self.statuses[kind].get_or_insert(status);
            self.first.get_or_insert(status);
        }
        Ok(valued.verdict)
    }
}

impl<O: Observer> Children for Run<'_, '_, '_, O> {
    type Abort = Abort;

    #[inline]
    fn advance(&mut self) -> bool {
        self.current = self.family.get(self.next);
        self.next += 1;
        self.current.is_some()
    }

    fn count(&self) -> usize {
        self.family.written()
    }

    #[inline]
    fn evaluate(&mut self) -> Result<Verdict, Abort> {
        self.value(self.current)
    }

    fn applicability(&mut self) -> Result<Applicability, Abort> {
        let Some(child) = self.current else { return Ok(Applicability::NoMatch) };
        let (applicability, status) = match child {
            Child::Inner(activation, node) => {
                self.evaluation.child_applicability(activation, node)?
            }
            Child::Instance(location) => self.evaluation.instance_applicability(location, 0)?,
        };
        if let Some(status) = status {
            self.statuses[2].get_or_insert(status);
            self.first.get_or_insert(status);
        }
        Ok(applicability)
    }

    fn mark(&mut self) {
        self.marked = self.current;
    }

    fn evaluate_marked(&mut self) -> Result<Verdict, Abort> {
        self.value(self.marked)
    }

    fn fail(&mut self, message: &'static str) {
        self.failure = Some(self.evaluation.status(StatusCode::ProcessingError, message));
    }
}

impl<'a, O: Observer> Evaluation<'_, 'a, O> {
    /// Combines a policy's children. Notices of children whose decision lost are dropped.
    pub(super) fn combine(
        &mut self,
        algorithm: Algorithm,
        family: Family<'a>,
    ) -> Result<Valued<'a>, Abort> {
        let mark = self.context.lists.notices.len();
        let mut run = Run {
            evaluation: self,
            family,
            next: 0,
            current: None,
            marked: None,
            statuses: [None; 3],
            first: None,
            last: None,
            failure: None,
        };
        let verdict = combine::combine(algorithm, &mut run)?;
        let status = match (algorithm, verdict) {
            (_, Verdict::Permit | Verdict::Deny | Verdict::NotApplicable | Verdict::Pending) => {
                None
            }
            // The child that was evaluated last is the one that decides.
            (Algorithm::OnPermitApplySecond, _) => run.failure.or(run.last),
            // Every error counts alike.
            (Algorithm::LegacyPolicyPermitOverrides, _) => run.first,
            (_, Verdict::IndeterminateP) => run.statuses[0].or(run.first),
            (_, Verdict::IndeterminateD) => run.statuses[1].or(run.first),
            (_, Verdict::IndeterminateDP) => run.failure.or(run.statuses[2]).or(run.first),
        };
        self.keep_notices(mark, verdict);
        Ok(Valued { verdict, status })
    }
}
