//! Equality predicates (XACML 3.0 appendix A.3.1).

use super::arguments::{Outcome, check_text, give_boolean, text};
use super::row::{BOOLEAN, STRING};
use super::{Call, Code, Family, Row, Type};
use crate::value::{DataType, Operand};

macro_rules! rows {
    ($id:ident, $name:literal, $type:ident, $a:literal, $same:literal, $b:literal, $successor:ident) => {
        [row!(
            $id!($name, "-equal"); successor!($successor, $name, "-equal");
            [Type::one(DataType::$type), Type::one(DataType::$type)] -> BOOLEAN;
            "A.3.1"; concat!("Whether two values of type ", $name, " are equal."); Code::Equal;
            [concat!($name, ":", $a), concat!($name, ":", $same)] => "boolean:true",
            [concat!($name, ":", $a), concat!($name, ":", $b)] => "boolean:false",
            [concat!($name, ":", $a), concat!("{", $name, ":", $a, "}")] => "error",
        )]
    };
}

const BY_TYPE: &[&[Row]] = each_type!(rows);

pub(super) const FAMILIES: [Family; 2] = [
    Family { title: "Equality", clause: "A.3.1", rows: BY_TYPE },
    Family {
        title: "Equality without case",
        clause: "A.3.1",
        rows: &[&[row!(
            f3!("string-equal-ignore-case"); None;
            [STRING, STRING] -> BOOLEAN;
            "A.3.1"; "Whether two strings are equal once both are in lower case.";
            Code::Plain(equal_ignore_case);
            ["string:Test", "string:tEST"] => "boolean:true",
            ["string:Ärger", "string:äRGER"] => "boolean:true",
            ["string:strasse", "string:straße"] => "boolean:false",
            ["string:a"] => "error",
        )]],
    },
];

fn equal_ignore_case<'a>(call: &Call<'a>, arguments: &[Operand<'a>]) -> Outcome<'a> {
    let (a, b) = (text(arguments, 0)?, text(arguments, 1)?);
    check_text(call, a.len().max(b.len()))?;
    let equal = if a.is_ascii() && b.is_ascii() {
        a.eq_ignore_ascii_case(b)
    } else {
        a.to_lowercase() == b.to_lowercase()
    };
    give_boolean(equal)
}
