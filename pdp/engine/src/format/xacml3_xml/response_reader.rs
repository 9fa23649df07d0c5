//! Reads responses into the form that comparisons use.

use super::VOCABULARY;
use super::request::{category, typed_value};
use crate::error::{Position, ReadError, code};
use crate::format::cursor::{ReadLimits, quoted};
use crate::format::xml::decode;
use crate::format::xml::element::{Children, Elements, Shape, Slot, Stop};
use crate::format::xml::scan::Tag;
use crate::model::{
    Decision, OwnedAssignment, OwnedMissingAttribute, OwnedNotice, OwnedPolicyIdentifier,
    OwnedResponse, OwnedResult, OwnedStatus, PolicyKind, Recorder,
};
use crate::value::{Arena, OwnedValue};

const RESPONSE: Shape = Shape::new("Response", &[Slot::some(&["Result"])]);
const RESULT: Shape = Shape::new(
    "Result",
    &[
        Slot::one(&["Decision"]),
        Slot::optional(&["Status"]),
        Slot::optional(&["Obligations"]),
        Slot::optional(&["AssociatedAdvice"]),
        Slot::any(&["Attributes"]),
        Slot::optional(&["PolicyIdentifierList"]),
    ],
);
const STATUS: Shape = Shape::new(
    "Status",
    &[
        Slot::one(&["StatusCode"]),
        Slot::optional(&["StatusMessage"]),
        Slot::optional(&["StatusDetail"]),
    ],
);
const STATUS_CODE: Shape = Shape::new("StatusCode", &[Slot::optional(&["StatusCode"])]);
const OBLIGATIONS: Shape = Shape::new("Obligations", &[Slot::any(&["Obligation"])]);
const ADVICE: Shape = Shape::new("AssociatedAdvice", &[Slot::any(&["Advice"])]);
const ASSIGNMENTS: &[Slot] = &[Slot::any(&["AttributeAssignment"])];
const POLICIES: Shape = Shape::new(
    "PolicyIdentifierList",
    &[Slot::any(&["PolicyIdReference", "PolicySetIdReference"])],
);

/// Reads a response.
///
/// # Errors
/// The first problem of the document.
pub fn read(bytes: &[u8], limits: &ReadLimits) -> Result<OwnedResponse, ReadError> {
    let limits = ReadLimits { problems: 1, ..*limits };
    let arena = Arena::new();
    let source = super::request::keep(decode(bytes, &limits)?, &arena);
    let mut elements = Elements::new(source, &limits, &VOCABULARY);
    let read = document(&mut elements, &arena);
    elements.finish(read).map_err(|problems| {
        problems.into_iter().next().unwrap_or_else(|| {
            ReadError::at(Position::default(), code::XML_SYNTAX, "the document cannot be read")
        })
    })
}

fn document<'a>(elements: &mut Elements<'a>, arena: &'a Arena) -> Result<OwnedResponse, Stop> {
    let tag = elements.root(&["Response"])?;
    elements.attributes(&tag, &[])?;
    let mut response = OwnedResponse::default();
    let mut children = Children::of(&tag, RESPONSE);
    while let Some(child) = elements.child(&mut children)? {
        response.results.push(result(elements, &child, arena)?);
    }
    elements.end()?;
    Ok(response)
}

fn result<'a>(
    elements: &mut Elements<'a>,
    tag: &Tag<'a>,
    arena: &'a Arena,
) -> Result<OwnedResult, Stop> {
    elements.attributes(tag, &[])?;
    let mut recorder = Recorder::new(arena);
    let mut result = OwnedResult {
        decision: Decision::Indeterminate,
        status: OwnedStatus::default(),
        obligations: Vec::new(),
        advice: Vec::new(),
        categories: Vec::new(),
        policies: None,
    };
    let mut children = Children::of(tag, RESULT);
    while let Some(child) = elements.child(&mut children)? {
        match child.local {
            "Decision" => result.decision = decision(elements, &child)?,
            "Status" => result.status = status(elements, &child)?,
            "Obligations" => result.obligations = notices(elements, &child, OBLIGATIONS, arena)?,
            "AssociatedAdvice" => result.advice = notices(elements, &child, ADVICE, arena)?,
            "Attributes" => category(elements, &child, &mut recorder)?,
            _ => result.policies = Some(policies(elements, &child)?),
        }
    }
    result.categories = recorder.finish().categories;
    Ok(result)
}

fn decision<'a>(elements: &mut Elements<'a>, tag: &Tag<'a>) -> Result<Decision, Stop> {
    elements.attributes(tag, &[])?;
    let text = elements.identifier(tag)?;
    match Decision::from_name(&text) {
        Some(decision) => Ok(decision),
        None => {
            let message = format!("{} is not a decision", quoted(&text));
            elements.problem(tag.offset, code::VALUE, message)?;
            Ok(Decision::Indeterminate)
        }
    }
}

