//! Reads rules and targets (XACML 3.0 sections 5.6 to 5.9, 5.21, 5.26).

use super::expression::{EXPRESSIONS, designator, expression, literal, selector};
use super::notice::{NOTICES, effect, notices};
use crate::format::xml::element::{Children, Elements, Shape, Slot, Stop};
use crate::format::xml::scan::Tag;
use crate::model::{AllOf, AnyOf, Expression, Literal, Match, MatchBag, Rule, Target};

const RULE: Shape = Shape::new(
    "Rule",
    &[
        Slot::optional(&["Description"]),
        Slot::optional(&["Target"]),
        Slot::optional(&["Condition"]),
        NOTICES[0],
        NOTICES[1],
    ],
);

pub(super) fn rule<'i>(elements: &mut Elements<'i>, tag: &Tag<'i>) -> Result<Rule, Stop> {
    let position = elements.position(tag.offset);
    let [id, effect_attribute] = elements.attributes(tag, &["RuleId", "Effect"])?;
    let mut rule = Rule {
        id: elements.required_text(tag, "RuleId", id)?.into_owned(),
        effect: effect(elements, tag, "Effect", effect_attribute)?,
        description: None,
        target: None,
        condition: None,
        notices: Vec::new(),
        position,
    };
    let mut children = Children::of(tag, RULE);
    while let Some(child) = elements.child(&mut children)? {
        match child.local {
            "Description" => rule.description = Some(elements.prose(&child)?),
            "Target" => rule.target = Some(target(elements, &child)?),
            "Condition" => rule.condition = condition(elements, &child)?,
            _ => notices(elements, &child, &mut rule.notices)?,
        }
    }
    Ok(rule)
}

fn condition<'i>(elements: &mut Elements<'i>, tag: &Tag<'i>) -> Result<Option<Expression>, Stop> {
    elements.attributes(tag, &[])?;
    let mut condition = None;
    let mut children = Children::of(tag, CONDITION);
    while let Some(child) = elements.child(&mut children)? {
        condition = Some(expression(elements, &child)?);
    }
    Ok(condition)
}

pub(super) fn target<'i>(elements: &mut Elements<'i>, tag: &Tag<'i>) -> Result<Target, Stop> {
    let position = elements.position(tag.offset);
    elements.attributes(tag, &[])?;
    let mut any_of = Vec::new();
    let mut children = Children::of(tag, TARGET);
    while let Some(child) = elements.child(&mut children)? {
        any_of.push(any_of_element(elements, &child)?);
    }
    Ok(Target { any_of, position })
}

fn any_of_element<'i>(elements: &mut Elements<'i>, tag: &Tag<'i>) -> Result<AnyOf, Stop> {
    let position = elements.position(tag.offset);
    elements.attributes(tag, &[])?;
    let mut all_of = Vec::new();
    let mut children = Children::of(tag, ANY_OF);
    while let Some(child) = elements.child(&mut children)? {
        all_of.push(all_of_element(elements, &child)?);
    }
    Ok(AnyOf { all_of, position })
}

fn all_of_element<'i>(elements: &mut Elements<'i>, tag: &Tag<'i>) -> Result<AllOf, Stop> {
    let position = elements.position(tag.offset);
    elements.attributes(tag, &[])?;
    let mut matches = Vec::new();
    let mut children = Children::of(tag, ALL_OF);
    while let Some(child) = elements.child(&mut children)? {
        matches.extend(match_element(elements, &child)?);
    }
    Ok(AllOf { matches, position })
}

const CONDITION: Shape = Shape::new("Condition", &[Slot::one(EXPRESSIONS)]);
const TARGET: Shape = Shape::new("Target", &[Slot::any(&["AnyOf"])]);
const ANY_OF: Shape = Shape::new("AnyOf", &[Slot::some(&["AllOf"])]);
const ALL_OF: Shape = Shape::new("AllOf", &[Slot::some(&["Match"])]);
const MATCH: Shape = Shape::new(
    "Match",
    &[Slot::one(&["AttributeValue"]), Slot::one(&["AttributeDesignator", "AttributeSelector"])],
);

/// None where a part is missing, which is then among the problems.
fn match_element<'i>(elements: &mut Elements<'i>, tag: &Tag<'i>) -> Result<Option<Match>, Stop> {
    let position = elements.position(tag.offset);
    let [function] = elements.attributes(tag, &["MatchId"])?;
    let function = elements.required_uri(tag, "MatchId", function)?.into_owned().into();
    let mut value: Option<Literal> = None;
    let mut bag = None;
    let mut children = Children::of(tag, MATCH);
    while let Some(child) = elements.child(&mut children)? {
        match child.local {
            "AttributeValue" => value = Some(literal(elements, &child)?),
            "AttributeDesignator" => {
                bag = Some(MatchBag::Designator(designator(elements, &child)?))
            }
            _ => bag = Some(MatchBag::Selector(selector(elements, &child)?)),
        }
    }
    Ok(value.zip(bag).map(|(literal, bag)| Match { function, literal, bag, position }))
}
