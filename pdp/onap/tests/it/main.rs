//! What this crate promises, table by table.

mod document;
mod pip;
mod refusals;
mod request;
mod response;
mod shipped;
mod support;
mod template;
mod translate;
