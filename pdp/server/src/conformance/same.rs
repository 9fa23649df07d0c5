//! Whether two responses, or values, are the same: as documents of the language, never as text.

use pdp_engine::model::{
    OwnedAssignment, OwnedAttribute, OwnedCategory, OwnedNotice, OwnedPolicyIdentifier,
    OwnedResponse, OwnedResult, OwnedStatus,
};
use pdp_engine::value::{Data, OwnedValue, Value};

use super::manifest::{Compare, PolicyIds};
use crate::failure::counted;

/// The zone of times that name none.
const UTC: i16 = 0;

/// Compares a response with the one that is expected.
///
/// # Errors
/// Where they differ.
pub(super) fn responses(
    expected: &OwnedResponse,
    found: &OwnedResponse,
    how: &Compare,
) -> Result<(), String> {
    let (wanted, given) = (expected.results.len(), found.results.len());
    if wanted != given {
        return Err(format!("{} expected, {given} found", counted(wanted, "result", "results")));
    }
    if let ([expected], [found]) = (expected.results.as_slice(), found.results.as_slice()) {
        return results(expected, found, how);
    }
    paired(&expected.results, &found.results, |expected, found| results(expected, found, how))
        .map_err(|(at, reason)| format!("no result found is like expected result {at}: {reason}"))
}

/// Pairs each of `expected` with one of `found` of its own, in any order.
///
/// The error names one that has no partner, from 1, and why the nearest in place is none.
pub(super) fn paired<E, F>(
    expected: &[E],
    found: &[F],
    same: impl Fn(&E, &F) -> Result<(), String>,
) -> Result<(), (usize, String)> {
    let fits: Vec<Vec<bool>> = expected
        .iter()
        .map(|expected| found.iter().map(|found| same(expected, found).is_ok()).collect())
        .collect();
    let mut partners: Vec<Option<usize>> = vec![None; found.len()];
    for (at, wanted) in expected.iter().enumerate() {
        if !partner(at, &fits, &mut partners, &mut vec![false; found.len()]) {
            let reason = found.get(at).map_or_else(
                || "there are fewer".to_owned(),
                |found| {
                    same(wanted, found).err().unwrap_or_else(|| "another is like it".to_owned())
                },
            );
            return Err((at + 1, reason));
        }
    }
    Ok(())
}

/// Finds a partner for `at`, moving others to other partners where that helps.
fn partner(
    at: usize,
    fits: &[Vec<bool>],
    partners: &mut [Option<usize>],
    tried: &mut [bool],
) -> bool {
    for candidate in 0..partners.len() {
        if !fits[at][candidate] || std::mem::replace(&mut tried[candidate], true) {
            continue;
        }
        if partners[candidate].is_none_or(|other| partner(other, fits, partners, tried)) {
            partners[candidate] = Some(at);
            return true;
        }
    }
    false
}

fn results(expected: &OwnedResult, found: &OwnedResult, how: &Compare) -> Result<(), String> {
    if expected.decision != found.decision {
        let message = found.status.message.as_deref().unwrap_or_default();
        return Err(format!("{} expected, {} found {message}", expected.decision, found.decision));
    }
    if how.decision_only {
        return Ok(());
    }
    statuses(&expected.status, &found.status, how)?;
    notices("obligation", &expected.obligations, &found.obligations)?;
    notices("advice", &expected.advice, &found.advice)?;
    returned(&expected.categories, &found.categories, how)?;
    if how.ignore.iter().any(|part| part == "policy_ids") {
        return Ok(());
    }
    let policies = |result: &OwnedResult| result.policies.clone().unwrap_or_default();
    match &how.policy_ids {
        Some(wanted) => named(wanted, &policies(found)),
        None => listed(&policies(expected), &policies(found)),
    }
}

fn statuses(expected: &OwnedStatus, found: &OwnedStatus, how: &Compare) -> Result<(), String> {
    let code = |status: &OwnedStatus| status.codes.first().cloned().unwrap_or_default();
    let (wanted, given) = (code(expected), code(found));
    let right = if how.status_any_of.is_empty() {
        wanted == given
    } else {
        how.status_any_of.contains(&given)
    };
    if !right {
        let message = found.message.as_deref().unwrap_or_default();
        return Err(format!("status {wanted} expected, {given} found: {message}"));
    }
    if how.missing_attribute_detail {
        for wanted in &expected.missing {
            let same = |found: &pdp_engine::model::OwnedMissingAttribute| {
                (&found.category, &found.id, &found.data_type)
                    == (&wanted.category, &wanted.id, &wanted.data_type)
            };
            if !found.missing.iter().any(same) {
                return Err(format!("the status does not name `{}` as missing", wanted.id));
            }
        }
    }
    Ok(())
}

fn notices(what: &str, expected: &[OwnedNotice], found: &[OwnedNotice]) -> Result<(), String> {
    if expected.len() != found.len() {
        let ids: Vec<&str> = found.iter().map(|notice| notice.id.as_str()).collect();
        return Err(format!("{what}: {} expected, found {ids:?}", expected.len()));
    }
    paired(expected, found, |expected, found| {
        if expected.id != found.id {
            return Err(format!("`{}` found", found.id));
        }
        if expected.assignments.len() != found.assignments.len() {
            let (wanted, given) = (expected.assignments.len(), found.assignments.len());
            let wanted = counted(wanted, "assignment", "assignments");
            return Err(format!("{wanted} expected, {given} found"));
        }
        let pairs = expected.assignments.iter().zip(&found.assignments);
        pairs.into_iter().try_for_each(|(expected, found)| assignments(expected, found))
    })
    .map_err(|(at, reason)| format!("{what} `{}`: {reason}", expected[at - 1].id))
}

