//! Requests in XACML's own formats, also those that ask for several decisions at once.
//!
//! A request for one decision is read straight into its context. One that asks for several is read
//! once more into a plain request, expanded, and each individual request is decided by itself: on
//! one program, at one time, with one budget for all.

use pdp_engine::context::multiple::{self, Hierarchy, TooMany};
use pdp_engine::context::{Context, Instant, Limits, Scratch};
use pdp_engine::error::ReadError;
use pdp_engine::eval::trace::Observer;
use pdp_engine::eval::{self, Outcome};
use pdp_engine::finder::Finder;
use pdp_engine::format::cursor::ReadLimits;
use pdp_engine::format::{xacml3_json, xacml3_xml};
use pdp_engine::function::Budget;
use pdp_engine::model::{
    Answer, Decision, OwnedRequest, Recorder, RequestOptions, RequestSink, Status, StatusCode,
};
use pdp_engine::program::Program;
use pdp_engine::value::Arena;

use crate::decide::{Formats, Wire};
use crate::telemetry::Applied;

/// Bytes that the individual requests of one request may take together: each holds what it needs of
/// the whole.
const EXPANDED_BYTES: usize = 64 << 20;

/// What XACML requests are decided with.
#[derive(Clone, Copy)]
pub struct Decider<'s> {
    /// The policies.
    pub program: &'s Program,
    /// Who supplies attributes.
    pub finder: &'s dyn Finder,
    /// The tree that scopes walk.
    pub hierarchy: &'s dyn Hierarchy,
    /// What the request may spend.
    pub limits: &'s Limits,
    /// The time of the request.
    pub now: Instant,
}

impl std::fmt::Debug for Decider<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decider").field("now", &self.now).finish_non_exhaustive()
    }
}

impl Decider<'_> {
    /// Decides the request in `bytes` and writes the response to `out`. Of several decisions it says
    /// the one that all are, or Indeterminate.
    ///
    /// # Errors
    /// The request cannot be read.
    pub fn decide(
        &self,
        bytes: &[u8],
        formats: Formats,
        scratch: &mut Scratch,
        observer: &mut impl Observer,
        out: &mut Vec<u8>,
    ) -> Result<Decision, ReadError> {
        self.decide_noting(bytes, formats, scratch, observer, &mut Applied::default(), out)
    }

    /// The same, noting the policies that were found applicable where that is wanted.
    ///
    /// # Errors
    /// As [`Decider::decide`].
    pub fn decide_noting(
        &self,
        bytes: &[u8],
        formats: Formats,
        scratch: &mut Scratch,
        observer: &mut impl Observer,
        applied: &mut Applied,
        out: &mut Vec<u8>,
    ) -> Result<Decision, ReadError> {
        let mut context = Context::new(self.program, scratch, self.now, self.limits);
        read(bytes, formats, Some(self.program), &mut context)?;
        if context.several().is_none() {
            let asked = *context.request_options();
            if applied.wanted {
                context.options(RequestOptions { return_policy_ids: true, ..asked });
            }
            let mut answer = finish(&mut context, self.finder, observer);
            applied.note(&answer);
            if !asked.return_policy_ids {
                answer.policies = &[];
            }
            write(&[answer], context.arena(), formats.wanted, out);
            return Ok(answer.decision);
        }
        drop(context);
        let arena = Arena::new();
        let mut recorder = Recorder::new(&arena);
        read(bytes, formats, Some(self.program), &mut recorder)?;
        let mut request = recorder.finish();
        let asked = request.options.return_policy_ids;
        request.options.return_policy_ids |= applied.wanted;
        Ok(self.several(&request, bytes.len(), formats.wanted, asked, observer, applied, out))
    }

    #[allow(clippy::too_many_arguments)] // the parts of one request
    fn several(
        &self,
        request: &OwnedRequest,
        bytes: usize,
        wanted: Wire,
        names_policies: bool,
        observer: &mut impl Observer,
        applied: &mut Applied,
        out: &mut Vec<u8>,
    ) -> Decision {
        let room = (EXPANDED_BYTES / bytes.max(1)).max(1);
        let limit = self.limits.decisions.min(room);
        let budget = Budget::new(self.limits.steps);
        let expanded = multiple::expand(request, self.hierarchy, limit, &budget);
        let individual = expanded.unwrap_or_else(|error| {
            vec![Err(match error {
                TooMany::Decisions(_) if room < self.limits.decisions => too_large(bytes, room),
                error => refused(error),
            })]
        });
        let mut scratches: Vec<Scratch> = individual.iter().map(|_| Scratch::new()).collect();
        let mut answers: Vec<Answer<'_>> = Vec::with_capacity(individual.len());
        let mut left = budget.left();
        for (individual, scratch) in individual.iter().zip(&mut scratches) {
            answers.push(match individual {
                Err(unmade) => {
                    let answer = indeterminate(unmade.code, &unmade.message);
                    observer.end(&answer);
                    answer
                }
                Ok(request) => {
                    let mut context = Context::new(self.program, scratch, self.now, self.limits);
                    context.go_on_with(left);
                    request.replay(&mut context);
                    let answer = finish(&mut context, self.finder, observer);
                    left = context.steps_left();
                    answer
                }
            });
        }
        for answer in &mut answers {
            applied.note(answer);
            if !names_policies {
                answer.policies = &[];
            }
        }
        let combined = multiple::combine(&answers);
        if request.options.combined_decision {
            answers = vec![combined];
        }
        write(&answers, &Arena::new(), wanted, out);
        combined.decision
    }
}