fn status<'a>(elements: &mut Elements<'a>, tag: &Tag<'a>) -> Result<OwnedStatus, Stop> {
    elements.attributes(tag, &[])?;
    let mut status = OwnedStatus { codes: Vec::new(), message: None, missing: Vec::new() };
    let mut children = Children::of(tag, STATUS);
    while let Some(child) = elements.child(&mut children)? {
        match child.local {
            "StatusCode" => status_code(elements, &child, &mut status.codes)?,
            "StatusMessage" => status.message = Some(elements.prose(&child)?),
            _ => detail(elements, &child, &mut status.missing)?,
        }
    }
    Ok(status)
}

fn status_code<'a>(
    elements: &mut Elements<'a>,
    tag: &Tag<'a>,
    codes: &mut Vec<String>,
) -> Result<(), Stop> {
    let [value] = elements.attributes(tag, &["Value"])?;
    codes.push(elements.required_uri(tag, "Value", value)?.into_owned());
    let mut children = Children::of(tag, STATUS_CODE);
    while let Some(child) = elements.child(&mut children)? {
        status_code(elements, &child, codes)?;
    }
    Ok(())
}

/// StatusDetail may hold anything; what is known of it are the missing attributes.
fn detail<'a>(
    elements: &mut Elements<'a>,
    tag: &Tag<'a>,
    missing: &mut Vec<OwnedMissingAttribute>,
) -> Result<(), Stop> {
    use crate::format::xml::scan::Token;
    elements.attributes(tag, &[])?;
    loop {
        match elements.token()? {
            Token::Start(child)
                if child.local == "MissingAttributeDetail"
                    && elements.scanner.namespace(&child) == super::NAMESPACE =>
            {
                let [category, id, data_type, issuer] = elements
                    .attributes(&child, &["Category", "AttributeId", "DataType", "Issuer"])?;
                missing.push(OwnedMissingAttribute {
                    category: elements.required_uri(&child, "Category", category)?.into_owned(),
                    id: elements.required_uri(&child, "AttributeId", id)?.into_owned(),
                    data_type: elements.required_uri(&child, "DataType", data_type)?.into_owned(),
                    issuer: issuer.map(|issuer| issuer.value().into_owned()),
                });
                elements.skip()?;
            }
            Token::Start(_) => elements.skip()?,
            Token::End | Token::Eof => return Ok(()),
            Token::Text(_) | Token::Character(_) => {}
        }
    }
}

fn notices<'a>(
    elements: &mut Elements<'a>,
    tag: &Tag<'a>,
    shape: Shape,
    arena: &'a Arena,
) -> Result<Vec<OwnedNotice>, Stop> {
    elements.attributes(tag, &[])?;
    let mut notices = Vec::new();
    let mut children = Children::of(tag, shape);
    while let Some(child) = elements.child(&mut children)? {
        let (name, id_name) = if child.local == "Obligation" {
            ("Obligation", "ObligationId")
        } else {
            ("Advice", "AdviceId")
        };
        let [id] = elements.attributes(&child, &[id_name])?;
        let id = elements.required_uri(&child, id_name, id)?.into_owned();
        let mut notice = OwnedNotice { id, assignments: Vec::new() };
        let mut assignments = Children::of(&child, Shape::new(name, ASSIGNMENTS));
        while let Some(tag) = elements.child(&mut assignments)? {
            notice.assignments.push(assignment(elements, &tag, arena)?);
        }
        notices.push(notice);
    }
    Ok(notices)
}

fn assignment<'a>(
    elements: &mut Elements<'a>,
    tag: &Tag<'a>,
    arena: &'a Arena,
) -> Result<OwnedAssignment, Stop> {
    let [id, category, issuer, data_type, xpath_category] = elements.open_attributes(&[
        "AttributeId",
        "Category",
        "Issuer",
        "DataType",
        "XPathCategory",
    ]);
    let id = elements.required_uri(tag, "AttributeId", id)?.into_owned();
    let value = typed_value(elements, tag, data_type, xpath_category, arena)?;
    Ok(OwnedAssignment {
        attribute_id: id,
        category: category.map(|category| category.uri().into_owned()),
        issuer: issuer.map(|issuer| issuer.value().into_owned()),
        value: OwnedValue::from(&value),
    })
}

fn policies<'a>(
    elements: &mut Elements<'a>,
    tag: &Tag<'a>,
) -> Result<Vec<OwnedPolicyIdentifier>, Stop> {
    elements.attributes(tag, &[])?;
    let mut policies = Vec::new();
    let mut children = Children::of(tag, POLICIES);
    while let Some(child) = elements.child(&mut children)? {
        let kind = if child.local == "PolicyIdReference" {
            PolicyKind::Policy
        } else {
            PolicyKind::PolicySet
        };
        let [version] = elements.attributes(&child, &["Version"])?;
        let version = match version.map(|version| (version.offset, version.value().parse())) {
            Some((_, Ok(version))) => Some(version),
            Some((offset, Err(message))) => {
                elements.problem(offset, code::VALUE, message)?;
                None
            }
            None => None,
        };
        let id = elements.identifier(&child)?;
        policies.push(OwnedPolicyIdentifier { kind, id, version });
    }
    Ok(policies)
}
