//! What this crate promises, table by table.

mod decisions;
mod document;
mod matchable;
mod native;
mod pip;
mod refusals;
mod request;
mod response;
mod service;
mod shipped;
mod support;
mod template;
mod translate;
mod types;
