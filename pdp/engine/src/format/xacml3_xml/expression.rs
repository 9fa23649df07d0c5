//! Reads expressions and variable definitions (XACML 3.0 sections 5.24 to 5.31).

use std::sync::Arc;

use crate::error::{Position, code};
use crate::format::xml::element::{Children, Elements, Shape, Slot, Stop};
use crate::format::xml::scan::Tag;
use crate::model::{
    Apply, Designator, Expression, Identifier, Literal, Selector, VariableDefinition,
};
use crate::value::DataType;

/// The elements that are expressions.
pub(super) const EXPRESSIONS: &[&str] = &[
    "Apply",
    "AttributeDesignator",
    "AttributeSelector",
    "AttributeValue",
    "Function",
    "VariableReference",
];

const VARIABLE_DEFINITION: Shape = Shape::new("VariableDefinition", &[Slot::one(EXPRESSIONS)]);

/// One expression. The caller has seen that the element is one of [`EXPRESSIONS`].
pub(super) fn expression<'i>(
    elements: &mut Elements<'i>,
    tag: &Tag<'i>,
) -> Result<Expression, Stop> {
    match tag.local {
        "Apply" => apply(elements, tag),
        "AttributeDesignator" => Ok(Expression::Designator(designator(elements, tag)?)),
        "AttributeSelector" => Ok(Expression::Selector(selector(elements, tag)?)),
        "AttributeValue" => Ok(Expression::Literal(literal(elements, tag)?)),
        "Function" => {
            let (id, position) = named(elements, tag, "Function", "FunctionId")?;
            Ok(Expression::Function { id: id.into(), position })
        }
        _ => {
            let (id, position) = named(elements, tag, "VariableReference", "VariableId")?;
            Ok(Expression::Variable { id, position })
        }
    }
}

/// An element that is one attribute and no content.
fn named<'i>(
    elements: &mut Elements<'i>,
    tag: &Tag<'i>,
    element: &'static str,
    attribute: &'static str,
) -> Result<(String, Position), Stop> {
    let position = elements.position(tag.offset);
    let [id] = elements.attributes(tag, &[attribute])?;
    let id = if attribute == "FunctionId" {
        elements.required_uri(tag, attribute, id)?
    } else {
        elements.required_text(tag, attribute, id)?
    };
    elements.leaf(tag, element)?;
    Ok((id.into_owned(), position))
}

fn apply<'i>(elements: &mut Elements<'i>, tag: &Tag<'i>) -> Result<Expression, Stop> {
    const APPLY: Shape =
        Shape::new("Apply", &[Slot::optional(&["Description"]), Slot::any(EXPRESSIONS)]);
    let position = elements.position(tag.offset);
    let [function] = elements.attributes(tag, &["FunctionId"])?;
    let function = elements.required_uri(tag, "FunctionId", function)?.into_owned().into();
    let mut arguments = Vec::new();
    let mut children = Children::of(tag, APPLY);
    loop {
        let refused = elements.problems();
        let child = elements.child(&mut children)?;
        // A child that has no place here stands for an argument: one mistake, one problem.
        for place in elements.places_since(refused) {
            arguments.push(Expression::Function { id: Identifier::default(), position: place });
        }
        let Some(child) = child else { break };
        if child.local == "Description" {
            elements.prose(&child)?;
        } else {
            arguments.push(expression(elements, &child)?);
        }
    }
    Ok(Expression::Apply(Apply { function, arguments, position }))
}

/// An AttributeValue. Attributes that are not its own are passed over, as the schema allows any.
pub(super) fn literal<'i>(elements: &mut Elements<'i>, tag: &Tag<'i>) -> Result<Literal, Stop> {
    let position = elements.position(tag.offset);
    let [data_type, category] = elements.open_attributes(&["DataType", "XPathCategory"]);
    let data_type = elements.required_uri(tag, "DataType", data_type)?.into_owned();
    let known = DataType::from_uri(&data_type);
    let namespaces = match known {
        Some((DataType::XPathExpression, _)) => prefixes(elements, tag)?,
        _ => Vec::new(),
    };
    let text = if known.is_some() { elements.text(tag)? } else { elements.mixed(tag)? };
    Ok(Literal {
        data_type: data_type.into(),
        text: Arc::from(text),
        xpath_category: category.map(|category| category.uri().into_owned()),
        namespaces,
        position,
    })
}

