//! What bodies share: taking arguments, giving results, failing, spending.

use super::{Call, Fault, Stop};
use crate::model::StatusCode;
use crate::value::{Bag, Data, Integer, IntegerLimit, MAX_INTEGER_DIGITS, Operand, Value};

pub(super) type Outcome<'a> = Result<Operand<'a>, Stop<'a>>;

/// What a body says that is called against its signature, which compile rules out.
#[cold]
fn mistyped<'a>() -> Stop<'a> {
    Stop::Fault(Fault {
        code: StatusCode::ProcessingError,
        message: "an argument is not of the type that the function takes",
    })
}

#[inline]
pub(super) fn value<'a>(arguments: &[Operand<'a>], at: usize) -> Result<Value<'a>, Stop<'a>> {
    arguments.get(at).and_then(Operand::value).ok_or_else(mistyped)
}

#[inline]
pub(super) fn bag<'a>(arguments: &[Operand<'a>], at: usize) -> Result<Bag<'a>, Stop<'a>> {
    arguments.get(at).and_then(Operand::bag).ok_or_else(mistyped)
}

/// The text of a string, or of a URI.
#[inline]
pub(super) fn text<'a>(arguments: &[Operand<'a>], at: usize) -> Result<&'a str, Stop<'a>> {
    match value(arguments, at)?.data() {
        Data::String(text) | Data::AnyUri(text) => Ok(text),
        _ => Err(mistyped()),
    }
}

#[inline]
pub(super) fn integer<'a>(arguments: &[Operand<'a>], at: usize) -> Result<Integer<'a>, Stop<'a>> {
    value(arguments, at)?.as_integer().ok_or_else(mistyped)
}

#[inline]
pub(super) fn double<'a>(arguments: &[Operand<'a>], at: usize) -> Result<f64, Stop<'a>> {
    value(arguments, at)?.as_double().ok_or_else(mistyped)
}

/// A value of one of the types that are not taken apart above.
#[inline]
pub(super) fn data<'a, T>(
    arguments: &[Operand<'a>],
    at: usize,
    take: impl Fn(Data<'a>) -> Option<T>,
) -> Result<T, Stop<'a>> {
    take(value(arguments, at)?.data()).ok_or_else(mistyped)
}

#[inline]
pub(super) const fn give<'a>(value: Value<'a>) -> Outcome<'a> {
    Ok(Operand::Value(value))
}

#[inline]
pub(super) const fn give_boolean<'a>(value: bool) -> Outcome<'a> {
    Ok(Operand::Value(Value::boolean(value)))
}

#[inline]
pub(super) const fn give_integer(value: Integer<'_>) -> Outcome<'_> {
    Ok(Operand::Value(Value::new(Data::Integer(value))))
}

/// A processing error with a message.
#[cold]
pub(super) fn fault<'a>(call: &Call<'a>, message: std::fmt::Arguments<'_>) -> Stop<'a> {
    failure(call, StatusCode::ProcessingError, message)
}

/// An error with any code and a message.
#[cold]
pub(super) fn failure<'a>(
    call: &Call<'a>,
    code: StatusCode,
    message: std::fmt::Arguments<'_>,
) -> Stop<'a> {
    Stop::Fault(Fault {
        code,
        message: bumpalo::format!(in call.arena, "{message}",).into_bump_str(),
    })
}

/// A limit that tripped, with a message that names limit and value.
#[cold]
pub(super) fn limit<'a>(call: &Call<'a>, message: std::fmt::Arguments<'_>) -> Stop<'a> {
    Stop::Limit(bumpalo::format!(in call.arena, "{message}",).into_bump_str())
}

/// Takes steps from the budget of the decision.
#[inline]
pub(super) fn spend<'a>(call: &Call<'a>, steps: usize) -> Result<(), Stop<'a>> {
    if call.budget.spend(steps as u64) {
        Ok(())
    } else {
        Err(limit(
            call,
            format_args!("the decision takes more steps than its limit of {}", call.budget.limit()),
        ))
    }
}

/// Takes the steps that a walk over so many bytes costs; short texts are free.
#[inline]
pub(super) fn spend_bytes<'a>(call: &Call<'a>, bytes: usize) -> Result<(), Stop<'a>> {
    match bytes / 64 {
        0 => Ok(()),
        steps => spend(call, steps),
    }
}

/// Refuses a text that is longer than the decision allows.
#[inline]
pub(super) fn check_text<'a>(call: &Call<'a>, bytes: usize) -> Result<(), Stop<'a>> {
    if bytes <= call.settings.max_text {
        return spend_bytes(call, bytes);
    }
    let most = call.settings.max_text;
    Err(limit(call, format_args!("a function builds a text of {bytes} bytes, the limit is {most}")))
}

/// Refuses a bag that is larger than the decision allows.
#[inline]
pub(super) fn check_bag<'a>(call: &Call<'a>, values: usize) -> Result<(), Stop<'a>> {
    if values <= call.settings.max_bag {
        return Ok(());
    }
    let most = call.settings.max_bag;
    Err(limit(
        call,
        format_args!("a function builds a bag of {values} values, the limit is {most}"),
    ))
}

/// The result of integer arithmetic.
#[inline]
pub(super) fn within<'a>(
    call: &Call<'a>,
    result: Result<Integer<'a>, IntegerLimit>,
) -> Result<Integer<'a>, Stop<'a>> {
    result.map_err(|IntegerLimit { digits }| {
        limit(
            call,
            format_args!(
                "a function builds an integer of at least {digits} digits, the limit is {MAX_INTEGER_DIGITS}"
            ),
        )
    })
}