/// Each individual request may be as large as the whole.
fn too_large(bytes: usize, room: usize) -> multiple::Unmade {
    let message = format!(
        "a request of {bytes} bytes may ask for {room} individual decisions: together they are \
         limited to {} MiB",
        EXPANDED_BYTES >> 20
    );
    multiple::Unmade { code: StatusCode::ProcessingError, message }
}

fn refused(error: TooMany) -> multiple::Unmade {
    multiple::Unmade { code: StatusCode::ProcessingError, message: error.to_string() }
}

fn indeterminate(code: StatusCode, message: &str) -> Answer<'_> {
    Answer {
        decision: Decision::Indeterminate,
        status: Status { code, message: Some(message), missing: None },
        notices: &[],
        attributes: &[],
        policies: &[],
    }
}

/// Reads a request in one of XACML's formats. Short ids of JSON are expanded where that is wanted and no
/// policy of `program` asks for them as they are written.
///
/// # Errors
/// The first problem of the document.
pub fn read<'a>(
    bytes: &'a [u8],
    formats: Formats,
    program: Option<&Program>,
    sink: &mut impl RequestSink<'a>,
) -> Result<(), ReadError> {
    let limits = ReadLimits::REQUEST;
    match formats.asked {
        Wire::Xml => xacml3_xml::request::read(bytes, &limits, sink),
        Wire::Json if formats.short_ids => {
            let asked = |category: &str, id: &str| {
                program.is_some_and(|program| program.slots().asks_for(category, id))
            };
            xacml3_json::request::read_expanding(bytes, &limits, &asked, sink)
        }
        Wire::Json => xacml3_json::request::read(bytes, &limits, sink),
    }
}

fn write(answers: &[Answer<'_>], arena: &Arena, wanted: Wire, out: &mut Vec<u8>) {
    match wanted {
        Wire::Xml => xacml3_xml::response::write(answers, arena, out),
        Wire::Json => xacml3_json::response::write(answers, arena, out),
    }
}

/// Takes the decision. Every supplier here answers at once, so one round is enough.
pub fn finish<'a>(
    context: &mut Context<'a>,
    finder: &dyn Finder,
    observer: &mut impl Observer,
) -> Answer<'a> {
    match eval::decide_observed(context, finder, observer) {
        Outcome::Done(answer) => answer,
        Outcome::Pending => {
            context.last_round();
            match eval::decide_observed(context, finder, observer) {
                Outcome::Done(answer) => answer,
                Outcome::Pending => unreachable!("in the last round nothing stays pending"),
            }
        }
    }
}
