//! Values of attributes and assignments (JSON profile, sections 3.3 and 4.2.4).
//!
//! A value is held as the raw text of its JSON form until its type is known, which may be written
//! after it. Numbers are then read from that text: as written, and without bound.

use serde::de::MapAccess;
use serde_json::value::RawValue;

use super::names::{Type, category};
use crate::error::code;
use crate::format::cursor::quoted;
use crate::format::json::{Items, Object, Reading, Stopped, Text};
use crate::format::xml::name::is_part;
use crate::value::{Arena, DataType, Spelling, Value, ValueError};

/// What a JSON value is by its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Null,
    Boolean,
    Integer,
    Double,
    String,
    Array,
    Object,
}

impl Kind {
    pub(super) fn of(raw: &RawValue) -> Self {
        let text = raw.get();
        match text.as_bytes().first() {
            Some(b'"') => Self::String,
            Some(b'{') => Self::Object,
            Some(b'[') => Self::Array,
            Some(b't' | b'f') => Self::Boolean,
            Some(b'n') => Self::Null,
            _ if text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E')) => Self::Double,
            _ => Self::Integer,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "a boolean",
            Self::Integer | Self::Double => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }

    /// The type of a value that is written without one.
    fn inferred(self) -> Option<DataType> {
        match self {
            Self::Boolean => Some(DataType::Boolean),
            Self::Integer => Some(DataType::Integer),
            Self::Double => Some(DataType::Double),
            Self::String => Some(DataType::String),
            Self::Object => Some(DataType::XPathExpression),
            Self::Null | Self::Array => None,
        }
    }
}

/// A type and, where it is not one of the standard, its identifier.
pub(super) type TypeName<'a> = (Type, &'a str);

/// Reads the values of a Value member, one or an array, and hands them to `each`.
pub(super) fn values<'a>(
    reading: &mut Reading<'a>,
    raw: &'a RawValue,
    type_name: Option<TypeName<'a>>,
    mut each: impl FnMut(Value<'a>),
) -> Result<(), Stopped> {
    if Kind::of(raw) != Kind::Array {
        let type_name = match type_name {
            Some(type_name) => type_name,
            None => inferred(reading, Kind::of(raw))?,
        };
        each(value(reading, raw, type_name)?);
        return Ok(());
    }
    // The document was read once already, so that this cannot fail.
    let items: Vec<&'a RawValue> = serde_json::from_str(raw.get()).unwrap_or_default();
    let type_name = match type_name {
        Some(type_name) => type_name,
        None => match common(reading, &items)? {
            Some(type_name) => type_name,
            None => return Ok(()),
        },
    };
    for (index, item) in items.into_iter().enumerate() {
        each(reading.within_item(index, |reading| value(reading, item, type_name))?);
    }
    Ok(())
}

fn inferred<'a>(reading: &mut Reading<'a>, kind: Kind) -> Result<TypeName<'a>, Stopped> {
    match kind.inferred() {
        Some(data_type) => Ok((Type::Known(data_type, Spelling::Current), "")),
        None => Err(reading.fail(code::JSON_TYPE, format!("{} is not a value", kind.name()))),
    }
}

/// The one type of the items of an array that names none; none for an empty array.
fn common<'a>(
    reading: &mut Reading<'a>,
    items: &[&'a RawValue],
) -> Result<Option<TypeName<'a>>, Stopped> {
    let mut common: Option<Kind> = None;
    for (index, item) in items.iter().enumerate() {
        let kind = Kind::of(item);
        reading.within_item(index, |reading| {
            common = match (common, kind) {
                (_, Kind::Null | Kind::Array) => {
                    return inferred(reading, kind).map(|_| ());
                }
                (None, kind) => Some(kind),
                (Some(Kind::Integer), Kind::Double) | (Some(Kind::Double), Kind::Integer) => {
                    Some(Kind::Double)
                }
                (Some(before), kind) if before == kind => Some(kind),
                (Some(before), kind) => {
                    let message = format!(
                        "{} after {}: the values of one array have one type",
                        kind.name(),
                        before.name()
                    );
                    return Err(reading.fail(code::JSON_TYPE, message));
                }
            };
            Ok(())
        })?;
    }
    match common {
        Some(kind) => inferred(reading, kind).map(Some),
        None => Ok(None),
    }
}

/// Reads one value of a type: from a string in the lexical form of the type, or from the JSON value
/// that is natural for it.
fn value<'a>(
    reading: &mut Reading<'a>,
    raw: &'a RawValue,
    (type_name, written): TypeName<'a>,
) -> Result<Value<'a>, Stopped> {
    reading.count()?;
    let kind = Kind::of(raw);
    let arena = reading.arena;
    let natural = match type_name {
        Type::Known(DataType::XPathExpression, _) if kind == Kind::Object => {
            return xpath(reading, raw);
        }
        Type::Known(DataType::XPathExpression, _) => None,
        Type::Known(DataType::Boolean, _) if kind == Kind::Boolean => Some(raw.get()),
        Type::Known(DataType::Integer | DataType::Double, _)
            if matches!(kind, Kind::Integer | Kind::Double) =>
        {
            Some(raw.get())
        }
        _ if kind == Kind::String => Some(string(reading, raw)?),
        _ => None,
    };
    let Some(text) = natural else { return Err(unfit(reading, kind, type_name, written)) };
    let text = reading.check_long(text)?;
    let parsed = match type_name {
        Type::Known(data_type, spelling) => {
            Value::parse(data_type, text, arena).map(|value| value.spelled(spelling))
        }
        Type::Foreign => Ok(Value::foreign(written, text)),
    };
    match parsed {
        // JSON has no infinite numbers: what is written is another one, which would be lost.
        Ok(value)
            if kind != Kind::String
                && value.as_double().is_some_and(|double| !double.is_finite()) =>
        {
            let text = crate::value::shorten(text);
            let message =
                format!("{text} is beyond the numbers of a double; infinity is the string \"INF\"");
            Err(reading.fail(code::VALUE, message))
        }
        Ok(value) => Ok(value),
        Err(error) => Err(bad(reading, &error)),
    }
}

