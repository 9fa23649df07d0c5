//! Arithmetic (XACML 3.0 appendix A.3.2). Doubles follow IEEE 754; only a division by zero fails.

use super::arguments::{Outcome, double, fault, give, give_integer, integer, spend, within};
use super::row::{DOUBLE, INTEGER};
use super::{Call, Code, Family, Row, Stop};
use crate::value::{Arena, Integer, IntegerLimit, Operand, Value};

const CLAUSE: &str = "A.3.2";

const ROWS: &[Row] = &[
    row!(
        f1!("integer-add"); None; [INTEGER, INTEGER; INTEGER, 0] -> INTEGER;
        CLAUSE; "The sum of two or more integers.";
        Code::Plain(|call, arguments| fold_integers(call, arguments, Integer::add));
        ["integer:2", "integer:-1", "integer:3"] => "integer:4",
        ["integer:9223372036854775807", "integer:1"] => "integer:9223372036854775808",
        ["integer:1"] => "error",
        ["integer:1", "double:1"] => "error",
    ),
    row!(
        f1!("double-add"); None; [DOUBLE, DOUBLE; DOUBLE, 0] -> DOUBLE;
        CLAUSE; "The sum of two or more doubles.";
        Code::Plain(|_, arguments| fold_doubles(arguments, |a, b| a + b));
        ["double:1.25", "double:-2.75", "double:4"] => "double:2.5",
        ["double:INF", "double:-INF"] => "double:NaN",
        ["double:1"] => "error",
    ),
    row!(
        f1!("integer-subtract"); None; [INTEGER, INTEGER] -> INTEGER;
        CLAUSE; "The first integer less the second.";
        Code::Plain(|call, arguments| {
            let (a, b) = two_integers(call, arguments)?;
            give_integer(within(call, a.subtract(b, call.arena))?)
        });
        ["integer:2", "integer:5"] => "integer:-3",
        ["integer:-9223372036854775808", "integer:1"] => "integer:-9223372036854775809",
        ["integer:2", "integer:1", "integer:1"] => "error",
    ),
    row!(
        f1!("double-subtract"); None; [DOUBLE, DOUBLE] -> DOUBLE;
        CLAUSE; "The first double less the second.";
        Code::Plain(|_, arguments| fold_doubles(arguments, |a, b| a - b));
        ["double:1.5", "double:2.5"] => "double:-1",
        ["double:1.5"] => "error",
    ),
    row!(
        f1!("integer-multiply"); None; [INTEGER, INTEGER; INTEGER, 0] -> INTEGER;
        CLAUSE; "The product of two or more integers.";
        Code::Plain(|call, arguments| fold_integers(call, arguments, Integer::multiply));
        ["integer:2", "integer:-1", "integer:3"] => "integer:-6",
        ["integer:4294967296", "integer:4294967296"] => "integer:18446744073709551616",
        ["integer:2"] => "error",
    ),
    row!(
        f1!("double-multiply"); None; [DOUBLE, DOUBLE; DOUBLE, 0] -> DOUBLE;
        CLAUSE; "The product of two or more doubles.";
        Code::Plain(|_, arguments| fold_doubles(arguments, |a, b| a * b));
        ["double:1.25", "double:-2.75", "double:1.5"] => "double:-5.15625",
        ["double:2"] => "error",
    ),
    row!(
        f1!("integer-divide"); None; [INTEGER, INTEGER] -> INTEGER;
        CLAUSE; "The first integer divided by the second, truncated toward zero.";
        Code::Plain(|call, arguments| {
            let (a, b) = two_integers(call, arguments)?;
            match a.divide(b, call.arena) {
                Some(quotient) => give_integer(quotient),
                None => Err(by_zero(call, a)),
            }
        });
        ["integer:-7", "integer:2"] => "integer:-3",
        ["integer:-9223372036854775808", "integer:-1"] => "integer:9223372036854775808",
        ["integer:1", "integer:0"] => "error",
    ),
    row!(
        f1!("double-divide"); None; [DOUBLE, DOUBLE] -> DOUBLE;
        CLAUSE; "The first double divided by the second.";
        Code::Plain(|call, arguments| {
            let (a, b) = (double(arguments, 0)?, double(arguments, 1)?);
            if b == 0.0 {
                return Err(fault(call, format_args!("{a} cannot be divided by zero")));
            }
            give(Value::double(a / b))
        });
        ["double:7", "double:-2"] => "double:-3.5",
        ["double:1", "double:-0"] => "error",
        ["double:0", "double:0"] => "error",
    ),
    row!(
        f1!("integer-mod"); None; [INTEGER, INTEGER] -> INTEGER;
        CLAUSE; "What is left when the first integer is divided by the second; it has the sign of the first.";
        Code::Plain(|call, arguments| {
            let (a, b) = two_integers(call, arguments)?;
            match a.remainder(b, call.arena) {
                Some(remainder) => give_integer(remainder),
                None => Err(by_zero(call, a)),
            }
        });
        ["integer:-7", "integer:2"] => "integer:-1",
        ["integer:7", "integer:-2"] => "integer:1",
        ["integer:1", "integer:0"] => "error",
    ),
    row!(
        f1!("integer-abs"); None; [INTEGER] -> INTEGER;
        CLAUSE; "An integer without its sign.";
        Code::Plain(|call, arguments| give_integer(integer(arguments, 0)?.abs(call.arena)));
        ["integer:-5"] => "integer:5",
        ["integer:-9223372036854775808"] => "integer:9223372036854775808",
        ["double:-5"] => "error",
    ),
    row!(
        f1!("double-abs"); None; [DOUBLE] -> DOUBLE;
        CLAUSE; "A double without its sign.";
        Code::Plain(|_, arguments| give(Value::double(double(arguments, 0)?.abs())));
        ["double:-5.5"] => "double:5.5",
        ["integer:-5"] => "error",
    ),
    row!(
        f1!("round"); None; [DOUBLE] -> DOUBLE;
        CLAUSE; "The nearest whole number as a double; of two as near, the even one.";
        Code::Plain(|_, arguments| give(Value::double(double(arguments, 0)?.round_ties_even())));
        ["double:5.75"] => "double:6",
        ["double:2.5"] => "double:2",
        ["double:3.5"] => "double:4",
        ["integer:5"] => "error",
    ),
    row!(
        f1!("floor"); None; [DOUBLE] -> DOUBLE;
        CLAUSE; "The largest whole number that is not larger, as a double.";
        Code::Plain(|_, arguments| give(Value::double(double(arguments, 0)?.floor())));
        ["double:5.75"] => "double:5",
        ["double:-5.25"] => "double:-6",
        ["integer:5"] => "error",
    ),
];