fn assignments(expected: &OwnedAssignment, found: &OwnedAssignment) -> Result<(), String> {
    let head =
        |it: &OwnedAssignment| (it.attribute_id.clone(), it.category.clone(), it.issuer.clone());
    if head(expected) != head(found) {
        return Err(format!("assignment {:?} expected, {:?} found", head(expected), head(found)));
    }
    values(&expected.value, &found.value)
        .map_err(|reason| format!("assignment of `{}`: {reason}", expected.attribute_id))
}

/// Compares two values: of one data type and equal by that type. Of types without equality the text
/// counts.
///
/// # Errors
/// How they differ.
pub(super) fn values(expected: &OwnedValue, found: &OwnedValue) -> Result<(), String> {
    let (expected, found) = (expected.as_value(), found.as_value());
    let same = match (expected.data(), found.data()) {
        // Which namespaces are in scope depends on the document around.
        (Data::XPathExpression(a), Data::XPathExpression(b)) => {
            (a.path(), a.category()) == (b.path(), b.category())
        }
        _ => expected.type_uri() == found.type_uri() && expected.equals(&found, UTC),
    };
    if same { Ok(()) } else { Err(format!("{} expected, {} found", shown(expected), shown(found))) }
}

/// A value in words.
pub(super) fn shown(value: Value<'_>) -> String {
    let arena = pdp_engine::value::Arena::new();
    format!("`{}` of {}", value.lexical(&arena), value.type_uri())
}

/// The attributes of a result by category, the order of categories free.
fn returned(
    expected: &[OwnedCategory],
    found: &[OwnedCategory],
    how: &Compare,
) -> Result<(), String> {
    let (wanted, given) = (by_category(expected), by_category(found));
    for (category, wanted) in &wanted {
        let found = given.iter().find(|(other, _)| other == category);
        let Some((_, found)) = found else {
            return Err(format!("no attributes of category `{category}` found"));
        };
        attributes(wanted, found, how)
            .map_err(|reason| format!("attributes of category `{category}`: {reason}"))?;
    }
    match given.iter().find(|(category, _)| wanted.iter().all(|(other, _)| other != category)) {
        Some((category, _)) => Err(format!("attributes of category `{category}` found")),
        None => Ok(()),
    }
}

/// The attributes of each category that has some.
fn by_category(categories: &[OwnedCategory]) -> Vec<(&str, Vec<&OwnedAttribute>)> {
    let mut grouped: Vec<(&str, Vec<&OwnedAttribute>)> = Vec::new();
    for category in categories.iter().filter(|category| !category.attributes.is_empty()) {
        match grouped.iter_mut().find(|(known, _)| *known == category.category) {
            Some((_, attributes)) => attributes.extend(&category.attributes),
            None => grouped.push((&category.category, category.attributes.iter().collect())),
        }
    }
    grouped
}

/// Compares attributes in order.
///
/// # Errors
/// Where they differ.
pub(super) fn attributes(
    expected: &[&OwnedAttribute],
    found: &[&OwnedAttribute],
    how: &Compare,
) -> Result<(), String> {
    if expected.len() != found.len() {
        return Err(format!("{} expected, {} found", expected.len(), found.len()));
    }
    for (expected, found) in expected.iter().zip(found) {
        let head = |it: &OwnedAttribute| (it.id.clone(), it.issuer.clone());
        if head(expected) != head(found) {
            return Err(format!("{:?} expected, {:?} found", head(expected), head(found)));
        }
        if expected.values.len() != found.values.len() {
            let (wanted, given) = (expected.values.len(), found.values.len());
            let wanted = counted(wanted, "value", "values");
            return Err(format!("`{}`: {wanted} expected, {given} found", expected.id));
        }
        if how.ignore_attribute_values.contains(&expected.id) {
            continue;
        }
        let mut pairs = expected.values.iter().zip(&found.values);
        pairs
            .try_for_each(|(expected, found)| values(expected, found))
            .map_err(|reason| format!("`{}`: {reason}", expected.id))?;
    }
    Ok(())
}

/// Two lists of policies as sets; versions count where both have one.
fn listed(
    expected: &[OwnedPolicyIdentifier],
    found: &[OwnedPolicyIdentifier],
) -> Result<(), String> {
    let within = |policy: &OwnedPolicyIdentifier, list: &[OwnedPolicyIdentifier]| {
        list.iter().any(|other| {
            (policy.kind, &policy.id) == (other.kind, &other.id)
                && (policy.version.is_none()
                    || other.version.is_none()
                    || policy.version == other.version)
        })
    };
    if let Some(missing) = expected.iter().find(|policy| !within(policy, found)) {
        return Err(format!("policy `{}` is not listed as applicable", missing.id));
    }
    match found.iter().find(|policy| !within(policy, expected)) {
        Some(extra) => Err(format!("policy `{}` is listed as applicable", extra.id)),
        None => Ok(()),
    }
}

fn named(wanted: &PolicyIds, found: &[OwnedPolicyIdentifier]) -> Result<(), String> {
    if let Some(missing) = wanted.required.iter().find(|id| found.iter().all(|it| it.id != **id)) {
        return Err(format!("policy `{missing}` is not listed as applicable"));
    }
    let known = |id: &String| wanted.required.contains(id) || wanted.allowed.contains(id);
    match found.iter().find(|policy| !known(&policy.id)) {
        Some(extra) => Err(format!("policy `{}` is listed as applicable", extra.id)),
        None => Ok(()),
    }
}
