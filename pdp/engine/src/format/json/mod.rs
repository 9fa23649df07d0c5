//! What JSON formats share: objects with known members, lists that may be a single object, texts,
//! and the pointer to the place that is being read.
//!
//! Readers are typed serde visitors over [`Reading`]: no tree is built, and a problem is told with its
//! RFC 6901 pointer. Members come in any order, none twice, and none that is not known.

mod visit;

pub(crate) use visit::Text;

use std::fmt::Write as _;

use serde::de::{DeserializeSeed, Deserializer, MapAccess};

use crate::error::{ReadError, code};
use crate::format::cursor::ReadLimits;
use crate::value::Arena;
use visit::{ItemsSeed, ObjectVisitor};

#[derive(Clone, Copy, Debug)]
enum Segment {
    Member(&'static str),
    Item(usize),
}

/// The state of a reader: where it is, and what stopped it.
#[derive(Debug)]
pub(crate) struct Reading<'a> {
    pub(crate) arena: &'a Arena,
    pub(crate) limits: ReadLimits,
    path: Vec<Segment>,
    error: Option<ReadError>,
    nodes: usize,
}

/// An object with known members.
pub(crate) trait Object<'a> {
    /// What it is called in messages, with article.
    const WHAT: &'static str;
    /// The names of its members.
    const MEMBERS: &'static [&'static str];

    /// Reads the value of the member with this index.
    fn member<A: MapAccess<'a>>(
        &mut self,
        index: usize,
        reading: &mut Reading<'a>,
        map: &mut A,
    ) -> Result<(), A::Error>;

    /// All members have been read: checks what must be there.
    fn finish(&mut self, reading: &mut Reading<'a>) -> Result<(), Stopped>;
}

/// Items of one kind, in an array or alone.
pub(crate) trait Items<'a> {
    /// What one is called in messages, with article.
    const ITEM: &'static str;

    /// Reads one.
    fn item<D: Deserializer<'a>>(
        &mut self,
        reading: &mut Reading<'a>,
        item: D,
    ) -> Result<(), D::Error>;
}

/// The reason is in [`Reading`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopped;

impl Stopped {
    /// The same for serde, which carries it out.
    pub(crate) fn raise<E: serde::de::Error>(self) -> E {
        E::custom("stopped")
    }
}

impl<'a> Reading<'a> {
    pub(crate) fn new(arena: &'a Arena, limits: &ReadLimits) -> Self {
        Self { arena, limits: *limits, path: Vec::with_capacity(12), error: None, nodes: 0 }
    }

