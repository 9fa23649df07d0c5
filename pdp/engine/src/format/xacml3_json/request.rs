//! Reads and writes requests of the JSON profile (section 4).

pub use super::request_writer::write;

use serde::Deserializer;
use serde::de::{DeserializeSeed, MapAccess};

use super::category::{Categories, Item, Read, replay};
use super::names::{AsWritten, CATEGORIES, ShortIds};
use crate::error::{ReadError, code};
use crate::format::cursor::ReadLimits;
use crate::format::json::{Items, Object, Reading, Stopped, Text, decode};
use crate::model::{RequestOptions, RequestSink};

/// Reads a request into `sink`, borrowing from `bytes` what needs no unescaping.
///
/// # Errors
/// The first problem of the document. The sink has then been given nothing.
pub fn read<'a>(
    bytes: &'a [u8],
    limits: &ReadLimits,
    sink: &mut impl RequestSink<'a>,
) -> Result<(), ReadError> {
    let arena = sink.arena();
    let mut reading = Reading::new(arena, limits);
    let mut request = Request {
        options: RequestOptions::default(),
        read: Read::new_in(arena),
        references: Vec::new(),
    };
    reading
        .document(decode(bytes, limits)?, &mut Document { request: &mut request, seen: false })?;
    sink.options(request.options);
    replay(&request.read, sink);
    for reference in &request.references {
        sink.reference(reference);
    }
    Ok(())
}

/// Reads a request as [`read`] does and expands attribute ids such as `subject-id`, but for those that are
/// meant as they are written. The profile has no such ids; ONAP's clients use them.
///
/// # Errors
/// As [`read`].
pub fn read_expanding<'a>(
    bytes: &'a [u8],
    limits: &ReadLimits,
    as_written: AsWritten<'_>,
    sink: &mut impl RequestSink<'a>,
) -> Result<(), ReadError> {
    read(bytes, limits, &mut ShortIds::new(sink, as_written))
}

struct Document<'r, 'a> {
    request: &'r mut Request<'a>,
    seen: bool,
}

impl<'a> Object<'a> for Document<'_, 'a> {
    const WHAT: &'static str = "the document";
    const MEMBERS: &'static [&'static str] = &["Request"];

    fn member<A: MapAccess<'a>>(
        &mut self,
        _index: usize,
        reading: &mut Reading<'a>,
        map: &mut A,
    ) -> Result<(), A::Error> {
        self.seen = true;
        reading.member_object(self.request, map)
    }

    fn finish(&mut self, reading: &mut Reading<'a>) -> Result<(), Stopped> {
        reading.required(Self::WHAT, "Request", self.seen.then_some(()))
    }
}

struct Request<'a> {
    options: RequestOptions,
    read: Read<'a>,
    references: Vec<Vec<&'a str>>,
}

impl<'a> Object<'a> for Request<'a> {
    const WHAT: &'static str = "a request";
    const MEMBERS: &'static [&'static str] = &[
        // The shorthands come first, in the order of their table.
        CATEGORIES[0].0,
        CATEGORIES[1].0,
        CATEGORIES[2].0,
        CATEGORIES[3].0,
        CATEGORIES[4].0,
        CATEGORIES[5].0,
        CATEGORIES[6].0,
        CATEGORIES[7].0,
        "Category",
        "ReturnPolicyIdList",
        "CombinedDecision",
        "XPathVersion",
        "MultiRequests",
    ];

    fn member<A: MapAccess<'a>>(
        &mut self,
        index: usize,
        reading: &mut Reading<'a>,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match Self::MEMBERS[index] {
            "ReturnPolicyIdList" => self.options.return_policy_ids = map.next_value()?,
            "CombinedDecision" => self.options.combined_decision = map.next_value()?,
            "XPathVersion" => {
                reading.text(map)?;
            }
            "MultiRequests" => {
                reading.member_object(&mut MultiRequests { read: &mut self.references }, map)?;
            }
            _ => {
                let shorthand = CATEGORIES.get(index).copied();
                reading.items(&mut Categories { read: &mut self.read, shorthand }, map)?;
            }
        }
        Ok(())
    }

    fn finish(&mut self, reading: &mut Reading<'a>) -> Result<(), Stopped> {
        if self.read.iter().any(|item| matches!(item, Item::Category { .. })) {
            return Ok(());
        }
        Err(reading.fail(code::JSON_MEMBER, "a request needs at least one category"))
    }
}

struct MultiRequests<'r, 'a> {
    read: &'r mut Vec<Vec<&'a str>>,
}

impl<'a> Object<'a> for MultiRequests<'_, 'a> {
    const WHAT: &'static str = "MultiRequests";
    const MEMBERS: &'static [&'static str] = &["RequestReference"];

    fn member<A: MapAccess<'a>>(
        &mut self,
        _index: usize,
        reading: &mut Reading<'a>,
        map: &mut A,
    ) -> Result<(), A::Error> {
        reading.items(self, map)
    }

    fn finish(&mut self, reading: &mut Reading<'a>) -> Result<(), Stopped> {
        let any = self.read.first().map(|_| ());
        reading.required(Self::WHAT, "RequestReference", any)
    }
}

impl<'a> Items<'a> for MultiRequests<'_, 'a> {
    const ITEM: &'static str = "a reference object";

    fn item<D: Deserializer<'a>>(
        &mut self,
        reading: &mut Reading<'a>,
        item: D,
    ) -> Result<(), D::Error> {
        let mut reference = Reference { ids: Vec::new() };
        reading.object(&mut reference, item)?;
        self.read.push(reference.ids);
        Ok(())
    }
}

struct Reference<'a> {
    ids: Vec<&'a str>,
}

impl<'a> Object<'a> for Reference<'a> {
    const WHAT: &'static str = "a reference object";
    const MEMBERS: &'static [&'static str] = &["ReferenceId"];

    fn member<A: MapAccess<'a>>(
        &mut self,
        _index: usize,
        reading: &mut Reading<'a>,
        map: &mut A,
    ) -> Result<(), A::Error> {
        reading.items(self, map)
    }

    fn finish(&mut self, reading: &mut Reading<'a>) -> Result<(), Stopped> {
        let any = self.ids.first().map(|_| ());
        reading.required(Self::WHAT, "ReferenceId", any)
    }
}

impl<'a> Items<'a> for Reference<'a> {
    const ITEM: &'static str = "an id";

    fn item<D: Deserializer<'a>>(
        &mut self,
        reading: &mut Reading<'a>,
        item: D,
    ) -> Result<(), D::Error> {
        reading.count().map_err(Stopped::raise)?;
        let id = Text { arena: reading.arena }.deserialize(item)?;
        self.ids.push(reading.check_short(id).map_err(Stopped::raise)?);
        Ok(())
    }
}
