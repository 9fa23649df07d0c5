//! The expected answer of each request, and what the given one is worth.
//!
//! Every answer is read to its end and compared, not only its status: a body that merely contains
//! the word Permit is not a permit.

mod account;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::measure::recorder::Outcome;

/// A guard decision as ONAP spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Go ahead.
    Permit,
    /// Do not.
    Deny,
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Permit => "Permit",
            Self::Deny => "Deny",
        })
    }
}

/// What a request's answer must be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// A health report that says healthy.
    Healthy,
    /// A statistics report with its counters.
    Statistics,
    /// Exactly these policies, and no status.
    Policies(&'static [&'static str]),
    /// No policies; ONAP's answer to that says `error`.
    NoPolicies,
    /// The same, each without its properties.
    Abbreviated(&'static [&'static str]),
    /// This guard decision.
    Guard(Decision),
    /// A Permit whose obligation names this account; without one, a Deny.
    Account(Option<&'static str>),
    /// Created.
    Created,
    /// Accepted.
    Accepted,
}

#[derive(Deserialize)]
struct HealthReport {
    healthy: bool,
    code: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StatisticsReport {
    code: i64,
    permit_decisions_count: i64,
    deny_decisions_count: i64,
}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow)]
    status: Option<Cow<'a, str>>,
    #[serde(borrow)]
    message: Option<Cow<'a, str>>,
    #[serde(borrow)]
    policies: Option<std::collections::BTreeMap<Cow<'a, str>, HandedOut>>,
}

#[derive(Deserialize)]
struct HandedOut {
    properties: Option<IgnoredAny>,
}

impl Expectation {
    /// Compares an answer with the expected one.
    pub fn check(&self, status: u16, body: &[u8]) -> Outcome {
        let wanted = match self {
            Self::Created => 201,
            Self::Accepted => 202,
            _ => 200,
        };
        if status != wanted {
            return failed(
                format!("status {status}"),
                format!("expected {wanted}: {}", excerpt(body)),
            );
        }
        match self {
            Self::Created | Self::Accepted => Outcome::Ok,
            Self::Healthy => match serde_json::from_slice::<HealthReport>(body) {
                Ok(report) if report.healthy && report.code == 200 => Outcome::Ok,
                Ok(_) => failed("unhealthy", excerpt(body)),
                Err(error) => unreadable(&error, body),
            },
            Self::Statistics => match serde_json::from_slice::<StatisticsReport>(body) {
                Ok(report)
                    if report.code == 200
                        && report.permit_decisions_count >= 0
                        && report.deny_decisions_count >= 0 =>
                {
                    Outcome::Ok
                }
                Ok(_) => failed("unhealthy", excerpt(body)),
                Err(error) => unreadable(&error, body),
            },
            Self::Policies(ids) => match serde_json::from_slice::<Answer<'_>>(body) {
                Ok(answer) => check_policies(ids, &answer),
                Err(error) => unreadable(&error, body),
            },
            Self::NoPolicies => match serde_json::from_slice::<Answer<'_>>(body) {
                Ok(answer) => check_none(&answer),
                Err(error) => unreadable(&error, body),
            },
            Self::Abbreviated(ids) => match serde_json::from_slice::<Answer<'_>>(body) {
                Ok(answer) => check_abbreviated(ids, &answer),
                Err(error) => unreadable(&error, body),
            },
            Self::Account(account) => match serde_json::from_slice::<account::Response<'_>>(body) {
                Ok(answer) => account::check(*account, &answer),
                Err(error) => unreadable(&error, body),
            },
            Self::Guard(decision) => match serde_json::from_slice::<Answer<'_>>(body) {
                Ok(answer) => check_guard(*decision, &answer),
                Err(error) => unreadable(&error, body),
            },
        }
    }
}

