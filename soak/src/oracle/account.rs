//! The answer of identity mapping: a decision in XACML's JSON profile with the account in an obligation.

use std::borrow::Cow;

use serde::Deserialize;

use crate::measure::recorder::Outcome;
use crate::scenario::identity::{ACCOUNT, OBLIGATION};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Response<'a> {
    #[serde(borrow)]
    response: OneOrMany<Reply<'a>>,
}

/// The profile lets a single result stand without its array.
#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMany<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> OneOrMany<T> {
    fn as_slice(&self) -> &[T] {
        match self {
            Self::One(one) => std::slice::from_ref(one),
            Self::Many(many) => many,
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Reply<'a> {
    #[serde(borrow)]
    decision: Cow<'a, str>,
    #[serde(borrow)]
    obligations: Option<OneOrMany<Obligation<'a>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Obligation<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    attribute_assignment: Option<OneOrMany<Assignment<'a>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Assignment<'a> {
    #[serde(borrow)]
    attribute_id: Cow<'a, str>,
    value: serde_json::Value,
}

impl Response<'_> {
    fn only(&self) -> Option<&Reply<'_>> {
        match self.response.as_slice() {
            [reply] => Some(reply),
            _ => None,
        }
    }
}

impl Reply<'_> {
    fn account(&self) -> Option<&str> {
        let mut obligations = self.obligations.iter().flat_map(OneOrMany::as_slice);
        let ours = obligations.find(|obligation| obligation.id == OBLIGATION)?;
        let mut assignments = ours.attribute_assignment.iter().flat_map(OneOrMany::as_slice);
        assignments.find(|assignment| assignment.attribute_id == ACCOUNT)?.value.as_str()
    }
}

/// Compares the account of an answer with the expected one.
pub(super) fn check(expected: Option<&str>, answer: &Response<'_>) -> Outcome {
    let Some(reply) = answer.only() else {
        return Outcome::Wrong("expected one result, got another number of them".to_owned());
    };
    let given = reply.account();
    let decision = if expected.is_some() { "Permit" } else { "Deny" };
    if reply.decision == decision && given == expected {
        return Outcome::Ok;
    }
    let told = |account: Option<&str>| account.map_or("no account".to_owned(), str::to_owned);
    Outcome::Wrong(format!(
        "expected {decision} with {}, got {} with {}",
        told(expected),
        reply.decision,
        told(given)
    ))
}

#[cfg(test)]
mod tests {
    use crate::measure::recorder::Outcome;
    use crate::oracle::Expectation;

    fn answer(decision: &str, account: &str) -> String {
        format!(
            r#"{{"Response":[{{"Decision":"{decision}","Obligations":[{{"Id":"urn:pdp:mapping:local-account",
            "AttributeAssignment":[{{"AttributeId":"urn:pdp:mapping:account","Value":"{account}"}}]}}]}}]}}"#
        )
    }

    #[test]
    fn the_account_and_the_decision_must_both_be_right() {
        let check =
            |expected, body: &str| Expectation::Account(expected).check(200, body.as_bytes());
        assert_eq!(check(Some("a1"), &answer("Permit", "a1")), Outcome::Ok);
        assert_eq!(check(None, r#"{"Response":[{"Decision":"Deny"}]}"#), Outcome::Ok);
        assert_eq!(check(None, r#"{"Response":{"Decision":"Deny"}}"#), Outcome::Ok);
        for (expected, body) in [
            (Some("a1"), answer("Permit", "a2")),
            (Some("a1"), answer("Deny", "a1")),
            (None, answer("Permit", "a1")),
            (Some("a1"), r#"{"Response":[{"Decision":"Permit"}]}"#.to_owned()),
            (Some("a1"), r#"{"Response":[]}"#.to_owned()),
        ] {
            assert!(matches!(check(expected, &body), Outcome::Wrong(_)), "{body}");
        }
        let nonsense = check(Some("a1"), "{}");
        assert!(matches!(nonsense, Outcome::Failed { .. }), "{nonsense:?}");
    }
}
