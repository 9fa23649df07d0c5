//! How policies ask the operations history: the attributes that stand for its questions.
//!
//! A designator's issuer names the question, such as a count over ten minutes. [`Guard`] parses it
//! when a policy is compiled; at decision time [`question`] joins it with the request's values. A
//! history that answers at once is asked through [`HistoryFinder`]; whoever asks one that takes time
//! calls [`question`] and [`found`] itself.

use std::sync::Arc;

use jiff::Timestamp;
use pdp_engine::finder::{AttributeName, Catalogue, Finder, Found, Supplier};
use pdp_engine::model::ExpectedAttribute;
use pdp_engine::value::{Arena, Data, DataType, Integer, Value};

use crate::decision::EXPECTED;
use crate::history::{HistoryError, OperationHistory, OperationKey, Question, Reply, Window};
use crate::ids::{self, category};

/// How many operations there were recently.
const COUNT: u32 = 1;
/// How the last operation of a control loop stands.
const OUTCOME: u32 = 2;

/// Says which attributes the operations history supplies to guard policies.
#[derive(Clone, Copy, Debug, Default)]
pub struct Guard;

impl Catalogue for Guard {
    fn supplier(&self, name: &AttributeName) -> Result<Option<Supplier>, String> {
        let Some(issuer) = &name.issuer else { return Ok(None) };
        if &*name.category != category::RESOURCE || !issuer.starts_with(ids::ISSUER_PREFIX) {
            return Ok(None);
        }
        match (&*name.id, name.data_type) {
            (ids::GUARD_OPERATION_COUNT, DataType::Integer) => count(issuer).map(Some),
            (ids::GUARD_OPERATION_OUTCOME, DataType::String) => outcome(issuer).map(Some),
            _ => Ok(None),
        }
    }

    fn expected(&self) -> &'static [ExpectedAttribute] {
        &EXPECTED
    }
}

/// Decision requests whose attributes nobody else supplies.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unaided;

impl Catalogue for Unaided {
    fn supplier(&self, _name: &AttributeName) -> Result<Option<Supplier>, String> {
        Ok(None)
    }

    fn expected(&self) -> &'static [ExpectedAttribute] {
        &EXPECTED
    }
}

/// What follows `mark` in an issuer.
fn after<'i>(issuer: &'i str, mark: &str, expected: &str) -> Result<&'i str, String> {
    issuer.split_once(mark).map(|(_, rest)| rest).filter(|rest| !rest.is_empty()).ok_or_else(|| {
        format!("the issuer `{issuer}` asks for nothing: expected `{mark}` and {expected}")
    })
}

fn count(issuer: &str) -> Result<Supplier, String> {
    let rest = after(issuer, "tw:", "a window such as 10:minute")?;
    let (number, unit) = rest.split_once(':').ok_or_else(|| {
        format!(
            "the issuer `{issuer}` names no window: expected a number and a unit such as 10:minute"
        )
    })?;
    let number: i64 = number.parse().map_err(|_| {
        format!("the issuer `{issuer}` names no window: `{number}` is not a number")
    })?;
    let window = Window::new(number, unit)
        .map_err(|error| format!("the issuer `{issuer}` names no window: {error}"))?;
    let input = |id: &str| AttributeName {
        category: category::RESOURCE.into(),
        id: id.into(),
        data_type: DataType::String,
        issuer: None,
    };
    Ok(Supplier {
        name: "count-recent-operations",
        question: COUNT,
        number: window.seconds(),
        text: None,
        inputs: vec![
            input(ids::GUARD_ACTOR),
            input(ids::GUARD_OPERATION),
            input(ids::GUARD_TARGET),
        ],
    })
}

fn outcome(issuer: &str) -> Result<Supplier, String> {
    let name = after(issuer, "clname:", "the name of a control loop")?;
    Ok(Supplier {
        name: "get-operation-outcome",
        question: OUTCOME,
        number: 0,
        text: Some(Arc::from(name)),
        inputs: Vec::new(),
    })
}

/// The question that a supplier asks for these values of the request. None: the request lacks a part
/// of it, and the answer is empty.
pub fn question<'q>(supplier: &'q Supplier, inputs: &[&[Value<'q>]]) -> Option<Question<'q>> {
    match (supplier.question, inputs, &supplier.text) {
        (COUNT, [actor, operation, target], _) => {
            let key = OperationKey {
                actor: first_text(actor)?,
                operation: first_text(operation)?,
                target: first_text(target)?,
            };
            Some(Question::Count(key, Window::of_seconds(supplier.number)?))
        }
        (OUTCOME, _, Some(name)) => Some(Question::LastOutcome(name)),
        _ => None,
    }
}

fn first_text<'a>(values: &[Value<'a>]) -> Option<&'a str> {
    values.iter().find_map(|value| match value.data() {
        Data::String(text) => Some(text),
        _ => None,
    })
}

/// What the history's answer means to the engine. A failure stays one: it never becomes a number.
pub fn found<'a>(reply: Result<Reply, HistoryError>, arena: &'a Arena) -> Found<'a> {
    let value = match reply {
        Ok(Reply::Count(count)) => {
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            Value::new(Data::Integer(Integer::Small(count)))
        }
        Ok(Reply::LastOutcome(Some(progress))) => Value::string(progress.name()),
        Ok(Reply::LastOutcome(None)) => return Found::Empty,
        // No supplier asks for it.
        Ok(Reply::Permitted(_)) => return Found::Empty,
        Err(error) => return Found::Failed(arena.alloc_str(&error.to_string())),
    };
    Found::Values(arena.alloc_slice_copy(&[value]))
}

/// Asks a history that answers at once, at one instant for the whole request.
#[derive(Clone, Copy, Debug)]
pub struct HistoryFinder<'h> {
    /// The history.
    pub history: &'h dyn OperationHistory,
    /// The instant, by the history's own clock.
    pub now: Timestamp,
}

impl Finder for HistoryFinder<'_> {
    fn find<'a>(
        &self,
        supplier: &Supplier,
        inputs: &[&[Value<'a>]],
        arena: &'a Arena,
    ) -> Found<'a> {
        // The inputs outlive this call, and so does the supplier: both lifetimes shrink to it.
        match question(supplier, inputs) {
            Some(question) => found(self.history.answer(question, self.now), arena),
            None => Found::Empty,
        }
    }
}
