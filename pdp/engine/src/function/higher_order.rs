//! Functions that apply a function to elements of bags (XACML 3.0 appendix A.3.12). The evaluator
//! applies; here is what they take and return.

use super::row::BOOLEAN;
use super::{Code, Family, HigherOrder, Row, Type};
use crate::value::DataType;

const CLAUSE: &str = "A.3.12";

const EQUAL: &str = concat!("function:", f1!("string-equal"));
const GREATER: &str = concat!("function:", f1!("integer-greater-than"));
const MATCHES: &str = concat!("function:", f1!("string-regexp-match"));
const CONCATENATE: &str = concat!("function:", f2!("string-concatenate"));
const LOWER: &str = concat!("function:", f1!("string-normalize-to-lower-case"));
const FROM_STRING: &str = concat!("function:", f3!("integer-from-string"));
const SUBSTRING: &str = concat!("function:", f3!("string-substring"));

/// The result of `map` depends on the function that it applies.
const MAPPED: Type = Type::bag(DataType::Foreign);

macro_rules! rows {
    ($prefix:ident, $successor:ident) => {
        [
            row!(
                $prefix!("any-of"); successor!($successor, "any-of"); [] -> BOOLEAN;
                CLAUSE; "Whether a function holds for an element of the one bag among the arguments.";
                Code::HigherOrder(HigherOrder::AnyOf);
                [EQUAL, "string:Paul", "{string:John, string:Paul}"] => "boolean:true",
                [MATCHES, "string:^a", "{string:xa, string:b}"] => "boolean:false",
                [EQUAL, "string:Paul", "{string}"] => "boolean:false",
                [EQUAL, "string:Paul", "string:Paul"] => "error",
                [EQUAL, "{string:a}", "{string:a}"] => "error",
                [] => "error",
            ),
            row!(
                $prefix!("any-of-any"); successor!($successor, "any-of-any"); [] -> BOOLEAN;
                CLAUSE; "Whether a function holds for a combination of elements of the bags among the arguments.";
                Code::HigherOrder(HigherOrder::AnyOfAny);
                [EQUAL, "{string:Ringo, string:Mary}", "{string:John, string:Ringo}"] => "boolean:true",
                [EQUAL, "{string:Mary}", "string:John"] => "boolean:false",
                [EQUAL] => "error",
                [EQUAL, "{string:a}"] => "error",
            ),
            row!(
                $prefix!("all-of"); successor!($successor, "all-of"); [] -> BOOLEAN;
                CLAUSE; "Whether a function holds for every element of the one bag among the arguments.";
                Code::HigherOrder(HigherOrder::AllOf);
                [GREATER, "integer:10", "{integer:9, integer:3}"] => "boolean:true",
                [GREATER, "integer:10", "{integer:9, integer:14}"] => "boolean:false",
                [GREATER, "integer:10", "{integer}"] => "boolean:true",
                [GREATER, "integer:10", "integer:9"] => "error",
                [GREATER, "{integer:10}", "{integer:9}"] => "error",
            ),
            row!(
                $prefix!("map"); successor!($successor, "map"); [] -> MAPPED;
                CLAUSE; "The results of a function for the elements of the one bag among the arguments.";
                Code::HigherOrder(HigherOrder::Map);
                [LOWER, "{string:Hello, string:World}"] => "{string:hello, string:world}",
                [CONCATENATE, "string:x", "{string:a, string:b}"] => "{string:xa, string:xb}",
                [FROM_STRING, "{string:1, string:02}"] => "{integer:1, integer:2}",
                [SUBSTRING, "{string:ab, string:cd}", "integer:0", "integer:1"] => "{string:a, string:c}",
                [LOWER, "{string}"] => "{string}",
                [LOWER, "string:A"] => "error",
                [FROM_STRING, "{string:1, string:x}"] => "error",
            ),
        ]
    };
}

const TWO_BAGS: &[Row] = &[
    row!(
        f1!("all-of-any"); None; [] -> BOOLEAN;
        CLAUSE; "Whether a function holds for every element of the first bag with some element of the second.";
        Code::HigherOrder(HigherOrder::AllOfAny);
        [GREATER, "{integer:10, integer:20}", "{integer:1, integer:19}"] => "boolean:true",
        [GREATER, "{integer:10, integer:20}", "{integer:11, integer:19}"] => "boolean:false",
        [GREATER, "{integer:10}"] => "error",
        [GREATER, "{integer:10}", "integer:1"] => "error",
    ),
    row!(
        f1!("any-of-all"); None; [] -> BOOLEAN;
        CLAUSE; "Whether a function holds for some element of the first bag with every element of the second.";
        Code::HigherOrder(HigherOrder::AnyOfAll);
        [GREATER, "{integer:3, integer:5}", "{integer:1, integer:4}"] => "boolean:true",
        [GREATER, "{integer:3, integer:4}", "{integer:1, integer:4}"] => "boolean:false",
        [GREATER, "{integer:3}"] => "error",
    ),
    row!(
        f1!("all-of-all"); None; [] -> BOOLEAN;
        CLAUSE; "Whether a function holds for every element of the first bag with every element of the second.";
        Code::HigherOrder(HigherOrder::AllOfAll);
        [GREATER, "{integer:6, integer:5}", "{integer:1, integer:4}"] => "boolean:true",
        [GREATER, "{integer:6, integer:5}", "{integer:1, integer:5}"] => "boolean:false",
        [GREATER, "{integer:6}", "integer:1"] => "error",
    ),
];

pub(super) const FAMILY: Family = Family {
    title: "Higher order",
    clause: CLAUSE,
    rows: &[&rows!(f3, none), TWO_BAGS, &rows!(f1, f3)],
};
