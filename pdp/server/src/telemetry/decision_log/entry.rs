//! What the log says of one decision.

use std::time::Duration;

use jiff::Timestamp;
use pdp_engine::model::{Answer, Decision};
use serde::{Serialize, Serializer};

use crate::telemetry::{Cause, TraceId};

/// Policies that one line names at most.
const MOST: usize = 100;

/// Policies that were found applicable, where somebody wants to know.
#[derive(Clone, Debug, Default)]
pub struct Applied {
    /// Whether anybody does.
    pub wanted: bool,
    policies: Vec<Named>,
    left_out: usize,
}

/// A policy by its name and version.
#[derive(Clone, Debug, Serialize)]
struct Named {
    id: String,
    version: String,
}

impl Applied {
    /// Forgets what the last decision has left.
    pub fn clear(&mut self) {
        self.policies.clear();
        self.left_out = 0;
    }

    /// Adds the policies that an answer names.
    pub fn note(&mut self, answer: &Answer<'_>) {
        if !self.wanted {
            return;
        }
        for policy in answer.policies {
            if self.policies.len() == MOST {
                self.left_out += 1;
            } else {
                let (id, version) = (policy.id.to_owned(), policy.version.to_string());
                self.policies.push(Named { id, version });
            }
        }
    }

    /// The names of the policies.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.policies.iter().map(|policy| policy.id.as_str())
    }

    /// What was noted; nothing is left behind.
    pub fn take(&mut self) -> Self {
        Self {
            wanted: self.wanted,
            policies: std::mem::take(&mut self.policies),
            left_out: std::mem::take(&mut self.left_out),
        }
    }
}

/// One decision.
#[derive(Debug, Serialize)]
pub struct Entry<'a> {
    /// When it was made.
    pub time: Timestamp,
    /// The id of the request, as in answers and log lines.
    pub id: &'a str,
    /// The trace that it belongs to, where the client is traced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_id: Option<TraceId>,
    /// The application that decided.
    pub application: &'a str,
    /// The decision itself, whatever the answer reads. Of several decisions the one that all are, or
    /// Indeterminate.
    #[serde(serialize_with = "by_name")]
    pub decision: Decision,
    /// Why it is Indeterminate.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "cause")]
    pub cause: Option<Cause>,
    /// The policies that were found applicable.
    #[serde(flatten)]
    pub policies: Policies<'a>,
    /// From the read request to the answer's body.
    #[serde(rename = "latency_us", serialize_with = "micros")]
    pub took: Duration,
}

/// The members that name policies.
#[derive(Debug, Serialize)]
pub struct Policies<'a> {
    policies: &'a [Named],
    #[serde(skip_serializing_if = "is_zero")]
    policies_left_out: usize,
}

impl<'a> From<&'a Applied> for Policies<'a> {
    fn from(applied: &'a Applied) -> Self {
        Self { policies: &applied.policies, policies_left_out: applied.left_out }
    }
}

impl Entry<'_> {
    /// The line, its end included.
    pub(super) fn line(&self) -> Vec<u8> {
        let mut line = Vec::with_capacity(256);
        serde_json::to_writer(&mut line, self).expect("plain data is written to memory");
        line.push(b'\n');
        line
    }
}

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde wants it
fn is_zero(number: &usize) -> bool {
    *number == 0
}

fn by_name<S: Serializer>(decision: &Decision, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(decision.name())
}

fn cause<S: Serializer>(cause: &Option<Cause>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(cause.map_or("", Cause::name))
}

fn micros<S: Serializer>(took: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    #[allow(clippy::cast_precision_loss)] // 52 bits of nanoseconds are 50 days
    serializer.serialize_f64(took.as_nanos() as f64 / 1e3)
}

#[cfg(test)]
mod tests {
    use pdp_engine::model::{PolicyIdentifier, PolicyKind, Status, Version};

    use super::*;

    fn noted(policies: usize) -> Applied {
        let version: Version = "1.2.3".parse().expect("a version");
        let identifier =
            PolicyIdentifier { kind: PolicyKind::Policy, id: "p \"q\"", version: &version };
        let policies = vec![identifier; policies];
        let answer = Answer {
            decision: Decision::Deny,
            status: Status::OK,
            notices: &[],
            attributes: &[],
            policies: &policies,
        };
        let mut applied = Applied { wanted: true, ..Applied::default() };
        applied.note(&answer);
        applied
    }

    fn line(applied: &Applied, cause: Option<Cause>) -> String {
        let entry = Entry {
            time: Timestamp::UNIX_EPOCH,
            id: "one",
            trace_id: None,
            application: "guard",
            decision: Decision::Deny,
            cause,
            policies: applied.into(),
            took: Duration::from_nanos(1500),
        };
        String::from_utf8(entry.line()).expect("JSON is UTF-8")
    }

    #[test]
    fn a_line_is_one_object() {
        assert_eq!(
            line(&noted(1), None),
            "{\"time\":\"1970-01-01T00:00:00Z\",\"id\":\"one\",\"application\":\"guard\",\"decision\":\"Deny\",\
             \"policies\":[{\"id\":\"p \\\"q\\\"\",\"version\":\"1.2.3\"}],\"latency_us\":1.5}\n"
        );
        assert!(line(&noted(0), Some(Cause::LookUp)).contains(",\"cause\":\"look_up\","));
    }

    #[test]
    fn a_line_has_a_bound() {
        let line: serde_json::Value =
            serde_json::from_str(&line(&noted(1_000), None)).expect("it is JSON");
        assert_eq!(line["policies"].as_array().map(Vec::len), Some(MOST));
        assert_eq!(line["policies_left_out"], 900);
    }
}
