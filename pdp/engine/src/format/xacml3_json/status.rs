//! Reads the status of a result (JSON profile, section 5.2.2).

use serde::Deserializer;
use serde::de::MapAccess;
use serde_json::value::RawValue;

use super::names;
use super::value::Kind;
use crate::format::json::{Items, Object, Reading, Stopped};
use crate::model::OwnedMissingAttribute;

#[derive(Default)]
pub(super) struct Status {
    pub(super) codes: Vec<String>,
    pub(super) message: Option<String>,
    pub(super) missing: Vec<OwnedMissingAttribute>,
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
