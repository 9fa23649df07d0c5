//! From a decision request to a request of the engine.

use std::borrow::Cow;

use pdp_engine::model::{AttributeHead, RequestOptions, RequestSink};
use pdp_engine::value::{Data, DataType, Date, DateTime, Integer, Time, Value};

use super::fields::{GUARD_FIELDS, GuardFields, Loose, Resource};
use super::{DecisionError, DecisionRequest, vf_count};
use crate::application::Application;
use crate::ids::{self, category, environment};
use crate::iso;

impl<'a> DecisionRequest<'a> {
    /// Hands the request to the engine, as `application` reads it.
    ///
    /// Attributes are not marked for return: no ONAP answer carries them.
    ///
    /// # Errors
    /// A value cannot be used: [`DecisionError::Invalid`] or [`DecisionError::Conversion`]. What was
    /// handed over before is then no request.
    pub fn drive<S: RequestSink<'a> + ?Sized>(
        &self,
        application: Application,
        options: RequestOptions,
        sink: &mut S,
    ) -> Result<(), DecisionError> {
        if application == Application::Authorization {
            let questions = self.questions()?;
            if questions.count() != 1 {
                let message = "several questions are decided one by one";
                return Err(DecisionError::Invalid(message.to_owned()));
            }
            questions.drive(0, options, sink);
            return Ok(());
        }
        sink.options(options);
        let mut drive = Drive { sink };
        self.subject(&mut drive);
        if application == Application::Guard {
            drive.text(ids::GUARD_REQUEST_ID, &self.request_id);
        }
        drive.sink.category(category::ACTION, None);
        match application {
            Application::Guard => {
                // The constant, whatever the action said.
                drive.attribute(ids::ACTION_ID, DataType::String, Value::string("guard"));
                let guard = self.resource.as_ref().and_then(|resource| resource.guard.as_ref());
                if let Some(guard) = guard {
                    drive.guard(guard)?;
                }
                self.environment(&mut drive)
            }
            Application::Match | Application::Optimization => {
                drive.text(ids::ACTION_ID, &self.action);
                drive.matchables(self.resource()?, &[]);
                Ok(())
            }
            _ => {
                drive.text(ids::ACTION_ID, &self.action);
                let resource = self.resource()?;
                drive.sink.category(category::RESOURCE, None);
                drive.texts(ids::RESOURCE_ID, &resource.policy_id);
                drive.texts(ids::POLICY_TYPE, &resource.policy_type);
                Ok(())
            }
        }
    }

    /// Who asks.
    pub(super) fn subject<S: RequestSink<'a> + ?Sized>(&self, drive: &mut Drive<'_, S>) {
        drive.sink.category(category::SUBJECT, None);
        drive.text(ids::SUBJECT_ID, &self.name);
        drive.text(ids::ONAP_COMPONENT, &self.component);
        drive.text(ids::ONAP_INSTANCE, &self.instance);
    }

    /// What a decision is about; only guard does without.
    pub(super) fn resource(&self) -> Result<&Resource<'a>, DecisionError> {
        self.resource.as_ref().ok_or_else(|| {
            let message = "`resource` is missing: expected an object, such as one with `policy-id` or `policy-type`";
            DecisionError::Invalid(message.to_owned())
        })
    }

    fn environment<S: RequestSink<'a> + ?Sized>(
        &self,
        drive: &mut Drive<'_, S>,
    ) -> Result<(), DecisionError> {
        let zone = match self.time_zone.scalar() {
            Some(zone) if iso::zone_offset(zone).is_none() => {
                return Err(unreadable("timeZone", zone, "+05:00"));
            }
            Some(zone) => Some(Value::foreign(ids::ZONE_OFFSET_TYPE, drive.keep(zone))),
            None => None,
        };
        let date_time = clock(
            "currentDateTime",
            &self.current_date_time,
            iso::offset_date_time,
            "2025-06-01T08:00:00Z",
        )?;
        let date = clock("currentDate", &self.current_date, iso::local_date, "2025-06-01")?;
        let time = clock("currentTime", &self.current_time, iso::offset_time, "08:00:00+05:00")?;
        let values = [
            (
                environment::CURRENT_DATE_TIME,
                DataType::DateTime,
                date_time.map(Data::DateTime).map(Value::new),
            ),
            (
                environment::CURRENT_DATE,
                DataType::Date,
                date.map(|date| Value::new(Data::Date(Date(date)))),
            ),
            (
                environment::CURRENT_TIME,
                DataType::Time,
                time.map(|time| Value::new(Data::Time(Time(time)))),
            ),
            (ids::GUARD_TIME_ZONE, DataType::Foreign, zone),
        ];
        if values.iter().any(|(_, _, value)| value.is_some()) {
            drive.sink.category(category::ENVIRONMENT, None);
        }
        for (id, data_type, value) in values {
            if let Some(value) = value {
                drive.attribute(id, data_type, value);
            }
        }
        Ok(())
    }
}

