//! Several decisions in one request (multiple decision profile of XACML 3.0).
//!
//! A request is expanded into individual ones: references first, then, for each set that they
//! select, repeated categories, content selectors and scope. Each individual request is decided by
//! itself; where the request asks for it, the answers are combined into one.

mod content;
mod scope;

use crate::function::Budget;
use crate::model::{
    Answer, Decision, OwnedCategory, OwnedRequest, RequestOptions, Status, StatusCode,
};

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

/// A request that asks for more than the limits allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooMany {
    /// Too many decisions.
    #[error("the request asks for more than the limit of {0} individual decisions")]
    Decisions(usize),
    /// Finding out which takes too long.
    #[error("finding the individual decisions takes more than the limit of {0} evaluation steps")]
    Steps(u64),
}

/// Whether an attribute asks for several decisions, and by what.
#[inline]
pub(super) fn trigger(category: &str, id: &str) -> Option<&'static str> {
    if content::is_trigger(id) {
        Some("a content-selector")
    } else if scope::is_trigger(category, id) {
        Some("a scope")
    } else {
        None
    }
}

/// Expands a request into individual ones, at most `limit`; what a content-selector walks is paid
/// from `budget`.
///
/// # Errors
/// There would be more, or the budget is spent.
pub fn expand(
    request: &OwnedRequest,
    hierarchy: &dyn Hierarchy,
    limit: usize,
    budget: &Budget,
) -> Result<Vec<Individual>, TooMany> {
    let options = RequestOptions { combined_decision: false, ..request.options };
    let mut sets: Vec<Individual> = if request.references.is_empty() {
        vec![Ok(OwnedRequest { options, references: Vec::new(), ..request.clone() })]
    } else if request.references.len() > limit {
        return Err(TooMany::Decisions(limit));
    } else {
        request.references.iter().map(|ids| referenced(request, options, ids)).collect()
    };
    let too_many = TooMany::Decisions(limit);
    sets = each(sets, limit, |set, room| repeated(set, room).ok_or(too_many))?;
    sets = each(sets, limit, |set, room| {
        content::selected(set, room, budget).map_err(|error| match error {
            TooMany::Decisions(_) => too_many,
            TooMany::Steps(_) => error,
        })
    })?;
    let individual =
        each(sets, limit, |set, room| scope::scoped(set, hierarchy, room).ok_or(too_many))?;
    if individual.is_empty() {
        let message = "the content-selector of the request selects no node".to_owned();
        return Ok(vec![Err(Unmade { code: StatusCode::ProcessingError, message })]);
    }
    Ok(individual)
}

/// Replaces each set by those that `split` makes of it.
fn each(
    sets: Vec<Individual>,
    limit: usize,
    split: impl Fn(OwnedRequest, usize) -> Result<Vec<Individual>, TooMany>,
) -> Result<Vec<Individual>, TooMany> {
    let mut all = Vec::new();
    for set in sets {
        match set {
            Ok(set) => all.extend(split(set, limit.saturating_sub(all.len()))?),
            unmade => all.push(unmade),
        }
        if all.len() > limit {
            return Err(TooMany::Decisions(limit));
        }
    }
    Ok(all)
}

/// The categories that one reference selects (section 2.2 of the profile).
fn referenced(request: &OwnedRequest, options: RequestOptions, ids: &[String]) -> Individual {
    let find = |id: &String| {
        request.categories.iter().find(|c| c.xml_id.as_ref() == Some(id)).cloned().ok_or_else(
            || Unmade {
                code: StatusCode::SyntaxError,
                message: format!("no Attributes element has the id `{id}`"),
            },
        )
    };
    let categories = ids.iter().map(find).collect::<Result<Vec<_>, _>>()?;
    Ok(OwnedRequest { options, categories, references: Vec::new() })
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