/// The prefixes in scope, owned.
fn prefixes<'i>(elements: &mut Elements<'i>, tag: &Tag<'i>) -> Result<Vec<(String, String)>, Stop> {
    let prefixes = elements.prefixes(tag)?;
    Ok(prefixes.into_iter().map(|(prefix, uri)| (prefix.to_owned(), uri.into_owned())).collect())
}

pub(super) fn designator<'i>(
    elements: &mut Elements<'i>,
    tag: &Tag<'i>,
) -> Result<Designator, Stop> {
    let position = elements.position(tag.offset);
    let [category, attribute_id, data_type, must_be_present, issuer] = elements
        .attributes(tag, &["Category", "AttributeId", "DataType", "MustBePresent", "Issuer"])?;
    let designator = Designator {
        category: elements.required_uri(tag, "Category", category)?.into_owned().into(),
        attribute_id: elements.required_uri(tag, "AttributeId", attribute_id)?.into_owned().into(),
        data_type: elements.required_uri(tag, "DataType", data_type)?.into_owned().into(),
        issuer: issuer.map(|issuer| issuer.value().into_owned()),
        must_be_present: elements.required_boolean(tag, "MustBePresent", must_be_present)?,
        position,
    };
    elements.leaf(tag, "AttributeDesignator")?;
    Ok(designator)
}

pub(super) fn selector<'i>(elements: &mut Elements<'i>, tag: &Tag<'i>) -> Result<Selector, Stop> {
    let position = elements.position(tag.offset);
    let [category, context, path, data_type, must_be_present] = elements
        .attributes(tag, &["Category", "ContextSelectorId", "Path", "DataType", "MustBePresent"])?;
    let selector = Selector {
        category: elements.required_uri(tag, "Category", category)?.into_owned().into(),
        context_selector_id: context.map(|context| context.uri().into_owned()),
        path: elements.required_text(tag, "Path", path)?.into_owned(),
        data_type: elements.required_uri(tag, "DataType", data_type)?.into_owned().into(),
        must_be_present: elements.required_boolean(tag, "MustBePresent", must_be_present)?,
        namespaces: prefixes(elements, tag)?,
        position,
    };
    elements.leaf(tag, "AttributeSelector")?;
    Ok(selector)
}

pub(super) fn variable_definition<'i>(
    elements: &mut Elements<'i>,
    tag: &Tag<'i>,
) -> Result<VariableDefinition, Stop> {
    let position = elements.position(tag.offset);
    let [id] = elements.attributes(tag, &["VariableId"])?;
    let id = elements.required_text(tag, "VariableId", id)?.into_owned();
    let expression = single(elements, tag, VARIABLE_DEFINITION)?;
    Ok(VariableDefinition { id, expression, position })
}

/// The one expression that an element holds. Where it is missing, which is then among the problems,
/// a stand-in.
pub(super) fn single<'i>(
    elements: &mut Elements<'i>,
    tag: &Tag<'i>,
    shape: Shape,
) -> Result<Expression, Stop> {
    let mut found = None;
    let mut children = Children::of(tag, shape);
    while let Some(child) = elements.child(&mut children)? {
        found = Some(expression(elements, &child)?);
    }
    match found {
        Some(expression) => Ok(expression),
        None => Ok(Expression::Function {
            id: Identifier::default(),
            position: elements.position(tag.offset),
        }),
    }
}

impl<'i> Elements<'i> {
    /// The text of an element without attributes, such as Description.
    pub(super) fn prose(&mut self, tag: &Tag<'i>) -> Result<String, Stop> {
        self.attributes(tag, &[])?;
        Ok(self.text(tag)?.into_owned())
    }

    /// The text of an element that is an identifier: blanks collapsed.
    pub(super) fn identifier(&mut self, tag: &Tag<'i>) -> Result<String, Stop> {
        let text = self.text(tag)?;
        if text.len() > self.scanner.limits().attribute {
            let limit = self.scanner.limits().attribute;
            let message = format!(
                "the identifier in `{}` has {} bytes; the limit `attribute` is {limit}",
                tag.local,
                text.len()
            );
            self.problem(tag.offset, code::LIMIT, message)?;
        }
        Ok(crate::format::xml::text::collapse(text).into_owned())
    }
}
