//! Content selectors: one decision for each node of a Content that an XPath expression selects.

use super::{Individual, TooMany, Unmade};
use crate::function::Budget;
use crate::ids::attribute::{
    CONTENT_SELECTOR, MULTIPLE_CONTENT_SELECTOR, MULTIPLE_CONTENT_SELECTOR_SHORT,
};
use crate::model::{OwnedCategory, OwnedRequest, OwnedValue, StatusCode};
use crate::value::{Arena, Data, XPathExpression};
use crate::xpath::{Document, DocumentLimits, Expression, SelectError};

/// Whether an attribute asks for a decision per node.
#[inline]
pub(super) fn is_trigger(id: &str) -> bool {
    id == MULTIPLE_CONTENT_SELECTOR || id == MULTIPLE_CONTENT_SELECTOR_SHORT
}

/// One request for each node that a content selector selects, and for each combination where several
/// categories have one. A selector without nodes asks for no decision.
pub(super) fn selected(
    request: OwnedRequest,
    room: usize,
    budget: &Budget,
) -> Result<Vec<Individual>, TooMany> {
    let mut sets = vec![request];
    for at in 0..sets[0].categories.len() {
        let category = &sets[0].categories[at];
        if !category.attributes.iter().any(|attribute| is_trigger(&attribute.id)) {
            continue;
        }
        let paths = match paths(category, room, budget) {
            Ok(paths) => paths,
            Err(Stop::TooMany(error)) => return Err(error),
            Err(Stop::Unmade(unmade)) => return Ok(vec![Err(unmade)]),
        };
        if paths.len().saturating_mul(sets.len()) > room {
            return Err(TooMany::Decisions(room));
        }
        let about = |set: &OwnedRequest| {
            paths.iter().map(|path| about(set, at, path)).collect::<Vec<OwnedRequest>>()
        };
        sets = sets.iter().flat_map(about).collect();
        if sets.is_empty() {
            break;
        }
    }
    Ok(sets.into_iter().map(Ok).collect())
}

enum Stop {
    TooMany(TooMany),
    Unmade(Unmade),
}

fn unmade(message: String) -> Stop {
    Stop::Unmade(Unmade { code: StatusCode::SyntaxError, message })
}

/// For each node that the category's selector selects, a path to just that node.
fn paths(category: &OwnedCategory, room: usize, budget: &Budget) -> Result<Vec<OwnedValue>, Stop> {
    let selectors: Vec<&OwnedValue> = category
        .attributes
        .iter()
        .filter(|attribute| is_trigger(&attribute.id))
        .flat_map(|attribute| &attribute.values)
        .collect();
    let [selector] = selectors.as_slice() else {
        return Err(unmade("a content-selector needs exactly one value".to_owned()));
    };
    let Data::XPathExpression(selector) = selector.as_value().data() else {
        return Err(unmade("a content-selector must be an xpathExpression".to_owned()));
    };
    if selector.category() != category.category {
        let message = "a content-selector selects nodes of the category that it stands in";
        return Err(unmade(message.to_owned()));
    }
    match &category.content {
        Some(content) => nodes(&selector, content, room, budget),
        None => Ok(Vec::new()),
    }
}

fn nodes(
    selector: &XPathExpression<'_>,
    content: &str,
    room: usize,
    budget: &Budget,
) -> Result<Vec<OwnedValue>, Stop> {
    let arena = Arena::new();
    let namespaces: Vec<(&str, &str)> = selector.namespaces().collect();
    let path = Expression::compile(selector.path(), &namespaces).map_err(|error| {
        unmade(format!("`{}` is not an XPath expression: {error}", selector.path()))
    })?;
    let document = Document::parse(content, &arena, &DocumentLimits::default())
        .map_err(|error| unmade(format!("the Content cannot be read: {error}")))?;
    let spend = |steps| budget.spend(steps);
    let nodes = match path.select_nodes(&document, document.root(), &spend, &arena) {
        Ok(nodes) => nodes,
        Err(SelectError::Spent(_)) => {
            return Err(Stop::TooMany(TooMany::Steps(budget.limit())));
        }
        Err(error @ SelectError::NoNodes(_)) => return Err(unmade(error.to_string())),
    };
    if nodes.len() > room {
        return Err(Stop::TooMany(TooMany::Decisions(room)));
    }
    let one = |node| {
        OwnedValue::xpath(&document.path_of(node), selector.category(), [])
            .map_err(|error| unmade(error.to_string()))
    };
    nodes.iter().copied().map(one).collect()
}

/// The request about one node.
fn about(request: &OwnedRequest, at: usize, path: &OwnedValue) -> OwnedRequest {
    let mut request = request.clone();
    for attribute in &mut request.categories[at].attributes {
        if is_trigger(&attribute.id) {
            CONTENT_SELECTOR.clone_into(&mut attribute.id);
            attribute.values = vec![path.clone()];
        }
    }
    request
}
