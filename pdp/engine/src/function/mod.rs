//! Functions: one file per family, each a table of rows.
//!
//! A row is data: identifier, signature, clause of the standard, body and examples. Compile looks a
//! function up once by its identifier; a decision only calls bodies. The reference page that
//! `pdp functions` prints, the test vectors of the examples and the check that no identifier is
//! missing are all made from the rows. Adding a function is adding a row to its family.

#[macro_use]
mod row;

mod arguments;
mod arithmetic;
mod bag;
mod comparison;
mod date;
mod equality;
mod higher_order;
mod logic;
mod matching;
mod number;
mod other;
mod page;
mod pattern;
mod regexp;
mod registry;
mod set;
mod string;
mod string_conversion;
#[cfg(test)]
mod tests;

pub use page::{page, signature};
pub use pattern::{MAX_PATTERN, Pattern};
pub(crate) use pattern::{NoPattern, PatternCache};
pub use registry::{Family, all, equality_of, families, find};

use crate::model::StatusCode;
use crate::value::{Arena, DataType, Operand, Value};

/// A data type, alone or in a bag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    /// The data type.
    pub data_type: DataType,
    /// A bag of values rather than one value.
    pub bag: bool,
}

impl Type {
    /// One value of the type.
    pub const fn one(data_type: DataType) -> Self {
        Self { data_type, bag: false }
    }

    /// A bag of values of the type.
    pub const fn bag(data_type: DataType) -> Self {
        Self { data_type, bag: true }
    }
}

/// What a function takes and returns. Checked at compile time, so that bodies can rely on it.
///
/// A higher-order function's depends on the function that it applies: its row says only what it
/// returns, and of `map` that this is a bag.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// The types of the leading arguments.
    pub parameters: &'static [Type],
    /// The type of any number of further arguments, and how many of those there must be at least.
    pub rest: Option<(Type, usize)>,
    /// The type of the result.
    pub result: Type,
}

/// Why an expression has no value.
#[derive(Clone, Copy, Debug)]
pub struct Fault<'a> {
    /// The status code of the standard (appendix B.8).
    pub code: StatusCode,
    /// What went wrong, in the words of a policy author.
    pub message: &'a str,
}

/// What a body may use beside its arguments.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Where results live.
    pub arena: &'a Arena,
    /// Settings of the decision.
    pub settings: &'a Settings,
    /// What the decision may still spend. A body that walks spends as it walks.
    pub budget: &'a Budget,
}

/// Settings that change what functions compute.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The zone of times that name none, in minutes east of UTC. XACML 3.0 section 10.2.7.
    pub implicit_zone: i16,
    /// The longest text that a function may build, in bytes.
    pub max_text: usize,
    /// The largest bag that a function may build, in values.
    pub max_bag: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { implicit_zone: 0, max_text: 1 << 20, max_bag: 10_000 }
    }
}

/// The steps that a decision may still take. A limit that trips aborts the decision: it is never
/// the error of one node (see the engine's rules on limits).
#[derive(Debug)]
pub struct Budget {
    left: std::cell::Cell<u64>,
    limit: u64,
}

impl Budget {
    /// A budget of `limit` steps.
    pub const fn new(limit: u64) -> Self {
        Self { left: std::cell::Cell::new(limit), limit }
    }

    /// A budget of `limit` steps of which `left` are left.
    pub const fn with_left(limit: u64, left: u64) -> Self {
        Self { left: std::cell::Cell::new(left), limit }
    }

    /// Takes `steps`; false once the budget is spent.
    #[inline]
    #[must_use]
    pub fn spend(&self, steps: u64) -> bool {
        match self.left.get().checked_sub(steps) {
            Some(left) => {
                self.left.set(left);
                true
            }
            None => {
                self.left.set(0);
                false
            }
        }
    }

    /// The steps that are left.
    #[inline]
    pub fn left(&self) -> u64 {
        self.left.get()
    }

    /// The limit it started from.
    pub const fn limit(&self) -> u64 {
        self.limit
    }
}

/// Why a body gave no value.
#[derive(Clone, Copy, Debug)]
pub enum Stop<'a> {
    /// The expression is Indeterminate.
    Fault(Fault<'a>),
    /// A limit tripped: the whole decision ends. The text names limit and value.
    Limit(&'a str),
}

/// The code of an ordinary function: all arguments evaluated, types as the signature says.
pub type Body = for<'a> fn(&Call<'a>, &[Operand<'a>]) -> Result<Operand<'a>, Stop<'a>>;

/// The code of a function whose first argument is a regular expression (appendix A.3.13).
pub type PatternBody =
    for<'a> fn(&Call<'a>, &Pattern, &[Operand<'a>]) -> Result<Operand<'a>, Stop<'a>>;

/// How a function is evaluated.
#[derive(Clone, Copy, Debug)]
pub enum Code {
    /// Arguments first, then the body.
    Plain(Body),
    /// The first argument is a regular expression: built at compile time where it is constant, from
    /// a bounded cache otherwise. The body takes the other arguments.
    Pattern(PatternBody),
    /// Equality of one type: the evaluator compares without a call.
    Equal,
    /// Order of one type: the evaluator compares without a call.
    Order(Order),
    /// `and`, `or`, `n-of`, `not`: arguments as needed (XACML 3.0 appendix A.3.5).
    Logic(Logic),
    /// Applies another function to elements of bags (appendix A.3.12).
    HigherOrder(HigherOrder),
    /// Evaluates the policies again on a changed request (`access-permitted`).
    AccessPermitted,
    /// Asks a category's Content (appendix A.3.15).
    XPath(XPathCode),
}

/// How the first of two values must stand to the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the variants say it
pub enum Order {
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
}

impl Order {
    /// Whether it holds. Two values without order, such as NaN and a number, are in none.
    #[inline]
    pub fn holds(self, first: &Value<'_>, second: &Value<'_>, implicit_zone: i16) -> bool {
        let Some(order) = first.compare(second, implicit_zone) else { return false };
        match self {
            Self::Greater => order.is_gt(),
            Self::GreaterOrEqual => order.is_ge(),
            Self::Less => order.is_lt(),
            Self::LessOrEqual => order.is_le(),
        }
    }
}

/// The logical functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the variants are the functions, by their own names
pub enum Logic {
    And,
    Or,
    NOf,
    Not,
}

/// The higher-order functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the variants are the functions, by their own names
pub enum HigherOrder {
    AnyOf,
    AllOf,
    AnyOfAny,
    AllOfAny,
    AnyOfAll,
    AllOfAll,
    Map,
}

/// The functions over nodes of Content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the variants are the functions, by their own names
pub enum XPathCode {
    NodeCount,
    NodeEqual,
    NodeMatch,
}

/// One call with its result: documentation and test at once.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// Arguments as `type:text`, bags as `{type:text, type:text}`, an empty bag as `{type}`, a
    /// function as `function:identifier`, an argument that fails as `error:type`.
    pub arguments: &'static [&'static str],
    /// The result in the same notation, or `error`: the call is refused for its types, or fails.
    pub result: &'static str,
}

/// One function.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its identifier.
    pub id: &'static str,
    /// Its types.
    pub signature: Signature,
    /// The clause that defines it.
    pub clause: &'static str,
    /// What it computes, in one sentence.
    pub summary: &'static str,
    /// The identifier that takes its place, for a deprecated one.
    pub successor: Option<&'static str>,
    /// How it is evaluated.
    pub code: Code,
    /// At least one call that succeeds and one that errs (where it can err).
    pub examples: &'static [Example],
}
