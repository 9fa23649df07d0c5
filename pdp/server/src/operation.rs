//! Operations that somebody reports: how they are read, and which are refused.
//!
//! | odd row | what becomes of it |
//! |---|---|
//! | a text is empty, blank (`message` may be) or longer than the widest column | refused |
//! | a time before 1970, or more than a day ahead | refused: no clock is that wrong, and no window would see it for long |
//! | no policy could ever see it | refused: neither counted, nor the outcome of a loop |
//! | the end before the start | taken: counts look at the end alone, outcomes at the start alone, and clocks of two machines differ |
//! | an outcome that is not known | taken: ONAP counts every outcome but `Failure_Guard` |
//! | a member that is not known, or of another type | refused |

use std::fmt;

use jiff::{SignedDuration, Timestamp};
use pdp_onap::history::Operation;
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::document::fault::{fault, is_time};
use crate::quote::{quoted, shortened};

/// Characters of a text, at most: the width of the widest columns of the history's table.
pub(crate) const LONGEST: usize = 255;
/// How far an operation may be ahead of this machine's clock.
const AHEAD: SignedDuration = SignedDuration::from_hours(24);

/// What is wrong with an operation.
#[derive(Debug)]
pub(crate) struct Wrong {
    /// Which member, and what was expected.
    pub(crate) what: String,
    /// Where in its line, counted from 1; 0 where that is not known.
    pub(crate) column: usize,
}

/// An operation that stands as an object, not as a list of its members.
struct Row(Operation);

impl<'de> Deserialize<'de> for Row {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Row;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("keys with values")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Row, A::Error> {
                Operation::deserialize(MapAccessDeserializer::new(map)).map(Row)
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// Reads an operation in JSON.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn of_json(bytes: &[u8]) -> Result<Operation, Wrong> {
    let broken = |error: &serde_json::Error| Wrong {
        what: format!("not JSON: {error}"),
        column: error.column(),
    };
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let Row(operation) = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let error = error.into_inner();
        if error.is_data() {
            let again = || serde_json::from_slice(bytes).ok();
            let members: Option<Value> = is_time(&path).then(again).flatten();
            let what = wrong(&error.to_string(), &path, members.as_ref());
            Wrong { what, column: error.column() }
        } else {
            broken(&error)
        }
    })?;
    reader.end().map_err(|error| broken(&error))?;
    Ok(operation)
}

/// Reads an operation in YAML.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn of_yaml(bytes: &[u8]) -> Result<Operation, Wrong> {
    let mut path = String::new();
    serde_saphyr::with_deserializer_from_slice(bytes, |reader| {
        serde_path_to_error::deserialize(reader).map_err(|error| {
            path = error.path().to_string();
            error.into_inner()
        })
    })
    .map(|Row(operation)| operation)
    .map_err(|error| {
        let again = || serde_saphyr::from_slice(bytes).ok();
        let members: Option<Value> = is_time(&path).then(again).flatten();
        // What cannot be read again is no YAML: no member is at fault.
        let at = if is_time(&path) && members.is_none() { "." } else { &path };
        let message = error.without_snippet().to_string();
        Wrong { what: wrong(&message, at, members.as_ref()), column: 0 }
    })
}

/// Reads an operation whose members are there already.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn of_members(members: &Value) -> Result<Operation, Wrong> {
    serde_path_to_error::deserialize(members).map(|Row(operation)| operation).map_err(|error| {
        let (message, path) = (error.inner().to_string(), error.path().to_string());
        Wrong { what: wrong(&message, &path, Some(members)), column: 0 }
    })
}

/// What a deserializer complains of, in words of ours; `members` are there where it is a time.
fn wrong(message: &str, path: &str, members: Option<&Value>) -> String {
    let message = message.split(" at line ").next().unwrap_or_default();
    let failure = fault(message, path).failure;
    let mut what = failure.what;
    if let Some(Value::String(text)) =
        members.and_then(|members| members.get(path)).filter(|_| is_time(path))
    {
        what = format!("{what}, found the text `{}`", quoted(text));
    }
    if let Some(hint) = failure.hint {
        what = format!("{what}: {hint}");
    }
    shortened(&what).into_owned()
}

/// Refuses what the history's table could not hold, and a row that no question would ever find.
///
/// # Errors
/// What is wrong with the operation.
pub(crate) fn check(row: &Operation, now: Timestamp) -> Result<(), String> {
    let texts = [
        ("closedLoopName", &row.closed_loop_name),
        ("requestId", &row.request_id),
        ("subrequestId", &row.subrequest_id),
        ("actor", &row.actor),
        ("operation", &row.operation),
        ("target", &row.target),
        ("outcome", &row.outcome),
        ("message", &row.message),
    ];
    for (name, text) in texts {
        let Some(text) = text else { continue };
        if text.trim().is_empty() && name != "message" {
            return Err(format!("the member `{name}` is empty"));
        }
        if text.chars().count() > LONGEST {
            return Err(format!("the member `{name}` is longer than {LONGEST} characters"));
        }
        // PostgreSQL has no place for it in a text.
        if text.contains('\0') {
            return Err(format!("the member `{name}` holds a character NUL"));
        }
    }
    let latest = now.checked_add(AHEAD).unwrap_or(Timestamp::MAX);
    for (name, time) in [("starttime", row.start_time), ("endtime", row.end_time)] {
        let Some(time) = time else { continue };
        if time <= Timestamp::UNIX_EPOCH {
            return Err(format!("the member `{name}` is {time}: expected a time after 1970"));
        }
        if time > latest {
            return Err(format!(
                "the member `{name}` is {time}, and here it is {now:.0}: expected a time that is past"
            ));
        }
    }
    seen(row)
}

/// Refuses a row that no question would ever find.
///
/// # Errors
/// What it lacks.
pub(crate) fn seen(row: &Operation) -> Result<(), String> {
    let lacks = |members: &[(&'static str, bool)]| {
        let missing = members.iter().filter(|(_, there)| !there);
        missing.map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>()
    };
    let outcome = ("outcome", row.outcome.is_some());
    let counted = lacks(&[
        ("actor", row.actor.is_some()),
        ("operation", row.operation.is_some()),
        ("target", row.target.is_some()),
        outcome,
        ("endtime", row.end_time.is_some()),
    ]);
    let latest = lacks(&[
        ("closedLoopName", row.closed_loop_name.is_some()),
        ("starttime", row.start_time.is_some()),
        outcome,
    ]);
    if counted.is_empty() || latest.is_empty() {
        return Ok(());
    }
    Err(format!(
        "no policy could ever see this operation: to be counted it lacks {}; to be the outcome of a control loop it lacks {}",
        counted.join(", "),
        latest.join(", ")
    ))
}