fn check_guard(expected: Decision, answer: &Answer<'_>) -> Outcome {
    match answer.status.as_deref() {
        Some("Permit") if expected == Decision::Permit => Outcome::Ok,
        Some("Deny") if expected == Decision::Deny => Outcome::Ok,
        given @ Some("Permit" | "Deny") => {
            let message =
                answer.message.as_deref().map(|text| format!(" ({text})")).unwrap_or_default();
            Outcome::Wrong(format!(
                "expected {expected}, got {}{message}",
                given.unwrap_or_default()
            ))
        }
        given => no_decision(&format!("expected {expected}"), given, answer),
    }
}

fn check_policies(expected: &[&str], answer: &Answer<'_>) -> Outcome {
    if let Some(status) = answer.status.as_deref() {
        return no_decision(
            &format!("expected policies {}", expected.join(", ")),
            Some(status),
            answer,
        );
    }
    let given: BTreeSet<&str> =
        answer.policies.iter().flatten().map(|(id, _)| id.as_ref()).collect();
    if given == expected.iter().copied().collect() {
        Outcome::Ok
    } else {
        let given = if given.is_empty() {
            "none".to_owned()
        } else {
            given.into_iter().collect::<Vec<_>>().join(", ")
        };
        Outcome::Wrong(format!("expected policies {}, got {given}", expected.join(", ")))
    }
}

fn check_none(answer: &Answer<'_>) -> Outcome {
    let given = answer.policies.as_ref().map(std::collections::BTreeMap::len);
    match (answer.status.as_deref(), given) {
        (None | Some("error"), Some(0)) => Outcome::Ok,
        (status, given) => Outcome::Wrong(format!(
            "expected no policies, got {} of them with status {}",
            given.unwrap_or_default(),
            status.unwrap_or("none")
        )),
    }
}

fn check_abbreviated(expected: &[&str], answer: &Answer<'_>) -> Outcome {
    let whole = answer.policies.iter().flatten().find(|(_, policy)| policy.properties.is_some());
    match whole {
        Some((id, _)) => Outcome::Wrong(format!("expected {id} without its properties, got them")),
        None => check_policies(expected, answer),
    }
}

/// An answer in the proper form that does not decide contradicts the expectation all the same.
fn no_decision(expected: &str, status: Option<&str>, answer: &Answer<'_>) -> Outcome {
    let status =
        status.map_or_else(|| "no status".to_owned(), |status| format!("status `{status}`"));
    let message = answer.message.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
    Outcome::Wrong(format!("{expected}, got {status}{message}"))
}

fn unreadable(error: &serde_json::Error, body: &[u8]) -> Outcome {
    failed("unreadable answer", format!("{error}: {}", excerpt(body)))
}

fn failed(class: impl Into<String>, sample: String) -> Outcome {
    Outcome::Failed { class: class.into(), sample }
}

