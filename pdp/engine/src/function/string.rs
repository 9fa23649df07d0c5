//! Pieces of strings (XACML 3.0 appendix A.3.9).

use super::arguments::{
    Outcome, check_text, failure, fault, give, give_boolean, integer, spend_bytes, text,
};
use super::row::{ANY_URI, BOOLEAN, INTEGER, STRING};
use super::{Call, Code, Family, Row, Stop};
use crate::model::StatusCode;
use crate::value::{DataType, Integer, Operand, Value};

const CLAUSE: &str = "A.3.9";

macro_rules! pieces {
    ($name:literal, $type:expr, $whole:literal, $start:literal, $end:literal, $middle:literal) => {
        [
            row!(
                f3!($name, "-starts-with"); None; [STRING, $type] -> BOOLEAN;
                CLAUSE; concat!("Whether the second argument, of type ", $name, ", begins with the first.");
                Code::Plain(starts_with);
                [concat!("string:", $start), concat!($name, ":", $whole)] => "boolean:true",
                [concat!("string:", $end), concat!($name, ":", $whole)] => "boolean:false",
                [concat!("string:", $start)] => "error",
            ),
            row!(
                f3!($name, "-ends-with"); None; [STRING, $type] -> BOOLEAN;
                CLAUSE; concat!("Whether the second argument, of type ", $name, ", ends with the first.");
                Code::Plain(ends_with);
                [concat!("string:", $end), concat!($name, ":", $whole)] => "boolean:true",
                [concat!("string:", $start), concat!($name, ":", $whole)] => "boolean:false",
                [concat!("string:", $start)] => "error",
            ),
            row!(
                f3!($name, "-contains"); None; [STRING, $type] -> BOOLEAN;
                CLAUSE; concat!("Whether the second argument, of type ", $name, ", holds the first.");
                Code::Plain(contains);
                [concat!("string:", $middle), concat!($name, ":", $whole)] => "boolean:true",
                [concat!("string:", $middle, "?"), concat!($name, ":", $whole)] => "boolean:false",
                [concat!("string:", $start)] => "error",
            ),
            row!(
                f3!($name, "-substring"); None; [$type, INTEGER, INTEGER] -> STRING;
                CLAUSE; concat!("The characters of a value of type ", $name, " from the first position, counted from 0, up to before the second; -1 stands for the end.");
                Code::Plain(substring);
                [concat!($name, ":", $whole), "integer:0", "integer:-1"] => concat!("string:", $whole),
                [concat!($name, ":", $whole), "integer:3", "integer:3"] => "string:",
                [concat!($name, ":", $whole), "integer:-1", "integer:2"] => "error",
                [concat!($name, ":", $whole), "integer:2", "integer:1"] => "error",
                [concat!($name, ":", $whole), "integer:0", "integer:100"] => "error",
                [concat!($name, ":", $whole), "integer:100", "integer:-1"] => "error",
                [concat!($name, ":", $whole), "integer:0", "integer:-2"] => "error",
            ),
        ]
    };
}

const CONCATENATE: &[Row] = &[
    row!(
        f2!("string-concatenate"); None; [STRING, STRING; STRING, 0] -> STRING;
        CLAUSE; "Two or more strings as one."; Code::Plain(|call, arguments| {
            give(Value::string(concatenate(call, arguments)?))
        });
        ["string:a", "string:", "string: b"] => "string:a b",
        ["string:a"] => "error",
    ),
    row!(
        f2!("uri-string-concatenate"); Some(f2!("string-concatenate"));
        [ANY_URI, STRING; STRING, 0] -> ANY_URI;
        CLAUSE; "A URI with one or more strings appended.";
        Code::Plain(|call, arguments| {
            match Value::parse(DataType::AnyUri, concatenate(call, arguments)?, call.arena) {
                Ok(uri) => give(uri),
                Err(error) => Err(failure(call, StatusCode::SyntaxError, format_args!("{error}"))),
            }
        });
        ["anyURI:http://a.example/", "string:b/", "string:c"] => "anyURI:http://a.example/b/c",
        ["anyURI:http://a.example/", "string:%zz"] => "error",
        ["anyURI:http://a.example/"] => "error",
    ),
];

pub(super) const FAMILY: Family = Family {
    title: "Strings",
    clause: CLAUSE,
    rows: &[
        CONCATENATE,
        &pieces!("string", STRING, "abcde", "ab", "de", "bcd"),
        &pieces!("anyURI", ANY_URI, "http://a.example/", "http:", "example/", "//a."),
    ],
};

fn concatenate<'a>(call: &Call<'a>, arguments: &[Operand<'a>]) -> Result<&'a str, Stop<'a>> {
    let mut length = 0;
    for at in 0..arguments.len() {
        length += text(arguments, at)?.len();
    }
    check_text(call, length)?;
    let mut out = bumpalo::collections::String::with_capacity_in(length, call.arena);
    for at in 0..arguments.len() {
        out.push_str(text(arguments, at)?);
    }
    Ok(out.into_bump_str())
}

fn starts_with<'a>(_: &Call<'a>, arguments: &[Operand<'a>]) -> Outcome<'a> {
    give_boolean(text(arguments, 1)?.starts_with(text(arguments, 0)?))
}

fn ends_with<'a>(_: &Call<'a>, arguments: &[Operand<'a>]) -> Outcome<'a> {
    give_boolean(text(arguments, 1)?.ends_with(text(arguments, 0)?))
}

fn contains<'a>(call: &Call<'a>, arguments: &[Operand<'a>]) -> Outcome<'a> {
    let (piece, whole) = (text(arguments, 0)?, text(arguments, 1)?);
    spend_bytes(call, whole.len())?;
    give_boolean(memchr::memmem::find(whole.as_bytes(), piece.as_bytes()).is_some())
}

fn substring<'a>(call: &Call<'a>, arguments: &[Operand<'a>]) -> Outcome<'a> {
    let (whole, begin, end) = (text(arguments, 0)?, integer(arguments, 1)?, integer(arguments, 2)?);
    spend_bytes(call, whole.len())?;
    let from = position(begin).and_then(|begin| offset(whole, begin));
    let to = match end {
        Integer::Small(-1) => Some(whole.len()),
        _ => position(end).and_then(|end| offset(whole, end)),
    };
    match (from, to) {
        (Some(from), Some(to)) if from <= to => give(Value::string(&whole[from..to])),
        _ => {
            let [begin, end] =
                [begin, end].map(|position| crate::value::shorten(position.text(call.arena)));
            let count = whole.chars().count();
            Err(fault(
                call,
                format_args!("a text of {count} characters has no piece from {begin} to {end}"),
            ))
        }
    }
}

fn position(integer: Integer<'_>) -> Option<usize> {
    match integer {
        Integer::Small(value) => usize::try_from(value).ok(),
        Integer::Big(_) => None,
    }
}

/// The byte offset of a character, or of the end.
fn offset(text: &str, position: usize) -> Option<usize> {
    if text.is_ascii() {
        return (position <= text.len()).then_some(position);
    }
    text.char_indices().map(|(offset, _)| offset).chain(std::iter::once(text.len())).nth(position)
}
