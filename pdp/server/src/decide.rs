//! From a request to a decision: what the service, `pdp decide` and `pdp bench` share.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use pdp_engine::context::multiple::Hierarchy;
use pdp_engine::context::{self, Context, Limits, Scratch};
use pdp_engine::error::ReadError;
use pdp_engine::eval::trace::{Explanation, Observer, Unobserved};
use pdp_engine::eval::{self, Outcome};
use pdp_engine::model::{Answer, Decision, RequestOptions, StatusCode};
use pdp_onap::Application;
use pdp_onap::decision::{
    DecisionError, DecisionRequest, Form, GuardIndeterminate, Subscriber, write_decision,
    write_optimized,
};
use pdp_onap::history::OperationHistory;
use pdp_onap::translate::self_counting;

use crate::config::WhenIndeterminate;
use crate::several::{Decider, finish};
use crate::store::Snapshot;
use crate::suppliers::{Round, Suppliers};
use crate::telemetry::{Applied, Cause, Counters};

/// The working memory of one thread that decides.
#[derive(Debug, Default)]
pub struct Desk {
    scratch: Scratch,
    /// The body of the last answer.
    pub out: Vec<u8>,
    /// The policies that the last decision found applicable, where they are wanted.
    pub applied: Applied,
}

/// What XACML requests and responses are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
#[allow(missing_docs)] // the variants are the formats, by their own names
pub enum Wire {
    Xml,
    Json,
}

/// How a XACML request is read and its response written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Formats {
    /// What the request is written in.
    pub asked: Wire,
    /// What the response is written in.
    pub wanted: Wire,
    /// Expand short attribute ids in JSON.
    pub short_ids: bool,
}

/// What a decision is made with.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'s> {
    /// The policies.
    pub snapshot: &'s Snapshot,
    /// What guard policies ask at once; none: what they ask is collected and asked between rounds.
    pub history: Option<&'s dyn OperationHistory>,
    /// What the decision may spend.
    pub limits: &'s Limits,
    /// What a guard answer reads when it could not be determined.
    pub indeterminate: WhenIndeterminate,
    /// Where look-ups are counted.
    pub counters: Option<&'s Counters>,
    /// The time of the request; none: the clock says.
    pub now: Option<Timestamp>,
}

/// What is told of a decision beside its answer.
#[derive(Clone, Debug)]
pub struct Ruling {
    /// The application that decided.
    pub application: Application,
    /// The decision itself, whatever the answer reads.
    pub decision: Decision,
    /// The decisions after the first one, where the request asks for several.
    pub further: Vec<Decision>,
    /// Why it is Indeterminate.
    pub indeterminate: Option<(Cause, String)>,
    /// From the read request to the answer's body.
    pub took: Duration,
}

impl Ruling {
    fn of(
        application: Application,
        answer: &Answer<'_>,
        finder: &Suppliers<'_>,
        started: Instant,
    ) -> Self {
        let indeterminate = (answer.decision == Decision::Indeterminate).then(|| {
            (
                cause(answer, finder.failed.get()),
                answer.status.message.unwrap_or_default().to_owned(),
            )
        });
        let (decision, took) = (answer.decision, started.elapsed());
        Self { application, decision, further: Vec::new(), indeterminate, took }
    }
}

impl Desk {
    fn begin(&mut self) {
        self.out.clear();
        self.applied.clear();
    }

    fn options(&self) -> RequestOptions {
        RequestOptions { return_policy_ids: self.applied.wanted, ..RequestOptions::default() }
    }

