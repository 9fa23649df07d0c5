//! The policy engine: read policies and requests, compile, decide, write the answer.
//!
//! The engine is pure. It opens no file and no socket, reads no clock and takes no lock: time,
//! limits and attributes from elsewhere are passed in. The modules stand in the order in which data
//! flows, and each uses only those before it:
//!
//! | module | question it answers |
//! |---|---|
//! | [`value`] | what is a value of each data type, and when are two equal? |
//! | [`ids`] | which identifiers does the language fix? |
//! | [`error`] | what went wrong, and where? |
//! | [`model`] | what does a policy or a request say, whatever it was written in? |
//! | [`xpath`] | which nodes of a Content does an XPath expression select? |
//! | [`format`](mod@format) | how do bytes become a model, and answers bytes? |
//! | [`function`] | what does each function compute? |
//! | [`combine`] | how do the values of children become the value of a policy? |
//! | [`finder`] | who supplies an attribute that the request lacks? |
//! | [`program`] | what is the immutable compiled form? |
//! | [`compile`] | how does a model become a program? |
//! | [`context`] | what does this request hold, slot by slot? |
//! | [`eval`] | what is the decision? |

pub mod value;
pub mod ids;
pub mod error;
pub mod model;
pub mod xpath;
pub mod format;
pub mod function;
pub mod combine;
pub mod finder;
pub mod program;
pub mod compile;
pub mod context;
pub mod eval;
