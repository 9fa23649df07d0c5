//! The scope of a request: a resource and those below it in a tree.

use super::{Hierarchy, Individual, Unmade};
use crate::ids;
use crate::model::{OwnedAttribute, OwnedCategory, OwnedRequest, OwnedValue, StatusCode};
use crate::value::DataType;

/// Whether an attribute asks for the decisions below a resource.
#[inline]
pub(super) fn is_trigger(category: &str, id: &str) -> bool {
    id == ids::attribute::SCOPE && category == ids::category::RESOURCE
}

/// One request for each resource that the scope takes in (hierarchical resource profile, and
/// section 2.1 of this one). None: more than there is room for.
pub(super) fn scoped(
    request: OwnedRequest,
    hierarchy: &dyn Hierarchy,
    room: usize,
) -> Option<Vec<Individual>> {
    let resource = request.categories.iter().position(|c| c.category == ids::category::RESOURCE);
    let Some(at) = resource else { return Some(vec![Ok(request)]) };
    let scopes: Vec<String> = values(&request.categories[at], ids::attribute::SCOPE).collect();
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
        ids::attribute::SCOPE_IMMEDIATE => vec![root.clone()],
        ids::attribute::SCOPE_CHILDREN => {
            std::iter::once(root.clone()).chain(hierarchy.children(root)).collect()
        }
        ids::attribute::SCOPE_DESCENDANTS => descendants(root, hierarchy, room)?,
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
    attributes.retain(|attribute| attribute.id != ids::attribute::SCOPE);
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
