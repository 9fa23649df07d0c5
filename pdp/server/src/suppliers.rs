//! Who supplies attributes to a decision, and what is known of their answers from round to round.
//!
//! A history that answers at once is asked within the evaluation. Any other is asked between two
//! rounds: the first collects the questions, the next finds their answers here.

use std::cell::{Cell, RefCell};
use std::time::Instant;

use jiff::Timestamp;
use pdp_engine::finder::{Finder, Found, RequestOnly, Supplier};
use pdp_engine::value::{Arena, Value};
use pdp_onap::history::{HistoryError, OperationHistory, OperationKey, Question, Reply, Window};
use pdp_onap::pip;

use crate::telemetry::{Counters, LookUp};

/// A question that owns its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnedQuestion {
    /// How many operations of the key ended within the window?
    Count(OwnedKey, Window),
    /// How does the last operation of this control loop stand?
    LastOutcome(Box<str>),
    /// Is a Permit of the key recorded for this request?
    Permitted(OwnedKey, Box<str>),
}

/// An operation's key that owns its text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // as the fields of the borrowed form
pub struct OwnedKey {
    pub actor: Box<str>,
    pub operation: Box<str>,
    pub target: Box<str>,
}

impl OwnedKey {
    fn of(key: OperationKey<'_>) -> Self {
        Self { actor: key.actor.into(), operation: key.operation.into(), target: key.target.into() }
    }

    /// The key.
    pub fn as_key(&self) -> OperationKey<'_> {
        OperationKey { actor: &self.actor, operation: &self.operation, target: &self.target }
    }
}

impl OwnedQuestion {
    fn of(question: Question<'_>) -> Self {
        match question {
            Question::Count(key, window) => Self::Count(OwnedKey::of(key), window),
            Question::LastOutcome(name) => Self::LastOutcome(name.into()),
            Question::Permitted(key, id) => Self::Permitted(OwnedKey::of(key), id.into()),
        }
    }

    /// The question.
    pub fn as_question(&self) -> Question<'_> {
        match self {
            Self::Count(key, window) => Question::Count(key.as_key(), *window),
            Self::LastOutcome(name) => Question::LastOutcome(name),
            Self::Permitted(key, id) => Question::Permitted(key.as_key(), id),
        }
    }
}

/// What is known of one request from round to round.
#[derive(Debug, Default)]
pub struct Round {
    /// What is still pending becomes failed.
    pub last: bool,
    /// Watch for Permits that are to be recorded.
    pub watch_permits: bool,
    /// A Permit was recorded for this very request before: its counts held then, and count it now. They
    /// are not held against it.
    pub permitted_before: bool,
    /// Answers that are there.
    answers: Vec<(OwnedQuestion, Result<Reply, HistoryError>)>,
    /// Questions that this round asks.
    pub needs: Vec<OwnedQuestion>,
    /// Limits that the Permit of this round rests on.
    pub permits: Vec<(Window, u64)>,
    /// What those limits count.
    pub counted: Option<OwnedKey>,
    /// Steps that earlier rounds have left.
    pub steps: Option<u64>,
}

impl Round {
    /// The one round of a request whose suppliers all answer at once.
    pub fn only() -> Self {
        Self { last: true, ..Self::default() }
    }

    /// The first round of a request that may take several.
    pub fn first(watch_permits: bool) -> Self {
        Self { watch_permits, ..Self::default() }
    }

    /// Takes an answer in; it holds for all rounds that follow.
    pub fn answer(&mut self, question: OwnedQuestion, answer: Result<Reply, HistoryError>) {
        self.answers.retain(|(known, _)| *known != question);
        self.answers.push((question, answer));
    }

    fn known(&self, question: Question<'_>) -> Option<&Result<Reply, HistoryError>> {
        let mut all = self.answers.iter();
        all.find(|(known, _)| known.as_question() == question).map(|(_, answer)| answer)
    }
}

/// Everything that supplies attributes, watched.
pub(crate) struct Suppliers<'s> {
    /// None: this application asks no history.
    history: Option<Asks<'s>>,
    counters: Option<&'s Counters>,
    round: &'s Round,
    pub(crate) needs: RefCell<Vec<OwnedQuestion>>,
    pub(crate) counted: RefCell<Option<OwnedKey>>,
    pub(crate) failed: Cell<bool>,
}

/// A history and the instant by its own clock; none: it is asked between rounds.
type Asks<'s> = Option<(&'s dyn OperationHistory, Timestamp)>;

impl<'s> Suppliers<'s> {
    /// For an application whose policies ask no history.
    pub(crate) fn none(round: &'s Round) -> Self {
        Self {
            history: None,
            counters: None,
            round,
            needs: RefCell::default(),
            counted: RefCell::default(),
            failed: Cell::new(false),
        }
    }

    /// For one whose policies ask the history.
    pub(crate) fn with_history(
        history: Option<&'s dyn OperationHistory>,
        counters: Option<&'s Counters>,
        round: &'s Round,
    ) -> Self {
        let history = Some(history.map(|history| (history, history.now())));
        Self { history, counters, ..Self::none(round) }
    }

    fn ask<'a>(
        &self,
        asks: Asks<'s>,
        supplier: &Supplier,
        inputs: &[&[Value<'a>]],
        arena: &'a Arena,
    ) -> Found<'a> {
        let started = Instant::now();
        let Some(question) = pip::question(supplier, inputs) else {
            self.count(LookUp::Empty, started);
            return Found::Empty;
        };
        if self.round.watch_permits
            && let Question::Count(key, _) = question
        {
            if self.round.permitted_before {
                return pip::found(Ok(Reply::Count(0)), arena);
            }
            *self.counted.borrow_mut() = Some(OwnedKey::of(key));
        }
        if let Some(answer) = self.round.known(question) {
            self.failed.set(self.failed.get() || answer.is_err());
            return pip::found(answer.clone(), arena);
        }
        let Some((history, now)) = asks else {
            if self.round.last {
                self.failed.set(true);
            } else {
                self.needs.borrow_mut().push(OwnedQuestion::of(question));
            }
            return Found::Pending;
        };
        let found = pip::found(history.answer(question, now), arena);
        self.count(
            match found {
                Found::Values(_) => LookUp::Found,
                Found::Empty => LookUp::Empty,
                Found::Failed(_) | Found::Pending => LookUp::Failed,
            },
            started,
        );
        found
    }

    fn count(&self, result: LookUp, started: Instant) {
        if result == LookUp::Failed {
            self.failed.set(true);
        }
        if let Some(counters) = self.counters {
            counters.look_up(result, started.elapsed());
        }
    }
}

impl Finder for Suppliers<'_> {
    fn find<'a>(
        &self,
        supplier: &Supplier,
        inputs: &[&[Value<'a>]],
        arena: &'a Arena,
    ) -> Found<'a> {
        match self.history {
            Some(asks) => self.ask(asks, supplier, inputs, arena),
            None => RequestOnly.find(supplier, inputs, arena),
        }
    }
}
