//! From a decision request to a request of the engine.

use std::borrow::Cow;

use pdp_engine::model::{AttributeHead, RequestOptions, RequestSink};
use pdp_engine::value::{Data, DataType, Date, DateTime, Integer, Time, Value};

use super::expected::{EXPECTED, Place};
use super::fields::{GUARD_FIELDS, GuardFields, Loose, Resource};
use super::{DecisionError, DecisionRequest, vf_count};
use crate::application::Application;
use crate::ids::{self, category};
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
        // Properties have names of their own, which no table knows.
        let by_place = !matches!(application, Application::Match | Application::Optimization)
            && sink.takes(&EXPECTED);
        let mut drive = Drive { sink, by_place };
        self.subject(&mut drive);
        if application == Application::Guard {
            drive.known_text(Place::REQUEST_ID, &self.request_id);
        }
        drive.category(category::ACTION);
        match application {
            Application::Guard => {
                // The constant, whatever the action said.
                drive.known(Place::ACTION_ID, Value::string("guard"));
                let guard = self.resource.as_ref().and_then(|resource| resource.guard.as_ref());
                if let Some(guard) = guard {
                    drive.guard(guard)?;
                }
                self.environment(&mut drive)
            }
            Application::Match | Application::Optimization => {
                drive.known_text(Place::ACTION_ID, &self.action);
                drive.matchables(self.resource()?, &[]);
                Ok(())
            }
            _ => {
                drive.known_text(Place::ACTION_ID, &self.action);
                let resource = self.resource()?;
                drive.category(category::RESOURCE);
                drive.known_texts(Place::RESOURCE_ID, &resource.policy_id);
                drive.known_texts(Place::POLICY_TYPE, &resource.policy_type);
                Ok(())
            }
        }
    }

    /// Who asks.
    pub(super) fn subject<S: RequestSink<'a> + ?Sized>(&self, drive: &mut Drive<'_, S>) {
        drive.category(category::SUBJECT);
        drive.known_text(Place::SUBJECT_ID, &self.name);
        drive.known_text(Place::COMPONENT, &self.component);
        drive.known_text(Place::INSTANCE, &self.instance);
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
            (Place::DATE_TIME, date_time.map(Data::DateTime).map(Value::new)),
            (Place::DATE, date.map(|date| Value::new(Data::Date(Date(date))))),
            (Place::TIME, time.map(|time| Value::new(Data::Time(Time(time))))),
            (Place::TIME_ZONE, zone),
        ];
        if values.iter().any(|(_, value)| value.is_some()) {
            drive.category(category::ENVIRONMENT);
        }
        for (place, value) in values {
            if let Some(value) = value {
                drive.known(place, value);
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
    /// The sink takes what is expected by its place; all that is handed over is expected.
    pub(super) by_place: bool,
}

impl<'a, S: RequestSink<'a> + ?Sized> Drive<'_, S> {
    /// The text, for as long as the decision takes.
    pub(super) fn keep(&self, text: &Cow<'a, str>) -> &'a str {
        match text {
            Cow::Borrowed(text) => text,
            Cow::Owned(text) => self.sink.arena().alloc_str(text),
        }
    }

    pub(super) fn category(&mut self, category: &'a str) {
        if !self.by_place {
            self.sink.category(category, None);
        }
    }

    /// A value of an attribute that is expected.
    #[inline]
    pub(super) fn known(&mut self, place: Place, value: Value<'a>) {
        if self.by_place {
            self.sink.expected(place.number(), value);
        } else {
            let expected = place.attribute();
            self.attribute(expected.id, expected.data_type, value);
        }
    }

    /// An expected attribute with one text; none where the field has none.
    #[inline]
    pub(super) fn known_text(&mut self, place: Place, field: &Loose<'a>) {
        if let Some(text) = field.scalar() {
            let text = self.keep(text);
            self.known(place, Value::string(text));
        }
    }

    /// An expected attribute with a value for each text.
    pub(super) fn known_texts(&mut self, place: Place, field: &Loose<'a>) {
        if !self.by_place {
            self.texts(place.attribute().id, field);
            return;
        }
        for text in field.texts() {
            let text = self.keep(text);
            self.sink.expected(place.number(), Value::string(text));
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
        self.category(category::RESOURCE);
        for (number, field) in guard.texts.iter().enumerate() {
            let name = GUARD_FIELDS[number].0;
            match field {
                Loose::Absent => {}
                Loose::Text(_) | Loose::Other(_) => {
                    self.known_text(Place::guard_field(number), field);
                }
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
                self.known(Place::VF_COUNT, value);
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
