//! Arity and types of calls (XACML 3.0 section 7.3 and appendix A.3.12), as the standard words them:
//! a second opinion for what compile checks.

use std::fmt;

use thiserror::Error;

use super::super::row::BOOLEAN;
use super::super::{HigherOrder, Signature, Type};

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let data_type = self.data_type;
        if self.bag {
            write!(f, "a bag of {data_type}")
        } else {
            write!(f, "{} {data_type}", data_type.article())
        }
    }
}

/// Why a call does not fit a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub(super) enum Mismatch {
    #[error("takes {}{}, is given {given}", if *.more { "at least " } else { "" }, arguments(*.expected))]
    Count { expected: usize, more: bool, given: usize },
    #[error("argument {} must be {expected}, is {given}", at + 1)]
    Argument { at: usize, expected: Type, given: Type },
    #[error("takes exactly one bag among its arguments, is given {given}")]
    OneBag { given: usize },
    #[error("takes two bags after the function, argument {} is {given}", at + 1)]
    TwoBags { at: usize, given: Type },
    #[error("applies a function that returns a boolean, this one returns {given}")]
    NotBoolean { given: Type },
    #[error("applies a function that returns one value, this one returns {given}")]
    NotOneValue { given: Type },
}

fn arguments(count: usize) -> String {
    match count {
        0 => "no argument".to_owned(),
        1 => "1 argument".to_owned(),
        _ => format!("{count} arguments"),
    }
}

impl Signature {
    /// Checks a call with arguments of these types. A bag of one value is not a value.
    ///
    /// # Errors
    /// The number of arguments or the type of one is wrong.
    pub(super) fn check(&self, given: &[Type]) -> Result<(), Mismatch> {
        let least = self.parameters.len() + self.rest.map_or(0, |(_, least)| least);
        if given.len() < least || (self.rest.is_none() && given.len() > least) {
            let more = self.rest.is_some();
            return Err(Mismatch::Count { expected: least, more, given: given.len() });
        }
        let rest = self.rest.iter().map(|(rest, _)| rest).cycle();
        for (at, (expected, given)) in self.parameters.iter().chain(rest).zip(given).enumerate() {
            if expected != given {
                return Err(Mismatch::Argument { at, expected: *expected, given: *given });
            }
        }
        Ok(())
    }
}

impl HigherOrder {
    /// Checks a call that applies a function with the signature `applied` to arguments of the types
    /// `given` (without the function), and says what the call returns.
    ///
    /// # Errors
    /// The bags among the arguments are not as the function wants them, or the applied function does
    /// not take their elements, or does not return what is needed.
    pub(super) fn check(self, applied: &Signature, given: &[Type]) -> Result<Type, Mismatch> {
        match self {
            Self::AnyOf | Self::AllOf | Self::Map => {
                let bags = given.iter().filter(|given| given.bag).count();
                if bags != 1 {
                    return Err(Mismatch::OneBag { given: bags });
                }
            }
            Self::AnyOfAny => {
                if given.is_empty() {
                    return Err(Mismatch::Count { expected: 2, more: true, given: 1 });
                }
            }
            Self::AllOfAny | Self::AnyOfAll | Self::AllOfAll => {
                if given.len() != 2 {
                    return Err(Mismatch::Count {
                        expected: 3,
                        more: false,
                        given: given.len() + 1,
                    });
                }
                if let Some(at) = given.iter().position(|given| !given.bag) {
                    return Err(Mismatch::TwoBags { at: at + 1, given: given[at] });
                }
            }
        }
        let elements: Vec<Type> = given.iter().map(|given| Type::one(given.data_type)).collect();
        applied.check(&elements).map_err(|mismatch| match mismatch {
            // Counted as the author sees it: the function is the first argument.
            Mismatch::Argument { at, expected, given } => {
                Mismatch::Argument { at: at + 1, expected, given }
            }
            Mismatch::Count { expected, more, given } => {
                Mismatch::Count { expected: expected + 1, more, given: given + 1 }
            }
            other => other,
        })?;
        let result = applied.result;
        match self {
            Self::Map if result.bag => Err(Mismatch::NotOneValue { given: result }),
            Self::Map => Ok(Type::bag(result.data_type)),
            _ if result == BOOLEAN => Ok(result),
            _ => Err(Mismatch::NotBoolean { given: result }),
        }
    }
}