fn clock(
    name: &str,
    field: &Loose<'_>,
    read: fn(&str) -> Option<DateTime>,
    example: &str,
) -> Result<Option<DateTime>, DecisionError> {
    let Some(text) = field.scalar() else { return Ok(None) };
    read(text).map(Some).ok_or_else(|| unreadable(name, text, example))
}

#[cold]
fn unreadable(name: &str, text: &str, example: &str) -> DecisionError {
    DecisionError::Invalid(format!(
        "`{name}` cannot be read: `{text}`; expected a value such as {example}"
    ))
}

/// Hands parts of a request to the engine.
pub(super) struct Drive<'s, S: ?Sized> {
    pub(super) sink: &'s mut S,
}

impl<'a, S: RequestSink<'a> + ?Sized> Drive<'_, S> {
    /// The text, for as long as the decision takes.
    pub(super) fn keep(&self, text: &Cow<'a, str>) -> &'a str {
        match text {
            Cow::Borrowed(text) => text,
            Cow::Owned(text) => self.sink.arena().alloc_str(text),
        }
    }

    pub(super) fn attribute(&mut self, id: &'a str, data_type: DataType, value: Value<'a>) {
        self.sink.attribute(AttributeHead { id, issuer: None, include_in_result: false });
        self.sink.value(data_type, value);
    }

    /// An attribute with one text; none where the field has none.
    pub(super) fn text(&mut self, id: &'a str, field: &Loose<'a>) {
        if let Some(text) = field.scalar() {
            let text = self.keep(text);
            self.attribute(id, DataType::String, Value::string(text));
        }
    }

    /// An attribute with a value for each text.
    pub(super) fn texts(&mut self, id: &'a str, field: &Loose<'a>) {
        let mut texts = field.texts().peekable();
        if texts.peek().is_some() {
            self.sink.attribute(AttributeHead { id, issuer: None, include_in_result: false });
        }
        for text in texts {
            let text = self.keep(text);
            self.sink.value(DataType::String, Value::string(text));
        }
    }

    fn guard(&mut self, guard: &GuardFields<'a>) -> Result<(), DecisionError> {
        self.sink.category(category::RESOURCE, None);
        for (field, (name, id)) in guard.texts.iter().zip(GUARD_FIELDS) {
            match field {
                Loose::Absent => {}
                Loose::Text(_) | Loose::Other(_) => self.text(id, field),
                Loose::Null => return Err(unusable(name, "null")),
                Loose::List(_) => return Err(unusable(name, "a list")),
                Loose::Map(_) => return Err(unusable(name, "an object")),
            }
        }
        match &guard.vf_count {
            Loose::Absent => Ok(()),
            Loose::Null => Err(unusable("vfCount", "null")),
            field => {
                let count =
                    field.scalar().and_then(|text| vf_count::decode(text)).ok_or_else(|| {
                        DecisionError::Conversion("Failed to decode vfCount".to_owned())
                    })?;
                let value = Value::new(Data::Integer(Integer::Small(count.into())));
                self.attribute(ids::GUARD_VF_COUNT, DataType::Integer, value);
                Ok(())
            }
        }
    }
}

#[cold]
fn unusable(name: &str, found: &str) -> DecisionError {
    DecisionError::Invalid(format!(
        "`resource.guard.{name}` is {found}: expected a value, or leave the field out"
    ))
}