pub(super) const FAMILY: Family = Family { title: "Arithmetic", clause: CLAUSE, rows: &[ROWS] };

/// Arithmetic of integers beyond 64 bits costs steps by its digits.
fn spend_digits<'a>(call: &Call<'a>, a: Integer<'_>, b: Integer<'_>) -> Result<(), Stop<'a>> {
    match (a, b) {
        (Integer::Small(_), Integer::Small(_)) => Ok(()),
        // Dividing, multiplying and changing the base all grow with the square.
        _ => spend(call, 1 + (a.digits() + b.digits()).pow(2) / 10_000),
    }
}

#[inline]
fn two_integers<'a>(
    call: &Call<'a>,
    arguments: &[Operand<'a>],
) -> Result<(Integer<'a>, Integer<'a>), Stop<'a>> {
    let (a, b) = (integer(arguments, 0)?, integer(arguments, 1)?);
    spend_digits(call, a, b)?;
    Ok((a, b))
}

#[inline]
fn fold_integers<'a>(
    call: &Call<'a>,
    arguments: &[Operand<'a>],
    operation: fn(Integer<'a>, Integer<'a>, &'a Arena) -> Result<Integer<'a>, IntegerLimit>,
) -> Outcome<'a> {
    let mut result = integer(arguments, 0)?;
    for at in 1..arguments.len() {
        let next = integer(arguments, at)?;
        spend_digits(call, result, next)?;
        result = within(call, operation(result, next, call.arena))?;
    }
    give_integer(result)
}

#[inline]
fn fold_doubles<'a>(arguments: &[Operand<'a>], operation: fn(f64, f64) -> f64) -> Outcome<'a> {
    let mut result = double(arguments, 0)?;
    for at in 1..arguments.len() {
        result = operation(result, double(arguments, at)?);
    }
    give(Value::double(result))
}

#[cold]
fn by_zero<'a>(call: &Call<'a>, dividend: Integer<'a>) -> Stop<'a> {
    let text = crate::value::shorten(dividend.text(call.arena));
    fault(call, format_args!("{text} cannot be divided by zero"))
}
