//! Bags taken as sets (XACML 3.0 appendix A.3.11). Results hold no duplicates and keep the order in
//! which their values are met first.

use super::arguments::{Outcome, bag, check_bag, give_boolean, spend};
use super::row::BOOLEAN;
use super::{Call, Code, Family, Stop, Type};
use crate::value::{Bag, DataType, Operand, Value};

const CLAUSE: &str = "A.3.11";

macro_rules! bag_of {
    ($name:literal $(, $value:literal)+) => { bag_of!(@ $name; "{"; $($value),+) };
    (@ $name:literal; $start:expr; $value:literal) => { concat!($start, $name, ":", $value, "}") };
    (@ $name:literal; $start:expr; $value:literal, $($more:literal),+) => {
        bag_of!(@ $name; concat!($start, $name, ":", $value, ", "); $($more),+)
    };
}

macro_rules! rows {
    ($id:ident, $name:literal, $type:ident, $a:literal, $same:literal, $b:literal, $successor:ident) => {
        [
            row!(
                $id!($name, "-intersection"); successor!($successor, $name, "-intersection");
                [Type::bag(DataType::$type), Type::bag(DataType::$type)] -> Type::bag(DataType::$type);
                CLAUSE; concat!("The values of type ", $name, " that both bags hold.");
                Code::Plain(intersection);
                [bag_of!($name, $a, $a, $b), bag_of!($name, $same)] => bag_of!($name, $a),
                [bag_of!($name, $a), concat!("{", $name, "}")] => concat!("{", $name, "}"),
                [bag_of!($name, $a)] => "error",
            ),
            row!(
                $id!($name, "-at-least-one-member-of"); successor!($successor, $name, "-at-least-one-member-of");
                [Type::bag(DataType::$type), Type::bag(DataType::$type)] -> BOOLEAN;
                CLAUSE; concat!("Whether two bags of type ", $name, " have a value in common.");
                Code::Plain(at_least_one_member_of);
                [bag_of!($name, $a, $b), bag_of!($name, $same)] => "boolean:true",
                [bag_of!($name, $a), bag_of!($name, $b)] => "boolean:false",
                [concat!($name, ":", $a), bag_of!($name, $a)] => "error",
            ),
            row!(
                $id!($name, "-union"); successor!($successor, $name, "-union");
                [Type::bag(DataType::$type), Type::bag(DataType::$type); Type::bag(DataType::$type), 0]
                    -> Type::bag(DataType::$type);
                CLAUSE; concat!("The values of type ", $name, " that any of the bags holds.");
                Code::Plain(union);
                [bag_of!($name, $a, $same), bag_of!($name, $b, $a)] => bag_of!($name, $a, $b),
                [bag_of!($name, $a)] => "error",
            ),
            row!(
                $id!($name, "-subset"); successor!($successor, $name, "-subset");
                [Type::bag(DataType::$type), Type::bag(DataType::$type)] -> BOOLEAN;
                CLAUSE; concat!("Whether the second bag holds every value of the first, of type ", $name, ".");
                Code::Plain(subset);
                [bag_of!($name, $a, $a), bag_of!($name, $b, $same)] => "boolean:true",
                [bag_of!($name, $a, $b), bag_of!($name, $a)] => "boolean:false",
                [concat!("{", $name, "}"), bag_of!($name, $a)] => "boolean:true",
                [bag_of!($name, $a)] => "error",
            ),
            row!(
                $id!($name, "-set-equals"); successor!($successor, $name, "-set-equals");
                [Type::bag(DataType::$type), Type::bag(DataType::$type)] -> BOOLEAN;
                CLAUSE; concat!("Whether two bags of type ", $name, " hold the same values.");
                Code::Plain(set_equals);
                [bag_of!($name, $a, $b), bag_of!($name, $b, $b, $same)] => "boolean:true",
                [bag_of!($name, $a), bag_of!($name, $a, $b)] => "boolean:false",
                [bag_of!($name, $a), concat!($name, ":", $a)] => "error",
            ),
        ]
    };
}

pub(super) const FAMILY: Family = Family { title: "Sets", clause: CLAUSE, rows: each_type!(rows) };

/// Up to this many values are compared one by one; more are found by fingerprint.
const SMALL: usize = 16;

