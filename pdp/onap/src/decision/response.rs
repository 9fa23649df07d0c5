//! The answer to a decision request, written as the body that ONAP's callers expect.

use pdp_engine::model::{Answer, Decision, NoticeKind, ReturnedNotice, Version};
use pdp_engine::value::{Data, Integer};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::collections::HashMap;

use super::Subscriber;
use crate::application::Application;
use crate::ids;
use crate::tosca::{self, Limits, Syntax, json_text};

/// What a guard decision that could not be determined reads to the caller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GuardIndeterminate {
    /// Permit, as the ONAP service has it.
    #[default]
    Permit,
    /// Deny: fail closed.
    Deny,
}

impl GuardIndeterminate {
    const fn status(self) -> &'static str {
        match self {
            Self::Permit => "Permit",
            Self::Deny => "Deny",
        }
    }
}

/// How much of each policy an answer holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Form {
    /// All of it.
    #[default]
    Full,
    /// Without `type_version`, `properties`, `name` and `version`.
    Abbreviated,
}

impl Form {
    /// What the query parameters ask for: `abbrev=true`, spelt exactly so, and only of monitoring.
    pub fn of_query<'q>(
        application: Application,
        parameters: impl IntoIterator<Item = (&'q str, &'q str)>,
    ) -> Self {
        let asked = || parameters.into_iter().any(|parameter| parameter == ("abbrev", "true"));
        if application == Application::Monitoring && asked() {
            Self::Abbreviated
        } else {
            Self::Full
        }
    }
}

/// Writes the JSON body for a decision.
pub fn write_decision(
    answer: &Answer<'_>,
    application: Application,
    form: Form,
    indeterminate: GuardIndeterminate,
    out: &mut Vec<u8>,
) {
    match application {
        Application::Guard => guard(answer, indeterminate, out),
        Application::Match | Application::Optimization => closest(answer, None, out),
        _ => policies(answer, form, out),
    }
}

/// Writes the JSON body for an optimization that asked for a subscriber.
pub fn write_optimized(answer: &Answer<'_>, subscriber: &Subscriber, out: &mut Vec<u8>) {
    closest(answer, Some(subscriber), out);
}

/// The policies that match, of each type only the most specific ones.
fn closest(answer: &Answer<'_>, subscriber: Option<&Subscriber>, out: &mut Vec<u8>) {
    if answer.decision == Decision::Permit {
        let mut carried = newest(answer.notices);
        let mut best: HashMap<&str, i64> = HashMap::new();
        for policy in &carried {
            if let Some((type_name, weight)) = policy.ranked {
                let best = best.entry(type_name).or_insert(weight);
                *best = weight.max(*best);
            }
        }
        carried.retain(|policy| {
            policy.ranked.is_some_and(|(type_name, weight)| best.get(type_name) == Some(&weight))
        });
        write_policies(&carried, Form::Full, out);
    } else {
        write_failed(answer, out);
    }
    if let Some(subscriber) = subscriber {
        write_advice(subscriber, out);
    }
    out.push(b'}');
}

/// The last role and status, as ONAP has it: all roles counted in the decision.
fn write_advice(subscriber: &Subscriber, out: &mut Vec<u8>) {
    out.extend_from_slice(b",\"advice\":{");
    let told =
        [("subscriberRole", subscriber.roles.last()), ("provStatus", subscriber.status.as_ref())];
    let told = told.into_iter().filter_map(|(name, text)| text.map(|text| (name, text)));
    for (at, (name, text)) in told.enumerate() {
        if at > 0 {
            out.push(b',');
        }
        json_text(name, out);
        out.push(b':');
        json_text(text, out);
    }
    out.push(b'}');
}

fn guard(answer: &Answer<'_>, indeterminate: GuardIndeterminate, out: &mut Vec<u8>) {
    let (status, message) = match answer.decision {
        Decision::Permit | Decision::NotApplicable => ("Permit", None),
        Decision::Deny => ("Deny", None),
        Decision::Indeterminate => {
            let message = answer.status.message.unwrap_or("the decision could not be determined");
            (indeterminate.status(), Some(message))
        }
    };
    out.extend_from_slice(b"{\"status\":\"");
    out.extend_from_slice(status.as_bytes());
    out.push(b'"');
    write_message(message, out);
    out.push(b'}');
}

fn policies(answer: &Answer<'_>, form: Form, out: &mut Vec<u8>) {
    if answer.decision == Decision::Permit {
        write_policies(&newest(answer.notices), form, out);
    } else {
        write_failed(answer, out);
    }
    out.push(b'}');
}

/// Nothing found is an error to ONAP's callers. The object is left open.
fn write_failed(answer: &Answer<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"status\":\"error\"");
    write_message(answer.status.message, out);
    out.extend_from_slice(b",\"policies\":{}");
}

/// Writes policies by their names. The object is left open.
fn write_policies(policies: &[Carried<'_>], form: Form, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"policies\":{");
    for (at, policy) in policies.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        json_text(policy.id, out);
        out.push(b':');
        match form {
            Form::Full => out.extend_from_slice(policy.content.as_bytes()),
            Form::Abbreviated => abbreviated(policy.content, out),
        }
    }
    out.push(b'}');
}