    /// Reads a document that is one object.
    pub(crate) fn document<O: Object<'a>>(
        &mut self,
        text: &'a str,
        object: &mut O,
    ) -> Result<(), ReadError> {
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let read = self.object(object, &mut deserializer).and_then(|()| deserializer.end());
        read.map_err(|error| self.explain(&error))
    }

    /// Stops because the text of a part, which was cut out before, cannot be read.
    #[cold]
    pub(crate) fn carry(&mut self, error: &serde_json::Error) -> Stopped {
        let error = self.explain(error);
        self.error = Some(error);
        Stopped
    }

    fn explain(&mut self, error: &serde_json::Error) -> ReadError {
        if let Some(error) = self.error.take() {
            return error;
        }
        let text = error.to_string();
        if !error.is_data() {
            return ReadError::pointer(self.pointer(), code::JSON_SYNTAX, text);
        }
        // The pointer says where; line and column are for texts that are not JSON.
        let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text);
        let message = match text
            .strip_prefix("invalid type: ")
            .and_then(|t| t.split_once(", expected "))
        {
            Some((found, expected)) => format!("expected {expected}, found {}", json_words(found)),
            None => text.to_owned(),
        };
        ReadError::pointer(self.pointer(), code::JSON_TYPE, message)
    }

    /// The place that is being read.
    pub(crate) fn pointer(&self) -> String {
        let mut pointer = String::new();
        for segment in &self.path {
            let _ = match segment {
                Segment::Member(name) => write!(pointer, "/{name}"),
                Segment::Item(index) => write!(pointer, "/{index}"),
            };
        }
        pointer
    }

    /// Stops reading with a problem at the place that is being read.
    #[cold]
    pub(crate) fn fail(&mut self, code: &'static str, message: impl Into<String>) -> Stopped {
        self.error = Some(ReadError::pointer(self.pointer(), code, message));
        Stopped
    }

    /// Counts a value against the limit.
    pub(crate) fn count(&mut self) -> Result<(), Stopped> {
        self.nodes += 1;
        if self.nodes <= self.limits.nodes {
            return Ok(());
        }
        let limit = self.limits.nodes;
        Err(self
            .fail(code::LIMIT, format!("more objects and values than the limit `nodes`, {limit}")))
    }

    /// Goes into a member while `read` runs. After a problem the path stays, for the pointer.
    pub(crate) fn within<T, E>(
        &mut self,
        member: &'static str,
        read: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.enter(Segment::Member(member), read)
    }

    /// Goes into an item while `read` runs.
    pub(crate) fn within_item<T, E>(
        &mut self,
        index: usize,
        read: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.enter(Segment::Item(index), read)
    }

    fn enter<T, E>(
        &mut self,
        segment: Segment,
        read: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.path.push(segment);
        let value = read(self)?;
        self.path.pop();
        Ok(value)
    }

    /// Reads an object.
    pub(crate) fn object<O: Object<'a>, D: Deserializer<'a>>(
        &mut self,
        object: &mut O,
        deserializer: D,
    ) -> Result<(), D::Error> {
        deserializer.deserialize_any(ObjectVisitor { object, reading: self })
    }

    /// Reads the items of an array, or one that stands alone.
    pub(crate) fn items<I: Items<'a>, A: MapAccess<'a>>(
        &mut self,
        items: &mut I,
        map: &mut A,
    ) -> Result<(), A::Error> {
        map.next_value_seed(ItemsSeed { items, reading: self })
    }

    /// Reads the items of an array, or one that stands alone, from a part that was cut out before.
    pub(crate) fn list<I: Items<'a>, D: Deserializer<'a>>(
        &mut self,
        items: &mut I,
        deserializer: D,
    ) -> Result<(), D::Error> {
        ItemsSeed { items, reading: self }.deserialize(deserializer)
    }

    /// Reads an object that is the value of a member.
    pub(crate) fn member_object<O: Object<'a>, A: MapAccess<'a>>(
        &mut self,
        object: &mut O,
        map: &mut A,
    ) -> Result<(), A::Error> {
        map.next_value_seed(ObjectVisitor { object, reading: self })
    }

    /// Reads an identifier or another short text.
    pub(crate) fn text<A: MapAccess<'a>>(&mut self, map: &mut A) -> Result<&'a str, A::Error> {
        let text = map.next_value_seed(Text { arena: self.arena })?;
        self.check_short(text).map_err(Stopped::raise)
    }

    /// Checks the length of an identifier.
    pub(crate) fn check_short(&mut self, text: &'a str) -> Result<&'a str, Stopped> {
        let limit = self.limits.attribute;
        if text.len() <= limit {
            return Ok(text);
        }
        let length = text.len();
        Err(self.fail(
            code::LIMIT,
            format!("the text has {length} bytes; the limit `attribute` is {limit}"),
        ))
    }

    /// Checks the length of a value.
    pub(crate) fn check_long(&mut self, text: &'a str) -> Result<&'a str, Stopped> {
        let limit = self.limits.text;
        if text.len() <= limit {
            return Ok(text);
        }
        let length = text.len();
        Err(self
            .fail(code::LIMIT, format!("the text has {length} bytes; the limit `text` is {limit}")))
    }

    /// A member that must be there.
    pub(crate) fn required<T>(
        &mut self,
        what: &str,
        name: &str,
        value: Option<T>,
    ) -> Result<T, Stopped> {
        value.ok_or_else(|| {
            self.fail(code::JSON_MEMBER, format!("{what} needs the member `{name}`"))
        })
    }
}

/// What serde calls a value, in JSON's words.
fn json_words(found: &str) -> &str {
    match found {
        "sequence" => "an array",
        "map" => "an object",
        other => other,
    }
}

/// Where the text of a document begins: after a byte order mark. Bytes that are not UTF-8 are refused.
pub(crate) fn decode<'a>(bytes: &'a [u8], limits: &ReadLimits) -> Result<&'a str, ReadError> {
    if bytes.len() > limits.bytes {
        return Err(ReadError::pointer(
            "",
            code::LIMIT,
            format!(
                "the document has {} bytes; the limit `bytes` is {}",
                bytes.len(),
                limits.bytes
            ),
        ));
    }
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let place = crate::error::Position::of_offset(bytes, at);
        ReadError::pointer(
            "",
            code::JSON_SYNTAX,
            format!(
                "byte 0x{:02X} is not UTF-8 at line {} column {}",
                bytes[at], place.line, place.column
            ),
        )
    })
}

/// Whether `text` is a JSON number (RFC 8259 section 6).
pub(crate) fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|text| digits(text.strip_prefix(['+', '-']).unwrap_or(text)))
}
