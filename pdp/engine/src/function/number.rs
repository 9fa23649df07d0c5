//! Conversion of strings and numbers within themselves (XACML 3.0 appendix A.3.3 and A.3.4).

use super::arguments::{Outcome, check_text, double, fault, give, give_integer, integer, text};
use super::row::{DOUBLE, INTEGER, STRING};
use super::{Call, Code, Family, Row};
use crate::value::{Integer, Operand, Value, is_xml_space};

const ROWS: &[Row] = &[
    row!(
        f1!("string-normalize-space"); None; [STRING] -> STRING;
        "A.3.3"; "A string without the white space around it; blanks inside stay.";
        Code::Plain(|_, arguments| {
            let text = text(arguments, 0)?;
            give(Value::string(text.trim_matches(|c: char| c.is_ascii() && is_xml_space(c as u8))))
        });
        ["string:  a  b\t "] => "string:a  b",
        ["integer:1"] => "error",
    ),
    row!(
        f1!("string-normalize-to-lower-case"); None; [STRING] -> STRING;
        "A.3.3"; "A string in lower case."; Code::Plain(to_lower_case);
        ["string:Test ÄÖ"] => "string:test äö",
        ["anyURI:A"] => "error",
    ),
    row!(
        f1!("double-to-integer"); None; [DOUBLE] -> INTEGER;
        "A.3.4"; "A double without its fraction, as an integer.";
        Code::Plain(|call, arguments| {
            let value = double(arguments, 0)?;
            match Integer::from_double(value, call.arena) {
                Some(integer) => give_integer(integer),
                None => {
                    let text = Value::double(value).canonical(call.arena);
                    Err(fault(call, format_args!("{text} has no integer")))
                }
            }
        });
        ["double:-5.75"] => "integer:-5",
        ["double:1E20"] => "integer:100000000000000000000",
        ["double:NaN"] => "error",
        ["double:-INF"] => "error",
    ),
    row!(
        f1!("integer-to-double"); None; [INTEGER] -> DOUBLE;
        "A.3.4"; "The double that is nearest to an integer.";
        Code::Plain(|_, arguments| give(Value::double(integer(arguments, 0)?.to_double())));
        ["integer:5"] => "double:5",
        ["integer:9007199254740993"] => "double:9007199254740992",
        ["double:5"] => "error",
    ),
];

pub(super) const FAMILY: Family =
    Family { title: "String and number conversion", clause: "A.3.3, A.3.4", rows: &[ROWS] };

fn to_lower_case<'a>(call: &Call<'a>, arguments: &[Operand<'a>]) -> Outcome<'a> {
    let text = text(arguments, 0)?;
    check_text(call, text.len())?;
    let lower = if !text.is_ascii() {
        call.arena.alloc_str(&text.to_lowercase())
    } else if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        let lower = call.arena.alloc_str(text);
        lower.make_ascii_lowercase();
        lower
    } else {
        text
    };
    give(Value::string(lower))
}
