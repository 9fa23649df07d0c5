//! Reads obligation and advice expressions (XACML 3.0 sections 5.35 to 5.41).

use super::expression::{EXPRESSIONS, single};
use crate::error::code;
use crate::format::cursor::quoted;
use crate::format::xml::element::{Children, Elements, Shape, Slot, Stop};
use crate::format::xml::scan::{Attribute, Tag};
use crate::model::{Assignment, Effect, Notice, NoticeKind};

/// The last children of a policy, policy set or rule.
pub(super) const NOTICES: [Slot; 2] =
    [Slot::optional(&["ObligationExpressions"]), Slot::optional(&["AdviceExpressions"])];

const OBLIGATIONS: Shape =
    Shape::new("ObligationExpressions", &[Slot::some(&["ObligationExpression"])]);
const ADVICE: Shape = Shape::new("AdviceExpressions", &[Slot::some(&["AdviceExpression"])]);
const ASSIGNMENTS: &[Slot] = &[Slot::any(&["AttributeAssignmentExpression"])];
const ASSIGNMENT: Shape = Shape::new("AttributeAssignmentExpression", &[Slot::one(EXPRESSIONS)]);

/// ObligationExpressions or AdviceExpressions: at least one of them, added to `notices`.
pub(super) fn notices<'i>(
    elements: &mut Elements<'i>,
    tag: &Tag<'i>,
    notices: &mut Vec<Notice>,
) -> Result<(), Stop> {
    let (kind, shape) = if tag.local == "ObligationExpressions" {
        (NoticeKind::Obligation, OBLIGATIONS)
    } else {
        (NoticeKind::Advice, ADVICE)
    };
    elements.attributes(tag, &[])?;
    let mut children = Children::of(tag, shape);
    while let Some(child) = elements.child(&mut children)? {
        notices.push(notice(elements, &child, kind)?);
    }
    Ok(())
}

fn notice<'i>(
    elements: &mut Elements<'i>,
    tag: &Tag<'i>,
    kind: NoticeKind,
) -> Result<Notice, Stop> {
    let (name, [id_name, effect_name]) = match kind {
        NoticeKind::Obligation => ("ObligationExpression", ["ObligationId", "FulfillOn"]),
        NoticeKind::Advice => ("AdviceExpression", ["AdviceId", "AppliesTo"]),
    };
    let position = elements.position(tag.offset);
    let [id, effect_attribute] = elements.attributes(tag, &[id_name, effect_name])?;
    let mut notice = Notice {
        kind,
        id: elements.required_uri(tag, id_name, id)?.into_owned().into(),
        effect: effect(elements, tag, effect_name, effect_attribute)?,
        assignments: Vec::new(),
        position,
    };
    let mut children = Children::of(tag, Shape::new(name, ASSIGNMENTS));
    while let Some(child) = elements.child(&mut children)? {
        notice.assignments.push(assignment(elements, &child)?);
    }
    Ok(notice)
}

fn assignment<'i>(elements: &mut Elements<'i>, tag: &Tag<'i>) -> Result<Assignment, Stop> {
    let position = elements.position(tag.offset);
    let [id, category, issuer] =
        elements.attributes(tag, &["AttributeId", "Category", "Issuer"])?;
    Ok(Assignment {
        attribute_id: elements.required_uri(tag, "AttributeId", id)?.into_owned().into(),
        category: category.map(|category| category.uri().into_owned().into()),
        issuer: issuer.map(|issuer| issuer.value().into_owned()),
        expression: single(elements, tag, ASSIGNMENT)?,
        position,
    })
}

/// Permit or Deny; Deny as a stand-in.
pub(super) fn effect<'i>(
    elements: &mut Elements<'i>,
    tag: &Tag<'i>,
    name: &'static str,
    attribute: Option<Attribute<'i>>,
) -> Result<Effect, Stop> {
    let Some(attribute) = elements.required(tag, name, attribute)? else {
        return Ok(Effect::Deny);
    };
    match attribute.value().as_ref() {
        "Permit" => Ok(Effect::Permit),
        "Deny" => Ok(Effect::Deny),
        other => {
            let message = format!("`{name}` is {}; expected Permit or Deny", quoted(other));
            elements.problem(attribute.offset, code::VALUE, message)?;
            Ok(Effect::Deny)
        }
    }
}