/// Finds values of a bag.
struct Members<'a> {
    values: &'a [Value<'a>],
    zone: i16,
    /// Fingerprint and place, in order; empty for a small bag.
    sorted: &'a [(u64, u32)],
}

impl<'a> Members<'a> {
    fn new(call: &Call<'a>, values: &'a [Value<'a>]) -> Result<Self, Stop<'a>> {
        let zone = call.settings.implicit_zone;
        let sorted: &[_] = if values.len() > SMALL {
            spend(call, values.len())?;
            let sorted = call.arena.alloc_slice_fill_iter(
                values.iter().zip(0..u32::MAX).map(|(value, at)| (value.fingerprint(zone), at)),
            );
            sorted.sort_unstable();
            sorted
        } else {
            &[]
        };
        Ok(Self { values, zone, sorted })
    }

    /// Where the first value equal to this one is.
    fn find(&self, call: &Call<'a>, wanted: &Value<'a>) -> Result<Option<usize>, Stop<'a>> {
        if self.sorted.is_empty() {
            spend(call, self.values.len() / 16)?;
            return Ok(self.values.iter().position(|value| value.equals(wanted, self.zone)));
        }
        let fingerprint = wanted.fingerprint(self.zone);
        let start = self.sorted.partition_point(|(other, _)| *other < fingerprint);
        for (other, at) in &self.sorted[start..] {
            spend(call, 1)?;
            if *other != fingerprint {
                break;
            }
            if self.values[*at as usize].equals(wanted, self.zone) {
                return Ok(Some(*at as usize));
            }
        }
        Ok(None)
    }
}

/// The values without later ones that equal an earlier one.
fn distinct<'a>(call: &Call<'a>, data_type: DataType, values: &'a [Value<'a>]) -> Outcome<'a> {
    let members = Members::new(call, values)?;
    let mut kept = bumpalo::collections::Vec::with_capacity_in(values.len(), call.arena);
    for (at, value) in values.iter().enumerate() {
        if members.find(call, value)? == Some(at) {
            kept.push(*value);
        }
    }
    check_bag(call, kept.len())?;
    Ok(Operand::Bag(Bag { data_type, values: kept.into_bump_slice() }))
}

fn union<'a>(call: &Call<'a>, arguments: &[Operand<'a>]) -> Outcome<'a> {
    let data_type = bag(arguments, 0)?.data_type;
    let mut all = bumpalo::collections::Vec::new_in(call.arena);
    for at in 0..arguments.len() {
        all.extend_from_slice(bag(arguments, at)?.values);
    }
    distinct(call, data_type, all.into_bump_slice())
}

fn intersection<'a>(call: &Call<'a>, arguments: &[Operand<'a>]) -> Outcome<'a> {
    let (first, second) = (bag(arguments, 0)?, bag(arguments, 1)?);
    let members = Members::new(call, second.values)?;
    let mut common = bumpalo::collections::Vec::new_in(call.arena);
    for value in first.values {
        if members.find(call, value)?.is_some() {
            common.push(*value);
        }
    }
    distinct(call, first.data_type, common.into_bump_slice())
}

fn at_least_one_member_of<'a>(call: &Call<'a>, arguments: &[Operand<'a>]) -> Outcome<'a> {
    let (first, second) = (bag(arguments, 0)?, bag(arguments, 1)?);
    let members = Members::new(call, second.values)?;
    for value in first.values {
        if members.find(call, value)?.is_some() {
            return give_boolean(true);
        }
    }
    give_boolean(false)
}

fn subset<'a>(call: &Call<'a>, arguments: &[Operand<'a>]) -> Outcome<'a> {
    give_boolean(holds_all(call, bag(arguments, 1)?, bag(arguments, 0)?)?)
}

fn set_equals<'a>(call: &Call<'a>, arguments: &[Operand<'a>]) -> Outcome<'a> {
    let (first, second) = (bag(arguments, 0)?, bag(arguments, 1)?);
    give_boolean(holds_all(call, first, second)? && holds_all(call, second, first)?)
}

/// Whether one bag holds every value of another.
fn holds_all<'a>(call: &Call<'a>, whole: Bag<'a>, part: Bag<'a>) -> Result<bool, Stop<'a>> {
    let members = Members::new(call, whole.values)?;
    for value in part.values {
        if members.find(call, value)?.is_none() {
            return Ok(false);
        }
    }
    Ok(true)
}
