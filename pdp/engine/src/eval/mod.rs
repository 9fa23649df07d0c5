//! The decision: evaluates a program over a context.
//!
//! Evaluation is total. A readable request always gets a decision: trouble inside is Indeterminate
//! with a status. Three things end it early, and none of them is ever a node's value: a limit ends
//! the decision, a pending attribute sends it back with its needs, and nothing else.

mod children;
mod expression;
mod higher_order;
mod index;
mod notice;
mod permitted;
mod policy;
mod target;
pub mod trace;
mod xpath;

use crate::combine::Verdict;
use crate::context::{Context, words};
use crate::finder::Finder;
use crate::function::{Budget, Call};
use crate::model::{Answer, Decision, MissingAttribute, Status, StatusCode};
use crate::program::code::Code;
use crate::program::segment::{Instance, Segment};
use crate::program::slots::SlotId;
use trace::Observer;

/// How a decision ends.
#[derive(Debug)]
pub enum Outcome<'a> {
    /// With an answer.
    Done(Answer<'a>),
    /// Attributes must be asked for first: see [`Context::needs`], meet them with
    /// [`Context::provide`], and decide again.
    Pending,
}

/// The value of a rule or policy with the status of an Indeterminate one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Valued<'a> {
    pub(crate) verdict: Verdict,
    pub(crate) status: Option<&'a Status<'a>>,
}

impl Valued<'_> {
    const NOT_APPLICABLE: Self = Self { verdict: Verdict::NotApplicable, status: None };
    const PENDING: Self = Self { verdict: Verdict::Pending, status: None };

    const fn plain(verdict: Verdict) -> Self {
        Self { verdict, status: None }
    }
}

/// A limit has tripped; the text is in the evaluation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Abort;

/// Why an expression has no value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Trouble<'a> {
    /// It is Indeterminate.
    Fault(&'a Status<'a>),
    /// An attribute is pending.
    Pending,
    /// A limit has tripped.
    Abort,
}

impl From<Abort> for Trouble<'_> {
    fn from(_: Abort) -> Self {
        Self::Abort
    }
}

/// An instance while it is evaluated.
#[derive(Clone, Copy)]
pub(crate) struct Activation<'a> {
    pub(crate) segment: &'a Segment,
    pub(crate) instance: &'a Instance,
    pub(crate) code: &'a Code,
    /// The segment's place in the program.
    pub(crate) part: u32,
    /// Values of variables, once one has been asked for.
    pub(crate) variables: &'a std::cell::OnceCell<&'a [std::cell::Cell<expression::Memo<'a>>]>,
    /// References followed to come here.
    pub(crate) references: usize,
}

/// One decision under way.
pub(crate) struct Evaluation<'c, 'a, O> {
    pub(crate) context: &'c mut Context<'a>,
    pub(crate) finder: &'c dyn Finder,
    pub(crate) call: Call<'a>,
    pub(crate) observer: &'c mut O,
    /// The limit that tripped, with its value.
    pub(crate) limit: Option<&'a str>,
    /// Policies that are being evaluated, each within the one before.
    pub(crate) nesting: usize,
}

/// Takes the decision on what the context holds.
pub fn decide<'a>(context: &mut Context<'a>, finder: &dyn Finder) -> Outcome<'a> {
    decide_observed(context, finder, &mut trace::Unobserved)
}

/// Takes the decision and tells `observer` how.
pub fn decide_observed<'a, O: Observer>(
    context: &mut Context<'a>,
    finder: &dyn Finder,
    observer: &mut O,
) -> Outcome<'a> {
    context.seal();
    context.begin_round();
    context.lists.notices.clear();
    context.lists.policies.clear();
    context.patterns.begin_round();
    context.permitted_calls = 0;
    let arena = context.arena;
    let limits = context.limits;
    let budget = arena.alloc(Budget::with_left(limits.steps, context.steps));
    let call = Call { arena, settings: &limits.settings, budget };
    if let Some(why) = context.several() {
        let message = words(
            arena,
            format_args!("the request asks for several decisions ({why}), one is taken at a time"),
        );
        let code = if why == "MultiRequests" {
            StatusCode::SyntaxError
        } else {
            StatusCode::ProcessingError
        };
        let answer = indeterminate(Status { code, message: Some(message), missing: None });
        observer.end(&answer);
        return Outcome::Done(answer);
    }
    let mut evaluation = Evaluation { context, finder, call, observer, limit: None, nesting: 0 };
    let valued = evaluation.root();
    let limit = evaluation.limit;
    evaluation.context.steps_left = evaluation.call.budget.left();
    let answer = match valued {
        Err(Abort) => indeterminate(Status {
            code: StatusCode::ProcessingError,
            message: limit,
            missing: None,
        }),
        Ok(Valued { verdict: Verdict::Pending, .. }) => return Outcome::Pending,
        Ok(Valued { verdict, status }) => answer(context, verdict, status),
    };
    observer.end(&answer);
    Outcome::Done(answer)
}