/// The beginning of a body, fit for one line.
pub fn excerpt(body: &[u8]) -> String {
    const MOST: usize = 160;
    if body.is_empty() {
        return "empty body".to_owned();
    }
    let text = String::from_utf8_lossy(&body[..body.len().min(MOST * 4)]);
    let mut line: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MOST).collect();
    if body.len() > line.len() {
        line.push_str("...");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    const TCA: Expectation = Expectation::Policies(&["onap.restart.tca"]);
    const PERMIT: Expectation = Expectation::Guard(Decision::Permit);
    const DENY: Expectation = Expectation::Guard(Decision::Deny);

    fn class(outcome: Outcome) -> String {
        match outcome {
            Outcome::Ok => "ok".to_owned(),
            Outcome::Wrong(_) => "wrong".to_owned(),
            Outcome::Failed { class, .. } => class,
        }
    }

    #[test]
    fn expected_answers_are_right() {
        for (expectation, status, body) in [
            (PERMIT, 200, r#"{"status":"Permit"}"#),
            (DENY, 200, r#"{"status":"Deny","message":"limit reached"}"#),
            (TCA, 200, r#"{"policies":{"onap.restart.tca":{"type":"t","properties":{"a":[1]}}}}"#),
            (
                Expectation::Healthy,
                200,
                r#"{"name":"x","url":"self","healthy":true,"code":200,"message":"alive"}"#,
            ),
            (
                Expectation::Statistics,
                200,
                r#"{"code":200,"permitDecisionsCount":0,"denyDecisionsCount":3}"#,
            ),
            (Expectation::Created, 201, ""),
            (Expectation::Accepted, 202, "{}"),
            (Expectation::NoPolicies, 200, r#"{"policies":{}}"#),
            (Expectation::NoPolicies, 200, r#"{"status":"error","policies":{}}"#),
            (
                Expectation::Abbreviated(&["onap.restart.tca"]),
                200,
                r#"{"policies":{"onap.restart.tca":{"type":"t"}}}"#,
            ),
        ] {
            assert_eq!(expectation.check(status, body.as_bytes()), Outcome::Ok, "{body}");
        }
    }

    #[test]
    fn another_decision_is_wrong_and_not_an_error() {
        for (expectation, body, words) in [
            (PERMIT, r#"{"status":"Deny"}"#, "expected Permit, got Deny"),
            (
                DENY,
                r#"{"status":"Permit","message":"history down"}"#,
                "expected Deny, got Permit (history down)",
            ),
            (PERMIT, r#"{"status":"permit"}"#, "expected Permit, got status `permit`"),
            (
                PERMIT,
                r#"{"message":"a text about Permit"}"#,
                "expected Permit, got no status: a text about Permit",
            ),
            (TCA, r#"{"policies":{}}"#, "expected policies onap.restart.tca, got none"),
            (
                Expectation::NoPolicies,
                r#"{"policies":{"a":{}}}"#,
                "expected no policies, got 1 of them with status none",
            ),
            (
                Expectation::Abbreviated(&["a"]),
                r#"{"policies":{"a":{"properties":{}}}}"#,
                "expected a without its properties, got them",
            ),
            (
                TCA,
                r#"{"policies":{"onap.restart.tca":{},"b":{}}}"#,
                "expected policies onap.restart.tca, got b, onap.restart.tca",
            ),
            (
                TCA,
                r#"{"status":"error","policies":{}}"#,
                "expected policies onap.restart.tca, got status `error`",
            ),
        ] {
            assert_eq!(
                expectation.check(200, body.as_bytes()),
                Outcome::Wrong(words.to_owned()),
                "{body}"
            );
        }
    }

    #[test]
    fn what_is_no_answer_is_an_error_of_a_kind() {
        for (expectation, status, body, kind) in [
            (PERMIT, 500, "boom", "status 500"),
            (PERMIT, 200, "Permit", "unreadable answer"),
            (PERMIT, 200, "", "unreadable answer"),
            (PERMIT, 200, r#"{"status":7}"#, "unreadable answer"),
            (TCA, 200, r#"{"policies":["onap.restart.tca"]}"#, "unreadable answer"),
            (Expectation::Created, 200, "", "status 200"),
            (Expectation::Healthy, 200, r#"{"healthy":false,"code":500}"#, "unhealthy"),
            (
                Expectation::Statistics,
                200,
                r#"{"code":500,"permitDecisionsCount":0,"denyDecisionsCount":3}"#,
                "unhealthy",
            ),
            (Expectation::Statistics, 200, r#"{"code":200}"#, "unreadable answer"),
        ] {
            assert_eq!(class(expectation.check(status, body.as_bytes())), kind, "{body}");
        }
    }

    #[test]
    fn excerpts_are_short_and_on_one_line() {
        assert_eq!(excerpt(b""), "empty body");
        assert_eq!(excerpt(b"a\nb"), "a b");
        let long = excerpt(&[b'x'; 5000]);
        assert!(long.ends_with("...") && long.len() < 200, "{long}");
    }
}
