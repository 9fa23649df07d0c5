//! The shorthands of the JSON profile: categories, data types, attributes.

use crate::format::cursor::nearest;
use crate::model::{AttributeHead, RequestOptions, RequestSink};
use crate::value::{Arena, DataType, Spelling, Value, is_identifier};

/// A category's shorthand and identifier.
pub(super) const CATEGORIES: [(&str, &str); 8] = [
    ("AccessSubject", "urn:oasis:names:tc:xacml:1.0:subject-category:access-subject"),
    ("RecipientSubject", "urn:oasis:names:tc:xacml:1.0:subject-category:recipient-subject"),
    ("IntermediarySubject", "urn:oasis:names:tc:xacml:1.0:subject-category:intermediary-subject"),
    ("Codebase", "urn:oasis:names:tc:xacml:1.0:subject-category:codebase"),
    ("RequestingMachine", "urn:oasis:names:tc:xacml:1.0:subject-category:requesting-machine"),
    ("Resource", "urn:oasis:names:tc:xacml:3.0:attribute-category:resource"),
    ("Action", "urn:oasis:names:tc:xacml:3.0:attribute-category:action"),
    ("Environment", "urn:oasis:names:tc:xacml:3.0:attribute-category:environment"),
];

/// The identifier of a category, which may be written as its shorthand.
pub(super) fn category(name: &str) -> &str {
    CATEGORIES.iter().find(|(short, _)| *short == name).map_or(name, |(_, uri)| uri)
}

/// A data type by short name or identifier: the type, and the identifier of one that is not known.
pub(super) fn data_type(name: &str) -> Result<(Type, &str), String> {
    if let Some(data_type) = DataType::from_short_name(name) {
        return Ok((Type::Known(data_type, Spelling::Current), name));
    }
    if let Some((data_type, spelling)) = DataType::from_uri(name) {
        return Ok((Type::Known(data_type, spelling), name));
    }
    // A short name that is not known is a mistake.
    if is_identifier(name) {
        return Ok((Type::Foreign, name));
    }
    let known = DataType::ALL.iter().map(|data_type| data_type.short_name());
    Err(match nearest(name, known) {
        Some(close) => format!("there is no data type `{name}`; did you mean `{close}`?"),
        None => format!("there is no data type `{name}`; the identifier of one is a URI"),
    })
}

/// The identifier of a data type, which may be written as its short name.
pub(super) fn type_uri(name: &str) -> &str {
    match DataType::from_short_name(name) {
        Some(data_type) => data_type.uri(),
        None => name,
    }
}

/// A data type as a request names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    /// One of the standard, under one of its identifiers.
    Known(DataType, Spelling),
    /// Another one.
    Foreign,
}

/// The attribute shorthands that ONAP's clients use. The profile has none: `subject-id` is an
/// identifier of its own.
const ATTRIBUTES: [(&str, &str); 17] = [
    ("subject-id", "urn:oasis:names:tc:xacml:1.0:subject:subject-id"),
    ("subject-id-qualifier", "urn:oasis:names:tc:xacml:1.0:subject:subject-id-qualifier"),
    ("key-info", "urn:oasis:names:tc:xacml:1.0:subject:key-info"),
    ("authentication-time", "urn:oasis:names:tc:xacml:1.0:subject:authentication-time"),
    ("authentication-method", "urn:oasis:names:tc:xacml:1.0:subject:authentication-method"),
    ("ip-address", "urn:oasis:names:tc:xacml:1.0:subject:authn-locality:ip-address"),
    ("dns-name", "urn:oasis:names:tc:xacml:1.0:subject:authn-locality:dns-name"),
    ("request-time", "urn:oasis:names:tc:xacml:1.0:subject:request-time"),
    ("session-start-time", "urn:oasis:names:tc:xacml:1.0:subject:session-start-time"),
    ("resource-id", "urn:oasis:names:tc:xacml:1.0:resource:resource-id"),
    ("resource-location", "urn:oasis:names:tc:xacml:1.0:resource:resource-location"),
    ("simple-file-name", "urn:oasis:names:tc:xacml:1.0:resource:simple-file-name"),
    ("target-namespace", "urn:oasis:names:tc:xacml:2.0:resource:target-namespace"),
    ("action-id", "urn:oasis:names:tc:xacml:1.0:action:action-id"),
    ("implied-action", "urn:oasis:names:tc:xacml:1.0:action:implied-action"),
    ("action-namespace", "urn:oasis:names:tc:xacml:1.0:action:action-namespace"),
    ("role", "urn:oasis:names:tc:xacml:2.0:subject:role"),
];

/// Whether an attribute, by category and identifier, is meant as it is written.
pub type AsWritten<'s> = &'s dyn Fn(&str, &str) -> bool;

/// Expands attribute shorthands on their way into a sink, but for those that are meant as they are
/// written. The reader itself never does.
pub struct ShortIds<'s, 'a, S> {
    sink: &'s mut S,
    as_written: AsWritten<'s>,
    category: &'a str,
}

impl<'s, S> ShortIds<'s, '_, S> {
    /// Expands what goes into `sink`.
    pub fn new(sink: &'s mut S, as_written: AsWritten<'s>) -> Self {
        Self { sink, as_written, category: "" }
    }
}

impl<S> std::fmt::Debug for ShortIds<'_, '_, S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShortIds").field("category", &self.category).finish_non_exhaustive()
    }
}

impl<'a, S: RequestSink<'a>> RequestSink<'a> for ShortIds<'_, 'a, S> {
    fn arena(&self) -> &'a Arena {
        self.sink.arena()
    }

    fn options(&mut self, options: RequestOptions) {
        self.sink.options(options);
    }

    fn category(&mut self, category: &'a str, xml_id: Option<&'a str>) {
        self.category = category;
        self.sink.category(category, xml_id);
    }

    fn content(&mut self, xml: &'a str) {
        self.sink.content(xml);
    }

    fn attribute(&mut self, head: AttributeHead<'a>) {
        let id = ATTRIBUTES.iter().find(|(short, _)| *short == head.id);
        let id = id.filter(|(short, _)| !(self.as_written)(self.category, short));
        self.sink.attribute(AttributeHead { id: id.map_or(head.id, |(_, uri)| uri), ..head });
    }

    fn value(&mut self, data_type: DataType, value: Value<'a>) {
        self.sink.value(data_type, value);
    }

    fn reference(&mut self, xml_ids: &[&'a str]) {
        self.sink.reference(xml_ids);
    }
}
