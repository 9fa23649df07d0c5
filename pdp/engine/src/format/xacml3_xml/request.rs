//! Reads and writes requests (XACML 3.0 sections 5.42 to 5.46 and the multiple decision profile).

pub use super::request_writer::write;

use std::borrow::Cow;

use super::policy::xpath_version;
use super::{NAMESPACE, VOCABULARY};
use crate::error::{Position, ReadError, code};
use crate::format::cursor::{ReadLimits, nearest};
use crate::format::xml::decode;
use crate::format::xml::element::{Children, Elements, Shape, Slot, Stop};
use crate::format::xml::scan::{Attribute, Tag};
use crate::model::{AttributeHead, RequestOptions, RequestSink};
use crate::value::{Arena, DataType, Value, is_identifier};

const REQUEST: Shape = Shape::new(
    "Request",
    &[
        Slot::optional(&["RequestDefaults"]),
        Slot::some(&["Attributes"]),
        Slot::optional(&["MultiRequests"]),
    ],
);
const ATTRIBUTES: Shape =
    Shape::new("Attributes", &[Slot::optional(&["Content"]), Slot::any(&["Attribute"])]);
const ATTRIBUTE: Shape = Shape::new("Attribute", &[Slot::some(&["AttributeValue"])]);
const MULTI_REQUESTS: Shape = Shape::new("MultiRequests", &[Slot::some(&["RequestReference"])]);
const REQUEST_REFERENCE: Shape =
    Shape::new("RequestReference", &[Slot::some(&["AttributesReference"])]);

/// Reads a request straight into `sink`, borrowing from `bytes` what needs no unescaping.
///
/// # Errors
/// The first problem of the document. What the sink was given up to there is of no use.
pub fn read<'a>(
    bytes: &'a [u8],
    limits: &ReadLimits,
    sink: &mut impl RequestSink<'a>,
) -> Result<(), ReadError> {
    let limits = ReadLimits { problems: 1, ..*limits };
    let source = keep(decode(bytes, &limits)?, sink.arena());
    let mut elements = Elements::new(source, &limits, &VOCABULARY);
    let read = document(&mut elements, sink);
    elements.finish(read).map_err(first)
}

/// Reads what stands within an Attributes element of `category` into `sink`. Elements without a
/// prefix are of the namespace of XACML.
///
/// # Errors
/// The first problem. What the sink was given up to there is of no use.
pub fn read_category<'a>(
    body: &str,
    category: &'a str,
    limits: &ReadLimits,
    sink: &mut impl RequestSink<'a>,
) -> Result<(), ReadError> {
    let limits = ReadLimits { problems: 1, ..*limits };
    let mut document = bumpalo::collections::String::new_in(sink.arena());
    for part in ["<Attributes xmlns='", NAMESPACE, "'>", body, "</Attributes>"] {
        document.push_str(part);
    }
    let mut elements = Elements::new(document.into_bump_str(), &limits, &VOCABULARY);
    sink.category(category, None);
    let read = elements.root(&["Attributes"]).and_then(|tag| {
        parts(&mut elements, &tag, sink)?;
        elements.end()
    });
    elements.finish(read).map_err(first)
}

fn first(problems: Vec<ReadError>) -> ReadError {
    problems.into_iter().next().unwrap_or_else(|| {
        ReadError::at(Position::default(), code::XML_SYNTAX, "the document cannot be read")
    })
}

fn document<'a>(elements: &mut Elements<'a>, sink: &mut impl RequestSink<'a>) -> Result<(), Stop> {
    let tag = elements.root(&["Request"])?;
    let [policy_ids, combined] =
        elements.attributes(&tag, &["ReturnPolicyIdList", "CombinedDecision"])?;
    sink.options(RequestOptions {
        return_policy_ids: elements.required_boolean(&tag, "ReturnPolicyIdList", policy_ids)?,
        combined_decision: elements.required_boolean(&tag, "CombinedDecision", combined)?,
    });
    let mut children = Children::of(&tag, REQUEST);
    while let Some(child) = elements.child(&mut children)? {
        match child.local {
            "RequestDefaults" => {
                xpath_version(elements, &child)?;
            }
            "Attributes" => category(elements, &child, sink)?,
            _ => references(elements, &child, sink)?,
        }
    }
    elements.end()
}

pub(super) fn category<'a>(
    elements: &mut Elements<'a>,
    tag: &Tag<'a>,
    sink: &mut impl RequestSink<'a>,
) -> Result<(), Stop> {
    let arena = sink.arena();
    let [category, id] = elements.attributes(tag, &["Category", "xml:id"])?;
    let category = keep(elements.required_uri(tag, "Category", category)?, arena);
    sink.category(category, id.map(|id| keep(id.uri(), arena)));
    parts(elements, tag, sink)
}