#[cold]
fn unfit(reading: &mut Reading<'_>, kind: Kind, type_name: Type, written: &str) -> Stopped {
    let message = match (kind, type_name) {
        (Kind::Null | Kind::Array, _) => format!("{} is not a value", kind.name()),
        (_, Type::Known(DataType::XPathExpression, _)) => {
            format!("an xpathExpression is an object, not {}", kind.name())
        }
        (_, Type::Known(data_type, _)) => format!(
            "{} is not {} {}; write it as a string",
            kind.name(),
            data_type.article(),
            data_type.short_name()
        ),
        (_, Type::Foreign) => format!(
            "`{written}` is no known data type, so that {} cannot be read as one; write a string",
            kind.name()
        ),
    };
    reading.fail(code::JSON_TYPE, message)
}

#[cold]
fn bad(reading: &mut Reading<'_>, error: &ValueError) -> Stopped {
    reading.fail(code::VALUE, error.to_string())
}

/// The text of a JSON string, borrowed where it has no escapes.
fn string<'a>(reading: &mut Reading<'a>, raw: &'a RawValue) -> Result<&'a str, Stopped> {
    let text = raw.get();
    let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    if let Some(inner) = inner
        && memchr::memchr(b'\\', inner.as_bytes()).is_none()
    {
        return Ok(inner);
    }
    unescaped(text, reading.arena)
        .ok_or_else(|| reading.fail(code::JSON_SYNTAX, "the string holds half of a surrogate pair"))
}

fn unescaped<'a>(text: &str, arena: &'a Arena) -> Option<&'a str> {
    let text: String = serde_json::from_str(text).ok()?;
    Some(arena.alloc_str(&text))
}

fn xpath<'a>(reading: &mut Reading<'a>, raw: &'a RawValue) -> Result<Value<'a>, Stopped> {
    let mut object = XPath::default();
    let mut deserializer = serde_json::Deserializer::from_str(raw.get());
    if let Err(error) = reading.object(&mut object, &mut deserializer) {
        return Err(reading.carry(&error));
    }
    let XPath { category: name, path, namespaces } = object;
    let arena = reading.arena;
    Value::xpath(path.unwrap_or_default(), category(name.unwrap_or_default()), namespaces, arena)
        .map_err(|error| bad(reading, &error))
}

/// The object form of an xpathExpression.
#[derive(Default)]
struct XPath<'a> {
    category: Option<&'a str>,
    path: Option<&'a str>,
    namespaces: Vec<(&'a str, &'a str)>,
}

impl<'a> Object<'a> for XPath<'a> {
    const WHAT: &'static str = "an xpathExpression";
    const MEMBERS: &'static [&'static str] = &["XPathCategory", "XPath", "Namespaces"];

    fn member<A: MapAccess<'a>>(
        &mut self,
        index: usize,
        reading: &mut Reading<'a>,
        map: &mut A,
    ) -> Result<(), A::Error> {
        match index {
            0 => self.category = Some(reading.text(map)?),
            1 => self.path = Some(map.next_value_seed(Text { arena: reading.arena })?),
            _ => reading.items(self, map)?,
        }
        Ok(())
    }

    fn finish(&mut self, reading: &mut Reading<'a>) -> Result<(), Stopped> {
        reading.required(Self::WHAT, "XPathCategory", self.category)?;
        let path = reading.required(Self::WHAT, "XPath", self.path)?;
        reading.check_long(path)?;
        Ok(())
    }
}

impl<'a> Items<'a> for XPath<'a> {
    const ITEM: &'static str = "a namespace object";

    fn item<D: serde::Deserializer<'a>>(
        &mut self,
        reading: &mut Reading<'a>,
        item: D,
    ) -> Result<(), D::Error> {
        let mut namespace = Namespace::default();
        reading.object(&mut namespace, item)?;
        // The default namespace is left out: XPath 1.0 never uses it.
        if let (Some(prefix), Some(uri)) = (namespace.prefix, namespace.uri)
            && !prefix.is_empty()
        {
            self.namespaces.push((prefix, uri));
        }
        Ok(())
    }
}

#[derive(Default)]
struct Namespace<'a> {
    prefix: Option<&'a str>,
    uri: Option<&'a str>,
}

impl<'a> Object<'a> for Namespace<'a> {
    const WHAT: &'static str = "a namespace object";
    const MEMBERS: &'static [&'static str] = &["Prefix", "Namespace"];

    fn member<A: MapAccess<'a>>(
        &mut self,
        index: usize,
        reading: &mut Reading<'a>,
        map: &mut A,
    ) -> Result<(), A::Error> {
        let text = Some(reading.text(map)?);
        if index == 0 {
            self.prefix = text;
        } else {
            self.uri = text;
        }
        Ok(())
    }

    fn finish(&mut self, reading: &mut Reading<'a>) -> Result<(), Stopped> {
        let uri = reading.required(Self::WHAT, "Namespace", self.uri)?;
        let fault = match self.prefix {
            None | Some("") => return Ok(()),
            Some(prefix) if !is_part(prefix) || matches!(prefix, "xml" | "xmlns") => {
                format!("{} cannot be declared as a prefix", quoted(prefix))
            }
            Some(_) if uri.is_empty() => "a prefix needs a namespace that is not empty".to_owned(),
            Some(_) => return Ok(()),
        };
        Err(reading.fail(code::VALUE, fault))
    }
}
