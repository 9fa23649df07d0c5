//! XPath 1.0 over the Content of a category (XACML 3.0 sections 5.30 and 7.3.7).
//!
//! A [`Document`] is the Content as a document of its own, an [`Expression`] a compiled path. A path
//! reaches nothing but its document: there are no variables, no functions beside the core library,
//! and no access to the outside.
//!
//! | file | what is in it |
//! |---|---|
//! | `name`, `text`, `read`, `tag` | XML text to document |
//! | `tree`, `relation` | nodes, their order, how they relate |
//! | `lexer`, `syntax`, `library`, `parser`, `steps` | path to expression, with all checks |
//! | `axis`, `evaluate`, `call`, `compare`, `convert` | expression to result |
//!
//! # Why an evaluator of our own
//!
//! A path may come with a request, and `//*[count(//*[count(//*)>0])>0]` is cubic in the size of a
//! Content that comes with it. So every evaluation must stop at the decision's own budget, and no
//! nesting, of the path or of the Content, may reach the end of the stack. What there is, all of it
//! under MIT or Apache-2.0 unless said otherwise:
//!
//! | crate | XPath | why not |
//! |---|---|---|
//! | `sxd-xpath` 0.4 | 1.0 | edition 2015, no release for years; no budget; recursion without bound |
//! | `xpath-eval` 0.2 | 1.0 | complete, but young; no budget; recursion without bound |
//! | `rusty_xml-xpath` 0.8 | 1.0 | bound to its own libxml2-like tree; no budget |
//! | `sup-xml-core` 1.3 | 1.0, 2.0 | a budget, but one per thread rather than the caller's; a licence of its own |
//! | `xee-xpath` 0.1 | 3.1 | another language: untyped comparisons and missing nodes mean something else |
//! | `xrust` 2.3 | 3.1 in part | the same; reference-counted tree; no budget |
//! | `amxml` 0.5 | 3.1 in part | the same; no release for years |
//! | `libxml` 0.3 | 1.0 | bindings to a C library, which reads input that anyone may send |
//!
//! XPath 1.0 without variables has two helpful properties: the type of every expression is known
//! from its text, so that a path that can select no nodes is refused when it is compiled and a
//! budget that runs out is the only error of evaluation; and a document in a table makes axes ranges
//! and document order a comparison of numbers.

mod axis;
mod call;
mod compare;
mod convert;
mod evaluate;
mod lexer;
mod library;
mod name;
mod parser;
mod read;
mod relation;
mod steps;
mod syntax;
mod tag;
mod text;
mod tree;

pub use evaluate::XValue;
pub use parser::{Expression, MAX_LENGTH, MAX_NESTING};
pub use read::DocumentLimits;
pub use syntax::ResultKind;
pub use tree::{Document, NodeId, NodeKind};

use thiserror::Error;

/// Takes steps from the decision's budget; false once it is spent.
pub type Spend<'s> = dyn Fn(u64) -> bool + 's;

/// The budget is spent: the decision ends, whatever it would have become.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the evaluation of an XPath expression goes beyond the steps that the decision may take")]
pub struct Spent;

/// A text is no XPath expression, or not one that can be evaluated here.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{message} (at character {character})")]
pub struct PathError {
    /// The byte at which it goes wrong.
    pub offset: usize,
    /// The same in characters, from 1.
    pub character: usize,
    /// What, and what was expected.
    pub message: String,
}

/// Why there are no nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SelectError {
    /// The budget is spent.
    #[error(transparent)]
    Spent(#[from] Spent),
    /// The result is no node-set.
    #[error("the XPath expression gives {0}, not nodes")]
    NoNodes(ResultKind),
}

/// Rows that are looked at for one step: looking is far cheaper than evaluating.
const NODES_A_STEP: usize = 8;

/// Bytes that are copied or compared for one step. It also bounds what an evaluation can allocate.
const BYTES_A_STEP: usize = 64;

#[inline]
fn pay(spend: &Spend<'_>, steps: usize) -> Result<(), Spent> {
    if spend(u64::try_from(steps).unwrap_or(u64::MAX)) { Ok(()) } else { Err(Spent) }
}

#[inline]
fn pay_for_walk(spend: &Spend<'_>, nodes: usize) -> Result<(), Spent> {
    pay(spend, 1 + nodes / NODES_A_STEP)
}

#[inline]
fn pay_for_text(spend: &Spend<'_>, bytes: usize) -> Result<(), Spent> {
    pay(spend, 1 + bytes / BYTES_A_STEP)
}