/// The Content and the attributes of a category.
fn parts<'a>(
    elements: &mut Elements<'a>,
    tag: &Tag<'a>,
    sink: &mut impl RequestSink<'a>,
) -> Result<(), Stop> {
    let arena = sink.arena();
    let mut children = Children::of(tag, ATTRIBUTES);
    while let Some(child) = elements.child(&mut children)? {
        if child.local == "Content" {
            elements.attributes(&child, &[])?;
            if let Some(content) = elements.fragment(&child, arena)? {
                sink.content(content);
            }
        } else {
            attribute(elements, &child, sink)?;
        }
    }
    Ok(())
}

fn attribute<'a>(
    elements: &mut Elements<'a>,
    tag: &Tag<'a>,
    sink: &mut impl RequestSink<'a>,
) -> Result<(), Stop> {
    let arena = sink.arena();
    let [id, include, issuer] =
        elements.attributes(tag, &["AttributeId", "IncludeInResult", "Issuer"])?;
    sink.attribute(AttributeHead {
        id: keep(elements.required_uri(tag, "AttributeId", id)?, arena),
        issuer: issuer.map(|issuer| keep(issuer.value(), arena)),
        include_in_result: elements.required_boolean(tag, "IncludeInResult", include)?,
    });
    let mut children = Children::of(tag, ATTRIBUTE);
    while let Some(child) = elements.child(&mut children)? {
        let value = value(elements, &child, arena)?;
        sink.value(value.data_type(), value);
    }
    Ok(())
}

/// An AttributeValue or AttributeAssignment: an element whose content is a value.
pub(super) fn value<'a>(
    elements: &mut Elements<'a>,
    tag: &Tag<'a>,
    arena: &'a Arena,
) -> Result<Value<'a>, Stop> {
    let [data_type, category] = elements.open_attributes(&["DataType", "XPathCategory"]);
    typed_value(elements, tag, data_type, category, arena)
}

pub(super) fn typed_value<'a>(
    elements: &mut Elements<'a>,
    tag: &Tag<'a>,
    data_type: Option<Attribute<'a>>,
    category: Option<Attribute<'a>>,
    arena: &'a Arena,
) -> Result<Value<'a>, Stop> {
    let type_uri = elements.required_uri(tag, "DataType", data_type)?;
    let parsed = match DataType::from_uri(&type_uri) {
        Some((DataType::XPathExpression, _)) => {
            let category = category.map(|category| category.uri()).unwrap_or_default();
            // In scope here; the content is read first, and no element in it is allowed.
            let namespaces = elements.prefixes(tag)?;
            let path = elements.text(tag)?;
            let namespaces = namespaces.iter().map(|(prefix, uri)| (*prefix, uri.as_ref()));
            Value::xpath(&path, &category, namespaces, arena)
        }
        Some((data_type, spelling)) => {
            let text = keep(elements.text(tag)?, arena);
            Value::parse(data_type, text, arena).map(|value| value.spelled(spelling))
        }
        None => {
            if !is_identifier(&type_uri) {
                let message = unknown_type(&type_uri);
                elements.problem(tag.offset, code::VALUE, message)?;
            }
            let text = keep(elements.mixed(tag)?, arena);
            Ok(Value::foreign(keep(type_uri, arena), text))
        }
    };
    match parsed {
        Ok(value) => Ok(value),
        Err(error) => {
            elements.problem(tag.offset, code::VALUE, error.to_string())?;
            Ok(Value::string(""))
        }
    }
}

/// What is wrong with a data type that is no URI: a short name, perhaps misspelt.
#[cold]
fn unknown_type(name: &str) -> String {
    let known = DataType::ALL.iter().map(|data_type| data_type.short_name());
    match nearest(name, known).and_then(DataType::from_short_name) {
        Some(close) => {
            format!("there is no data type `{name}`; did you mean `{}`?", close.uri())
        }
        None => format!("there is no data type `{name}`; the identifier of one is a URI"),
    }
}

fn references<'a>(
    elements: &mut Elements<'a>,
    tag: &Tag<'a>,
    sink: &mut impl RequestSink<'a>,
) -> Result<(), Stop> {
    let arena = sink.arena();
    let mut ids = Vec::new();
    elements.attributes(tag, &[])?;
    let mut requests = Children::of(tag, MULTI_REQUESTS);
    while let Some(request) = elements.child(&mut requests)? {
        elements.attributes(&request, &[])?;
        ids.clear();
        let mut references = Children::of(&request, REQUEST_REFERENCE);
        while let Some(reference) = elements.child(&mut references)? {
            let [id] = elements.attributes(&reference, &["ReferenceId"])?;
            ids.push(keep(elements.required_uri(&reference, "ReferenceId", id)?, arena));
            elements.leaf(&reference, "AttributesReference")?;
        }
        sink.reference(&ids);
    }
    Ok(())
}

/// The text for as long as the decision lives.
pub(super) fn keep<'a>(text: Cow<'a, str>, arena: &'a Arena) -> &'a str {
    match text {
        Cow::Borrowed(text) => text,
        Cow::Owned(text) => arena.alloc_str(&text),
    }
}
