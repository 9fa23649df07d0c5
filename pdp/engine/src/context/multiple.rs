//! Several decisions in one request (multiple decision profile of XACML 3.0).
//!
//! A request is expanded into individual ones: references first, then, for each set that they
//! select, repeated categories, content selectors and scope. Each individual request is decided by
//! itself; where the request asks for it, the answers are combined into one.

use crate::ids;
use crate::model::{
    Answer, Decision, OwnedAttribute, OwnedCategory, OwnedRequest, OwnedValue, Status, StatusCode,
};
use crate::value::DataType;

/// The tree of resources that `scope` walks.
pub trait Hierarchy {
    /// The resources directly below one.
    fn children(&self, resource: &str) -> Vec<String>;
}

/// No resource has another below it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flat;

impl Hierarchy for Flat {
    fn children(&self, _resource: &str) -> Vec<String> {
        Vec::new()
    }
}

/// One individual decision: its request, or why there is none to decide.
pub type Individual = Result<OwnedRequest, Unmade>;

/// An individual request that could not be made: its result is Indeterminate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmade {
    /// The code of its status.
    pub code: StatusCode,
    /// What is wrong with the request.
    pub message: String,
}

/// A request that asks for more decisions than the limit allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the request asks for more than {limit} individual decisions")]
pub struct TooMany {
    /// The limit.
    pub limit: usize,
}

/// The attribute that asks for the decisions below a resource.
const SCOPE: &str = "urn:oasis:names:tc:xacml:2.0:resource:scope";

/// Expands a request into individual ones, at most `limit`.
///
/// # Errors
/// There would be more.
pub fn expand(
    request: &OwnedRequest,
    hierarchy: &dyn Hierarchy,
    limit: usize,
) -> Result<Vec<Individual>, TooMany> {
    let mut sets: Vec<Individual> = if request.references.is_empty() {
        vec![Ok(OwnedRequest { references: Vec::new(), ..request.clone() })]
    } else if request.references.len() > limit {
        return Err(TooMany { limit });
    } else {
        request.references.iter().map(|ids| referenced(request, ids)).collect()
    };
    sets = each(sets, limit, repeated)?;
    each(sets, limit, |set, room| scoped(set, hierarchy, room))
}

/// Replaces each set by those that `split` makes of it.
fn each(
    sets: Vec<Individual>,
    limit: usize,
    split: impl Fn(OwnedRequest, usize) -> Option<Vec<Individual>>,
) -> Result<Vec<Individual>, TooMany> {
    let mut all = Vec::new();
    for set in sets {
        match set {
            Ok(set) => {
                let room = limit.saturating_sub(all.len());
                all.extend(split(set, room).ok_or(TooMany { limit })?);
            }
            unmade => all.push(unmade),
        }
        if all.len() > limit {
            return Err(TooMany { limit });
        }
    }
    Ok(all)
}

/// The categories that one reference selects (section 2.2 of the profile).
fn referenced(request: &OwnedRequest, ids: &[String]) -> Individual {
    let find = |id: &String| {
        request.categories.iter().find(|c| c.xml_id.as_ref() == Some(id)).cloned().ok_or_else(
            || Unmade {
                code: StatusCode::SyntaxError,
                message: format!("no Attributes element has the id `{id}`"),
            },
        )
    };
    let categories = ids.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    Ok(OwnedRequest { options: request.options, categories, references: Vec::new() })
}

/// One request for each combination that takes one element per category (section 2.3); the first
/// category varies slowest. None: more than there is room for.
fn repeated(request: OwnedRequest, room: usize) -> Option<Vec<Individual>> {
    let mut groups: Vec<Vec<OwnedCategory>> = Vec::new();
    for category in request.categories {
        match groups.iter_mut().find(|group| group[0].category == category.category) {
            Some(group) => group.push(category),
            None => groups.push(vec![category]),
        }
    }
    let total = groups.iter().try_fold(1usize, |n, group| n.checked_mul(group.len()))?;
    if total > room {
        return None;
    }
    let mut combinations = vec![Vec::new()];
    for group in &groups {
        combinations = combinations
            .into_iter()
            .flat_map(|chosen: Vec<OwnedCategory>| {
                group.iter().map(move |category| {
                    let mut chosen = chosen.clone();
                    chosen.push(category.clone());
                    chosen
                })
            })
            .collect();
    }
    let options = request.options;
    let made = |categories| Ok(OwnedRequest { options, categories, references: Vec::new() });
    Some(combinations.into_iter().map(made).collect())
}