pub(super) fn write_message(message: Option<&str>, out: &mut Vec<u8>) {
    if let Some(message) = message {
        out.extend_from_slice(b",\"message\":");
        json_text(message, out);
    }
}

/// A policy that an obligation carries; its content is JSON.
#[derive(Clone, Copy)]
struct Carried<'a> {
    id: &'a str,
    content: &'a str,
    /// Its type and how specific it is, where the obligation tells both.
    ranked: Option<(&'a str, i64)>,
}

impl<'a> Carried<'a> {
    /// What an obligation carries; one without id or content carries nothing.
    fn of(notice: &ReturnedNotice<'a>) -> Option<Self> {
        if notice.kind != NoticeKind::Obligation || notice.id != ids::REST_BODY {
            return None;
        }
        let text = |id: &str| {
            let assignment = notice.assignments.iter().find(|value| value.attribute_id == id)?;
            match assignment.value.data() {
                Data::String(text) if !text.is_empty() => Some(text),
                _ => None,
            }
        };
        let weight = notice
            .assignments
            .iter()
            .find(|value| value.attribute_id == ids::OBLIGATION_WEIGHT)
            .and_then(|assignment| match assignment.value.data() {
                Data::Integer(Integer::Small(weight)) => Some(weight),
                _ => None,
            });
        Some(Self {
            id: text(ids::OBLIGATION_POLICY_ID)?,
            content: text(ids::OBLIGATION_CONTENT)?,
            ranked: text(ids::OBLIGATION_TYPE).zip(weight),
        })
    }

    fn version(&self) -> Option<Version> {
        #[derive(Deserialize)]
        struct Content<'c> {
            #[serde(borrow)]
            version: std::borrow::Cow<'c, str>,
        }
        serde_json::from_str::<Content<'_>>(self.content).ok()?.version.parse().ok()
    }
}

/// What the obligations carry. An answer is keyed by id alone: of two versions the newer one answers.
fn newest<'a>(notices: &[ReturnedNotice<'a>]) -> Vec<Carried<'a>> {
    let mut all: Vec<Carried<'a>> = notices.iter().filter_map(Carried::of).collect();
    if all.len() < 2 {
        return all;
    }
    let mut newest: HashMap<&str, usize> = HashMap::with_capacity(all.len());
    let mut kept = 0;
    for at in 0..all.len() {
        let carried = all[at];
        match newest.get(carried.id) {
            Some(&other) if carried.version() > all[other].version() => all[other] = carried,
            Some(_) => {}
            None => {
                newest.insert(carried.id, kept);
                all[kept] = carried;
                kept += 1;
            }
        }
    }
    all.truncate(kept);
    all
}

/// Writes what an abbreviated answer keeps of a policy.
fn abbreviated(content: &str, out: &mut Vec<u8>) {
    #[derive(Deserialize)]
    struct Kept<'c> {
        #[serde(borrow, rename = "type")]
        type_name: Option<&'c RawValue>,
        #[serde(borrow)]
        derived_from: Option<&'c RawValue>,
        #[serde(borrow)]
        metadata: Option<&'c RawValue>,
        #[serde(borrow)]
        description: Option<&'c RawValue>,
    }
    let Ok(kept) = serde_json::from_str::<Kept<'_>>(content) else {
        out.extend_from_slice(b"{}");
        return;
    };
    out.push(b'{');
    let fields = [
        ("type", kept.type_name),
        ("derived_from", kept.derived_from),
        ("metadata", kept.metadata),
        ("description", kept.description),
    ];
    let present = fields.iter().filter_map(|(name, value)| value.map(|value| (name, value)));
    for (at, (name, value)) in present.enumerate() {
        if at > 0 {
            out.push(b',');
        }
        json_text(name, out);
        out.push(b':');
        out.extend_from_slice(value.get().as_bytes());
    }
    out.push(b'}');
}

/// Writes the JSON body for a request that an application cannot convert; it goes out with 200.
pub fn write_failure(message: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"status\":\"error\"");
    write_message(Some(message), out);
    out.push(b'}');
}

/// Writes ONAP's `ErrorResponse`; `code` is the name of the HTTP status, such as `BAD_REQUEST`.
pub fn write_error_response(code: &str, message: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"code\":");
    json_text(code, out);
    out.extend_from_slice(b",\"error\":");
    json_text(message, out);
    out.extend_from_slice(b",\"details\":[");
    json_text(message, out);
    out.extend_from_slice(b"]}");
}

/// Writes the JSON body for a request that cannot be read.
pub fn write_invalid_request(out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"errorDetails\":\"Invalid request\"}");
}

/// A JSON body as YAML. What is not JSON is handed back as it is, which YAML readers mostly take.
pub fn to_yaml(json: &[u8]) -> Vec<u8> {
    let limits = Limits { depth: 256, ..Limits::default() };
    match tosca::document(json, Syntax::Json, &limits) {
        Ok(node) => {
            let mut out = Vec::with_capacity(json.len() + json.len() / 4);
            tosca::write_yaml(&node, &mut out);
            out
        }
        Err(_) => json.to_vec(),
    }
}
