//! What XML formats share: encodings, tokens with namespaces, element sequences, text.

mod decode;
pub(crate) mod element;
pub(crate) mod fragment;
pub(crate) mod name;
pub(crate) mod scan;
pub(crate) mod text;
pub(crate) mod write;

pub(crate) use decode::decode;
pub(crate) use fragment::root_element;
