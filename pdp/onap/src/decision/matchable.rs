//! Match and optimization: every key of `resource` is a property that policies are matched by, and
//! optimization asks for subscribers first.

use pdp_engine::model::{Answer, AttributeHead, NoticeKind, RequestOptions, RequestSink};
use pdp_engine::value::{Data, DataType, Integer, Value};

use super::fields::{Loose, Resource};
use super::sink::Drive;
use super::{DecisionError, DecisionRequest};
use crate::application::Application;
use crate::ids::{self, category};
use crate::iso;

/// The type of the policies that know subscribers.
const SUBSCRIBER_POLICY: &str = "onap.policies.optimization.service.SubscriberPolicy";
/// The property that the roles of a subscriber are added to.
const SCOPE: &str = "scope";

/// The longest name of a map, in bytes: it is written out for each entry.
const MAX_MAP_NAME: usize = 256;

/// What is known of a subscriber.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subscriber {
    /// Its roles.
    pub roles: Vec<String>,
    /// The status that was told last.
    pub status: Option<String>,
}

impl Subscriber {
    /// What the advice of an answer tells.
    pub fn of(answer: &Answer<'_>) -> Self {
        let mut found = Self::default();
        let advice = answer.notices.iter().filter(|notice| {
            notice.kind == NoticeKind::Advice && notice.id == ids::SUBSCRIBER_ADVICE
        });
        for assignment in advice.flat_map(|notice| notice.assignments) {
            let Data::String(text) = assignment.value.data() else { continue };
            match assignment.attribute_id {
                ids::SUBSCRIBER_ROLE => found.roles.push(text.to_owned()),
                ids::SUBSCRIBER_STATUS => found.status = Some(text.to_owned()),
                _ => {}
            }
        }
        found
    }
}

impl<'a> DecisionRequest<'a> {
    /// Whether subscribers must be asked for before the decision: `context.subscriberName` is a list
    /// with something in it.
    pub fn asks_for_subscriber(&self, application: Application) -> bool {
        let names = self.context.get("subscriberName");
        application == Application::Optimization
            && matches!(names, Some(Loose::List(names)) if !names.is_empty())
    }

    /// Hands the question for the subscriber to the engine: the request, for subscriber policies
    /// alone, with everything in `context` as the subscriber's name.
    ///
    /// # Errors
    /// As [`DecisionRequest::drive`].
    pub fn drive_for_subscriber<S: RequestSink<'a> + ?Sized>(
        &self,
        options: RequestOptions,
        sink: &mut S,
    ) -> Result<(), DecisionError> {
        let resource = self.resource()?;
        sink.options(options);
        let mut drive = Drive { sink, by_place: false };
        self.subject(&mut drive);
        if let Loose::Map(entries) = &self.context {
            let mut names = entries.iter().flat_map(|(_, value)| value.scalars()).peekable();
            if names.peek().is_some() {
                drive.head(ids::SUBSCRIBER_NAME);
            }
            for name in names {
                let name = drive.keep(name);
                drive.sink.value(DataType::String, Value::string(name));
            }
        }
        drive.sink.category(category::ACTION, None);
        drive.text(ids::ACTION_ID, &self.action);
        drive.sink.category(category::RESOURCE, None);
        drive.attribute(ids::POLICY_TYPE, DataType::String, Value::string(SUBSCRIBER_POLICY));
        drive.properties(resource, &[]);
        Ok(())
    }

    /// Hands the request to the engine, the roles of its subscriber added to its scope.
    ///
    /// # Errors
    /// As [`DecisionRequest::drive`].
    pub fn drive_for<S: RequestSink<'a> + ?Sized>(
        &self,
        subscriber: &Subscriber,
        options: RequestOptions,
        sink: &mut S,
    ) -> Result<(), DecisionError> {
        let resource = self.resource()?;
        sink.options(options);
        let mut drive = Drive { sink, by_place: false };
        self.subject(&mut drive);
        drive.sink.category(category::ACTION, None);
        drive.text(ids::ACTION_ID, &self.action);
        drive.matchables(resource, &subscriber.roles);
        Ok(())
    }
}

impl<'a, S: RequestSink<'a> + ?Sized> Drive<'_, S> {
    /// The policy types that are wanted, and the properties.
    pub(super) fn matchables(&mut self, resource: &Resource<'a>, roles: &[String]) {
        self.sink.category(category::RESOURCE, None);
        self.texts(ids::POLICY_TYPE, &resource.policy_type);
        self.properties(resource, roles);
    }

    /// Each key as a property; `roles` are further values of the scope.
    fn properties(&mut self, resource: &Resource<'a>, roles: &[String]) {
        self.property("policy-id", &resource.policy_id);
        for (name, value) in &resource.others {
            self.property(name, value);
        }
        if !roles.is_empty() {
            let id = self.property_id(SCOPE);
            self.head(id);
            for role in roles {
                let role = self.sink.arena().alloc_str(role);
                self.sink.value(DataType::String, Value::string(role));
            }
        }
    }

    fn property(&mut self, name: &str, value: &Loose<'a>) {
        match value {
            Loose::Absent | Loose::Null => {}
            // The entries of a map are properties by the names of both.
            Loose::Map(entries) if name.len() <= MAX_MAP_NAME => {
                for (key, value) in entries {
                    if !matches!(value, Loose::Map(_)) {
                        self.property(&format!("{name}:{key}"), value);
                    }
                }
            }
            Loose::Map(_) => {}
            _ => {
                let mut values = value.scalars().peekable();
                if values.peek().is_some() {
                    let id = self.property_id(name);
                    self.head(id);
                }
                for value in values {
                    let text = self.keep(value);
                    self.value(text);
                }
            }
        }
    }

    fn property_id(&self, name: &str) -> &'a str {
        let arena = self.sink.arena();
        arena.alloc_str(&[ids::MATCHABLE_PREFIX, name].concat())
    }

    pub(super) fn head(&mut self, id: &'a str) {
        self.sink.attribute(AttributeHead { id, issuer: None, include_in_result: false });
    }

    /// A value is text, and everything else that its text reads as: policies compare by the type of
    /// their property.
    fn value(&mut self, text: &'a str) {
        self.sink.value(DataType::String, Value::string(text));
        if text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false") {
            let value = Data::Boolean(text.len() == 4);
            self.sink.value(DataType::Boolean, Value::new(value));
        }
        if !text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first)) {
            return;
        }
        if let Ok(number) = text.parse() {
            let value = Data::Integer(Integer::Small(number));
            self.sink.value(DataType::Integer, Value::new(value));
        }
        if let Some(number) = text.parse().ok().filter(|number: &f64| number.is_finite()) {
            self.sink.value(DataType::Double, Value::new(Data::Double(number)));
        }
        if text.len() >= "2025-06-01".len()
            && let Some(time) = iso::timestamp(text)
        {
            self.sink.value(DataType::DateTime, Value::new(Data::DateTime(time)));
        }
    }
}
