//! Authorization: one question for a user, or several in one request.

use pdp_engine::model::{Answer, Decision, RequestOptions, RequestSink};
use pdp_engine::value::{DataType, Value};

use super::fields::Loose;
use super::response::write_message;
use super::sink::Drive;
use super::{DecisionError, DecisionRequest};
use crate::ids::{self, category};
use crate::tosca::json_text;

/// The fields of a question and their attributes. Answers repeat them.
const FIELDS: [(&str, &str); 4] = [
    ("multiId", ids::TUTORIAL_MULTI_ID),
    ("user", ids::TUTORIAL_USER),
    ("entity", ids::TUTORIAL_ENTITY),
    ("permission", ids::TUTORIAL_PERMISSION),
];

/// What a request asks.
#[derive(Clone, Debug)]
pub struct Questions<'r, 'a> {
    request: &'r DecisionRequest<'a>,
    /// Each by the values of [`FIELDS`].
    asked: Vec<[&'r Loose<'a>; FIELDS.len()]>,
    several: bool,
}

impl<'a> DecisionRequest<'a> {
    /// The questions of the request: `resource.users` lists several; otherwise `resource` is one.
    ///
    /// # Errors
    /// `resource` is missing, `users` is empty, or an entry of it is no object.
    pub fn questions(&self) -> Result<Questions<'_, 'a>, DecisionError> {
        let resource = self.resource()?;
        let users = resource.others.iter().find(|(key, _)| key == "users").map(|(_, users)| users);
        let Some(Loose::List(users)) = users else {
            let field = |name: &str| {
                let found = resource.others.iter().find(|(key, _)| key == name);
                found.map_or(&Loose::Absent, |(_, value)| value)
            };
            let asked = vec![FIELDS.map(|(name, _)| field(name))];
            return Ok(Questions { request: self, asked, several: false });
        };
        if users.is_empty() {
            let message = "`resource.users` is empty: expected at least one question";
            return Err(DecisionError::Invalid(message.to_owned()));
        }
        let mut asked = Vec::with_capacity(users.len());
        for (at, user) in users.iter().enumerate() {
            if !matches!(user, Loose::Map(_)) {
                let message = format!(
                    "`resource.users[{at}]` is no object: expected one with multiId, user, entity, permission"
                );
                return Err(DecisionError::Invalid(message));
            }
            asked.push(FIELDS.map(|(name, _)| user.get(name).unwrap_or(&Loose::Absent)));
        }
        Ok(Questions { request: self, asked, several: true })
    }
}

impl<'a> Questions<'_, 'a> {
    /// How many there are; at least one.
    pub fn count(&self) -> usize {
        self.asked.len()
    }

    /// Hands a question to the engine.
    ///
    /// # Panics
    /// There is no question of this number.
    pub fn drive<S: RequestSink<'a> + ?Sized>(
        &self,
        question: usize,
        options: RequestOptions,
        sink: &mut S,
    ) {
        sink.options(options);
        let mut drive = Drive { sink, by_place: false };
        self.request.subject(&mut drive);
        drive.sink.category(category::ACTION, None);
        drive.attribute(ids::ACTION_ID, DataType::String, Value::string("authorize"));
        drive.sink.category(category::RESOURCE, None);
        for ((_, id), field) in FIELDS.into_iter().zip(self.asked[question]) {
            drive.text(id, field);
        }
    }

    /// Writes what stands before the first answer.
    pub fn write_start(&self, out: &mut Vec<u8>) {
        if self.several {
            out.extend_from_slice(b"{\"status\":\"multi\",\"permissions\":[");
        }
    }

    /// Writes the answer to a question.
    ///
    /// # Panics
    /// There is no question of this number.
    pub fn write(&self, question: usize, answer: &Answer<'_>, out: &mut Vec<u8>) {
        if question > 0 {
            out.push(b',');
        }
        let status = if answer.decision == Decision::Permit { "Permit" } else { "Deny" };
        out.extend_from_slice(b"{\"status\":\"");
        out.extend_from_slice(status.as_bytes());
        out.push(b'"');
        if answer.decision == Decision::Indeterminate {
            write_message(answer.status.message, out);
        }
        if !self.several {
            out.extend_from_slice(b",\"policies\":{}");
        }
        out.extend_from_slice(b",\"attributes\":{");
        let mut first = true;
        for ((_, id), field) in FIELDS.into_iter().zip(self.asked[question]) {
            let Some(text) = field.scalar() else { continue };
            if std::mem::take(&mut first) {
                json_text(category::RESOURCE, out);
                out.extend_from_slice(b":{");
            } else {
                out.push(b',');
            }
            json_text(id, out);
            out.push(b':');
            json_text(text, out);
        }
        out.extend_from_slice(if first { "}}" } else { "}}}" }.as_bytes());
    }

    /// Writes what stands after the last answer.
    pub fn write_end(&self, out: &mut Vec<u8>) {
        if self.several {
            out.extend_from_slice(b"]}");
        }
    }
}
