//! Reads responses into the form that comparisons use.

use serde::Deserializer;
use serde::de::MapAccess;
use serde_json::value::RawValue;

use super::category::{Categories, Read, replay};
use super::names;
use super::value::{Kind, TypeName, values};
use crate::error::{ReadError, code};
use crate::format::cursor::{ReadLimits, quoted};
use crate::format::json::{Items, Object, Reading, Stopped, decode};
use crate::model::{
    Decision, OwnedAssignment, OwnedCategory, OwnedMissingAttribute, OwnedNotice,
    OwnedPolicyIdentifier, OwnedResponse, OwnedResult, OwnedStatus, PolicyKind, Recorder,
};
use crate::value::{Arena, OwnedValue};

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

#[derive(Default)]
struct Status {
    codes: Vec<String>,
    message: Option<String>,
    missing: Vec<OwnedMissingAttribute>,
}

impl<'a> Object<'a> for Status {
    const WHAT: &'static str = "a status";
    const MEMBERS: &'static [&'static str] = &["StatusCode", "StatusMessage", "StatusDetail"];

    fn member<A: MapAccess<'a>>(
        &mut self,
        index: usize,
        reading: &mut Reading<'a>,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match index {
            0 => {
                reading.member_object(&mut StatusCode { codes: &mut self.codes, depth: 0 }, map)?
            }
            1 => self.message = Some(reading.text(map)?.to_owned()),
            _ => {
                // A string holds XML, of which nothing is compared.
                let raw: &'a RawValue = map.next_value()?;
                if Kind::of(raw) != Kind::String {
                    let mut deserializer = serde_json::Deserializer::from_str(raw.get());
                    let read = reading.list(self, &mut deserializer);
                    read.map_err(|error| reading.carry(&error).raise())?;
                }
            }
        }
        Ok(())
    }

    fn finish(&mut self, _: &mut Reading<'a>) -> Result<(), Stopped> {
        Ok(())
    }
}

impl<'a> Items<'a> for Status {
    const ITEM: &'static str = "a missing attribute";

    fn item<D: Deserializer<'a>>(
        &mut self,
        reading: &mut Reading<'a>,
        item: D,
    ) -> Result<(), D::Error> {
        let mut missing = Missing::default();
        reading.object(&mut missing, item)?;
        let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
        self.missing.push(OwnedMissingAttribute {
            category: names::category(missing.category.unwrap_or_default()).to_owned(),
            id: text(missing.id),
            data_type: missing.data_type.unwrap_or_default(),
            issuer: missing.issuer.map(str::to_owned),
        });
        Ok(())
    }
}

#[derive(Default)]
struct Missing<'a> {
    category: Option<&'a str>,
    id: Option<&'a str>,
    data_type: Option<String>,
    issuer: Option<&'a str>,
}

impl<'a> Object<'a> for Missing<'a> {
    const WHAT: &'static str = "a missing attribute";
    const MEMBERS: &'static [&'static str] =
        &["Category", "AttributeId", "DataType", "Issuer", "AttributeValue"];

    fn member<A: MapAccess<'a>>(
        &mut self,
        index: usize,
        reading: &mut Reading<'a>,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match index {
            0 => self.category = Some(reading.text(map)?),
            1 => self.id = Some(reading.text(map)?),
            2 => {
                let name = reading.text(map)?;
                self.data_type = Some(names::type_uri(name).to_owned());
            }
            3 => self.issuer = Some(reading.text(map)?),
            _ => {
                map.next_value::<&'a RawValue>()?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, reading: &mut Reading<'a>) -> Result<(), Stopped> {
        reading.required(Self::WHAT, "Category", self.category)?;
        reading.required(Self::WHAT, "AttributeId", self.id)?;
        reading.required(Self::WHAT, "DataType", self.data_type.as_ref()).map(|_| ())
    }
}

struct StatusCode<'r> {
    codes: &'r mut Vec<String>,
    depth: usize,
}

