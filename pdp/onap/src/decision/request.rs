//! The body of `POST /policy/pdpx/v1/decision`.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};

use super::DecisionError;
use super::fields::{Key, Loose, Resource, ResourceSeed};
use super::node_reader::NodeReader;
use crate::application::Application;
use crate::tosca::Node;

/// A decision request. Text is borrowed from the body where it has no escapes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecisionRequest<'a> {
    pub(super) name: Loose<'a>,
    pub(super) component: Loose<'a>,
    pub(super) instance: Loose<'a>,
    pub(super) request_id: Loose<'a>,
    pub(super) action: Loose<'a>,
    pub(super) current_date_time: Loose<'a>,
    pub(super) current_date: Loose<'a>,
    pub(super) current_time: Loose<'a>,
    pub(super) time_zone: Loose<'a>,
    pub(super) resource: Option<Resource<'a>>,
    pub(super) context: Loose<'a>,
}

impl<'a> DecisionRequest<'a> {
    /// Reads a JSON body. Unknown fields are ignored; those that are known are typed.
    ///
    /// # Errors
    /// [`DecisionError::Malformed`], with line and column.
    pub fn from_json(body: &'a [u8]) -> Result<Self, DecisionError> {
        let mut reader = serde_json::Deserializer::from_slice(body);
        Self::deserialize(&mut reader)
            .and_then(|request| reader.end().map(|()| request))
            .map_err(|error| DecisionError::Malformed(error.to_string()))
    }

    /// Reads a document, such as a YAML body.
    ///
    /// # Errors
    /// [`DecisionError::Malformed`], with line and column.
    pub fn from_node(body: &'a Node) -> Result<Self, DecisionError> {
        Self::deserialize(NodeReader(body))
            .map_err(|error| DecisionError::Malformed(error.to_string()))
    }

    /// The application that answers the request.
    ///
    /// # Errors
    /// [`DecisionError::UnknownAction`], or the action is one that decision requests cannot ask for.
    pub fn application(&self) -> Result<Application, DecisionError> {
        let action = self.action.scalar().map_or("null", |action| action);
        match Application::of_action(action) {
            Some(Application::Native) => {
                let message = "POLICY-500: Do not call native convertRequest";
                Err(DecisionError::Conversion(message.to_owned()))
            }
            Some(application) => Ok(application),
            None => Err(DecisionError::UnknownAction(action.to_owned())),
        }
    }

    /// The id that the caller gave the request.
    pub fn request_id(&self) -> Option<&str> {
        self.request_id.scalar().map(|id| &**id)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for DecisionRequest<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(RequestVisitor)
    }
}

struct RequestVisitor;

impl<'de> Visitor<'de> for RequestVisitor {
    type Value = DecisionRequest<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a decision request, which is an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut request = DecisionRequest::default();
        while let Some(key) = map.next_key::<Key<'de>>()? {
            let (name, field) = match &*key.0 {
                "ONAPName" => ("ONAPName", &mut request.name),
                "ONAPComponent" => ("ONAPComponent", &mut request.component),
                "ONAPInstance" => ("ONAPInstance", &mut request.instance),
                "requestId" => ("requestId", &mut request.request_id),
                "action" => ("action", &mut request.action),
                "currentDateTime" => ("currentDateTime", &mut request.current_date_time),
                "currentDate" => ("currentDate", &mut request.current_date),
                "currentTime" => ("currentTime", &mut request.current_time),
                "timeZone" => ("timeZone", &mut request.time_zone),
                "resource" if request.resource.is_some() => {
                    return Err(A::Error::duplicate_field("resource"));
                }
                "resource" => {
                    let others = request.action.scalar().is_none_or(|action| {
                        Application::of_action(action)
                            .is_none_or(Application::reads_all_of_resource)
                    });
                    request.resource = map.next_value_seed(ResourceSeed { others })?;
                    continue;
                }
                "context" => {
                    request.context.fill("context", &mut map)?;
                    match request.context {
                        Loose::Map(_) | Loose::Null => continue,
                        _ => return Err(A::Error::custom("`context` must be an object")),
                    }
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            field.fill(name, &mut map)?;
            if matches!(field, Loose::List(_) | Loose::Map(_)) {
                return Err(A::Error::custom(format_args!("`{name}` must be text")));
            }
        }
        Ok(request)
    }
}
