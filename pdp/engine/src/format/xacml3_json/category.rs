//! Category objects and what they hold (JSON profile, sections 4.2.2 to 4.2.4), in requests and in
//! results alike.
//!
//! Members come in any order, so that a category is known in full only at its end: what was read is
//! kept in one flat list in the arena and handed on from there.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserializer;
use serde::de::MapAccess;
use serde_json::value::RawValue;

use super::names;
use super::value::{TypeName, values};
use crate::error::{Place, ReadError, code};
use crate::format::cursor::quoted;
use crate::format::json::{Items, Object, Reading, Stopped, Text};
use crate::format::xml;
use crate::model::{AttributeHead, RequestSink};
use crate::value::Value;

/// What was read, in document order.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item<'a> {
    Category { id: &'a str, xml_id: Option<&'a str>, content: Option<&'a str> },
    Attribute(AttributeHead<'a>),
    Value(Value<'a>),
}

/// The flat list.
pub(super) type Read<'a> = bumpalo::collections::Vec<'a, Item<'a>>;

/// Hands the list on.
pub(super) fn replay<'a>(items: &[Item<'a>], sink: &mut impl RequestSink<'a>) {
    for item in items {
        match *item {
            Item::Category { id, xml_id, content } => {
                sink.category(id, xml_id);
                if let Some(content) = content {
                    sink.content(content);
                }
            }
            Item::Attribute(head) => sink.attribute(head),
            Item::Value(value) => sink.value(value.data_type(), value),
        }
    }
}

/// Category objects; `shorthand` where they stand under the member of a fixed category.
pub(super) struct Categories<'r, 'a> {
    pub(super) read: &'r mut Read<'a>,
    pub(super) shorthand: Option<(&'static str, &'static str)>,
}

impl<'a> Items<'a> for Categories<'_, 'a> {
    const ITEM: &'static str = "a category object";

    fn item<D: Deserializer<'a>>(
        &mut self,
        reading: &mut Reading<'a>,
        item: D,
    ) -> Result<(), D::Error> {
        let start = self.read.len();
        self.read.push(Item::Category { id: "", xml_id: None, content: None });
        let mut category = Category {
            read: self.read,
            shorthand: self.shorthand,
            id: None,
            xml_id: None,
            content: None,
        };
        reading.object(&mut category, item)?;
        let Category { id, xml_id, content, .. } = category;
        let id = self.shorthand.map(|(_, id)| id).or(id).unwrap_or_default();
        self.read[start] = Item::Category { id, xml_id, content };
        Ok(())
    }
}

struct Category<'r, 'a> {
    read: &'r mut Read<'a>,
    shorthand: Option<(&'static str, &'static str)>,
    id: Option<&'a str>,
    xml_id: Option<&'a str>,
    content: Option<&'a str>,
}

impl<'a> Object<'a> for Category<'_, 'a> {
    const WHAT: &'static str = "a category object";
    const MEMBERS: &'static [&'static str] = &["CategoryId", "Id", "Content", "Attribute"];

    fn member<A: MapAccess<'a>>(
        &mut self,
        index: usize,
        reading: &mut Reading<'a>,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match index {
            0 => self.id = Some(names::category(reading.text(map)?)),
            1 => self.xml_id = Some(reading.text(map)?),
            2 => {
                let text = map.next_value_seed(Text { arena: reading.arena })?;
                self.content = Some(content(reading, text).map_err(Stopped::raise)?);
            }
            _ => reading.items(&mut Attributes { read: self.read }, map)?,
        }
        Ok(())
    }

    fn finish(&mut self, reading: &mut Reading<'a>) -> Result<(), Stopped> {
        match (self.shorthand, self.id) {
            (None, id) => reading.required(Self::WHAT, "CategoryId", id).map(|_| ()),
            (Some((name, category)), Some(id)) if id != category => Err(reading.fail(
                code::JSON_MEMBER,
                format!("the category of `{name}` is fixed; {} is another one", quoted(id)),
            )),
            _ => Ok(()),
        }
    }
}

struct Attributes<'r, 'a> {
    read: &'r mut Read<'a>,
}

impl<'a> Items<'a> for Attributes<'_, 'a> {
    const ITEM: &'static str = "an attribute object";

    fn item<D: Deserializer<'a>>(
        &mut self,
        reading: &mut Reading<'a>,
        item: D,
    ) -> Result<(), D::Error> {
        let mut attribute = Attribute {
            read: self.read,
            id: None,
            issuer: None,
            data_type: None,
            include_in_result: false,
            value: None,
        };
        reading.object(&mut attribute, item)
    }
}

struct Attribute<'r, 'a> {
    read: &'r mut Read<'a>,
    id: Option<&'a str>,
    issuer: Option<&'a str>,
    data_type: Option<TypeName<'a>>,
    include_in_result: bool,
    value: Option<&'a RawValue>,
}

impl<'a> Object<'a> for Attribute<'_, 'a> {
    const WHAT: &'static str = "an attribute object";
    const MEMBERS: &'static [&'static str] =
        &["AttributeId", "Value", "DataType", "Issuer", "IncludeInResult"];

    fn member<A: MapAccess<'a>>(
        &mut self,
        index: usize,
        reading: &mut Reading<'a>,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match index {
            0 => self.id = Some(reading.text(map)?),
            1 => self.value = Some(map.next_value()?),
            2 => {
                let name = reading.text(map)?;
                let found = names::data_type(name);
                let found = found.map_err(|message| reading.fail(code::VALUE, message));
                self.data_type = Some(found.map_err(Stopped::raise)?);
            }
            3 => self.issuer = Some(reading.text(map)?),
            _ => self.include_in_result = map.next_value()?,
        }
        Ok(())
    }

    fn finish(&mut self, reading: &mut Reading<'a>) -> Result<(), Stopped> {
        let id = reading.required(Self::WHAT, "AttributeId", self.id)?;
        let raw = reading.required(Self::WHAT, "Value", self.value)?;
        self.read.push(Item::Attribute(AttributeHead {
            id,
            issuer: self.issuer,
            include_in_result: self.include_in_result,
        }));
        reading.within("Value", |reading| {
            values(reading, raw, self.data_type, |value| self.read.push(Item::Value(value)))
        })
    }
}

/// The one element of a Content: XML text, or its base64 form.
fn content<'a>(reading: &mut Reading<'a>, text: &'a str) -> Result<&'a str, Stopped> {
    reading.check_long(text)?;
    let trimmed = text.trim_start_matches(['\u{FEFF}', ' ', '\t', '\n', '\r']);
    let document: &'a [u8] = if trimmed.starts_with('<') {
        trimmed.as_bytes()
    } else {
        let digits: Vec<u8> =
            text.bytes().filter(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).collect();
        match STANDARD.decode(digits) {
            Ok(bytes) => reading.arena.alloc_slice_copy(&bytes),
            Err(_) => {
                return Err(reading.fail(
                    code::VALUE,
                    "Content is neither XML (it does not start with `<`) nor base64",
                ));
            }
        }
    };
    xml::root_element(document, &reading.limits, reading.arena).map_err(|error| {
        let ReadError { place, message, code } = error;
        let message = match place {
            Place::Position(position) => format!("{message}, at {position} of the XML"),
            Place::Pointer(_) => message,
        };
        reading.fail(code, message)
    })
}