impl<'a> Object<'a> for StatusCode<'_> {
    const WHAT: &'static str = "a status code";
    const MEMBERS: &'static [&'static str] = &["Value", "StatusCode"];

    fn member<A: MapAccess<'a>>(
        &mut self,
        index: usize,
        reading: &mut Reading<'a>,
        map: &mut A,
    ) -> Result<(), A::Error> {
        if index == 0 {
            // The outer code goes first, wherever its Value stands.
            let at = self.depth.min(self.codes.len());
            self.codes.insert(at, reading.text(map)?.to_owned());
            return Ok(());
        }
        reading.member_object(&mut StatusCode { codes: self.codes, depth: self.depth + 1 }, map)
    }

    fn finish(&mut self, _: &mut Reading<'a>) -> Result<(), Stopped> {
        Ok(())
    }
}

struct Notices<'r> {
    read: &'r mut Vec<OwnedNotice>,
}

impl<'a> Items<'a> for Notices<'_> {
    const ITEM: &'static str = "an obligation or advice";

    fn item<D: Deserializer<'a>>(
        &mut self,
        reading: &mut Reading<'a>,
        item: D,
    ) -> Result<(), D::Error> {
        let mut notice = Notice::default();
        reading.object(&mut notice, item)?;
        let id = notice.id.unwrap_or_default().to_owned();
        self.read.push(OwnedNotice { id, assignments: notice.assignments });
        Ok(())
    }
}

#[derive(Default)]
struct Notice<'a> {
    id: Option<&'a str>,
    assignments: Vec<OwnedAssignment>,
}

impl<'a> Object<'a> for Notice<'a> {
    const WHAT: &'static str = "an obligation or advice";
    const MEMBERS: &'static [&'static str] = &["Id", "AttributeAssignment"];

    fn member<A: MapAccess<'a>>(
        &mut self,
        index: usize,
        reading: &mut Reading<'a>,
        map: &mut A,
    ) -> Result<(), A::Error> {
        if index == 0 {
            self.id = Some(reading.text(map)?);
            return Ok(());
        }
        reading.items(self, map)
    }

    fn finish(&mut self, reading: &mut Reading<'a>) -> Result<(), Stopped> {
        reading.required(Self::WHAT, "Id", self.id).map(|_| ())
    }
}

impl<'a> Items<'a> for Notice<'a> {
    const ITEM: &'static str = "an assignment";

    fn item<D: Deserializer<'a>>(
        &mut self,
        reading: &mut Reading<'a>,
        item: D,
    ) -> Result<(), D::Error> {
        let mut assignment = Assignment::default();
        reading.object(&mut assignment, item)?;
        self.assignments.extend(assignment.values.into_iter().map(|value| OwnedAssignment {
            attribute_id: assignment.id.unwrap_or_default().to_owned(),
            category: assignment.category.map(|name| names::category(name).to_owned()),
            issuer: assignment.issuer.map(str::to_owned),
            value,
        }));
        Ok(())
    }
}

#[derive(Default)]
struct Assignment<'a> {
    id: Option<&'a str>,
    category: Option<&'a str>,
    issuer: Option<&'a str>,
    data_type: Option<TypeName<'a>>,
    raw: Option<&'a RawValue>,
    values: Vec<OwnedValue>,
}

impl<'a> Object<'a> for Assignment<'a> {
    const WHAT: &'static str = "an assignment";
    const MEMBERS: &'static [&'static str] =
        &["AttributeId", "Value", "DataType", "Category", "Issuer"];

    fn member<A: MapAccess<'a>>(
        &mut self,
        index: usize,
        reading: &mut Reading<'a>,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match index {
            0 => self.id = Some(reading.text(map)?),
            1 => self.raw = Some(map.next_value()?),
            2 => {
                let name = reading.text(map)?;
                let found = names::data_type(name);
                let found = found.map_err(|message| reading.fail(code::VALUE, message));
                self.data_type = Some(found.map_err(Stopped::raise)?);
            }
            3 => self.category = Some(reading.text(map)?),
            _ => self.issuer = Some(reading.text(map)?),
        }
        Ok(())
    }

    fn finish(&mut self, reading: &mut Reading<'a>) -> Result<(), Stopped> {
        reading.required(Self::WHAT, "AttributeId", self.id)?;
        let raw = reading.required(Self::WHAT, "Value", self.raw)?;
        reading.within("Value", |reading| {
            values(reading, raw, self.data_type, |value| {
                self.values.push(OwnedValue::from(&value));
            })
        })
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