/// One request for each resource that the scope takes in (hierarchical resource profile, and
/// section 2.1 of this one). None: more than there is room for.
fn scoped(
    request: OwnedRequest,
    hierarchy: &dyn Hierarchy,
    room: usize,
) -> Option<Vec<Individual>> {
    let resource = request.categories.iter().position(|c| c.category == ids::category::RESOURCE);
    let Some(at) = resource else { return Some(vec![Ok(request)]) };
    let scopes: Vec<String> = values(&request.categories[at], SCOPE).collect();
    let scope = match scopes.as_slice() {
        [] => return Some(vec![Ok(request)]),
        [scope] => scope.as_str(),
        _ => return Some(vec![Err(bad_scope("there is more than one scope"))]),
    };
    let identifiers: Vec<String> =
        values(&request.categories[at], ids::attribute::RESOURCE_ID).collect();
    let [root] = identifiers.as_slice() else {
        return Some(vec![Err(bad_scope("a scope needs exactly one resource-id"))]);
    };
    let resources = match scope {
        "Immediate" => vec![root.clone()],
        "Children" => std::iter::once(root.clone()).chain(hierarchy.children(root)).collect(),
        "Descendants" => descendants(root, hierarchy, room)?,
        other => {
            let message = format!("`{other}` is not a scope: Immediate, Children or Descendants");
            return Some(vec![Err(bad_scope(&message))]);
        }
    };
    if resources.len() > room {
        return None;
    }
    Some(resources.into_iter().map(|id| Ok(about(&request, at, &id))).collect())
}

fn bad_scope(message: &str) -> Unmade {
    Unmade { code: StatusCode::SyntaxError, message: message.to_owned() }
}

fn descendants(root: &str, hierarchy: &dyn Hierarchy, room: usize) -> Option<Vec<String>> {
    let mut found = vec![root.to_owned()];
    let mut next = 0;
    while next < found.len() {
        for child in hierarchy.children(&found[next]) {
            // A resource that is below two others, or below itself, is one resource.
            if !found.contains(&child) {
                found.push(child);
            }
        }
        if found.len() > room {
            return None;
        }
        next += 1;
    }
    Some(found)
}

fn values(category: &OwnedCategory, id: &str) -> impl Iterator<Item = String> {
    let attributes = category.attributes.iter().filter(move |attribute| attribute.id == id);
    attributes.flat_map(|attribute| {
        attribute
            .values
            .iter()
            .map(|value| value.as_value().written_text().unwrap_or_default().to_owned())
    })
}

/// The request about one resource: its identifier in place, no scope.
fn about(request: &OwnedRequest, at: usize, id: &str) -> OwnedRequest {
    let mut request = request.clone();
    let attributes = &mut request.categories[at].attributes;
    attributes.retain(|attribute| attribute.id != SCOPE);
    for attribute in attributes.iter_mut() {
        if attribute.id == ids::attribute::RESOURCE_ID {
            replace(attribute, id);
        }
    }
    request
}

fn replace(attribute: &mut OwnedAttribute, id: &str) {
    for value in &mut attribute.values {
        let data_type = match value.data_type() {
            DataType::String => DataType::String,
            _ => DataType::AnyUri,
        };
        if let Ok(replaced) = OwnedValue::parse(data_type.uri(), &id.into()) {
            *value = replaced;
        }
    }
}

/// One answer for all (section 2.5): their decision where they agree and carry no obligation or
/// advice, else Indeterminate.
pub fn combine<'a>(answers: &[Answer<'a>]) -> Answer<'a> {
    let single = |decision, status| Answer {
        decision,
        status,
        notices: &[],
        attributes: &[],
        policies: &[],
    };
    let agreed = answers.first().map(|first| first.decision).filter(|decision| {
        *decision != Decision::Indeterminate
            && answers.iter().all(|a| a.decision == *decision && a.notices.is_empty())
    });
    match agreed {
        Some(decision) => single(decision, Status::OK),
        None => single(
            Decision::Indeterminate,
            Status {
                code: StatusCode::ProcessingError,
                message: Some("the individual decisions differ, or carry obligations or advice"),
                missing: None,
            },
        ),
    }
}
