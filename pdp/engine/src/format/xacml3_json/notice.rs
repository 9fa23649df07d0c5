//! Reads obligations and advice of a result (JSON profile, section 5.2.3).

use serde::Deserializer;
use serde::de::MapAccess;
use serde_json::value::RawValue;

use super::names;
use super::value::{TypeName, values};
use crate::error::code;
use crate::format::json::{Items, Object, Reading, Stopped};
use crate::model::{OwnedAssignment, OwnedNotice};
use crate::value::OwnedValue;

pub(super) struct Notices<'r> {
    pub(super) read: &'r mut Vec<OwnedNotice>,
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