fn indeterminate(status: Status<'_>) -> Answer<'_> {
    Answer {
        decision: Decision::Indeterminate,
        status,
        notices: &[],
        attributes: &[],
        policies: &[],
    }
}

fn answer<'a>(
    context: &Context<'a>,
    verdict: Verdict,
    status: Option<&'a Status<'a>>,
) -> Answer<'a> {
    let decision = match verdict {
        Verdict::Permit => Decision::Permit,
        Verdict::Deny => Decision::Deny,
        Verdict::NotApplicable => Decision::NotApplicable,
        _ => Decision::Indeterminate,
    };
    let arena = context.arena;
    let notices = if context.lists.notices.is_empty() {
        &[]
    } else {
        &*arena.alloc_slice_fill_iter(context.lists.notices.iter().map(|(_, notice)| *notice))
    };
    let policies = if context.lists.policies.is_empty() {
        &[]
    } else {
        &*arena.alloc_slice_copy(&context.lists.policies)
    };
    let status = match (decision, status) {
        (Decision::Indeterminate, Some(status)) => *status,
        (Decision::Indeterminate, None) => {
            Status { code: StatusCode::ProcessingError, message: None, missing: None }
        }
        _ => Status::OK,
    };
    Answer { decision, status, notices, attributes: context.returned(), policies }
}

impl<'a> Activation<'a> {
    /// Where it stands, for observers.
    const fn scene(&self, program: &'a crate::program::Program) -> trace::Scene<'a> {
        trace::Scene { program, segment: self.segment, instance: self.instance }
    }
}

impl<'a, O: Observer> Evaluation<'_, 'a, O> {
    /// Takes a step; the decision ends where there is none left.
    #[inline]
    pub(crate) fn step(&mut self) -> Result<(), Abort> {
        if self.call.budget.spend(1) { Ok(()) } else { Err(self.out_of_steps()) }
    }

    #[cold]
    pub(super) fn out_of_steps(&mut self) -> Abort {
        let limit = self.call.budget.limit();
        self.limit_reached(words(
            self.call.arena,
            format_args!("the decision takes more than the limit of {limit} evaluation steps"),
        ))
    }

    #[cold]
    pub(crate) fn limit_reached(&mut self, message: &'a str) -> Abort {
        self.limit.get_or_insert(message);
        Abort
    }

    #[cold]
    pub(crate) fn status(&self, code: StatusCode, message: &'a str) -> &'a Status<'a> {
        self.call.arena.alloc(Status { code, message: Some(message), missing: None })
    }

    /// The status of an attribute that must be present and is not.
    #[cold]
    pub(crate) fn missing(&self, slot: SlotId) -> &'a Status<'a> {
        let program = self.context.program;
        let name = &program.slots.slot(slot).name;
        let message = words(self.call.arena, format_args!("attribute `{}` is missing", name.id));
        self.call.arena.alloc(Status {
            code: StatusCode::MissingAttribute,
            message: Some(message),
            missing: Some(MissingAttribute {
                category: &name.category,
                id: &name.id,
                data_type: name.data_type.uri(),
                issuer: name.issuer.as_deref(),
            }),
        })
    }

    /// The status of an attribute that could not be found out.
    #[cold]
    pub(crate) fn unanswered(&self, slot: SlotId, cause: &'a str) -> &'a Status<'a> {
        let program = self.context.program;
        let definition = program.slots.slot(slot);
        let by = definition.supplier.as_ref().map_or("the request", |supplier| supplier.name);
        let id = &definition.name.id;
        let message = words(self.call.arena, format_args!("{by} could not answer `{id}`: {cause}"));
        self.status(StatusCode::ProcessingError, message)
    }
}
