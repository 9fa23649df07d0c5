//! Reads responses into the form that comparisons use.

use serde::Deserializer;
use serde::de::MapAccess;

use super::category::{Categories, Read, replay};
use super::notice::Notices;
use super::status::Status;
use crate::error::{ReadError, code};
use crate::format::cursor::{ReadLimits, quoted};
use crate::format::json::{Items, Object, Reading, Stopped, decode};
use crate::model::{
    Decision, OwnedCategory, OwnedNotice, OwnedPolicyIdentifier, OwnedResponse, OwnedResult,
    OwnedStatus, PolicyKind, Recorder,
};
use crate::value::Arena;

/// Reads a response.
///
/// # Errors
/// The first problem of the document.
pub fn read(bytes: &[u8], limits: &ReadLimits) -> Result<OwnedResponse, ReadError> {
    let arena = Arena::new();
    let mut reading = Reading::new(&arena, limits);
    let mut document = Document::default();
    reading.document(decode(bytes, limits)?, &mut document)?;
    Ok(OwnedResponse { results: document.results })
}

#[derive(Default)]
struct Document {
    seen: bool,
    results: Vec<OwnedResult>,
}

impl<'a> Object<'a> for Document {
    const WHAT: &'static str = "the document";
    const MEMBERS: &'static [&'static str] = &["Response"];

    fn member<A: MapAccess<'a>>(
        &mut self,
        _index: usize,
        reading: &mut Reading<'a>,
        map: &mut A,
    ) -> Result<(), A::Error> {
        self.seen = true;
        reading.items(self, map)
    }

    fn finish(&mut self, reading: &mut Reading<'a>) -> Result<(), Stopped> {
        reading.required(Self::WHAT, "Response", self.seen.then_some(()))
    }
}

impl<'a> Items<'a> for Document {
    const ITEM: &'static str = "a result";

    fn item<D: Deserializer<'a>>(
        &mut self,
        reading: &mut Reading<'a>,
        item: D,
    ) -> Result<(), D::Error> {
        let mut result = ResultObject::default();
        reading.object(&mut result, item)?;
        self.results.push(OwnedResult {
            decision: result.decision.unwrap_or(Decision::Indeterminate),
            status: result.status,
            obligations: result.obligations,
            advice: result.advice,
            categories: result.categories,
            policies: result.policies,
        });
        Ok(())
    }
}

#[derive(Default)]
struct ResultObject {
    decision: Option<Decision>,
    status: OwnedStatus,
    obligations: Vec<OwnedNotice>,
    advice: Vec<OwnedNotice>,
    categories: Vec<OwnedCategory>,
    policies: Option<Vec<OwnedPolicyIdentifier>>,
}

impl<'a> Object<'a> for ResultObject {
    const WHAT: &'static str = "a result";
    const MEMBERS: &'static [&'static str] = &[
        "Decision",
        "Status",
        "Obligations",
        "AssociatedAdvice",
        "Category",
        "PolicyIdentifierList",
    ];

    fn member<A: MapAccess<'a>>(
        &mut self,
        index: usize,
        reading: &mut Reading<'a>,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match index {
            0 => {
                let name = reading.text(map)?;
                let decision = Decision::from_name(name).ok_or_else(|| {
                    reading.fail(code::VALUE, format!("{} is not a decision", quoted(name))).raise()
                });
                self.decision = Some(decision?);
            }
            1 => {
                let mut status = Status::default();
                reading.member_object(&mut status, map)?;
                self.status = OwnedStatus {
                    message: status.message,
                    missing: status.missing,
                    ..OwnedStatus::default()
                };
                if !status.codes.is_empty() {
                    self.status.codes = status.codes;
                }
            }
            2 => reading.items(&mut Notices { read: &mut self.obligations }, map)?,
            3 => reading.items(&mut Notices { read: &mut self.advice }, map)?,
            4 => {
                let mut read = Read::new_in(reading.arena);
                reading.items(&mut Categories { read: &mut read, shorthand: None }, map)?;
                let mut recorder = Recorder::new(reading.arena);
                replay(&read, &mut recorder);
                self.categories = recorder.finish().categories;
            }
            _ => {
                let mut list = Policies { read: Vec::new(), kind: PolicyKind::Policy };
                reading.member_object(&mut list, map)?;
                self.policies = Some(list.read);
            }
        }
        Ok(())
    }

    fn finish(&mut self, reading: &mut Reading<'a>) -> Result<(), Stopped> {
        reading.required(Self::WHAT, "Decision", self.decision).map(|_| ())
    }
}

struct Policies {
    read: Vec<OwnedPolicyIdentifier>,
    kind: PolicyKind,
}

impl<'a> Object<'a> for Policies {
    const WHAT: &'static str = "a policy list";
    const MEMBERS: &'static [&'static str] = &["PolicyIdReference", "PolicySetIdReference"];

    fn member<A: MapAccess<'a>>(
        &mut self,
        index: usize,
        reading: &mut Reading<'a>,
        map: &mut A,
    ) -> Result<(), A::Error> {
        self.kind = if index == 0 { PolicyKind::Policy } else { PolicyKind::PolicySet };
        reading.items(self, map)
    }

    fn finish(&mut self, _: &mut Reading<'a>) -> Result<(), Stopped> {
        Ok(())
    }
}

impl<'a> Items<'a> for Policies {
    const ITEM: &'static str = "a policy identifier";

    fn item<D: Deserializer<'a>>(
        &mut self,
        reading: &mut Reading<'a>,
        item: D,
    ) -> Result<(), D::Error> {
        let mut policy = PolicyIdentifier::default();
        reading.object(&mut policy, item)?;
        let version = match policy.version.map(str::parse).transpose() {
            Ok(version) => version,
            Err(message) => return Err(reading.fail(code::VALUE, message).raise()),
        };
        let id = policy.id.unwrap_or_default().to_owned();
        self.read.push(OwnedPolicyIdentifier { kind: self.kind, id, version });
        Ok(())
    }
}

#[derive(Default)]
struct PolicyIdentifier<'a> {
    id: Option<&'a str>,
    version: Option<&'a str>,
}

impl<'a> Object<'a> for PolicyIdentifier<'a> {
    const WHAT: &'static str = "a policy identifier";
    const MEMBERS: &'static [&'static str] = &["Id", "Version"];

    fn member<A: MapAccess<'a>>(
        &mut self,
        index: usize,
        reading: &mut Reading<'a>,
        map: &mut A,
    ) -> Result<(), A::Error> {
        let text = Some(reading.text(map)?);
        if index == 0 {
            self.id = text;
        } else {
            self.version = text;
        }
        Ok(())
    }

    fn finish(&mut self, reading: &mut Reading<'a>) -> Result<(), Stopped> {
        reading.required(Self::WHAT, "Id", self.id).map(|_| ())
    }
}
