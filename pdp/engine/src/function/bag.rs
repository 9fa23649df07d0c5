//! Bags (XACML 3.0 appendix A.3.10).

use super::arguments::{
    Outcome, bag, check_bag, fault, give, give_boolean, give_integer, spend, value,
};
use super::row::{BOOLEAN, INTEGER};
use super::{Call, Code, Family, Row, Type};
use crate::value::{Bag, DataType, Integer, Operand};

const CLAUSE: &str = "A.3.10";

macro_rules! without_equality {
    ($id:ident, $name:literal, $type:ident, $a:literal, $b:literal, $successor:ident) => {
        [
            row!(
                $id!($name, "-one-and-only"); successor!($successor, $name, "-one-and-only");
                [Type::bag(DataType::$type)] -> Type::one(DataType::$type);
                CLAUSE; concat!("The value of a bag that holds just one, of type ", $name, ".");
                Code::Plain(one_and_only);
                [concat!("{", $name, ":", $a, "}")] => concat!($name, ":", $a),
                [concat!("{", $name, "}")] => "error",
                [concat!("{", $name, ":", $a, ", ", $name, ":", $a, "}")] => "error",
            ),
            row!(
                $id!($name, "-bag-size"); successor!($successor, $name, "-bag-size");
                [Type::bag(DataType::$type)] -> INTEGER;
                CLAUSE; concat!("How many values a bag of type ", $name, " holds, duplicates counted.");
                Code::Plain(bag_size);
                [concat!("{", $name, ":", $a, ", ", $name, ":", $a, "}")] => "integer:2",
                [concat!("{", $name, "}")] => "integer:0",
                [concat!($name, ":", $a)] => "error",
            ),
            row!(
                $id!($name, "-bag"); successor!($successor, $name, "-bag");
                [; Type::one(DataType::$type), 0] -> Type::bag(DataType::$type);
                CLAUSE; concat!("A bag of all arguments, of type ", $name, ".");
                Code::Plain(|call, arguments| make_bag(call, arguments, DataType::$type));
                [concat!($name, ":", $a), concat!($name, ":", $b)]
                    => concat!("{", $name, ":", $a, ", ", $name, ":", $b, "}"),
                [] => concat!("{", $name, "}"),
                [concat!("{", $name, "}")] => "error",
            ),
        ]
    };
}

macro_rules! rows {
    ($id:ident, $name:literal, $type:ident, $a:literal, $same:literal, $b:literal, $successor:ident) => {
        without_equality!($id, $name, $type, $a, $b, $successor)
    };
}

macro_rules! is_in_row {
    ($id:ident, $name:literal, $type:ident, $a:literal, $same:literal, $b:literal, $successor:ident) => {
        [row!(
            $id!($name, "-is-in"); successor!($successor, $name, "-is-in");
            [Type::one(DataType::$type), Type::bag(DataType::$type)] -> BOOLEAN;
            CLAUSE; concat!("Whether a bag holds a value equal to the first argument, of type ", $name, ".");
            Code::Plain(is_in);
            [concat!($name, ":", $a), concat!("{", $name, ":", $b, ", ", $name, ":", $same, "}")]
                => "boolean:true",
            [concat!($name, ":", $a), concat!("{", $name, ":", $b, "}")] => "boolean:false",
            [concat!($name, ":", $a), concat!("{", $name, "}")] => "boolean:false",
            [concat!("{", $name, ":", $a, "}"), concat!($name, ":", $a)] => "error",
        )]
    };
}

const NETWORK: &[&[Row]] = &[
    &without_equality!(f2, "ipAddress", IpAddress, "10.0.0.1/255.0.0.0:80", "[::1]", none),
    &without_equality!(f2, "dnsName", DnsName, "*.example.com:1024-", "example.com", none),
];

pub(super) const FAMILIES: [Family; 3] = [
    Family { title: "Bags", clause: CLAUSE, rows: each_type!(rows) },
    Family { title: "Bags of network names", clause: CLAUSE, rows: NETWORK },
    Family { title: "Membership", clause: CLAUSE, rows: each_type!(is_in_row) },
];

fn one_and_only<'a>(call: &Call<'a>, arguments: &[Operand<'a>]) -> Outcome<'a> {
    let bag = bag(arguments, 0)?;
    match bag.values {
        [value] => give(*value),
        values => Err(fault(
            call,
            format_args!("expected exactly one {}, the bag holds {}", bag.data_type, values.len()),
        )),
    }
}

fn bag_size<'a>(_: &Call<'a>, arguments: &[Operand<'a>]) -> Outcome<'a> {
    let count = bag(arguments, 0)?.values.len();
    give_integer(Integer::Small(i64::try_from(count).unwrap_or(i64::MAX)))
}

fn make_bag<'a>(call: &Call<'a>, arguments: &[Operand<'a>], data_type: DataType) -> Outcome<'a> {
    check_bag(call, arguments.len())?;
    let mut values = bumpalo::collections::Vec::with_capacity_in(arguments.len(), call.arena);
    for at in 0..arguments.len() {
        values.push(value(arguments, at)?);
    }
    Ok(Operand::Bag(Bag { data_type, values: values.into_bump_slice() }))
}

fn is_in<'a>(call: &Call<'a>, arguments: &[Operand<'a>]) -> Outcome<'a> {
    let (wanted, bag) = (value(arguments, 0)?, bag(arguments, 1)?);
    spend(call, bag.values.len() / 16)?;
    let zone = call.settings.implicit_zone;
    give_boolean(bag.values.iter().any(|value| value.equals(&wanted, zone)))
}