    /// Decides a request as ONAP asks it; the answer's JSON body is in `out` afterwards.
    ///
    /// # Errors
    /// No application answers the action, or a value of the request cannot be used.
    pub fn onap<'q>(
        &mut self,
        setting: &Setting<'_>,
        request: &DecisionRequest<'q>,
        query: impl IntoIterator<Item = (&'q str, &'q str)>,
    ) -> Result<Ruling, DecisionError> {
        self.onap_observed(setting, request, query, &mut Unobserved)
    }

    /// The same with an explanation.
    ///
    /// # Errors
    /// As [`Desk::onap`].
    pub fn onap_explained(
        &mut self,
        setting: &Setting<'_>,
        request: &DecisionRequest<'_>,
        explanation: &mut Explanation,
    ) -> Result<Ruling, DecisionError> {
        self.onap_observed(setting, request, [], explanation)
    }

    fn onap_observed<'q>(
        &mut self,
        setting: &Setting<'_>,
        request: &DecisionRequest<'q>,
        query: impl IntoIterator<Item = (&'q str, &'q str)>,
        observer: &mut impl Observer,
    ) -> Result<Ruling, DecisionError> {
        let started = Instant::now();
        let application = request.application()?;
        let form = Form::of_query(application, query);
        let when = match setting.indeterminate {
            WhenIndeterminate::Permit => GuardIndeterminate::Permit,
            WhenIndeterminate::Deny => GuardIndeterminate::Deny,
        };
        self.begin();
        if application == Application::Authorization {
            return self.authorize(setting, request, started, observer);
        }
        let options = self.options();
        let Self { scratch, out, applied } = self;
        let program = setting.snapshot.program(application);
        let now = setting.instant();
        let round = Round::only();
        let finder = setting.suppliers(application, &round);
        let mut subscriber = None;
        if request.asks_for_subscriber(application) {
            let mut context = Context::new(program, scratch, now, setting.limits);
            request.drive_for_subscriber(options, &mut context)?;
            let answer = finish(&mut context, &finder, observer);
            if answer.decision != Decision::Permit {
                applied.note(&answer);
                write_decision(&answer, application, form, when, out);
                return Ok(Ruling::of(application, &answer, &finder, started));
            }
            subscriber = Some(Subscriber::of(&answer));
        }
        let mut context = Context::new(program, scratch, now, setting.limits);
        match &subscriber {
            Some(subscriber) => request.drive_for(subscriber, options, &mut context)?,
            None => request.drive(application, options, &mut context)?,
        }
        let answer = finish(&mut context, &finder, observer);
        applied.note(&answer);
        match &subscriber {
            Some(subscriber) => write_optimized(&answer, subscriber, out),
            None => write_decision(&answer, application, form, when, out),
        }
        Ok(Ruling::of(application, &answer, &finder, started))
    }

    /// Decides a guard request as far as what is known from earlier rounds allows; none: the answers to
    /// the round's needs are to be put into it first.
    ///
    /// # Errors
    /// As [`Desk::onap`].
    pub fn guard_round(
        &mut self,
        setting: &Setting<'_>,
        request: &DecisionRequest<'_>,
        round: &mut Round,
        observer: &mut impl Observer,
    ) -> Result<Option<Ruling>, DecisionError> {
        let started = Instant::now();
        let application = Application::Guard;
        let when = match setting.indeterminate {
            WhenIndeterminate::Permit => GuardIndeterminate::Permit,
            WhenIndeterminate::Deny => GuardIndeterminate::Deny,
        };
        self.begin();
        let options = self.options();
        let Self { scratch, out, applied } = self;
        let program = setting.snapshot.program(application);
        let mut context = Context::new(program, scratch, setting.instant(), setting.limits);
        request.drive(application, options, &mut context)?;
        if let Some(steps) = round.steps {
            context.go_on_with(steps);
        }
        if round.last {
            context.last_round();
        }
        let suppliers = setting.suppliers(application, round);
        let outcome = eval::decide_observed(&mut context, &suppliers, observer);
        let steps = context.steps_left();
        let Outcome::Done(answer) = outcome else {
            let needs = suppliers.needs.into_inner();
            (round.needs, round.steps) = (needs, Some(steps));
            return Ok(None);
        };
        applied.note(&answer);
        let ruling = Ruling::of(application, &answer, &suppliers, started);
        let counted = suppliers.counted.into_inner();
        round.steps = Some(steps);
        if round.watch_permits && !round.permitted_before {
            round.permits.clear();
            round.permits.extend(answer.notices.iter().filter_map(self_counting::limit_of));
            round.counted = counted;
        }
        write_decision(&answer, application, Form::Full, when, out);
        Ok(Some(ruling))
    }

    /// Decides the questions of a request for authorization, one by one.
    fn authorize(
        &mut self,
        setting: &Setting<'_>,
        request: &DecisionRequest<'_>,
        started: Instant,
        observer: &mut impl Observer,
    ) -> Result<Ruling, DecisionError> {
        let application = Application::Authorization;
        let program = setting.snapshot.program(application);
        // The application is there while it has policies.
        if program.is_empty() {
            return Err(DecisionError::UnknownAction(application.row().action.to_owned()));
        }
        let questions = request.questions()?;
        if questions.count() > setting.limits.decisions {
            return Err(DecisionError::Invalid(format!(
                "`resource.users` asks for {} decisions; the limit is {}",
                questions.count(),
                setting.limits.decisions
            )));
        }
        let options = self.options();
        let Self { scratch, out, applied } = self;
        let round = Round::only();
        let (now, finder) = (setting.instant(), setting.suppliers(application, &round));
        questions.write_start(out);
        let mut answered = |question: usize, observer: &mut _| {
            let mut context = Context::new(program, scratch, now, setting.limits);
            questions.drive(question, options, &mut context);
            let answer = finish(&mut context, &finder, observer);
            applied.note(&answer);
            questions.write(question, &answer, out);
            Ruling::of(application, &answer, &finder, started)
        };
        let mut ruling = answered(0, observer);
        for question in 1..questions.count() {
            ruling.further.push(answered(question, observer).decision);
        }
        questions.write_end(out);
        ruling.took = started.elapsed();
        Ok(ruling)
    }

    /// Decides a XACML request by the policies written in XACML; the response is in `out` afterwards.
    /// The scope of a request walks `hierarchy`.
    ///
    /// # Errors
    /// The request cannot be read.
    pub fn xacml(
        &mut self,
        setting: &Setting<'_>,
        hierarchy: &dyn Hierarchy,
        bytes: &[u8],
        formats: Formats,
        observer: &mut impl Observer,
    ) -> Result<Decision, ReadError> {
        self.begin();
        let round = Round::only();
        let decider = Decider {
            program: setting.snapshot.program(Application::Native),
            finder: &setting.suppliers(Application::Native, &round),
            hierarchy,
            limits: setting.limits,
            now: setting.instant(),
        };
        let Self { scratch, out, applied } = self;
        decider.decide_noting(bytes, formats, scratch, observer, applied, out)
    }

    /// Only decides, for measuring: no body is written.
    ///
    /// # Errors
    /// As [`Desk::onap`].
    pub fn onap_decision(
        &mut self,
        setting: &Setting<'_>,
        request: &DecisionRequest<'_>,
    ) -> Result<Decision, DecisionError> {
        let application = request.application()?;
        let program = setting.snapshot.program(application);
        let mut context =
            Context::new(program, &mut self.scratch, setting.instant(), setting.limits);
        request.drive(application, RequestOptions::default(), &mut context)?;
        let round = Round::only();
        let suppliers = setting.suppliers(application, &round);
        Ok(finish(&mut context, &suppliers, &mut Unobserved).decision)
    }
}

fn cause(answer: &Answer<'_>, look_up_failed: bool) -> Cause {
    match answer.status.code {
        StatusCode::MissingAttribute => Cause::MissingAttribute,
        StatusCode::SyntaxError => Cause::Policy,
        _ if look_up_failed => Cause::LookUp,
        _ if answer.status.message.is_some_and(|message| message.contains("limit")) => Cause::Limit,
        StatusCode::ProcessingError | StatusCode::Ok => Cause::Processing,
    }
}

impl<'s> Setting<'s> {
    fn instant(&self) -> context::Instant {
        let now = self.now.unwrap_or_else(Timestamp::now);
        let nanos = u32::try_from(now.subsec_nanosecond()).unwrap_or_default();
        context::Instant { seconds: now.as_second(), nanos }
    }

    fn suppliers(&self, application: Application, round: &'s Round) -> Suppliers<'s> {
        if application == Application::Guard {
            Suppliers::with_history(self.history, self.counters, round)
        } else {
            Suppliers::none(round)
        }
    }
}
